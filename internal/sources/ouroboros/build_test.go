package ouroboros

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// schema is the table as Ouroboros makes it.
const schema = `CREATE TABLE events (id VARCHAR(36) NOT NULL, aggregate_type VARCHAR(100) NOT NULL,
	aggregate_id VARCHAR(36) NOT NULL, event_type VARCHAR(200) NOT NULL, payload JSON NOT NULL,
	timestamp DATETIME DEFAULT (CURRENT_TIMESTAMP) NOT NULL,
	consensus_id VARCHAR(36), PRIMARY KEY (id));`

var indexes = []string{
	"CREATE INDEX ix_events_aggregate_type ON events (aggregate_type)",
	"CREATE INDEX ix_events_aggregate_id ON events (aggregate_id)",
	"CREATE INDEX ix_events_aggregate_type_id ON events (aggregate_type, aggregate_id)",
	"CREATE INDEX ix_events_event_type ON events (event_type)",
	"CREATE INDEX ix_events_timestamp ON events (timestamp)",
	"CREATE INDEX ix_events_agg_type_id_timestamp ON events (aggregate_type, aggregate_id, timestamp)",
}

// ev is an event to be stored; when is a time of the day of noon, unless it is longer.
type ev struct {
	aggregate, id, kind, when string
	payload                   any
}

func startOf(id, when string) ev {
	payload, err := json.Marshal(map[string]any{"execution_id": "exec_" + id, "seed_id": "seed_1",
		"start_time": "2026-11-29T" + when + "+00:00", "seed_goal": "Goal of " + id,
		"project_root": "/src/app", "workspace_path": ".", "runtime_backend": "claude",
		"execution_contract": map[string]any{"foundation_a_authority": map[string]any{"scope": "process_local"}}})
	if err != nil {
		panic(err)
	}
	return ev{"session", id, started, when, string(payload)}
}

// write opens a database for writing, in the test only.
func write(t testing.TB, path string) *sql.DB {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", "file:"+escaped(path))
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	return db
}

func run(t testing.TB, db *sql.DB, query string, args ...any) {
	t.Helper()
	if _, err := db.Exec(query, args...); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
}

// store makes a store of events.
func store(t testing.TB, path string, events ...ev) string {
	t.Helper()
	db := write(t, path)
	defer db.Close()
	run(t, db, "PRAGMA synchronous=OFF")
	run(t, db, "BEGIN")
	run(t, db, schema)
	for _, index := range indexes {
		run(t, db, index)
	}
	for i, e := range events {
		insert(t, db, i, e)
	}
	run(t, db, "COMMIT")
	return path
}

func insert(t testing.TB, db *sql.DB, i int, e ev) {
	t.Helper()
	when := e.when
	if len(when) == len("15:04:05") {
		when = "2026-11-29 " + when + ".000000"
	}
	run(t, db, "INSERT INTO events (id, aggregate_type, aggregate_id, event_type, payload, timestamp) "+
		"VALUES (?,?,?,?,?,?)", fmt.Sprintf("%08d", i), e.aggregate, e.id, e.kind, e.payload, when)
}
