package babysitter

import (
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"recovery/internal/sources"
)

// find is Find with a limit: what would wait for a pipe's writer fails here instead of hanging.
func find(t *testing.T, m sources.Machine) sources.Found {
	t.Helper()
	done := make(chan sources.Found, 1)
	go func() { done <- Find(m) }()
	select {
	case f := <-done:
		return f
	case <-time.After(20 * time.Second):
		t.Fatal("it blocks")
		return sources.Found{}
	}
}

func pipe(t *testing.T, path string) {
	t.Helper()
	_ = os.RemoveAll(path)
	mkdir(t, filepath.Dir(path))
	if err := syscall.Mkfifo(path, 0o644); err != nil {
		t.Skipf("no pipes here: %v", err)
	}
}

// TestBadRuns: each broken run gets one row that says what is wrong, and the good one beside it is listed as ever.
func TestBadRuns(t *testing.T) {
	const journalFile = "journal/000001.01M8KM00000000000000000001.json"
	for name, c := range map[string]struct {
		damage  func(t *testing.T, run string)
		verdict sources.Verdict
		text    string // part of the reason or of a warning
	}{
		"no run.json": {func(t *testing.T, run string) { _ = os.Remove(filepath.Join(run, "run.json")) },
			sources.Unreadable, "there is no run.json"},
		"run.json empty": {func(t *testing.T, run string) { write(t, filepath.Join(run, "run.json"), "") },
			sources.Unreadable, "run.json is not JSON"},
		"run.json null": {func(t *testing.T, run string) { write(t, filepath.Join(run, "run.json"), "null") },
			sources.Unreadable, "no object"},
		"run.json deep": {func(t *testing.T, run string) {
			write(t, filepath.Join(run, "run.json"), strings.Repeat(`{"a":`, 200_000))
		}, sources.Unreadable, "nested too deep"},
		"run.json folder": {func(t *testing.T, run string) { mkdir(t, remove(filepath.Join(run, "run.json"))) },
			sources.Unreadable, "is not a regular file"},
		"run.json pipe": {func(t *testing.T, run string) { pipe(t, filepath.Join(run, "run.json")) }, sources.Unreadable,
			"is not a regular file"},
		"run.json loop": {func(t *testing.T, run string) {
			_ = os.Symlink("run.json", remove(filepath.Join(run, "run.json")))
		}, sources.Unreadable, "too many levels of symbolic links"},
		"run.json to nothing": {func(t *testing.T, run string) {
			_ = os.Symlink("nowhere", remove(filepath.Join(run, "run.json")))
		}, sources.Unreadable, "run.json cannot be read: no such file"},
		"run.json device": {func(t *testing.T, run string) {
			_ = os.Symlink("/dev/zero", remove(filepath.Join(run, "run.json")))
		}, sources.Unreadable, "is not a regular file"},
		"journal is a file": {func(t *testing.T, run string) { write(t, remove(filepath.Join(run, "journal")), "x") },
			sources.Unreadable, "is not a folder"},
		"journal pipe": {func(t *testing.T, run string) { pipe(t, filepath.Join(run, "journal")) }, sources.Unreadable,
			"is not a folder"},
		"journal gone": {func(t *testing.T, run string) { remove(filepath.Join(run, "journal")) }, sources.Person,
			"missing or empty"},
		"event pipe": {func(t *testing.T, run string) { pipe(t, filepath.Join(run, journalFile)) }, sources.Unreadable,
			"is not a regular file"},
		"event folder": {func(t *testing.T, run string) { mkdir(t, remove(filepath.Join(run, journalFile))) },
			sources.Unreadable, "is not a regular file"},
		"event cut off": {func(t *testing.T, run string) { write(t, filepath.Join(run, journalFile), `{"type":"RUN_`) },
			sources.Unreadable, "Failed to parse"},
		"event huge": {func(t *testing.T, run string) { huge(t, filepath.Join(run, journalFile)) }, sources.Unreadable,
			"is larger than 16 MiB"},
		"stray event": {func(t *testing.T, run string) { write(t, filepath.Join(run, "journal", "notes.txt"), "x") },
			sources.Safe, "1 stray files, which are ignored: notes.txt"},
		"temporary": {func(t *testing.T, run string) {
			write(t, filepath.Join(run, "journal", "000002.X.json.tmp-1-2-3"), "x")
		}, sources.Safe, "unfinished temporary files"},
		"lock pipe": {func(t *testing.T, run string) { pipe(t, filepath.Join(run, "run.lock")) }, sources.Person,
			"is not a regular file"},
		"lock socket": {func(t *testing.T, run string) { socket(t, filepath.Join(run, "run.lock")) }, sources.Person,
			"is not a regular file"},
		"lock to nothing": {func(t *testing.T, run string) {
			_ = os.Symlink("nowhere", filepath.Join(run, "run.lock"))
		}, sources.Person, "every writer fails"},
		"code pipe": {func(t *testing.T, run string) {
			makeRun(t, run, map[string]any{"processCodeHash": "00"}, begun)
			pipe(t, filepath.Join(run, "process.js"))
		}, sources.Safe, "never started"},
		"task pipes": {func(t *testing.T, run string) {
			makeRun(t, run, nil, begun, requested("e1", "breakpoint"), requested("e2", "sleep"))
			for _, f := range []string{"e1/task.json", "e1/input.json", "e2/task.json"} {
				pipe(t, filepath.Join(run, "tasks", f))
			}
		}, sources.Person, "The task file of breakpoint e1 is not a regular file"},
		"task elsewhere": {func(t *testing.T, run string) {
			makeRun(t, run, nil, begun, requested("../../../secret", "breakpoint"))
			write(t, filepath.Join(run, "..", "..", "secret", "task.json"), `{"inputs":{"question":"not ours"}}`)
		}, sources.Person, "person's answer"},
		"bad times": {func(t *testing.T, run string) {
			makeRun(t, run, map[string]any{"createdAt": "then"}, begun)
			write(t, filepath.Join(run, journalFile), `{"type":"RUN_CREATED","recordedAt":"31-31-2026","data":{}}`)
		}, sources.Safe, "The time of 1 events cannot be read"},
		"future": {func(t *testing.T, run string) {
			write(t, filepath.Join(run, journalFile), eventFile(requested("e1", "breakpoint"), noon.Add(24*time.Hour)))
		}, sources.Person, "newest time is in the future"},
		"control characters": {func(t *testing.T, run string) {
			makeRun(t, run, map[string]any{"runId": "a\x1b[2J'; rm -rf ~\n", "prompt": "x\u202e"}, begun)
		}, sources.Safe, "name the folder in commands"},
		"long line": {func(t *testing.T, run string) {
			makeRun(t, run, map[string]any{"prompt": strings.Repeat("long ", 1<<20)}, begun)
		}, sources.Safe, "never started"},
		"many kinds": {func(t *testing.T, run string) {
			events := []ev{begun}
			for i := range 300 {
				events = append(events, requested(string(rune('a'+i%26))+strings.Repeat("x", i), strings.Repeat("k", i)))
			}
			makeRun(t, run, nil, events...)
		}, sources.Person, "no session is recorded"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "p", "runs")
			makeRun(t, filepath.Join(dir, "bad"), nil, begun)
			makeRun(t, filepath.Join(dir, "good"), nil, begun, requested("e", "breakpoint"))
			c.damage(t, filepath.Join(dir, "bad"))
			f := find(t, machine(dir))
			rows := byFolder(f)
			bad, good := rows["bad"], rows["good"]
			if len(f.Rows) != 2 || good.State != "waiting" || good.Verdict != sources.Person {
				t.Fatalf("%+v", f)
			}
			if bad.Verdict != c.verdict || !strings.Contains(bad.Reason, c.text) && !hasWarning(bad, c.text) {
				t.Errorf("%s %s %v", bad.Verdict, bad.Reason, bad.Warnings)
			}
			size := len(bad.Title) + len(bad.Reason) + len(bad.WaitsFor) + len(strings.Join(bad.Warnings, ""))
			if size > 20_000 || strings.Contains(bad.WaitsFor, "not ours") {
				t.Errorf("%d bytes: %s", size, bad.WaitsFor)
			}
			for _, command := range bad.Commands {
				if strings.ContainsAny(command.Command, "\x1b\n") || strings.Contains(command.Command, "rm -rf") {
					t.Errorf("%q", command.Command)
				}
			}
		})
	}
}

