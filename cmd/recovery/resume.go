package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"math/big"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"recovery/internal/audit"
	"recovery/internal/journal"
	"recovery/internal/remote"
	"recovery/inventory"
	"recovery/queuecheck"
	"recovery/standing"
	"recovery/wake"

	"github.com/urfave/cli/v2"
)

// The values of --prompt.
const (
	promptReview = "review"
	promptPrep   = "prep"
)

const (
	defaultMaxAge  = 60 * time.Minute
	defaultSpacing = 8 * time.Second
	defaultWait    = 10 * time.Minute
	defaultBatch   = 5
)

func (x *command) resumeCommand() *cli.Command {
	return &cli.Command{
		Name:      "resume",
		Usage:     "wake sessions that passed with a read-only review, in batches, and audit what they do",
		UsageText: "recovery resume SHORT... | --all [--yes] [flags]",
		Description: `Wakes only sessions that pass the queue check as it is right before the call, or that the user confirmed; never a live
one, never the same one twice. Duplicates go before their owner. After each batch the reviews are read and every tool
call is judged. Any defect stops the run. --all prints its plan; --all --yes acts on it.

With --prompt prep, sessions whose review says OWNER are asked for their final plan, under the same rules: once behind a review,
for reading only. What the text holds is that of ` + "`recovery message prep`" + `; --data gives it the same data.

EXAMPLE:
   recovery resume 1a2b3c4d 5e6f7a8b --dupes dupes.yaml
   recovery resume --prompt prep 1a2b3c4d
   recovery resume --all --yes

EXIT STATUS:
   0 all were woken and answered; 1 a start failed, or the account is locked; 2 wrong usage; 3 a session was refused or
   needs the user; 4 time was up and a review is unanswered; 5 a safety defect (copy, write, replay, joined or foreign
   message); 130 interrupted`,
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "all", Usage: "every listed session that passes; prints the plan unless --yes is given"},
			&cli.BoolFlag{Name: "yes", Usage: "with --all: act on the plan (for the user alone)"},
			&cli.StringFlag{Name: "dupes", Usage: "a YAML or JSON `FILE` {short: text}: what each duplicate is told of its " +
				"owner's open items"},
			&cli.StringFlag{Name: "prompt", Usage: "which prompt is sent: `review` or prep", Value: promptReview},
			&cli.StringFlag{Name: "data", Usage: "with --prompt prep: a YAML or JSON `FILE` {short: text, all: text}: data " +
				"for the plan"},
			&cli.StringFlag{Name: "default-cwd", Usage: "the `DIR` to wake a job from that has none saved",
				DefaultText: "the home folder"},
			&cli.IntFlag{Name: "batch", Usage: "how many sessions are started before their reviews are read",
				Value: defaultBatch},
			spanFlag("spacing", defaultSpacing, "pause between two starts"),
			spanFlag("wait", defaultWait, "how long to wait for the reviews of a batch"),
			spanFlag("max-age", defaultMaxAge, "how old evidence and a confirmation may be"),
			&cli.BoolFlag{Name: "nudge",
				Usage: "for sessions in which the review is saved already: wake them with a short text"},
			&cli.BoolFlag{Name: "again", Usage: "allow a second review of the sessions that are named (for the user alone)"},
			&cli.BoolFlag{Name: "dry-run", Usage: "say what would be done, send nothing"},
			rulesFlag(),
			asUserFlag(),
		},
		Action: x.resume,
	}
}

func (x *command) resume(c *cli.Context) error {
	p, err := x.place(c)
	if err != nil {
		return err
	}
	if err := resumeUsage(c); err != nil {
		return err
	}
	if err := x.mine(p); err != nil {
		return err
	}
	inv, err := loadInventory(p)
	if err != nil {
		return err
	}
	w, err := x.see(p)
	if err != nil {
		return err
	}
	named, err := findJobs(w, c.Args().Slice())
	if err != nil {
		return err
	}
	if len(named) == 0 && !c.Bool("all") {
		pass, err := x.passing(p, w, inv, spanOf(c, "max-age"))
		if err != nil {
			return err
		}
		return usagef("name the sessions to wake, or give --all; these pass now: %s", pass)
	}
	opts, err := x.resumeOptions(c, w)
	if err != nil {
		return err
	}
	rules, err := loadRules(c)
	if err != nil {
		return err
	}
	shorts := chosen(inv, named)
	if !opts.DryRun {
		release, err := x.lock(p, "resume")
		if err != nil {
			return err
		}
		defer release()
		if err := x.openElsewhere(p); err != nil {
			return err
		}
		if err := x.recordRun(p, c, opts); err != nil {
			return err
		}
	}
	r := x.newRun(p, inv, opts, rules, x.clientPath(c))
	res, err := r.Do(x.ctx, shorts)
	if err != nil {
		return err
	}
	if x.ctx.Err() != nil {
		x.say("%s", owed(res))
	}
	x.nextAfter(c, p, &res)
	if x.json {
		if err := x.printJSON(res); err != nil {
			return err
		}
	} else {
		x.showResume(res, opts)
	}
	return ended(resumeOutcome(res))
}

