package ouroboros

import (
	"context"
	"database/sql"
	"fmt"
	"strings"

	"github.com/tidwall/gjson"
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

const (
	deciding = "'" + started + "','" + paused + "','" + completed + "','" + failed + "','" + cancelled + "','" +
		progressUpdated + "','" + workflowProgress + "'"
	// biggestPayload is what is read of one payload; a bigger one is reported and not read.
	biggestPayload = 4 << 20
)

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

// before says whether e comes before o in the order of events.
func (e event) before(o event) bool {
	if e.when != o.when {
		return e.when < o.when
	}
	return e.id < o.id
}

// lookAtTable sees which indexes there are, and that the columns are there.
func (v *view) lookAtTable() error {
	have := map[string]bool{}
	if err := v.each("SELECT name FROM pragma_table_info('events')", nil, func(r *sql.Rows) error {
		var name string
		err := r.Scan(&name)
		have[name] = true
		return err
	}); err != nil {
		return err
	}
	if len(have) == 0 {
		return causeError{"it has no table of events: it is no store of Ouroboros, or its first start was cut short",
			"look for the store that Ouroboros uses"}
	}
	var missing []string
	for _, name := range []string{"id", "aggregate_type", "aggregate_id", "event_type", "payload", "timestamp"} {
		if !have[name] {
			missing = append(missing, name)
		}
	}
	if missing != nil {
		return causeError{"its table of events lacks " + strings.Join(missing, ", ") +
			": another version of Ouroboros made it", "use the version of Ouroboros that made it"}
	}
	v.indexes = map[string]bool{}
	return v.each("SELECT name FROM pragma_index_list('events')", nil, func(r *sql.Rows) error {
		var name string
		err := r.Scan(&name)
		v.indexes[name] = true
		return err
	})
}

// using names an index for a query, the first of these that the store has; without one SQLite chooses.
func (v *view) using(names ...string) string {
	for _, n := range names {
		if v.indexes[n] {
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

// columns are those of an event. A declared type would make the driver read times by rules of its own; a cast has none.
const columns = "rowid, COALESCE(CAST(event_type AS TEXT),''), COALESCE(CAST(timestamp AS TEXT),''), " +
	"COALESCE(CAST(id AS TEXT),'')"

// aggregates calls do for each event of the given types (a list in SQL), with the id of what it is about.
func (v *view) aggregates(types string, do func(about string, e event)) error {
	return v.each("SELECT "+columns+", COALESCE(CAST(aggregate_id AS TEXT),'') FROM events "+v.using(byType)+
		" WHERE event_type IN ("+types+")", nil, func(r *sql.Rows) error {
		var e event
		var about string
		if err := r.Scan(&e.row, &e.kind, &e.when, &e.id, &about); err != nil {
			return err
		}
		do(about, e)
		return nil
	})
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
	var keys []any
	err := v.each(query, nil, func(r *sql.Rows) error {
		var key any
		err := r.Scan(&key)
		keys = append(keys, key)
		return err
	})
	return keys, err
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
	var out []string
	err := v.each("SELECT COALESCE(CAST(timestamp AS TEXT),'') FROM events "+v.using(byIDInTime, byID)+
		" WHERE aggregate_type=? AND aggregate_id=? ORDER BY timestamp DESC LIMIT ?", []any{aggregate, key, n},
		func(r *sql.Rows) error {
			var s string
			err := r.Scan(&s)
			out = append(out, s)
			return err
		})
	return out, err
}

// payload reads one event's payload. What is not a JSON object gives an error that says what it is.
func (v *view) payload(row int64) (gjson.Result, error) {
	var text sql.NullString
	var size sql.NullInt64
	statement, err := v.prepared("SELECT CASE WHEN octet_length(payload) <= ? THEN CAST(payload AS TEXT) END, " +
		"octet_length(payload) FROM events WHERE rowid=?")
	if err == nil {
		err = statement.QueryRow(biggestPayload, row).Scan(&text, &size)
	}
	switch {
	case err != nil:
		return gjson.Result{}, err
	case !size.Valid:
		return gjson.Result{}, payloadError{"has no payload"}
	case !text.Valid:
		return gjson.Result{}, payloadError{fmt.Sprintf("has a payload of %d bytes, which is too big to be read", size.Int64)}
	}
	return object(text.String)
}

// payloadError is what is wrong with one payload; the rest of the store can be read.
type payloadError struct{ what string }

func (e payloadError) Error() string { return e.what }

func object(text string) (gjson.Result, error) {
	if !gjson.Valid(text) {
		return gjson.Result{}, payloadError{"has a payload that is not JSON"}
	}
	p := gjson.Parse(text)
	if !p.IsObject() {
		return gjson.Result{}, payloadError{"has a payload that is no JSON object"}
	}
	return p, nil
}

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
	if p.size == 0 && !p.v.indexes[byIDInTime] {
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
	err := p.v.each("SELECT "+columns+" FROM events "+p.v.using(byIDInTime, byID)+" WHERE aggregate_type=? AND "+
		"aggregate_id=? AND event_type IN ("+
		deciding+")"+where+" ORDER BY timestamp DESC, id DESC LIMIT ?", append(args, p.size), func(r *sql.Rows) error {
		var e event
		err := r.Scan(&e.row, &e.kind, &e.when, &e.id)
		p.page = append(p.page, e)
		return err
	})
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
		p.only = " AND (event_type NOT IN ('" + progressUpdated + "','" + workflowProgress + "') OR " + only + ")"
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
