package main

import (
	"os"
	"strings"
	"testing"
	"time"

	"recovery/fixtures"
	"recovery/internal/journal"
	"recovery/prompts"
)

// TestFinishedRecoveryIsClosedAndKept: when every woken session has its real wrap, the next inventory begins a new
// record and keeps the old one; with anything open it goes on.
func TestFinishedRecoveryIsClosedAndKept(t *testing.T) {
	b := newBench(t, testAccount(t))
	s := b.add(fixtures.Session{})
	b.script(s.Short, fixtures.Script{Reply: fixtures.Review{Verdict: "DONE", Item: "x", Recommend: "archive"}.Text(),
		Wrap: "done"})
	b.inventory()
	b.resume(exitOK, s.Short)
	closed := func() int {
		_, out, _ := b.run("status", "--all")
		return strings.Count(out, "finished: ")
	}
	b.inventory()
	if closed() != 0 {
		t.Fatalf("it was closed before its wrap")
	}
	text, err := prompts.RenderWrap(prompts.Wrap{Short: s.Short})
	if err != nil {
		t.Fatal(err)
	}
	if err := b.a.Deliver(s.Short, text); err != nil {
		t.Fatal(err)
	}
	b.must(exitOK, "wrap-wait", "--wait", "5", s.Short)
	b.must(exitOK, "report")
	b.inventory()
	if closed() != 1 {
		t.Errorf("%d finished recoveries are kept", closed())
	}
	if out := b.must(exitOK, "events"); !strings.Contains(out, "1 of 1 events") {
		t.Errorf("the new record does not begin anew:\n%s", out)
	}
	// The transcript still says that the session holds a review.
	b.run("queue-check", "--confirm", s.Short)
	if n := len(b.wakes()); n != 1 {
		t.Errorf("%d wakes", n)
	}
}

// TestHandoffTellsWhereAndHowFar: whoever goes on finds the account, how far it is, the last thing on record and the
// key files.
func TestHandoffTellsWhereAndHowFar(t *testing.T) {
	b := newBench(t, testAccount(t))
	s := b.add(fixtures.Session{})
	b.add(fixtures.Session{Name: "expires", LastEntry: b.a.Now.Add(-29 * 24 * time.Hour)})
	b.inventory()
	b.resume(exitOK, s.Short)
	release, err := journal.WorkIn(b.work("")).Lock(journal.Holder{PID: os.Getpid(), User: "kim", Command: "resume",
		Since: now()})
	if err != nil {
		t.Fatal(err)
	}
	_, md, errs := b.run("handoff", "-o", "-")
	release()
	for _, want := range []string{
		"`CLAUDE_CONFIG_DIR=" + b.a.Claude + " recovery status`", "sudo -iu ",
		"progress: of 2 sessions: 1 listed, 1 reviewed", "the last thing on record: number",
		"inventory.json: the inventory of", "a run is under way now: 'recovery resume' of kim",
		"1 transcripts are deleted within a week", "recovery inflight",
	} {
		if !strings.Contains(md, want) {
			t.Errorf("it lacks %q:\n%s", want, md)
		}
	}
	if !strings.Contains(errs, "--for NAME --why TEXT") {
		t.Errorf("it said %q", errs)
	}
	if _, md, _ := b.run("handoff", "--for", "kim", "--why", "end of shift", "-o", "-"); strings.Contains(md,
		"under way now") {
		t.Error("a released lock counts as a run")
	}
}
