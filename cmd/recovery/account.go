package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"recovery/internal/account"
	"recovery/internal/claude"
	"recovery/internal/journal"
	"recovery/internal/remote"
	"recovery/inventory"
	"recovery/queuecheck"

	"github.com/urfave/cli/v2"
)

// place is the account and the work folder that a command acts on.
type place struct {
	account *account.Account
	journal *journal.Journal
	work    string
}

func (x *command) place(c *cli.Context) (*place, error) {
	a, err := account.Open(x.env(claude.EnvConfigDir), x.home())
	if err != nil {
		return nil, &exitError{status: exitFailed, err: err}
	}
	work := c.String("work")
	if work == "" {
		work = filepath.Join(a.Dir, "session-recovery")
	}
	if work, err = realPath(work); err != nil {
		return nil, failf("", "the work folder: %w", err)
	}
	j := journal.At(work, x.now)
	j.Told = func(s string) { x.say("%s", s) }
	j.Probe = x.probe
	return &place{account: a, journal: j, work: work}, nil
}

// realPath resolves a folder that may not exist yet, so that one folder has one journal and one lock however it is reached.
func realPath(dir string) (string, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	for rest := ""; ; {
		real, err := filepath.EvalSymlinks(abs)
		if err == nil {
			return filepath.Join(real, rest), nil
		}
		if !errors.Is(err, fs.ErrNotExist) || abs == filepath.Dir(abs) {
			return "", err
		}
		rest = filepath.Join(filepath.Base(abs), rest)
		abs = filepath.Dir(abs)
	}
}

// see looks at the account now.
func (x *command) see(p *place) (*inventory.World, error) {
	w, err := inventory.See(p.account, x.processes(), x.now().UTC())
	if err != nil {
		return nil, err
	}
	w.BabysitterDir = x.env("BABYSITTER_STATE_DIR")
	return w, nil
}

// seeTwice looks again when a lost worker may be about to be started.
func (x *command) seeTwice(p *place) (*inventory.World, error) {
	return inventory.SeeTwice(func() (*inventory.World, error) { return x.see(p) }, x.rest)
}

const inventoryFile = "inventory.json"

// loadInventory reads the saved inventory; its absence is an error that says what to type.
func loadInventory(p *place) (*inventory.Inventory, error) {
	data, err := os.ReadFile(filepath.Join(p.work, inventoryFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, failf("recovery inventory", "there is no inventory of this account yet")
	}
	if err != nil {
		return nil, failf("recovery inventory", "reading the inventory: %w", err)
	}
	var inv inventory.Inventory
	if err := json.Unmarshal(data, &inv); err != nil {
		return nil, failf("recovery inventory", "the saved inventory %s cannot be read (%v); make it anew", filepath.Join(p.work, inventoryFile), err)
	}
	return &inv, nil
}

// loadEvents gives the saved events pages of a session; nil when there are none. A file that cannot be read is an error:
// what it holds may be the message that blocks a wake.
func loadEvents(p *place, short string) (*remote.Events, error) {
	path := filepath.Join(p.work, "events", short+".json")
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var ev remote.Events
	if err == nil {
		err = json.Unmarshal(data, &ev)
	}
	if err != nil {
		return nil, fmt.Errorf("the saved events in %s cannot be read (%w); save them again: recovery queue-check --events %s=FILE", path, err, short)
	}
	return &ev, nil
}

func (x *command) selfSession() queuecheck.Self {
	return queuecheck.Self{SessionID: x.env(claude.EnvSessionID), Short: x.ownShort()}
}

// state replays the journal.
func (p *place) state() (*journal.State, error) {
	events, err := p.journal.Read()
	if err != nil {
		return nil, err
	}
	return journal.Replay(events), nil
}

// jobs finds the sessions that the user named; a name that fits none or several is wrong usage, before anything is done.
func findJobs(w *inventory.World, typed []string) ([]*account.Job, error) {
	var out []*account.Job
	seen := map[string]bool{}
	for _, t := range typed {
		j, err := inventory.Find(w.Jobs, t)
		if err != nil {
			return nil, usagef("%v", err)
		}
		if !seen[j.Short] {
			seen[j.Short] = true
			out = append(out, j)
		}
	}
	return out, nil
}

// userOnly refuses, inside a Claude session, what only the user may say. agent says that it was allowed by --as-user.
func (x *command) userOnly(c *cli.Context, what string) (agent bool, err error) {
	if !x.inSession() {
		return false, nil
	}
	if !c.Bool("as-user") {
		return false, &exitError{status: exitNeedsUser, err: fmt.Errorf(
			"%s is for the user alone, and this runs inside a Claude session; ask the user to type it, or give --as-user when they told you to: it is recorded as typed by an agent", what)}
	}
	return true, nil
}

// asUserFlag is made anew for each command: the library writes into its flags.
func asUserFlag() cli.Flag {
	return &cli.BoolFlag{Name: "as-user", Usage: "inside a Claude session: the user told you to; it is recorded as typed by an agent"}
}

// lock takes the account's lock. With --work, the lock of the usual work folder is taken too: it is the account that is
// locked, not a folder.
func (x *command) lock(p *place, name string) (func(), error) {
	release, err := journal.Lock(p.work, x.holder(name))
	if err != nil {
		return nil, &exitError{status: exitFailed, err: err}
	}
	usual := p.usualWork()
	if usual == p.work {
		return release, nil
	}
	also, err := journal.Lock(usual, x.holder(name))
	if err != nil {
		release()
		return nil, &exitError{status: exitFailed, err: err}
	}
	return func() { also(); release() }, nil
}

func (x *command) holder(name string) journal.Holder {
	return journal.Holder{PID: x.pid, User: x.user, Command: name, Since: x.now().UTC()}
}

// usualWork is the work folder without --work.
func (p *place) usualWork() string { return filepath.Join(p.account.Dir, "session-recovery") }

// openElsewhere says what is open in the usual work folder while another one is used: an intention or a defect there is the
// account's, wherever it is on record.
func (x *command) openElsewhere(p *place) error {
	usual := p.usualWork()
	if usual == p.work {
		return nil
	}
	events, err := journal.At(usual, x.now).Read()
	if err != nil {
		return err
	}
	state := journal.Replay(events)
	open := len(state.Defects)
	for _, s := range state.Sessions {
		if s.OpenWake() != nil {
			open++
		}
	}
	if open == 0 {
		return nil
	}
	return &exitError{status: exitNeedsUser, err: fmt.Errorf("the record in %s holds %d open intentions or defects of this account; look at them without --work first", usual, open), next: "recovery status"}
}
