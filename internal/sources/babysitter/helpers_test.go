package babysitter

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"recovery/fixtures"

	"recovery/internal/sources"
)

// noon is the clock of the tests; it is a little after the newest event of the stores in testdata.
var noon = time.Date(2026, 11, 29, 18, 0, 0, 0, time.UTC)

// machine has nothing but the folders that are named.
func machine(roots ...string) sources.Machine {
	return sources.Machine{Now: noon, Roots: roots, Getenv: func(string) string { return "" },
		Process: func(int) sources.Process { return sources.Process{} }}
}

// store copies a folder of testdata and puts back what git does not keep.
func store(t testing.TB, name string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), name)
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("testdata", name))); err != nil {
		t.Fatal(err)
	}
	if name == "sdk-0.0.187" {
		mkdir(t, filepath.Join(dir, "damaged", "emptyjournal", "journal"))
	}
	return dir
}

func mkdir(t testing.TB, dir string) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
}

func write(t testing.TB, path, text string) {
	t.Helper()
	mkdir(t, filepath.Dir(path))
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// ev is an event that a test makes up.
type ev struct {
	kind string
	data map[string]any
}

func requested(id, kind string) ev {
	return ev{"EFFECT_REQUESTED", map[string]any{"effectId": id, "invocationKey": "key:" + id, "stepId": "S1",
		"taskId": "task", "kind": kind, "label": "label " + id, "taskDefRef": "tasks/" + id + "/task.json"}}
}

func resolved(id, status string) ev {
	return ev{"EFFECT_RESOLVED", map[string]any{"effectId": id, "status": status,
		"error": map[string]any{"message": "boom"}}}
}

var begun = ev{"RUN_CREATED", map[string]any{}}

// eventFile is an event as the SDK writes it, its checksum included.
func eventFile(e ev, at time.Time) string {
	data, _ := json.MarshalIndent(e.data, "  ", "  ")
	body := fmt.Sprintf("{\n  \"type\": %q,\n  \"recordedAt\": %q,\n  \"data\": %s", e.kind,
		at.Format("2006-01-02T15:04:05.000Z"), data)
	sum := sha256.Sum256([]byte(body + "\n}\n"))
	return body + ",\n  \"checksum\": \"" + hex.EncodeToString(sum[:]) + "\"\n}\n"
}

func eventPath(run string, seq int) string {
	return filepath.Join(run, "journal", fmt.Sprintf("%06d.01M8KM%020d.json", seq, seq))
}

// makeRun writes a run; one event a minute, the last an hour before noon.
func makeRun(t testing.TB, dir string, meta map[string]any, events ...ev) {
	t.Helper()
	all := map[string]any{"runId": filepath.Base(dir), "processId": "demo/process",
		"createdAt": "2026-11-29T12:00:00.000Z", "layoutVersion": layout,
		"entrypoint": map[string]any{"importPath": "process.js", "exportName": "process"}, "completionProof": proof}
	for k, v := range meta {
		all[k] = v
	}
	data, _ := json.MarshalIndent(all, "", "  ")
	write(t, filepath.Join(dir, "run.json"), string(data))
	write(t, filepath.Join(dir, "process.js"), "exports.process = 1\n")
	mkdir(t, filepath.Join(dir, "journal"))
	for i, e := range events {
		write(t, eventPath(dir, i+1), eventFile(e, noon.Add(-time.Hour-time.Duration(len(events)-1-i)*time.Minute)))
	}
}

// proof is the secret of every made-up run.
const proof = "0badc0de0badc0de0badc0de0badc0de"

// only is the one row of a store.
func only(t testing.TB, f sources.Found) sources.Row {
	t.Helper()
	if len(f.Rows) != 1 {
		t.Fatalf("%d rows: %+v", len(f.Rows), f)
	}
	return f.Rows[0]
}

// byFolder finds rows by the last part of their folder.
func byFolder(f sources.Found) map[string]sources.Row {
	out := map[string]sources.Row{}
	for _, r := range f.Rows {
		out[filepath.Base(r.Store)] = r
	}
	return out
}

func hasCommand(r sources.Row, part string) bool {
	return slices.ContainsFunc(r.Commands, func(c sources.Command) bool { return strings.Contains(c.Command, part) })
}

func hasWarning(r sources.Row, part string) bool {
	return slices.ContainsFunc(r.Warnings, func(w string) bool { return strings.Contains(w, part) })
}

func fingerprint(t testing.TB, dir string) string {
	t.Helper()
	print, err := fixtures.Fingerprint(dir)
	if err != nil {
		t.Fatal(err)
	}
	return print
}
