package main

import (
	"recovery/internal/account"
	"recovery/inventory"

	"github.com/urfave/cli/v2"
)

// named opens the account, looks at it, and finds the sessions that the user named.
func (x *command) named(c *cli.Context) (*place, *inventory.World, []*account.Job, error) {
	p, err := x.place(c)
	if err != nil {
		return nil, nil, nil, err
	}
	w, err := x.seeKnown(p)
	if err != nil {
		return nil, nil, nil, err
	}
	jobs, err := findJobs(w, c.Args().Slice())
	return p, w, jobs, err
}
