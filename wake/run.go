package wake

import (
	"context"
	"fmt"
	"strings"
	"time"

	"recovery/internal/account"
	"recovery/internal/audit"
	"recovery/internal/journal"
	"recovery/internal/remote"
	"recovery/inventory"
	"recovery/message"
	"recovery/queuecheck"
	"recovery/review"
)

// Clock is time as a run sees it. Sleep returns early when the context ends.
type Clock struct {
	Now   func() time.Time
	Sleep func(ctx context.Context, d time.Duration)
}

// Timing are the waits of a run that no flag sets.
type Timing struct {
	// Proof is how long the transcript is watched for the prompt; Poll is how often.
	Proof time.Duration
	Poll  time.Duration
	// Settle is how long a review must have been quiet after its reply before it counts as over.
	Settle time.Duration
	// Retry is the first pause before a prompt that provably was not sent is tried again; it doubles.
	Retry time.Duration
	// Look is how long a wait goes on although the account, or a review, cannot be read; then the run stops.
	Look time.Duration
}

// DefaultTiming is what the client's behaviour asks for: a failed start shows within 8 to 18 s.
var DefaultTiming = Timing{Proof: 30 * time.Second, Poll: 250 * time.Millisecond, Settle: 15 * time.Second,
	Retry: 5 * time.Second, Look: 30 * time.Second}

// Options are what the user asked for.
type Options struct {
	DryRun bool
	Nudge  bool
	Again  bool
	// Named says that the user named the sessions: only then --again lifts that one is finished or archived.
	Named bool
	// Prep asks owners for their final plan instead of a review; Data is what the plan is told, DataArgs how it was typed.
	Prep       bool
	Data       message.Data
	DataArgs   []string
	Dupes      map[string]inventory.SessionText
	DefaultCwd string
	Batch      int
	Spacing    time.Duration
	Wait       time.Duration
	MaxAge     time.Duration
	// User is who runs it; Agent says that it was typed inside a Claude session.
	User  string
	Agent bool
}

// Run is one run over an account. The caller holds the account's lock.
type Run struct {
	Account   *account.Account
	Journal   *journal.Journal
	Inventory *inventory.Inventory
	// See looks at the account anew.
	See func() (*inventory.World, error)
	// Events gives the saved events pages of a session; nil when there are none.
	Events func(short string) (*remote.Events, error)
	// Reload gives the saved inventory as it is now: a page can be saved anew during a long run.
	Reload  func() (*inventory.Inventory, error)
	Rules   *audit.Rules
	Client  Client
	Environ []string
	// Memory gives MemAvailable in bytes.
	Memory  func() (int64, error)
	NewID   func() string
	Jitter  func(time.Duration) time.Duration
	Self    queuecheck.Self
	Clock   Clock
	Timing  Timing
	Options Options
	// Tell receives a line of progress for the user.
	Tell func(format string, args ...any)

	versionErr  error
	versionDone bool
	failed      int // failed starts in a row
	stopped     string
	lastStart   time.Time
	started     map[string]time.Time // the last start of each session
	woken       map[string]bool      // what this run started, or plans to start
	braked      map[string]bool      // the sessions whose failed turn has been acted on
	shown       map[string]bool      // the sessions whose review the user has been told of
}

// Item is what became of one session.
type Item struct {
	inventory.SessionName
	Outcome     journal.Outcome `json:"outcome"`
	PromptSaved bool            `json:"prompt_saved"`
	Reason      string          `json:"reason"`
	Batch       int             `json:"batch"`
	Next        string          `json:"next"`
	Cwd         string          `json:"cwd"`
	// Review is what the session did, read after its batch; nil when it was not woken.
	Review *review.Review `json:"review"`
	// Told says that its review was told of in full when it came.
	Told bool `json:"-"`
	// Verdict is the queue check's, worked out right before the call.
	Verdict queuecheck.Verdict `json:"queue_check"`
}

// Result is a whole run.
type Result struct {
	Items []Item `json:"items"`
	// Stopped says why the run ended before all were woken.
	Stopped string `json:"stopped"`
	// Interrupted says that the user ended the run: what it had not reached is "not-started" and was refused by nothing.
	Interrupted bool `json:"interrupted"`
	// Defects are those of this run and those of earlier ones that nobody closed.
	Defects []journal.OpenDefect `json:"defects"`
}

