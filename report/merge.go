package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"recovery/inventory"
	"recovery/review"
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

// Parse reads the JSON of a report. One of a newer version, or of something else, is an error: it is not guessed what
// it says.
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
		return Report{}, fmt.Errorf("it is no report of recovery (no version and places): make it with `recovery report " +
			"--format json -o FILE`")
	case *head.Version != Version:
		return Report{}, fmt.Errorf("it is a report of version %d, and this recovery reads version %d: make it anew with "+
			"one recovery everywhere", *head.Version, Version)
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

// Part is what one account's own report brought: when it was made, and of how many sessions. A report that was merged
// keeps those of its accounts, so that it can be merged again.
type Part struct {
	Place
	AsOf     time.Time `json:"as_of"`
	Found    int       `json:"found"`
	Complete bool      `json:"complete"`
}

// allPlaces are the report's places, and those that only its rows name: a file that was edited by hand loses no
// session.
func (r *Report) allPlaces() []Place {
	var out []Place
	add := func(p Place) {
		if !slices.Contains(out, p) {
			out = append(out, p)
		}
	}
	for _, p := range r.Places {
		add(p)
	}
	for _, l := range r.lists() {
		for _, e := range *l.Entries {
			add(e.Place)
		}
	}
	for _, d := range r.Defects {
		add(d.Place)
	}
	for _, u := range r.Unmatched {
		add(u.Place)
	}
	for _, e := range r.Elsewhere {
		add(e.Place)
	}
	return out
}

