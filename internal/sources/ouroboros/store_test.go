package ouroboros

import (
	"bufio"
	"database/sql"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"recovery/internal/sources"
)

// writerEnv makes the test program a writer of the store that it names: locks of one process are not seen by itself,
// so a writer that lives must be another one.
const writerEnv = "OUROBOROS_TEST_WRITER"

func TestMain(m *testing.M) {
	if path := os.Getenv(writerEnv); path != "" {
		if err := writer(path); err != nil {
			fmt.Println("error:", err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// writer runs the statements of its standard input, one a line, and answers each with "ok". "flood" writes until the
// input ends.
func writer(path string) error {
	db, err := sql.Open("sqlite", "file:"+path+"?_pragma=busy_timeout(10000)")
	if err != nil {
		return err
	}
	db.SetMaxOpenConns(1)
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		if in.Text() == "flood" {
			done := make(chan bool)
			go func() { in.Scan(); close(done) }()
			fmt.Println("ok")
			for i := 0; ; i++ {
				select {
				case <-done:
					fmt.Println("flooded", i)
					return nil
				default:
				}
				if _, err := db.Exec("INSERT INTO events (id, aggregate_type, aggregate_id, event_type, payload, timestamp) "+
					"VALUES (?,'session','orch_1','orchestrator.progress.updated',?,?)",
					fmt.Sprintf("f%09d", i), `{"progress":{"runtime_status":"running"}}`, fmt.Sprintf("2026-11-29 11:00:00.%06d",
						i%1000000)); err != nil {
					return err
				}
			}
		}
		if _, err := db.Exec(in.Text()); err != nil {
			return err
		}
		fmt.Println("ok")
	}
	return nil
}

type other struct {
	t   *testing.T
	in  *os.File
	out *bufio.Scanner
	cmd *exec.Cmd
}

// otherProcess starts a writer; it ends with the test at the latest.
func otherProcess(t *testing.T, path string) *other {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), writerEnv+"="+path)
	cmd.Stdin = r
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	r.Close()
	o := &other{t, w, bufio.NewScanner(out), cmd}
	t.Cleanup(func() { w.Close(); cmd.Process.Kill(); cmd.Wait() })
	return o
}

func (o *other) do(statement string) {
	o.t.Helper()
	fmt.Fprintln(o.in, statement)
	if !o.out.Scan() || o.out.Text() != "ok" {
		o.t.Fatalf("%s: %q", statement, o.out.Text())
	}
}

func (o *other) kill() {
	o.cmd.Process.Kill()
	o.cmd.Wait()
}

func insertion(id, aggregate, session, kind, when, payload string) string {
	return fmt.Sprintf("INSERT INTO events (id, aggregate_type, aggregate_id, event_type, payload, timestamp) VALUES "+
		"('%s','%s','%s','%s','%s','2026-11-29 %s')", id, aggregate, session, kind, payload, when)
}

// TestNothingWritten reads stores in every state that a writer leaves behind, and nothing is written beside them.
func TestNothingWritten(t *testing.T) {
	pausing := insertion("w1", "session", "orch_1", paused, "10:30:00.000000", `{"reason":"by hand"}`)
	for name, c := range map[string]struct {
		prepare func(t *testing.T, o *other)
		state   string
		problem string
	}{
		"live, nothing in the log": {func(t *testing.T, o *other) {
			o.do("PRAGMA journal_mode=WAL")
			o.do("PRAGMA " +
				"wal_checkpoint(TRUNCATE)")
		}, "running", ""},
		"live, committed to the log": {func(t *testing.T, o *other) { o.do("PRAGMA journal_mode=WAL"); o.do(pausing) },
			"paused", ""},
		"live, in a transaction": {func(t *testing.T, o *other) {
			o.do("PRAGMA journal_mode=WAL")
			o.do("BEGIN IMMEDIATE")
			o.do(pausing)
		}, "running", ""},
		"live, log to itself": {func(t *testing.T, o *other) {
			o.do("PRAGMA locking_mode=EXCLUSIVE")
			o.do("PRAGMA journal_mode=WAL")
			o.do(pausing)
		}, "paused", ""},
		"killed, committed": {func(t *testing.T, o *other) { o.do("PRAGMA journal_mode=WAL"); o.do(pausing); o.kill() },
			"paused", ""},
		"killed, partly moved": {func(t *testing.T, o *other) {
			o.do("PRAGMA journal_mode=WAL")
			o.do(pausing)
			o.do("PRAGMA wal_checkpoint(PASSIVE)")
			o.do(strings.Replace(pausing, "w1", "w2", 1))
			o.kill()
		}, "paused", ""},
		"older mode, at rest": {func(t *testing.T, o *other) { o.do(pausing) }, "paused", ""},
		"older mode, in a transaction": {func(t *testing.T, o *other) { o.do("BEGIN IMMEDIATE"); o.do(pausing) }, "running",
			""},
		"older mode, locked": {func(t *testing.T, o *other) { o.do("BEGIN EXCLUSIVE"); o.do(pausing) }, "",
			"it is locked by a writer"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			path := store(t, filepath.Join(dir, "odd ?#%41 name.db"), startOf("orch_1", "10:00:00"))
			o := otherProcess(t, escaped(path))
			c.prepare(t, o)
			for _, shm := range []string{"with", "without"} {
				if shm == "without" && strings.HasPrefix(name, "killed") {
					os.Remove(path + "-shm")
				} else if shm == "without" {
					continue
				}
				before := listing(t, dir)
				f := Find(machine("", path))
				if d := cmp.Diff(before, listing(t, dir)); d != "" {
					t.Errorf("reading changed the folder: %s", d)
				}
				switch {
				case c.problem != "" && (len(f.Problems) != 1 || f.Problems[0].Cause != c.problem):
					t.Errorf("%+v, want %s", f, c.problem)
				case c.problem == "" && (len(f.Problems) != 0 || len(f.Rows) != 1 || f.Rows[0].State != c.state):
					t.Errorf("%+v, want %s", f, c.state)
				}
			}
		})
	}
}

