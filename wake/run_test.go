package wake

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"recovery/fixtures"
	"recovery/internal/journal"
)

func outcomes(res Result) string {
	var out []string
	for _, it := range res.Items {
		out = append(out, string(it.Outcome))
	}
	return strings.Join(out, " ")
}

func shortsOf(sessions ...*fixtures.Added) []string {
	var out []string
	for _, s := range sessions {
		out = append(out, s.Short)
	}
	return out
}

// several makes n sessions.
func several(n int) []*fixtures.Added {
	out := make([]*fixtures.Added, n)
	for i := range out {
		out[i] = &fixtures.Added{}
	}
	return out
}

// TestOneRun: what a run makes of one session, with what it is told to type next.
func TestOneRun(t *testing.T) {
	for name, c := range map[string]struct {
		session fixtures.Session
		script  fixtures.Script
		before  func(b *bench, s *fixtures.Added)
		said    *Said
		want    journal.Outcome
		reason  string
		next    string
		calls   int
		stopped string
	}{
		"woken and answered": {want: journal.Woken, calls: 1},
		"a copy": {script: fixtures.Script{Outcome: fixtures.OutcomeCopy}, want: journal.Copy,
			next: "claude stop ", calls: 1, stopped: "copy"},
		"a replay": {script: fixtures.Script{Outcome: fixtures.OutcomeReplay}, want: journal.Replayed,
			next: "claude stop ", calls: 1, stopped: "another message"},
		"joined": {script: fixtures.Script{Outcome: fixtures.OutcomeJoin}, want: journal.Joined,
			reason: "yes, go ahead", next: "claude stop ", calls: 1, stopped: "more than"},
		"untrusted after all": {script: fixtures.Script{Outcome: fixtures.OutcomeUntrusted}, want: journal.Untrusted,
			reason: "Workspace not trusted",
			next:   "recovery trust", calls: 1},
		"dies with the prompt saved": {script: fixtures.Script{Outcome: fixtures.OutcomeCrash}, want: journal.Saved,
			next: "--nudge", calls: 1},
		"says nothing": {script: fixtures.Script{Outcome: fixtures.OutcomeSilent}, want: journal.Uncertain,
			reason: "said nothing, exit status 0", calls: 1},
		"fails in words of its own": {script: fixtures.Script{Outcome: fixtures.OutcomeExitError}, want: journal.Uncertain,
			reason: "exit status 1", calls: 1},
		"not signed in": {script: fixtures.Script{Outcome: fixtures.OutcomeNotSignedIn}, want: journal.NotStarted,
			reason: "Not logged in", calls: 1,
			stopped: "sign-in failed"},
		"answers with a sign-in error": {script: fixtures.Script{Outcome: fixtures.OutcomeSignIn}, want: journal.Woken,
			reason: "Login expired",
			calls:  1, stopped: "sign-in failed"},
		"answers with a limit": {script: fixtures.Script{Outcome: fixtures.OutcomeLimit}, want: journal.Woken,
			reason: "session limit", calls: 1,
			stopped: "limit"},
		"cannot be resumed": {said: &Said{Stderr: "Failed to resume the conversation", Exit: 1}, want: journal.NotStarted,
			reason: "Failed to resume the conversation", next: "recovery resume", calls: 4},
		"no credit": {said: &Said{Stderr: "Credit balance is too low", Exit: 1}, want: journal.NotStarted,
			reason: "Credit balance", calls: 1, stopped: "credit"},
		"the service is busy": {said: &Said{Stderr: "API Error: 529 Overloaded", Exit: 1}, want: journal.NotStarted, calls: 1,
			stopped: "limit"},
		"already live": {before: func(b *bench, s *fixtures.Added) { b.live(s, "idle", "") }, want: journal.Refused,
			reason: "runs"},
		"a queued yes": {before: func(b *bench, s *fixtures.Added) { b.queuedPrompt(s, "yes") },
			want: journal.Refused},
		"untrusted before": {session: fixtures.Session{Untrusted: true}, want: journal.Untrusted,
			reason: "nothing was sent", next: "recovery trust"},
		"its folder is gone": {session: fixtures.Session{NoFolder: true}, want: journal.Refused, reason: "folder"},
		"an old client": {before: func(b *bench, _ *fixtures.Added) {
			if err := b.a.SetVersion("2.1.252"); err != nil {
				b.t.Fatal(err)
			}
		}, want: journal.Refused, reason: "2.1.252"},
		"no memory": {before: func(b *bench, _ *fixtures.Added) {
			b.run.Memory = func() (int64, error) {
				return 1 << 30,
					nil
			}
		},
			want: journal.Refused, reason: "memory"},
		"a dry run": {before: func(b *bench, _ *fixtures.Added) { b.run.Options.DryRun = true }, want: journal.Planned,
			next: "recovery resume"},
		"a dry run, and a defect is open elsewhere": {before: func(b *bench, _ *fixtures.Added) {
			b.run.Options.DryRun = true
			if err := b.run.Journal.Append(journal.Defect, "0e30a1f7", journal.NewDefect("0e30a1f7", "write", "write:t",
				"touch x", "look")); err != nil {
				b.t.Fatal(err)
			}
		}, want: journal.Planned, next: "recovery resume", stopped: "0e30a1f7"},
	} {
		t.Run(name, func(t *testing.T) {
			s := &fixtures.Added{Session: c.session}
			b := newBench(t, s)
			b.script(s.Short, c.script)
			if c.before != nil {
				c.before(b, s)
			}
			if c.said != nil {
				b.says(*c.said)
			}
			res := b.do(s.Short)
			it := res.Items[0]
			if it.Outcome != c.want || !strings.Contains(it.Reason, c.reason) || !strings.Contains(it.Next, c.next) {
				t.Errorf("%s (%s), next %q; want %s", it.Outcome, it.Reason, it.Next, c.want)
			}
			if b.calls != c.calls {
				t.Errorf("%d calls, want %d", b.calls, c.calls)
			}
			if (res.Stopped != "") != (c.stopped != "") || !strings.Contains(res.Stopped, c.stopped) {
				t.Errorf("stopped: %q", res.Stopped)
			}
			if n := b.events(journal.Intended); n != b.calls {
				t.Errorf("%d intentions for %d calls", n, b.calls)
			}
		})
	}
}

