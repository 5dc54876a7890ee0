//go:build e2e

package e2e

import (
	"testing"
	"time"
)

// killedAfterCall ends recovery with -9 when the client has answered and nothing of that is on record yet.
func killedAfterCall(t *testing.T, s *sandbox) {
	x := s.offline(t, s.work, "crash")
	s.ready(t, x)
	wrapper := s.script(t, "killing", "claude \"$@\"\nstatus=$?\n[ \"$1\" = --bg ] && kill -9 $PPID\nexit $status\n")
	r := s.recover("resume", "--json", "--client", wrapper, x.short)
	if r.exit != -1 {
		t.Fatalf("recovery was to be killed: %s", r)
	}
	id := s.promptID(t, x.short)
	if s.outcomes(t, x.short) != 0 {
		t.Fatal("the outcome is on record: recovery was killed too late to prove anything")
	}

	again := s.recover("resume", "--json", x.short)
	res := parse(t, again, 3)
	want(t, "the second run", item(t, res, x.short), map[string]string{"outcome": "refused"})
	t.Logf("right after the kill: %s", item(t, res, x.short).Get("reason").Str)
	has(t, "what it settled", again.stderr, "an earlier run ended before it knew")
	settled := s.lastEvent(t, x.short, "settled")
	want(t, "settled", settled.Get("data"), map[string]string{"prompt_id": id})
	t.Logf("settled as %s: %s", settled.Get("data.outcome").Str, settled.Get("data.reason").Str)

	x.awaitReplies(t, 2)
	x.stop(t)
	// Stopped again, it could be woken: it was reviewed already, and that alone must hold a second prompt back.
	s.recoveryJSON(t, -2, "queue-check", "--confirm", x.short)
	third := s.recoveryJSON(t, 3, "resume", x.short)
	want(t, "the third run", item(t, third, x.short), map[string]string{"outcome": "refused"})
	has(t, "its reason", item(t, third, x.short).Get("reason").Str, "a second one needs --again")
	x.onePrompt(t, id)
	if n := len(x.holding("RECOVERY REVIEW v1")); n != 1 {
		t.Errorf("%d review prompts were delivered", n)
	}
	read := s.recovery0(t, "read", "--wait", "60s", x.short)
	want(t, "read", item(t, read, x.short), map[string]string{"answered": "true", "verdict.verdict": "OWNER"})
	t.Logf("the killed run ended after %s", r.took.Round(10*time.Millisecond))
}