func remove(path string) string {
	_ = os.RemoveAll(path)
	return path
}

// huge makes a file of 3 GiB that takes no room.
func huge(t *testing.T, path string) {
	t.Helper()
	write(t, path, "{")
	if err := os.Truncate(path, 3<<30); err != nil {
		t.Skipf("no sparse files here: %v", err)
	}
}

func socket(t *testing.T, path string) {
	t.Helper()
	// The name of a socket may be a hundred characters long; the way to it does not count from inside the folder.
	t.Chdir(filepath.Dir(path))
	l, err := net.Listen("unix", filepath.Base(path))
	if err != nil {
		t.Skipf("no sockets here: %v", err)
	}
	t.Cleanup(func() { _ = l.Close() })
}

// TestBadPlaces: what is no run is counted, what cannot be looked into is told, and nothing is followed in circles.
func TestBadPlaces(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "runs")
	makeRun(t, filepath.Join(dir, "good"), nil, begun)
	mkdir(t, filepath.Join(dir, "report"))
	write(t, filepath.Join(dir, "notes.md"), "x")
	write(t, filepath.Join(dir, ".DS_Store"), "x")
	pipe(t, filepath.Join(dir, "fifo"))
	for name, target := range map[string]string{"loop": "loop", "parent": "..", "nowhere": "gone", "again": "good",
		"self": "."} {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	f := find(t, machine(dir))
	rows := byFolder(f)
	if len(f.Rows) != 2 || rows["loop"].Verdict != sources.Unreadable || !strings.Contains(rows["loop"].Reason,
		"symbolic links") || rows["good"].State != "created" {
		t.Errorf("%+v", f.Rows)
	}
	if f.LeftOut[stray] != 6 || len(f.Problems) != 0 { // report, notes.md, fifo, parent, self, nowhere
		t.Errorf("%v %v", f.LeftOut, f.Problems)
	}
	for name, make := range map[string]func(string){
		"file": func(p string) { write(t, p, "x") }, "pipe": func(p string) { pipe(t, p) },
		"loop":     func(p string) { _ = os.Symlink(filepath.Base(p), p) },
		"dangling": func(p string) { _ = os.Symlink("gone", p) },
	} {
		home := t.TempDir()
		mkdir(t, filepath.Join(home, ".a5c"))
		place := filepath.Join(home, ".a5c", "runs")
		make(place)
		m := machine(dir)
		m.Home = home
		if f := find(t, m); len(f.Problems) != 1 || f.Problems[0].Store != place || f.Problems[0].Next == "" ||
			len(f.Rows) != 2 {
			t.Errorf("%s: %+v", name, f)
		}
	}
}

