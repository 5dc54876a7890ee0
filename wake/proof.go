package wake

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"recovery/internal/account"
	"recovery/internal/claude"
	"recovery/internal/journal"
	"recovery/internal/text"
	"recovery/internal/transcript"
	"recovery/prompts"
)

// proof finds out what became of one call: from what the client said, the conversation's own transcript from the
// recorded size on, the job's queued prompt, the supervisor's log and the jobs that are new.
type proof struct {
	run      *Run
	short    string
	intent   journal.Intent
	said     Said
	called   time.Time
	returned time.Time // when the client had answered
	before   map[string]bool
	// settling says that the call was made by an earlier run: what a person wrote since is no replay.
	settling bool
	// kind is what the client's refusal, or the end of the worker, was about.
	kind claude.Kind
	// unproven says that the run was interrupted before the time for the proof was up: nothing is known yet.
	unproven bool
}

func (p *proof) outcome(o journal.Outcome, sent bool, format string, args ...any) journal.OutcomeData {
	return journal.OutcomeData{PromptID: p.intent.PromptID, Outcome: o, Sent: sent,
		Reason: fmt.Sprintf(format, args...), Output: text.Clip(p.said.Text(), 500)}
}

func (p *proof) find(ctx context.Context) journal.OutcomeData {
	if p.said.Err != nil {
		return p.outcome(journal.NotStarted, false, "the client could not be executed: %v", p.said.Err)
	}
	words := p.said.Text()
	printed := claude.Read(words)
	if other := p.otherShort(printed); other != "" {
		out := p.outcome(journal.Copy, true, "the client made a copy, %s, which acts on the prompt; stop it: claude stop %s",
			other, other)
		out.Other = other
		return out
	}
	if printed.Copied {
		return p.outcome(journal.Copy, true, "the client says that it started a copy: %s", text.Clip(words, 200))
	}
	p.returned = p.run.Clock.Now()
	deadline := p.returned.Add(p.run.Timing.Proof)
	for {
		if out, done := p.look(printed); done {
			p.unproven = false
			return out
		}
		if !p.run.Clock.Now().Before(deadline) {
			break
		}
		// An interrupted run still waits for what it started, for a few seconds.
		if ctx.Err() != nil {
			if soon := p.run.Clock.Now().Add(interruptWait); soon.Before(deadline) {
				deadline, p.unproven = soon, true
			}
			ctx = context.WithoutCancel(ctx)
		}
		p.run.Clock.Sleep(ctx, p.run.Timing.Poll)
	}
	if saved, ok := p.saved(); ok {
		p.unproven = false
		out := p.outcome(journal.Saved, true,
			"the start failed and the prompt is saved in the session for its next start; %s",
			p.told())
		out.PromptSaved, out.Saved = true, saved
		return out
	}
	if p.unproven {
		return p.outcome(journal.Uncertain, true, "interrupted before the prompt was seen; the next run finds out what "+
			"became of it; %s",
			p.told())
	}
	return p.outcome(journal.Uncertain, true, "the prompt was found nowhere within %s; it counts as sent: look at the "+
		"thread, "+
		"the transcript and `claude logs %s`; %s", p.run.Timing.Proof, p.short, p.told())
}

// told is what the client said, in words and by its exit status; for a reason.
func (p *proof) told() string {
	words := p.said.Text()
	switch {
	case p.settling:
		return "what the client said is not on record"
	case p.said.TimedOut && words == "":
		return "the client had not ended and said nothing"
	case p.said.TimedOut:
		return fmt.Sprintf("the client had not ended and said %q", text.Clip(words, 200))
	case words == "":
		return fmt.Sprintf("the client said nothing, exit status %d", p.said.Exit)
	}
	return fmt.Sprintf("the client said %q, exit status %d", text.Clip(words, 200), p.said.Exit)
}

// interruptWait is how long an interrupted run waits for the proof of a call that it made.
const interruptWait = 5 * time.Second

// otherShort is the short that came back when it is not the one asked for.
func (p *proof) otherShort(printed claude.Printed) string {
	for _, short := range printed.Shorts {
		if short != p.short {
			return short
		}
	}
	return ""
}

