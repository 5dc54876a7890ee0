package wake

import (
	"context"
	"time"

	"recovery/internal/journal"
	"recovery/internal/transcript"
)

// settle decides open intentions of earlier runs from the evidence, records what was found, and gives the state after
// it. The caller holds the account's lock, so an open intention belongs to a run that is gone.
func (r *Run) settle(ctx context.Context) (*journal.State, error) {
	events, err := r.Journal.Read()
	if err != nil {
		return nil, err
	}
	state := journal.Replay(events)
	if r.Options.DryRun {
		return state, nil
	}
	changed := false
	for short, s := range state.Sessions {
		for _, w := range s.Wakes {
			if !w.Open() {
				continue
			}
			out := r.settled(short, w)
			// The client delivers seconds after it has answered: right after the call, nothing found proves nothing.
			for out.Outcome == journal.Uncertain && ctx.Err() == nil && r.Clock.Now().Before(w.At.Add(r.Timing.Proof)) {
				r.Clock.Sleep(ctx, 4*r.Timing.Poll)
				out = r.settled(short, w)
			}
			if out.Outcome == journal.Uncertain && ctx.Err() != nil {
				continue // it stays open, and the next run settles it
			}
			r.Tell("%s: an earlier run ended before it knew what became of its prompt: %s (%s)", short, out.Outcome, out.Reason)
			if err := r.Journal.Append(journal.Settled, short, out); err != nil {
				return nil, err
			}
			changed = true
		}
	}
	if !changed {
		return state, nil
	}
	if events, err = r.Journal.Read(); err != nil {
		return nil, err
	}
	return journal.Replay(events), nil
}

func (r *Run) settled(short string, w *journal.Wake) journal.OutcomeData {
	p := proof{run: r, short: short, intent: w.Intent, called: w.At, settling: true}
	job := r.Account.Job(short)
	if out, done := p.delivered(job); done {
		return out
	}
	// The recorded size may be of a file that was replaced since: the whole file is looked at too.
	for _, path := range p.paths(job) {
		if out, done := p.deliveredIn(path, 0); done {
			return out
		}
	}
	if saved, ok := p.saved(); ok {
		out := p.outcome(journal.Saved, true, "the prompt is saved in the session for its next start")
		out.PromptSaved, out.Saved = true, saved
		return out
	}
	// A copy bears the prompt as its intent at once, seconds before its transcript has a line.
	if p.before = r.jobsBefore(w.At); p.before != nil {
		p.before[short] = true
		if other := p.copied(); other != "" {
			return p.copyOf(other)
		}
	}
	own := w.Transcript
	if job != nil {
		if loc := transcript.Locate(r.Account, job); loc.Path != "" {
			own = loc.Path
		}
	}
	if other := elsewhere(r.Account, own, w.PromptID, w.At); other != "" {
		return p.copyOf(other)
	}
	return p.outcome(journal.Uncertain, true, "the run ended around the call, and the prompt is in no transcript and "+
		"not saved; it counts as sent: look at the thread and at `claude logs %s`", short)
}

// jobsBefore are the jobs that there were at a time; nil when that cannot be told.
func (r *Run) jobsBefore(at time.Time) map[string]bool {
	jobs, err := r.Account.Jobs()
	if err != nil {
		return nil
	}
	out := map[string]bool{}
	for _, j := range jobs.List {
		out[j.Short] = !j.CreatedAt.IsZero() && j.CreatedAt.Before(at.Add(-time.Minute))
	}
	return out
}