// TestBatchesAreSpaced: eight seconds between two starts, over all batches; each item has its batch and its review.
func TestBatchesAreSpaced(t *testing.T) {
	list := several(4)
	b := newBench(t, list...)
	b.run.Options.Batch = 2
	var at []time.Duration
	simulated := b.run.Client
	b.run.Client = func(ctx context.Context, c Call) Said {
		if c.Args[0] != "--version" {
			at = append(at, b.slept)
		}
		return simulated(ctx, c)
	}
	res := b.do(shortsOf(list...)...)
	if outcomes(res) != "woken woken woken woken" || res.Stopped != "" || res.Interrupted {
		t.Fatalf("%s, stopped %q", outcomes(res), res.Stopped)
	}
	for i := 1; i < len(at); i++ {
		if at[i]-at[i-1] < 8*time.Second {
			t.Errorf("start %d came %s after the one before", i, at[i]-at[i-1])
		}
	}
	for i, it := range res.Items {
		if it.Batch != 1+i/2 || it.Review == nil || !it.Review.Answered {
			t.Errorf("item %d: batch %d, review %v", i, it.Batch, it.Review)
		}
	}
}

// TestABrakeBetweenTwoStarts: the first session's turn ends in an error that will meet the others too.
func TestABrakeBetweenTwoStarts(t *testing.T) {
	for outcome, calls := range map[string]int{fixtures.OutcomeSignIn: 1, fixtures.OutcomeLimit: 1,
		fixtures.OutcomeOverloaded: 1, "": 3} {
		t.Run("outcome "+outcome, func(t *testing.T) {
			list := several(3)
			b := newBench(t, list...)
			b.script("default", fixtures.Script{Outcome: outcome})
			res := b.do(shortsOf(list...)...)
			if b.calls != calls {
				t.Errorf("%d calls, want %d: %s", b.calls, calls, outcomes(res))
			}
			if outcome == "" {
				return
			}
			if outcomes(res) != "woken refused refused" || res.Stopped == "" {
				t.Errorf("%s, stopped %q", outcomes(res), res.Stopped)
			}
			if n := b.events(journal.Deferred); n > 1 {
				t.Errorf("put off %d times", n)
			}
		})
	}
}

// TestATooLongPromptIsOneSessions: the others go on.
func TestATooLongPromptIsOneSessions(t *testing.T) {
	list := several(2)
	b := newBench(t, list...)
	long := list[0]
	b.run.Client = func(ctx context.Context, c Call) Said {
		said := b.simulated(ctx, c)
		if c.Args[0] != "--version" && slices.Contains(c.Args, long.SessionID) {
			b.lines(long.Transcript, failure("Prompt is too long"))
		}
		return said
	}
	res := b.do(shortsOf(list...)...)
	if outcomes(res) != "woken woken" || res.Stopped != "" || b.calls != 2 {
		t.Errorf("%s, stopped %q, %d calls", outcomes(res), res.Stopped, b.calls)
	}
}

