package main

import (
	"strings"
	"testing"

	"recovery/fixtures"
	"recovery/prompts"
)

// TestFinishedRecoveryIsClosedAndKept: when every woken session has its real wrap, the next inventory begins a new record
// and keeps the old one; with anything open it goes on.
func TestFinishedRecoveryIsClosedAndKept(t *testing.T) {
	b := newBench(t, testAccount(t))
	s := b.add(fixtures.Session{})
	b.script(s.Short, fixtures.Script{Reply: fixtures.Review{Verdict: "DONE", Item: "x", Recommend: "archive"}.Text(), Wrap: "done"})
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
