package remote

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/tidwall/gjson"
)

// Events is what the saved pages of one session's event list hold together.
type Events struct {
	Items    []Event   // each uuid once, oldest first; entries without a usable time last
	HasMore  bool      // the pages do not reach back to the beginning
	FirstID  string    // to page back from with before_id, when HasMore
	AsOf     time.Time // the oldest file's modification time
	Pages    int
	Warnings []string // entries that are odd, each with its file and row
	Notes    []string // what is no fault of an entry and still worth a word
}

// ReadEvents reads pages of one session's events, in any order. The list comes newest page first and oldest entry
// first inside a page; its pages overlap, and a page can be empty and still have more, since its filter works after
// the page is read. An error names every file that is no such page (RefusedError).
func ReadEvents(files ...File) (Events, error) {
	pages, err := readPages("events", files, checkEventPage)
	if err != nil {
		return Events{}, err
	}
	out := Events{AsOf: oldest(files), Pages: len(pages)}
	at := map[string]int{}
	stops := make([]stop, len(pages))
	rowsOf := map[string][]int{} // by entry, the pages that it is on
	var items []Event
	for i, p := range backToFront(pages) {
		if p.bare {
			out.Notes = append(out.Notes, p.at(-1)+": a bare list of rows has no paging fields: whether there are earlier "+
				"events cannot be told")
		}
		stops[i] = stop{more: p.more, empty: len(p.rows) == 0, next: p.first, order: p.order, saved: p.saved}
		for n, row := range p.rows {
			if !row.IsObject() {
				out.Warnings = append(out.Warnings, p.at(n)+": not an event: left out")
				continue
			}
			ev, problems := readEvent(row)
			for _, problem := range problems {
				out.Warnings = append(out.Warnings, p.at(n)+": "+problem)
			}
			if stops[i].next == "" {
				stops[i].next = ev.UUID
			}
			if !ev.At.IsZero() && (stops[i].far.IsZero() || ev.At.Before(stops[i].far)) {
				stops[i].far = ev.At
			}
			key := keyOf(ev, row)
			if on := rowsOf[key]; len(on) == 0 || on[len(on)-1] != i {
				rowsOf[key] = append(on, i)
			}
			if k, seen := at[key]; seen {
				items[k] = merged(items[k], ev)
				continue
			}
			at[key] = len(items)
			items = append(items, ev)
		}
	}
	slices.SortStableFunc(items, oldestFirst)
	out.Items = items
	end, from, contradiction := reach(stops, time.Time.Before)
	out.HasMore, out.FirstID = !end, from.next
	if contradiction {
		out.Warnings = append(out.Warnings, pages[from.order].at(-1)+
			": still has more, though a page with later events says that it is the first: these are two different lists")
	}
	if out.HasMore && out.FirstID == "" {
		out.Notes = append(out.Notes, pages[from.order].at(-1)+
			": has more and no id to go back from: ask again without kinds")
	}
	if n := apart(rowsOf); n > 0 {
		out.Notes = append(out.Notes, fmt.Sprintf(
			"%d pages share no event with another one: whether a page between them is missing cannot be told", n))
	}
	return out, nil
}

// keyOf is what an entry is known by: overlapping pages repeat one without uuid word for word.
func keyOf(ev Event, row gjson.Result) string {
	if ev.UUID != "" {
		return "uuid " + strings.ToLower(ev.UUID)
	}
	return "row " + row.Raw
}

// oldestFirst is the order of entries; those without a usable time come last.
func oldestFirst(a, b Event) int {
	switch zero := a.At.IsZero(); {
	case zero && b.At.IsZero():
		return 0
	case zero:
		return 1
	case b.At.IsZero():
		return -1
	}
	return a.At.Compare(b.At)
}

// backToFront puts the pages given last first: newest page first is how they are saved, so this is oldest first,
// which decides between entries of the same time.
func backToFront(pages []page) []page {
	p := slices.Clone(pages)
	slices.Reverse(p)
	return p
}

// merged keeps one of two entries with the same uuid: the one that says more, and a person's before anything else.
func merged(a, b Event) Event {
	if (b.Person && !a.Person) || (b.Person == a.Person && a.At.IsZero() && !b.At.IsZero()) {
		a, b = b, a
	}
	if a.At.IsZero() {
		a.At = b.At
	}
	return a
}

// apart counts the pages that share no entry with any other, when there are several. Pages overlap as a rule.
func apart(rowsOf map[string][]int) int {
	seen, touching := map[int]bool{}, map[int]bool{}
	for _, on := range rowsOf {
		for _, i := range on {
			seen[i] = true
			touching[i] = touching[i] || len(on) > 1
		}
	}
	n := 0
	for _, t := range touching {
		if !t {
			n++
		}
	}
	if len(seen) < 2 {
		return 0
	}
	return n
}
