package main

import (
	"strings"
	"time"

	"recovery/internal/account"
	"recovery/internal/journal"
	"recovery/inventory"
	"recovery/prompts"
	"recovery/wrap"

	"github.com/urfave/cli/v2"
)

func (x *command) wrapWaitCommand() *cli.Command {
	return &cli.Command{
		Name:      "wrap-wait",
		Usage:     "wait for real session wraps",
		UsageText: "recovery wrap-wait [--mark TEXT] [--wait DURATION] SHORT...",
		Description: `DONE: a real wrap, the session can be archived by the user. HELD: it wrapped and is not ready, or waits for an approval.
RUNNING: a turn runs, or something came after the wrap. NOT-A-WRAP: its last reply is no wrap. NOT-SENT: no WRAP message
stands in it. Pin a session before you send WRAP (Ctrl+T on its row in the interactive ` + "`claude agents`" + ` view).

EXAMPLE:
   recovery wrap-wait --wait 20m 1a2b3c4d

EXIT STATUS:
   0 all DONE; 1 failed; 2 wrong usage; 3 a session is HELD, NOT-A-WRAP or NOT-SENT; 4 time was up and one is RUNNING`,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "mark", Usage: "the phrase that the WRAP message holds, `TEXT`", Value: prompts.WrapMark},
			spanFlag("wait", defaultWait, "how long to wait"),
		},
		Action: x.wrapWait,
	}
}

// wrapItem is one row of wrap-wait's JSON.
type wrapItem struct {
	inventory.SessionName
	wrap.Status
	Pinned bool `json:"pinned"`
}

func (x *command) wrapWait(c *cli.Context) error {
	if c.Args().Len() == 0 {
		return usagef("wrap-wait wants the sessions to wait for")
	}
	if strings.TrimSpace(c.String("mark")) == "" {
		return usagef("--mark wants a phrase")
	}
	p, w, jobs, err := x.named(c)
	if err != nil {
		return err
	}
	titles := map[string]string{}
	for _, j := range jobs {
		titles[j.Short] = j.Title()
		if live := w.Witnesses.Of(j, w.Log); live.State == account.Live && !j.Pinned {
			x.say("%s is not pinned: it may be retired while it wraps; ask the user to pin it (Ctrl+T on its row in the "+
				"interactive `claude agents` view)", j.Short)
		}
	}
	board := &wrapBoard{x: x, jobs: jobs, states: map[string]wrap.Status{}}
	waiter := wrap.Waiter{Account: p.account, Mark: c.String("mark"), Now: x.now, Sleep: x.sleep, Changed: board.changed}
	found := waiter.Wait(x.ctx, jobs, spanOf(c, "wait"))
	items, status := []wrapItem{}, allDone
	if p.folder.Barred != nil {
		status = needsUser // a wrap that is not on record is known to no report
	}
	for _, j := range jobs {
		s := found[j.Short]
		it := wrapItem{SessionName: w.Name(j), Status: s, Pinned: j.Pinned}
		items = append(items, it)
		if err := p.recordWrap(j.Short, s, c.String("mark")); err != nil {
			return err
		}
		switch s.State {
		case wrap.Done:
		case wrap.Running:
			status = max(status, timeUp)
		default:
			status = max(status, needsUser)
		}
	}
	if x.json {
		if err := x.printJSON(map[string]any{"items": items}); err != nil {
			return err
		}
	} else {
		x.showWraps(items)
	}
	return ended(status)
}

func (p *place) recordWrap(short string, s wrap.Status, mark string) error {
	data := journal.WrapData{State: string(s.State), ClosingLine: s.ClosingLine, Reason: s.Reason, Mark: mark}
	if s.WrappedAt != nil {
		data.WrappedAt = s.WrappedAt.UTC().Format(time.RFC3339Nano)
	}
	return p.journal.AppendIf(journal.Wrapped, short, data, func(events []journal.Event) bool {
		return journal.Same(events,
			journal.Wrapped, short, data)
	})
}

// wrapBoard shows the states while they change: a table that is drawn over itself on a terminal, a line a change in a
// pipe, nothing with --json.
type wrapBoard struct {
	x      *command
	jobs   []*account.Job
	states map[string]wrap.Status
	drawn  int // lines of the table on the screen
}

func (b *wrapBoard) changed(short string, s wrap.Status) {
	b.states[short] = s
	if b.x.json {
		return
	}
	if !b.x.terminal {
		for _, j := range b.jobs {
			if j.Short == short {
				b.x.table(&rows{lines: [][]string{b.row(j, s)}})
			}
		}
		return
	}
	if len(b.states) < len(b.jobs) {
		return
	}
	t := rows{header: []string{"SHORT", "STATE", "CLOSING LINE", "WRAPPED", "REOPENED BY", "TITLE", "WHY"}}
	for _, j := range b.jobs {
		t.add(b.row(j, b.states[j.Short])...)
	}
	b.x.erase(b.drawn)
	b.drawn = b.x.table(&t)
}

func (b *wrapBoard) row(j *account.Job, s wrap.Status) []string {
	return []string{j.Short, string(s.State), dash(s.ClosingLine), b.x.when(s.WrappedAt), dash(s.ReopenedBy), j.Title(),
		s.Reason}
}

// showWraps says what the states ask of the user; the states themselves are on the board.
func (x *command) showWraps(items []wrapItem) {
	var done, waiting, wentOn []string
	for _, it := range items {
		switch {
		case it.State == wrap.Done:
			done = append(done, it.Short)
		case it.WentOn:
			wentOn = append(wentOn, it.Short)
		case it.State == wrap.Running && it.WrappedAt != nil:
			waiting = append(waiting, it.Short)
		}
	}
	for _, it := range items {
		if it.State == wrap.Done && it.Pinned {
			x.out("%s is DONE and still pinned: ask the user to look at its row (Ctrl+T again unpins; a pinned idle session "+
				"keeps about 200 MB)", it.Short)
		}
	}
	if len(waiting) > 0 {
		x.out("reopened after its wrap: %s; ask the user to pin it again if they wait on it", strings.Join(waiting, " "))
	}
	if len(wentOn) > 0 {
		x.out("wrapped, then went on: %s; what was said since is not part of the wrap: read it before "+
			"you ask for another one", strings.Join(wentOn, " "))
	}
	if len(done) == len(items) {
		x.next("recovery report (archiving is the user's click)")
		return
	}
	x.next("recovery wrap-wait --wait 10m %s, when the open ones have answered", shortsOf(items))
}

func shortsOf(items []wrapItem) string {
	out := make([]string, len(items))
	for i, it := range items {
		out[i] = it.Short
	}
	return strings.Join(out, " ")
}
