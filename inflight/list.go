package inflight

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"recovery/internal/sources"

	"github.com/sourcegraph/conc/panics"
	"github.com/sourcegraph/conc/pool"
)

// Row is one piece of unfinished work.
type Row struct {
	sources.Row
	Claude *Session // the session behind it, nil when none is known
	box    func(sources.Row) string
}

// Short is the job of a row that is a session of the account; empty for a row of another system.
func (r Row) Short() string {
	if r.Source == Claude {
		return filepath.Base(r.Store)
	}
	return ""
}

// List is what was found on this machine.
type List struct {
	Rows []Row // the newest activity first
	// Found is how many there are: the listed ones and those that were left out.
	Found    int
	LeftOut  []LeftOut
	Problems []sources.Problem // stores that exist and cannot be read
	None     []None
	Looked   []Place
	Warnings []string
}

// LeftOut counts what a source has and what is not listed.
type LeftOut struct {
	Source string `json:"source"`
	Reason string `json:"reason"`
	Count  int    `json:"count"`
}

// None is a source without unfinished work: why, and the command that shows its history.
type None struct {
	Source  string `json:"source"`
	Why     string `json:"why"`
	History string `json:"history"`
}

// Place is one place that was looked at.
type Place struct {
	Source  string `json:"source"`
	Path    string `json:"path"`
	Missing bool   `json:"missing"`
}

// Unreadable says that a row cannot be read.
func (l *List) Unreadable() bool {
	return slices.ContainsFunc(l.Rows, func(r Row) bool { return r.Verdict == sources.Unreadable })
}

// Find asks the chosen sources, each for itself: what goes wrong in one is that one's problem.
func Find(m sources.Machine, a Account, chosen []sources.Source) List {
	all := make([]sources.Found, len(chosen))
	p := pool.New()
	for i, s := range chosen {
		p.Go(func() { all[i] = ask(s, m) })
	}
	p.Wait()
	l := List{Rows: []Row{}, LeftOut: []LeftOut{}, Problems: []sources.Problem{}, None: []None{}, Looked: []Place{},
		Warnings: []string{}}
	n, told := newJoiner(a), map[string]bool{}
	own := -1
	for i, s := range chosen {
		if s.Name == Claude {
			own = i
			continue // when it is known which of its jobs the others tell of
		}
		for _, r := range l.take(s, all[i], m.All, n, nil) {
			// What finished or cannot be read does not tell of the session that is behind it.
			if r.Claude != nil && r.Verdict != sources.Done && r.Verdict != sources.Unreadable {
				told[r.Claude.Short] = true
			}
		}
	}
	if own >= 0 {
		l.take(chosen[own], all[own], m.All, n, told)
	}
	slices.SortStableFunc(l.Rows, newestFirst)
	l.Found = len(l.Rows)
	for _, left := range l.LeftOut {
		l.Found += left.Count
	}
	if w := a.warning(); w != "" && (own < 0 || a.missing()) {
		l.Warnings = append(l.Warnings, w)
	}
	if a.World != nil && own >= 0 {
		l.Warnings = append(l.Warnings, a.World.Warnings...)
	}
	return l
}

func ask(s sources.Source, m sources.Machine) (f sources.Found) {
	var c panics.Catcher
	c.Try(func() { f = s.Find(m) })
	if fault := c.Recovered(); fault != nil {
		f = sources.Found{}
		f.Fail(s.Name, s.Name, fmt.Sprintf("internal error: %v", fault.Value), "leave this source out with --source")
	}
	return f
}

// take adds what one source found, joined and cut. told are the jobs that other rows tell of; it gives the rows that
// it listed.
func (l *List) take(s sources.Source, f sources.Found, all bool, n *joiner, told map[string]bool) []Row {
	f.Sort()
	left := map[string]int{}
	maps.Copy(left, f.LeftOut)
	var rows []Row
	var limit sources.Limit
	for _, found := range f.Rows {
		r := Row{Row: found, box: s.Box}
		if short := r.Short(); short != "" && told[short] {
			left["told on the row of the work that it does"]++
			continue
		}
		if reason := limit.Beyond(r.Verdict == sources.Unreadable); reason != "" && !all {
			left[reason]++
			continue
		}
		n.join(&r)
		rows = append(rows, r)
	}
	l.Rows = append(l.Rows, rows...)
	l.Problems = append(l.Problems, f.Problems...)
	for reason, count := range left {
		if count > 0 {
			l.LeftOut = append(l.LeftOut, LeftOut{s.Name, reason, count})
		}
	}
	slices.SortFunc(l.LeftOut, func(a, b LeftOut) int {
		return cmp.Or(strings.Compare(a.Source, b.Source), strings.Compare(a.Reason, b.Reason))
	})
	for _, path := range f.Looked {
		l.Looked = append(l.Looked, Place{s.Name, path, slices.Contains(f.Missing, path)})
	}
	if f.None != "" && len(f.Problems) == 0 { // what cannot be read may hold unfinished work
		l.None = append(l.None, None{s.Name, f.None, "recovery inflight --all --source " + s.Name})
	}
	return rows
}

// newestFirst is the order of the list; what has no time stands last.
func newestFirst(a, b Row) int {
	return cmp.Or(b.UpdatedAt.Compare(a.UpdatedAt), strings.Compare(a.Source, b.Source), strings.Compare(a.Store, b.Store),
		strings.Compare(a.ID, b.ID))
}

// Main is the one command of a row: what continues it where that is safe, else the first, which looks. Where it is
// continued by opening the conversation of one of the account's jobs, that is the queue check. ok is false when there
// is none.
func (r Row) Main() (c sources.Command, ok bool) {
	if r.Verdict == sources.Safe {
		if i := slices.IndexFunc(r.Commands, func(c sources.Command) bool { return c.Acts }); i >= 0 {
			if r.Claude != nil && r.Claude.Short != "" && r.Reopens(r.Commands[i]) {
				return sources.Command{Command: queueCheck + r.Claude.Short, Effect: checkEffect}, true
			}
			return r.Commands[i], true
		}
	}
	if len(r.Commands) == 0 {
		return c, false
	}
	return r.Commands[0], true
}
