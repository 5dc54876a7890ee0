package main

import (
	"math/rand"
	"testing"
	"time"

	"recovery/fixtures"
	"recovery/fixtures/long"
)

// TestDamageNeverWakes is the property that matters most: an account whose right verdict is "do not wake", with bytes
// and files flipped, cut, repeated or removed at random, and `resume --all --yes`: the client is never called.
func TestDamageNeverWakes(t *testing.T) {
	seed := time.Now().UnixNano()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewSource(seed))
	rounds := long.Of(1, 4)
	n := 0
	for i, s := range fixtures.DoNotWake() {
		if testing.Short() && i%5 != 0 {
			continue
		}
		for range rounds {
			sub, err := s.Build(t.TempDir(), now())
			if err != nil {
				t.Fatal(err)
			}
			b := newBench(t, sub.Account)
			b.script(sub.Session.Short, fixtures.Script{})
			// Half of the damage comes between the inventory and the wake.
			if n%2 == 0 {
				b.run(append([]string{"inventory"}, sub.Pages...)...)
			}
			what, err := fixtures.Damage(rng, sub.Account.Claude)
			if err != nil {
				t.Fatal(err)
			}
			if n%2 == 1 {
				b.run(append([]string{"inventory"}, sub.Pages...)...)
			}
			for _, f := range sub.Events {
				b.run("queue-check", "--events", sub.Session.Short+"="+f)
			}
			_, out, errs := b.run("resume", "--all", "--yes", "--spacing", "0", "--wait", "0")
			if calls := b.wakes(); len(calls) > 0 {
				t.Errorf("%s, damaged (%s), was woken:\n%s%s", s.Name, what, out, errs)
			}
			sub.Account.Close()
			n++
		}
	}
	t.Logf("%d damaged accounts", n)
}
