package report

import (
	"fmt"
	"sort"
	"time"

	"recovery/internal/journal"
	"recovery/inventory"
	"recovery/standing"
)

// Version is that of the report's JSON: a reader takes its own version and refuses a newer one.
const Version = 1

// Report is what the user reads. Every session of the inventory stands in exactly one of the lists; what they lead
// with, what expires soon and what was typed names sessions that stand in a list as well.
type Report struct {
	Version int       `json:"version"`
	AsOf    time.Time `json:"as_of"`
	// Places are the accounts that it tells of: one, or those of the reports that were merged.
	Places []Place `json:"places"`
	// Parts are the accounts' own reports that it is made of.
	Parts []Part `json:"parts"`
	// First is what matters most: defects, money at risk, a person never answered, what would act twice.
	First   []Point  `json:"first"`
	Defects []Defect `json:"defects"`
	// ArchiveNow are real wraps that nothing speaks against, LookFirst those that something does; Finished are reviews
	// that say DONE and still want their wrap.
	ArchiveNow []Entry `json:"archive_now"`
	LookFirst  []Entry `json:"wrapped_look_first"`
	Owners     []Entry `json:"owners"`
	Finished   []Entry `json:"finished"`
	// Typed are sessions in which somebody typed something that was never answered, with the texts.
	Typed      []Entry `json:"typed_not_answered"`
	Held       []Entry `json:"held"`
	Duplicates []Entry `json:"duplicates"`
	// Captures are the files that several wraps propose a change for.
	Captures  []Capture   `json:"captures"`
	Unclear   []Entry     `json:"unclear"`
	NotWoken  []Entry     `json:"not_woken"`
	Live      []Entry     `json:"live"`
	Unmatched []Unmatched `json:"unmatched"`
	// Groups are proposals over the accounts of a merged report, in addition to what each account's own say.
	Groups   []Group `json:"groups"`
	Expiring []Point `json:"expiring"`
	// Elsewhere is unfinished work of other systems.
	Elsewhere []Elsewhere `json:"elsewhere"`
	Found     int         `json:"found"`
	LeftOut   []LeftOut   `json:"left_out"`
	Counts    []ListCount `json:"counts"`
	Complete  bool        `json:"complete"`
	// Agents are the acts that only the user may say and that an agent typed.
	Agents   []string `json:"typed_by_agent"`
	Warnings []string `json:"warnings"`
	// Rows are what grouping over accounts needs of each session.
	Rows []inventory.Row `json:"rows"`
	// Next is the one next of the whole report; a merged one leads to what is first in it.
	Next standing.Next `json:"next_step"`
}

// Defect is an open defect with its place.
type Defect struct {
	Place
	journal.OpenDefect
}

// Unmatched is a session of the pages without a job, with its place.
type Unmatched struct {
	Place
	inventory.NoJob
}

// LeftOut is what an account's inventory found and did not list.
type LeftOut struct {
	Place
	inventory.LeftOut
}

// ListCount says how many sessions stand in a list.
type ListCount struct {
	List  string `json:"list"`
	Count int    `json:"count"`
}

// Input is what a report is made of.
type Input struct {
	Place     Place
	Inventory *inventory.Inventory
	State     *journal.State
	// Standing says where a session stands.
	Standing func(short string) standing.Standing
	// Unrecorded gives the defects of a session's review that the journal does not hold; nil when nobody looks.
	Unrecorded func(short string) []journal.DefectData
	// World and Facts are the account as it is now; both may be missing.
	World *inventory.World
	Facts map[string]inventory.Facts
	// Elsewhere is unfinished work of other systems; its place is filled in.
	Elsewhere []Elsewhere
	// Warnings are what was not seen while the input was made.
	Warnings []string
	// Messages makes the texts of one kind (prep, wrap, review-wrap) that may be sent to sessions, by short; nil when
	// nobody does.
	Messages func(kind string, shorts []string) map[string]Message
	// Folder says the git state of a folder in words; nil when nobody looks.
	Folder func(dir string) string
	Now    time.Time
}

