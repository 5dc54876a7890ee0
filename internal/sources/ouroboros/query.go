package ouroboros

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"recovery/internal/text"
)

// The events that decide a session's status.
const (
	started          = "orchestrator.session.started"
	paused           = "orchestrator.session.paused"
	completed        = "orchestrator.session.completed"
	failed           = "orchestrator.session.failed"
	cancelled        = "orchestrator.session.cancelled"
	progressUpdated  = "orchestrator.progress.updated"
	workflowProgress = "workflow.progress.updated"
)

// deciding are all of them.
var deciding = []string{started, paused, completed, failed, cancelled, progressUpdated, workflowProgress}

// biggestPayload is what is read of one payload; a bigger one is reported and not read.
const biggestPayload = 4 << 20

// Ouroboros makes these indexes; the last is missing in old stores, and a store may have been rebuilt without any.
const (
	byType     = "ix_events_event_type"
	byID       = "ix_events_aggregate_type_id"
	byIDInTime = "ix_events_agg_type_id_timestamp"
)

// event is one row of the table without its payload. Times are texts, in UTC and without offset; they and the id are
// the order of events.
type event struct {
	row      int64
	kind     string
	when, id string
}

// compare puts events in their order.
func (e event) compare(o event) int {
	return cmp.Or(strings.Compare(e.when, o.when), strings.Compare(e.id, o.id))
}

// before says whether e comes before o in the order of events.
func (e event) before(o event) bool { return e.compare(o) < 0 }

// lookAtTable sees which indexes there are, and that the columns are there.
func (v *view) lookAtTable() error {
	have, err := column[string](v, "SELECT name FROM pragma_table_info('events')")
	if err != nil {
		return err
	}
	if len(have) == 0 {
		return causeError{"it has no table of events: it is no store of Ouroboros, or its first start was cut short",
			"look for the store that Ouroboros uses"}
	}
	var missing []string
	for _, name := range []string{"id", "aggregate_type", "aggregate_id", "event_type", "payload", "timestamp"} {
		if !slices.Contains(have, name) {
			missing = append(missing, name)
		}
	}
	if missing != nil {
		return causeError{"its table of events lacks " + strings.Join(missing, ", ") +
			": another version of Ouroboros made it", "use the version of Ouroboros that made it"}
	}
	v.indexes, err = column[string](v, "SELECT name FROM pragma_index_list('events')")
	return err
}

// using names an index for a query, the first of these that the store has; without one SQLite chooses.
func (v *view) using(names ...string) string {
	for _, n := range names {
		if slices.Contains(v.indexes, n) {
			return "INDEXED BY " + n
		}
	}
	return ""
}

