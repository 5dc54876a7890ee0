package ouroboros

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"recovery/internal/sources"
)

// TestCauses tells apart why a store that exists cannot be read, and no cause blocks or hides another store.
func TestCauses(t *testing.T) {
	good := func(t *testing.T, path string) { store(t, path, startOf("orch_1", "10:00:00")) }
	must := func(t *testing.T, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	for name, c := range map[string]struct {
		prepare func(t *testing.T, path string)
		cause   string
	}{
		"text": {func(t *testing.T, path string) { put(t, path, strings.Repeat("not a database ", 100)) },
			"it is not a database"},
		"short": {func(t *testing.T, path string) { put(t, path, "SQLite format 3\x00") }, "it is not a database"},
		"empty": {func(t *testing.T, path string) { put(t, path, "") }, "it is empty"},
		"folder": {func(t *testing.T, path string) { must(t, os.MkdirAll(path, 0o755)) },
			"it is a folder, not a database file"},
		"pipe": {func(t *testing.T, path string) { must(t, syscall.Mkfifo(path, 0o644)) },
			"it is a named pipe, not a database file"},
		"link to pipe": {func(t *testing.T, path string) {
			must(t, syscall.Mkfifo(path+".p", 0o644))
			must(t, os.Symlink(path+".p", path))
		}, "it is a named pipe, not a database file"},
		"device": {func(t *testing.T, path string) { must(t, os.Symlink("/dev/zero", path)) },
			"it is a device, not a database file"},
		"loop": {func(t *testing.T, path string) { must(t, os.Symlink(path, path)) },
			"its path is a loop of symbolic links"},
		"no right": {func(t *testing.T, path string) { good(t, path); must(t, os.Chmod(path, 0)) },
			"there is no permission to read it"},
		"other table": {func(t *testing.T, path string) {
			db := write(t, path)
			defer db.Close()
			run(t, db, "CREATE TABLE event (id)")
		}, "it has no table of events"},
		"other columns": {func(t *testing.T, path string) {
			db := write(t, path)
			defer db.Close()
			run(t, db, "CREATE TABLE events (id, aggregate_type, event_type, timestamp)")
		}, "its table of events lacks aggregate_id, payload"},
		"cut short": {func(t *testing.T, path string) { good(t, path); must(t, os.Truncate(path, 4096+100)) },
			"it is damaged"},
		"garbled": {func(t *testing.T, path string) {
			good(t, path)
			data, err := os.ReadFile(path)
			must(t, err)
			for i := 100; i < len(data); i++ {
				data[i] = 0xa5
			}
			put(t, path, string(data))
		}, "it is damaged"},
		"log is a pipe": {func(t *testing.T, path string) { good(t, path); must(t, syscall.Mkfifo(path+"-wal", 0o644)) },
			"its write-ahead log (bad.db-wal) cannot be read: it is a named pipe"},
		"cut writing": {func(t *testing.T, path string) {
			good(t, path)
			put(t, path+"-journal", "\xd9\xd5\x05\xf9\x20\xa1\x63\xd7 and more")
		}, "its last writer died in the middle of a write"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			must(t, os.Chmod(filepath.Dir(dir), 0o755))
			path := filepath.Join(dir, "bad.db")
			c.prepare(t, path)
			other := store(t, filepath.Join(dir, "other.db"), startOf("orch_2", "10:00:00"))
			var f sources.Found
			unprivileged(t, func() { f = Find(machine("", path, other)) })
			if len(f.Problems) != 1 || !strings.HasPrefix(f.Problems[0].Cause, c.cause) || f.Problems[0].Next == "" ||
				f.Problems[0].Store != path || f.Problems[0].Source != Name {
				t.Errorf("%+v, want %s", f.Problems, c.cause)
			}
			if len(f.Rows) != 1 || f.Rows[0].ID != "orch_2" || f.None != "" {
				t.Errorf("the other store: %+v", f)
			}
			// The same as the account's own store.
			home := filepath.Join(dir, "home")
			own := filepath.Join(home, folderName, legacyName)
			must(t, os.MkdirAll(filepath.Dir(own), 0o755))
			c.prepare(t, own)
			unprivileged(t, func() { f = Find(machine(home, other)) })
			want := strings.ReplaceAll(c.cause, "bad.db", legacyName)
			if len(f.Problems) != 1 || !strings.HasPrefix(f.Problems[0].Cause, want) || f.Problems[0].Store != own ||
				len(f.Rows) != 1 {
				t.Errorf("the account's: %+v, want %s", f.Problems, want)
			}
		})
	}
}

