package main

import (
	"slices"
	"testing"
)

// TestACauseOfSeveralIsSaidOnce: the table has a number for it, and one line below says it with its sessions.
func TestACauseOfSeveralIsSaidOnce(t *testing.T) {
	var c causes
	said := map[string]string{"11111111": "you: trust 11111111", "22222222": "you: trust 22222222",
		"33333333": "you: look", "44444444": ""}
	for _, short := range []string{"33333333", "11111111", "44444444", "22222222"} {
		c.add(short, said[short])
	}
	for short, want := range map[string]string{"11111111": "(1)", "22222222": "(1)", "33333333": "you: look",
		"44444444": "-"} {
		if got := c.cell(short, said[short]); got != want {
			t.Errorf("%s: %q, want %q", short, got, want)
		}
	}
	if got := c.legend(); !slices.Equal(got, []string{"(1) you: trust SHORT: 11111111 22222222"}) {
		t.Errorf("%q", got)
	}
}