// parts gives a report for each of its accounts.
func (r *Report) parts() []Report {
	places := r.allPlaces()
	out := make([]Report, 0, len(places))
	for i, p := range places {
		here := func(q Place) bool { return q == p }
		part := Part{p, r.AsOf, 0, r.Complete}
		if i == 0 {
			part.Found = r.Found // of a report that does not say it by account
		}
		for _, known := range r.Parts {
			if known.Place == p {
				part = known
			}
		}
		one := empty(part.AsOf)
		one.Places, one.Parts, one.Found, one.Complete = []Place{p}, []Part{part}, part.Found, part.Complete
		for j, l := range r.lists() {
			keep(one.lists()[j].Entries, *l.Entries, func(e Entry) bool { return here(e.Place) })
		}
		keep(&one.Typed, r.Typed, func(e Entry) bool { return here(e.Place) })
		keep(&one.Defects, r.Defects, func(d Defect) bool { return here(d.Place) })
		keep(&one.Unmatched, r.Unmatched, func(u Unmatched) bool { return here(u.Place) })
		keep(&one.Elsewhere, r.Elsewhere, func(e Elsewhere) bool { return here(e.Place) })
		keep(&one.LeftOut, r.LeftOut, func(l LeftOut) bool { return here(l.Place) })
		keep(&one.Captures, r.Captures, func(c Capture) bool { return len(c.Proposals) > 0 && here(c.Proposals[0].Place) })
		keep(&one.Rows, r.Rows, func(row inventory.Row) bool { return here(Place{row.Account, row.Host}) })
		for _, a := range r.Agents {
			if len(r.Places) == 1 {
				a = p.Name() + ": " + a
			}
			if strings.HasPrefix(a, p.Name()+": ") {
				one.Agents = append(one.Agents, a)
			}
		}
		out = append(out, one)
	}
	return out
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
	for _, list := range []*[]string{&r.Agents, &r.Warnings} {
		if *list == nil {
			*list = []string{}
		}
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
	if v := e.Verdict; v != nil {
		v.Open, v.ActsTwiceWith = append([]string{}, v.Open...), append([]string{}, v.ActsTwiceWith...)
	}
	if r := e.Review; r != nil {
		r.Tools, r.Defects = append([]review.Tool{}, r.Tools...), append([]review.Defect{}, r.Defects...)
		if v := r.Verdict; v != nil {
			v.Open, v.ActsTwiceWith = append([]string{}, v.Open...), append([]string{}, v.ActsTwiceWith...)
		}
	}
}

// Merge makes one report of those of several accounts and machines, sorted by what matters. A conversation that
// several tell of is told once, by the newest of them. Sessions of several accounts that seem to be one piece of work
// are grouped.
func Merge(reports []Report, now time.Time) Report {
	out := empty(now)
	out.Complete = true
	var parts []Report
	for i := range reports {
		parts = append(parts, reports[i].parts()...)
		for _, w := range reports[i].Warnings {
			if !slices.Contains(out.Warnings, w) {
				out.Warnings = append(out.Warnings, w)
			}
		}
	}
	// The newest tells first, so that what it says stands.
	slices.SortStableFunc(parts, func(a, b Report) int { return b.AsOf.Compare(a.AsOf) })
	m := merger{out: &out, told: map[string]*seenAt{}, places: map[Place]bool{}}
	for i := range parts {
		m.add(&parts[i])
	}
	for _, l := range out.lists() {
		for i := range *l.Entries {
			e := &(*l.Entries)[i]
			s := m.known(*e)
			if s == nil {
				continue
			}
			for _, p := range s.also {
				if p != e.Place && !slices.Contains(e.AlsoIn, p) {
					e.AlsoIn = append(e.AlsoIn, p)
				}
			}
		}
	}
	m.group()
	out.finish(time.Time{})
	return out
}

type seenAt struct {
	place Place
	link  string
	also  []Place
}

type merger struct {
	out    *Report
	told   map[string]*seenAt
	places map[Place]bool
}

// known is where a conversation is told already. It is known by its thread; by its local id where one of the two has
// no thread.
func (m *merger) known(e Entry) *seenAt {
	if link := linkOf(e); link != "" && m.told[link] != nil {
		return m.told[link]
	}
	if s := m.told[e.SessionID]; e.SessionID != "" && s != nil && (s.link == "" || linkOf(e) == "" ||
		s.link == linkOf(e)) {
		return s
	}
	return nil
}

func linkOf(e Entry) string {
	if e.Link == nil {
		return ""
	}
	return *e.Link
}

// add takes what one account tells.
func (m *merger) add(r *Report) {
	p := r.Places[0]
	if m.places[p] {
		m.repeated(p, r)
		return
	}
	m.places[p] = true
	m.out.Places = append(m.out.Places, p)
	m.out.Parts = append(m.out.Parts, r.Parts...)
	m.out.Complete = m.out.Complete && r.Complete
	m.out.Found += r.Found
	m.out.Agents = append(m.out.Agents, r.Agents...)
	for i, l := range r.lists() {
		into := m.out.lists()[i].Entries
		for _, e := range *l.Entries {
			// Two sessions of one account are two, whatever they have in common.
			if s := m.known(e); s != nil && s.place != p {
				if !slices.Contains(s.also, p) {
					s.also = append(s.also, p)
				}
				continue
			}
			s := &seenAt{place: p, link: linkOf(e)}
			for _, id := range []string{s.link, e.SessionID} {
				if id != "" && m.told[id] == nil {
					m.told[id] = s
				}
			}
			*into = append(*into, e)
		}
	}
	keep(&m.out.Typed, r.Typed, func(e Entry) bool { s := m.known(e); return s == nil || s.place == p })
	m.out.Defects = append(m.out.Defects, r.Defects...)
	m.out.Elsewhere = append(m.out.Elsewhere, r.Elsewhere...)
	m.out.LeftOut = append(m.out.LeftOut, r.LeftOut...)
	m.out.Captures = append(m.out.Captures, r.Captures...)
	m.out.Rows = append(m.out.Rows, r.Rows...)
	for _, u := range r.Unmatched {
		if !slices.ContainsFunc(m.out.Unmatched, func(x Unmatched) bool { return x.ID == u.ID }) && m.told[u.Link] == nil {
			m.out.Unmatched = append(m.out.Unmatched, u)
		}
	}
}

// repeated leaves an older report of an account out. Two machines may have one name, so what is lost by it is said.
func (m *merger) repeated(p Place, older *Report) {
	lost := 0
	for _, l := range older.lists() {
		for _, e := range *l.Entries {
			if m.known(e) == nil {
				lost++
			}
		}
	}
	said := fmt.Sprintf("%s: two reports tell of this account; the newer one counts", p.Name())
	if lost > 0 {
		said += fmt.Sprintf(", and sessions that only the older one has (%d) are left out: if they are two machines of "+
			"one name, merge them under two host names", lost)
	}
	if !slices.Contains(m.out.Warnings, said) {
		m.out.Warnings = append(m.out.Warnings, said)
	}
}

func keep[T any](into *[]T, from []T, ok func(T) bool) {
	for _, v := range from {
		if ok(v) {
			*into = append(*into, v)
		}
	}
}

// group looks for sessions of different accounts that are one piece of work; groups within one account are in its own
// report.
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