// TestConfig follows the configuration's rules, each broken one told apart.
func TestConfig(t *testing.T) {
	for config, want := range map[string]string{
		"": legacyName, "# nothing\n": legacyName, "a: b\n": legacyName, "persistence: {}\n": legacyName,
		"persistence: {database_path: ~/x.db}\n": "~/x.db", "persistence: {database_path: 'sub/x.db'}\n": "sub/x.db",
		"persistence: {database_path: gone.db}\n": legacyName, "persistence: {database_path: data}\n": "data",
		"persistence: {database_path: a.db}\npersistence: {database_path: sub/x.db}\n": "sub/x.db",
		"x: &p {database_path: sub/x.db}\npersistence: *p\n":                           "sub/x.db",
		"[]\n":                                   "!invalid EventStore configuration: its top level",
		"text\n":                                 "!invalid EventStore configuration: its top level",
		"a: [\n":                                 "!invalid EventStore configuration: yaml",
		"\xff\xfe\x00":                           "!invalid EventStore configuration: yaml",
		"persistence: x\n":                       "!config section 'persistence' must be a mapping",
		"persistence:\n":                         "!config section 'persistence' must be a mapping",
		"persistence: {database_path: }\n":       "!config field 'persistence.database_path' must be",
		"persistence: {database_path: 7}\n":      "!config field 'persistence.database_path' must be",
		"persistence: {database_path: [a]}\n":    "!config field 'persistence.database_path' must be",
		"persistence: {database_path: ' \t '}\n": "!config field 'persistence.database_path' must be",
	} {
		home := t.TempDir()
		folder := filepath.Join(home, folderName)
		put(t, filepath.Join(folder, configName), config)
		for _, f := range []string{filepath.Join(folder, legacyName), filepath.Join(home, "x.db"),
			filepath.Join(folder, "sub", "x.db")} {
			copyFile(t, "testdata/running.db", f)
		}
		if err := os.MkdirAll(filepath.Join(folder, "data"), 0o755); err != nil {
			t.Fatal(err)
		}
		f := Find(machine(home))
		if cause, bad := strings.CutPrefix(want, "!"); bad {
			if len(f.Problems) != 1 || !strings.HasPrefix(f.Problems[0].Cause, cause) || len(f.Rows) != 0 {
				t.Errorf("%q: %+v, want %s", config, f, cause)
			}
			continue
		}
		path := filepath.Join(folder, want)
		if rest, ok := strings.CutPrefix(want, "~"); ok {
			path = filepath.Join(home, rest)
		}
		if want == "data" {
			if len(f.Problems) != 1 || f.Problems[0].Cause != "it is a folder, not a database file" {
				t.Errorf("%q: %+v", config, f)
			}
		} else if len(f.Rows) != 1 || f.Rows[0].Store != path {
			t.Errorf("%q: %+v, want %s", config, f, path)
		}
	}
	home := t.TempDir()
	put(t, filepath.Join(home, folderName, "x"), "")
	if err := syscall.Mkfifo(filepath.Join(home, folderName, configName), 0o644); err != nil {
		t.Fatal(err)
	}
	if f := Find(machine(home)); len(f.Problems) != 1 ||
		f.Problems[0].Cause != "invalid EventStore configuration: it is a named pipe" {
		t.Errorf("a pipe: %+v", f)
	}
}

// TestRootsOfAllKinds reads each store once, however it is named.
func TestRootsOfAllKinds(t *testing.T) {
	home := t.TempDir()
	path := store(t, filepath.Join(home, folderName, legacyName), startOf("orch_1", "10:00:00"))
	link := filepath.Join(home, "link.db")
	if err := os.Symlink(path, link); err != nil {
		t.Fatal(err)
	}
	put(t, filepath.Join(home, folderName, "locks", "orch_1"), "4")
	put(t, filepath.Join(home, "run.json"), "{}") // another source's
	m := machine(home, filepath.Join(home, "run.json"), home, filepath.Join(home, folderName), path, link, folderName,
		filepath.Join(home, "nothing"), filepath.Join(path, "below"))
	m.Process = func(pid int) sources.Process { return sources.Process{Running: pid == 4} }
	f := Find(m)
	if len(f.Rows) != 1 || len(f.Problems) != 0 || f.Rows[0].Verdict != sources.Live || len(f.Missing) != 3 ||
		len(f.Looked) != 4 {
		t.Errorf("%+v", f)
	}
	// Named by its path alone, with another home: the leases beside it still count.
	m.Home, m.Roots = t.TempDir(), []string{link}
	if f = Find(m); len(f.Rows) != 1 || f.Rows[0].Verdict != sources.Live && f.Rows[0].Verdict != sources.Unsafe {
		t.Errorf("%+v", f)
	}
	m.Roots = []string{path}
	if f = Find(m); len(f.Rows) != 1 || f.Rows[0].Verdict != sources.Live || f.Rows[0].Detail("note") == "" {
		t.Errorf("%+v", f)
	}
	if f = Find(sources.Machine{}); len(f.Rows)+len(f.Problems)+len(f.Looked) != 0 {
		t.Errorf("nothing to look at: %+v", f)
	}
}

