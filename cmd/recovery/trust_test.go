package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"recovery/fixtures"
	"recovery/internal/journal"
)

// TestTrustOfTheDefaultFolder: the refusal of a job without a folder prints a command that works, with the flag, and
// so does what that one prints.
func TestTrustOfTheDefaultFolder(t *testing.T) {
	oneThread(t)
	t.Parallel()
	b := newBench(t, testAccount(t))
	s := b.add(fixtures.Session{Extra: map[string]string{"cwd": `""`}})
	dir := filepath.Join(b.a.Root, "it's a folder")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	b.inventory()
	b.must(exitNeedsUser, "queue-check", s.Short)
	quoted := `"` + dir + `"`
	it := items(b.resume(exitNeedsUser, "--default-cwd", dir, s.Short))[0]
	if want := "recovery trust --default-cwd " + quoted + " " + s.Short; it["outcome"] != "untrusted" ||
		it["next"] != want {
		t.Fatalf("%v, want the next %q", it, want)
	}
	row := items(b.object(exitFailed, "trust", s.Short))[0]
	if reason := row["reason"].(string); row["outcome"] != "failed" || !strings.Contains(reason,
		"recovery trust --default-cwd "+b.a.Home+" "+s.Short) {
		t.Errorf("%v", row)
	}
	out := b.must(exitOK, "trust", "--default-cwd", dir, s.Short)
	if want := "next: recovery resume --default-cwd " + quoted + " " + s.Short + "\n"; !strings.HasSuffix(out, want) {
		t.Errorf("%s, want %s", out, want)
	}
	if it := items(b.resume(exitOK, "--dry-run", "--default-cwd", dir, s.Short))[0]; it["outcome"] != "planned" {
		t.Errorf("%v", it)
	}
	b.must(exitUsage, "trust", "--default-cwd", filepath.Join(dir, "none"), s.Short)
}

// TestTrustOfSeveral gives one command for all of them.
func TestTrustOfSeveral(t *testing.T) {
	oneThread(t)
	t.Parallel()
	b := newBench(t, testAccount(t))
	one, two := b.add(fixtures.Session{Untrusted: true, Cwd: "one"}), b.add(fixtures.Session{Untrusted: true, Cwd: "two"})
	same := b.add(fixtures.Session{Untrusted: true, Cwd: "one"})
	out := b.must(exitOK, "trust", one.Short, two.Short, same.Short)
	if want := "next: recovery resume " + one.Short + " " + two.Short + " " + same.Short + "\n"; strings.Count(out,
		"next: ") != 1 || !strings.HasSuffix(out, want) {
		t.Errorf("%s, want %s", out, want)
	}
	if strings.Count(out, "accepted") != 2 || strings.Count(out, "already") != 1 {
		t.Error(out)
	}
}

// TestTrustIsOnRecordBeforeItIsDone: a file that cannot be changed leaves the record, and the refusal before it as it
// was.
func TestTrustIsOnRecordBeforeItIsDone(t *testing.T) {
	oneThread(t)
	t.Parallel()
	b := newBench(t, testAccount(t))
	s := b.add(fixtures.Session{Untrusted: true})
	b.inventory()
	b.resume(exitNeedsUser, s.Short)
	before := readAll(t, b.a.TrustFile())
	type point struct{ name, config string }
	var points []point
	b.sys.probe = func(name string) { points = append(points, point{name, readAll(t, b.a.TrustFile())}) }
	if err := os.WriteFile(b.work("backups"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	b.must(exitFailed, "trust", s.Short)
	events, err := journal.At(b.work(""), now).Read()
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := journal.Last(events, journal.Trusted, s.Short); !ok {
		t.Error("the failed try is not on record")
	}
	if refused := journal.Replay(events).Session(s.Short).Refused; refused == nil || refused.Outcome != journal.Untrusted {
		t.Errorf("the refusal is %+v", refused)
	}
	if err := os.Remove(b.work("backups")); err != nil {
		t.Fatal(err)
	}
	points = nil
	b.must(exitOK, "trust", s.Short)
	for _, p := range points {
		if p.name == "after "+string(journal.Trusted) && p.config == before {
			return
		}
	}
	t.Errorf("the file was changed before the record: %v", points)
}

func readAll(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// TestOneCauseIsPrintedOnce: sessions that were turned away for one reason share its line, and that of their next.
func TestOneCauseIsPrintedOnce(t *testing.T) {
	oneThread(t)
	t.Parallel()
	b := newBench(t, testAccount(t))
	one, two := b.add(fixtures.Session{Untrusted: true, Cwd: "one"}), b.add(fixtures.Session{Untrusted: true, Cwd: "one"})
	other := b.add(fixtures.Session{Untrusted: true, Cwd: "two"})
	b.inventory()
	out := b.must(exitNeedsUser, "resume", one.Short, two.Short, other.Short)
	if strings.Count(out, "work/one is not trusted") != 1 || strings.Count(out, "work/two is not trusted") != 1 {
		t.Errorf("one cause, more than one line, or none:\n%s", out)
	}
	for _, want := range []string{
		"\n    next, each: recovery trust SHORT\n",
		"    next: recovery trust " + other.Short + "\n",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is missing in:\n%s", want, out)
		}
	}
}
