package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"recovery/internal/journal"
	"recovery/internal/text"
	"recovery/report"

	"github.com/urfave/cli/v2"
)

func (x *command) statusCommand() *cli.Command {
	return &cli.Command{
		Name:      "status",
		Usage:     "where each session of this recovery stands, what is owed and what waits for you",
		UsageText: "recovery status [--all]",
		Description: `Open defects first; then, from the account as it is now, the step of each session, what recovery still owes it, what waits for
the user, and what is next; and how many sessions went offline by which cause. A defect stands until it is closed by name:
recovery ack SHORT.

EXAMPLE:
   recovery status

EXIT STATUS:
   0 nothing is open; 1 the journal cannot be read; 2 wrong usage; 3 something is owed or waits for you`,
		Flags:  []cli.Flag{&cli.BoolFlag{Name: "all", Usage: "list the finished recoveries too"}},
		Action: x.statusOf,
	}
}

// statusNow is where this recovery stands now.
func (x *command) statusNow(c *cli.Context, p *place) (report.Status, error) {
	r, err := x.look(c, p)
	if err != nil {
		return report.Status{}, err
	}
	r.book.Prepare(report.Listed(r.inventory, r.state))
	return report.StatusOf(r.inventory, r.state, r.book.Of, x.now().UTC()), nil
}

func (x *command) statusOf(c *cli.Context) error {
	p, err := x.place(c)
	if err != nil {
		return err
	}
	s, err := x.statusNow(c, p)
	if err != nil {
		return err
	}
	var closed []journal.ClosedRecovery
	if c.Bool("all") {
		closed = p.journal.Closed()
	}
	if x.json {
		v := struct {
			report.Status
			Closed []journal.ClosedRecovery `json:"closed"`
		}{s, append([]journal.ClosedRecovery{}, closed...)}
		if err := x.printJSON(v); err != nil {
			return err
		}
	} else {
		x.showStatus(s, closed, c.Bool("all"))
	}
	if s.Open() {
		return ended(needsUser)
	}
	return nil
}

func (x *command) showStatus(s report.Status, closed []journal.ClosedRecovery, all bool) {
	x.showDefects(s.Defects)
	t := rows{header: []string{"SHORT", "STEP", "RUNS", "SINCE", "TITLE", "OWED", "WAITS FOR", "NEXT"}}
	owed, waits := 0, 0
	var why causes
	for _, it := range s.Items {
		why.add(it.Short, it.WaitsFor)
	}
	for _, it := range s.Items {
		runs := it.Live
		if it.Pinned {
			runs += ", pinned"
		}
		t.add(it.Short, string(it.Step), dash(runs), x.when(it.Since), it.Title, dash(it.Owed),
			why.cell(it.Short, it.WaitsFor), dash(it.Next))
		if it.Owed != "" {
			owed++
		}
		if it.WaitsFor != "" {
			waits++
		}
	}
	if len(t.lines) > 0 {
		x.table(&t)
	}
	for _, line := range why.legend() {
		x.out("%s", line)
	}
	if s.DeferredUntil != nil {
		x.out("the service's limit is over at %s; nothing is started before", s.DeferredUntil.UTC().Format(time.RFC3339))
	}
	if len(s.Causes) > 0 {
		x.out("went offline: %s; last turn cut: %s", counts(s.Causes), counts(s.Cut))
	}
	if s.NewerEvents > 0 {
		x.out("%d events in the journal were written by a newer recovery and are not understood here", s.NewerEvents)
	}
	if all {
		for _, r := range closed {
			if r.Problem != "" {
				x.out("finished: %s, which cannot be read: %s", r.Path, r.Problem)
				continue
			}
			x.out("finished: %s to %s, %d events, %s", r.From.UTC().Format(time.RFC3339), r.To.UTC().Format(time.RFC3339),
				r.Events, r.Path)
		}
		if len(closed) == 0 {
			x.out("no finished recovery is kept")
		}
	}
	x.out("%s: %d owed something, %d wait for you, %d open defects", text.Plural(len(s.Items), "session"), owed, waits,
		len(s.Defects))
	x.next("%s", text.Line(s.Next))
}

func counts(m map[string]int) string {
	var keys []string
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	parts := make([]string, len(keys))
	for i, k := range keys {
		parts[i] = fmt.Sprintf("%d %s", m[k], k)
	}
	return dash(strings.Join(parts, ", "))
}

