package standing

import (
	"cmp"
	"slices"
	"strings"

	"recovery/internal/account"
	"recovery/internal/claude"
	"recovery/internal/journal"
	"recovery/internal/text"
	"recovery/internal/transcript"
	"recovery/queuecheck"
	"recovery/review"
	"recovery/wrap"
)

// savedOutcomes are the outcomes of a wake that leave the prompt in the session for its next start.
var savedOutcomes = []journal.Outcome{journal.Saved, journal.Untrusted, journal.MissingCwd, journal.NotStarted}

// sent decides for a session of whose last prompt the outcome alone tells: it was saved, went to a copy, or is not
// known.
func (j *judge) sent() bool {
	last := j.in.Journal.LastSent()
	if last == nil || last.Result == nil {
		return false
	}
	if at := j.in.Wrap.WrappedAt; at != nil && at.After(last.At) {
		return false // whatever became of that prompt, it wrapped since
	}
	started := j.in.Review != nil && j.in.Review.Started
	what := last.Result.Outcome
	switch {
	case slices.Contains(savedOutcomes, what) && !started:
		return j.saved(last)
	case what == journal.Copy:
		j.waits("you: its prompt went to a copy of it")
		j.why("open: its prompt went to a copy of it, and it holds none itself")
		return j.at(Uncertain, j.byWake("resume", "--again"))
	case what == journal.Uncertain && (j.in.Review == nil || !j.in.Review.Answered) && j.question() == "":
		j.owed("a look: whether it received its prompt is not known")
		if said := cmp.Or(last.Result.Reason, last.Result.Output); said != "" {
			j.owed("%s: %s", j.out.Owed, text.Clip(said, 300))
		}
		j.why("open: %s", j.out.Owed)
		return j.at(Uncertain, Run("read", "--wait", "10m", j.in.Short))
	}
	return false
}

func (j *judge) saved(last *journal.Wake) bool {
	said := last.Result.Reason
	if said != "" {
		j.why("%s", said)
	}
	j.owed("its prompt waits in it for its next start")
	j.why("open: %s", j.out.Owed)
	nudge := []string{"resume", "--nudge"}
	untrusted := last.Result.Outcome == journal.Untrusted
	if c := j.in.Check; c != nil {
		// What stands against the wake is worked out now: the folder may have been trusted, or made again, since.
		untrusted = hasReason(c, "untrusted")
		if !hasReason(c, "own-prompt-saved") && !untrusted {
			return j.at(Saved, j.byWake(nudge...))
		}
	}
	if untrusted {
		j.waits("you to trust its folder")
		j.why("open: %s", j.out.WaitsFor)
		return j.at(Saved, ForReason("untrusted", j.subject))
	}
	if passes(j.in.Check) || j.in.Check == nil {
		return j.at(Saved, Run(append(nudge, j.in.Short)...))
	}
	return j.at(Saved, j.byWake(nudge...))
}

func hasReason(c *queuecheck.Result, code string) bool {
	return slices.ContainsFunc(c.Reasons, func(r queuecheck.Reason) bool { return r.Code == code })
}

// reviewed decides by what the session did and said after its prompt.
func (j *judge) reviewed() bool {
	r := j.in.Review
	if j.in.ReviewErr != nil {
		j.waits("you to look: its review cannot be read")
		j.why("its review cannot be read: %v", j.in.ReviewErr)
		return j.at(Unclear, Run("read", j.in.Short))
	}
	if r == nil {
		return j.out.Sent && j.unanswered()
	}
	if !r.Answered {
		return j.unanswered()
	}
	j.remarks()
	j.looks = true
	if r.UserAfter && j.in.Wrap.State == wrap.NotSent {
		return j.outOfDate() // whatever it said: a person went on from there, and it may be reviewed anew
	}
	unjudged := r.Unjudged() > 0 && r.Verdict != nil && r.Verdict.Verdict == review.VerdictDone
	if r.Unclear != "" || r.Verdict == nil || len(r.Defects) > 0 || unjudged {
		switch {
		case unjudged:
			j.waits("you to look at %s that cannot be judged", text.Plural(r.Unjudged(), "tool call"))
		case len(r.Defects) > 0:
			j.waits("you to read its review: it did more than read")
		default:
			j.waits("you to read its review: its verdict is unclear")
		}
		// The command shows it; what is left then is a person's.
		return j.at(Unclear, Do("look at its review, and settle in its thread what that leaves open").At(j.subject.Link).
			Then("read", j.in.Short))
	}
	return j.byVerdict()
}

