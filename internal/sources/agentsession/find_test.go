package agentsession

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"recovery/internal/sources"
	"recovery/internal/sources/files"
)

// noon is the clock of the tests: five minutes after the newest checkpoint in testdata.
var noon = time.Date(2026, 11, 29, 12, 30, 0, 0, time.UTC)

func machine(roots ...string) sources.Machine { return sources.Machine{Now: noon, Roots: roots} }

func write(t testing.TB, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// store copies testdata; its files are as old as the checkpoints in them are at the latest.
func store(t testing.TB) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "ws")
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("testdata", "ws"))); err != nil {
		t.Fatal(err)
	}
	err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if err == nil {
			err = os.Chtimes(path, noon.Add(-time.Hour), noon.Add(-time.Hour))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func hasWarning(r sources.Row, part string) bool {
	return slices.ContainsFunc(r.Warnings, func(w string) bool { return strings.Contains(w, part) })
}

func hasCommand(r sources.Row, part string) bool {
	return slices.ContainsFunc(r.Commands, func(c sources.Command) bool { return strings.Contains(c.Command, part) })
}

// byAgent names a row by its agent and the end of its id.
func byAgent(f sources.Found) map[string]sources.Row {
	out := map[string]sources.Row{}
	for _, r := range f.Rows {
		out[r.Detail("agent")+"/"+r.ID[max(0, len(r.ID)-4):]] = r
	}
	return out
}

// TestCorpus goes through every session of the store. Nobody's program answers for it: the expectations are the
// skill's text.
func TestCorpus(t *testing.T) {
	dir := store(t)
	m := machine(dir)
	m.All = true
	f := Find(m)
	rows := byAgent(f)
	want := map[string]struct {
		state   string
		verdict sources.Verdict
		reason  string
		resume  bool
	}{
		"builder/0001":  {"active", sources.Person, "may be at work", false},
		"builder/0002":  {"active", sources.Safe, "interrupted", true},
		"builder/0009":  {"", sources.Person, "starting from scratch", false},
		"reviewer/0003": {"sleeping", sources.Done, "nothing to resume", false},
		"reviewer/0004": {"shutting-down", sources.Person, "did not finish", true},
		"planner/0005":  {"active", sources.Person, "restarted 3 times of at most 3", true},
		"planner/0006":  {"active", sources.Person, "belongs to builder: do not wake", false},
		"broken/0007":   {"", sources.Unreadable, "not JSON", false},
		"minimal/0008":  {"", sources.Person, "has no status", true},
		"foreign/sion":  {"active", sources.Safe, "interrupted", false},
	}
	if len(rows) != len(want) || len(f.Rows) != len(want) {
		t.Errorf("%d rows, want %d", len(rows), len(want))
	}
	for name, w := range want {
		r := rows[name]
		if r.State != w.state || r.Verdict != w.verdict || !strings.Contains(r.Reason, w.reason) ||
			hasCommand(r, "--resume") != w.resume ||
			!r.FormatInferred || r.Source != Name || r.Cwd != files.Real(dir) && r.Cwd != dir || len(r.Commands) == 0 ||
			r.UpdatedAt.IsZero() {
			t.Errorf("%s: %+v", name, r)
		}
	}
	r := rows["planner/0006"]
	for name, w := range map[string]string{"checkpoint": "80 min", "started": "2026-11-29T08:00:00Z",
		"duration": "3 h up to", "messages processed": "17", "current task": "Refactor the parser",
		"done": "1: read spec", "pending": "1: write tests", "bus position": "msg-0042", "restarts": "0 of at most 3",
		"hand-off to": "builder", "hand-off next": "write tests"} {
		if name == "checkpoint" {
			w = "1 h old (2026-11-29T11:10:00Z, the checkpoint's own time)"
		}
		if !strings.Contains(r.Detail(name), w) {
			t.Errorf("%s is %q, want %q", name, r.Detail(name), w)
		}
	}
	if r := rows["foreign/sion"]; !hasWarning(r, "names the agent other-agent; its folder says foreign") ||
		!hasWarning(r, "names the session different-id") || r.ID != "not-a-uuid-session" || r.ClaudeSessionID != "" {
		t.Errorf("%+v", r)
	}
	if r := rows["minimal/0008"]; !strings.Contains(r.Detail("checkpoint"), "the file's time") ||
		r.Detail("bus position") != "9" || r.Title != "only a task" {
		t.Errorf("%+v", r)
	}
	if r := rows["builder/0002"]; r.ClaudeSessionID != "3f0c5f1e-0000-4000-8000-000000000002" ||
		!hasWarning(r, "began after its checkpoint") {
		t.Errorf("%+v", r)
	}
	if m.All = false; len(Find(m).Rows) != 9 || Find(m).LeftOut["sleeping, nothing left to do"] != 1 ||
		Find(m).None != "" {
		t.Errorf("%+v", Find(m))
	}
}

// TestPlaces: from where a store is found, and that a session is told once.
func TestPlaces(t *testing.T) {
	for name, c := range map[string]struct {
		cwd     string
		folders []string
		roots   []string
		rows    int
	}{
		"work folder": {cwd: "p", rows: 1}, "job folder": {folders: []string{"p"}, rows: 1}, "elsewhere": {cwd: "q"},
		"named": {roots: []string{"p"}, rows: 1},
		"above": {roots: []string{"."}, rows: 1}, ".os": {roots: []string{"p/.os"}, rows: 1},
		"store": {roots: []string{"p/.os/sessions"}, rows: 1},
		"agent": {roots: []string{"p/.os/sessions/a"}, rows: 1}, "session": {roots: []string{"p/.os/sessions/a/s1"}, rows: 1},
		"checkpoint": {roots: []string{"p/.os/sessions/a/s1/checkpoint.json"}, rows: 1},
		"all ways": {cwd: "p", folders: []string{"p", "link"}, roots: []string{".", "p/.os", "p/.os/sessions/a/s1",
			"link/.os/sessions/a"}, rows: 1},
		"nothing": {roots: []string{"gone"}}, "no such agent": {roots: []string{"p/.os/sessions/b"}},
		"no such session": {roots: []string{"p/.os/sessions/a/s2"}},
		"relative":        {cwd: "p/.os", roots: []string{"../../p/.os/sessions/"}, rows: 1},
	} {
		top := t.TempDir()
		write(t, filepath.Join(top, "p", ".os", "sessions", "a", "s1", "checkpoint.json"),
			`{"status":"sleeping","task":"x","bus_position":1}`)
		if err := os.Symlink("p", filepath.Join(top, "link")); err != nil {
			t.Fatal(err)
		}
		m := machine()
		if c.cwd != "" {
			m.Cwd = filepath.Join(top, c.cwd)
		}
		for _, dir := range c.folders {
			m.Folders = append(m.Folders, filepath.Join(top, dir))
		}
		for _, dir := range c.roots {
			if !strings.HasPrefix(dir, "..") {
				dir = filepath.Join(top, dir)
			}
			m.Roots = append(m.Roots, dir)
		}
		f := Find(m)
		if len(f.Rows) != c.rows || len(f.Problems) > 0 || (f.None == "") != (c.rows > 0) || c.rows == 0 &&
			!slices.Equal(f.Looked, f.Missing) {
			t.Errorf("%s: %+v", name, f)
		}
	}
}

// TestBad: each broken session gets one row, the good one beside it is listed as ever, and nothing blocks.
func TestBad(t *testing.T) {
	fifo := func(path string) {
		_ = os.MkdirAll(filepath.Dir(path), 0o755)
		if err := syscall.Mkfifo(path, 0o644); err != nil {
			t.Skipf("no pipes here: %v", err)
		}
	}
	for name, c := range map[string]struct {
		damage  func(dir string) // the session's folder, not made yet
		verdict sources.Verdict
		text    string
	}{
		"empty": {func(dir string) { write(t, filepath.Join(dir, "checkpoint.json"), "") }, sources.Unreadable, "is empty"},
		"cut off": {func(dir string) { write(t, filepath.Join(dir, "checkpoint.json"), `{"status":"act`) },
			sources.Unreadable, "not JSON"},
		"a list": {func(dir string) { write(t, filepath.Join(dir, "checkpoint.json"), `[{}]`) }, sources.Unreadable,
			"no object"},
		"deep": {func(dir string) { write(t, filepath.Join(dir, "checkpoint.json"), strings.Repeat("[", 1<<20)) },
			sources.Unreadable, "nested too deep"},
		"folder": {func(dir string) { _ = os.MkdirAll(filepath.Join(dir, "checkpoint.json"), 0o755) }, sources.Unreadable,
			"is not a regular file"},
		"pipe": {func(dir string) { fifo(filepath.Join(dir, "checkpoint.json")) }, sources.Unreadable,
			"is not a regular file"},
		"device": {func(dir string) {
			_ = os.MkdirAll(dir, 0o755)
			_ = os.Symlink("/dev/zero", filepath.Join(dir, "checkpoint.json"))
		}, sources.Unreadable, "is not a regular file"},
		"loop": {func(dir string) {
			_ = os.MkdirAll(dir, 0o755)
			_ = os.Symlink("checkpoint.json", filepath.Join(dir, "checkpoint.json"))
		}, sources.Unreadable, "symbolic links"},
		"to nothing": {func(dir string) {
			_ = os.MkdirAll(dir, 0o755)
			_ = os.Symlink("gone", filepath.Join(dir, "checkpoint.json"))
		}, sources.Unreadable, "no such file"},
		"session loop": {func(dir string) {
			_ = os.MkdirAll(filepath.Dir(dir), 0o755)
			_ = os.Symlink(filepath.Base(dir),
				dir)
		}, sources.Unreadable, "symbolic links"},
		"huge": {func(dir string) {
			write(t, filepath.Join(dir, "checkpoint.json"), "{")
			_ = os.Truncate(filepath.Join(dir, "checkpoint.json"), 3<<30)
		}, sources.Unreadable, "larger than 16 MiB"},
		"no checkpoint": {func(dir string) { _ = os.MkdirAll(dir, 0o755) }, sources.Person, "from scratch"},
		"no fields": {func(dir string) { write(t, filepath.Join(dir, "checkpoint.json"), `{}`) }, sources.Person,
			"has no status"},
		"future": {func(dir string) {
			write(t, filepath.Join(dir, "checkpoint.json"), `{"status":"active","checkpoint_at":"2999-01-01T00:00:00Z"}`)
		}, sources.Person, "lies in the future"},
		"bad time": {func(dir string) {
			write(t, filepath.Join(dir, "checkpoint.json"), `{"status":"weird","checkpoint_at":"soon","started_at":{}}`)
		}, sources.Person, "A time cannot be read: started_at, checkpoint_at"},
		"long line": {func(dir string) {
			write(t, filepath.Join(dir, "checkpoint.json"), `{"status":"weird","task":"`+strings.Repeat("long ", 1<<20)+`"}`)
		}, sources.Person, "not one of the skill's states"},
		"controls": {func(dir string) {
			write(t, filepath.Join(dir, "checkpoint.json"), `{"status":"weird","task":"\u001b[2J\n","agent":"\u202e"}`)
		}, sources.Person, "names the agent"},
		"another number": {func(dir string) {
			write(t, filepath.Join(dir, "checkpoint.json"), `{"status":5,"restarts":-1,"messages_processed":1e99,`+
				`"pending":1e99,"checkpoint_at":1e300}`)
		}, sources.Person, "A time cannot be read"},
	} {
		t.Run(name, func(t *testing.T) {
			top := t.TempDir()
			sessions := filepath.Join(top, ".os", "sessions")
			write(t, filepath.Join(sessions, "good", "s", "checkpoint.json"),
				`{"status":"sleeping","task":"x","bus_position":1}`)
			write(t, filepath.Join(sessions, "README.md"), "x")
			c.damage(filepath.Join(sessions, "a\x1bgent", "bad\x1bid"))
			done := make(chan sources.Found, 1)
			m := machine(top)
			m.Now = time.Now() // a checkpoint without a time is as old as its file
			go func() { done <- Find(m) }()
			var f sources.Found
			select {
			case f = <-done:
			case <-time.After(20 * time.Second):
				t.Fatal("it blocks")
			}
			rows := map[string]sources.Row{}
			for _, r := range f.Rows {
				rows[r.ID] = r
				if len(r.Title)+len(r.Reason)+len(strings.Join(r.Warnings, "")) > 10_000 {
					t.Error("a text without bounds")
				}
				for _, command := range r.Commands {
					if strings.ContainsAny(command.Command, "\x1b\n") {
						t.Errorf("%q", command.Command)
					}
				}
			}
			bad := rows["bad\x1bid"]
			if len(f.Rows) != 2 || rows["s"].State != "sleeping" || f.LeftOut[stray] != 1 {
				t.Fatalf("%+v", f)
			}
			if bad.Verdict != c.verdict || !strings.Contains(bad.Reason, c.text) && !hasWarning(bad, c.text) ||
				!bad.FormatInferred {
				t.Errorf("%s %s %v", bad.Verdict, bad.Reason, bad.Warnings)
			}
		})
	}
	for name, damage := range map[string]func(string){
		"file": func(p string) { write(t, p, "x") }, "pipe": fifo, "loop": func(p string) {
			_ = os.MkdirAll(filepath.Dir(p),
				0o755)
			_ = os.Symlink("sessions", p)
		},
	} {
		top := t.TempDir()
		damage(filepath.Join(top, ".os", "sessions"))
		if f := Find(machine(top)); len(f.Problems) != 1 || f.Problems[0].Next == "" || len(f.Rows) != 0 ||
			f.None != "no session could be read" {
			t.Errorf("%s: %+v", name, f)
		}
	}
}

// TestNothingWritten: a look changes no file, no mode, no time and no listing.
func TestNothingWritten(t *testing.T) {
	dir := store(t)
	print := func() string {
		var b strings.Builder
		_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			info, _ := d.Info()
			data, _ := os.ReadFile(path)
			fmt.Fprintf(&b, "%s %s %d %s %x\n", path, info.Mode(), info.Size(), info.ModTime(), sha256.Sum256(data))
			return err
		})
		return b.String()
	}
	before := print()
	m := machine(dir, filepath.Join(dir, "nothing"))
	m.Cwd, m.All = dir, true
	if len(Find(m).Rows) != 10 {
		t.Error("not ten rows")
	}
	if d := cmp.Diff(before, print()); d != "" {
		t.Error(d)
	}
}

// BenchmarkFind reads ten thousand sessions.
func BenchmarkFind(b *testing.B) {
	n := 10_000
	if testing.Short() {
		n = 500
	}
	top := b.TempDir()
	data, err := json.Marshal(map[string]any{"status": "sleeping", "task": "x", "bus_position": "m",
		"working_state": map[string]any{"pending": []string{"a", "b"}}})
	if err != nil {
		b.Fatal(err)
	}
	for i := range n {
		write(b, filepath.Join(top, ".os", "sessions", fmt.Sprintf("agent-%d", i%20), fmt.Sprintf("s%d", i),
			"checkpoint.json"), string(data))
	}
	b.ReportAllocs()
	for b.Loop() {
		if f := Find(machine(top)); len(f.Rows) != n {
			b.Fatal(len(f.Rows))
		}
	}
}