func (x *command) eventsCommand() *cli.Command {
	return &cli.Command{
		Name:      "events",
		Usage:     "print the journal",
		UsageText: "recovery events [--limit N] [--reverse] [--type T] [--session SHORT]",
		Description: `One line an event, oldest first: number, time, type, session, and what it says.

EXAMPLE:
   recovery events --reverse --limit 20
   recovery events --type defect

EXIT STATUS:
   0 printed; 1 the journal cannot be read; 2 wrong usage`,
		Flags: []cli.Flag{
			&cli.IntFlag{Name: "limit", Usage: "at most `N` events; 0 is all"},
			&cli.BoolFlag{Name: "reverse", Usage: "newest first"},
			&cli.StringFlag{Name: "type", Usage: "only events of the type `T`"},
			&cli.StringFlag{Name: "session", Usage: "only events of the session `SHORT`"},
		},
		Action: x.events,
	}
}

func (x *command) events(c *cli.Context) error {
	if c.Int("limit") < 0 {
		return usagef("--limit wants a number that is not negative")
	}
	if c.Args().Len() > 0 {
		return usagef("events takes no arguments; --session SHORT picks a session")
	}
	p, err := x.place(c)
	if err != nil {
		return err
	}
	all, err := p.journal.Read()
	if err != nil {
		return err
	}
	short, err := sessionOf(all, c.String("session"))
	if err != nil {
		return err
	}
	picked := []journal.Event{}
	for _, e := range all {
		if t := c.String("type"); t != "" && string(e.Type) != t || short != "" && e.Session != short {
			continue
		}
		picked = append(picked, e)
	}
	if c.Bool("reverse") {
		slices.Reverse(picked)
	}
	if n := c.Int("limit"); n > 0 && n < len(picked) {
		picked = picked[:n]
	}
	if x.json {
		return x.printJSON(map[string]any{"items": eventItems(picked, journal.Replay(all)), "found": len(all)})
	}
	t := rows{header: []string{"SEQ", "AT", "TYPE", "SESSION", "WHAT"}}
	for _, e := range picked {
		t.add(fmt.Sprint(e.Seq), e.At.UTC().Format(time.RFC3339), string(e.Type), dash(e.Session), summary(e))
	}
	if len(t.lines) > 0 {
		x.table(&t)
	}
	x.out("%d of %d events", len(picked), len(all))
	x.next("recovery status")
	return nil
}

// eventItem is one event as events prints it; an event of no session has no short.
type eventItem struct {
	Seq       int64           `json:"seq"`
	At        time.Time       `json:"at"`
	Type      journal.Type    `json:"type"`
	Short     *string         `json:"short"`
	SessionID *string         `json:"session_id"`
	Link      *string         `json:"link"`
	Data      json.RawMessage `json:"data"`
}

func eventItems(events []journal.Event, state *journal.State) []eventItem {
	out := make([]eventItem, len(events))
	for i, e := range events {
		out[i] = eventItem{Seq: e.Seq, At: e.At, Type: e.Type, Data: e.Data}
		if e.Session == "" {
			continue
		}
		out[i].Short = &e.Session
		if wakes := state.Session(e.Session).Wakes; len(wakes) > 0 {
			last := wakes[len(wakes)-1]
			out[i].SessionID = &last.SessionID
			if last.Link != "" {
				out[i].Link = &last.Link
			}
		}
	}
	return out
}

// sessionOf finds a session of the journal by its short or a unique beginning: its job may be gone from the account.
func sessionOf(events []journal.Event, typed string) (string, error) {
	if typed == "" {
		return "", nil
	}
	want, _, _ := strings.Cut(strings.ToLower(typed), "-")
	found := map[string]bool{}
	for _, e := range events {
		if e.Session == want {
			return want, nil
		}
		if len(want) >= 4 && strings.HasPrefix(e.Session, want) {
			found[e.Session] = true
		}
	}
	if len(found) == 1 {
		for s := range found {
			return s, nil
		}
	}
	if len(found) > 1 {
		return "", usagef("%q fits several sessions of the journal; give more digits", typed)
	}
	return "", usagef("the journal has no event of a session %q", typed)
}

// summary says in one line what an event holds; a prompt is told by its id, not by its text.
func summary(e journal.Event) string {
	var m map[string]any
	if json.Unmarshal(e.Data, &m) != nil {
		return "data that cannot be read"
	}
	var parts []string
	for _, key := range []string{"command", "verdict", "codes", "outcome", "state", "code", "kind", "prompt_id",
		"answered", "writes", "unknown", "until", "why", "what", "user", "agent", "reasons", "reason", "text", "detail",
		"count", "closing_line"} {
		v, ok := m[key]
		if !ok || v == nil || v == "" || v == false {
			continue
		}
		parts = append(parts, key+": "+text.Clip(fmt.Sprint(v), 120))
	}
	return strings.Join(parts, ", ")
}
