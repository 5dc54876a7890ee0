package ouroboros

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"recovery/internal/sources"
)

// noon is far from the machine's clock on purpose: nothing may depend on it.
var noon = time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)

// machine has no processes but the given ones.
func machine(home string, roots ...string) sources.Machine {
	return sources.Machine{Home: home, Cwd: home, Now: noon, Roots: roots, Getenv: func(string) string { return "" },
		Process: func(int) sources.Process { return sources.Process{} }}
}

// answer is what Ouroboros 0.51.14 says of a store.
type answer struct {
	All      map[string]map[string]any `json:"all"`
	InFlight [][2]string               `json:"in_flight"`
	Error    string                    `json:"error"`
}

// deliberate are the stores for which this package says something else than Ouroboros does.
var deliberate = map[string]struct {
	rows   [][2]string
	reason string
}{
	"no-start-event.db": {[][2]string{{"orch_000000000011", ""}},
		"Ouroboros drops a session without a start event silently; it is shown as one that cannot be read"},
	"null-timestamp-text.db": {[][2]string{{"orch_000000000019", "running"}},
		"Ouroboros fails on the whole store for one time that cannot be read; it is a warning on that session's row"},
}

func TestCorpus(t *testing.T) {
	data, err := os.ReadFile("testdata/expected.json")
	if err != nil {
		t.Fatal(err)
	}
	var want map[string]answer
	if err := json.Unmarshal(data, &want); err != nil {
		t.Fatal(err)
	}
	stores, _ := filepath.Glob("testdata/*.db")
	inFolders, _ := filepath.Glob("testdata/*/*.db")
	if n := len(stores) + len(inFolders); n != len(want) || n < 20 {
		t.Fatalf("%d stores, %d answers", n, len(want))
	}
	for _, store := range append(stores, inFolders...) {
		name := strings.TrimPrefix(filepath.ToSlash(store), "testdata/")
		t.Run(name, func(t *testing.T) {
			a, ok := want[name]
			if !ok {
				t.Fatal("no answer")
			}
			dir := t.TempDir()
			if err := os.CopyFS(dir, os.DirFS("testdata")); err != nil {
				t.Fatal(err)
			}
			before := listing(t, dir)
			m := machine(filepath.Join(dir, "nobody"), filepath.Join(dir, name))
			f := Find(m)
			inFlight := list(f.Rows)
			m.All = true
			all := Find(m)
			if d := cmp.Diff(before, listing(t, dir)); d != "" {
				t.Errorf("reading changed the folder: %s", d)
			}
			if a.Error != "" && deliberate[name].reason == "" {
				if len(f.Problems) != 1 || len(f.Rows) != 0 || f.Problems[0].Cause == "" || f.Problems[0].Next == "" {
					t.Fatalf("%+v, want a problem like %s", f, a.Error)
				}
				return
			}
			if len(f.Problems) != 0 {
				t.Fatalf("%+v", f.Problems)
			}
			expect := a.InFlight
			if d, ok := deliberate[name]; ok {
				expect = d.rows
				if len(f.Rows) != 1 || f.Rows[0].Verdict != sources.Unreadable && len(f.Rows[0].Warnings) == 0 {
					t.Errorf("%+v: no warning", f.Rows)
				}
			}
			if d := cmp.Diff(append([][2]string{}, expect...), inFlight); d != "" {
				t.Error(d)
			}
			for id, facts := range a.All {
				if deliberate[name].reason == "" {
					checkFacts(t, find(t, all.Rows, id), facts)
				}
			}
			if name == "failed-resume-unavailable.db" && !strings.Contains(all.Rows[0].Detail("ended"),
				"start a new attempt. (process_local_resume_unavailable)") {
				t.Errorf("%+v", all.Rows[0])
			}
			if len(f.Rows) == 0 && (f.None == "" || !strings.Contains(f.None, "ouroboros tui monitor")) {
				t.Errorf("none: %q", f.None)
			}
		})
	}
}