// outOfDate is a session in which a person wrote after its review.
func (j *judge) outOfDate() bool {
	j.waits("you: somebody wrote in it after its review")
	if left := doubts(j.in.Review); len(left) > 0 {
		j.waits("you: somebody wrote in it after its review, which left something to look at: %s", left[0])
	}
	j.why("somebody wrote in it after its review: the review may be out of date")
	if j.out.Live != account.Offline {
		return j.at(OutOfDate, Run("last-reply", j.in.Short))
	}
	next := j.byWake("resume")
	if next.Do == "" {
		next.Do = "it wants a new review"
	}
	return j.at(OutOfDate, next)
}

// question is what a session stands at; empty when it stands at nothing.
func (j *judge) question() string {
	if r := j.in.Review; r != nil && !r.Answered && r.Asks() {
		return r.Waiting
	}
	return ""
}

// asked is what its last prompt asked for.
func (j *judge) asked() string {
	if r := j.in.Review; r != nil && r.Plan {
		return "plan"
	}
	return "review"
}

// standsAt tells what keeps a session from its reply; it is Unanswered where nothing is known to.
func (j *judge) standsAt() Place {
	r, what := j.in.Review, j.asked()
	switch {
	case j.question() != "":
		if j.stopped() {
			j.why("it was stopped, or died, while it waited for %s: nothing more comes of this %s by itself",
				r.Waiting, what)
		} else {
			j.why("it waits: %s", r.Waiting)
		}
		return Waiting
	case r != nil && r.Error != "":
		j.why("its turn ended in an error: %s", r.Error)
		return Error
	case r != nil && (r.Died || j.out.Live == account.Offline && r.Started):
		j.why("it died or was stopped in its %s%s", what, j.cutAt())
		return Died
	}
	return Unanswered
}

// stopped says that the session does not go on with its review: it died in it, or is offline.
func (j *judge) stopped() bool { return j.in.Review.Died || j.out.Live == account.Offline }

// cutAt names the call at which a review was cut; empty when there is none.
func (j *judge) cutAt() string {
	if r := j.in.Review; r.Waiting != "" {
		return ", at " + r.Waiting
	}
	return ""
}

// unanswered decides for a session whose prompt went out and has no reply.
func (j *judge) unanswered() bool {
	r, what := j.in.Review, j.asked()
	switch place := j.standsAt(); place {
	case Waiting:
		if j.stopped() {
			j.waits("you: it was stopped, or died in its %s, while it waited for %s", what, r.Waiting)
			return j.at(place, j.again())
		}
		j.waits("you: in its %s it waits for %s", what, r.Waiting)
		// A question of a review is never answered: what it asks for is more than reading.
		return j.at(place, Do("stop it: claude stop %s", j.in.Short).At(j.subject.Link))
	case Error:
		j.waits("you: the turn of its %s ended in an error: %s", what, r.Error)
		return j.at(place, j.afterError(claude.ErrorKind(r.Error)))
	case Died:
		j.waits("you: it died or was stopped in its %s%s", what, j.cutAt())
		return j.at(place, j.again())
	}
	j.why("its %s is not answered yet", what)
	j.owed("its %s is to be read", what)
	return j.at(Unanswered, Run("read", "--wait", "10m", j.in.Short))
}

