package ouroboros

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"

	"recovery/internal/sources"
)

// shown is how many rows are listed unless all are wanted.
const shown = 20

// Find reads the store of the account, and those named as roots (a home, a folder of Ouroboros, or a database file).
// Rows come with the newest activity first. A store that is not there is in Missing; one that is there and cannot be
// read is in Problems. Nothing is written, and no temporary copy is made.
func Find(m sources.Machine) sources.Found {
	f := sources.Found{Rows: []sources.Row{}, LeftOut: map[string]int{}}
	var none []string
	for _, p := range places(m) {
		f.Looked = append(f.Looked, p.path)
		if p.problem != nil {
			f.Problems = append(f.Problems, problem(p.path, *p.problem))
			continue
		}
		rows, finished, bad := pipelines(p, m.All)
		if bad != nil {
			f.Problems = append(f.Problems, problem(filepath.Join(p.own, "data"), *bad))
		}
		f.Rows = append(f.Rows, rows...)
		if p.missing {
			f.Missing = append(f.Missing, p.path)
			none = append(none, "no store at "+p.path+": it was never created"+counted(finished, "; its pipelines: "))
		} else if rows, ended, cut, err := readStore(m, p); err != nil {
			f.Problems = append(f.Problems, problem(p.path, err))
		} else {
			f.Rows = append(f.Rows, rows...)
			for state, n := range ended {
				finished[state] += n
			}
			for reason, n := range cut {
				f.LeftOut[reason] += n
			}
			why := "no session was ever started in it"
			if len(finished) > 0 {
				why = "all is finished" + counted(finished, ": ")
			}
			none = append(none, "nothing unfinished in "+p.path+": "+why+"; its history: "+browse(p)[0].Command)
		}
		if !m.All {
			for state, n := range finished {
				f.LeftOut[state] += n
			}
		}
	}
	sort.SliceStable(f.Rows, func(i, j int) bool { return f.Rows[i].UpdatedAt.After(f.Rows[j].UpdatedAt) })
	if !unfinished(f.Rows) && len(f.Problems) == 0 {
		f.None = strings.Join(none, ". ")
	}
	if !m.All {
		f.Rows = firstOf(f.Rows, f.LeftOut)
	}
	return f
}

// cutter counts rows, those that can be read and those that cannot each for themselves, so that neither hides the
// other.
type cutter struct{ readable, unreadable int }

// reason takes one more row; not empty when it is beyond what is shown.
func (c *cutter) reason(unreadable bool) string {
	if unreadable {
		if c.unreadable++; c.unreadable > shown {
			return fmt.Sprintf("unreadable, beyond the first %d", shown)
		}
	} else if c.readable++; c.readable > shown {
		return fmt.Sprintf("older than the newest %d", shown)
	}
	return ""
}

// firstOf cuts the list off.
func firstOf(rows []sources.Row, leftOut map[string]int) []sources.Row {
	out := []sources.Row{}
	var cut cutter
	for _, r := range rows {
		if reason := cut.reason(r.Verdict == sources.Unreadable); reason != "" {
			leftOut[reason]++
			continue
		}
		out = append(out, r)
	}
	return out
}

func unfinished(rows []sources.Row) bool {
	for _, r := range rows {
		if r.Verdict != sources.Done {
			return true
		}
	}
	return false
}

// readStore reads one store into rows.
func readStore(m sources.Machine, p place) (rows []sources.Row, finished, leftOut map[string]int, err error) {
	path, err := filepath.EvalSymlinks(p.path)
	if err != nil {
		if _, told := os.Stat(p.path); told != nil {
			err = told // of a loop EvalSymlinks says so in words only
		}
		return nil, nil, nil, cause(err, p.path)
	}
	err = read(path, func(v *view) error {
		c, err := v.contents(m.All)
		if err != nil {
			return err
		}
		jobs, err := v.jobs()
		if err != nil {
			return err
		}
		rows, finished, leftOut = []sources.Row{}, c.finished, map[string]int{}
		var cut cutter
		for _, s := range c.sessions {
			// What would be cut off later is counted here, and the rest of it need not be read.
			if reason := cut.reason(s.unreadable != ""); reason != "" && !m.All {
				leftOut[reason]++
				continue
			}
			if err := v.fill(s); err != nil {
				s.unreadable = "its events cannot be read: " + sqlCause(err).Error()
			}
			s.jobs = jobs[s.id]
			rows = append(rows, sessionRow(m, p, s))
		}
		for _, q := range c.loose {
			rows = append(rows, looseRow(p, q))
		}
		return nil
	})
	return rows, finished, leftOut, err
}

// looseRow is the row of a question whose session the store does not know, such as an interview's.
func looseRow(p place, q question) sources.Row {
	r := sources.Row{Source: Name, ID: q.id, Title: q.text, State: "requested", Store: p.path, Verdict: sources.Person,
		WaitsFor: q.words(),
		Reason:   "nobody has answered it", Details: []sources.Detail{{Name: "kind", Text: "question to a person"}},
		Warnings: []string{}, Commands: browse(p)}
	r.UpdatedAt, _ = parseTime(q.when)
	if q.session != "" {
		r.Details = append(r.Details, sources.Detail{Name: "session", Text: bounded(q.session)})
	}
	if q.bad != "" {
		r.State, r.Verdict, r.Reason = "", sources.Unreadable, "the request for a person's answer "+q.bad
	}
	return r
}

func problem(store string, err error) sources.Problem {
	var c causeError
	if !errors.As(err, &c) {
		c = causeError{"it cannot be read: " + err.Error(), "try again, and look at it with `sqlite3 -readonly`"}
	}
	return sources.Problem{Source: Name, Store: store, Cause: c.cause, Next: c.next}
}

// counted lists counts in a fixed order, with words in front; empty when there are none.
func counted(counts map[string]int, before string) string {
	names := make([]string, 0, len(counts))
	for n := range counts {
		names = append(names, n)
	}
	sort.Strings(names)
	for i, n := range names {
		names[i] = fmt.Sprintf("%d %s", counts[n], n)
	}
	if len(names) == 0 {
		return ""
	}
	return before + strings.Join(names, ", ")
}
