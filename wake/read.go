package wake

import (
	"context"
	"strings"
	"time"

	"recovery/internal/claude"
	"recovery/internal/journal"
	"recovery/internal/text"
	"recovery/review"
)

// read waits for the reviews of a batch and judges them. Each is shown as soon as its wait has ended.
func (r *Run) read(ctx context.Context, items []Item) {
	var woken, others []string
	for i := range items {
		switch items[i].Outcome {
		case journal.Woken:
			woken = append(woken, items[i].Short)
		case journal.Joined, journal.Replayed:
			others = append(others, items[i].Short)
		}
	}
	// What a defect started is looked at once and not waited for: the run stops.
	for _, part := range []struct {
		shorts []string
		until  time.Time
	}{{woken, r.Clock.Now().Add(r.Options.Wait)}, {others, r.Clock.Now()}} {
		seen, err := r.waiting(r.show).For(ctx, part.shorts, part.until)
		if err != nil && ctx.Err() == nil {
			r.stop("%v; the next sessions are not started blind: recovery read --wait 10m %s",
				err, strings.Join(part.shorts, " "))
		}
		for _, s := range seen {
			for i := range items {
				if items[i].Short == s.Short {
					r.take(&items[i], s)
				}
			}
		}
	}
}

// waiting is the wait of this run.
func (r *Run) waiting(settled func(Seen)) *Wait {
	return &Wait{See: r.See, State: r.state, Rules: r.Rules, Clock: r.Clock, Timing: r.Timing, Settled: settled}
}

func (r *Run) state() (*journal.State, error) {
	events, err := r.Journal.Read()
	if err != nil {
		return nil, err
	}
	return journal.Replay(events), nil
}

// show tells the user of one review as soon as its wait has ended, once.
func (r *Run) show(s Seen) {
	if r.shown[s.Short] {
		return
	}
	if r.shown == nil {
		r.shown = map[string]bool{}
	}
	r.shown[s.Short] = true
	switch s.End {
	case EndAnswered:
		verdict := "no verdict"
		if v := s.Review.Verdict; v != nil {
			verdict = v.Verdict + "  " + text.Line(v.Item)
		}
		if s.Review.Unclear != "" {
			verdict += " (unclear: " + text.Line(s.Review.Unclear) + ")"
		}
		r.Tell("%s answered: %s", s.Short, verdict)
		for _, line := range strings.Split(strings.TrimRight(text.Escape(s.Review.Reply), "\n"), "\n") {
			r.Tell("    | %s", line)
		}
		if said := s.Review.Acted(); said != "" {
			r.Tell("%s: %s", s.Short, said)
		}
	case EndWaits:
		r.Tell("%s", Waits(s.Short, s.Review))
	default:
		r.Tell("%s: %s", s.Short, s.Ending())
	}
}

// Ending says in words how a wait ended without an answer; empty when it ended with one or not at all.
func (s *Seen) Ending() string {
	switch s.End {
	case EndError:
		return "its turn ended in an error: " + text.Clip(s.Error, 300)
	case EndWaits:
		if s.Review.Died {
			return "it was stopped, or it died in its review" + stood(s.Review)
		}
		return "it waits: " + text.Line(s.Review.Waiting)
	case EndGone:
		return "it went offline again before it answered: it was stopped, or it died in its review" + stood(s.Review)
	case EndUnread:
		return "its review cannot be read: " + text.Line(s.Err.Error())
	}
	return ""
}

// take puts what was seen of a session into its item and the journal, and applies the brakes.
func (r *Run) take(it *Item, s Seen) {
	if how := s.Ending(); how != "" {
		it.Reason += "; " + how
	}
	if s.End == EndUnread {
		r.stop("%s: %s; the next sessions are not started blind", s.Short, s.Ending())
	}
	if s.Review == nil {
		return
	}
	it.Review = s.Review
	if said := s.said(); said != "" {
		r.failedTurn(s.Short, said)
	}
	if err := r.record(s.Short, s.Review); err != nil {
		r.stop("%v", err)
	}
}

// failedTurn applies the brake for a turn that ended in an error. What to do about the session is for its standing to
// say.
func (r *Run) failedTurn(short, said string) {
	kind := claude.ErrorKind(said)
	if until, limited := claude.Deferral(said, r.Clock.Now()); limited {
		r.brakeOnce(short, func() { r.putOff(short, said, until) })
		return
	}
	switch {
	case kind == claude.KindSignIn:
		r.brakeOnce(short, func() {
			r.stop("the account's sign-in failed in %s (%s); sign in again, then go on", short, text.Clip(said, 120))
		})
	case kind.Brake():
		r.brakeOnce(short, func() {
			r.stop("the account's credit or plan stopped %s (%s); see to it, then go on", short, text.Clip(said, 120))
		})
	}
}

// brakeOnce does what a session's failed turn asks for once a run: it is met between two starts and again when the
// batch is read.
func (r *Run) brakeOnce(short string, act func()) {
	if r.braked[short] {
		return
	}
	if r.braked == nil {
		r.braked = map[string]bool{}
	}
	r.braked[short] = true
	act()
}

// peek looks at what was started in a batch, before the next start: what has ended is shown, a question too, and an
// error that will meet every session stops the run at once.
func (r *Run) peek(ctx context.Context, items []Item) {
	var woken []string
	for _, it := range items {
		if it.Outcome == journal.Woken {
			woken = append(woken, it.Short)
		}
	}
	if len(woken) == 0 || r.Options.DryRun {
		return
	}
	seen, err := r.waiting(r.show).For(ctx, woken, r.Clock.Now())
	if err != nil {
		return // the guards of the next session look too, and refuse it
	}
	for _, s := range seen {
		if s.End == EndOpen && s.Review != nil && s.Review.Asks() && !r.shown[s.Short] {
			s.End = EndWaits
			r.show(s)
		}
		if s.End == EndError && s.Kind().Brake() {
			r.failedTurn(s.Short, s.Error)
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
