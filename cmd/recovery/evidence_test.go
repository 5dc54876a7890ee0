package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"recovery/fixtures"
)

func appendLine(t *testing.T, path string, v map[string]any) {
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	d, _ := json.Marshal(v)
	f.Write(append(d, '\n'))
}

func userLine(s fixtures.Added, text string, at time.Time) map[string]any {
	return map[string]any{"type": "user", "uuid": fmt.Sprintf("%08x-0000-4000-8000-%012x", at.UnixNano()&0xffffffff,
		at.UnixNano()&0xffffffffff), "sessionId": s.SessionID, "cwd": s.Cwd,
		"timestamp": at.UTC().Format(time.RFC3339Nano), "origin": map[string]any{"kind": "human"}, "promptSource": "typed",
		"message": map[string]any{"role": "user", "content": text}}
}

// TestBrokenSavedEventsBlock: a saved events file that cannot be read is not "nothing there".
func TestBrokenSavedEventsBlock(t *testing.T) {
	oneThread(t)
	t.Parallel()
	b := newBench(t, testAccount(t))
	s := b.add(fixtures.Session{})
	b.inventory()
	p, err := b.a.SaveEvents(s.Short, "e.json",
		fixtures.EventOptions{Extra: []fixtures.Event{{At: time.Now().Add(-time.Hour), Kind: "user",
			UUID: "99999999-0000-4000-8000-000000000001", Text: "yes, pay it"}}})
	if err != nil {
		t.Fatal(err)
	}
	_, out, _ := b.run("queue-check", "--events", s.Short+"="+p)
	if !strings.Contains(out, "blocked") {
		t.Fatalf("not blocked: %s", out)
	}
	os.WriteFile(b.work("events/"+s.Short+".json"), []byte(`{"Items":`), 0o600)
	_, out, errs := b.run("queue-check", s.Short)
	if strings.Contains(out, "pass") && !strings.Contains(out, "0 pass") {
		t.Errorf("passes now: %s%s", out, errs)
	}
	if it := items(b.resume(exitNeedsUser, s.Short))[0]; it["outcome"] != "refused" || len(b.wakes()) != 0 {
		t.Errorf("%v", it)
	}
}

// TestAnUnreadableLogProvesNothing: it is not a log that begins later.
func TestAnUnreadableLogProvesNothing(t *testing.T) {
	oneThread(t)
	t.Parallel()
	b := newBench(t, testAccount(t))
	le := time.Now().Add(-10 * time.Hour)
	s := b.add(fixtures.Session{LastEntry: le, RemoteUpdatedAt: le.Add(8 * time.Hour), NoLog: true})
	b.inventory()
	_, out, _ := b.run("queue-check", s.Short)
	t.Logf("readable: %s", out)
	for _, n := range []string{"daemon.log", "daemon.log.1"} {
		p := filepath.Join(b.a.Claude, n)
		os.Remove(p)
		os.Mkdir(p, 0o700)
	}
	_, out, errs := b.run("queue-check", s.Short)
	if strings.Contains(out, "1 pass") {
		t.Errorf("unreadable log passes: %s%s", out, errs)
	}
}

// TestEverySignOfASessionCounts: invariant 11, by any of the variables that a session sets.
func TestEverySignOfASessionCounts(t *testing.T) {
	oneThread(t)
	t.Parallel()
	for _, env := range []string{"CLAUDE_CODE_ENTRYPOINT=cli", "CLAUDE_PID=12", "AI_AGENT=claude-code",
		"CLAUDE_CODE_EXECPATH=/x/claude"} {
		b := newBench(t, testAccount(t))
		s := b.add(fixtures.Session{RemoteUpdatedAt: now()})
		b.inventory()
		b.sys.environ = append(b.sys.environ, env)
		if st, _, errs := b.run("queue-check", "--confirm", s.Short); st != exitNeedsUser || !strings.Contains(errs,
			"--as-user") {
			t.Errorf("%s: --confirm ended with %d: %s", env, st, errs)
		}
	}
}
