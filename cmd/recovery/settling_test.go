package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"recovery/fixtures"
	"recovery/internal/journal"
)

// killedRun is a run whose client ends it with SIGKILL right after its own work, or before it does anything.
func killedRun(t *testing.T, b *bench, s fixtures.Added, before bool) {
	t.Helper()
	killer := filepath.Join(b.a.Root, "killer")
	text := fmt.Sprintf("#!/bin/sh\n'%s' \"$@\"\ncase \"$*\" in *--resume*) kill -9 $PPID;; esac\n", b.client)
	if before {
		text = fmt.Sprintf("#!/bin/sh\ncase \"$*\" in *--resume*) kill -9 $PPID; exit 0;; esac\n'%s' \"$@\"\n", b.client)
	}
	if err := os.WriteFile(killer, []byte(text), 0o700); err != nil {
		t.Fatal(err)
	}
	cmd := b.child(nil, killer, "resume", "--spacing", "0", "--wait", "0", s.Short)
	if out, err := cmd.CombinedOutput(); err == nil {
		t.Fatalf("not killed:\n%s", out)
	}
}

// TestSettlingDoesNotBelieveAForeignYes: a yes that was added behind the saved prompt before the next run settled it
// is somebody else's.
func TestSettlingDoesNotBelieveAForeignYes(t *testing.T) {
	oneThread(t)
	t.Parallel()
	b := newBench(t, testAccount(t))
	s := b.add(fixtures.Session{})
	b.script(s.Short, fixtures.Script{Outcome: fixtures.OutcomeUntrusted})
	b.inventory()
	killedRun(t, b, s, false)
	appendQueued(t, s.StatePath, "\n\nyes, go ahead and pay")
	b.script(s.Short, fixtures.Script{})
	b.run("resume", "--spacing", "0", "--wait", "0", s.Short)
	st, out, errs := b.run("resume", "--nudge", "--spacing", "0", "--wait", "3", s.Short)
	t.Logf("nudge ended %d\n%s\n%s", st, out, errs)
	for _, r := range b.received(s.Short) {
		if strings.Contains(r, "yes, go ahead and pay") {
			t.Errorf("DELIVERED the yes; exit %d", st)
		}
	}
}

// TestAMessageOfLaterIsNoReplay: a run was killed before its call, and the user typed in the session meanwhile.
func TestAMessageOfLaterIsNoReplay(t *testing.T) {
	oneThread(t)
	t.Parallel()
	b := newBench(t, testAccount(t))
	b.brief()
	s := b.add(fixtures.Session{})
	b.inventory()
	killedRun(t, b, s, true)
	appendLine(t, s.Transcript, userLine(s, "good morning, how far are you?", time.Now()))
	st, out, errs := b.run("resume", "--spacing", "0", "--wait", "0", s.Short)
	if st == exitDefect {
		t.Errorf("false defect: %d\n%s%s", st, out, errs)
	}
}

// TestAgainClosesNoDefect: a copy that this very run found while settling stops it, --again or not.
func TestAgainClosesNoDefect(t *testing.T) {
	oneThread(t)
	t.Parallel()
	b := newBench(t, testAccount(t))
	s := b.add(fixtures.Session{})
	other := b.add(fixtures.Session{})
	b.script(s.Short, fixtures.Script{Outcome: fixtures.OutcomeCopy})
	b.script(other.Short, fixtures.Script{})
	b.inventory()
	killedRun(t, b, s, false)
	st, out, errs := b.run("resume", "--again", "--spacing", "0", "--wait", "3", other.Short)
	_, status, _ := b.run("status")
	if st != exitDefect {
		t.Errorf("exit %d, the copy was closed unseen\n%s\nstderr %s\nstatus %s", st, out, errs, status)
	}
}

// TestAChangeAfterTheLookStopsTheCall: a yes that is queued while the guards run.
func TestAChangeAfterTheLookStopsTheCall(t *testing.T) {
	oneThread(t)
	t.Parallel()
	b := newBench(t, testAccount(t))
	s := b.add(fixtures.Session{})
	b.inventory()
	n := 0
	b.sys.memory = func() (int64, error) {
		n++
		data, _ := os.ReadFile(s.StatePath)
		var v map[string]any
		json.Unmarshal(data, &v)
		v["queuedPrompt"] = "yes, go ahead"
		data, _ = json.Marshal(v)
		os.WriteFile(s.StatePath, data, 0o600)
		return 64 << 30, nil
	}
	st, out, _ := b.run("resume", "--spacing", "0", "--wait", "1", s.Short)
	if len(b.wakes()) != 0 {
		t.Errorf("called; exit %d\n%s", st, out)
	}
}

