package review

import (
	"fmt"
	"strings"
	"time"

	"recovery/internal/account"
	"recovery/internal/audit"
	"recovery/internal/journal"
	"recovery/internal/transcript"
	"recovery/inventory"
	"recovery/prompts"
)

// NotWokenError says that there is no review to read.
type NotWokenError struct{ Short string }

func (e *NotWokenError) Error() string {
	return fmt.Sprintf("session %s was not woken with a review; `recovery last-reply %s` prints its latest reply", e.Short, e.Short)
}

// Of reads a session's review since its last wake: by the journal, or, when that knows none, by recovery's own prompt in
// the transcript.
func Of(w *inventory.World, rules *audit.Rules, s *journal.Session) (Review, error) {
	job := w.Jobs.ByShort[s.Short]
	if job == nil {
		return Review{}, fmt.Errorf("session %s has no job in this account any more", s.Short)
	}
	win, err := window(w, job, s)
	if err != nil {
		return Review{}, err
	}
	rev, err := Read(w, rules, win)
	if err != nil {
		return rev, err
	}
	live := w.Witnesses.Of(job, w.Log)
	if !rev.Answered && rev.Started {
		rev.Waiting = waiting(job, live, rev)
	}
	return rev, nil
}

func window(w *inventory.World, job *account.Job, s *journal.Session) (Window, error) {
	loc := transcript.Locate(w.Account, job)
	if last := s.LastSent(); last != nil {
		win := Window{Path: last.Transcript, From: last.Size, PromptID: last.PromptID, Expected: last.Expected, Since: last.At}
		// The client may go on in another file than the one it had before the wake.
		if loc.Path != "" && loc.Path != win.Path {
			win.Path, win.From = loc.Path, 0
		}
		return win, nil
	}
	if loc.Path == "" {
		return Window{}, &NotWokenError{s.Short}
	}
	t, err := transcript.Open(w.Account.Door, loc.Path)
	if err != nil {
		return Window{}, fmt.Errorf("reading the review of %s: %w", s.Short, err)
	}
	defer func() { _ = t.Close() }()
	l, err := t.Ledger(prompts.IsOwn)
	if err != nil {
		return Window{}, err
	}
	for i := len(l.Marked) - 1; i >= 0; i-- {
		m := l.Marked[i]
		ids := prompts.FindPromptID(m.Text)
		if m.Delivered && len(ids) > 0 {
			return Window{Path: loc.Path, From: m.Offset, PromptID: ids[len(ids)-1], Since: m.At}, nil
		}
	}
	return Window{}, &NotWokenError{s.Short}
}

// waiting is the question that a session stands at: by its process, by the job's own state, or by the call itself.
func waiting(job *account.Job, live account.Liveness, rev Review) string {
	if live.Status == "waiting" || live.WaitingFor != "" {
		what := live.WaitingFor
		if what == "" {
			what = "an answer"
		}
		if job.Needs != "" {
			what += " (" + job.Needs + ")"
		}
		return what
	}
	for _, t := range rev.Tools {
		if t.Result == Pending && (t.Name == "AskUserQuestion" || t.Name == "ExitPlanMode") {
			return "an answer to " + t.Name
		}
	}
	if job.Tempo == "blocked" && strings.HasPrefix(job.Needs, "approve") {
		return "permission prompt (" + job.Needs + ")"
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
	data := journal.ReviewData{Answered: rev.Answered, Writes: rev.Writes(), Unknown: rev.Unjudged()}
	if rev.Verdict != nil && rev.Unclear == "" {
		data.Verdict, data.Item = rev.Verdict.Verdict, rev.Verdict.Item
	}
	if rev.ReplyAt != nil {
		data.ReplyAt = rev.ReplyAt.UTC().Format(time.RFC3339Nano)
	}
	same := func(events []journal.Event) bool {
		last := journal.Replay(events).Session(short).Review
		return last != nil && *last == data
	}
	if err := j.AppendIf(journal.Reviewed, short, data, same); err != nil {
		return nil, err
	}
	var fresh []journal.DefectData
	for _, d := range rev.Defects {
		def := journal.DefectData{Code: d.Code, Text: d.Text, Key: d.Code + ":" + d.ToolID + ":" + d.Text, Next: "look at its thread; stop it if it acts: claude stop " + short}
		wrote := true
		if err := j.AppendIf(journal.Defect, short, def, func(events []journal.Event) bool {
			wrote = !journal.HasDefect(events, short, def.Key)
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
