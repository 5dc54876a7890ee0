package report

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"recovery/internal/journal"
	"recovery/inventory"
)

// story is a session's life in order: made, active until, offline how, woken, reviewed, wrapped. What is not known is
// left out.
func (b *builder) story(short string, it *inventory.Item) []Moment {
	out := []Moment{}
	add := func(at time.Time, kind, text string) {
		if !at.IsZero() {
			out = append(out, Moment{at.UTC(), kind, text})
		}
	}
	f, known := b.Facts[short]
	if known {
		created := f.Job.CreatedAt
		if created.IsZero() {
			created = f.Head.FirstAt
		}
		add(created, MomentCreated, "made")
	}
	s := b.State.Sessions[short]
	firstWake := time.Time{}
	if s != nil {
		for _, w := range s.Wakes {
			if w.Sent() {
				firstWake = w.At
				break
			}
		}
	}
	if it != nil {
		if at := it.LastEntryAt; at != nil && (firstWake.IsZero() || at.Before(firstWake)) {
			add(*at, MomentActive, "its last turn: "+it.Turn)
		}
		if at := it.Ended.At; at != nil {
			add(*at, MomentEnded, string(it.Ended.Cause)+": "+it.Ended.Line)
		}
	}
	if s != nil {
		wakes(s, add)
		if s.Review != nil && s.Review.Answered {
			text := "its review says " + cmp.Or(s.Review.Verdict, "nothing that can be read")
			add(parsed(s.Review.ReplyAt), MomentReviewed, text)
		}
		if w := s.Wrap; w != nil && w.WrappedAt != "" {
			add(parsed(w.WrappedAt), MomentWrapped, w.State+": "+w.ClosingLine)
		}
	}
	slices.SortStableFunc(out, func(a, b Moment) int { return a.At.Compare(b.At) })
	return out
}

func wakes(s *journal.Session, add func(time.Time, string, string)) {
	for _, w := range s.Wakes {
		if w.Sent() {
			outcome := "nothing is known of it yet"
			if w.Result != nil {
				outcome = string(w.Result.Outcome)
			}
			add(w.At, MomentWoken, fmt.Sprintf("woken for a %s: %s", cmp.Or(w.Kind, "review"), outcome))
		}
	}
}

func parsed(s string) time.Time {
	t, err := time.Parse(time.RFC3339, s)
	if err != nil {
		return time.Time{}
	}
	return t
}
