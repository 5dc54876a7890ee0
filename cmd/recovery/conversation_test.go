package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"recovery/fixtures"
)

// afterClear is a session whose conversation goes on under another id since /clear; first is what was said before.
func afterClear(first []fixtures.Turn, turns ...fixtures.Turn) fixtures.Session {
	return fixtures.Session{ResumeSessionID: newUUID(), Cleared: first, Turns: append([]fixtures.Turn{fixtures.Cleared()},
		turns...)}
}

// TestInvariant13TheConversationThatIsJudgedIsWoken: what is looked at is what a wake goes on with, with all its
// threads, and what it would start besides is told before.
func TestInvariant13TheConversationThatIsJudgedIsWoken(t *testing.T) {
	oneThread(t)
	t.Parallel()
	first, second := []fixtures.Turn{fixtures.Says("Old matter.", "Done with that.")}, fixtures.Says("New matter.",
		"Done too.")
	left := fixtures.Enqueued("and send it to the customer")
	for name, c := range map[string]struct {
		session fixtures.Session
		act     func(*bench, fixtures.Added)
		says    string // of the queue check; empty for a pass
	}{
		"after /clear": {session: afterClear(first, second)},
		"cut before /clear": {session: afterClear([]fixtures.Turn{fixtures.Unfinished("Old matter.", pending)},
			second)},
		"a message left before /clear": {session: afterClear([]fixtures.Turn{first[0], left}, second)},
		"a message left after /clear":  {session: afterClear(first, second, left), says: "typed-not-answered"},
		"cut after /clear": {session: afterClear(first, second, fixtures.Unfinished("Build it.", pending)),
			says: "casualty"},
		"its transcript after /clear gone": {afterClear(first, second), removed(transcriptOf), "transcript-problem"},
		"state.json names another's": {fixtures.Session{}, func(b *bench, s fixtures.Added) {
			other := b.add(fixtures.Session{Name: "other", Turns: []fixtures.Turn{fixtures.Unfinished("Build it.", pending)}})
			data, err := os.ReadFile(s.StatePath)
			if err == nil {
				err = os.WriteFile(s.StatePath, []byte(strings.ReplaceAll(string(data), s.Transcript, other.Transcript)), 0o600)
			}
			if err != nil {
				b.t.Fatal(err)
			}
		}, ""},
		"an agent that was cut": {fixtures.Session{Extra: map[string]string{
			"fan": `[{"id":"a77","kind":"agent","label":"pay the invoices","startedAt":"2026-05-03T10:00:00Z"}]`}}, nil,
			"background"},
		"a message in an older thread": {fixtures.Session{}, eventsOfAnOlderThread, "queued-remotely"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, testAccount(t))
			s := b.add(c.session)
			b.script(s.Short, fixtures.Script{KeepRunning: fixtures.Bool(false)})
			b.inventory()
			if c.act != nil {
				c.act(b, s)
			}
			check := b.item(s.Short, "queue-check", s.Short)
			dry := b.item(s.Short, "resume", "--dry-run", s.Short)
			if c.says != "" {
				told := false
				for _, r := range check.Reasons {
					told = told || r.Code == c.says && strings.Contains(dry.Reason, r.Text)
				}
				if !told || dry.Outcome != "refused" {
					t.Fatalf("%s %+v; a wake is %s: %s", check.Verdict, check.Reasons, dry.Outcome, dry.Reason)
				}
				return
			}
			if check.Verdict != "pass" {
				t.Fatalf("%s %+v", check.Verdict, check.Reasons)
			}
			it := b.item(s.Short, "resume", "--spacing", "0", "--wait", "60", s.Short)
			data, err := os.ReadFile(s.Transcript)
			if it.Outcome != "woken" || err != nil || !strings.Contains(string(data), "RECOVERY REVIEW") {
				t.Errorf("%s: %s; %v; the prompt is not in %s", it.Outcome, it.Reason, err, s.Transcript)
			}
			if calls := b.wakes(); len(calls) != 1 || calls[0].Args[2] != s.SessionID {
				t.Errorf("%v", calls)
			}
		})
	}
}

func transcriptOf(s fixtures.Added) string { return s.Transcript }

// eventsOfAnOlderThread saves the pages of two threads of one session: the present one holds its last turn, the
// older one a message of a person that came later.
func eventsOfAnOlderThread(b *bench, s fixtures.Added) {
	b.t.Helper()
	args := []string{"queue-check"}
	for name, o := range map[string]fixtures.EventOptions{
		"present.json": {},
		"older.json":   {Only: []fixtures.Event{{At: gap(), Kind: "user", Text: "yes, pay it"}}},
	} {
		path, err := b.a.SaveEvents(s.Short, name, o)
		if err != nil {
			b.t.Fatal(err)
		}
		args = append(args, "--events", s.Short+"="+path)
	}
	b.run(args...)
	if _, err := os.Stat(filepath.Join(b.work("events"), s.Short+".json")); err != nil {
		b.t.Fatal(err)
	}
}
