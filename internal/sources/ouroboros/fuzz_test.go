package ouroboros

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tidwall/gjson"
	"pgregory.net/rapid"
)

// FuzzReplay folds any payload as any kind of event: no panic, only known states, sane counts.
func FuzzReplay(f *testing.F) {
	for _, p := range []string{`{}`, `{"progress":{"runtime_status":"running","completed_count":1}}`,
		`{"runtime_status":" PAUSED "}`, `[]`, `{`, `{"progress":[{"runtime_status":1}]}`, "{\"a\":\"\xff\"}",
		`{"completed_count":-1,"total_count":1e300}`, strings.Repeat("[", 1000)} {
		f.Add(progressUpdated, p, "2026-11-29 10:00:00.000000")
		f.Add(paused, p, "")
	}
	f.Fuzz(func(t *testing.T, kind, payload, when string) {
		p, bad := object(payload)
		r := replayer{status: status{done: -1, total: -1}}
		r.add(event{row: 1, kind: kind, when: when}, p, bad)
		r.add(event{row: 2, kind: started, when: when}, gjson.Result{}, "")
		s := r.result()
		if s.state != "running" && s.state != "paused" && !terminal(s.state) || s.done < -1 || s.total < -1 {
			t.Fatalf("%+v", s)
		}
		if at := parseTime(when); !at.IsZero() && at.Year() < 1 {
			t.Fatalf("%q is no time", when)
		}
		limit(&session{status: s, pauseBody: p})
		(&progress{}).add(p)
	})
}

// FuzzLease reads any lease: a process id that is none and a start out of all range are refused.
func FuzzLease(f *testing.F) {
	for _, s := range []string{"1", "999999:1795900000.5", "not-a-pid", "1:nan", "1:inf", "-1", "1:-5", "99999999999",
		" 7 \n", "7:", ":7", "7:1e400", "0"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		pid, start, ok := parseLease(s)
		if ok != (pid > 0) || !start.IsZero() && start.Before(time.Unix(0, 0)) {
			t.Fatalf("%q: %d %s %t", s, pid, start, ok)
		}
	})
}

// FuzzConfig reads any configuration.
func FuzzConfig(f *testing.F) {
	for _, s := range []string{"", "a", "persistence: {database_path: x}", "x: &x [*x]", "<<: {persistence: {}}",
		"? [a]\n: b", "--- a\n--- b\n", "persistence: &p\n  database_path: *p\n"} {
		f.Add(s)
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, s string) {
		file := filepath.Join(dir, configName)
		if err := os.WriteFile(file, []byte(s), 0o600); err != nil {
			t.Fatal(err)
		}
		if path, problem := configuredPath(file); problem != nil && path != "" {
			t.Fatalf("%q: both %s and %+v", s, path, problem)
		}
	})
}

// TestReplayBackwards compares the walk from the newest event back with the rules as they are written, from the
// oldest on.
func TestReplayBackwards(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		kinds := []string{paused, progressUpdated, workflowProgress, started}
		payloads := []string{`{}`, `{"progress":{"runtime_status":"running"}}`, `{"progress":{"runtime_status":"paused"}}`,
			`{"runtime_status":"completed"}`, `{"progress":{"runtime_status":"failed"}}`,
			`{"progress":{"runtime_status":"terminated"}}`, `{"completed_count":1,"total_count":3}`,
			`{"completed_count":3,"total_count":3}`, `{"completed_count":2}`, `7`, `{`}
		events := []event{{row: 1, kind: started}}
		bodies := []string{`{}`}
		for i := range rapid.IntRange(0, 12).Draw(t, "events") {
			events = append(events, event{row: int64(i + 2), kind: rapid.SampledFrom(kinds).Draw(t, "kind")})
			bodies = append(bodies, rapid.SampledFrom(payloads).Draw(t, "payload"))
		}
		state, explicit, pause, done, total := "running", "", int64(0), -1, -1
		for i, e := range events {
			p, bad := object(bodies[i])
			if bad != "" {
				p = gjson.Result{}
			}
			if !lifecycle(e.kind) && p.IsObject() {
				d, n := counts(p)
				if d >= 0 {
					done = d
				}
				if n >= 0 {
					total = n
				}
			}
			s, _ := word(e.kind, p)
			switch {
			case s == "":
				continue
			case s == "running":
				explicit, pause = "", 0
			case lifecycle(e.kind):
				explicit, pause = s, e.row
			}
			state = s
		}
		if explicit == "" && terminal(state) && total > 0 && done >= 0 && done < total {
			state = "running"
		}
		r := replayer{status: status{done: -1, total: -1}}
		for i := len(events) - 1; i >= 0; i-- {
			p, bad := object(bodies[i])
			if lifecycle(events[i].kind) {
				p, bad = gjson.Result{}, ""
			}
			if r.add(events[i], p, bad) {
				break
			}
		}
		if got := r.result(); got.state != state || got.pause.row != pause {
			t.Fatalf("%v %v: %s, pause %d, want %s, %d", events, bodies, got.state, got.pause.row, state, pause)
		}
	})
}