func escaped(path string) string {
	return strings.NewReplacer("%", "%25", "?", "%3f", "#", "%23", " ", "%20").Replace(path)
}

// TestReadOnlyFolder reads where nothing can be written, as another user when the test is run by root.
func TestReadOnlyFolder(t *testing.T) {
	for _, name := range []string{"wal-clean", "wal-crashed", "running.db"} {
		dir := t.TempDir()
		if err := os.CopyFS(dir, os.DirFS("testdata")); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(filepath.Dir(dir), 0o755); err != nil { // the folder of this test's folders
			t.Fatal(err)
		}
		root := filepath.Join(dir, name)
		folder := root
		if strings.HasSuffix(name, ".db") {
			folder = dir
		}
		if err := os.Chmod(folder, 0o555); err != nil {
			t.Fatal(err)
		}
		before := listing(t, dir)
		var f sources.Found
		unprivileged(t, func() { f = Find(machine("", root)) })
		if len(f.Problems) != 0 || len(f.Rows) != 1 || f.Rows[0].State != "running" {
			t.Errorf("%s: %+v", name, f)
		}
		if d := cmp.Diff(before, listing(t, dir)); d != "" {
			t.Errorf("%s: %s", name, d)
		}
		if err := os.Chmod(folder, 0o755); err != nil {
			t.Fatal(err)
		}
	}
}

// unprivileged calls do on a thread of its own that is nobody to the file system.
func unprivileged(t *testing.T, do func()) {
	t.Helper()
	done := make(chan error)
	go func() {
		if os.Getuid() == 0 {
			runtime.LockOSThread() // and never unlocked: the thread ends with the goroutine
			if err := dropFileRights(); err != nil {
				done <- err
				return
			}
		}
		do()
		done <- nil
	}()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
}

// TestBusyWriter reads a store while another process writes as fast as it can.
func TestBusyWriter(t *testing.T) {
	dir := t.TempDir()
	path := store(t, filepath.Join(dir, "ouroboros.db"), startOf("orch_1", "10:00:00"), startOf("orch_2", "10:00:00"))
	o := otherProcess(t, path)
	o.do("PRAGMA journal_mode=WAL")
	o.do("PRAGMA synchronous=OFF")
	o.do("PRAGMA wal_autocheckpoint=20")
	o.do("flood")
	reads := 4
	if testing.Short() {
		reads = 1
	}
	for range reads {
		f := Find(machine("", path))
		if len(f.Problems) != 0 || len(f.Rows) != 2 || f.Rows[0].State != "running" || f.Rows[1].State != "running" ||
			len(f.Rows[0].Warnings) > 3 {
			t.Fatalf("%+v", f)
		}
	}
	o.in.Close()
	if !o.out.Scan() || !strings.HasPrefix(o.out.Text(), "flooded ") {
		t.Fatalf("the writer was disturbed: %q", o.out.Text())
	}
	t.Log(o.out.Text())
}

// TestLogIsHeld takes the two locks, and the writer's log stays where it is until they are given back.
func TestLogIsHeld(t *testing.T) {
	path := store(t, filepath.Join(t.TempDir(), "ouroboros.db"), startOf("orch_1", "10:00:00"))
	o := otherProcess(t, path)
	o.do("PRAGMA journal_mode=WAL")
	o.do(insertion("w1", "session", "orch_1", paused, "10:30:00.000000", "{}"))
	size := func() int64 {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		return info.Size()
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	release := holdLog(path + "-shm")
	o.do("PRAGMA wal_checkpoint(PASSIVE)")
	o.do(insertion("w2", "session", "orch_1", paused, "10:31:00.000000", "{}"))
	if after, err := os.ReadFile(path); err != nil || string(after) != string(data) {
		t.Error("the log was moved into the database while it was held")
	}
	release()
	o.do("PRAGMA wal_checkpoint(TRUNCATE)")
	if after, err := os.ReadFile(path); err != nil || string(after) == string(data) || size() == 0 {
		t.Error("the log was not moved after it was given back")
	}
	holdLog(path + "-nothing")()
}
