package babysitter

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"recovery/internal/sources"
	"recovery/internal/sources/files"
)

// expected is what the program itself answered for a run.
type expected struct {
	Status struct {
		RC     int `json:"rc"`
		Stdout *struct {
			State         string         `json:"state"`
			PendingByKind map[string]int `json:"pendingByKind"`
			LastEvent     *struct {
				Type string `json:"type"`
			} `json:"lastEvent"`
		} `json:"stdout"`
		Stderr string `json:"stderr"`
	} `json:"run:status"`
	Tasks struct {
		Stdout *struct {
			Tasks []struct {
				EffectID string `json:"effectId"`
			} `json:"tasks"`
		} `json:"stdout"`
	} `json:"task:list"`
}

// differences are the runs for which the answer differs on purpose, and why.
var differences = map[string]string{
	// run:status ends with an error for any folder that is named. A list cannot do that for each folder that lies among
	// the runs: without run.json and without journal it is no run, and is counted instead.
	"sdk-6.0.0/damaged/stray-folder": "counted as no run",
}

// verdicts are what the rows say beside the state.
var verdicts = map[string]sources.Verdict{
	"sdk-0.0.187/damaged/badjournal": sources.Unreadable, "sdk-0.0.187/damaged/badlock": sources.Person,
	"sdk-0.0.187/damaged/badrunjson": sources.Unreadable,
	"sdk-0.0.187/damaged/badstate":   sources.Person, "sdk-0.0.187/damaged/dupseq": sources.Unreadable,
	"sdk-0.0.187/damaged/emptyjournal": sources.Person,
	"sdk-0.0.187/damaged/nojournal":    sources.Person, "sdk-0.0.187/damaged/norunjson": sources.Unreadable,
	"sdk-0.0.187/damaged/nostate":  sources.Person,
	"sdk-0.0.187/damaged/pid1lock": sources.Live, "sdk-0.0.187/damaged/stray": sources.Unreadable,
	"sdk-0.0.187/runs/01M8KKW24CEQ3H39071BK2BFN7": sources.Safe, "sdk-0.0.187/runs/completed-twice": sources.Done,
	"sdk-0.0.187/runs/completed-with-pending-sleep": sources.Done, "sdk-0.0.187/runs/failed-task-error": sources.Done,
	"sdk-0.0.187/runs/waiting-breakpoint": sources.Person, "sdk-0.0.187/runs/waiting-sleep-future": sources.Time,
	"sdk-6.0.0/damaged/completed-then-failed": sources.Person, "sdk-6.0.0/damaged/stale-lock": sources.Person,
	"sdk-6.0.0/runs/01M8KM48XP30QDP2SGQ7WF6ZGZ":       sources.Safe,
	"sdk-6.0.0/runs/breakpoint-answered-not-iterated": sources.Safe,
	"sdk-6.0.0/runs/breakpoint-result-file-no-event":  sources.Person, "sdk-6.0.0/runs/completed": sources.Done,
	"sdk-6.0.0/runs/created-bare": sources.Person,
	"sdk-6.0.0/runs/halted":       sources.Done, "sdk-6.0.0/runs/journal-repaired": sources.Person,
	"sdk-6.0.0/runs/process-runtime-error": sources.Person,
	"sdk-6.0.0/runs/sealed-failed":         sources.Done, "sdk-6.0.0/runs/waiting-agent-session-bound": sources.Safe,
	"sdk-6.0.0/runs/waiting-breakpoint": sources.Person, "sdk-6.0.0/runs/waiting-sleep-future": sources.Time,
}

// TestCorpus holds every run of the stores to what the program itself says of it.
func TestCorpus(t *testing.T) {
	seen := 0
	for _, sdk := range []string{"sdk-0.0.187", "sdk-6.0.0"} {
		dir := store(t, sdk)
		data, err := os.ReadFile(filepath.Join(dir, "expected.json"))
		if err != nil {
			t.Fatal(err)
		}
		var want map[string]expected
		if err := json.Unmarshal(data, &want); err != nil {
			t.Fatal(err)
		}
		m := machine(filepath.Join(dir, "runs"), filepath.Join(dir, "damaged"))
		m.All = true
		m.Process = func(pid int) sources.Process { return sources.Process{Running: pid == 1} }
		rows := map[string]sources.Row{}
		for _, r := range Find(m).Rows {
			rel, _ := filepath.Rel(files.Real(dir), r.Store)
			rows[rel] = r
		}
		for name, w := range want {
			key := sdk + "/" + name
			row, listed := rows[name]
			if why, different := differences[key]; different {
				if listed {
					t.Errorf("%s is listed, and was to be %s", key, why)
				}
				continue
			}
			if !listed {
				t.Errorf("%s is not listed", key)
				continue
			}
			seen++
			if row.Verdict != verdicts[key] {
				t.Errorf("%s: verdict %s, want %s: %s", key, row.Verdict, verdicts[key], row.Reason)
			}
			if w.Status.RC != 0 {
				if row.Verdict != sources.Unreadable || row.State != "" || len(row.Warnings) == 0 {
					t.Errorf("%s: run:status ends with %d (%s); got %q %s", key, w.Status.RC, w.Status.Stderr, row.State, row.Reason)
				}
				continue
			}
			j := readJournal(filepath.Join(dir, name))
			if row.State != w.Status.Stdout.State {
				t.Errorf("%s: state %q, want %q", key, row.State, w.Status.Stdout.State)
			}
			if d := cmp.Diff(w.Status.Stdout.PendingByKind, j.pendingByKind()); d != "" {
				t.Errorf("%s: pending %s", key, d)
			}
			if last := w.Status.Stdout.LastEvent; (last == nil) != (j.lastKind == "") || last != nil && last.Type != j.lastKind {
				t.Errorf("%s: last event %s, want %+v", key, j.lastKind, last)
			}
			if tasks := w.Tasks.Stdout; tasks != nil && len(tasks.Tasks) != len(j.pending()) {
				t.Errorf("%s: %d pending, want %d", key, len(j.pending()), len(tasks.Tasks))
			}
		}
	}
	if seen != len(verdicts) {
		t.Errorf("%d runs were seen, want %d", seen, len(verdicts))
	}
}

