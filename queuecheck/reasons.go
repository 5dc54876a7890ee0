package queuecheck

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"recovery/internal/account"
	"recovery/internal/claude"
	"recovery/internal/journal"
	"recovery/internal/remote"
	"recovery/internal/text"
	"recovery/internal/transcript"
	"recovery/inventory"
	"recovery/prompts"
	"recovery/wrap"
)

// Subject is a session with all that is known of it and of what is to be sent to it.
type Subject struct {
	Account *account.Account
	World   *inventory.World
	Facts   inventory.Facts
	// Inventory is the saved one; nil when there is none.
	Inventory *inventory.Inventory
	// Events are the saved pages of its events; EventsErr says why they cannot be read, which is no reason to believe
	// that nothing waits.
	Events    *remote.Events
	EventsErr error
	Journal   *journal.Session
	// Defects are those of it that nobody closed, those of a review that nobody has read yet included.
	Defects []journal.DefectData
	Self    Self
	MaxAge  time.Duration
	// DefaultCwd is where a session without a folder is woken; empty for the home folder.
	DefaultCwd string
	Prompt     Prompt
	// Again and Named are what the user typed: a second review, and the session by name.
	Again, Named bool
}

// liftedByAgain are the reasons that the user's --again lifts, for a session that they name.
var liftedByAgain = map[string]bool{"finished": true, "archived": true, "reviewed": true}

// NeedsAgain says that nothing blocks the session but what --again lifts: what wants a look in it can be confirmed.
func (r Result) NeedsAgain() bool {
	return len(r.Blocked) > 0 && !slices.ContainsFunc(r.Blocked, func(code string) bool { return !liftedByAgain[code] })
}

// Now is the queue check of one session as the account is now.
func Now(s Subject) Result {
	f := s.Facts
	in := Input{
		Hazards: s.World.Hazards(f.Job), Log: s.World.Log, Evidence: Gather(s.Account, f, s.Events), Events: s.Events,
		EventsErr: s.EventsErr, Journal: s.Journal, Defects: s.Defects,
		Prompt: s.Prompt, Again: s.Again, Named: s.Named, Self: s.Self, Now: s.World.Now, MaxAge: s.MaxAge,
	}
	if s.Inventory != nil {
		in.Excluded = s.Inventory.Excluded(f.Job.Short)
		if it := s.Inventory.Find(f.Job.Short); it != nil {
			in.Remote = it.Remote
		}
	}
	in.Wrap = wrap.Status{State: wrap.NotSent}
	if in.Evidence.WrapAsked || s.Journal != nil && s.Journal.Wrap != nil {
		in.Wrap = wrap.Look(s.Account, f.Job, wrapMark(s.Journal))
	}
	f.Folder, f.FolderGone, f.FolderProblem, in.Trust = s.folder()
	in.SharedWith = s.World.SharedWith(f.Job, append(slices.Clone(f.Threads), in.Evidence.Ledger.Threads...))
	in.Awake = slices.DeleteFunc(slices.Clone(in.SharedWith), func(short string) bool {
		return s.World.Liveness(s.World.Jobs.ByShort[short]).State == account.Offline
	})
	in.Facts = f
	return Of(in)
}

// folder is where the session is woken, and whether that can be.
func (s Subject) folder() (dir string, gone bool, problem string, trust *account.Trust) {
	f := s.Facts
	dir, gone, problem = f.Folder, f.FolderGone, f.FolderProblem
	if dir == "" {
		dir = s.DefaultCwd
		if dir == "" {
			dir = s.Account.Home
		}
		info, err := s.Account.Stat(dir)
		gone = err != nil || !info.IsDir()
	}
	if gone || problem != "" || dir == "" {
		return dir, gone, problem, nil
	}
	t := s.Account.Trust(dir)
	return dir, gone, problem, &t
}

// wrapMark is the phrase by which the WRAP message of a session is known.
func wrapMark(s *journal.Session) string {
	if s != nil && s.Wrap != nil && s.Wrap.Mark != "" {
		return s.Wrap.Mark
	}
	return prompts.WrapMark
}

