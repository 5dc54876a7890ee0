package review

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"recovery/internal/account"
	"recovery/internal/audit"
	"recovery/internal/claude"
	"recovery/internal/journal"
	"recovery/internal/text"
	"recovery/internal/transcript"
	"recovery/inventory"
	"recovery/prompts"
)

// NotWokenError says that there is no review to read.
type NotWokenError struct{ Short string }

func (e *NotWokenError) Error() string {
	return fmt.Sprintf("session %s was not woken with a review; `recovery last-reply %s` prints its latest reply", e.Short,
		e.Short)
}

// Of reads what a session did since its last wake: by the journal, or, when that knows none, by recovery's own prompt
// in the transcript. After a prep, the verdict is that of the review before it.
func Of(w *inventory.World, rules *audit.Rules, s *journal.Session) (Review, error) {
	job := w.Jobs.ByShort[s.Short]
	if job == nil {
		return Review{}, fmt.Errorf("session %s has no job in this account any more", s.Short)
	}
	win, err := window(w, job, s)
	if err != nil {
		return Review{}, err
	}
	win.Mark = wrapMark(s)
	rev, err := Read(w, rules, win)
	if err != nil {
		return rev, err
	}
	live := w.Witnesses.Of(job, w.Log)
	if !rev.Answered && rev.Started {
		rev.Died = live.State == account.Offline && rev.Error == ""
		rev.Waiting = waiting(job, live, s.Review, rev)
		if call := rev.openCall(); rev.Died && rev.Waiting == "" && call != "" {
			rev.Waiting, rev.cut = call+", which has no result", true
		}
	}
	if win.Prep {
		rev.follows(before(w, rules, job, s, win))
	}
	return rev, nil
}

// wrapMark is the phrase of the WRAP message that the session was asked with, as far as that is on record.
func wrapMark(s *journal.Session) string {
	if s.Wrap == nil {
		return ""
	}
	return s.Wrap.Mark
}

func window(w *inventory.World, job *account.Job, s *journal.Session) (Window, error) {
	return windowBehind(w, job, s.Short, s.LastSent(), func(string) bool { return true })
}

// windowBehind is the window of a wake, or, when the journal has none, of the last of recovery's own prompts of a
// kind that stands in the transcript.
func windowBehind(w *inventory.World, job *account.Job, short string, last *journal.Wake, kind func(said string) bool) (
	Window, error) {
	loc := transcript.Locate(w.Account, job)
	if last != nil {
		return windowOf(last, short).follow(w.Account.Door, loc.Path), nil
	}
	if loc.Path == "" {
		return Window{}, &NotWokenError{short}
	}
	t, err := transcript.Open(w.Account.Door, loc.Path)
	if err != nil {
		return Window{}, fmt.Errorf("reading the review of %s: %w", short, err)
	}
	defer func() { _ = t.Close() }()
	l, err := t.Ledger(prompts.IsOwn)
	if err != nil {
		return Window{}, err
	}
	win, ok := marked(l.Marked, kind)
	if !ok {
		return Window{}, &NotWokenError{short}
	}
	win.Path, win.Short = loc.Path, short
	return win, nil
}

func windowOf(wake *journal.Wake, short string) Window {
	return Window{Path: wake.Transcript, From: wake.Size, PromptID: wake.PromptID, Expected: wake.Expected, Since: wake.At,
		Short: short, Prep: wake.IsPrep()}
}

// marked is the window of the last of recovery's own prompts of a kind that was delivered.
func marked(list []transcript.Marked, kind func(said string) bool) (Window, bool) {
	for i := len(list) - 1; i >= 0; i-- {
		m := list[i]
		if ids := prompts.FindPromptID(m.Text); m.Delivered && len(ids) > 0 && kind(m.Text) {
			return Window{From: m.Offset, PromptID: ids[len(ids)-1], Since: m.At, Prep: prompts.IsPrep(m.Text)}, true
		}
	}
	return Window{}, false
}

// follow finds a review whose transcript is no longer where it was: the file was moved into another project folder,
// or the client went on in another file (after /clear, say) and the review stands in the old one.
func (win Window) follow(door account.Door, now string) Window {
	if now == "" || now == win.Path {
		return win
	}
	_, err := door.Stat(win.Path)
	switch {
	case err == nil && holds(door, win.Path, win.PromptID):
		return win
	case filepath.Base(now) == filepath.Base(win.Path):
		if info, err := door.Stat(now); err == nil && info.Size() >= win.From {
			win.Path = now
			return win
		}
	}
	// In a file that is not the one of before, nothing in front of the prompt's own line is the review's.
	win.Path, win.From, win.FromPrompt = now, 0, true
	return win
}

// holds says whether a transcript has a prompt's id in a message of the user's role.
func holds(door account.Door, path, id string) bool {
	t, err := transcript.Open(door, path)
	if err != nil {
		return false
	}
	defer func() { _ = t.Close() }()
	l, err := t.Ledger(func(s string) bool { return strings.Contains(s, id) })
	return err == nil && len(l.Marked) > 0
}

