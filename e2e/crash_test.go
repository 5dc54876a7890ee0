//go:build e2e

package e2e

import (
	"testing"
	"time"
)

// killed wakes a session and ends recovery with -9 when the client has answered and nothing of that is on record yet.
// It gives the prompt's id.
func killed(t *testing.T, s *sandbox, x *session) string {
	t.Helper()
	s.ready(t, x)
	wrapper := s.script(t, "killing", "claude \"$@\"\nstatus=$?\n[ \"$1\" = --bg ] && kill -9 $PPID\nexit $status\n")
	r := s.recover("resume", "--json", "--client", wrapper, x.short)
	if r.exit != -1 {
		t.Fatalf("recovery was to be killed: %s", r)
	}
	if s.outcomes(t, x.short) != 0 {
		t.Fatal("the outcome is on record: recovery was killed too late to prove anything")
	}
	t.Logf("%s: killed after %s", x.name, r.took.Round(10*time.Millisecond))
	return s.promptID(t, x.short)
}

// killedAfterCall runs resume again at once, while the session is still starting.
func killedAfterCall(t *testing.T, s *sandbox) {
	x := s.offline(t, s.work, "crash")
	id := killed(t, s, x)
	settles(t, s, x, id, "woken")
	x.awaitReplies(t, 2)
	notSentAgain(t, s, x, id)
}

// killedLongAgo runs resume again when the session has answered.
func killedLongAgo(t *testing.T, s *sandbox) {
	x := s.offline(t, s.work, "crash later")
	id := killed(t, s, x)
	x.awaitReplies(t, 2)
	settles(t, s, x, id, "woken")
	notSentAgain(t, s, x, id)
}

// settles runs resume again and wants the open intention settled, as one of the outcomes, and nothing sent.
func settles(t *testing.T, s *sandbox, x *session, id string, outcomes ...string) {
	t.Helper()
	r := s.recover("resume", "--json", x.short)
	row := item(t, parse(t, r, 3), x.short)
	want(t, "the second run", row, map[string]string{"outcome": "refused"})
	has(t, "what it settled", r.stderr, "an earlier run ended before it knew")
	settled := s.lastEvent(t, x.short, "settled").Get("data")
	want(t, "settled", settled, map[string]string{"prompt_id": id, "sent": "true"})
	got := settled.Get("outcome").Str
	fits := false
	for _, o := range outcomes {
		fits = fits || o == got
	}
	if !fits {
		t.Errorf("settled as %q, not as %q", got, outcomes)
	}
	t.Logf("settled as %s after %s: %s; then refused: %s", got, r.took.Round(10*time.Millisecond),
		settled.Get("reason").Str, row.Get("reason").Str)
}

// notSentAgain stops the session, so that it could be woken: that it was reviewed already must alone hold a second
// prompt back.
func notSentAgain(t *testing.T, s *sandbox, x *session, id string) {
	t.Helper()
	x.stop(t)
	s.readyAgain(t, x)
	row := item(t, s.recoveryJSON(t, 3, "resume", x.short), x.short)
	want(t, "the third run", row, map[string]string{"outcome": "refused"})
	has(t, "its reason", row.Get("reason").Str, "a second one needs --again")
	x.onePrompt(t, id)
	if n := len(x.holding("RECOVERY REVIEW v1")); n != 1 {
		t.Errorf("%d review prompts were delivered", n)
	}
	read := s.recovery0(t, "read", "--wait", "60s", x.short)
	want(t, "read", item(t, read, x.short), map[string]string{"answered": "true", "verdict.verdict": "OWNER"})
}
