package wake

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"recovery/internal/account"
	"recovery/internal/audit"
	"recovery/internal/claude"
	"recovery/internal/journal"
	"recovery/internal/text"
	"recovery/internal/transcript"
	"recovery/inventory"
	"recovery/review"
)

// End is how the wait for a review ended.
type End string

// The ends. Open is none: time was up, or the run was interrupted.
const (
	EndOpen     End = ""
	EndAnswered End = "answered" // the reply is there, and nothing works any more
	EndError    End = "error"    // its turn ended in an error of the client or the service
	EndWaits    End = "waits"    // it stands at a question that only a person may answer
	EndGone     End = "gone"     // it is offline again and has not answered
	EndUnread   End = "unread"   // its review cannot be read
)

// Seen is what became of one session's review.
type Seen struct {
	Short string
	// Review is nil when nothing of it could be read.
	Review *review.Review
	End    End
	// Error is what the client wrote when End is EndError.
	Error string
	// Err says why the review cannot be read; it can be set while the wait goes on.
	Err error
}

// Kind is what the error is about in which the session's last turn ended; KindNone when it ended in none.
func (s *Seen) Kind() claude.Kind { return claude.ErrorKind(s.said()) }

func (s *Seen) said() string {
	if s.Error == "" && s.Review != nil {
		return s.Review.Error
	}
	return s.Error
}

// Waits is what to say of a session that stands at a question, or stood there when it ended. A plan or a permission is
// never to be approved for the sake of a review, so the advice is to stop what runs.
func Waits(short string, r *review.Review) string {
	if r.Died {
		return short + " was stopped, or died in its review" + stood(r)
	}
	return fmt.Sprintf("%s waits: %s; a review needs no answer to that: stop it: claude stop %s",
		short, text.Line(r.Waiting), short)
}

// stood says at what a session was stopped, or died; empty when that is not known.
func stood(r *review.Review) string {
	switch {
	case r == nil || r.Waiting == "":
		return ""
	case r.Asks():
		return ", while it waited for " + text.Line(r.Waiting)
	}
	return ", at " + text.Line(r.Waiting)
}

// Wait waits for reviews: those of a batch, or those that were asked for.
type Wait struct {
	See    func() (*inventory.World, error)
	State  func() (*journal.State, error)
	Rules  *audit.Rules
	Clock  Clock
	Timing Timing
	// Settled is told of each session at the moment when its wait ends; nil when nobody listens. It is not called for
	// sessions that are still open when time is up.
	Settled func(Seen)
}

// watched is one session that is waited for.
type watched struct {
	Seen
	blind   time.Time // since when its review cannot be read
	offline time.Time // since when it is seen offline
	waits   bool      // it stood at a question when it was looked at last
}

// For looks at the sessions until the wait of each has ended or time is up. It looks at least once. The error says that
// the account could not be looked at, for as long as Timing.Look or at the end of the time; what was seen until then is
// given too.
func (w *Wait) For(ctx context.Context, shorts []string, until time.Time) ([]Seen, error) {
	list := make([]watched, len(shorts))
	for i, s := range shorts {
		list[i].Short = s
	}
	var blind time.Time
	for {
		open, err := w.round(list)
		now := w.Clock.Now()
		late := ctx.Err() != nil || !now.Before(until)
		switch {
		case err == nil:
			blind = time.Time{}
		case blind.IsZero():
			blind = now
		}
		if err != nil && (late || now.Sub(blind) >= w.Timing.Look) {
			return seen(list), fmt.Errorf("waiting for the reviews of %s: %w", strings.Join(shorts, " "), err)
		}
		if !open || late {
			return seen(list), nil
		}
		w.Clock.Sleep(ctx, min(2*w.Timing.Poll, until.Sub(now)))
	}
}

func seen(list []watched) []Seen {
	out := make([]Seen, len(list))
	for i := range list {
		out[i] = list[i].Seen
	}
	return out
}

// round looks at all that are open once; open says whether one still is.
func (w *Wait) round(list []watched) (open bool, err error) {
	for i := range list {
		open = open || list[i].End == EndOpen
	}
	if !open {
		return false, nil
	}
	world, err := w.See()
	if err != nil {
		return true, fmt.Errorf("the account cannot be read: %w", err)
	}
	state, err := w.State()
	if err != nil {
		return true, err
	}
	open = false
	for i := range list {
		x := &list[i]
		if x.End != EndOpen {
			continue
		}
		if x.End = w.look(world, state.Session(x.Short), x); x.End == EndOpen {
			open = true
		} else if w.Settled != nil {
			w.Settled(x.Seen)
		}
	}
	return open, nil
}

