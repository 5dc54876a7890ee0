//go:build e2e

package e2e

import (
	"strings"
	"testing"
	"time"
)

// copyCaught has the client make a copy, which it does for any flag more than recovery gives it.
func copyCaught(t *testing.T, s *sandbox) {
	x, next := s.offline(t, s.work, "copied"), s.offline(t, s.work, "after the copy")
	s.ready(t, x)
	s.ready(t, next)
	wrapper := s.script(t, "copying", "[ \"$1\" = --bg ] && exec claude --model sonnet \"$@\"\nexec claude \"$@\"\n")
	lines, nextLines := len(x.prompts()), len(next.prompts())
	r := s.recover("resume", "--json", "--spacing", "1", "--wait", "60s", "--client", wrapper, x.short, next.short)
	res := parse(t, r, 5)
	row := item(t, res, x.short)
	want(t, "a copy", row, map[string]string{"outcome": "copy"})
	want(t, "the one behind it", item(t, res, next.short), map[string]string{"outcome": "refused"})
	if res.Get("stopped").Str == "" {
		t.Error("the run was not stopped by the copy")
	}
	if len(x.prompts()) != lines || len(next.prompts()) != nextLines {
		t.Error("a prompt was delivered to a session that was not to get one")
	}
	t.Logf("caught in %s: %s", r.took.Round(10*time.Millisecond), row.Get("reason").Str)
	other := s.lastEvent(t, x.short, "outcome").Get("data.other").Str
	if next := row.Get("next").Str; other == "" || !strings.HasPrefix(next, "claude stop "+other+";") {
		t.Fatalf("next is %q, which does not begin with the command that stops the copy %s", next, other)
	}
	made := &session{box: s, name: "the copy", short: other, cwd: s.work}
	made.id = made.state("sessionId").Str
	s.made[other] = made.id
	// The lines are copied when its first turn begins; stopped before that it would have no conversation.
	made.awaitReplies(t, 2)
	made.stop(t)
	grouped(t, s, x, made)

	blocked := s.recoveryJSON(t, 5, "resume", next.short)
	has(t, "the next run", blocked.Get("stopped").Str, "recovery ack "+x.short)
	if len(next.prompts()) != nextLines {
		t.Error("a prompt was sent while the defect is open")
	}
	s.acknowledge(t, x)
}

// grouped wants a first inventory to see that the copy and its original are one conversation, and to say so. It has a
// work folder of its own: where groups.yaml stands already, that file is the user's and new groups are only proposed
// beside it.
func grouped(t *testing.T, s *sandbox, original, made *session) {
	listed := s.recovery0(t, "inventory", "--work", t.TempDir())
	row := item(t, listed, made.short)
	name := row.Get("group").Str
	if name == "" || item(t, listed, original.short).Get("group").Str != name {
		t.Fatalf("the copy %s is not grouped with %s: %s", made.short, original.short, listed.Get("groups").Raw)
	}
	for _, g := range listed.Get("groups").Array() {
		if g.Get("name").Str == name {
			t.Logf("grouped: %s; owner %s, %s", g.Get("reason").Str, g.Get("owner").Str, g.Get("why_owner").Str)
			has(t, "the reason", g.Get("reason").Str, "copies of one conversation")
		}
	}
}

// copyBehindKill has a copy made by a run that is killed right after it: the next run must find it at once.
func copyBehindKill(t *testing.T, s *sandbox) {
	x := s.offline(t, s.work, "copied and killed")
	s.ready(t, x)
	wrapper := s.script(t, "copykilling", "[ \"$1\" = --bg ] || exec claude \"$@\"\nclaude --model sonnet \"$@\"\nkill "+
		"-9 $PPID\n")
	if r := s.recover("resume", "--json", "--client", wrapper, x.short); r.exit != -1 {
		t.Fatalf("recovery was to be killed: %s", r)
	}
	res := s.recoveryJSON(t, 5, "resume", x.short)
	settled := s.lastEvent(t, x.short, "settled").Get("data")
	want(t, "settled", settled, map[string]string{"outcome": "copy"})
	if len(res.Get("defects").Array()) == 0 {
		t.Errorf("no defect is open: %s", res.Raw)
	}
	made := &session{box: s, name: "the second copy", short: settled.Get("other").Str, cwd: s.work}
	made.id = made.state("sessionId").Str
	s.made[made.short] = made.id
	made.stop(t)
}
