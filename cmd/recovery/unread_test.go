package main

import (
	"strings"
	"testing"

	"recovery/fixtures"
	"recovery/prompts"
)

// TestADefectThatNobodyReadStands: what a review wrote is an open defect before anybody read the review. A message
// of a person behind it allows no second review, and the next that every command shows for it works.
func TestADefectThatNobodyReadStands(t *testing.T) {
	oneThread(t)
	t.Parallel()
	b := newBench(t, testAccount(t))
	text := prompts.ReviewMarker + "\n\nPlease review.\n\nrecovery-prompt-id: " + newUUID()
	s := b.add(fixtures.Session{Turns: []fixtures.Turn{
		fixtures.Says("Work on x.", "I did a part of it."),
		fixtures.Says(text, owner("x", "pay").Text(), fixtures.Bash("touch report.txt", "")),
		fixtures.Says("Thanks.", "You are welcome."),
	}})
	b.inventory()
	holdOneStanding(t, b, s.Short)
	it := b.says("items", "status")[s.Short]
	if it.Place != "defect" || !strings.Contains(it.Next, "recovery ack "+s.Short) {
		t.Fatalf("it stands at %s, next %q", it.Place, it.Next)
	}
	got := b.item(s.Short, "resume", "--spacing", "0", "--wait", "0", s.Short)
	if got.Outcome != "refused" || len(b.wakes()) != 0 {
		t.Errorf("%d calls, %s: %s", len(b.wakes()), got.Outcome, got.Reason)
	}
	b.must(exitOK, "ack", s.Short)
	if it := b.says("items", "status")[s.Short]; it.Place == "defect" {
		t.Errorf("closed by name, and it stands at %s: %s", it.Place, it.Next)
	}
	holdOneStanding(t, b, s.Short)
}
