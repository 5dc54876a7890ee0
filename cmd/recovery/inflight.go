package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"recovery/inflight"
	"recovery/internal/account"
	"recovery/internal/claude"
	"recovery/internal/journal"
	"recovery/internal/sources"
	"recovery/internal/sources/files"
	"recovery/internal/text"
	"recovery/inventory"

	"github.com/urfave/cli/v2"
)

func (x *command) inflightCommand() *cli.Command {
	return &cli.Command{
		Name:      "inflight",
		Usage:     "list the unfinished work of other systems on this machine, and of this account",
		UsageText: "recovery inflight [--source NAME]... [--root DIR]... [--all] [--pick N]",
		Description: `What it is, how it stopped (in its system's own word), whether continuing it is safe, what it waits for, its age and folder, and
the command with what it does. It only looks: nothing is started, written or created. The sources are ` + strings.Join(sourceNames(), ", ") + `;
the last is this account's own jobs, and work that belongs to one of them is told once, with that session's name on it.

The verdict: live, leave it alone; safe, the command does no more than continue it; person, it waits for an answer or a
decision; time, it waits for a time; unsafe, the obvious command would end or repeat it; done; unreadable.

Looked at are the usual places of each system, the current folder, the folders of this account's jobs, and each --root (a
project, a home, a system's own folder or file). The newest activity stands first, at most 20 a source; --all lists
everything, finished work too. --pick N prints all of row N of the list that the same flags give.

EXAMPLE:
   recovery inflight
   recovery inflight --source babysitter --root ~/work --pick 1

EXIT STATUS:
   0 listed, or there is none; 1 no row has the number of --pick; 2 wrong usage, or a store that exists cannot be read (the
   others are listed); 3 a row cannot be read`,
		Flags: []cli.Flag{
			&cli.StringSliceFlag{Name: "source", Usage: "only the source `NAME`; may be given several times"},
			&cli.StringSliceFlag{Name: "root", Usage: "look in `DIR` too; may be given several times"},
			&cli.BoolFlag{Name: "all", Aliases: []string{"a"}, Usage: "finished work too, and without the limit of 20 a source"},
			&cli.StringFlag{Name: "pick", Usage: "print all of row `N`"},
		},
		Action: x.inflight,
	}
}

func sourceNames() []string {
	var names []string
	for _, s := range inflight.Sources(inflight.Account{}) {
		names = append(names, s.Name)
	}
	return names
}

func (x *command) inflight(c *cli.Context) error {
	if c.Args().Len() > 0 {
		return usagef("inflight takes no arguments; a folder to look in goes behind --root")
	}
	wanted := c.StringSlice("source")
	for _, name := range wanted {
		if !slices.Contains(sourceNames(), name) {
			return usagef("no source %q; the sources are %s", name, strings.Join(sourceNames(), ", "))
		}
	}
	roots, err := x.roots(c.StringSlice("root"))
	if err != nil {
		return err
	}
	processes := x.processes()
	a := inflight.See(x.env(claude.EnvConfigDir), x.home(), func(a *account.Account) (*inventory.World, error) {
		w, err := inventory.See(a, processes, x.now().UTC())
		if err == nil {
			w.BabysitterDir = x.env("BABYSITTER_STATE_DIR")
			know(w, journal.WorkIn(filepath.Join(a.Dir, journal.WorkDir)))
		}
		return w, err
	})
	var chosen []sources.Source
	for _, s := range inflight.Sources(a) {
		if len(wanted) == 0 || slices.Contains(wanted, s.Name) {
			chosen = append(chosen, s)
		}
	}
	l := inflight.Find(sources.Machine{
		Home: x.home(), Cwd: x.cwd, Getenv: x.env, Now: x.now().UTC(), Process: processOf(processes), Roots: roots,
		Folders: a.Folders(), All: c.Bool("all"),
	}, a, chosen)
	first := 1
	if c.IsSet("pick") {
		n, err := strconv.Atoi(strings.TrimSpace(c.String("pick")))
		switch {
		case len(l.Rows) == 0:
			return failf(inflightLine(c), "there is no row to pick: nothing is listed")
		case err != nil || n < 1 || n > len(l.Rows):
			return failf(inflightLine(c), "--pick wants the number of a row, from 1 to %d, not %q", len(l.Rows),
				c.String("pick"))
		}
		l.Rows, first = l.Rows[n-1:n], n
	}
	switch {
	case x.json:
		err = x.printJSON(x.inflightJSON(&l, first))
	case c.IsSet("pick"):
		x.told(&l)
		x.out("%s", strings.TrimRight(l.Rows[0].Box(), "\n"))
	default:
		x.showInflight(&l, c)
	}
	if err != nil {
		return err
	}
	switch {
	case len(l.Problems) > 0:
		return ended(wrongUsage)
	case l.Unreadable():
		return ended(needsUser)
	}
	return nil
}

// roots makes the folders that the user named absolute. One that is not there is a slip of the keyboard; one that
// cannot be looked at is told by the sources.
func (x *command) roots(named []string) ([]string, error) {
	var out []string
	for _, dir := range named {
		if dir == "" {
			return nil, usagef("--root wants a folder")
		}
		path := dir
		if !filepath.IsAbs(path) && x.cwd != "" {
			path = filepath.Join(x.cwd, path)
		}
		path, err := filepath.Abs(path)
		if err != nil {
			return nil, failf("", "the folder %s: %w", dir, err)
		}
		if _, err := os.Lstat(path); files.Absent(err) {
			return nil, usagef("--root %s: there is no such folder (%s)", dir, path)
		}
		out = append(out, path)
	}
	return out, nil
}

