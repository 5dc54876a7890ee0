package main

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"recovery/internal/audit"
	"recovery/internal/journal"
	"recovery/internal/text"
	"recovery/inventory"
	"recovery/review"

	"github.com/urfave/cli/v2"
)

// ackLimit is the word that stands for the service's limit where ack takes a session.
const ackLimit = "limit"

func (x *command) ackCommand() *cli.Command {
	return &cli.Command{
		Name:      "ack",
		Usage:     "close the open defects of sessions by name, for the user alone",
		UsageText: "recovery ack [--why TEXT] [--as-user] SHORT...|limit",
		Description: `A defect (a copy, a write, a replayed, joined or foreign message) stays open, and no session is woken,
until the user has looked at it and closes it here. Who closed it, and why, is recorded. A defect that is found meanwhile
stays open. The word limit in place of a session says that a limit which the service named is over; else it is waited out.

EXAMPLE:
   recovery ack --why "the copy was stopped, it had only read" 1a2b3c4d

EXIT STATUS:
   0 closed; 1 failed; 2 wrong usage: a session has no open defect, nothing was closed; 3 refused inside a Claude
   session, or in another user's account`,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "why", Usage: "why it can be closed, `TEXT`; it is recorded"},
			asUserFlag(),
		},
		Action: x.ack,
	}
}

// ackItem is one row of ack's JSON: a session with the defects that were closed.
type ackItem struct {
	inventory.SessionName
	Closed []journal.OpenDefect `json:"closed"`
}

// ackResult is ack's JSON.
type ackResult struct {
	Items []ackItem `json:"items"`
	// LimitUntil is when the limit was to end that was acknowledged; null when none was.
	LimitUntil *time.Time `json:"limit_until"`
	// Open are the sessions that have an open defect still.
	Open []string `json:"open"`
}

func (x *command) ack(c *cli.Context) error {
	p, err := x.place(c)
	if err != nil {
		return err
	}
	if err := x.mine(p); err != nil {
		return err
	}
	state, err := p.state()
	if err != nil {
		return err
	}
	if c.Args().Len() == 0 {
		return usagef("ack wants the sessions whose defects are closed; %s", openNow(state))
	}
	w, err := x.seeKnown(p)
	if err != nil {
		return err
	}
	if state, err = p.readReviews(w, state, c.Args().Slice()); err != nil {
		return err
	}
	shorts, limit, err := ackNames(w, state, c.Args().Slice(), x.now())
	if err != nil {
		return err
	}
	agent, err := x.userOnly(c, "ack")
	if err != nil {
		return err
	}
	res := ackResult{Items: []ackItem{}}
	data := journal.AckData{User: x.user, Agent: agent, Why: c.String("why")}
	if limit {
		data.What, res.LimitUntil = journal.AckLimit, &state.DeferredUntil
		if err := p.journal.Append(journal.Acknowledged, "", data); err != nil {
			return err
		}
	}
	for _, short := range shorts {
		it := ackItem{SessionName: ackName(w, state, short)}
		data.What, data.Keys = journal.AckDefect, nil
		for _, d := range state.Defects {
			if d.Session == short {
				it.Closed, data.Keys = append(it.Closed, d), append(data.Keys, d.Key)
			}
		}
		if err := p.journal.Append(journal.Acknowledged, short, data); err != nil {
			return err
		}
		res.Items = append(res.Items, it)
	}
	if state, err = p.state(); err != nil {
		return err
	}
	res.Open = append([]string{}, state.Defective()...)
	if x.json {
		return x.printJSON(res)
	}
	x.showAck(res)
	return nil
}

// readReviews records the defects of named sessions whose review nobody has read yet: every command shows them as
// open, and they are closed like the others.
func (p *place) readReviews(w *inventory.World, state *journal.State, typed []string) (*journal.State, error) {
	for _, t := range typed {
		job, err := inventory.Find(w.Jobs, t)
		if err != nil {
			continue // a limit, or a name that ackNames tells of
		}
		rev, err := review.Of(w, audit.Default(), state.Session(job.Short))
		if err != nil || len(rev.Defects) == 0 {
			continue
		}
		if _, err := review.Record(p.journal, job.Short, &rev); err != nil {
			return nil, err
		}
	}
	return p.state()
}

// ackNames finds the sessions with an open defect that the user named. A defect outlives its session's job, so the
// record is asked first. A session without an open defect is wrong usage: what the user meant to close is another
// one.
func ackNames(w *inventory.World, state *journal.State, typed []string, now time.Time) (
	shorts []string, limit bool, err error,
) {
	open := state.Defective()
	for _, t := range typed {
		if t == ackLimit {
			if !state.DeferredUntil.After(now) {
				return nil, false, usagef("no limit holds now; nothing was closed")
			}
			limit = true
			continue
		}
		short, err := ackShort(w, open, t)
		if err != nil {
			return nil, false, err
		}
		if !slices.Contains(open, short) {
			return nil, false, usagef("session %s has no open defect, and nothing was closed; %s", short, openNow(state))
		}
		if !slices.Contains(shorts, short) {
			shorts = append(shorts, short)
		}
	}
	return shorts, limit, nil
}

// openNow names the sessions with an open defect.
func openNow(state *journal.State) string {
	return "open are those of: " + dash(strings.Join(state.Defective(), " "))
}

func ackShort(w *inventory.World, open []string, typed string) (string, error) {
	if short := strings.ToLower(typed); slices.Contains(open, short) {
		return short, nil
	}
	jobs, err := findJobs(w, []string{typed})
	if err != nil {
		return "", err
	}
	return jobs[0].Short, nil
}

// ackName names a session by its job, or by its last wake when the job is gone.
func ackName(w *inventory.World, state *journal.State, short string) inventory.SessionName {
	if j := w.Jobs.ByShort[short]; j != nil {
		return w.Name(j)
	}
	if wakes := state.Session(short).Wakes; len(wakes) > 0 {
		last := wakes[len(wakes)-1]
		return inventory.NameOnRecord(short, last.SessionID, last.Link, last.Title)
	}
	return inventory.SessionName{Short: short}
}

func (x *command) showAck(res ackResult) {
	if res.LimitUntil != nil {
		x.out("the limit until %s is taken to be over", res.LimitUntil.UTC().Format(time.RFC3339))
	}
	for _, it := range res.Items {
		for _, d := range it.Closed {
			x.out("%s  closed: %s: %s", it.Short, d.Code, text.Line(d.Text))
		}
	}
	if len(res.Open) > 0 {
		x.out("%s", fmt.Sprintf("still open: the defects of %s", strings.Join(res.Open, " ")))
	}
	x.next("recovery status")
}