// afterError is the way on behind an error of the client or the service: what it needs first, then the same prompt once
// more.
func (j *judge) afterError(kind claude.Kind) Next {
	nudge := Run("message", "nudge", j.in.Short)
	live := j.out.Live == account.Live
	n := nudge
	if !live {
		n = j.again()
	}
	first := ""
	switch kind {
	case claude.KindSignIn:
		first = "sign in again as the account's own user (claude, then /login)"
	case claude.KindBilling:
		first = "see to the account's credit or plan"
	case claude.KindModel:
		first = "choose another model (/model) in it"
	case claude.KindLimit, claude.KindBusy:
		n.After = j.in.Deferred
	case claude.KindTooLong:
		if live {
			return Do("type /compact in its thread").At(j.subject.Link).Then(nudge.Run...)
		}
		// One more wake would meet the same error: it is started by hand, and is live then.
		return Do("start it by hand (claude attach %s) and type /compact", j.in.Short).Then(nudge.Run...)
	}
	switch {
	case first != "" && n.Do != "":
		n.Do = first + "; " + n.Do
	case first != "":
		n.Do = first
	}
	return n
}

// again is one more wake with the same prompt. The flag is the user's to give.
func (j *judge) again() Next {
	if r := j.in.Review; r != nil && r.Plan {
		return j.byWake("resume", "--prompt", "prep", "--again")
	}
	return j.byWake("resume", "--again")
}

func (j *judge) byVerdict() bool {
	r := j.in.Review
	switch r.Verdict.Verdict {
	case review.VerdictOwner:
		return j.owner()
	case review.VerdictDone:
		j.why("its review says DONE; a real wrap is still owed")
		j.waits("you to pin it and send the WRAP message")
		return j.at(Finished, j.toWrap())
	case review.VerdictDuplicate:
		j.waits("you to pin it and send the WRAP message, when its owner has what it lacks")
		next := j.toWrap()
		if j.out.Live == account.Live {
			next.Do = strings.TrimSuffix("when its owner has what it lacks: "+next.Do, ": ")
		}
		return j.at(Duplicate, next)
	}
	j.waits("you: its review says HELD")
	return j.at(Held, Do("read its thread").At(j.subject.Link))
}

// prepared says whether a prep went out to it after its review, by a wake or as a message, and whether its plan is
// posted. A message stands in the transcript alone.
func (j *judge) prepared() (sent, posted bool) {
	c, f := j.in.Check, j.in.Facts
	switch {
	case j.in.Review.Plan:
		return true, true
	case c == nil || c.PrepAt <= c.ReviewAt:
		return false, false
	}
	return true, f != nil && f.Tail.Turn == transcript.Complete && review.IsPlan(f.Tail.Reply)
}

// owner waits for one go. What is typed into an offline thread waits there and blocks every wake: its plan is asked
// for first.
func (j *judge) owner() bool {
	j.waits("your go, typed in its thread")
	place := Owner
	prep := []string{"resume", "--prompt", "prep"}
	sent, posted := j.prepared()
	if sent {
		prep = append(prep, "--again")
	}
	if posted {
		place = OwnerPlanned
		j.why("its final plan is posted")
	}
	switch {
	case j.out.Live == account.Unknown:
		return j.at(place, ForReason("liveness-unknown", j.subject))
	case posted && j.out.Live == account.Offline:
		j.waits("your go: it went offline, so it is woken for its plan once more")
		return j.at(place, j.byWake(prep...))
	case posted:
		return j.at(place, Do("read its final plan, then type your go in its thread").At(j.subject.Link))
	case j.out.Live == account.Offline:
		j.waits("your go, once it posted its final plan")
		return j.at(place, j.byWake(prep...))
	case sent:
		j.why("its final plan was asked for and is not posted yet")
	default:
		j.why("to have its plan prepared for a bare go: recovery message prep %s", j.in.Short)
	}
	return j.at(place, Do("read its plan, then type your go in its thread").At(j.subject.Link))
}

// toWrap leads to the WRAP message, which goes to a live, pinned session only.
func (j *judge) toWrap() Next {
	kind := "review-wrap"
	if j.in.Review.UserAfter {
		kind = "wrap"
	}
	switch {
	case j.out.Live == account.Unknown:
		return ForReason("liveness-unknown", j.subject)
	case j.out.Live == account.Offline:
		next := j.byWake("resume", "--again")
		if next.Do == "" {
			next.Do = "it is offline, and a WRAP goes to a live, pinned session: wake it once more (--again is yours to " +
				"give), then pin it"
		}
		return next
	case j.out.Pinned:
		return Run("message", kind, j.in.Short)
	}
	return Do("pin it").Then("message", kind, j.in.Short)
}