// nextAfter gives each session that a run began, or turned away for more than its queue check, the one next that
// every other command gives it now.
func (x *command) nextAfter(c *cli.Context, p *place, res *wake.Result) {
	r, err := x.look(c, p)
	if err != nil {
		x.say("what is next for each session cannot be told: %v; look with: recovery status", err)
		return
	}
	for i := range res.Items {
		it := &res.Items[i]
		if it.Outcome == journal.Planned {
			continue
		}
		st := r.book.Of(it.Short)
		if !it.Began() && (it.Outcome != journal.Refused || ownNext[st.Place]) {
			continue
		}
		if !st.Next.IsZero() {
			it.Next = st.Next.String()
		}
	}
}

// ownNext are the places that the queue check alone decides. A session that was turned away there keeps the run's own
// next, which holds the flags that were typed.
var ownNext = map[standing.Place]bool{
	standing.Pass: true, standing.Confirmed: true, standing.Check: true, standing.Blocked: true, standing.NotSent: true,
	standing.Listed: true,
}

// recordRun writes down who started the run, and with which of the flags that only the user may give.
func (x *command) recordRun(p *place, c *cli.Context, opts wake.Options) error {
	var flags []string
	for _, f := range []string{"all", "yes", "again", "nudge", "as-user"} {
		if c.Bool(f) {
			flags = append(flags, "--"+f)
		}
	}
	if opts.Prep {
		flags = append(flags, "--prompt prep")
	}
	return p.journal.Append(journal.RunStarted, "", journal.RunData{Command: "resume", User: x.user, Agent: opts.Agent,
		Detail: strings.Join(flags, " ")})
}

func resumeUsage(c *cli.Context) error {
	switch {
	case c.Bool("all") && c.Args().Len() > 0:
		return usagef("give --all or the sessions, not both")
	case c.Bool("yes") && !c.Bool("all"):
		return usagef("--yes goes with --all")
	case c.Int("batch") < 1:
		return usagef("--batch wants a number of at least 1")
	}
	prep := c.String("prompt") == promptPrep
	switch {
	case !prep && c.String("prompt") != promptReview:
		return usagef("--prompt wants %s or %s, not %q", promptReview, promptPrep, c.String("prompt"))
	case prep && (c.Bool("all") || c.Args().Len() == 0):
		return usagef("--prompt prep goes with the sessions named: those whose review says OWNER; `recovery report` lists " +
			"them")
	case prep && c.Bool("nudge"):
		return usagef("--nudge asks for the reply to the prompt that is saved, whichever it is; give it without --prompt")
	case prep && c.String("dupes") != "":
		return usagef("--dupes is for reviews; a plan gets its data with --data")
	case !prep && c.String("data") != "":
		return usagef("--data goes with --prompt prep")
	}
	return nil
}

