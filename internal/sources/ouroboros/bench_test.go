package ouroboros

import (
	"fmt"
	"path/filepath"
	"runtime"
	"testing"

	"recovery/internal/sources"
)

// many makes a store of about n events: sessions of a thousand events each, of which every tenth is in flight, one of
// them with half of all events and no status in them, and as many jobs, questions and other events as come with that.
// With -short it is small.
func many(b testing.TB, n int, withIndexes int) string {
	path := filepath.Join(b.TempDir(), "big.db")
	db := write(b, path)
	defer db.Close()
	run(b, db, "PRAGMA journal_mode=OFF")
	run(b, db, "PRAGMA cache_size=-1000000")
	run(b, db, schema)
	// Half of the events belong to sessions of 1000, the other half to one.
	run(b, db, `WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i+1 FROM n WHERE i+1 < ?1)
	INSERT INTO events (id, aggregate_type, aggregate_id, event_type, payload, timestamp)
	SELECT printf('%032x', i*2654435761 % 4294967296) || i,
		CASE WHEN i % 1000 IN (0, 999) OR i % 4 = 1 OR i >= ?1/2 THEN 'session' WHEN i % 1000 = 500 THEN 'job' WHEN i % 1000 = 501 THEN 'hitl' ELSE 'execution' END,
		CASE WHEN i >= ?1/2 THEN 'orch_big' WHEN i % 1000 IN (0, 999) OR i % 4 = 1 THEN printf('orch_%08d', i/1000) WHEN i % 1000 IN (500, 501) THEN printf('other_%08d', i) ELSE printf('exec_%08d', i/1000) END,
		CASE WHEN i % 1000 = 0 AND i < ?1/2 OR i = ?1/2 THEN 'orchestrator.session.started'
			WHEN i % 1000 = 999 AND i < ?1/2 AND i/1000 % 10 > 0 THEN 'orchestrator.session.completed'
			WHEN i >= ?1/2 OR i % 4 = 1 THEN 'orchestrator.progress.updated' WHEN i % 1000 = 500 THEN 'mcp.job.created' WHEN i % 1000 = 501 THEN 'hitl.requested'
			WHEN i % 4 = 2 THEN 'workflow.progress.updated' ELSE 'execution.tool.called' END,
		CASE WHEN i % 1000 = 0 THEN printf('{"execution_id":"exec_%08d","seed_id":"seed_1","start_time":"2026-11-29T09:00:00+00:00","seed_goal":"Goal"}', i/1000)
			WHEN i % 4 = 2 THEN printf('{"session_id":"orch_%08d","completed_count":1,"total_count":7,"acceptance_criteria":[],"activity":"%s"}', i/1000, ?2)
			WHEN i >= ?1/2 THEN printf('{"progress":{"last_content_preview":"%s"}}', ?2)
			ELSE printf('{"progress":{"runtime_status":"running","messages_processed":5,"last_content_preview":"%s"}}', ?2) END,
		strftime('%Y-%m-%d %H:%M:%S', 1795900000 + i/10, 'unixepoch') || printf('.%06d', i % 1000000)
	FROM n`, n, preview)
	for _, index := range indexes[:withIndexes] {
		run(b, db, index)
	}
	run(b, db, "PRAGMA journal_mode=WAL")
	return path
}

const preview = "what the worker wrote last, of which a few hundred bytes are kept in each of its events so that a " +
	"monitor can show them, " +
	"and which make up most of a store that has been in use for some months; this is about as long as they are in the " +
	"ones that were seen"

// BenchmarkMillionEvents lists a store of a million events (20,000 with -short), then the same one without the index
// that old stores lack. SQLite's own memory, 16 MiB of pages at most, is not in the heap's figure.
func BenchmarkMillionEvents(b *testing.B) {
	n := 1_000_000
	if testing.Short() {
		n = 20_000
	}
	path := many(b, n, len(indexes))
	for _, name := range []string{"all indexes", "an old store"} {
		if name == "an old store" {
			db := write(b, path)
			run(b, db, "DROP INDEX "+byIDInTime)
			db.Close()
		}
		b.Run(name, func(b *testing.B) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			for b.Loop() {
				if f := Find(machine("", path)); len(f.Problems) != 0 || len(f.Rows) != sources.Shown {
					b.Fatalf("%d rows, %+v, %v", len(f.Rows), f.Problems, f.LeftOut)
				}
			}
			runtime.ReadMemStats(&after)
			b.ReportMetric(float64(after.TotalAlloc-before.TotalAlloc)/float64(b.N)/1e6, "MB/op")
			b.ReportMetric(float64(after.HeapSys)/1e6, "MB-heap")
		})
	}
}

// BenchmarkManySessions lists 10,000 sessions that all run (500 with -short).
func BenchmarkManySessions(b *testing.B) {
	n := 10_000
	if testing.Short() {
		n = 500
	}
	var events []ev
	for i := range n {
		id := fmt.Sprintf("run_%05d", i)
		events = append(events, startOf(id, "10:00:00"), progressOf(id, "10:01:00",
			`{"progress":{"runtime_status":"running"}}`),
			ev{"execution", "exec_" + id, workflowProgress, "10:02:00", `{"completed_count":1,"total_count":3}`})
	}
	path := store(b, filepath.Join(b.TempDir(), "many.db"), events...)
	for b.Loop() {
		if f := Find(machine("", path)); len(f.Rows) != sources.Shown || len(f.Problems) != 0 {
			b.Fatalf("%+v", f)
		}
	}
}

// TestManyEvents lists a store of many sessions with and without the indexes that Ouroboros makes, to the same end.
func TestManyEvents(t *testing.T) {
	n := 6000
	if testing.Short() {
		n = 1200
	}
	var want []sources.Row
	for _, withIndexes := range []int{6, 5, 0} {
		f := Find(machine("", many(t, n, withIndexes)))
		if len(f.Problems) != 0 || len(f.Rows) != 2 {
			t.Fatalf("%d indexes: %d rows, %+v, %v", withIndexes, len(f.Rows), f.Problems, f.LeftOut)
		}
		for i := range f.Rows {
			f.Rows[i].Store, f.Rows[i].Commands = "", nil
		}
		if want == nil {
			want = f.Rows
		}
		for i, r := range f.Rows {
			if words(r) != words(want[i]) {
				t.Errorf("%d indexes: %s\nand with all %s", withIndexes, words(r), words(want[i]))
			}
		}
	}
}