// processOf looks process ids up in the table. Without a table it is nil: that nothing is found there proves nothing.
func processOf(table account.Processes) func(int) sources.Process {
	if table.Problem != "" {
		return nil
	}
	return func(pid int) sources.Process {
		row, known := table.ByPID[pid]
		switch {
		case known:
			return sources.Process{Running: !row.Zombie, Started: row.Started}
		case table.Exists != nil && table.Exists(pid):
			return sources.Process{Running: true} // it came up after the table was read
		case table.OwnOnly:
			// Other users' processes are hidden. Signal 0 is none; it is refused for a process that is there and another's.
			return sources.Process{Running: syscall.Kill(pid, 0) == syscall.EPERM}
		}
		return sources.Process{}
	}
}

// inflightLine is the command with the flags that it was given, without --pick.
func inflightLine(c *cli.Context) string {
	words := []string{"recovery", "inflight"}
	for _, name := range c.StringSlice("source") {
		words = append(words, "--source", name)
	}
	for _, dir := range c.StringSlice("root") {
		words = append(words, "--root", text.ShellWord(dir))
	}
	if c.Bool("all") {
		words = append(words, "--all")
	}
	return strings.Join(words, " ")
}

// told prints what could not be read, as warnings.
func (x *command) told(l *inflight.List) {
	for _, w := range l.Warnings {
		x.say("warning: %s", oneLine(w))
	}
	for _, p := range l.Problems {
		x.say("warning: %s: %s: %s; next: %s", p.Source, oneLine(p.Store), oneLine(p.Cause), oneLine(p.Next))
	}
}

func (x *command) showInflight(l *inflight.List, c *cli.Context) {
	x.told(l)
	t := rows{header: []string{"#", "SOURCE", "STATE", "VERDICT", "AGE", "TITLE", "WAITS FOR", "FOLDER"}}
	if !x.terminal {
		t.header = append(t.header, "ID", "CLAUDE SESSION", "COMMAND", "EFFECT")
	}
	for i, r := range l.Rows {
		source := r.Source
		if r.FormatInferred && !x.terminal {
			source += " (format inferred)"
		}
		cells := []string{strconv.Itoa(i + 1), source, dash(r.State), string(r.Verdict), x.when(&r.UpdatedAt), dash(r.Title),
			dash(r.WaitsFor), dash(r.Cwd)}
		if !x.terminal {
			command, effect := "-", "-"
			if m, ok := r.Main(); ok {
				command, effect = m.Command, m.Effect
			}
			cells = append(cells, r.ID, dash(r.Session()), command, effect)
		}
		t.add(cells...)
	}
	if len(t.lines) > 0 {
		x.table(&t)
	}
	if x.terminal {
		x.showCommands(l)
	}
	for _, n := range l.None {
		x.out("%s: %s", n.Source, noneWords(n, l.Looked, c.Bool("all")))
	}
	var left []string
	for _, o := range l.LeftOut {
		left = append(left, fmt.Sprintf("%d %s (%s)", o.Count, o.Reason, o.Source))
	}
	x.out("found %d: %d listed, left out: %s", l.Found, len(l.Rows), dash(strings.Join(left, ", ")))
	switch typed := inflightLine(c); {
	case len(l.Problems) > 0:
		x.next("%s", l.Problems[0].Next)
	case len(l.Rows) > 0:
		x.next("%s --pick 1", typed)
	case !c.Bool("all"):
		x.next("%s --all", typed)
	default:
		x.next("recovery inventory")
	}
}

// showCommands prints under a terminal's table what would not stay whole in a narrow column: why, and what to type.
func (x *command) showCommands(l *inflight.List) {
	for i, r := range l.Rows {
		name := oneLine(r.ID)
		if r.FormatInferred {
			name += " (format inferred)"
		}
		if s := r.Session(); s != "" && (r.Claude != nil || s != r.ID) {
			name += ", Claude session " + oneLine(s)
		}
		x.out("%3d  %s", i+1, name)
		x.out("     %s", oneLine(r.Reason))
		if m, ok := r.Main(); ok {
			x.out("     %s", m.Command)
			x.out("       %s", oneLine(m.Effect))
		}
	}
}

// placesShown is how many places a line of "none" names; an account's jobs can work in hundreds of folders.
const placesShown = 4

// noneWords says why a source has no unfinished work, where was looked, and how to see what it had.
func noneWords(n inflight.None, looked []inflight.Place, all bool) string {
	var at []string
	missing := 0
	for _, p := range looked {
		if p.Source == n.Source {
			at = append(at, oneLine(p.Path))
			if p.Missing {
				missing++
			}
		}
	}
	places, total := strings.Join(at[:min(len(at), placesShown)], ", "), len(at)
	if total > placesShown {
		places += fmt.Sprintf(" and %d more", total-placesShown)
	}
	words := "nothing unfinished at " + places
	if missing == total {
		return "none found at " + places + ": " + oneLine(n.Why)
	}
	if missing > 0 {
		words += fmt.Sprintf(" (%d of these %d are not there)", missing, total)
	}
	words += ": " + oneLine(n.Why)
	if !all {
		words += "; history: " + n.History
	}
	return words
}
