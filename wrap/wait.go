package wrap

import (
	"context"
	"time"

	"recovery/internal/account"
)

// Polling, as fast as a file grows.
const (
	fast = 500 * time.Millisecond
	slow = 2 * time.Second
)

// Waiter waits for the wraps of several sessions.
type Waiter struct {
	Account *account.Account
	Mark    string
	Now     func() time.Time
	Sleep   func(context.Context, time.Duration)
	// Changed is called for every session whose status is new.
	Changed func(short string, s Status)
}

// Wait looks until every session is settled, the time is up or ctx ends. It gives the last statuses, by short.
func (w *Waiter) Wait(ctx context.Context, jobs []*account.Job, limit time.Duration) map[string]Status {
	deadline := w.Now().Add(limit)
	out := map[string]Status{}
	for {
		open, grew := false, false
		for _, j := range jobs {
			before, seen := out[j.Short]
			if seen && before.State != Running {
				continue
			}
			if fresh := w.Account.Job(j.Short); fresh != nil {
				j = fresh
			}
			now := Look(w.Account, j, w.Mark)
			out[j.Short] = now
			grew = grew || seen && now.Bytes != before.Bytes
			if !seen || now.State != before.State || now.Reason != before.Reason {
				w.Changed(j.Short, now)
			}
			open = open || now.State == Running
		}
		if !open || ctx.Err() != nil || !w.Now().Before(deadline) {
			return out
		}
		pause := slow
		if grew {
			pause = fast
		}
		w.Sleep(ctx, min(pause, max(deadline.Sub(w.Now()), 0)))
	}
}
