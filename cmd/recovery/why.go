package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"recovery/internal/account"
	"recovery/internal/text"
	"recovery/inventory"
	"recovery/wake"

	"github.com/urfave/cli/v2"
)

func (x *command) whyCommand() *cli.Command {
	return &cli.Command{
		Name:      "why",
		Usage:     "tell a session's story from the supervisor's log: why it went offline",
		UsageText: "recovery why SHORT...",
		Description: `When it was started, retired (cause and idle time), stopped or crashed, what happened to the supervisor meanwhile, when its
last turn ended and how, and until when its transcript is kept. A crash, a kill and a reboot leave no line.

EXAMPLE:
   recovery why 1a2b3c4d

EXIT STATUS:
   0 told; 1 the account cannot be read; 2 wrong usage; 3 a session's transcript cannot be read`,
		Action: x.why,
	}
}

// whyItem is one row of why's JSON.
type whyItem struct {
	inventory.SessionName
	inventory.Story
	Problem string `json:"problem"`
}

func (x *command) why(c *cli.Context) error {
	if c.Args().Len() == 0 {
		return usagef("why wants the sessions to tell of")
	}
	_, w, jobs, err := x.named(c)
	if err != nil {
		return err
	}
	items, status := []whyItem{}, allDone
	for _, f := range w.All(jobs) {
		it := whyItem{SessionName: w.Name(f.Job), Story: w.Story(f), Problem: f.Problem}
		if f.Problem != "" {
			status = needsUser
		}
		items = append(items, it)
	}
	if x.json {
		if err := x.printJSON(map[string]any{"items": items, "warnings": w.Warnings}); err != nil {
			return err
		}
		return ended(status)
	}
	for _, it := range items {
		x.out("%s  %s", it.Short, text.Line(it.Title))
		for _, l := range it.Lines {
			x.out("    %s  %s", l.At.UTC().Format(time.RFC3339), text.Line(l.What))
		}
		x.out("    %s: %s", it.Ended.Cause, text.Line(it.Ended.Line))
		x.out("    last turn: %s (%s), last entry %s", it.Turn, text.Line(it.TurnWhy), x.when(it.LastEntryAt))
		x.out("    its transcript is kept until %s; the log reaches back to %s", x.when(it.ExpiresAt), x.when(it.LogFrom))
		if it.Problem != "" {
			x.out("    %s", text.Line(it.Problem))
		}
	}
	x.next("recovery queue-check %s", strings.Join(shortsIn(items), " "))
	return ended(status)
}

func shortsIn(items []whyItem) []string {
	out := make([]string, len(items))
	for i, it := range items {
		out[i] = it.Short
	}
	return out
}

func (x *command) pinsCommand() *cli.Command {
	return &cli.Command{
		Name:      "pins",
		Usage:     "who is pinned, whether the pin is proved to hold, and how many more fit",
		UsageText: "recovery pins",
		Description: `For each pinned session: alive or not, how long idle, its memory, and the proof of its pin with a positive control: after
8 h without activity no retire line for it, while an unpinned session was retired. Sessions that cron started run in
cron's own cgroup, so their unit's memory limits do not hold them: size pins against MemAvailable.

EXAMPLE:
   recovery pins

EXIT STATUS:
   0 every pinned session is alive; 1 the account cannot be read; 2 wrong usage; 3 a pinned session is not alive, or its pin
   did not hold`,
		Action: x.pins,
	}
}

// pinItem is one row of pins' JSON.
type pinItem struct {
	inventory.SessionName
	Live        string          `json:"live"`
	IdleSeconds *int64          `json:"idle_seconds"`
	MemoryBytes *int64          `json:"memory_bytes"`
	Proof       inventory.Proof `json:"proof"`
}

func (x *command) pins(c *cli.Context) error {
	if c.Args().Len() > 0 {
		return usagef("pins takes no arguments")
	}
	p, err := x.place(c)
	if err != nil {
		return err
	}
	w, err := x.seeKnown(p)
	if err != nil {
		return err
	}
	pinned, _ := p.account.Pins()
	var jobs []*account.Job
	for _, j := range w.Jobs.List {
		if j.Pinned {
			jobs = append(jobs, j)
		}
	}
	items, status, total := []pinItem{}, allDone, int64(0)
	for _, f := range w.All(jobs) {
		it := pinItem{SessionName: w.Name(f.Job), Live: string(f.Live.State), Proof: w.PinProof(f, pinned)}
		if !f.Tail.LastEntry.IsZero() {
			idle := int64(w.Now.Sub(f.Tail.LastEntry) / time.Second)
			it.IdleSeconds = &idle
		}
		if n, ok := memoryOf(f.Live.PID); ok {
			it.MemoryBytes = &n
			total += n
		}
		if f.Live.State != account.Live {
			status = needsUser
		}
		items = append(items, it)
	}
	free, memErr := x.memory()
	fit := wake.Fit(free)
	var gone []string
	for short := range pinned {
		if w.Jobs.ByShort[short] == nil {
			gone = append(gone, short)
		}
	}
	if x.json {
		v := map[string]any{"items": items, "memory_bytes": total, "mem_available_bytes": free, "fit": fit,
			"without_job": append([]string{}, gone...)}
		if memErr != nil {
			v["mem_available_bytes"], v["fit"] = nil, nil
		}
		if err := x.printJSON(v); err != nil {
			return err
		}
		return ended(status)
	}
	x.showPins(items, gone, total, free, memErr)
	return ended(status)
}

func (x *command) showPins(items []pinItem, gone []string, total, free int64, memErr error) {
	t := rows{header: []string{"SHORT", "LIVE", "IDLE", "MEMORY", "TITLE", "PIN"}}
	for _, it := range items {
		idle, memory := "-", "-"
		if it.IdleSeconds != nil {
			idle = (time.Duration(*it.IdleSeconds) * time.Second).Round(time.Minute).String()
		}
		if it.MemoryBytes != nil {
			memory = fmt.Sprintf("%d MiB", *it.MemoryBytes>>20)
		}
		proof := it.Proof.Reason
		if it.Proof.Proved {
			proof = "proved: " + proof
		}
		t.add(it.Short, it.Live, idle, memory, it.Title, proof)
	}
	if len(t.lines) > 0 {
		x.table(&t)
	}
	if len(gone) > 0 {
		x.out("pinned, but without a job: %s", strings.Join(gone, " "))
	}
	if memErr != nil {
		x.out("%d pinned, %d MiB in all; %v", len(items), total>>20, memErr)
	} else {
		x.out("%d pinned, %d MiB in all; %d MiB available, room for %d more (250 MiB each, 1 GiB stays free)", len(items),
			total>>20, free>>20, wake.Fit(free))
	}
	x.next("to pin or unpin: Ctrl+T on the row in the interactive `claude agents` view")
}

// memoryOf is the resident memory of a process, in bytes.
func memoryOf(pid int) (int64, bool) {
	if pid == 0 {
		return 0, false
	}
	data, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "statm"))
	if err != nil {
		return 0, false
	}
	fields := strings.Fields(string(data))
	if len(fields) < 2 {
		return 0, false
	}
	pages, err := strconv.ParseInt(fields[1], 10, 64)
	return pages * int64(os.Getpagesize()), err == nil
}