// checkFacts compares a row with what Ouroboros says of its session.
func checkFacts(t *testing.T, row sources.Row, facts map[string]any) {
	t.Helper()
	for name, want := range map[string]any{"execution": facts["execution_id"], "seed": facts["seed_id"],
		"started": facts["start_time"], "pause reason": some(facts["pause_reason"], row),
		"hint": some(facts["resume_hint"], row)} {
		if row.Detail(name) != want {
			t.Errorf("%s %q, want %v", name, row.Detail(name), want)
		}
	}
	if row.State != facts["status"] {
		t.Errorf("state %s, want %v", row.State, facts["status"])
	}
	if _, ok := facts["total_count"]; ok && !terminal(row.State) && row.Detail("criteria") == "" {
		t.Errorf("no criteria, want of %v", facts["total_count"])
	}
	if row.State != "paused" {
		return
	}
	if row.Detail("pause") != facts["pause_kind"] {
		t.Errorf("pause %s, want %v", row.Detail("pause"), facts["pause_kind"])
	}
	after, ok := facts["resume_after"].(string)
	if !ok {
		return
	}
	end, _ := time.Parse(time.RFC3339Nano, after)
	if early := noon.Before(end); early != (row.Verdict == sources.Time) ||
		!strings.Contains(row.WaitsFor, end.UTC().Format(time.RFC3339)) {
		t.Errorf("%s %s, want until %s", row.Verdict, row.WaitsFor, after)
	}
}

// some is what a detail should be: the fact when it is one of a pause that holds.
func some(fact any, row sources.Row) string {
	if s, ok := fact.(string); ok && row.State == "paused" {
		return s
	}
	return ""
}

func list(rows []sources.Row) [][2]string {
	out := [][2]string{}
	for _, r := range rows {
		out = append(out, [2]string{r.ID, r.State})
	}
	return out
}

func find(t *testing.T, rows []sources.Row, id string) sources.Row {
	t.Helper()
	for _, r := range rows {
		if r.ID == id {
			return r
		}
	}
	t.Fatalf("no row for %s", id)
	return sources.Row{}
}

// TestCorpusPaths finds the stores of homes as Ouroboros does.
func TestCorpusPaths(t *testing.T) {
	data, err := os.ReadFile("testdata/expected-paths.json")
	if err != nil {
		t.Fatal(err)
	}
	var want map[string]any
	if err := json.Unmarshal(data, &want); err != nil {
		t.Fatal(err)
	}
	homes := t.TempDir()
	if err := os.CopyFS(homes, os.DirFS("testdata/homes")); err != nil {
		t.Fatal(err)
	}
	// What the corpus has answers for and no folder.
	put(t, filepath.Join(homes, "config-both", folderName, configName),
		"persistence:\n  database_path: data/ouroboros.db\n")
	copyFile(t, "testdata/running.db", filepath.Join(homes, "config-both", folderName, "data", legacyName))
	copyFile(t, "testdata/started-only.db", filepath.Join(homes, "config-both", folderName, legacyName))
	put(t, filepath.Join(homes, "config-bad-yaml", folderName, configName), "persistence: [unclosed\n")
	copyFile(t, "testdata/running.db", filepath.Join(homes, "config-bad-yaml", folderName, legacyName))
	if err := os.MkdirAll(filepath.Join(homes, "no-store"), 0o755); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(homes)
	if err != nil || len(entries) != len(want) {
		t.Fatalf("%d homes, %d answers, %v", len(entries), len(want), err)
	}
	before := listing(t, homes)
	for name, expect := range want {
		home := filepath.Join(homes, name)
		for way, f := range map[string]sources.Found{"home": Find(machine(home)), "root": Find(machine("", home)),
			"folder": Find(machine("", filepath.Join(home, folderName)))} {
			switch e := expect.(type) {
			case string:
				if len(f.Looked) != 1 || f.Looked[0] != filepath.Join(home, e) || len(f.Problems) != 0 || len(f.Missing) != 0 {
					t.Errorf("%s as %s: %+v, want %s", name, way, f, e)
				}
			case map[string]any:
				if e["exit"] == 2.0 && (len(f.Problems) != 1 || len(f.Rows) != 0 || !strings.HasPrefix(f.Problems[0].Cause,
					e["error"].(string))) {
					t.Errorf("%s as %s: %+v, want %v", name, way, f, e)
				}
				if e["exit"] == 0.0 && (len(f.Problems) != 0 || len(f.Missing) != 1 || f.None == "") {
					t.Errorf("%s as %s: %+v, want %v", name, way, f, e)
				}
			}
		}
	}
	if d := cmp.Diff(before, listing(t, homes)); d != "" {
		t.Errorf("looking changed the homes: %s", d)
	}
}
