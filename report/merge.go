package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"recovery/inventory"
)

// Member is one session of a group over several accounts.
type Member struct {
	Place
	Short string  `json:"short"`
	Link  *string `json:"link"`
	Title string  `json:"title"`
}

// Group is a proposal that sessions of several accounts are one piece of work.
type Group struct {
	Name    string   `json:"name"`
	Reason  string   `json:"reason"`
	Owner   Member   `json:"owner"`
	Why     string   `json:"why_owner"`
	Members []Member `json:"members"`
}

// Parse reads the JSON of a report. One of a newer version, or of something else, is an error: it is not guessed what it says.
func Parse(data []byte) (Report, error) {
	var head struct {
		Version *int             `json:"version"`
		Places  *[]Place         `json:"places"`
		Error   *json.RawMessage `json:"error"`
	}
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	if err := json.Unmarshal(data, &head); err != nil {
		return Report{}, fmt.Errorf("it is no JSON: %w", err)
	}
	switch {
	case head.Error != nil:
		return Report{}, fmt.Errorf("it holds the error of a command that failed, and no report")
	case head.Version == nil || head.Places == nil:
		return Report{}, fmt.Errorf("it is no report of recovery (no version and places): make it with `recovery report --format json -o FILE`")
	case *head.Version != Version:
		return Report{}, fmt.Errorf("it is a report of version %d, and this recovery reads version %d: make it anew with one recovery everywhere", *head.Version, Version)
	}
	r := empty(time.Time{})
	d := json.NewDecoder(bytes.NewReader(data))
	if err := d.Decode(&r); err != nil {
		return Report{}, fmt.Errorf("it cannot be read: %w", err)
	}
	if len(r.Places) == 0 {
		return Report{}, fmt.Errorf("it names no account")
	}
	r.mend()
	return r, nil
}

// mend makes every list a list: a file that was edited by hand may have null where one belongs.
func (r *Report) mend() {
	for _, l := range r.lists() {
		if *l.Entries == nil {
			*l.Entries = []Entry{}
		}
		for i := range *l.Entries {
			(*l.Entries)[i].mend()
		}
	}
	for i := range r.Typed {
		r.Typed[i].mend()
	}
}

func (e *Entry) mend() {
	if e.Why == nil {
		e.Why = []string{}
	}
	if e.Story == nil {
		e.Story = []Moment{}
	}
	if e.AlsoIn == nil {
		e.AlsoIn = []Place{}
	}
}

// Merge makes one report of those of several accounts and machines, sorted by what matters. A conversation that several tell of
// is told once, by the newest of them. Sessions of several accounts that seem to be one piece of work are grouped.
func Merge(reports []Report, now time.Time) Report {
	out := empty(now)
	out.Complete = true
	// The newest tells first, so that what it says stands.
	sorted := slices.Clone(reports)
	slices.SortStableFunc(sorted, func(a, b Report) int { return b.AsOf.Compare(a.AsOf) })
	m := merger{out: &out, told: map[string]*seenAt{}, places: map[Place]bool{}}
	for i := range sorted {
		m.add(&sorted[i])
	}
	for _, l := range out.lists() {
		for i := range *l.Entries {
			e := &(*l.Entries)[i]
			if s := m.told[identity(*e)]; s != nil {
				e.AlsoIn = append(e.AlsoIn, s.also...)
			}
		}
	}
	m.group()
	out.finish()
	return out
}

type seenAt struct {
	place Place
	also  []Place
}

type merger struct {
	out    *Report
	told   map[string]*seenAt
	places map[Place]bool
}

// identity is what a conversation is known by in every account: its thread, else its local id.
func identity(e Entry) string {
	if e.Link != nil && *e.Link != "" {
		return *e.Link
	}
	return e.SessionID
}