// excluded is what the newest page, or the job itself, says of the session as a whole.
func (t *table) excluded() {
	switch {
	case t.in.Excluded == inventory.PageConnected && t.in.Facts.Live.State != account.Live:
		t.block("connected", "the saved page shows it connected, and no process of it runs here: the page is out of date, "+
			"or another machine serves it")
	case t.in.Again && t.in.Named:
	case t.in.Excluded == inventory.PageArchived:
		t.block("archived", "the saved page shows it archived")
	case t.in.Facts.Job.Archived && !t.takenOut():
		t.block("archived", "its job is marked as archived")
	}
}

// takenOut says that the saved page shows the session outside the archive, and is newer than the mark in state.json:
// only then the user took it out since. A page or a mark whose time is not known proves nothing.
func (t *table) takenOut() bool {
	r, marked := t.in.Remote, t.in.Facts.Job.UpdatedAt
	return r != nil && !r.AsOf.IsZero() && !marked.IsZero() && !marked.After(r.AsOf)
}

// finished keeps a session that has its real wrap from being woken again (invariant 12).
func (t *table) finished() {
	if t.in.Wrap.State != wrap.Done || t.in.Again && t.in.Named {
		return
	}
	t.block("finished", "finished: archive it; %s", t.wrappedText())
}

// defective keeps a session from being woken while a defect of it is open, whatever is typed: the user closes it by
// name.
func (t *table) defective() {
	for _, d := range t.in.Defects {
		t.block("defect-open", "a defect of it is open (%s): %s", d.Code, text.Line(d.Text))
	}
}

// waiting are the reasons that tell of a message that nobody answered.
var waiting = []string{"queued-prompt", "in-flight-queue", "queued-remotely", "typed-not-answered"}

// lookFirst takes back that a finished session is to be archived where a message waits in it.
func (t *table) lookFirst() {
	waits := func(r Reason) bool { return slices.Contains(waiting, r.Code) }
	if !slices.ContainsFunc(t.blocked, waits) && !slices.ContainsFunc(t.check, waits) {
		return
	}
	for i := range t.blocked {
		if t.blocked[i].Code == "finished" {
			t.blocked[i].Text = "finished, look first: a message waits in it; " + t.wrappedText()
		}
	}
}

// wrappedText says when it wrapped.
func (t *table) wrappedText() string {
	if t.in.Wrap.WrappedAt == nil {
		return "it has its real wrap"
	}
	return "it has its real wrap" + at(*t.in.Wrap.WrappedAt)
}

// sentAlready is invariant 3: a session that holds a review, by the journal or by its own transcript, gets no second
// one unless a person wrote in it since.
func (t *table) sentAlready() {
	s := t.in.Journal
	if s == nil {
		return
	}
	if s.OpenWake() != nil {
		t.block("not-settled",
			"an earlier prompt of recovery's is not settled yet: the next run settles it from the evidence")
		return
	}
	last := s.LastSent()
	if t.in.Prompt != Review || t.in.Again || t.ownSaved() || t.out.SentAt < 0 && last == nil {
		return
	}
	from := t.out.SentAt
	if last != nil && from < 0 {
		from = last.Size
	}
	if t.out.LastPerson > from {
		return
	}
	why := "a review was sent to it already"
	if last != nil {
		became := "not settled"
		if last.Result != nil {
			became = string(last.Result.Outcome)
		}
		why = fmt.Sprintf("a %s was sent to it%s (%s)", last.Kind, at(last.At), became)
	}
	t.block("reviewed", "%s and no person wrote in it since; a second one needs --again", why)
}

// ownSaved says that recovery's own prompt, and nothing else, waits in the session for its next start.
func (t *table) ownSaved() bool {
	j := t.in.Facts.Job
	saved := t.in.Journal.SavedPrompt()
	return j.Queued && saved != "" && j.QueuedPrompt == saved
}

