package inventory

import (
	"slices"
	"testing"
	"time"

	"recovery/fixtures"
)

// TestWhatExpiresStandsFirst: what the client deletes within a week stands first, the soonest at the top; the rest
// newest first.
func TestWhatExpiresStandsFirst(t *testing.T) {
	a := newAccount(t)
	young := add(t, a, fixtures.Session{Name: "young", LastEntry: last})
	old := add(t, a, fixtures.Session{Name: "old", LastEntry: last.Add(-10 * 24 * time.Hour)})
	soon := add(t, a, fixtures.Session{Name: "soon", LastEntry: last.Add(-26 * 24 * time.Hour)})
	sooner := add(t, a, fixtures.Session{Name: "sooner", LastEntry: last.Add(-28 * 24 * time.Hour)})
	inv := Build(world(t, a, machine()), nil)
	var got []string
	for _, it := range inv.Items {
		got = append(got, it.Short)
		if want := it.Short == soon.Short || it.Short == sooner.Short; it.ExpiresSoon() != want {
			t.Errorf("%s expires at %v, marked %v", it.Title, it.ExpiresAt, it.ExpiresSoon())
		}
	}
	if want := []string{sooner.Short, soon.Short, young.Short, old.Short}; !slices.Equal(got, want) {
		t.Errorf("order %v, want %v", got, want)
	}
}

// TestARunningSessionOwnsItsGroup: a session that runs goes on by itself, so its offline copy is the duplicate, with
// pages and without; running sessions alone make no group.
func TestARunningSessionOwnsItsGroup(t *testing.T) {
	a := newAccount(t)
	offline := add(t, a, fixtures.Session{Name: "refund for order 4711"})
	live := add(t, a, fixtures.Session{Name: "refund for order 4711, copy", CopyOf: offline.Short,
		LastEntry: last.Add(-time.Hour), RemoteConnection: "connected"})
	one := add(t, a, fixtures.Session{Name: "one of two that run", RemoteConnection: "connected"})
	two := add(t, a, fixtures.Session{Name: "two of two that run", CopyOf: one.Short, RemoteConnection: "connected"})
	w := world(t, a, liveAs(t, a, live, one, two))
	page, err := a.SavePage("page.json", fixtures.PageOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, inv := range []Inventory{Build(w, nil), Build(w, pagesOf(t, page))} {
		if len(inv.Groups) != 1 || inv.Groups[0].Owner != live.Short || inv.OwnerOf(offline.Short) != live.Short ||
			inv.Groups[0].Name != "g1" {
			t.Errorf("groups %+v", inv.Groups)
		}
		if inv.Find(live.Short) != nil {
			t.Error("a running session is listed")
		}
		if it := inv.Find(offline.Short); it == nil || it.Role != "duplicate" {
			t.Errorf("%+v", it)
		}
	}
}