// openCall is the last call of the session itself that has no result; empty when each has one.
func (r *Review) openCall() string {
	for _, t := range slices.Backward(r.Tools) {
		switch {
		case t.Agent != "" || t.Result != Pending:
		case t.Summary == "" || t.Summary == t.Name:
			return t.Name
		default:
			return fmt.Sprintf("%s (%s)", t.Name, text.Clip(t.Summary, 120))
		}
	}
	return ""
}

// waiting is the question that a session stands at, or stood at when it went offline: by its process, by the call
// itself, by the job's own state, or, for as long as the same prompt has no reply and a call no result, by what was
// on record when it was seen.
func waiting(job *account.Job, live account.Liveness, seen *journal.ReviewData, rev Review) string {
	asked := ""
	for _, t := range rev.Tools {
		if t.Result == Pending && claude.AsksPerson(t.Name) {
			// The client calls a plan a permission prompt, and forgets that word when the session ends.
			asked = "an answer to " + t.Name
		}
	}
	if live.Status == claude.StatusWaiting || live.WaitingFor != "" {
		what := cmp.Or(asked, live.WaitingFor, "an answer")
		if job.Needs != "" {
			what += " (" + job.Needs + ")"
		}
		return what
	}
	if asked != "" {
		return asked
	}
	if job.Tempo == claude.TempoBlocked && claude.AsksApproval(job.Needs) {
		return claude.PermissionPrompt + " (" + job.Needs + ")"
	}
	if rev.Died && seen != nil && seen.PromptID == rev.PromptID && rev.openCall() != "" {
		return seen.Waiting
	}
	return ""
}

// Over says whether a review has been answered and quiet since, for as long as settle, or was taken over by a person.
func (r *Review) Over(now time.Time, settle time.Duration) bool {
	if !r.Answered {
		return false
	}
	return r.UserAfter || r.LastAt == nil || now.Sub(*r.LastAt) >= settle
}

// Record writes a review and its defects into the journal, each defect once; it gives the defects that are new.
func Record(j *journal.Journal, short string, rev *Review) ([]journal.DefectData, error) {
	data := journal.ReviewData{PromptID: rev.PromptID, Answered: rev.Answered, Writes: rev.Writes(),
		Unknown: rev.Unjudged(), UserAfter: rev.UserAfter}
	if rev.Asks() {
		data.Waiting = rev.Waiting
	}
	if rev.Verdict != nil && rev.Unclear == "" {
		data.Verdict, data.Item = rev.Verdict.Verdict, rev.Verdict.Item
	}
	if rev.ReplyAt != nil {
		data.ReplyAt = rev.ReplyAt.UTC().Format(time.RFC3339Nano)
	}
	same := func(events []journal.Event) bool { return journal.Same(events, journal.Reviewed, short, data) }
	if err := j.AppendIf(journal.Reviewed, short, data, same); err != nil {
		return nil, err
	}
	var fresh []journal.DefectData
	for _, d := range rev.Defects {
		def := defectData(short, rev, d)
		wrote := true
		if err := j.AppendIf(journal.Defect, short, def, func(events []journal.Event) bool {
			wrote = !onRecord(events, short, rev, d)
			return !wrote
		}); err != nil {
			return fresh, err
		}
		if wrote {
			fresh = append(fresh, def)
		}
	}
	return fresh, nil
}

// Unrecorded are the defects of a review that the journal does not hold.
func Unrecorded(events []journal.Event, short string, rev *Review) []journal.DefectData {
	var out []journal.DefectData
	for _, d := range rev.Defects {
		if !onRecord(events, short, rev, d) {
			out = append(out, defectData(short, rev, d))
		}
	}
	return out
}

func defectData(short string, rev *Review, d Defect) journal.DefectData {
	return journal.NewDefect(short, d.Code, key(rev, d), d.Text, "look at its thread; stop it if it acts: claude stop "+
		short)
}

func onRecord(events []journal.Event, short string, rev *Review, d Defect) bool {
	return journal.HasDefect(events, short, key(rev, d)) || joinedAlready(events, short, d.Code, promptOf(rev, d))
}

// key tells one defect from another: a call by its id, whatever became of it since; anything else by its text.
func key(rev *Review, d Defect) string {
	if d.ToolID != "" {
		return d.Code + ":" + d.ToolID
	}
	return d.Code + ":" + promptOf(rev, d) + ":" + d.Text
}

// promptOf is the id of the prompt whose window a defect stands in.
func promptOf(rev *Review, d Defect) string {
	if d.prompt != "" {
		return d.prompt
	}
	return rev.PromptID
}

// joinedAlready says that the wake's own outcome tells of the joined message.
func joinedAlready(events []journal.Event, short, code, prompt string) bool {
	if code != DefectJoined {
		return false
	}
	for _, w := range journal.Replay(events).Session(short).Wakes {
		if w.PromptID == prompt {
			return w.Result != nil && w.Result.Outcome == journal.Joined
		}
	}
	return false
}