// queueCleared says that the transcript's ledger clears the job's own count: it stays 1 after a turn that a task
// notification began, although the queue is empty (seen on the client 2.1.332).
func (t *table) queueCleared() bool {
	l := t.in.Evidence.Ledger
	return t.in.Facts.Job.InFlightQueue == 1 && l.Notified && len(l.Pending) == 0 && !l.BadHides &&
		t.in.Evidence.Err == nil
}

func elsewhere(paths []string) string {
	if len(paths) == 0 {
		return ""
	}
	return "; its conversation may be in " + text.Line(strings.Join(paths, ", "))
}

// folder is where the session would be woken.
func (t *table) folder() {
	f := t.in.Facts
	switch {
	case f.FolderGone:
		t.block("folder-gone", "its folder is gone: %s", text.Line(f.Folder))
	case f.FolderProblem != "":
		t.block("folder-unreadable", "its folder %s cannot be used: %s", text.Line(f.Folder), f.FolderProblem)
	case t.in.Trust == nil || t.in.Trust.Accepted:
	case t.in.Trust.Problem != "":
		t.block("untrusted", "the folder %s is not trusted (%s)", text.Line(t.in.Trust.Key), t.in.Trust.Problem)
	default:
		t.block("untrusted", "the folder %s is not trusted", text.Line(t.in.Trust.Key))
	}
}

// unfinished is what a wake would start besides the review: agents that were cut are started again and act while the
// review answers, and shells outlive their session (seen on the clients from 2.1.257 on).
func (t *table) unfinished() {
	ledger := t.in.Evidence.Ledger
	var what []string
	told := map[string]bool{}
	for _, b := range ledger.Background {
		told[b.Task] = b.Task != ""
		what = append(what, fmt.Sprintf("%s%s: %q", b.Kind, at(b.At), text.Clip(b.Label, 120)))
	}
	j := t.in.Facts.Job
	for _, f := range j.Fan {
		if !f.Done && !told[f.ID] && !ledger.Ended[f.ID] {
			what = append(what, fmt.Sprintf("%s%s: %q", f.Kind, at(f.StartedAt), text.Clip(f.Label, 120)))
		}
	}
	if j.PendingAgents > 0 && len(what) == 0 {
		what = append(what, fmt.Sprintf("%d agents that its state file counts", j.PendingAgents))
	}
	if len(what) > 0 {
		t.atBest("background", "work that it started has no end on record; a wake starts cut agents again, and they act "+
			"with its rights: %s", strings.Join(what, "; "))
	}
}

// otherBranches tells calls that the last line does not go on from, and a transcript that ends before the session did.
func (t *table) otherBranches() {
	for _, c := range t.in.Evidence.Ledger.OpenCalls {
		t.atBest("open-branch", "a call of %s%s on another branch of its conversation has no result: %q", c.Tool, at(c.At),
			text.Clip(c.Text, 200))
	}
	f := t.in.Facts
	if last := f.Tail.LastEntry; !last.IsZero() && f.LastUse.Sub(last) > endsEarly {
		t.atBest("ends-early",
			"its transcript ends%s and it was in use until about %s: what was said in between is not in it", at(last),
			f.LastUse.UTC().Format(time.RFC3339))
	}
}

// endsEarly is how much longer than its transcript a session may have been in use before something is missing.
const endsEarly = 15 * time.Minute

// threads tells other jobs of the same thread: two of them awake take each other's messages. What was confirmed while
// all of them were offline wakes none beside another.
func (t *table) threads() {
	if len(t.in.Awake) > 0 {
		t.block("thread-awake", "another job has its thread or its conversation and runs, or may run: %s; two of them "+
			"awake take each other's messages",
			strings.Join(t.in.Awake, ", "))
	}
	if len(t.in.SharedWith) > 0 {
		t.atBest("shared-thread", "another job has its thread or its conversation: %s; wake only one of them",
			strings.Join(t.in.SharedWith, ", "))
	}
	if next := t.in.Facts.Tail.ContinuedIn; claude.IsUUID(next) && t.in.Facts.Tail.Turn == transcript.Empty {
		t.block("continued-in", "its transcript says that the conversation went on in %s", next)
	}
}