// TestOneBadRowHidesNothing puts every bad row that is known into one store with a good session.
func TestOneBadRowHidesNothing(t *testing.T) {
	home := t.TempDir()
	path := filepath.Join(home, folderName, legacyName)
	db := write(t, path)
	// A table without constraints, as a repair would leave it, and without the newest index.
	run(t, db, "CREATE TABLE events (id TEXT, aggregate_type TEXT, aggregate_id TEXT, event_type TEXT, payload JSON, "+
		"timestamp DATETIME, picker_projection_version INTEGER)")
	for _, index := range indexes[:5] {
		run(t, db, index)
	}
	for i, e := range []ev{
		startOf("good", "10:00:00"), startOf("bad\x1b[2J\n'id", "10:01:00"),
		{"session", "bad-json", started, "10:02:00", "{"}, {"session", "bad-type", started, "10:03:00", 7},
		{"session", "bad-null", started, "10:04:00", nil},
		{"session", "no-start", progressUpdated, "10:05:00", `{"progress":{"runtime_status":"running"}}`},
		{"session", "huge", started, "10:06:00", `{"x":"` + strings.Repeat("y", biggestPayload) + `"}`},
		startOf("no-time", "10:07:00"), startOf("bad-time", "soon"),
		{"session", "ended", failed, "10:08:00", "{"}, startOf("-x", "10:09:00"),
		{"hitl", "r", "hitl.requested", "10:10:00", "{"},
		{"hitl", "q", "hitl.requested", "10:11:00", `{"session_id":"interview_1","question":"Which?"}`},
	} {
		insert(t, db, i, e)
	}
	run(t, db, "UPDATE events SET timestamp = NULL WHERE aggregate_id = 'no-time'")
	run(t, db, "UPDATE events SET id = NULL WHERE aggregate_id = 'bad-time'")
	run(t, db, "INSERT INTO events (id, aggregate_type, aggregate_id, event_type, payload, timestamp) VALUES ('b1', "+
		"'session', x'ff00', 'orchestrator.session.started', '{}', '2026-11-29 09:00:00')")
	run(t, db, "INSERT INTO events (id, aggregate_type, aggregate_id, event_type, payload, timestamp) VALUES ('b2', "+
		"'session', NULL, NULL, NULL, NULL)")
	db.Close()
	f := Find(machine(home))
	got := map[string]string{}
	for _, r := range f.Rows {
		got[r.ID] = string(r.Verdict)
		if r.Details == nil || r.Warnings == nil || r.Commands == nil || r.Reason == "" || r.Source != Name ||
			r.Store != path {
			t.Errorf("%+v", r)
		}
	}
	want := map[string]string{"good": "unsafe", "bad\x1b[2J\n'id": "unsafe", "bad-json": "unreadable",
		"bad-type": "unreadable", "bad-null": "unreadable", "no-start": "unreadable",
		"huge": "unreadable", "no-time": "unsafe", "bad-time": "unsafe", "-x": "unsafe", "r": "unreadable", "q": "person",
		"\xff\x00": "unsafe"}
	if d := cmp.Diff(want, got); d != "" || len(f.Problems) != 0 || f.LeftOut["failed"] != 1 {
		t.Errorf("%s %+v %v", d, f.Problems, f.LeftOut)
	}
	for _, r := range f.Rows {
		box := Box(r)
		if strings.ContainsAny(box, "\x1b\x00") || !utf8.ValidString(box) {
			t.Errorf("%q", box)
		}
	}
	odd := find(t, f.Rows, "bad\x1b[2J\n'id")
	if c := words(odd); !strings.Contains(c, `--resume $'bad\x1b[2J\x0a\'id'`) ||
		!strings.Contains(c, `$'exec_bad\x1b[2J\x0a\'id'`) {
		t.Error(c)
	}
	if c := words(find(t, f.Rows, "-x")); !strings.Contains(c, " --resume=-x ") ||
		!strings.Contains(c, "cancel execution -- -x") {
		t.Error(c)
	}
}

