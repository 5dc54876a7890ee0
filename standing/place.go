package standing

// Place is where a session stands. The list is closed; each session has exactly one.
type Place string

// The places, from those that are over to those that nothing was done for yet.
const (
	Archived     Place = "archived"      // the user archived it
	Gone         Place = "gone"          // its job is not in the account any more
	HasDefect    Place = "defect"        // a defect of it is open
	ArchiveNow   Place = "archive-now"   // a real wrap, and nothing that speaks against it
	LookFirst    Place = "look-first"    // a real wrap, and something that the user has to look at before it is archived
	WentOn       Place = "went-on"       // it wrapped, somebody wrote in it afterwards, and that was answered
	Wrapping     Place = "wrapping"      // its wrap is not over
	WrapHeld     Place = "wrap-held"     // it wrapped and says that it is not ready to be archived
	Owner        Place = "owner"         // its review says OWNER: it waits for one go
	OwnerPlanned Place = "owner-planned" // the same, and its final plan is posted
	Finished     Place = "finished"      // its review says DONE: a real wrap is owed
	Duplicate    Place = "duplicate"     // its review says DUPLICATE
	Held         Place = "held"          // its review says HELD
	Unclear      Place = "unclear"       // what its review said or did cannot be told
	OutOfDate    Place = "out-of-date"   // somebody wrote in it after its review
	Waiting      Place = "waiting"       // it stands at a question: a permission, a plan, a choice
	Error        Place = "error"         // the turn of its review ended in an error
	Died         Place = "died"          // it went offline in the middle of its review
	Unanswered   Place = "unanswered"    // its prompt went out and has no reply yet
	Intended     Place = "intended"      // an intention is open: what became of it is not known
	Saved        Place = "saved"         // its prompt waits in it for its next start
	Uncertain    Place = "uncertain"     // whether it received its prompt is not known; it counts as sent
	NotSent      Place = "not-sent"      // its start failed and nothing was sent
	Live         Place = "live"          // it runs, and recovery sent it nothing
	Pass         Place = "pass"          // it may be woken
	Confirmed    Place = "confirmed"     // it may be woken: the user confirmed it
	Check        Place = "check"         // the user has to look before it may be woken
	Blocked      Place = "blocked"       // it may not be woken
	Listed       Place = "listed"        // nothing is known of it but that it is there
)

// Places are all of them.
var Places = []Place{Archived, Gone, HasDefect, ArchiveNow, LookFirst, WentOn, Wrapping, WrapHeld, Owner, OwnerPlanned,
	Finished,
	Duplicate, Held, Unclear, OutOfDate, Waiting, Error, Died, Unanswered, Intended, Saved, Uncertain, NotSent, Live, Pass,
	Confirmed, Check, Blocked, Listed}
