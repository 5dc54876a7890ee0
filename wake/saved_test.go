package wake

import (
	"testing"

	"recovery/fixtures"
	"recovery/internal/journal"
)

// A prompt that is saved in a session is woken by a nudge, but what the queue check blocks meanwhile is told first: a
// nudge would not get past it either.
func TestSavedPromptOfASessionThatIsBlocked(t *testing.T) {
	for name, c := range map[string]struct {
		change func(b *bench, s *fixtures.Added)
		want   journal.Outcome
	}{
		"nothing else": {func(*bench, *fixtures.Added) {}, journal.Saved},
		"live by now":  {func(b *bench, s *fixtures.Added) { b.live(s, "idle", "") }, journal.Refused},
		"an exec job":  {func(b *bench, s *fixtures.Added) { b.state(s, "template", "exec") }, journal.Refused},
	} {
		t.Run(name, func(t *testing.T) {
			s := &fixtures.Added{}
			b := newBench(t, s)
			b.script("default", fixtures.Script{Outcome: fixtures.OutcomeCrash})
			if got := b.do(s.Short).Items[0]; got.Outcome != journal.Saved {
				t.Fatalf("the first try: %s: %s", got.Outcome, got.Reason)
			}
			c.change(b, s)
			calls := b.calls
			if got := b.do(s.Short).Items[0]; got.Outcome != c.want || !got.PromptSaved {
				t.Errorf("%s: %s; next %s", got.Outcome, got.Reason, got.Next)
			}
			if b.calls != calls {
				t.Error("the client was called")
			}
		})
	}
}
