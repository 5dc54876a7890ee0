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

// arrival is how long a message that was just sent may take to reach the transcript; 1 to 3 s were seen. Before,
// NOT-SENT is not settled.
const arrival = 10 * time.Second

// Waiter waits for the wraps of several sessions.
type Waiter struct {
	Account *account.Account
	Mark    string
	Now     func() time.Time
	Sleep   func(context.Context, time.Duration)
	// Changed is called for every session whose status is new; it may be nil.
	Changed func(short string, s Status)
}

// seen is what the last look at a session gave, and of what.
type seen struct {
	status   Status
	job      *account.Job
	modified time.Time
}

// Wait looks until every session is settled, the time is up or ctx ends. It gives the last statuses, by short: a
// session that was settled and went on while others were waited for is looked at again.
func (w *Waiter) Wait(ctx context.Context, jobs []*account.Job, limit time.Duration) map[string]Status {
	begun := w.Now()
	deadline := begun.Add(limit)
	looks := map[string]seen{}
	for {
		open, grew := false, false
		for _, j := range jobs {
			before, known := looks[j.Short]
			if fresh := w.Account.Job(j.Short); fresh != nil && fresh.Problem == "" {
				j = fresh
			}
			now := w.look(j, before)
			looks[j.Short] = now
			grew = grew || known && now.status.Bytes != before.status.Bytes
			if w.Changed != nil && (!known || now.status.State != before.status.State ||
				now.status.Reason != before.status.Reason) {
				w.Changed(j.Short, now.status)
			}
			open = open || now.status.State == Running || now.status.State == NotSent && w.Now().Sub(begun) < arrival
		}
		if !open || ctx.Err() != nil || !w.Now().Before(deadline) {
			out := map[string]Status{}
			for short, l := range looks {
				out[short] = l.status
			}
			return out
		}
		pause := slow
		if grew {
			pause = fast
		}
		w.Sleep(ctx, min(pause, max(deadline.Sub(w.Now()), 0)))
	}
}

// look reads a session's transcript unless it is what it was: a long one is not read whole twice a second for nothing.
func (w *Waiter) look(j *account.Job, before seen) seen {
	now := seen{job: j}
	if path := before.status.Path; path != "" {
		info, err := w.Account.Stat(path)
		if err == nil {
			now.modified = info.ModTime()
		}
		same := err == nil && info.Size() == before.status.Bytes && now.modified.Equal(before.modified)
		if same && before.job.LinkScanPath == j.LinkScanPath && before.job.ResumeSessionID == j.ResumeSessionID &&
			before.job.SessionID == j.SessionID {
			now.status = before.status
			return now
		}
	}
	now.status = Look(w.Account, j, w.Mark)
	return now
}
