package main

import (
	"strings"
	"testing"
	"time"

	"recovery/fixtures"
)

// ofOneThread are two jobs of one thread, both confirmed; awake, they would take each other's messages.
func ofOneThread(t *testing.T, stays bool) (b *bench, one, two fixtures.Added) {
	t.Helper()
	b = newBench(t, testAccount(t))
	one = b.add(fixtures.Session{Name: "one", Bridge: "01SAME"})
	two = b.add(fixtures.Session{Name: "two", Bridge: "01SAME", NoRemote: true, LastEntry: now().Add(-11 * time.Hour)})
	for _, s := range []fixtures.Added{one, two} {
		b.script(s.Short, fixtures.Script{Process: fixtures.Bool(stays), KeepRunning: fixtures.Bool(stays)})
	}
	b.inventory()
	b.must(exitOK, "queue-check", "--confirm", one.Short, "--confirm", two.Short)
	return b, one, two
}

// TestOneOfAThreadIsWokenInARun: of two confirmed jobs of one thread the second is refused, planned and for real.
func TestOneOfAThreadIsWokenInARun(t *testing.T) {
	oneThread(t)
	t.Parallel()
	for _, args := range [][]string{{"--dry-run"}, {"--all"}, {"--all", "--yes"}, {}} {
		b, one, two := ofOneThread(t, false)
		words := append([]string{"--json", "resume", "--spacing", "0", "--wait", "60"}, args...)
		if len(args) == 0 || args[0] != "--all" {
			words = append(words, one.Short, two.Short)
		}
		_, out, _ := b.run(words...)
		if n := strings.Count(out, `"outcome": "refused"`); n != 1 || !strings.Contains(out,
			"has its thread or its conversation") {
			t.Errorf("%v: %d are refused:\n%s", args, n, out)
		}
		dry := len(args) == 1
		if n := len(b.wakes()); dry && n != 0 || !dry && n != 1 {
			t.Errorf("%v: %d calls", args, n)
		}
	}
}

// TestOneOfAThreadIsAwake: what was confirmed before its sibling was woken does not wake it beside that one in a
// later run.
func TestOneOfAThreadIsAwake(t *testing.T) {
	oneThread(t)
	t.Parallel()
	b, one, two := ofOneThread(t, true)
	b.resume(exitOK, one.Short)
	it := items(b.resume(exitNeedsUser, two.Short))[0]
	if it["outcome"] != "refused" || !strings.Contains(it["reason"].(string), one.Short) || len(b.wakes()) != 1 {
		t.Errorf("%d calls, %v", len(b.wakes()), it)
	}
	holdOneStanding(t, b, one.Short, two.Short)
}
