package wake

import (
	"context"
	"time"

	"recovery/internal/journal"
	"recovery/internal/text"
	"recovery/review"
)

// read waits for the reviews of a batch and judges them. A session that waits at a permission prompt is shown at once.
func (r *Run) read(ctx context.Context, items []Item) {
	deadline := r.Clock.Now().Add(r.Options.Wait)
	told := map[string]bool{}
	for {
		open := false
		w, err := r.See()
		if err != nil {
			r.Tell("the account cannot be read: %v", err)
			return
		}
		events, err := r.Journal.Read()
		if err != nil {
			r.stop("%v", err)
			return
		}
		state := journal.Replay(events)
		for i := range items {
			if items[i].Outcome != journal.Woken && items[i].Outcome != journal.Joined && items[i].Outcome != journal.Replayed {
				continue
			}
			rev, err := review.Of(w, r.Rules, state.Session(items[i].Short))
			if err != nil {
				r.Tell("%s: %v", items[i].Short, err)
				continue
			}
			items[i].Review = &rev
			if rev.Waiting != "" && !told[items[i].Short] {
				told[items[i].Short] = true
				r.Tell("%s waits: %s; answer it in its thread, or stop it: claude stop %s", items[i].Short, text.Line(rev.Waiting), items[i].Short)
			}
			if !rev.Over(r.Clock.Now(), r.Timing.Settle) && items[i].Outcome == journal.Woken {
				open = true
			}
		}
		if !open || ctx.Err() != nil || !r.Clock.Now().Before(deadline) {
			break
		}
		r.Clock.Sleep(ctx, r.Timing.Poll*2)
	}
	for i := range items {
		if items[i].Review == nil {
			continue
		}
		if items[i].Outcome == journal.Woken && items[i].Review.Answered {
			items[i].Next = "recovery report"
		}
		if until, limited := deferral(items[i].Review.Error, r.Clock.Now()); limited {
			items[i].Next = "after " + until.UTC().Format(time.RFC3339) + ": send the failed message again in its thread, then recovery read --wait 10m " + items[i].Short
			r.putOff(items[i].Short, items[i].Review.Error, until)
		} else if signIn.MatchString(items[i].Review.Error) {
			r.stop("the account's sign-in failed in %s (%s); sign in again, then go on", items[i].Short, clip(items[i].Review.Error))
		}
		if err := r.record(items[i].Short, items[i].Review); err != nil {
			r.stop("%v", err)
		}
	}
}

// record writes a review and its defects into the journal; a defect stops the run.
func (r *Run) record(short string, rev *review.Review) error {
	fresh, err := review.Record(r.Journal, short, rev)
	if err != nil {
		return err
	}
	for _, d := range fresh {
		r.stop("%s: %s", short, d.Text)
	}
	return nil
}