// TestOrderAndLimit lists the newest 20, counts the rest, and says why there is nothing.
func TestOrderAndLimit(t *testing.T) {
	home := t.TempDir()
	var events []ev
	for i := range 30 {
		events = append(events, startOf(fmt.Sprintf("run_%02d", i), fmt.Sprintf("10:%02d:00", i)))
	}
	for i := range 3 {
		events = append(events, startOf(fmt.Sprintf("end_%d", i), "10:00:00"), ev{"session", fmt.Sprintf("end_%d", i),
			[]string{completed, failed, cancelled}[i], "10:30:00", "{}"})
	}
	events = append(events, progressOf("run_03", "11:00:00", `{}`), ev{"execution", "exec_run_04", workflowProgress,
		"11:30:00", "{}"},
		progressOf("end_0", "11:50:00", `{"progress":{"runtime_status":"running"}}`)) // a late "running" revives nothing
	store(t, filepath.Join(home, folderName, legacyName), events...)
	m := machine(home)
	f := Find(m)
	if len(f.Rows) != sources.Shown || f.Rows[0].ID != "run_03" || f.Rows[1].ID != "run_29" {
		t.Errorf("%v", list(f.Rows))
	}
	if d := cmp.Diff(map[string]int{"older than the newest 20": 10, "completed": 1, "failed": 1, "cancelled": 1},
		f.LeftOut); d != "" {
		t.Error(d)
	}
	m.All = true
	if f = Find(m); len(f.Rows) != 33 || len(f.LeftOut) != 0 || f.Rows[0].ID != "end_0" ||
		f.Rows[0].Verdict != sources.Done {
		t.Errorf("%v %v", list(f.Rows), f.LeftOut)
	}
	home = t.TempDir()
	store(t, filepath.Join(home, folderName, legacyName), events[30:36]...)
	if f = Find(machine(home)); len(f.Rows) != 0 || !strings.Contains(f.None, "all is finished: 1 cancelled, 1 "+
		"completed, 1 failed; its history: ouroboros tui monitor --db-path ") {
		t.Errorf("%+v", f)
	}
	if f = Find(machine(t.TempDir())); len(f.Rows) != 0 || !strings.Contains(f.None, "it was never created") ||
		len(f.Missing) != 1 {
		t.Errorf("%+v", f)
	}
}

// TestPipelines lists the automatic pipelines, which are in no event.
func TestPipelines(t *testing.T) {
	home := t.TempDir()
	data := filepath.Join(home, folderName, "data")
	for name, text := range map[string]string{
		"auto_1.json": `{"phase":"interview","goal":"Build it","pending_question":"Which colour?","auto_session_id":"s"}`,
		"auto_2.json": `{"phase":"run","last_progress_message":"at work"}`, "auto_3.json": `{"phase":"complete"}`,
		"auto_4.json": `{"phase":"blocked"}`,
		"auto_5.json": `{"phase":`, "auto_6.json": `[]`, "auto_7.json": `{"phase":"dreaming"}`, "auto_8.json": "",
		"other.json": "{", "auto_9.txt": "{",
	} {
		put(t, filepath.Join(data, name), text)
	}
	if err := syscall.Mkfifo(filepath.Join(data, "auto_a.json"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("auto_b.json", filepath.Join(data, "auto_b.json")); err != nil {
		t.Fatal(err)
	}
	f := Find(machine(home))
	got := map[string]string{}
	for _, r := range f.Rows {
		got[r.ID] = r.State + " " + string(r.Verdict) + " " + r.WaitsFor
	}
	want := map[string]string{"auto_1": "interview person a person's answer: Which colour?", "auto_2": "run person ",
		"auto_5": " unreadable ", "auto_6": " unreadable ",
		"auto_7": "dreaming person ", "auto_8": " unreadable ", "auto_a": " unreadable ", "auto_b": " unreadable "}
	if d := cmp.Diff(want, got); d != "" || f.LeftOut["pipeline complete"] != 1 || f.LeftOut["pipeline blocked"] != 1 ||
		len(f.Problems) != 0 {
		t.Errorf("%s %+v", d, f)
	}
	// The monitor shows sessions and no pipelines.
	for _, r := range f.Rows {
		if r.Detail("kind") == pipelineKind && strings.Contains(action(r), "monitor") {
			t.Errorf("%s: %s", r.ID, action(r))
		}
	}
	if !strings.HasSuffix(Box(find(t, f.Rows, "auto_1")), "interview -> next: answer its question\n") {
		t.Error(Box(find(t, f.Rows, "auto_1")))
	}
}