// each runs a query and calls do for each row.
func (v *view) each(query string, args []any, do func(*sql.Rows) error) error {
	statement, err := v.prepared(query)
	if err != nil {
		return err
	}
	rows, err := statement.Query(args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := do(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

// prepared keeps the statements: ten thousand sessions ask the same few questions each.
func (v *view) prepared(query string) (*sql.Stmt, error) {
	if s := v.statements[query]; s != nil {
		return s, nil
	}
	s, err := v.conn.PrepareContext(context.Background(), query)
	if err == nil {
		v.statements[query] = s
	}
	return s, err
}

// column runs a query whose rows are one value each.
func column[T any](v *view, query string, args ...any) (values []T, err error) {
	err = v.each(query, args, func(r *sql.Rows) error {
		var value T
		err := r.Scan(&value)
		values = append(values, value)
		return err
	})
	return values, err
}

// columns are those of an event. A declared type would make the driver read times by rules of its own; a cast has none.
const columns = "rowid, COALESCE(CAST(event_type AS TEXT),''), COALESCE(CAST(timestamp AS TEXT),''), " +
	"COALESCE(CAST(id AS TEXT),''), COALESCE(CAST(aggregate_id AS TEXT),'')"

// events calls do for each event that the rest of a query chooses, with the id of what it is about.
func (v *view) events(rest string, args []any, do func(about string, e event)) error {
	return v.each("SELECT "+columns+" FROM events "+rest, args, func(r *sql.Rows) error {
		var e event
		var about string
		if err := r.Scan(&e.row, &e.kind, &e.when, &e.id, &about); err != nil {
			return err
		}
		do(about, e)
		return nil
	})
}

// aggregates calls do for each event of the given types.
func (v *view) aggregates(do func(about string, e event), types ...string) error {
	return v.events(v.using(byType)+" WHERE event_type IN ("+quoted(types)+")", nil, do)
}

// quoted is a list of words in SQL.
func quoted(words []string) string { return "'" + strings.Join(words, "','") + "'" }

// first keeps the first event of each thing, and last the last one.
func first(m map[string]event) func(string, event) {
	return func(about string, e event) {
		if old, ok := m[about]; !ok || e.before(old) {
			m[about] = e
		}
	}
}

func last(m map[string]event) func(string, event) {
	return func(about string, e event) {
		if old, ok := m[about]; !ok || old.before(e) {
			m[about] = e
		}
	}
}

// keys lists the ids of all sessions, or of all executions, as the store holds them: text, or bytes. With the index
// it jumps from one id to the next, so that a million events of one session cost one step.
func (v *view) keys(aggregate string) ([]any, error) {
	query := "SELECT DISTINCT aggregate_id FROM events WHERE aggregate_type='" + aggregate +
		"' AND aggregate_id IS NOT NULL"
	if index := v.using(byID, byIDInTime); index != "" {
		next := "SELECT aggregate_id FROM events " + index + " WHERE aggregate_type='" + aggregate + "'"
		query = "WITH RECURSIVE s(id) AS (SELECT (" + next + " AND aggregate_id IS NOT NULL ORDER BY aggregate_id LIMIT " +
			"1) UNION ALL SELECT (" +
			next + " AND aggregate_id > s.id ORDER BY aggregate_id LIMIT 1) FROM s WHERE s.id IS NOT NULL) SELECT id FROM s " +
			"WHERE id IS NOT NULL"
	}
	return column[any](v, query)
}

// keyText is a key as text.
func keyText(key any) string {
	switch k := key.(type) {
	case string:
		return k
	case []byte:
		return string(k)
	}
	return fmt.Sprint(key)
}

// newest returns the times of a session's newest events, newest first, at most n.
func (v *view) newest(aggregate string, key any, n int) ([]string, error) {
	return column[string](v, "SELECT COALESCE(CAST(timestamp AS TEXT),'') FROM events "+v.using(byIDInTime, byID)+
		" WHERE aggregate_type=? AND aggregate_id=? ORDER BY timestamp DESC LIMIT ?", aggregate, key, n)
}

// payload reads one event's payload. bad says what it is when it is no JSON object; the rest of the store can be read.
func (v *view) payload(row int64) (p gjson.Result, bad string, err error) {
	var text sql.NullString
	var size sql.NullInt64
	statement, err := v.prepared("SELECT CASE WHEN octet_length(payload) <= ? THEN CAST(payload AS TEXT) END, " +
		"octet_length(payload) FROM events WHERE rowid=?")
	if err == nil {
		err = statement.QueryRow(biggestPayload, row).Scan(&text, &size)
	}
	switch {
	case err != nil:
	case !size.Valid:
		bad = "has no payload"
	case !text.Valid:
		bad = fmt.Sprintf("has a payload of %d bytes, which is too big to be read", size.Int64)
	default:
		p, bad = object(text.String)
	}
	return p, bad, err
}

// readable is a payload, empty when it cannot be read.
func (v *view) readable(row int64) (gjson.Result, error) {
	p, _, err := v.payload(row)
	return p, err
}

func object(text string) (p gjson.Result, bad string) {
	if !gjson.Valid(text) {
		return p, "has a payload that is not JSON"
	}
	if p = gjson.Parse(text); !p.IsObject() {
		return gjson.Result{}, "has a payload that is no JSON object"
	}
	return p, ""
}

// str is a text of a payload, bounded; empty when it is not there or no text.
func str(p gjson.Result, path string) string { return bounded(whole(p, path)) }

// whole is a text of a payload, whole: ids must stay what they are.
func whole(p gjson.Result, path string) string {
	if r := p.Get(path); r.Type == gjson.String {
		return r.Str
	}
	return ""
}

// longest is how much of a text from a store goes into a row.
const longest = 600

// bounded cuts a text to at most longest bytes, never inside a character.
func bounded(s string) string { return text.CutBytes(s, longest, "…") }

// pager walks the deciding events of one aggregate from the newest back, a page at a time, so that memory is bounded
// and a walk can end early.
type pager struct {
	v         *view
	aggregate string
	key       any
	from      string // the oldest time that counts, empty for all
	only      string // a further condition, empty for none
	page      []event
	size      int
	done      bool
}

const (
	smallestPage = 32
	biggestPage  = 4096
)

// A store without the index in time reads and sorts the whole aggregate for each page, so its pages are big from the
// start.
func (p *pager) grow() {
	if p.size == 0 && !slices.Contains(p.v.indexes, byIDInTime) {
		p.size = biggestPage / 4
	}
	p.size = min(max(2*p.size, smallestPage), biggestPage)
}

// fill reads the next page: what is older than the given event when there is one.
func (p *pager) fill(after event, more bool) error {
	if p.done {
		return nil
	}
	p.grow()
	where, args := p.only, []any{p.aggregate, p.key}
	if p.from != "" {
		where += " AND timestamp >= ?"
		args = append(args, p.from)
	}
	if more {
		where += " AND timestamp <= ? AND (timestamp, id) < (?, ?)"
		args = append(args, after.when, after.when, after.id)
	}
	err := p.v.events(p.v.using(byIDInTime, byID)+" WHERE aggregate_type=? AND aggregate_id=? AND event_type IN ("+
		quoted(deciding)+")"+where+" ORDER BY timestamp DESC, id DESC LIMIT ?", append(args, p.size),
		func(_ string, e event) { p.page = append(p.page, e) })
	p.done = len(p.page) < p.size
	return err
}

// pop drops the newest event and makes the next one ready.
func (p *pager) pop() error {
	last := p.page[0]
	if p.page = p.page[1:]; len(p.page) > 0 {
		return nil
	}
	return p.fill(last, true)
}

// history merges the pagers of one session.
type history struct{ pagers []*pager }

// narrow leaves out what cannot hold a status, nor counts while those are wanted, from the next page on: of hundreds
// of thousands of progress events most say neither.
func (h *history) narrow(counts bool) {
	only := "instr(payload, 'runtime_status')"
	if counts {
		only += " OR instr(payload, 'total_count')"
	}
	for _, p := range h.pagers {
		p.only = " AND (event_type NOT IN (" + quoted([]string{progressUpdated, workflowProgress}) + ") OR " + only + ")"
	}
}

// history walks what decides a session's status: its own events, and those of its execution since the start.
func (v *view) history(key any, execution string, start event) *history {
	h := &history{}
	h.pagers = append(h.pagers, &pager{v: v, aggregate: "session", key: key})
	// The rest is there for few sessions; asking for what is not there would cost most of the time.
	add := func(aggregate string, key any) {
		if v.known[aggregate][keyText(key)] {
			h.pagers = append(h.pagers, &pager{v: v, aggregate: aggregate, key: key, from: start.when})
		}
	}
	add("execution", key)
	if execution != "" && execution != keyText(key) {
		add("execution", execution)
		add("session", execution)
	}
	return h
}

// next returns the next older event, and false at the end.
func (h *history) next() (event, bool, error) {
	var newest *pager
	var top event
	for _, p := range h.pagers {
		if len(p.page) == 0 && !p.done {
			if err := p.fill(event{}, false); err != nil {
				return event{}, false, err
			}
		}
		if len(p.page) > 0 && (newest == nil || top.before(p.page[0])) {
			newest, top = p, p.page[0]
		}
	}
	if newest == nil {
		return event{}, false, nil
	}
	return top, true, newest.pop()
}
