package main

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

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
	folder  *journal.Work
	work    string // the folder's path
	// owner is the user that the account belongs to; foreign is what refuses everything but reading when that is
	// another one than the user who runs this, else nil.
	owner   accountOwner
	foreign error
	// fresh makes an inventory that is not saved.
	fresh func() (*inventory.Inventory, error)
}

func (x *command) place(c *cli.Context) (*place, error) {
	a, err := account.Open(x.env(claude.EnvConfigDir), x.home())
	if err != nil {
		return nil, x.noAccount(err)
	}
	work := c.String("work")
	if work == "" {
		work = filepath.Join(a.Dir, journal.WorkDir)
	}
	if work, err = realPath(work); err != nil {
		return nil, failf("", "the work folder: %w", err)
	}
	p := &place{account: a, folder: journal.WorkIn(work), work: work, owner: accountOwner{name: x.user, home: x.userHome}}
	x.whose(p)
	p.fresh = func() (*inventory.Inventory, error) {
		w, err := x.seeTwice(p)
		if err != nil {
			return nil, err
		}
		inv := inventory.Build(w, nil)
		return &inv, nil
	}
	p.journal = p.folder.Journal(x.now)
	p.journal.Told = func(s string) { x.say("%s", s) }
	p.journal.Probe = x.probe
	return p, nil
}

// realPath resolves a folder that may not exist yet, so that one folder has one journal and one lock however it is
// reached.
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

// seeKnown is see with the threads that the saved inventory found.
func (x *command) seeKnown(p *place) (*inventory.World, error) {
	w, err := x.see(p)
	if err != nil {
		return nil, err
	}
	know(w, p.folder)
	return w, nil
}

// know takes over the threads that a saved inventory found. One that cannot be read is told by what needs it.
func know(w *inventory.World, folder *journal.Work) {
	var inv inventory.Inventory
	if err := folder.LoadInventory(&inv); err == nil {
		w.Know(&inv)
	}
}

// seeTwice looks again when a lost worker may be about to be started.
func (x *command) seeTwice(p *place) (*inventory.World, error) {
	return inventory.SeeTwice(func() (*inventory.World, error) { return x.see(p) }, x.rest)
}

// loadInventory reads the saved inventory; its absence is an error that says what to type. In another user's account,
// where none can be saved, one is made anew.
func loadInventory(p *place) (*inventory.Inventory, error) {
	var inv inventory.Inventory
	err := p.folder.LoadInventory(&inv)
	var none *journal.NotThereError
	if errors.As(err, &none) && p.folder.Barred != nil {
		return p.fresh()
	}
	if err != nil {
		return nil, saved(err)
	}
	return &inv, nil
}

// maybeInventory is the saved inventory, or nil when there is none yet.
func maybeInventory(p *place) (*inventory.Inventory, error) {
	var inv inventory.Inventory
	err := p.folder.LoadInventory(&inv)
	var none *journal.NotThereError
	if errors.As(err, &none) {
		return nil, nil
	}
	if err != nil {
		return nil, saved(err)
	}
	return &inv, nil
}

// saved gives an error of a saved file the command that makes the file anew.
func saved(err error) error {
	var none *journal.NotThereError
	var damaged *journal.DamagedError
	switch {
	case errors.As(err, &none):
		return failf(none.Next, "%w", err)
	case errors.As(err, &damaged):
		return failf(damaged.Next, "%w", err)
	}
	return err
}

// loadEvents gives the saved events pages of a session; nil when there are none.
func loadEvents(p *place, short string) (*remote.Events, error) {
	var ev remote.Events
	err := p.folder.LoadEvents(short, &ev)
	var none *journal.NotThereError
	if errors.As(err, &none) {
		return nil, nil
	}
	if err != nil {
		return nil, err
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

// jobs finds the sessions that the user named; a name that fits none or several is wrong usage, before anything is
// done.
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
		return false, &commandError{outcome: needsUser, err: fmt.Errorf(
			"%s is for the user alone, and this runs inside a Claude session; ask the user to type it, or give --as-user "+
				"when they told you to: it is recorded as typed by an agent", what)}
	}
	return true, nil
}

// asUserFlag is made anew for each command: the library writes into its flags.
func asUserFlag() cli.Flag {
	return &cli.BoolFlag{Name: "as-user", Usage: "inside a Claude session: the user told you to; it is recorded as " +
		"typed by an agent"}
}

// lock takes the account's lock. With --work, the lock of the usual work folder is taken too: it is the account that is
// locked, not a folder.
func (x *command) lock(p *place, name string) (func(), error) {
	release, err := p.folder.Lock(x.holder(name))
	if err != nil {
		return nil, lockError(err)
	}
	usual := p.usualWork()
	if usual.Dir() == p.work {
		return release, nil
	}
	also, err := usual.Lock(x.holder(name))
	if err != nil {
		release()
		return nil, lockError(err)
	}
	return func() { also(); release() }, nil
}

// lockError is a failure of the lock; a folder where nothing may be written says itself what to do.
func lockError(err error) error {
	var e *commandError
	if errors.As(err, &e) {
		return e
	}
	return &commandError{outcome: failed, err: err}
}

func (x *command) holder(name string) journal.Holder {
	return journal.Holder{PID: x.pid, User: x.user, Command: name, Since: x.now().UTC()}
}

// usualWork is the work folder without --work.
func (p *place) usualWork() *journal.Work {
	w := journal.WorkIn(filepath.Join(p.account.Dir, journal.WorkDir))
	w.Barred = p.foreign
	return w
}

// openElsewhere says what is open in the usual work folder while another one is used: an intention or a defect there
// is the account's, wherever it is on record.
func (x *command) openElsewhere(p *place) error {
	usual := p.usualWork()
	if usual.Dir() == p.work {
		return nil
	}
	events, err := usual.Journal(x.now).Read()
	if err != nil {
		return err
	}
	open := journal.Replay(events).OpenSessions()
	if len(open) == 0 {
		return nil
	}
	return &commandError{outcome: needsUser, next: "recovery status", err: fmt.Errorf(
		"the record in %s holds an open intention or defect of this account, of %s; look at it without --work first",
		usual.Dir(), strings.Join(open, " "))}
}
