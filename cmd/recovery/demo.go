package main

import (
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"time"

	"recovery/fixtures"
	"recovery/internal/claude"
	"recovery/prompts"
	"recovery/wake"

	"github.com/urfave/cli/v2"
)

func (x *command) demoCommand() *cli.Command {
	return &cli.Command{
		Name:      "demo",
		Usage:     "run the whole pipeline on an invented account with a simulated client",
		UsageText: "recovery demo [--keep DIR]",
		Description: `Makes an account of a dozen sessions in a new folder, runs every step on it, and shows each command with its output. No
Claude account of yours is looked at and nothing is sent anywhere.

EXAMPLE:
   recovery demo --keep /tmp/recovery-demo

EXIT STATUS:
   0 every step went as it should; 1 one did not; 2 wrong usage`,
		Flags: []cli.Flag{&cli.StringFlag{Name: "keep",
			Usage: "make the account in `DIR` (new or empty) and leave it there"}},
		Action: x.demo,
	}
}

// demoTiming keeps the demo to a few seconds: its sessions answer within half a second.
var demoTiming = wake.Timing{Proof: 10 * time.Second, Poll: 50 * time.Millisecond, Settle: 300 * time.Millisecond,
	Retry: 100 * time.Millisecond}

func (x *command) demo(c *cli.Context) error {
	if c.Args().Len() > 0 {
		return usagef("demo takes no arguments")
	}
	if x.json {
		return usagef("demo shows commands with what they print; give --json to the commands themselves, on an account " +
			"kept with --keep")
	}
	dir, keep, err := demoFolder(c.String("keep"))
	if err != nil {
		return err
	}
	if !keep {
		defer func() { _ = os.RemoveAll(dir) }()
	}
	fixtures.WorkersBy(simulatedWorker, "--")
	d, err := fixtures.Demo(dir, x.now())
	if err != nil {
		return failf("", "making the demo's account: %w", err)
	}
	defer d.Close()
	client, err := d.Client(simulatedClient, "--")
	if err != nil {
		return failf("", "making the demo's client: %w", err)
	}
	run := &demoRun{x: x, d: d, client: client}
	run.all()
	if keep {
		x.out("\nThe account is kept in %s; look at it with:\n  export %s=%s\n  recovery report", dir, claude.EnvConfigDir,
			d.Claude)
	}
	if run.failed != "" {
		return failf("", "the demo went wrong: %s", run.failed)
	}
	return nil
}

func demoFolder(keep string) (dir string, kept bool, err error) {
	if keep == "" {
		dir, err = os.MkdirTemp("", "recovery-demo-")
		return dir, false, err
	}
	if entries, err := os.ReadDir(keep); err == nil && len(entries) > 0 {
		return "", true, usagef("--keep %s: the folder is not empty", keep)
	}
	if err := os.MkdirAll(keep, 0o700); err != nil {
		return "", true, failf("", "--keep: %w", err)
	}
	dir, err = filepath.Abs(keep)
	return dir, true, err
}

type demoRun struct {
	x      *command
	d      *fixtures.DemoAccount
	client string
	failed string
}

func (r *demoRun) short(part string) string { return r.d.Parts[part].Short }

func (r *demoRun) all() {
	say := func(format string, args ...any) { r.x.out("\n# "+format, args...) }
	say("1. Which sessions are offline? The page was saved from claude.ai.")
	r.step(exitOK, append([]string{"inventory", "--sessions"}, r.d.Pages...)...)
	say("2. May a message wait in one of them? One has a queued yes, one was cut in the middle of a call.")
	r.step(exitNeedsUser, "queue-check", "--events", r.short(fixtures.DemoMigration)+"="+r.d.Events[0])
	say("3. The user read the thread of the one that was cut, and says so.")
	r.step(exitOK, "queue-check", "--confirm", r.short(fixtures.DemoMigration))
	say("4. Wake what passes, five at a time, duplicates first; read and audit every review.")
	r.step(exitNeedsUser, "resume", "--all", "--yes", "--dupes", r.d.Dupes, "--spacing", "0.2", "--wait", "20")
	say("5. One folder was not trusted. The user accepts its key, and it is woken.")
	r.step(exitOK, "trust", r.short(fixtures.DemoWorktree))
	r.step(exitOK, "resume", r.short(fixtures.DemoWorktree), "--wait", "20")
	say("6. The user pins the finished ones and sends them the WRAP message (the demo plays the user here).")
	finished := []string{fixtures.DemoImporter, fixtures.DemoNotes, fixtures.DemoWorktree}
	var shorts []string
	for _, part := range finished {
		r.wrap(part)
		shorts = append(shorts, r.short(part))
	}
	r.step(exitOK, append([]string{"wrap-wait", "--wait", "20"}, shorts...)...)
	say("7. The two lists.")
	r.step(exitOK, "report")
}

func (r *demoRun) wrap(part string) {
	short := r.short(part)
	text, err := prompts.RenderWrap(prompts.Wrap{Short: short})
	if err == nil {
		err = r.d.Pin(short)
	}
	if err == nil {
		err = r.d.Deliver(short, text)
	}
	if err != nil && r.failed == "" {
		r.failed = fmt.Sprintf("delivering WRAP to %s: %v", short, err)
	}
}

// step runs one command on the demo's account, in this process, and shows it as a terminal would.
func (r *demoRun) step(want int, args ...string) {
	if r.failed != "" {
		return
	}
	s := *r.x.sys
	s.environ = append(r.d.Env(), "PATH="+r.x.env("PATH"))
	s.timing = demoTiming
	s.interrupt = nil
	s.stderr, s.oneStream = s.stdout, true
	r.x.out("$ recovery %s", strings.Join(args, " "))
	status := runIn(&s, r.x.ctx, append([]string{"--client", r.client}, args...))
	if status != want {
		r.failed = fmt.Sprintf("`recovery %s` ended with %d and should end with %d", args[0], status, want)
	}
}

// The hidden part of the demo: its client and its sessions are processes of this program.
const (
	simulatedClient = "simulated-client"
	simulatedWorker = "simulated-worker"
)

func (x *command) simulatedClientCommand() *cli.Command {
	return &cli.Command{
		Name:      simulatedClient,
		Usage:     "play the client on a fixture account",
		UsageText: "recovery simulated-client -- ARGUMENTS",
		Hidden:    true,
		Description: `Behaves like the client on an account that the demo made, and refuses every other.

EXAMPLE:
   recovery simulated-client -- --version

EXIT STATUS:
   that of the client`,
		Action: func(c *cli.Context) error {
			fixtures.WorkersBy(simulatedWorker, "--")
			return clientStatus(fixtures.ClientMain(c.Args().Slice(), x.environ, strings.NewReader(""), x.stdout, x.stderr))
		},
	}
}

func (x *command) simulatedWorkerCommand() *cli.Command {
	return &cli.Command{
		Name:      simulatedWorker,
		Usage:     "play a session of a fixture account",
		UsageText: "recovery simulated-worker -- FILE",
		Hidden:    true,
		Description: `Behaves like the process of a session on an account that the demo made, as the task in FILE says.

EXAMPLE:
   recovery simulated-worker -- /tmp/demo/simulated/workers/1.task

EXIT STATUS:
   0 done`,
		Action: func(c *cli.Context) error {
			signal.Reset() // it ends at a signal, as a session's process does
			fixtures.RunWorker(c.Args().First())
			return nil
		},
	}
}
