package main

import (
	"os"
	"strings"
	"testing"

	"recovery/fixtures"
)

// TestGroupsFile: inventory writes its proposal once; from then on the user's file wins, and its errors name their
// line.
func TestGroupsFile(t *testing.T) {
	b := newBench(t, testAccount(t))
	owner, dup, err := b.a.Duplicates()
	if err != nil {
		t.Fatal(err)
	}
	other := b.add(fixtures.Session{Name: "something else", Turns: []fixtures.Turn{fixtures.Says("Count the rows of "+
		"the table.", "There are 42.")}})
	b.inventory()
	path := b.work("groups.yaml")
	proposal, err := os.ReadFile(path)
	if err != nil || !strings.Contains(string(proposal), owner.Short) || !strings.Contains(string(proposal), dup.Short) ||
		strings.Contains(string(proposal), other.Short) {
		t.Fatalf("%v\n%s", err, proposal)
	}
	b.inventory()
	if again, err := os.ReadFile(path); err != nil || string(again) != string(proposal) {
		t.Errorf("the file was written anew: %v", err)
	}
	// A duplicate is woken with its owner named, without a dupes file.
	b.resume(exitOK, owner.Short, dup.Short)
	if got := b.received(dup.Short); len(got) != 1 || !strings.Contains(got[0], "Session "+owner.Short+" owns this work") {
		t.Errorf("the duplicate received %q", got)
	}
	if got := b.received(owner.Short); len(got) != 1 || strings.Contains(got[0], "owns this work") {
		t.Errorf("the owner received %q", got)
	}
	// The user turns it round.
	edited := "groups:\n  - name: mine\n    owner: " + other.Short + "\n    members: [" + other.Short + ", " + dup.Short +
		"]\n"
	if err := os.WriteFile(path, []byte(edited), 0o600); err != nil {
		t.Fatal(err)
	}
	b.inventory()
	roles := map[string]any{}
	for _, it := range items(b.object(exitOK, "inventory")) {
		roles[it["short"].(string)] = it["role"]
	}
	if roles[other.Short] != "owner" || roles[owner.Short] == "owner" {
		t.Errorf("the user's groups do not win: %v", roles)
	}
	if data, err := os.ReadFile(path); err != nil || !strings.HasPrefix(string(data), edited) {
		t.Errorf("the user's words are gone: %v\n%s", err, data)
	}
	for text, line := range map[string]string{
		"groups:\n  - name: a\n    owner: ffffffff\n    members: [" + dup.Short +
			", ffffffff]\n": "line 4",
		"groups:\n  - name: a\n    owner: " + owner.Short + "\n    members: [" + dup.Short + ", " + other.Short +
			"]\n": "line 3",
		"- a list\n": "line 1",
	} {
		file := b.a.Root + "/bad.yaml"
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if status, _, errs := b.run("inventory", "--groups", file); status != exitFailed || !strings.Contains(errs, line) {
			t.Errorf("%q ended with %d: %s", text, status, errs)
		}
	}
}