// TestNone: nothing unfinished is no error, and the reason is told.
func TestNone(t *testing.T) {
	dir := t.TempDir()
	m := machine()
	m.Home, m.Cwd = filepath.Join(dir, "home"), filepath.Join(dir, "work")
	f := Find(m)
	if len(f.Rows) != 0 || len(f.Problems) != 0 || !strings.Contains(f.None, "no run was ever made") ||
		!slices.Equal(f.Looked, f.Missing) || len(f.Looked) != 2 {
		t.Errorf("%+v", f)
	}
	if _, err := os.Stat(m.Home); err == nil {
		t.Error("the home was made")
	}
	makeRun(t, filepath.Join(m.Home, ".a5c", "runs", "a"), nil, begun, ev{"RUN_COMPLETED", nil})
	makeRun(t, filepath.Join(m.Home, ".a5c", "runs", "b"), nil, begun, ev{"RUN_FAILED", nil})
	makeRun(t, filepath.Join(m.Home, ".a5c", "runs", "c"), nil, begun, ev{"RUN_COMPLETED", nil})
	if f = Find(m); f.None != "every run is finished: 2 completed, 1 failed" || f.LeftOut["completed"] != 2 ||
		f.LeftOut["failed"] != 1 {
		t.Errorf("%+v", f)
	}
	if m.All = true; len(Find(m).Rows) != 3 || Find(m).None == "" || len(Find(m).LeftOut) != 0 {
		t.Errorf("%+v", Find(m))
	}
}