// look judges one session as the account is now.
func (w *Wait) look(world *inventory.World, s *journal.Session, x *watched) End {
	now := w.Clock.Now()
	rev, err := review.Of(world, w.Rules, s)
	if rev.Tools != nil {
		x.Review = &rev
	}
	if x.Err = err; err != nil {
		return w.unread(x, now)
	}
	x.blind = time.Time{}
	job := world.Jobs.ByShort[s.Short]
	path := transcript.Locate(world.Account, job).Path
	live := world.Witnesses.Of(job, world.Log)
	works := live.State != account.Offline && atWork(world.Account.Door, path, sentAt(s), now, w.Timing.Settle)
	switch {
	case rev.Over(now, w.Timing.Settle) && (rev.UserAfter || !works):
		return EndAnswered
	case rev.Answered || works:
		return EndOpen
	case rev.Started:
		if x.Error = brokenOff(world.Account.Door, path); x.Error != "" {
			return EndError
		}
	}
	// A question is believed when it still stands at the next look: the client asks its own rules first.
	stood := x.waits
	if x.waits = rev.Asks(); x.waits && stood {
		return EndWaits
	}
	return w.gone(world, job, live, sentAt(s), x)
}

// unread ends the wait for a review that cannot be read for long; one that never was sent is not waited for.
func (w *Wait) unread(x *watched, now time.Time) End {
	var none *review.NotWokenError
	if errors.As(x.Err, &none) {
		return EndUnread
	}
	if x.blind.IsZero() {
		x.blind = now
	}
	if now.Sub(x.blind) >= w.Timing.Look {
		return EndUnread
	}
	return EndOpen
}

// gone says that the session is offline again: by the supervisor's word, or seen so for as long as a lost worker may
// take to be started again.
func (w *Wait) gone(world *inventory.World, job *account.Job, live account.Liveness, sent time.Time, x *watched) End {
	if live.State != account.Offline {
		x.offline = time.Time{}
		return EndOpen
	}
	now := w.Clock.Now()
	if x.offline.IsZero() {
		x.offline = now
	}
	last, ok := world.Log.Last(job.Short)
	meant := ok && last.Kind != account.LogStarted && last.Cause != claude.SettledCrashed && !last.At.Before(sent)
	if meant || now.Sub(x.offline) >= w.Timing.Settle {
		return EndGone
	}
	return EndOpen
}

func sentAt(s *journal.Session) time.Time {
	if last := s.LastSent(); last != nil {
		return last.At
	}
	return time.Time{}
}

// lastMessage is the last line of a transcript that is a user's or an assistant's; nil when there is none or it cannot
// be read.
func lastMessage(door account.Door, path string) *transcript.Entry {
	t, err := transcript.Open(door, path)
	if err != nil {
		return nil
	}
	defer func() { _ = t.Close() }()
	return t.LastMessage()
}

// brokenOff is the client's report of an error when that is the last message of the conversation. A line of type system
// that tells of an error is a try that the client repeats by itself: it ends nothing.
func brokenOff(door account.Door, path string) string {
	e := lastMessage(door, path)
	if e == nil {
		return ""
	}
	said, ok := e.Failed()
	if !ok {
		return ""
	}
	return cmp.Or(strings.TrimSpace(said), "an API error")
}

// atWork says whether a subagent of the session works: its transcript was written to since the wake, and it has not
// ended, or only a moment ago. What a wake brought back is among them.
func atWork(door account.Door, path string, since, now time.Time, settle time.Duration) bool {
	return worksIn(door, filepath.Join(strings.TrimSuffix(path, ".jsonl"), "subagents"), since, now, settle)
}

func worksIn(door account.Door, dir string, since, now time.Time, settle time.Duration) bool {
	entries, err := door.ReadDir(dir)
	if err != nil {
		return false // most sessions never had one
	}
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		if e.IsDir() {
			if worksIn(door, path, since, now, settle) {
				return true
			}
			continue
		}
		info, err := e.Info()
		if err != nil || !strings.HasSuffix(path, ".jsonl") || info.ModTime().Before(since) {
			continue
		}
		last := lastMessage(door, path)
		if last == nil {
			continue
		}
		ended := last.Type == "assistant" && (last.Synthetic() || last.Ends())
		if !ended || now.Sub(last.At) < settle {
			return true
		}
	}
	return false
}
