package main

import (
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"recovery/fixtures"
)

// archive marks a job as archived, after the inventory that lists it.
func archive(b *bench, s fixtures.Added) {
	b.t.Helper()
	data, err := os.ReadFile(s.StatePath)
	var v map[string]any
	if err == nil {
		err = json.Unmarshal(data, &v)
	}
	v["archived"], v["updatedAt"] = true, now().Add(time.Second).UTC().Format(time.RFC3339Nano)
	if err == nil {
		data, err = json.Marshal(v)
	}
	if err = errors.Join(err, os.WriteFile(s.StatePath, data, 0o600)); err != nil {
		b.t.Fatal(err)
	}
}

// TestInvariant12FinishedStaysFinished: a session with its real wrap, or archived since, is planned and woken by
// no path, confirmed or not, but where it is named with --again. --all names nobody.
func TestInvariant12FinishedStaysFinished(t *testing.T) {
	oneThread(t)
	t.Parallel()
	b := newBench(t, testAccount(t))
	wrapped := b.add(fixtures.Session{Name: "wrapped", Turns: []fixtures.Turn{fixtures.Says("a", "b"),
		fixtures.WrapTurn("done")}})
	gone := b.add(fixtures.Session{Name: "archived since"})
	unsure := b.add(fixtures.Session{Name: "wrapped, with a gap", RemoteUpdatedAt: gap(),
		Turns: []fixtures.Turn{fixtures.Says("a", "b"), fixtures.WrapTurn("done")}})
	plain := b.add(fixtures.Session{Name: "plain"})
	ended := []fixtures.Added{wrapped, gone, unsure}
	for _, s := range append(ended, plain) {
		b.script(s.Short, fixtures.Script{KeepRunning: fixtures.Bool(false)})
	}
	b.inventory()
	archive(b, gone)
	b.run("queue-check", "--confirm", unsure.Short)
	shorts := []string{wrapped.Short, gone.Short, unsure.Short}
	for _, args := range [][]string{
		{"--dry-run"}, {}, {"--nudge"}, {"--prompt", "prep"}, {"--prompt", "prep", "--dry-run"},
	} {
		words := append([]string{"resume", "--spacing", "0", "--wait", "60"}, args...)
		for _, short := range shorts {
			it := b.item(short, append(words, short)...)
			if it.Outcome != "refused" || !strings.Contains(it.Reason, "finished") && !strings.Contains(it.Reason, "archived") {
				t.Errorf("%v %s: %s: %s", args, short, it.Outcome, it.Reason)
			}
		}
	}
	for _, args := range [][]string{{"--all"}, {"--all", "--again"}, {"--all", "--again", "--yes"}} {
		_, out, _ := b.run(append([]string{"--json", "resume", "--spacing", "0", "--wait", "60"}, args...)...)
		for _, it := range decoded(t, out) {
			if outcome := it["outcome"]; it["short"] != plain.Short && outcome != "refused" {
				t.Errorf("%v: %s is %v: %v", args, it["title"], outcome, it["reason"])
			}
		}
	}
	if calls := b.wakes(); len(calls) != 1 || calls[0].Args[2] != plain.SessionID {
		t.Errorf("woken: %v", calls)
	}
	for _, s := range ended {
		if it := b.item(s.Short, "resume", "--spacing", "0", "--wait", "60", "--again", s.Short); it.Outcome != "woken" {
			t.Errorf("%s, named with --again: %s: %s", s.Name, it.Outcome, it.Reason)
		}
	}
}

func decoded(t *testing.T, out string) []map[string]any {
	t.Helper()
	var v map[string]any
	if err := json.Unmarshal([]byte(out), &v); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return items(v)
}