// Do wakes the named sessions, duplicates before their owner, five at a time.
func (r *Run) Do(ctx context.Context, shorts []string) (Result, error) {
	res := Result{Items: []Item{}, Defects: []journal.OpenDefect{}}
	state, err := r.settle(ctx)
	if err != nil {
		return res, err
	}
	if !r.Options.DryRun {
		r.brake(state)
	}
	r.started, r.woken = map[string]time.Time{}, map[string]bool{}
	for short, s := range state.Sessions {
		for _, w := range s.Wakes {
			if w.Sent() {
				r.started[short] = w.At
			}
			if w.At.After(r.lastStart) {
				r.lastStart = w.At
			}
		}
	}
	order := r.order(shorts)
	for batch := 1; len(res.Items) < len(order) && r.stopped == "" && ctx.Err() == nil; batch++ {
		res.Items = append(res.Items, r.batch(ctx, order[len(res.Items):], batch)...)
	}
	if r.Options.DryRun && r.stopped == "" {
		// What would keep the run from its first start stands beside what each session is planned for.
		r.brake(state)
	}
	res.Stopped = r.stopped
	if res.Interrupted = ctx.Err() != nil; res.Interrupted {
		res.Stopped = "interrupted"
	}
	for _, s := range order[len(res.Items):] {
		it := r.blank(s)
		it.Outcome, it.Reason, it.Next = journal.Refused, "the run stopped before its turn: "+res.Stopped, r.retype(s)
		if res.Interrupted {
			r.unreached(&it)
		}
		if r.Options.DryRun {
			it.Outcome = journal.Planned
		}
		res.Items = append(res.Items, it)
	}
	events, err := r.Journal.Read()
	if err != nil {
		return res, err
	}
	res.Defects = append(res.Defects, journal.Replay(events).Defects...)
	for i := range res.Items {
		res.Items[i].Told = r.shown[res.Items[i].Short]
	}
	return res, nil
}

// order puts duplicates before their owner: first those of the dupes file, then those of the inventory's groups.
func (r *Run) order(shorts []string) []string {
	var first, rest []string
	for _, s := range r.Inventory.WakeOrder(shorts) {
		if _, ok := r.Options.Dupes[s]; ok {
			first = append(first, s)
		} else {
			rest = append(rest, s)
		}
	}
	return append(first, rest...)
}

// duplicate is the owner of a duplicate's group, with the owner's open items as its last reply lists them; empty for a
// session that is no duplicate.
func (r *Run) duplicate(g *ready) (owner string, open []string) {
	it := r.Inventory.Find(g.job.Short)
	if it == nil || it.Role != "duplicate" {
		return "", nil
	}
	owner = r.Inventory.OwnerOf(g.job.Short)
	job := g.world.Jobs.ByShort[owner]
	if job == nil {
		return owner, nil
	}
	open, dropped := inventory.OwnerOpen(g.world.Facts(job).Tail.Reply)
	if dropped > 0 {
		r.Tell("%s: %d open items of its owner %s are left out of its text: they could be read as an approval", g.job.Short,
			dropped, owner)
	}
	return owner, open
}

func (r *Run) blank(short string) Item {
	it := Item{SessionName: inventory.SessionName{Short: short}}
	if row := r.Inventory.Find(short); row != nil {
		it.SessionName, it.Cwd = row.SessionName, row.Cwd
	}
	return it
}

// batch starts up to Options.Batch sessions, spaced, then waits for their reviews and audits them. Sessions that are
// refused take no place in it. It gives the items of the sessions that it went through.
func (r *Run) batch(ctx context.Context, shorts []string, n int) []Item {
	var items []Item
	started := 0
	for _, short := range shorts {
		if r.stopped != "" || ctx.Err() != nil || started == r.Options.Batch {
			break
		}
		if r.peek(ctx, items); r.stopped != "" {
			break
		}
		it := r.one(ctx, short, n)
		if it.started() {
			started++
			r.woken[short] = true
		}
		items = append(items, it)
	}
	if !r.Options.DryRun {
		r.read(ctx, items)
	}
	return items
}

// unreached is the outcome of a session that an interrupted run did not come to: nothing refused it, nothing was sent.
func (r *Run) unreached(it *Item) {
	it.Outcome, it.Reason, it.Next = journal.NotStarted, "interrupted before it was started; nothing was sent",
		r.retype(it.Short)
}

// Began says that a prompt went out, or counts as sent, or is saved in the session.
func (it *Item) Began() bool { return it.started() && it.Outcome != journal.Planned || it.PromptSaved }

// started says whether something may run because of this run.
func (it *Item) started() bool {
	switch it.Outcome {
	case journal.Woken, journal.Joined, journal.Replayed, journal.Copy, journal.Uncertain, journal.Planned:
		return true
	}
	return false
}

// brake keeps a run from starting while a defect is open, or a limit that the service named lasts. Nothing lifts a
// defect but the user, who closes it by name.
func (r *Run) brake(state *journal.State) {
	switch open := state.Defective(); {
	case len(open) > 0:
		r.stopped = fmt.Sprintf("a defect of an earlier run is open in %s; look at it, then close it by name: recovery %s",
			strings.Join(open, ", "),
			strings.Join(journal.AckArgs(open...), " "))
	default:
		r.stopped = waitFor(state, r.Clock.Now())
	}
}

// stop ends the run after what is under way.
func (r *Run) stop(format string, args ...any) {
	if r.stopped == "" {
		r.stopped = fmt.Sprintf(format, args...)
		r.Tell("the run stops: %s", r.stopped)
	}
}
