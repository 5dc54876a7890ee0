package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"recovery/fixtures"
)

// TestARefusalForTrustIsNotTriedAgain: each try would add to what is saved.
func TestARefusalForTrustIsNotTriedAgain(t *testing.T) {
	oneThread(t)
	t.Parallel()
	b := newBench(t, testAccount(t))
	s := b.add(fixtures.Session{})
	b.inventory()
	stub := filepath.Join(b.a.Root, "stub")
	log := filepath.Join(b.a.Root, "stub.log")
	os.WriteFile(stub, []byte("#!/bin/sh\ncase \"$*\" in *--version*) echo '2.1.332 (Claude Code)'; exit 0;; esac\n"+
		"echo call >> "+log+"\necho 'Workspace not trusted. Run claude in /x once and accept the trust prompt, then "+
		"retry.' >&2\nexit 1\n"), 0o700)
	b.client = stub
	st, out, _ := b.run("resume", "--spacing", "0", "--wait", "0", s.Short)
	data, _ := os.ReadFile(log)
	if n := strings.Count(string(data), "call"); n != 1 {
		t.Errorf("%d calls, exit %d\n%s", n, st, out)
	}
}

// TestStartsThatDieAreBraked: a client that dies at every start stops the run after three.
func TestStartsThatDieAreBraked(t *testing.T) {
	oneThread(t)
	t.Parallel()
	b := newBench(t, testAccount(t))
	var shorts []string
	for range 6 {
		s := b.add(fixtures.Session{})
		b.script(s.Short, fixtures.Script{Outcome: fixtures.OutcomeCrash})
		shorts = append(shorts, s.Short)
	}
	b.inventory()
	st, out, _ := b.run(append([]string{"resume", "--spacing", "0", "--wait", "0"}, shorts...)...)
	if n := len(b.wakes()); n > 3 {
		t.Errorf("%d sessions got a prompt that died at start (exit %d)\n%s", n, st, out)
	}
}

// TestALimitInAPathIsNoLimit: a folder that is called rate-limiter.
func TestALimitInAPathIsNoLimit(t *testing.T) {
	oneThread(t)
	t.Parallel()
	b := newBench(t, testAccount(t))
	b.brief()
	stub := filepath.Join(b.a.Root, "stub")
	client := func(said string) {
		text := "#!/bin/sh\ncase \"$*\" in *--version*) echo '2.1.332 (Claude Code)'; exit 0;; esac\necho call >> " + stub +
			".log\necho '" + said + "' >&2\nexit 1\n"
		if err := os.WriteFile(stub, []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	b.client = stub
	untrusted := b.add(fixtures.Session{})
	b.inventory()
	client("Workspace not trusted. Run claude in /srv/rate-limiter once and accept the trust prompt.")
	if it := items(b.resume(exitNeedsUser, untrusted.Short))[0]; it["outcome"] != "untrusted" {
		t.Errorf("%v", it)
	}
	if v := b.object(exitNeedsUser, "status"); v["deferred_until"] != nil {
		t.Errorf("a folder put the starts off: %v", v["deferred_until"])
	}
	// What says that it woke the session did not refuse, whatever the session is called.
	named := b.add(fixtures.Session{})
	b.inventory()
	client("note: woke session " + named.Short + " with its saved options (-n rate limit fix).")
	if it := items(b.resume(exitTimeUp, named.Short))[0]; it["outcome"] != "unknown" {
		t.Errorf("%v", it)
	}
	if data, err := os.ReadFile(stub + ".log"); err != nil || strings.Count(string(data), "call") != 2 {
		t.Errorf("%d calls, %v", strings.Count(string(data), "call"), err)
	}
}

// TestALimitThatIsReadLaterBrakesTheNextRun: the run that sent the review had ended when the service answered.
func TestALimitThatIsReadLaterBrakesTheNextRun(t *testing.T) {
	oneThread(t)
	t.Parallel()
	b := newBench(t, testAccount(t))
	s, next := b.add(fixtures.Session{}), b.add(fixtures.Session{})
	b.script(s.Short, fixtures.Script{Outcome: fixtures.OutcomeCrashLate})
	b.inventory()
	b.object(exitTimeUp, "resume", "--spacing", "0", "--wait", "0", s.Short)
	if v := b.object(exitNeedsUser, "status"); v["deferred_until"] != nil {
		t.Fatalf("the limit was met too early: %v", v["deferred_until"])
	}
	appendLine(t, s.Transcript, map[string]any{"type": "assistant", "isApiErrorMessage": true, "sessionId": s.SessionID,
		"timestamp": time.Now().UTC().Format(time.RFC3339Nano), "message": map[string]any{"role": "assistant",
			"model":       "<synthetic>",
			"stop_reason": "stop_sequence", "content": []any{map[string]any{"type": "text", "text": "You've hit your session " +
				"limit"}}}})
	read := items(b.object(exitTimeUp, "read", s.Short))[0]
	until := b.object(exitNeedsUser, "status")["deferred_until"]
	if until == nil {
		t.Fatal("what read saw puts nothing off")
	}
	if after := read["next_step"].(map[string]any)["after"]; after != until {
		t.Errorf("its next is not before %v, and the limit is over at %v", after, until)
	}
	if it := items(b.resume(exitNeedsUser, next.Short))[0]; it["outcome"] != "refused" {
		t.Errorf("%v", it)
	}
	// What the user said to be over stays over, however often the review is read.
	b.must(exitOK, "ack", "limit")
	b.object(exitTimeUp, "read", s.Short)
	if v := b.object(exitNeedsUser, "status"); v["deferred_until"] != nil {
		t.Errorf("it is put off again: %v", v["deferred_until"])
	}
}
