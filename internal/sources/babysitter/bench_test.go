package babysitter

import (
	"fmt"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"recovery/fixtures/long"
)

// manyRuns makes a store of n runs of nine events each; a tenth of them is unfinished, waiting for a person.
func manyRuns(t testing.TB, n int) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "runs")
	for i := range n {
		events := []ev{begun}
		for k := range 3 {
			id := fmt.Sprintf("e%d", k)
			events = append(events, requested(id, "agent"), resolved(id, "ok"))
		}
		events = append(events, ev{"PROCESS_LOG", map[string]any{"message": "a line"}})
		if i%10 == 0 {
			events = append(events, requested("ask", "breakpoint"))
		} else {
			events = append(events, ev{"RUN_COMPLETED", map[string]any{"outputRef": "state/output.json"}})
		}
		makeRun(t, filepath.Join(dir, fmt.Sprintf("run-%05d", i)), nil, events...)
	}
	return dir
}

// TestManyRuns: two thousand runs (some hundred without -long) are listed in seconds and in bounded memory; the
// benchmark has ten thousand.
func TestManyRuns(t *testing.T) {
	n := long.Of(300, 2_000)
	dir := manyRuns(t, n)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	start := time.Now()
	f := Find(machine(dir))
	took := time.Since(start)
	runtime.ReadMemStats(&after)
	t.Logf("%d runs in %s; the heap holds %d MiB more", n, took.Round(time.Millisecond),
		(int64(after.HeapAlloc)-int64(before.HeapAlloc))>>20)
	if len(f.Rows) != n/10 || f.LeftOut["completed"] != n-n/10 {
		t.Errorf("%d rows, %v", len(f.Rows), f.LeftOut)
	}
	if took > 30*time.Second || int64(after.HeapSys)-int64(before.HeapSys) > 256<<20 {
		t.Errorf("it took %s and %d MiB of heap", took, (after.HeapSys-before.HeapSys)>>20)
	}
}

func BenchmarkFind(b *testing.B) {
	n := 10_000
	if testing.Short() {
		n = 500
	}
	dir := manyRuns(b, n)
	b.ReportAllocs()
	for b.Loop() {
		if f := Find(machine(dir)); len(f.Rows) != n/10 {
			b.Fatal(len(f.Rows))
		}
	}
	b.ReportMetric(float64(b.Elapsed().Milliseconds())/float64(b.N)/float64(n)*1000, "µs/run")
}
