package main

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"recovery/fixtures"
	"recovery/internal/journal"
)

// holdMessages makes every message and every reason to make none, and a plan that a wake asked for.
func holdMessages(t *testing.T, h *holder) {
	b := hasty(t, testAccount(t))
	n := 0
	add := func(s fixtures.Session, v *fixtures.Review, after ...fixtures.Turn) string {
		n++
		if s.Name == "" {
			s.Name = fmt.Sprintf("work %d", n)
		}
		if v == nil {
			return b.add(s).Short
		}
		return b.reviewedSession(s, *v, after...).Short
	}
	own, done := owner("x", "pay invoice 4411", "yes, go ahead"), fixtures.Review{Verdict: "DONE", Item: "x"}
	unclear := fixtures.Review{Verdict: "DONE", Item: "x", Open: []string{"pay"}}
	live, pinned := fixtures.Session{Live: true}, fixtures.Session{Live: true, Pinned: true}
	twin := fixtures.Session{Live: true, Name: "one of two"}
	a := add(twin, &own)
	add(twin, &own)
	plain := add(fixtures.Session{Plain: true}, &own)
	finished, loose := add(pinned, &done), add(live, &done)
	typed := add(live, &own, fixtures.Says("And the parcel?", "It is lost."))
	unseen := add(fixtures.Session{StaleRegistry: true,
		PidDomain: "linux:0123456789abcdef0123456789abcdef:pid:[4026539999]"}, &own)
	prep := []string{"message", "prep", a, plain, finished, typed, unseen, add(fixtures.Session{Archived: true}, &own),
		add(live, nil), add(live, &unclear)}
	dup := fixtures.Review{Verdict: "DUPLICATE", Item: "x"}
	add(pinned, &dup)
	b.inventory()
	h.run(b, "report")
	h.run(b, prep...)
	h.run(b, "message", "wrap", finished, loose, a)
	h.run(b, "message", "review-wrap", finished)
	h.run(b, "message", "nudge", finished)
	data := filepath.Join(t.TempDir(), "data.yaml")
	if err := os.WriteFile(data, []byte("all: The ledger was read.\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	h.run(b, "message", "prep", "--data", data, a)
	h.run(b, "message", "prep")
	h.run(b, "message", "hello", a)

	c := hasty(t, testAccount(t))
	s := c.reviewedByWake(owner("x", "pay invoice 4412"), fixtures.Session{})
	h.run(c, "message", "prep", s.Short)
	c.script(s.Short, fixtures.Script{Outcome: fixtures.OutcomeUntrusted})
	c.confirmed(s.Short)
	h.run(c, "resume", "--prompt", "prep", "--spacing", "0", "--wait", "0", s.Short)
	c.script(s.Short, fixtures.Script{KeepRunning: fixtures.Bool(false)})
	c.confirmed(s.Short)
	h.run(c, "resume", "--nudge", "--spacing", "0", "--wait", "5", s.Short)
	h.every(c, s.Short)
	if err := journal.At(c.work(""), now).Append(journal.Defect, s.Short, journal.NewDefect(s.Short, "write", "write",
		"it wrote", "look")); err != nil {
		t.Fatal(err)
	}
	h.run(c, "message", "prep", s.Short)
	h.run(c, "events")
	lost := c.add(fixtures.Session{Name: "unanswered"})
	c.script(lost.Short, fixtures.Script{Outcome: fixtures.OutcomeCrashLate})
	c.inventory()
	h.run(c, "ack", s.Short)
	h.run(c, "resume", "--again", "--spacing", "0", "--wait", "0", lost.Short)
	h.run(c, "message", "prep", lost.Short)
	h.run(c, "message", "nudge", lost.Short)
}