// look checks the evidence once.
func (p *proof) look(printed claude.Printed) (journal.OutcomeData, bool) {
	job := p.run.Account.Job(p.short)
	if out, done := p.delivered(job); done {
		return out, true
	}
	if other := p.copied(); other != "" {
		return p.copyOf(other), true
	}
	if printed.Started {
		if line, ok := p.crashed(); ok {
			p.kind = claude.KnownError(line)
			if saved, ok := p.saved(); ok {
				out := p.outcome(journal.Saved, true, "it died right after its start (%s) and the prompt is saved in it", line)
				out.PromptSaved, out.Saved = true, saved
				return out, true
			}
			return p.outcome(journal.Uncertain, true, "it died right after its start: %s; the prompt counts as sent", line), true
		}
		return journal.OutcomeData{}, false
	}
	// A refusal is believed when it is all that the client said, and when it still holds after a moment: what was
	// delivered or saved all the same shows by then.
	if p.said.TimedOut || p.said.Exit == 0 || printed.Woke || !printed.Refused {
		return journal.OutcomeData{}, false
	}
	saved, isSaved := p.saved()
	if !isSaved && (printed.Saved || p.run.Clock.Now().Before(p.returned.Add(min(refusalHolds, p.run.Timing.Proof)))) {
		return journal.OutcomeData{}, false
	}
	outcome := journal.NotStarted
	switch {
	case printed.Gone:
		outcome = journal.MissingCwd
	case printed.Untrusted:
		outcome = journal.Untrusted
	default:
		p.kind = claude.KnownError(p.said.Text())
	}
	out := p.outcome(outcome, isSaved, "the client refused: %s", p.told())
	if other := elsewhere(p.run.Account, p.intent.Transcript, p.intent.PromptID, p.called); !isSaved && other != "" {
		return p.copyOf(other), true
	}
	out.PromptSaved, out.Saved = isSaved, saved
	return out, true
}

// refusalHolds is how long a refusal is watched before nothing counts as sent.
const refusalHolds = 2 * time.Second

// copyOf is the outcome of a prompt that was found in another session; id is its short or full id.
func (p *proof) copyOf(id string) journal.OutcomeData {
	short := claude.ShortOf(id)
	out := p.outcome(journal.Copy, true,
		"the prompt is in another session, %s: a copy acts on it; stop it: claude stop %s", id, short)
	out.Other = short
	return out
}

// delivered reads the conversation's transcript from the recorded size on.
func (p *proof) delivered(job *account.Job) (journal.OutcomeData, bool) {
	for i, path := range p.paths(job) {
		from := int64(0)
		if i == 0 {
			from = p.intent.Size
		}
		if out, done := p.deliveredIn(path, from); done {
			return out, true
		}
	}
	return journal.OutcomeData{}, false
}

// paths are the transcript as it was before the call, and the one that the job names now when it is another.
func (p *proof) paths(job *account.Job) []string {
	paths := []string{p.intent.Transcript}
	if job != nil && filepath.IsAbs(job.LinkScanPath) && job.LinkScanPath != p.intent.Transcript {
		paths = append(paths, job.LinkScanPath)
	}
	return paths
}

func (p *proof) deliveredIn(path string, from int64) (journal.OutcomeData, bool) {
	t, err := transcript.Open(p.run.Account.Door, path)
	if err != nil {
		return journal.OutcomeData{}, false
	}
	defer func() { _ = t.Close() }()
	if t.Size <= from {
		return journal.OutcomeData{}, false
	}
	var out journal.OutcomeData
	done := false
	err = t.Walk(from, func(e *transcript.Entry) bool {
		said, ok := saidByUser(e)
		if !ok {
			return true
		}
		switch {
		case said == p.intent.Expected:
			out, done = p.outcome(journal.Woken, true, "the prompt stands in its own transcript"), true
		case strings.Contains(said, p.intent.PromptID):
			extra := text.Clip(extraText(said, p.intent.Prompt), 300)
			out, done = p.outcome(journal.Joined, true, "more than the prompt was delivered as one message: %q", extra), true
		case from > 0 && !p.settling && !prompts.IsOwn(said):
			// A line that was written again is nothing new.
			if again, err := t.HadBefore(e.UUID, from); err == nil && again {
				return true
			}
			other := text.Clip(said, 300)
			out, done = p.outcome(journal.Replayed, true, "another message was delivered instead of the prompt: %q", other), true
		}
		return !done
	})
	return out, done && err == nil
}