func (m *merger) add(r *Report) {
	repeated := map[Place]bool{}
	for _, p := range r.Places {
		if m.places[p] {
			repeated[p] = true
			m.out.Warnings = append(m.out.Warnings, fmt.Sprintf("%s: two reports tell of this account; the newer one counts", p.Name()))
			continue
		}
		m.places[p] = true
		m.out.Places = append(m.out.Places, p)
	}
	if !r.Complete {
		m.out.Complete = false
	}
	if len(repeated) < len(r.Places) {
		m.out.Found += r.Found
		m.out.Agents = append(m.out.Agents, prefixed(r)...)
	}
	m.out.Warnings = append(m.out.Warnings, r.Warnings...)
	for i, l := range r.lists() {
		into := m.out.lists()[i].Entries
		for _, e := range *l.Entries {
			if repeated[e.Place] {
				continue
			}
			if id := identity(e); id != "" {
				if s := m.told[id]; s != nil {
					if s.place != e.Place && !slices.Contains(s.also, e.Place) {
						s.also = append(s.also, e.Place)
					}
					continue
				}
				m.told[id] = &seenAt{place: e.Place}
			}
			*into = append(*into, e)
		}
	}
	keep(&m.out.Typed, r.Typed, func(e Entry) bool { return !repeated[e.Place] })
	keep(&m.out.Defects, r.Defects, func(d Defect) bool { return !repeated[d.Place] })
	keep(&m.out.Elsewhere, r.Elsewhere, func(e Elsewhere) bool { return !repeated[e.Place] })
	keep(&m.out.LeftOut, r.LeftOut, func(l LeftOut) bool { return !repeated[l.Place] })
	keep(&m.out.Captures, r.Captures, func(c Capture) bool { return len(c.Proposals) > 0 && !repeated[c.Proposals[0].Place] })
	keep(&m.out.Rows, r.Rows, func(row inventory.Row) bool { return !repeated[Place{row.Account, row.Host}] })
	for _, u := range r.Unmatched {
		known := slices.ContainsFunc(m.out.Unmatched, func(x Unmatched) bool { return x.ID == u.ID }) || m.told[u.Link] != nil
		if !repeated[u.Place] && !known {
			m.out.Unmatched = append(m.out.Unmatched, u)
		}
	}
}

func keep[T any](into *[]T, from []T, ok func(T) bool) {
	for _, v := range from {
		if ok(v) {
			*into = append(*into, v)
		}
	}
}

// prefixed are what agents typed, with the account where it was.
func prefixed(r *Report) []string {
	out := []string{}
	for _, a := range r.Agents {
		if len(r.Places) == 1 {
			a = r.Places[0].Name() + ": " + a
		}
		out = append(out, a)
	}
	return out
}

// group looks for sessions of different accounts that are one piece of work; groups within one account are in its own report.
func (m *merger) group() {
	entries := map[string]Entry{}
	for _, l := range m.out.lists() {
		for _, e := range *l.Entries {
			entries[e.Place.key(e.Short)] = e
		}
	}
	var rows []inventory.Row
	byKey := map[string]Member{}
	for _, row := range m.out.Rows {
		p := Place{row.Account, row.Host}
		e, ok := entries[p.key(row.Short)]
		if !ok {
			continue // the same conversation is told by another report
		}
		rows = append(rows, row)
		byKey[row.Key()] = Member{Place: p, Short: row.Short, Link: e.Link, Title: e.Title}
	}
	groups, notes := inventory.GroupRows(rows)
	m.out.Warnings = append(m.out.Warnings, notes...)
	for _, g := range groups {
		out := Group{Reason: g.Reason, Why: g.Why, Owner: byKey[g.Owner]}
		accounts := map[Place]bool{}
		for _, key := range g.Members {
			out.Members = append(out.Members, byKey[key])
			accounts[byKey[key].Place] = true
		}
		if len(accounts) > 1 {
			out.Name = fmt.Sprintf("m%d", len(m.out.Groups)+1)
			m.out.Groups = append(m.out.Groups, out)
		}
	}
}