func (x *command) resumeOptions(c *cli.Context, w *inventory.World) (opts wake.Options, err error) {
	opts = wake.Options{
		DryRun: c.Bool("dry-run") || c.Bool("all") && !c.Bool("yes"), Nudge: c.Bool("nudge"), Again: c.Bool("again"),
		Named:      !c.Bool("all"),
		DefaultCwd: c.String("default-cwd"), Batch: c.Int("batch"), Spacing: spanOf(c, "spacing"), Wait: spanOf(c, "wait"),
		MaxAge: spanOf(c, "max-age"), User: x.user, Prep: c.String("prompt") == promptPrep,
	}
	for _, flag := range []string{"yes", "again"} {
		if !c.Bool(flag) {
			continue
		}
		agent, err := x.userOnly(c, "--"+flag)
		if err != nil {
			return opts, err
		}
		opts.Agent = opts.Agent || agent
	}
	if opts.DefaultCwd, err = defaultCwd(c); err != nil {
		return opts, err
	}
	if opts.Data, err = x.data(c, w); err != nil {
		return opts, err
	}
	opts.DataArgs = dataArgs(c)
	if name := c.String("dupes"); name != "" {
		data, err := os.ReadFile(name)
		if err != nil {
			return opts, failf("", "reading the dupes file: %w", err)
		}
		if opts.Dupes, err = wake.ParseDupes(name, data, w.Jobs); err != nil {
			return opts, failf("", "%w", err)
		}
	}
	return opts, nil
}

// owed says in one line what an interrupted run leaves to be done.
func owed(res wake.Result) string {
	var unread, open, left []string
	for _, it := range res.Items {
		switch {
		case it.Outcome == journal.Woken && (it.Review == nil || !it.Review.Answered):
			unread = append(unread, it.Short)
		case it.Outcome == journal.Uncertain:
			open = append(open, it.Short)
		case res.Interrupted && it.Outcome == journal.NotStarted:
			left = append(left, it.Short)
		}
	}
	return fmt.Sprintf("interrupted; reviews to be read: %s; outcome not known: %s; not started: %s; next: "+
		"recovery status",
		dash(strings.Join(unread, " ")), dash(strings.Join(open, " ")), dash(strings.Join(left, " ")))
}

// passing says what of the listed sessions passes now, in words: a few of them by name.
func (x *command) passing(p *place, w *inventory.World, inv *inventory.Inventory, maxAge time.Duration) (string,
	error) {
	events, err := p.journal.Read()
	if err != nil {
		return "", err
	}
	r := x.recordAged(p, w, inv, audit.Default(), events, maxAge)
	shorts := chosen(inv)
	r.book.Prepare(shorts)
	var out []string
	for _, short := range shorts {
		if v := r.book.Of(short).Check; v != nil && (v.Verdict == queuecheck.Pass || v.Verdict == queuecheck.Confirmed) {
			out = append(out, short)
		}
	}
	if n := len(out) - mostNamed; n > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(out[:mostNamed], " "), n), nil
	}
	return dash(strings.Join(out, " ")), nil
}

// clientPath resolves the client once, against this program's own PATH: the call runs in the session's folder.
func (x *command) clientPath(c *cli.Context) string {
	path := c.String("client")
	if found, err := exec.LookPath(path); err == nil {
		path = found
	}
	if abs, err := filepath.Abs(path); err == nil && strings.ContainsRune(path, filepath.Separator) {
		path = abs
	}
	return path
}

func (x *command) newRun(p *place, inv *inventory.Inventory, opts wake.Options, rules *audit.Rules,
	client string) *wake.Run {
	return &wake.Run{
		Account: p.account, Journal: p.journal, Inventory: inv, See: func() (*inventory.World, error) { return x.see(p) },
		Events: func(short string) (*remote.Events, error) { return loadEvents(p, short) },
		Reload: func() (*inventory.Inventory, error) { return loadInventory(p) }, Rules: rules,
		Client:  x.probed(wake.Program(client)),
		Environ: x.environ, Memory: x.memory, NewID: newUUID, Jitter: jitter, Self: x.selfSession(),
		Clock: wake.Clock{Now: x.now, Sleep: x.sleep}, Timing: x.timing, Options: opts, Tell: x.say,
	}
}

// probed puts the test's probe around each wake.
func (x *command) probed(client wake.Client) wake.Client {
	if x.probe == nil {
		return client
	}
	return func(ctx context.Context, c wake.Call) wake.Said {
		x.probe("before the call")
		said := client(ctx, c)
		x.probe("after the call")
		return said
	}
}

// newUUID is a random (version 4) UUID.
func newUUID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails since Go 1.24
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// jitter spreads a pause by up to a quarter, so that two machines do not start in step.
func jitter(d time.Duration) time.Duration {
	if d <= 0 {
		return d
	}
	n, err := rand.Int(rand.Reader, big.NewInt(int64(d)/4+1))
	if err != nil {
		return d
	}
	return d + time.Duration(n.Int64())
}