// TestCorpusDamage: what the program prints of a damaged run is what the reason says.
func TestCorpusDamage(t *testing.T) {
	dir := store(t, "sdk-0.0.187")
	rows := byFolder(Find(machine(filepath.Join(dir, "damaged"))))
	for name, part := range map[string]string{
		"badjournal": "Failed to parse journal file 000003.01M8KKVTRATFWMAS2DYF44R32J.json",
		"dupseq":     "Journal sequence gap detected at 000004.01M8KKZZZZZZZZZZZZZZZZZZZZ.json (expected 5, got 4)",
		"stray":      "Invalid journal filename: readme.json",
		"norunjson":  "there is no run.json",
		"badrunjson": "run.json is not JSON",
	} {
		if r := rows[name]; !strings.Contains(r.Reason, part) || !hasCommand(r, "run:repair-journal") ||
			hasCommand(r, "run:iterate") {
			t.Errorf("%s: %s %v", name, r.Reason, r.Commands)
		}
	}
	for name, part := range map[string]string{"badlock": "every writer fails", "pid1lock": "held by process 1"} {
		m := machine(filepath.Join(dir, "damaged"))
		m.Process = func(int) sources.Process { return sources.Process{Running: true} }
		if r := byFolder(Find(m))[name]; !strings.Contains(r.Reason, part) || hasCommand(r, "run:iterate") {
			t.Errorf("%s: %s %v", name, r.Reason, r.Commands)
		}
	}
}

// TestNothingWritten: a look changes no file, no mode, no time and no listing.
func TestNothingWritten(t *testing.T) {
	for _, sdk := range []string{"sdk-0.0.187", "sdk-6.0.0"} {
		dir := store(t, sdk)
		before := fingerprint(t, filepath.Dir(dir))
		m := machine(dir, filepath.Join(dir, "runs"), filepath.Join(dir, "damaged"), filepath.Join(dir, "nothing"))
		m.Home, m.Cwd, m.All = dir, filepath.Join(dir, "damaged"), true
		if n := len(Find(m).Rows); n < 10 {
			t.Fatalf("%d rows", n)
		}
		if d := cmp.Diff(before, fingerprint(t, filepath.Dir(dir))); d != "" {
			t.Error(d)
		}
	}
}

// TestSecrets: no completion proof and no unknown lock owner reaches a row, wherever the files hold them.
func TestSecrets(t *testing.T) {
	dir := t.TempDir()
	leak := "the proof is " + proof
	for _, state := range []string{"RUN_CREATED", "RUN_COMPLETED", "RUN_FAILED", "RUN_HALTED", "PROCESS_RUNTIME_ERROR"} {
		run := filepath.Join(dir, "runs", state)
		e := requested(proof, "breakpoint")
		e.data["label"] = leak
		other := "feedfacefeedfacefeedfacefeedface"
		makeRun(t, run, map[string]any{"prompt": strings.Repeat("x", maxTitle-20) + leak, "processId": leak, "cwd": "/" +
			proof, "harness": "claude" + proof}, begun, e,
			ev{state, map[string]any{"completionProof": other, "error": map[string]any{"name": other, "message": leak},
				"reason": leak + other, "manual_seal_reason": leak, "sessionId": proof}})
		write(t, filepath.Join(run, "tasks", proof, "task.json"), `{"metadata":{"payload":{"question":"`+leak+`"}}}`)
		write(t, filepath.Join(run, "run.lock"), `{"pid":7,"owner":"token-abcdef","acquiredAt":"2026-11-29T12:00:00Z"}`)
	}
	for _, root := range []string{dir, store(t, "sdk-0.0.187"), store(t, "sdk-6.0.0")} {
		m := machine(root, filepath.Join(root, "damaged"))
		m.All = true
		f := Find(m)
		if len(f.Rows) < 5 {
			t.Fatalf("%d rows", len(f.Rows))
		}
		data, err := json.Marshal(f)
		if err != nil {
			t.Fatal(err)
		}
		secrets := []string{proof, proof[:16], "feedface", "token-abcdef", "abcdef"}
		_ = filepath.WalkDir(root, func(path string, _ os.DirEntry, _ error) error {
			if filepath.Base(path) == "run.json" {
				if v, err := files.ReadObject(path); err == nil {
					secrets = append(secrets, v.Text("completionProof"))
				}
			}
			return nil
		})
		for _, s := range secrets {
			if s != "" && strings.Contains(string(data), s) {
				t.Errorf("%s: %s is in a row", root, s)
			}
		}
	}
}
