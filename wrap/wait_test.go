package wrap

import (
	"context"
	"os"
	"slices"
	"testing"
	"time"

	"recovery/internal/account"
)

// clock stands still but for its sleeps; step is called after each with its number, from 1 on.
type clock struct {
	now    time.Time
	sleeps []time.Duration
	step   func(n int)
}

func (c *clock) Now() time.Time { return c.now }

func (c *clock) Sleep(_ context.Context, d time.Duration) {
	c.now = c.now.Add(d)
	c.sleeps = append(c.sleeps, d)
	if c.step != nil {
		c.step(len(c.sleeps))
	}
}

func put(t *testing.T, path string, s *script) {
	t.Helper()
	if err := os.WriteFile(path, s.bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
}

func waiter(a *account.Account, c *clock, changed func(string, Status)) *Waiter {
	return &Waiter{Account: a, Mark: mark, Now: c.Now, Sleep: c.Sleep, Changed: changed}
}

func TestWaitIsOverAtOnceWhenAllAreSettled(t *testing.T) {
	for name, s := range map[string]*script{"done": wrapped(), "held": asked().says(held),
		"not a wrap": asked().says("No.")} {
		a, j, _ := home(t, s.bytes())
		c := &clock{now: start}
		var seen []State
		got := waiter(a, c, func(_ string, s Status) { seen = append(seen, s.State) }).Wait(context.Background(),
			[]*account.Job{j}, time.Minute)
		if len(c.sleeps) > 0 || got[short].State == Running || len(seen) != 1 {
			t.Errorf("%s: %+v after %v, told %v", name, got[short], c.sleeps, seen)
		}
	}
}

// A message that was just sent needs seconds to reach the transcript: NOT-SENT is the answer only when it did not come.
func TestWaitGivesAMessageTimeToArrive(t *testing.T) {
	a, j, path := home(t, new(script).user("Hi.").says("Hi.").bytes())
	c := &clock{now: start}
	if got := waiter(a, c, nil).Wait(context.Background(), []*account.Job{j}, time.Minute); got[short].State != NotSent ||
		c.now.Sub(start) < arrival || c.now.Sub(start) > 2*arrival {
		t.Errorf("%+v after %v", got[short], c.sleeps)
	}
	c = &clock{now: start}
	c.step = func(n int) {
		if n == 2 {
			put(t, path, wrapped())
		}
	}
	if got := waiter(a, c, nil).Wait(context.Background(), []*account.Job{j}, time.Minute); got[short].State != Done {
		t.Errorf("it came and is %+v", got[short])
	}
}

func TestWaitPollsFasterWhileAFileGrows(t *testing.T) {
	a, j, path := home(t, asked().bytes())
	s := asked()
	c := &clock{now: start}
	var told []State
	c.step = func(n int) {
		switch n {
		case 2:
			put(t, path, s.skill("session-wrap"))
		case 3:
			put(t, path, s.part("m", "", block("text", "All")))
		case 6:
			put(t, path, s.says(done))
		}
	}
	got := waiter(a, c, func(_ string, s Status) { told = append(told, s.State) }).Wait(context.Background(),
		[]*account.Job{j}, time.Hour)
	want := []time.Duration{slow, slow, fast, fast, slow, slow}
	if !slices.Equal(c.sleeps, want) {
		t.Errorf("slept %v, want %v", c.sleeps, want)
	}
	if got[short].State != Done || told[0] != Running || told[len(told)-1] != Done {
		t.Errorf("%+v, told %v", got[short], told)
	}
	if slow != 2*time.Second || fast != 500*time.Millisecond {
		t.Error("the design polls every 0.5 s and 2 s")
	}
}

func TestWaitEndsWhenTimeIsUp(t *testing.T) {
	a, j, _ := home(t, asked().bytes())
	c := &clock{now: start}
	got := waiter(a, c, nil).Wait(context.Background(), []*account.Job{j}, 5*time.Second)
	if want := []time.Duration{slow, slow, time.Second}; !slices.Equal(c.sleeps, want) {
		t.Errorf("slept %v, want %v", c.sleeps, want)
	}
	if got[short].State != Running {
		t.Errorf("%+v", got[short])
	}
	c = &clock{now: start}
	if got := waiter(a, c, nil).Wait(context.Background(), []*account.Job{j}, 0); got[short].State != Running ||
		len(c.sleeps) > 0 {
		t.Errorf("no time at all: %+v, slept %v", got[short], c.sleeps)
	}
}

func TestWaitLooksOnceMoreAtTheEnd(t *testing.T) {
	a, j, path := home(t, asked().bytes())
	c := &clock{now: start}
	c.step = func(n int) {
		if n == 1 {
			put(t, path, wrapped())
		}
	}
	if got := waiter(a, c, nil).Wait(context.Background(), []*account.Job{j}, time.Second); got[short].State != Done {
		t.Errorf("%+v", got[short])
	}
}

func TestWaitIsInterrupted(t *testing.T) {
	a, j, _ := home(t, asked().bytes())
	ctx, cancel := context.WithCancel(context.Background())
	c := &clock{now: start, step: func(int) { cancel() }}
	if got := waiter(a, c, nil).Wait(ctx, []*account.Job{j}, time.Hour); got[short].State != Running ||
		len(c.sleeps) != 1 {
		t.Errorf("%+v after %v", got[short], c.sleeps)
	}
}

// While others are waited for, a settled one may be reopened: what is reported in the end is how it is then.
func TestWaitSeesThatASettledOneWasReopened(t *testing.T) {
	a, j, path := home(t, wrapped().bytes())
	b, k, other := home(t, asked().bytes())
	if err := os.Rename(b.Dir+"/jobs/"+short, a.Dir+"/jobs/bbbb0002"); err != nil {
		t.Fatal(err)
	}
	k.Short = "bbbb0002"
	c := &clock{now: start}
	c.step = func(n int) {
		switch n {
		case 1:
			put(t, path, wrapped().user("One more."))
		case 2:
			put(t, other, wrapped())
		case 4:
			put(t, path, wrapped().user("One more.").says("Done: it was small.\n"+done))
		}
	}
	got := waiter(a, c, nil).Wait(context.Background(), []*account.Job{j, k}, time.Hour)
	if got[short].State != Done || got["bbbb0002"].State != Done || len(c.sleeps) != 4 ||
		got[short].WrappedAt.Equal(start.Add(6*time.Second)) {
		t.Errorf("%+v after %v", got, c.sleeps)
	}
}

func TestWaitTellsAChangeOnce(t *testing.T) {
	a, j, _ := home(t, asked().bytes())
	c := &clock{now: start}
	n := 0
	waiter(a, c, func(string, Status) { n++ }).Wait(context.Background(), []*account.Job{j}, time.Minute)
	if n != 1 {
		t.Errorf("told %d times", n)
	}
}

// The job's files move on while it is waited for: after /clear the conversation is another file.
func TestWaitFollowsTheJob(t *testing.T) {
	a, j, path := home(t, asked().bytes())
	c := &clock{now: start}
	c.step = func(int) {
		if err := os.Remove(path); err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
	}
	if got := waiter(a, c, nil).Wait(context.Background(), []*account.Job{j}, time.Hour); got[short].State != NotSent {
		t.Errorf("%+v", got[short])
	}
}
