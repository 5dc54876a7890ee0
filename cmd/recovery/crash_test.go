package main

import (
	"testing"

	"recovery/fixtures"
	"recovery/internal/journal"
)

// TestKilledRightAfterTheCall kills the program with SIGKILL when its client call has returned and nothing of it is on
// record yet. The next run finds out what became of the prompt, and sends no second one.
func TestKilledRightAfterTheCall(t *testing.T) {
	oneThread(t)
	t.Parallel()
	for outcome, want := range map[string]journal.Outcome{
		"": "woken", fixtures.OutcomeSilent: "unknown", fixtures.OutcomeUntrusted: "saved", fixtures.OutcomeCopy: "copy",
		fixtures.OutcomeJoin: "joined",
	} {
		t.Run("outcome "+outcome, func(t *testing.T) {
			b := newBench(t, testAccount(t))
			s := b.add(fixtures.Session{})
			b.script(s.Short, fixtures.Script{Outcome: outcome})
			b.inventory()
			killedRun(t, b, s, false)
			if w := wakeOf(t, b, s.Short); !w.Open() {
				t.Fatalf("the intention was settled before the kill: %+v", w.Result)
			}
			if want == "unknown" {
				b.brief()
			}
			b.run("resume", "--spacing", "0", "--wait", "0", s.Short)
			b.run("resume", "--spacing", "0", "--wait", "0", s.Short)
			w := wakeOf(t, b, s.Short)
			if w.Open() || w.Result.Outcome != want || !w.Result.Sent {
				t.Errorf("settled as %+v, want %s", w.Result, want)
			}
			if n := len(b.wakes()); n != 1 {
				t.Errorf("%d client calls", n)
			}
		})
	}
}

func wakeOf(t *testing.T, b *bench, short string) *journal.Wake {
	t.Helper()
	events, err := journal.At(b.work(""), now).Read()
	if err != nil {
		t.Fatal(err)
	}
	wakes := journal.Replay(events).Session(short).Wakes
	if len(wakes) != 1 {
		t.Fatalf("%d wakes on record", len(wakes))
	}
	return wakes[0]
}
