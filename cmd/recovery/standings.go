package main

import (
	"time"

	"recovery/internal/audit"
	"recovery/internal/journal"
	"recovery/inventory"
	"recovery/queuecheck"
	"recovery/report"
	"recovery/review"
	"recovery/standing"

	"github.com/urfave/cli/v2"
)

// record is one command's look at the account and at what was done with it.
type record struct {
	world *inventory.World
	// inventory is nil when none was made yet.
	inventory *inventory.Inventory
	events    []journal.Event
	state     *journal.State
	rules     *audit.Rules
	// book says where each session stands: the same in whatever the command shows.
	book *standing.Book
}

// look reads the record of an account and looks at it once. It makes no inventory.
func (x *command) look(c *cli.Context, p *place) (*record, error) {
	inv, err := maybeInventory(p)
	if err != nil {
		return nil, err
	}
	w, err := x.see(p)
	if err != nil {
		return nil, err
	}
	rules, err := loadRules(c)
	if err != nil {
		return nil, err
	}
	events, err := p.journal.Read()
	if err != nil {
		return nil, err
	}
	return x.recordOf(p, w, inv, rules, events), nil
}

func (x *command) recordOf(p *place, w *inventory.World, inv *inventory.Inventory, rules *audit.Rules,
	events []journal.Event) *record {
	return x.recordAged(p, w, inv, rules, events, defaultMaxAge)
}

// recordAged is recordOf with evidence and confirmations that may be as old as maxAge.
func (x *command) recordAged(p *place, w *inventory.World, inv *inventory.Inventory, rules *audit.Rules,
	events []journal.Event, maxAge time.Duration) *record {
	w.Know(inv)
	r := &record{world: w, inventory: inv, events: events, state: journal.Replay(events), rules: rules}
	r.book = standing.NewBook(standing.Source{
		World: w, Inventory: inv, State: r.state, Rules: rules,
		Check: func(f inventory.Facts, defects []journal.DefectData) queuecheck.Result {
			return x.checkNow(p, r, f, defects, maxAge)
		},
		Unrecorded: func(short string, rev *review.Review) []journal.DefectData {
			return review.Unrecorded(events, short, rev)
		},
	})
	return r
}

// checkNow is the queue check of a session as the account is now.
func (x *command) checkNow(p *place, r *record, f inventory.Facts, defects []journal.DefectData, maxAge time.Duration,
) queuecheck.Result {
	s := r.state.Sessions[f.Job.Short]
	if s == nil {
		s = &journal.Session{Short: f.Job.Short}
	}
	saved, err := loadEvents(p, f.Job.Short)
	return queuecheck.Now(queuecheck.Subject{Account: p.account, World: r.world, Facts: f, Inventory: r.inventory,
		Events: saved, EventsErr: err,
		Journal: s, Defects: defects, Self: x.selfSession(), MaxAge: maxAge})
}

// finished says whether the recovery that is on record is over, by the inventory that is saved for it.
func (x *command) finished(p *place, w *inventory.World, events []journal.Event) bool {
	inv, err := maybeInventory(p)
	if err != nil {
		return false // what was listed is not known, so nothing is known to be over
	}
	r := x.recordOf(p, w, inv, audit.Default(), events)
	r.book.Prepare(report.Listed(inv, r.state))
	return report.Finished(inv, r.state, r.book.Of)
}