// TestThreeFailedStartsStopTheRun: something is wrong with the machine, not with the sessions.
func TestThreeFailedStartsStopTheRun(t *testing.T) {
	list := several(5)
	b := newBench(t, list...)
	b.says(Said{Exit: 1})
	res := b.do(shortsOf(list...)...)
	if b.calls != 3 || outcomes(res) != "unknown unknown unknown refused refused" {
		t.Errorf("%d calls, %s, stopped %q", b.calls, outcomes(res), res.Stopped)
	}
}

// TestInterruptedIsNotRefused: what the run did not come to was refused by nothing.
func TestInterruptedIsNotRefused(t *testing.T) {
	list := several(3)
	b := newBench(t, list...)
	ctx, cancel := context.WithCancel(context.Background())
	simulated := b.run.Client
	b.run.Client = func(c context.Context, call Call) Said {
		if b.calls == 0 && call.Args[0] != "--version" {
			defer cancel()
		}
		return simulated(c, call)
	}
	res, err := b.run.Do(ctx, shortsOf(list...))
	if err != nil {
		t.Fatal(err)
	}
	if outcomes(res) != "woken not-started not-started" || !res.Interrupted || b.calls != 1 {
		t.Errorf("%s, %d calls, %+v", outcomes(res), b.calls, res)
	}
	for _, it := range res.Items[1:] {
		if !strings.Contains(it.Reason, "interrupted") || it.Next != "recovery resume "+it.Short {
			t.Errorf("%+v", it)
		}
	}
	if b.events(journal.TurnedAway) != 0 {
		t.Error("a refusal is on record")
	}
}

// TestNothingIsSentTwice: not after a review, not after an outcome that is not known, not for an open intention.
func TestNothingIsSentTwice(t *testing.T) {
	for name, said := range map[string]*Said{"after a review": nil, "after a silent client": {Exit: 1}} {
		t.Run(name, func(t *testing.T) {
			s := &fixtures.Added{}
			b := newBench(t, s)
			if said != nil {
				b.says(*said)
			}
			b.do(s.Short)
			b.run.Client = b.simulated
			before := b.calls
			for range 2 {
				if res := b.do(s.Short); res.Items[0].Outcome != journal.Refused {
					t.Errorf("%+v", res.Items[0])
				}
			}
			if b.calls != before || before != 1 {
				t.Errorf("%d calls, then %d", before, b.calls)
			}
		})
	}
}

// TestAnOpenDefectStopsTheNextRun, and a limit does until its time.
func TestAnOpenDefectStopsTheNextRun(t *testing.T) {
	list := several(2)
	b := newBench(t, list...)
	b.script(list[0].Short, fixtures.Script{Outcome: fixtures.OutcomeJoin})
	b.do(list[0].Short)
	if res := b.do(list[1].Short); res.Items[0].Outcome != journal.Refused || !strings.Contains(res.Stopped, "defect") ||
		b.calls != 1 {
		t.Errorf("%+v, %d calls", res, b.calls)
	}

	list = several(2)
	b = newBench(t, list...)
	b.script(list[0].Short, fixtures.Script{Outcome: fixtures.OutcomeLimit})
	b.do(list[0].Short)
	if res := b.do(list[1].Short); res.Items[0].Outcome != journal.Refused || !strings.Contains(res.Stopped, "limit") ||
		b.calls != 1 {
		t.Errorf("%+v, %d calls", res, b.calls)
	}
	state, err := b.run.state()
	if err != nil {
		t.Fatal(err)
	}
	if state.DeferredUntil.Before(b.now.Add(30 * time.Minute)) {
		t.Errorf("put off until %s", state.DeferredUntil)
	}
}

// TestAnUnreadableAccountStopsTheRun: the next batch is not started blind.
func TestAnUnreadableAccountStopsTheRun(t *testing.T) {
	list := several(2)
	b := newBench(t, list...)
	b.run.Options.Batch = 1
	simulated := b.run.Client
	b.run.Client = func(ctx context.Context, c Call) Said {
		if c.Args[0] != "--version" {
			b.at(b.slept+time.Second, func() { b.seeErr = fmt.Errorf("too many open files") })
		}
		return simulated(ctx, c)
	}
	res := b.do(shortsOf(list...)...)
	if b.calls != 1 || !strings.Contains(res.Stopped, "too many open files") {
		t.Errorf("%d calls, stopped %q", b.calls, res.Stopped)
	}
	if b.slept > 2*time.Minute {
		t.Errorf("it was tried for %s", b.slept)
	}
}

// TestMemory: what fits beside the reserve.
func TestMemory(t *testing.T) {
	for available, want := range map[int64]int{0: 0, 1 << 30: 0, 1<<30 + 249<<20: 0, 1<<30 + 250<<20: 1, 2 << 30: 4} {
		if got := Fit(available); got != want {
			t.Errorf("%d bytes take %d sessions, want %d", available, got, want)
		}
	}
}
