package wake

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"recovery/fixtures"
	"recovery/internal/journal"
	"recovery/inventory"
)

// verdict is a good review.
var verdict = fixtures.Review{Verdict: "DONE", Item: "the readme"}.Text()

// TestHowAWaitEnds: each session's wait ends as soon as nothing more can come of it.
func TestHowAWaitEnds(t *testing.T) {
	agent := func(s *fixtures.Added) string {
		return filepath.Join(strings.TrimSuffix(s.Transcript, ".jsonl"), "subagents", "agent-1.jsonl")
	}
	side := func(l map[string]any) map[string]any { l["isSidechain"] = true; return l }
	const m = time.Minute
	for name, c := range map[string]struct {
		happens func(b *bench, s *fixtures.Added)
		end     End
		from    time.Duration // the wait ends no earlier
		to      time.Duration // and no later
		error   string
	}{
		"an answer, quiet since": {func(b *bench, s *fixtures.Added) {
			b.live(s, "busy", "")
			b.at(20*time.Second, func() { b.lines(s.Transcript, reply(verdict, "end_turn")) })
		}, EndAnswered, 35 * time.Second, 37 * time.Second, ""},
		"an agent that came back works on": {func(b *bench, s *fixtures.Added) {
			b.live(s, "busy", "")
			b.lines(s.Transcript, reply(verdict, "end_turn"))
			b.at(time.Second, func() { b.lines(agent(s), side(call("Bash"))) })
			b.at(2*m, func() { b.lines(agent(s), side(reply("finished", "end_turn"))) })
		}, EndAnswered, 2*m + 15*time.Second, 2*m + 17*time.Second, ""},
		"an agent that was cut and did not come back": {func(b *bench, s *fixtures.Added) {
			b.live(s, "busy", "")
			b.now = b.now.Add(-time.Hour)
			b.lines(agent(s), side(call("Bash")))
			b.now = b.now.Add(time.Hour)
			b.lines(s.Transcript, reply(verdict, "end_turn"))
		}, EndAnswered, 15 * time.Second, 16 * time.Second, ""},
		"a person took over": {func(b *bench, s *fixtures.Added) {
			b.live(s, "busy", "")
			b.lines(s.Transcript, reply(verdict, "end_turn"), person("thanks, go on"))
		}, EndAnswered, 0, time.Second, ""},
		"a sign-in error": {func(b *bench, s *fixtures.Added) {
			b.live(s, "busy", "")
			b.at(3*time.Second, func() { b.lines(s.Transcript, failure("Login expired · Please run /login")) })
		}, EndError, 3 * time.Second, 4 * time.Second, "Login expired"},
		"a prompt that is too long": {func(b *bench, s *fixtures.Added) {
			b.live(s, "idle", "")
			b.lines(s.Transcript, failure("Prompt is too long"))
		}, EndError, 0, time.Second, "Prompt is too long"},
		"an error that nobody knows": {func(b *bench, s *fixtures.Added) {
			b.live(s, "idle", "")
			b.lines(s.Transcript, failure("API Error: 418 teapot"), map[string]any{"type": "system", "subtype": "turn_duration"})
		}, EndError, 0, time.Second, "teapot"},
		"a request that the client sends again": {func(b *bench, s *fixtures.Added) {
			b.live(s, "busy", "")
			b.lines(s.Transcript, retry("529 overloaded"))
			b.at(m, func() { b.lines(s.Transcript, reply(verdict, "end_turn")) })
		}, EndAnswered, m + 15*time.Second, m + 17*time.Second, ""},
		"a permission prompt": {func(b *bench, s *fixtures.Added) {
			b.live(s, "busy", "")
			b.at(5*time.Second, func() { b.live(s, "waiting", "permission prompt") })
		}, EndWaits, 5 * time.Second, 7 * time.Second, ""},
		"a plan to be approved": {func(b *bench, s *fixtures.Added) {
			b.live(s, "busy", "")
			b.lines(s.Transcript, call("ExitPlanMode"))
		}, EndWaits, 0, 2 * time.Second, ""},
		"a question for a person": {func(b *bench, s *fixtures.Added) {
			b.live(s, "busy", "")
			b.lines(s.Transcript, call("AskUserQuestion"))
		}, EndWaits, 0, 2 * time.Second, ""},
		"a question that the client's own rules settled": {func(b *bench, s *fixtures.Added) {
			b.live(s, "waiting", "permission prompt")
			b.at(time.Millisecond, func() { b.live(s, "busy", "") })
			b.at(m, func() { b.lines(s.Transcript, reply(verdict, "end_turn")) })
		}, EndAnswered, m, m + 17*time.Second, ""},
		"stopped in its review": {func(b *bench, s *fixtures.Added) {
			b.live(s, "busy", "")
			b.at(30*time.Second, func() {
				b.live(s, "", "")
				b.log("bg settled " + s.Short + " (killed)")
			})
		}, EndGone, 30 * time.Second, 31 * time.Second, ""},
		"killed without a line": {func(b *bench, s *fixtures.Added) {
			b.live(s, "busy", "")
			b.at(30*time.Second, func() { b.live(s, "", "") })
		}, EndGone, 45 * time.Second, 47 * time.Second, ""},
		"started again by the supervisor": {func(b *bench, s *fixtures.Added) {
			b.live(s, "busy", "")
			b.at(30*time.Second, func() { b.live(s, "", "") })
			b.at(40*time.Second, func() { b.live(s, "busy", "") })
			b.at(m, func() { b.lines(s.Transcript, reply(verdict, "end_turn")) })
		}, EndAnswered, m, m + 17*time.Second, ""},
		"answered, then stopped": {func(b *bench, s *fixtures.Added) {
			b.lines(s.Transcript, reply(verdict, "end_turn"))
			b.log("bg settled " + s.Short + " (killed)")
		}, EndAnswered, 15 * time.Second, 16 * time.Second, ""},
		"it works on": {func(b *bench, s *fixtures.Added) { b.live(s, "busy", "") }, EndOpen, 10 * m, 10 * m, ""},
		"its transcript lost its end": {func(b *bench, s *fixtures.Added) {
			b.live(s, "busy", "")
			b.at(5*time.Second, func() { b.write(s.Transcript, map[string]any{}) })
		}, EndUnread, 35 * time.Second, 37 * time.Second, ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := &fixtures.Added{}
			b := newBench(t, s)
			b.woken(s)
			c.happens(b, s)
			var settled []Seen
			wait := b.run.waiting(func(s Seen) { settled = append(settled, s) })
			seen, err := wait.For(context.Background(), []string{s.Short}, b.now.Add(10*m))
			if err != nil || len(seen) != 1 {
				t.Fatalf("%v %v", seen, err)
			}
			if seen[0].End != c.end || !strings.Contains(seen[0].Error, c.error) {
				t.Errorf("ended as %q (%q, %v), want %q", seen[0].End, seen[0].Error, seen[0].Err, c.end)
			}
			if b.slept < c.from || b.slept > c.to {
				t.Errorf("after %s, want %s to %s", b.slept, c.from, c.to)
			}
			if (len(settled) == 1) != (c.end != EndOpen) {
				t.Errorf("told %d times", len(settled))
			}
		})
	}
}

