package main

import (
	"recovery/internal/account"
	"recovery/inventory"

	"github.com/urfave/cli/v2"
)

// sessionName is how every item names its session.
type sessionName struct {
	Short     string  `json:"short"`
	SessionID string  `json:"session_id"`
	Link      *string `json:"link"`
	Title     string  `json:"title"`
}

func nameOf(w *inventory.World, j *account.Job) sessionName {
	n := sessionName{Short: j.Short, SessionID: j.SessionID, Title: j.Title()}
	if link := w.Link(j); link != "" {
		n.Link = &link
	}
	return n
}

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
