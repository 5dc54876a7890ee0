package wake

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"recovery/internal/account"
	"recovery/internal/claude"
	"recovery/internal/journal"
	"recovery/internal/text"
	"recovery/queuecheck"
	"recovery/standing"
)

// retries is how often a prompt that provably was not sent is tried again.
const retries = 3

// failedStarts in a row end a run: something is wrong with the machine, not with the sessions.
const failedStarts = 3

// one takes one session through its guards, the call and the proof.
func (r *Run) one(ctx context.Context, short string, batch int) Item {
	it := r.blank(short)
	it.Batch = batch
	pause := r.Timing.Retry
	for attempt := 1; ; attempt++ {
		g, ref := r.guard(ctx, short)
		if ref == nil && r.space(ctx, g) {
			// Nothing may lie between the guards and the call: after a pause everything is looked at once more.
			g, ref = r.guard(ctx, short)
		}
		if ctx.Err() != nil {
			r.unreached(&it)
			return it
		}
		if g != nil {
			it.SessionName, it.Cwd, it.Verdict = g.facts.Name(), g.job.Cwd, g.verdict.Verdict
		}
		if ref != nil {
			r.noteRefusal(short, ref)
			it.Outcome, it.PromptSaved, it.Reason, it.Next = ref.outcome, ref.saved, ref.reason, ref.next.String()
			return it
		}
		if r.Options.DryRun {
			it.Outcome = journal.Planned
			it.Reason = fmt.Sprintf("%s: %s; would run claude --bg --resume %s with the %s prompt in %s", g.verdict.Verdict,
				said(g.verdict), g.job.SessionID, g.kind, g.cwd)
			it.Next = r.retype(short)
			return it
		}
		out, kind, err := r.send(ctx, g, batch, attempt)
		if err != nil {
			// The record could not be written. What was sent, if anything, is settled by the next run from the evidence.
			r.stop("%v", err)
			it.Outcome, it.Reason, it.Next = journal.NotStarted, err.Error(), r.retype(short)
			if out != nil {
				it.Outcome = journal.Uncertain
			}
			return it
		}
		it.Outcome, it.PromptSaved, it.Reason = out.Outcome, out.PromptSaved, out.Reason
		if it.Outcome == journal.Refused {
			it.Next = r.retype(short)
			return it
		}
		it.Next = r.nextAfter(g, out).String()
		if !r.again(short, out, kind, attempt) || ctx.Err() != nil {
			return it
		}
		r.Tell("%s: %s; it was provably not sent and is tried again in %s", short, out.Reason, pause)
		r.Clock.Sleep(ctx, pause)
		pause *= 2
		if ctx.Err() != nil {
			return it
		}
	}
}

// again counts failed starts, applies the brakes, and says whether a prompt that provably was not sent may be tried
// again. A refusal for trust or folder is never tried again: each try adds to what is saved.
func (r *Run) again(short string, out *journal.OutcomeData, kind claude.Kind, attempt int) bool {
	o := out.Outcome
	switch o {
	case journal.Woken:
		r.failed = 0
		return false
	case journal.Copy, journal.Joined, journal.Replayed, journal.Untrusted, journal.MissingCwd:
		return false
	}
	switch {
	case kind == claude.KindSignIn:
		r.stop("the account's sign-in failed; sign in again, then: %s", r.retype(short))
		return false
	case kind == claude.KindBilling:
		r.stop("the account's credit or plan does not allow it (%s); see to it, then: %s",
			text.Clip(out.Output, 120), r.retype(short))
		return false
	}
	if until, limited := claude.Deferral(out.Output, r.Clock.Now()); limited && !out.Sent {
		r.putOff(short, out.Output, until)
		return false
	}
	if !out.Sent && attempt <= retries {
		return true
	}
	if r.failed++; r.failed >= failedStarts {
		r.stop("%d starts failed in a row", r.failed)
	}
	return false
}

// nextAfter is what to do after an outcome. A prompt that was saved changes the job, which ends a confirmation.
func (r *Run) nextAfter(g *ready, o *journal.OutcomeData) standing.Next {
	short := g.job.Short
	nudge := []string{"resume", "--nudge"}
	if r.Options.DefaultCwd != "" {
		nudge = append(nudge, "--default-cwd", r.Options.DefaultCwd)
	}
	nudge = append(nudge, short)
	switch o.Outcome {
	case journal.Copy:
		if o.Other == "" {
			return standing.Do("claude agents, and stop the copy that it shows")
		}
		return standing.Do("claude stop %s", o.Other)
	case journal.Untrusted, journal.MissingCwd:
		trust := standing.ForReason("untrusted", g.subject)
		if o.PromptSaved {
			return standing.Do("%s", trust.Command()).Then(nudge...)
		}
		return standing.Do("%s", trust.Command()).Then(r.wakeArgs(short)...)
	case journal.Saved:
		if g.verdict.Verdict == queuecheck.Confirmed {
			return standing.Do("recovery queue-check --confirm %s", short).Then(nudge...)
		}
		return standing.Run(nudge...)
	case journal.Joined, journal.Replayed:
		return standing.Do("look at its thread at once, and stop it if it acts: claude stop %s", short)
	case journal.NotStarted:
		return r.rerun(short)
	}
	return standing.Run("read", "--wait", "10m", short)
}