// Build makes the report.
func Build(in Input) Report {
	r := empty(in.Now)
	r.Places = []Place{in.Place}
	r.Found, r.Complete = in.Inventory.Found, in.Inventory.Complete
	r.Parts = []Part{{in.Place, in.Now, r.Found, r.Complete}}
	r.Agents = append(r.Agents, in.State.Agents...)
	r.Warnings = append(r.Warnings, in.Warnings...)
	for _, d := range in.State.Defects {
		r.Defects = append(r.Defects, Defect{in.Place, d})
	}
	if taken := in.Inventory.TakenAt; !taken.IsZero() && in.Now.Sub(taken) > oldInventory {
		r.Warnings = append(r.Warnings, "the inventory is of "+stamp(taken)+": what went offline since is not in here; "+
			"make it anew with `recovery inventory`")
	}
	if n := in.State.Unknown; n > 0 {
		r.Warnings = append(r.Warnings, fmt.Sprintf("%d events in the journal were written by a newer recovery and are "+
			"not understood here: use that one", n))
	}
	for _, u := range in.Inventory.Unmatched {
		r.Unmatched = append(r.Unmatched, Unmatched{in.Place, u})
	}
	for _, l := range in.Inventory.LeftOut {
		r.LeftOut = append(r.LeftOut, LeftOut{in.Place, l})
	}
	for _, e := range in.Elsewhere {
		e.Place = in.Place
		r.Elsewhere = append(r.Elsewhere, e)
	}
	b := builder{Input: in, report: &r, listed: map[string]bool{}, folders: map[string]string{}}
	if in.World != nil {
		b.repo = in.World.Repositories()
	}
	for i := range in.Inventory.Items {
		it := &in.Inventory.Items[i]
		b.add(Entry{SessionName: it.SessionName, Cwd: it.Cwd, ExpiresAt: it.ExpiresAt}, it)
	}
	if b.archived > 0 {
		r.LeftOut = append(r.LeftOut, LeftOut{in.Place, inventory.LeftOut{Reason: "archived since the inventory",
			Count: b.archived}})
	}
	b.others()
	b.live()
	r.Captures = captures(b.wraps)
	b.messages()
	if in.World != nil {
		r.Rows = inventory.Rows(b.facts(), b.repo)
		for i := range r.Rows {
			r.Rows[i].Account, r.Rows[i].Host = in.Place.Account, in.Place.Host
		}
	}
	var deferred time.Time
	if in.State.DeferredUntil.After(in.Now) {
		deferred = in.State.DeferredUntil
	}
	r.finish(deferred)
	return r
}

func empty(now time.Time) Report {
	return Report{Version: Version, AsOf: now, Places: []Place{}, Parts: []Part{}, First: []Point{}, Defects: []Defect{},
		ArchiveNow: []Entry{}, LookFirst: []Entry{}, Owners: []Entry{}, Finished: []Entry{},
		Typed: []Entry{}, Held: []Entry{}, Duplicates: []Entry{}, Captures: []Capture{}, Unclear: []Entry{},
		NotWoken: []Entry{}, Live: []Entry{},
		Unmatched: []Unmatched{}, Groups: []Group{}, Expiring: []Point{}, Elsewhere: []Elsewhere{}, LeftOut: []LeftOut{},
		Agents: []string{}, Warnings: []string{}, Rows: []inventory.Row{}}
}

// lists are the lists in which a session can stand, in the order in which they are shown.
func (r *Report) lists() []List {
	return []List{
		{"archive_now", "Archive now", &r.ArchiveNow}, {"wrapped_look_first", "Wrapped, look first", &r.LookFirst},
		{"owners", "Owners that wait for one go", &r.Owners},
		{"finished", "Finished by their review, real wrap owed", &r.Finished}, {"held", "Held", &r.Held},
		{"duplicates", "Duplicates", &r.Duplicates},
		{"unclear", "Unclear or unanswered", &r.Unclear}, {"not_woken", "Not woken", &r.NotWoken}, {"live", "Live", &r.Live},
	}
}

// List is one of a report's lists.
type List struct {
	Name, Title string
	Entries     *[]Entry
}

// finish sorts the lists and makes what is drawn from all of them. deferred is a time before which nothing is woken;
// zero for none.
func (r *Report) finish(deferred time.Time) {
	r.First, r.Expiring, r.Counts = []Point{}, []Point{}, []ListCount{}
	for _, l := range r.lists() {
		sort.SliceStable(*l.Entries, func(i, j int) bool { return rank((*l.Entries)[i]) < rank((*l.Entries)[j]) })
		r.Counts = append(r.Counts, ListCount{l.Name, len(*l.Entries)})
	}
	r.Counts = append(r.Counts, ListCount{"unmatched", len(r.Unmatched)})
	r.lead()
	for _, l := range r.lists() {
		for _, e := range *l.Entries {
			if e.ExpiresAt != nil && l.Name != "live" && e.ExpiresAt.Before(r.AsOf.Add(expiresSoon)) {
				p := e.point("expires-soon", "its transcript is deleted at "+stamp(*e.ExpiresAt))
				p.At = e.ExpiresAt
				r.Expiring = append(r.Expiring, p)
			}
		}
	}
	r.Next = r.whole(deferred)
	sort.SliceStable(r.Expiring, func(i, j int) bool { return r.Expiring[i].At.Before(*r.Expiring[j].At) })
}

// whole is the one next of all that is listed.
func (r *Report) whole(deferred time.Time) standing.Next {
	if len(r.Places) > 1 {
		return standing.Do("go on in each account, with its own recovery")
	}
	var all []standing.Standing
	for _, l := range r.lists() {
		for _, e := range *l.Entries {
			all = append(all, standing.Standing{Short: e.Short, Place: e.Standing, Next: e.Step})
		}
	}
	n := standing.Whole(all, deferred)
	if n.IsZero() {
		return standing.Do("nothing is left to do here")
	}
	return n
}

// oldInventory is the age from which an inventory is pointed out.
const oldInventory = 24 * time.Hour

// expiresSoon is how long before its end a transcript is pointed out.
const expiresSoon = 7 * 24 * time.Hour

// rank puts money at risk first, then a person never answered, then what would act twice.
func rank(e Entry) int {
	switch v := e.Verdict; {
	case v == nil:
		return 3
	case v.MoneyAtRisk != "":
		return 0
	case v.PersonWaiting != "":
		return 1
	case len(v.ActsTwiceWith) > 0:
		return 2
	}
	return 3
}

func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }
