package remote

import (
	"slices"
	"strings"
	"time"

	"recovery/internal/claude"
)

// Sessions is what the saved pages of a sessions list hold together.
type Sessions struct {
	// Rows has each session once, in the order in which the pages were given; of several rows the one with the newest
	// UpdatedAt is kept.
	Rows []Session
	// Complete is false when the last page still has more. The list is ordered by creation, not by activity, so what is
	// missing is not necessarily old.
	Complete  bool
	NextID    string // to page on from, when not complete
	NextParam string // the parameter that NextID goes into: "after_id" or "cursor"
	AsOf      time.Time
	Found     int // rows read, before the same session was counted once
	Skipped   int // rows that could not be read; each has a warning
	Pages     int
	Warnings  []string // rows left out or odd, each with its file and row
	Notes     []string // what is no fault of a row and still worth a word, such as a list without paging fields
}

// ReadSessions reads pages of sessions, in any order. An error names every file that is no such page (RefusedError);
// then nothing is returned, since a list with a file missing would look complete.
func ReadSessions(files ...File) (Sessions, error) {
	pages, err := readPages("sessions", files, checkSessionPage)
	if err != nil {
		return Sessions{}, err
	}
	out := Sessions{AsOf: oldest(files), Pages: len(pages)}
	at := map[string]int{}
	created := make([][]time.Time, len(pages))
	for i, p := range pages {
		if p.bare {
			out.Notes = append(out.Notes, p.at(-1)+": a bare list of rows has no paging fields: whether there are more "+
				"sessions cannot be told")
		}
		for n, row := range p.rows {
			if classify(row) != sessionRow {
				out.Skipped++
				out.Warnings = append(out.Warnings, p.at(n)+": not a session: left out")
				continue
			}
			s, ok, problems := readSession(row)
			for _, problem := range problems {
				out.Warnings = append(out.Warnings, p.at(n)+": "+problem)
			}
			if !ok {
				out.Skipped++
				continue
			}
			out.Found++
			s.File, s.AsOf = p.file, p.saved
			created[i] = append(created[i], s.CreatedAt)
			if k, seen := at[s.Body]; !seen {
				at[s.Body] = len(out.Rows)
				out.Rows = append(out.Rows, s)
			} else if newer(s, out.Rows[k]) {
				out.Rows[k] = s
			}
		}
	}
	out.page(pages, created)
	return out, nil
}

// newer: the later update is the later state; without a difference there, the later file.
func newer(a, b Session) bool {
	if !a.UpdatedAt.Equal(b.UpdatedAt) {
		return a.UpdatedAt.After(b.UpdatedAt)
	}
	return a.AsOf.After(b.AsOf)
}

// page works out Complete. The two ways of paging are two lists; they are told apart only where both have more to give.
func (out *Sessions) page(pages []page, created [][]time.Time) {
	further := time.Time.Before
	if ascending(created) {
		further = time.Time.After
	}
	lists := map[string][]stop{}
	open := map[string]bool{}
	for i, p := range pages {
		s := stop{more: p.more, empty: len(p.rows) == 0, order: p.order, saved: p.saved}
		var param string
		s.next, param = nextOf(p)
		for _, t := range created[i] {
			if !t.IsZero() && (s.far.IsZero() || further(t, s.far)) {
				s.far = t
			}
		}
		lists[param] = append(lists[param], s)
		open[param] = open[param] || p.more
	}
	if !open["after_id"] || !open["cursor"] {
		param := "after_id"
		if open["cursor"] {
			param = "cursor"
		}
		lists = map[string][]stop{param: slices.Concat(lists["after_id"], lists["cursor"])}
	}
	out.Complete = true
	for _, param := range []string{"after_id", "cursor"} {
		end, from, contradiction := reach(lists[param], further)
		if contradiction {
			out.Warnings = append(out.Warnings, pages[from.order].at(-1)+
				": still has more, though another page with newer sessions says that it is the last: these are two different lists")
		}
		if !end && out.Complete {
			out.Complete, out.NextID, out.NextParam = false, from.next, param
		}
	}
}

// nextOf is what to page on from after a page, and the parameter that it goes into.
func nextOf(p page) (next, param string) {
	if p.cursor != "" {
		return p.cursor, "cursor"
	}
	if next = p.last; next == "" && len(p.rows) > 0 {
		next = word(p.rows[len(p.rows)-1].Get("id"))
	}
	if p.more || !p.cursorPaged && (p.ccr || p.idPaged || !cursorRows(p)) {
		return next, "after_id"
	}
	return next, "cursor"
}

// cursorRows: a last page that leaves out its empty next_cursor is known by the ids of that list.
func cursorRows(p page) bool {
	for _, row := range p.rows {
		if !strings.HasPrefix(word(row.Get("id")), claude.BridgePrefix) {
			return false
		}
	}
	return true
}

// ascending: the lists seen so far go from the newest session to the oldest. The rows say so themselves, and are
// believed.
func ascending(created [][]time.Time) bool {
	up, down := 0, 0
	for _, times := range created {
		for i := 1; i < len(times); i++ {
			switch a, b := times[i-1], times[i]; {
			case a.IsZero() || b.IsZero():
			case b.After(a):
				up++
			case b.Before(a):
				down++
			}
		}
	}
	return up > down
}
