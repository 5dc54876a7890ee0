package main

import (
	"strings"

	"recovery/internal/journal"
	"recovery/wake"

	"github.com/urfave/cli/v2"
)

func (x *command) trustCommand() *cli.Command {
	return &cli.Command{
		Name:      "trust",
		Usage:     "accept the trust key of a session's folder, for the user alone",
		UsageText: "recovery trust [--as-user] SHORT...",
		Description: `Sets projects["<folder>"].hasTrustDialogAccepted in .claude.json, for the root of the session's repository; for a worktree,
for its main checkout. The file is backed up into the work folder and replaced atomically; nothing else in it changes.

EXAMPLE:
   recovery trust 1a2b3c4d && recovery resume 1a2b3c4d

EXIT STATUS:
   0 the keys are set; 1 a key could not be set, or the account is locked; 2 wrong usage; 3 refused inside a Claude session`,
		Flags:  []cli.Flag{asUserFlag()},
		Action: x.trust,
	}
}

// trustItem is one row of trust's JSON.
type trustItem struct {
	sessionName
	Key string `json:"key"`
	// Outcome is accepted, already or failed.
	Outcome string `json:"outcome"`
	Backup  string `json:"backup"`
	Reason  string `json:"reason"`
}

func (x *command) trust(c *cli.Context) error {
	if c.Args().Len() == 0 {
		return usagef("trust wants the sessions whose folder is to be trusted")
	}
	p, _, jobs, err := x.named(c)
	if err != nil {
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
	items, status := []trustItem{}, exitOK
	for _, j := range jobs {
		it := trustItem{sessionName: nameOf(j)}
		t := p.account.Trust(j.Cwd)
		it.Key = t.Key
		switch {
		case j.Cwd == "":
			it.Outcome, it.Reason = "failed", "the job has no folder of its own; give `recovery resume --default-cwd DIR` a trusted one"
		case t.Accepted:
			it.Outcome = "already"
		case t.Problem != "":
			it.Outcome, it.Reason = "failed", t.Problem
		default:
			if it.Backup, err = wake.AcceptTrust(p.account, p.work, t.Key, x.now()); err != nil {
				it.Outcome, it.Reason = "failed", err.Error()
				break
			}
			it.Outcome = "accepted"
			if err := p.journal.Append(journal.Trusted, j.Short, journal.RunData{Command: "trust", User: x.user, Agent: agent, Detail: t.Key}); err != nil {
				return err
			}
		}
		if it.Outcome == "failed" {
			status = exitFailed
		}
		items = append(items, it)
	}
	if x.json {
		if err := x.printJSON(map[string]any{"items": items}); err != nil {
			return err
		}
		return quiet(status)
	}
	t := rows{header: []string{"SHORT", "OUTCOME", "FOLDER", "BACKUP", "WHY"}}
	for _, it := range items {
		t.add(it.Short, it.Outcome, it.Key, dash(it.Backup), dash(it.Reason))
	}
	x.table(&t)
	for _, it := range items {
		if it.Outcome == "failed" {
			continue
		}
		if state.Session(it.Short).SavedPrompt() != "" {
			x.next("recovery resume --nudge %s", it.Short)
		} else {
			x.next("recovery resume %s", it.Short)
		}
	}
	if status != exitOK {
		x.next("recovery queue-check %s", strings.Join(c.Args().Slice(), " "))
	}
	return quiet(status)
}