// send makes the one call. The intention is on disk, synced, before the client is run (invariant 3). err is set when
// the record cannot be written: before the call nothing was sent, after it out is not nil.
func (r *Run) send(ctx context.Context, g *ready, batch, attempt int) (*journal.OutcomeData, claude.Kind, error) {
	short := g.job.Short
	if err := r.lastLook(g); err != nil {
		return &journal.OutcomeData{Outcome: journal.Refused, Reason: err.Error(), Sent: true}, claude.KindNone, nil
	}
	intent := journal.Intent{Title: g.job.Title(), Link: g.facts.Link(), PromptID: g.promptID, SessionID: g.job.SessionID,
		Kind: g.kind, Prompt: g.prompt, Expected: g.expected,
		Transcript: g.facts.Location.Path, Size: g.facts.Bytes, Cwd: g.cwd, Batch: batch, Attempt: attempt}
	if err := r.Journal.Append(journal.Intended, short, intent); err != nil {
		return nil, claude.KindNone, err
	}
	called := r.Clock.Now()
	r.Tell("%s: waking %q", short, g.job.Title())
	said := r.Client(ctx, Call{Args: []string{"--bg", "--resume", g.job.SessionID, g.prompt}, Dir: g.cwd,
		Env: claude.CleanEnv(r.Environ)})
	r.lastStart = r.Clock.Now()
	p := proof{run: r, short: short, intent: intent, said: said, called: called, before: g.jobs}
	out := p.find(ctx)
	if out.Sent {
		r.started[short] = r.lastStart
	}
	if p.unproven {
		return &out, p.kind, nil // the intention stays open, and the next run settles it from the evidence
	}
	if err := r.Journal.Append(journal.Concluded, short, out); err != nil {
		return &out, p.kind, err
	}
	if _, isDefect := out.Outcome.Defect(); isDefect {
		r.stop("%s: %s", short, out.Reason)
	}
	return &out, p.kind, nil
}

// lastLook is the cheap half of the guards, right before the intention: the whole transcript was folded and the machine
// looked at since the first half, and a session can come alive or receive a message meanwhile.
func (r *Run) lastLook(g *ready) error {
	w, err := r.See()
	if err != nil {
		return fmt.Errorf("the account cannot be read: %w", err)
	}
	job := w.Jobs.ByShort[g.job.Short]
	if job == nil {
		return errors.New("its job is gone")
	}
	if l := w.After(g.world).Liveness(job); l.State != account.Offline {
		return fmt.Errorf("it came alive while it was looked at: %s", strings.Join(l.Evidence, "; "))
	}
	info, err := r.Account.Stat(g.facts.Location.Path)
	if err != nil || info.Size() != g.facts.Bytes || job.Fingerprint != g.job.Fingerprint {
		return errors.New("it changed while it was looked at; run it again")
	}
	return nil
}

// noteRefusal keeps why a session was turned away, so that the status tells it; the same refusal is written once.
func (r *Run) noteRefusal(short string, ref *refusal) {
	if r.Options.DryRun {
		return
	}
	data := journal.RefusedData{Outcome: ref.outcome, Reason: ref.reason, Next: ref.next.String()}
	err := r.Journal.AppendIf(journal.TurnedAway, short, data,
		func(events []journal.Event) bool { return journal.Same(events, journal.TurnedAway, short, data) })
	if err != nil {
		r.stop("%v", err)
	}
}

// sameSession is the least pause between two starts of one session: a second caller within a second makes a copy.
const sameSession = 2 * time.Second

// space keeps the starts apart, those of earlier runs included: a burst trips the service's limiter. It says whether it
// paused.
func (r *Run) space(ctx context.Context, g *ready) (paused bool) {
	if r.Options.DryRun {
		return false
	}
	var until time.Time
	if !r.lastStart.IsZero() {
		until = r.lastStart.Add(r.Jitter(r.Options.Spacing))
	}
	own := r.started[g.job.Short]
	// Others start sessions too: the supervisor's log tells.
	if last, ok := g.world.Log.Last(g.job.Short); ok && last.At.After(own) && !last.At.After(r.Clock.Now()) {
		own = last.At
	}
	if !own.IsZero() && own.Add(sameSession).After(until) {
		until = own.Add(sameSession)
	}
	rest := until.Sub(r.Clock.Now())
	if until.IsZero() || rest <= 0 {
		return false
	}
	r.Clock.Sleep(ctx, rest)
	return true
}
