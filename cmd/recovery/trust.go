package main

import (
	"fmt"
	"os"
	"path/filepath"

	"recovery/internal/account"
	"recovery/internal/journal"
	"recovery/internal/text"
	"recovery/inventory"
	"recovery/wake"

	"github.com/urfave/cli/v2"
)

func (x *command) trustCommand() *cli.Command {
	return &cli.Command{
		Name:      "trust",
		Usage:     "accept the trust key of a session's folder, for the user alone",
		UsageText: "recovery trust [--default-cwd DIR] [--as-user] SHORT...",
		Description: `Sets projects["<folder>"].hasTrustDialogAccepted in .claude.json, for the root of the session's
repository; for a worktree, for its main checkout, unless its own key is set. For a job without a folder it is the folder of
--default-cwd, as for ` + "`resume`" + `. The file is backed up into the work folder and replaced atomically; nothing else in it changes.

EXAMPLE:
   recovery trust 1a2b3c4d && recovery resume 1a2b3c4d

EXIT STATUS:
   0 the keys are set; 1 a key could not be set, or the account is locked; 2 wrong usage; 3 refused inside a Claude
   session, or in another user's account`,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "default-cwd", Usage: "the `DIR` that a job is woken from that has none saved"},
			asUserFlag(),
		},
		Action: x.trust,
	}
}

// The outcomes of a trust key.
const (
	trustAccepted = "accepted"
	trustAlready  = "already"
	trustFailed   = "failed"
)

// trustItem is one row of trust's JSON.
type trustItem struct {
	inventory.SessionName
	Key string `json:"key"`
	// Outcome is one of the trust constants.
	Outcome string `json:"outcome"`
	Backup  string `json:"backup"`
	Reason  string `json:"reason"`
}

func (x *command) trust(c *cli.Context) error {
	if c.Args().Len() == 0 {
		return usagef("trust wants the sessions whose folder is to be trusted")
	}
	defaultDir, err := defaultCwd(c)
	if err != nil {
		return err
	}
	p, w, jobs, err := x.named(c)
	if err != nil {
		return err
	}
	if err := x.mine(p); err != nil {
		return err
	}
	agent, err := x.userOnly(c, "trust")
	if err != nil {
		return err
	}
	release, err := x.lock(p, "trust")
	if err != nil {
		return err
	}
	defer release()
	state, err := p.state()
	if err != nil {
		return err
	}
	items, status := []trustItem{}, allDone
	for _, j := range jobs {
		it, err := x.trustOne(p, w, j, defaultDir, state.Session(j.Short).Refused, agent)
		if err != nil {
			return err
		}
		if it.Outcome == trustFailed {
			status = failed
		}
		items = append(items, it)
	}
	if x.json {
		if err := x.printJSON(map[string]any{"items": items}); err != nil {
			return err
		}
	} else {
		x.showTrust(items, state, defaultDir)
	}
	return ended(status)
}

// defaultCwd is the folder of --default-cwd, absolute; empty without the flag.
func defaultCwd(c *cli.Context) (string, error) {
	typed := c.String("default-cwd")
	if typed == "" {
		return "", nil
	}
	abs, err := filepath.Abs(typed)
	if err != nil {
		return "", usagef("--default-cwd: %v", err)
	}
	if info, err := os.Stat(abs); err != nil || !info.IsDir() {
		return "", usagef("--default-cwd %s is no folder", typed)
	}
	return abs, nil
}

// trustOne accepts the key of the folder that a session is woken from. What is about to be done is on record before
// the file is changed; when it fails, what the record said of the session before stands again.
func (x *command) trustOne(p *place, w *inventory.World, j *account.Job, defaultDir string,
	refused *journal.RefusedData,
	agent bool,
) (trustItem, error) {
	it := trustItem{SessionName: w.Name(j), Outcome: trustFailed}
	if j.Cwd == "" && defaultDir == "" {
		it.Reason = fmt.Sprintf("the job has no folder of its own and is woken from the home folder; "+
			"to trust that one: recovery %s; a narrower one is given to `recovery resume` as well",
			text.ShellLine(p.account.TrustArgs(j, "")...))
		return it, nil
	}
	t := p.account.Trust(p.account.WakeFolder(j, defaultDir))
	it.Key = t.Key
	switch {
	case t.Accepted:
		it.Outcome = trustAlready
		return it, nil
	case t.Problem != "":
		it.Reason = t.Problem
		return it, nil
	}
	act := journal.RunData{Command: "trust", User: x.user, Agent: agent, Detail: t.Key}
	if err := p.journal.Append(journal.Trusted, j.Short, act); err != nil {
		return it, err
	}
	backup, err := wake.AcceptTrust(p.account, p.folder, t.Key, x.now())
	if err == nil {
		it.Outcome, it.Backup = trustAccepted, backup
		return it, nil
	}
	it.Reason = err.Error()
	if refused != nil {
		return it, p.journal.Append(journal.TurnedAway, j.Short, refused)
	}
	return it, nil
}

func (x *command) showTrust(items []trustItem, state *journal.State, defaultDir string) {
	t := rows{header: []string{"SHORT", "OUTCOME", "FOLDER", "BACKUP", "WHY"}}
	var failed, plain, nudged []string
	for _, it := range items {
		t.add(it.Short, it.Outcome, it.Key, dash(it.Backup), dash(it.Reason))
		switch {
		case it.Outcome == trustFailed:
			failed = append(failed, it.Short)
		case state.Session(it.Short).SavedPrompt() != "":
			nudged = append(nudged, it.Short)
		default:
			plain = append(plain, it.Short)
		}
	}
	x.table(&t)
	resume := func(shorts []string, flags ...string) {
		if len(shorts) == 0 {
			return
		}
		if defaultDir != "" {
			flags = append(flags, "--default-cwd", defaultDir)
		}
		x.next("recovery %s", text.ShellLine(append(append([]string{"resume"}, flags...), shorts...)...))
	}
	resume(plain)
	resume(nudged, "--nudge")
	if len(failed) > 0 {
		x.next("recovery %s", text.ShellLine(append([]string{"queue-check"}, failed...)...))
	}
}