// saidByUser is the text of a line that was delivered in the user's role as a person's. Of a message that was handed
// over in the middle of a turn its words decide, whatever the client says of where it came from.
func saidByUser(e *transcript.Entry) (string, bool) {
	said := e.Text()
	person := e.Speaker() == transcript.Person || e.Handed() && transcript.TextSpeaker(said) == transcript.Person
	return said, person && !e.Sidechain
}

func extraText(said, prompt string) string {
	return strings.TrimSpace(strings.Replace(said, prompt, " ", 1))
}

// saved says whether the prompt stands in the job's queuedPrompt, and gives what stands there when that is recovery's
// own, byte for byte.
func (p *proof) saved() (string, bool) {
	job := p.run.Account.Job(p.short)
	if job == nil || !strings.Contains(job.QueuedPrompt, p.intent.PromptID) {
		return "", false
	}
	if job.QueuedPrompt != p.intent.Expected {
		return "", true // saved, and not alone: somebody's words stand there too
	}
	return job.QueuedPrompt, true
}

// crashed finds the end of the worker in the log, after the call.
func (p *proof) crashed() (string, bool) {
	for _, e := range p.run.Account.Log().Of(p.short) {
		died := e.Kind == account.LogSettled && (e.Cause == claude.SettledCrashed || e.Cause == claude.SettledFailed)
		if died && !e.At.Before(p.called.Add(-time.Second)) {
			return e.Line, true
		}
	}
	return "", false
}

// copied looks for the prompt's id in jobs that were not there before the call.
func (p *proof) copied() string {
	entries, err := p.run.Account.ReadDir(filepath.Join(p.run.Account.Dir, "jobs"))
	if err != nil {
		return ""
	}
	for _, e := range entries {
		if !e.IsDir() || p.before[e.Name()] {
			continue
		}
		job := p.run.Account.Job(e.Name())
		if job == nil {
			continue
		}
		if strings.Contains(job.Intent, p.intent.PromptID) || strings.Contains(job.QueuedPrompt, p.intent.PromptID) ||
			holds(p.run.Account, job, p.intent.PromptID) {
			return job.Short
		}
	}
	return ""
}

// holds says whether a job's transcript has the id in a line of the user's role.
func holds(a *account.Account, job *account.Job, id string) bool {
	loc := transcript.Locate(a, job)
	return loc.Path != "" && fileHolds(a, loc.Path, id)
}

func fileHolds(a *account.Account, path, id string) bool {
	t, err := transcript.Open(a.Door, path)
	if err != nil {
		return false
	}
	defer func() { _ = t.Close() }()
	l, err := t.Ledger(func(s string) bool { return strings.Contains(s, id) })
	if err != nil {
		return false
	}
	for _, m := range l.Marked {
		if m.Delivered {
			return true
		}
	}
	return false
}

// elsewhere looks for a prompt's id in every transcript of the account that was written to since the intention; it is
// for settling, when the jobs that there were before are not known.
func elsewhere(a *account.Account, own, id string, since time.Time) string {
	found := ""
	_ = fs.WalkDir(os.DirFS(filepath.Join(a.Dir, "projects")), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || found != "" || d.IsDir() || !strings.HasSuffix(path, ".jsonl") || strings.Count(path, "/") > 1 {
			return nil
		}
		full := filepath.Join(a.Dir, "projects", filepath.FromSlash(path))
		info, err := a.Stat(full)
		if err != nil || full == own || info.ModTime().Before(since.Add(-time.Minute)) {
			return nil
		}
		if fileHolds(a, full, id) {
			found = strings.TrimSuffix(filepath.Base(full), ".jsonl")
		}
		return nil
	})
	return found
}