// TestABatchIsShownAsItComes: one session that works on keeps no reply back.
func TestABatchIsShownAsItComes(t *testing.T) {
	slow, quick := &fixtures.Added{}, &fixtures.Added{}
	b := newBench(t, slow, quick)
	b.woken(slow)
	b.woken(quick)
	b.live(slow, "busy", "")
	b.lines(quick.Transcript, reply(verdict, "end_turn"))
	var first time.Duration
	wait := b.run.waiting(func(s Seen) {
		if first = b.slept; s.Short != quick.Short {
			t.Errorf("%s ended as %q", s.Short, s.End)
		}
	})
	if _, err := wait.For(context.Background(), []string{slow.Short, quick.Short}, b.now.Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	if first == 0 || first > 17*time.Second {
		t.Errorf("the reply was shown after %s", first)
	}
}

// TestABlindWait: an account that cannot be read is looked at again, and then the wait is given up.
func TestABlindWait(t *testing.T) {
	for name, c := range map[string]struct {
		from, to time.Duration // when the account cannot be read
		wait     time.Duration
		ok       bool
		ends     time.Duration
	}{
		"for a moment":           {5 * time.Second, 25 * time.Second, time.Minute, true, time.Minute},
		"for good":               {5 * time.Second, time.Hour, 10 * time.Minute, false, 36 * time.Second},
		"when the time is up":    {50 * time.Second, time.Hour, time.Minute, false, time.Minute},
		"and nothing is awaited": {0, time.Hour, 0, false, 0},
	} {
		t.Run(name, func(t *testing.T) {
			s := &fixtures.Added{}
			b := newBench(t, s)
			b.woken(s)
			b.live(s, "busy", "")
			blind := func() { b.seeErr = errors.New("too many open files") }
			if c.from == 0 {
				blind()
			} else {
				b.at(c.from, blind)
			}
			b.at(c.to, func() { b.seeErr = nil })
			_, err := b.run.waiting(nil).For(context.Background(), []string{s.Short}, b.now.Add(c.wait))
			if (err == nil) != c.ok || b.slept > c.ends {
				t.Errorf("%v after %s", err, b.slept)
			}
			if err != nil && (!strings.Contains(err.Error(), s.Short) || !strings.Contains(err.Error(), "too many open files")) {
				t.Errorf("%v", err)
			}
		})
	}
}

// TestNotWokenIsNotWaitedFor: there is nothing to read in a session that got no prompt.
func TestNotWokenIsNotWaitedFor(t *testing.T) {
	s := &fixtures.Added{}
	b := newBench(t, s)
	seen, err := b.run.waiting(nil).For(context.Background(), []string{s.Short}, b.now.Add(time.Hour))
	if err != nil || seen[0].End != EndUnread || seen[0].Err == nil || b.slept != 0 {
		t.Errorf("%+v %v after %s", seen, err, b.slept)
	}
}

// TestAnInterruptedWait ends at the next look and gives what was seen.
func TestAnInterruptedWait(t *testing.T) {
	s := &fixtures.Added{}
	b := newBench(t, s)
	b.woken(s)
	b.live(s, "busy", "")
	ctx, cancel := context.WithCancel(context.Background())
	b.at(10*time.Second, cancel)
	seen, err := b.run.waiting(nil).For(ctx, []string{s.Short}, b.now.Add(time.Hour))
	if err != nil || seen[0].End != EndOpen || seen[0].Review == nil || b.slept > 11*time.Second {
		t.Errorf("%+v %v after %s", seen, err, b.slept)
	}
}

// TestWhatAFailedTurnMeans: the brake, and what the journal keeps.
func TestWhatAFailedTurnMeans(t *testing.T) {
	for said, c := range map[string]struct {
		stops    string // part of why the run stops; empty when it goes on
		deferred bool
	}{
		"Login expired · Please run /login":                    {"sign-in failed", false},
		"Prompt is too long":                                   {"", false},
		"You've hit your session limit":                        {"limit", true},
		"API Error: 529 Overloaded":                            {"limit", true},
		"Credit balance is too low":                            {"credit", false},
		"API Error: Connection error.":                         {"", false},
		"API Error: 500 Internal server error":                 {"", false},
		"There's an issue with the selected model (claude-9).": {"", false},
	} {
		t.Run(said, func(t *testing.T) {
			s := &fixtures.Added{}
			b := newBench(t, s)
			b.woken(s)
			b.live(s, "idle", "")
			b.lines(s.Transcript, failure(said))
			items := []Item{{SessionName: inventory.SessionName{Short: s.Short}, Outcome: journal.Woken, Reason: "delivered"}}
			b.run.read(context.Background(), items)
			if (b.run.stopped != "") != (c.stops != "") || !strings.Contains(b.run.stopped, c.stops) {
				t.Errorf("the run stopped: %q", b.run.stopped)
			}
			if !strings.Contains(items[0].Reason, said) {
				t.Errorf("%+v", items[0])
			}
			if got := b.events(journal.Deferred) == 1; got != c.deferred {
				t.Errorf("put off: %v", got)
			}
			if b.events(journal.Reviewed) != 1 {
				t.Error("the review is not on record")
			}
			if b.slept > time.Second {
				t.Errorf("it was waited for %s", b.slept)
			}
		})
	}
}

// TestReadStopsTheRun where it cannot look, and says how a session ended that did not answer.
func TestReadStopsTheRun(t *testing.T) {
	s := &fixtures.Added{}
	b := newBench(t, s)
	b.woken(s)
	b.seeErr = errors.New("too many open files")
	items := []Item{{SessionName: inventory.SessionName{Short: s.Short}, Outcome: journal.Woken}}
	b.run.read(context.Background(), items)
	if !strings.Contains(b.run.stopped, "too many open files") {
		t.Errorf("stopped: %q", b.run.stopped)
	}

	b = newBench(t, s)
	b.woken(s)
	b.live(s, "waiting", "permission prompt")
	items = []Item{{SessionName: inventory.SessionName{Short: s.Short}, Outcome: journal.Woken}}
	b.run.read(context.Background(), items)
	if !b.saidSo("stop it: claude stop "+s.Short) || b.saidSo("answer it") || b.run.stopped != "" {
		t.Errorf("%+v, told %q, stopped %q", items[0], b.told, b.run.stopped)
	}

	b = newBench(t, s)
	b.woken(s)
	b.log("bg settled " + s.Short + " (killed)")
	items = []Item{{SessionName: inventory.SessionName{Short: s.Short}, Outcome: journal.Woken}}
	b.run.read(context.Background(), items)
	if !strings.Contains(items[0].Reason, "offline again") {
		t.Errorf("%+v", items[0])
	}

	b = newBench(t, s)
	b.woken(s)
	b.lines(s.Transcript, reply(verdict, "end_turn"))
	items = []Item{{SessionName: inventory.SessionName{Short: s.Short}, Outcome: journal.Woken}}
	b.run.read(context.Background(), items)
	if !b.saidSo("answered: DONE") || !b.saidSo("| ## Review") {
		t.Errorf("%+v, told %q", items[0], b.told)
	}
}
