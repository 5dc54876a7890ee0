package remote

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"recovery/internal/claude"
	"recovery/internal/text"
)

// page is one answer of a list call, unwrapped.
type page struct {
	rows   []gjson.Result
	key    string // the member that held the rows: "data", "sessions", "events"; "" for a bare list
	bare   bool   // a list without any page around it: it has no paging fields to be missing
	ccr    bool
	more   bool
	cursor string // next_cursor
	first  string // first_id
	last   string // last_id

	cursorPaged bool // has the member next_cursor
	idPaged     bool // has has_more, first_id or last_id

	file       string
	saved      time.Time
	number, of int // this page's place in its file
	order      int // its place among all pages, as they were given
}

// pagingKeys are the members that a page may have beside its rows. Empty values are left out, so a page without rows
// can consist of nothing but these.
var pagingKeys = map[string]bool{
	"data": true, "has_more": true, "first_id": true, "last_id": true, "next_cursor": true, "next_page": true,
	"prev_cursor": true,
	"total":       true, "total_count": true, "count": true, "limit": true, "object": true, "request_id": true,
}

// pageOf reads a page from its members. ok is false when they are not a page's.
func pageOf(f fields, ccr bool) (p page, ok bool, r *refusal) {
	p.ccr = ccr
	keys := []string{"data", "sessions", "events"}
	if ccr {
		keys = keys[:2] // ccr with events is the answer to a message that was sent
	}
	for _, key := range keys {
		if f.of[key].IsArray() {
			p.rows, p.key, ok = f.of[key].Array(), key, true
			break
		}
	}
	if !ok {
		// Without rows only the paging members say that it is a page; inside ccr their absence says it too.
		ok = ccr || f.has("has_more") || f.has("next_cursor")
		for _, key := range f.keys {
			ok = ok && pagingKeys[key]
		}
		ok = ok && f.of["data"].Type == gjson.Null
	}
	if !ok {
		return page{}, false, nil
	}
	for _, key := range []string{p.key, "has_more", "next_cursor"} {
		if key != "" && f.twice[key] {
			return page{}, false, refuse("broken JSON (the key "+key+" twice)", "save the page again, unedited")
		}
	}
	p.cursor = word(f.of["next_cursor"])
	p.first, p.last = word(f.of["first_id"]), word(f.of["last_id"])
	p.more = yes(f.of["has_more"]) || p.cursor != ""
	p.cursorPaged = f.has("next_cursor")
	p.idPaged = f.has("has_more") || f.has("first_id") || f.has("last_id")
	return p, true, nil
}

// word reads an id or a cursor: a string, or a number that came as one.
func word(v gjson.Result) string {
	switch v.Type {
	case gjson.String:
		return v.Str
	case gjson.Number:
		return v.Raw
	}
	return ""
}

// at names a row of a page, or the page itself for row < 0, as the operator finds it again.
func (p page) at(row int) string {
	s := text.Line(p.file)
	if p.of > 1 {
		s += fmt.Sprintf(", page %d", p.number)
	}
	if row >= 0 {
		s += fmt.Sprintf(", row %d", row+1)
	}
	return s
}

type rowKind int

const (
	otherRow rowKind = iota
	sessionRow
	eventRow
	desktopRow
	transcriptRow
)

// classify tells what a row is a row of. Sessions first: their ids are the one thing that no other row has.
func classify(v gjson.Result) rowKind {
	if !v.IsObject() {
		return otherRow
	}
	has := func(keys ...string) bool {
		for _, k := range keys {
			if v.Get(k).Exists() {
				return true
			}
		}
		return false
	}
	id := word(v.Get("id"))
	switch {
	case claude.IsThread(id):
		return sessionRow
	case strings.HasPrefix(id, "local_"), strings.HasPrefix(word(v.Get("sessionId")), "local_"),
		has("isRunning", "lastActivityAt"):
		return desktopRow
	case has("session_status", "connection_status", "worker_status"):
		return sessionRow
	case !has("created_at") && has("sessionId", "parentUuid") && has("parentUuid", "cwd", "isSidechain"):
		return transcriptRow
	case has("event_type", "event_id", "uuid"):
		return eventRow
	case has("data", "ccr", "sessions", "events", "jsonrpc"):
		return otherRow
	case v.Get("type").Type == gjson.String && has("message", "created_at"):
		return eventRow
	case has("created_at") && !has("id", "title", "name"):
		return eventRow
	}
	for _, kind := range knownKinds {
		if v.Get(kind).IsObject() && has(kind+".uuid", kind+".message", kind+".internal_anthropic_catchall") {
			return eventRow
		}
	}
	return otherRow
}

// count says how many rows of each kind a page has.
func (p page) count() map[rowKind]int {
	n := map[rowKind]int{}
	for _, row := range p.rows {
		n[classify(row)]++
	}
	return n
}

func refuseDesktop() *refusal {
	return refuse("the desktop app's own session list (local_ ids, isRunning, lastActivityAt)",
		"save the answer of the Claude Code Remote tools' list_sessions instead")
}

func refuseTranscript() *refusal {
	return refuse("a local transcript", "recovery reads transcripts by itself; save the answer of list_events instead")
}

func refuseEvents() *refusal {
	return refuse("a page of events", "give it to queue-check --events SHORT=FILE, and a page of list_sessions here")
}

func refuseSessions() *refusal {
	return refuse("a page of sessions", "give it to inventory --sessions, and a page of list_events here")
}

func checkSessionPage(p page) *refusal {
	if p.key == "events" {
		return refuseEvents()
	}
	n := p.count()
	switch {
	case len(p.rows) == 0, slices.ContainsFunc(p.rows, func(row gjson.Result) bool {
		return classify(row) == sessionRow &&
			usableID(row)
	}):
		return nil
	case n[sessionRow] > 0:
		return refuse("a list of sessions without ids", "save the page again, unedited")
	case n[desktopRow] > 0:
		return refuseDesktop()
	case n[transcriptRow] > 0:
		return refuseTranscript()
	case n[eventRow] > 0:
		return refuseEvents()
	}
	return refuse("a list of something that is not sessions", "save the answer of list_sessions")
}

func checkEventPage(p page) *refusal {
	if p.key == "sessions" {
		return refuseSessions()
	}
	n := p.count()
	switch {
	case n[transcriptRow] > 0:
		return refuseTranscript()
	case n[eventRow] > 0, len(p.rows) == 0:
		return nil
	case n[sessionRow] > 0:
		return refuseSessions()
	case n[desktopRow] > 0:
		return refuseDesktop()
	}
	return refuse("a list of something that is not events", "save the answer of list_events")
}