// TestAnotherWorkFolderIsTheSameAccount: its lock and its open defects hold there too.
func TestAnotherWorkFolderIsTheSameAccount(t *testing.T) {
	b := newBench(t, testAccount(t))
	s := b.add(fixtures.Session{})
	s2 := b.add(fixtures.Session{})
	b.script(s.Short, fixtures.Script{Outcome: fixtures.OutcomeCopy})
	b.inventory()
	b.run("resume", "--spacing", "0", "--wait", "0", s.Short)
	page, _ := b.a.SavePage("p2.json", fixtures.PageOptions{})
	w := filepath.Join(b.a.Root, "otherwork")
	b.run("inventory", "--work", w, "--sessions", page)
	st, out, _ := b.run("resume", "--work", w, "--spacing", "0", "--wait", "3", s2.Short)
	if st == exitOK {
		t.Errorf("the open copy of the default work folder did not stop it: %d\n%s", st, out)
	}
	rel, err := journal.WorkIn(b.work("")).Lock(journal.Holder{PID: 1, User: "x", Command: "resume", Since: time.Now()})
	if err != nil {
		t.Fatal(err)
	}
	defer rel()
	s3 := b.add(fixtures.Session{})
	page, _ = b.a.SavePage("p3.json", fixtures.PageOptions{})
	b.run("inventory", "--work", w, "--sessions", page)
	n := len(b.wakes())
	st, _, _ = b.run("resume", "--work", w, "--spacing", "0", "--wait", "3", s3.Short)
	if len(b.wakes()) != n {
		t.Errorf("woken beside a run that holds the account's lock: exit %d", st)
	}
}

// TestAClosedPipeDoesNotEndARun: SIGPIPE between the intention and the call.
func TestAClosedPipeDoesNotEndARun(t *testing.T) {
	oneThread(t)
	t.Parallel()
	b := newBench(t, testAccount(t))
	s := b.add(fixtures.Session{})
	b.script(s.Short, fixtures.Script{})
	b.inventory()
	r, w, _ := os.Pipe()
	r.Close()
	cmd := exec.Command(os.Args[0], "--client", b.client, "resume", "--spacing", "0", "--wait", "0", s.Short)
	cmd.Env = append(append(os.Environ(), b.a.Env()...), programEnv+"=1", "CLAUDECODE=", "CLAUDE_CODE_SESSION_ID=",
		"CLAUDE_JOB_DIR=")
	cmd.Stdout, cmd.Stderr = w, w
	err := cmd.Run()
	wk := wakeOf(t, b, s.Short)
	if wk.Open() {
		t.Errorf("%v: died at the intention; client calls %d", err, len(b.wakes()))
	}
}

// TestANewPageCountsDuringARun: a page that says archived, saved while a run is under way.
func TestANewPageCountsDuringARun(t *testing.T) {
	oneThread(t)
	t.Parallel()
	b := newBench(t, testAccount(t))
	s1 := b.add(fixtures.Session{})
	s2 := b.add(fixtures.Session{})
	b.inventory()
	done := false
	n := 0
	b.sys.memory = func() (int64, error) {
		n++
		if !done {
			done = true
			rows := b.a.Rows()
			for i := range rows {
				rows[i].UpdatedAt = time.Now().Add(-time.Minute)
				rows[i].Status = "SESSION_STATUS_ARCHIVED"
			}
			page, err := b.a.SavePage("new.json", fixtures.PageOptions{Rows: rows})
			if err != nil {
				t.Fatal(err)
			}
			mem := b.sys.memory
			b.sys.memory = func() (int64, error) { return 64 << 30, nil }
			st, out, errs := b.run("inventory", "--sessions", page)
			t.Logf("%d %s%s", st, out, errs)
			b.sys.memory = mem
		}
		return 64 << 30, nil
	}
	b.run("resume", "--spacing", "0", "--wait", "1", s1.Short, s2.Short)
	if len(b.received(s2.Short)) != 0 {
		t.Errorf("woken although the newest page on disk says archived")
	}
	_ = filepath.Join
}
