//go:build e2e

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"recovery/prompts"
)

// TestReviewsThatEndWithoutAReply: each ends its wait at once, and is told by every command for as
// long as nobody saw to it.
func TestReviewsThatEndWithoutAReply(t *testing.T) {
	s := newSandbox(t)
	s.rule(t, rule{Match: prompts.ReviewMarker, Reply: reviewReply})
	t.Run("an error of the service", func(t *testing.T) { turnsThatFail(t, s) })
	t.Run("a plan is asked for", func(t *testing.T) { planAsked(t, s) })
	t.Run("stopped", func(t *testing.T) { stoppedInReview(t, s) })
	t.Run("nothing was copied", func(t *testing.T) { s.noCopies(t) })
}

// forReview is what the stub matches the review of one session by.
func (x *session) forReview() string { return prompts.ReviewMarker + ".*for session " + x.short }

// tells wants status, report and hand-over to show the same words about a session, and to give the same next.
func (s *sandbox) tells(t *testing.T, x *session, next string, words ...string) {
	t.Helper()
	row := item(t, s.recoveryJSON(t, -2, "status"), x.short)
	for _, w := range words {
		has(t, "status", row.Get("waits_for").Str, w)
	}
	has(t, "the next", row.Get("next").Str, next)
	hand := filepath.Join(s.dir, "handoff.md")
	if r := s.recover("handoff", "-o", hand); r.exit != 0 {
		t.Errorf("handoff: %s", r)
	}
	text, err := os.ReadFile(hand)
	must(t, err)
	must(t, os.Remove(hand))
	for what, said := range map[string]string{"the report": s.recover("report").stdout, "the hand-over": string(text)} {
		for _, w := range append(words, x.short, next) {
			has(t, what, said, w)
		}
	}
}

func turnsThatFail(t *testing.T, s *sandbox) {
	long, limit, after, signIn := s.offline(t, s.work, "too long"), s.offline(t, s.work, "a limit"),
		s.offline(t, s.work, "after the limit"), s.offline(t, s.work, "a sign-in")
	for _, x := range []*session{long, limit, after, signIn} {
		s.ready(t, x)
	}
	s.rule(t, rule{Match: long.forReview(), Status: 400, Kind: "invalid_request_error",
		Error: "prompt is too long: 219340 tokens > 200000 maximum"})
	s.rule(t, rule{Match: limit.forReview(), Status: 429, Kind: "rate_limit_error",
		Error: "You've hit your session limit · resets 3pm"})
	s.rule(t, rule{Match: signIn.forReview(), Status: 401, Kind: "authentication_error", Error: "invalid x-api-key"})

	r := s.recover("resume", "--json", "--spacing", "1", "--batch", "1", "--wait", "180s",
		long.short, limit.short, after.short)
	res := parse(t, r, -2)
	for x, said := range map[*session]string{long: "Prompt is too long", limit: "session limit"} {
		row := item(t, res, x.short)
		want(t, x.name, row, map[string]string{"outcome": "woken", "review.answered": "false"})
		for _, path := range []string{"reason", "review.error"} {
			has(t, path, row.Get(path).Str, said)
		}
		t.Logf("%s: %s; next: %s", x.name, row.Get("reason").Str, row.Get("next").Str)
	}
	want(t, "behind the limit", item(t, res, after.short), map[string]string{"outcome": "refused"})
	has(t, "why the run stops", res.Get("stopped").Str, "limit was met in "+limit.short)
	if r.took > 90*time.Second {
		t.Errorf("errors were waited for: %s", r.took)
	}
	s.tells(t, long, "/compact", "Prompt is too long")
	s.tells(t, limit, "not before", "session limit")

	s.recovery0(t, "ack", "limit")
	r = s.recover("resume", "--json", "--wait", "180s", signIn.short)
	res = parse(t, r, -2)
	said := item(t, res, signIn.short).Get("review.error").Str
	if said == "" || r.took > 90*time.Second {
		t.Errorf("a sign-in that failed: %q after %s", said, r.took)
	}
	has(t, "why the run stops", res.Get("stopped").Str, "sign-in failed in "+signIn.short)
	s.tells(t, signIn, "sign in again", said)
	has(t, "the next of all", s.recoveryJSON(t, -2, "status").Get("next").Str, "sign in again")
	for _, x := range []*session{long, limit, signIn} {
		x.stop(t)
	}
}

// planAsked has a session in plan mode ask for its plan in the review. Nobody approves it: the session is stopped.
func planAsked(t *testing.T, s *sandbox) {
	x := s.offline(t, s.work, "a plan")
	s.ready(t, x)
	s.rule(t, rule{Match: x.forReview(), Reply: reviewReply,
		Tools: []toolCall{{"ExitPlanMode", []byte(`{"plan":"1. Deploy the importer."}`)}}})
	settings := filepath.Join(s.home, ".claude", "settings.json")
	before, err := os.ReadFile(settings)
	must(t, err)
	must(t, os.WriteFile(settings, []byte(`{"permissions":{"defaultMode":"plan"}}`), 0o600))
	r := s.recover("resume", "--json", "--wait", "180s", x.short)
	must(t, os.WriteFile(settings, before, 0o600))
	row := item(t, parse(t, r, -2), x.short)
	want(t, "a plan", row, map[string]string{"outcome": "woken", "review.answered": "false",
		"next": "stop it: claude stop " + x.short})
	has(t, "what it waits for", row.Get("review.waiting").Str, "ExitPlanMode")
	if r.took > 60*time.Second {
		t.Errorf("a question was waited for: %s", r.took)
	}
	s.tells(t, x, "claude stop "+x.short, "an answer to ExitPlanMode")
	x.stop(t)
	s.tells(t, x, "resume --again "+x.short, "while it waited for an answer to ExitPlanMode")
}

// stoppedInReview has the user stop the session while its review runs.
func stoppedInReview(t *testing.T, s *sandbox) {
	x := s.offline(t, s.work, "stopped")
	s.ready(t, x)
	s.rule(t, rule{Match: x.forReview(), Reply: reviewReply, Delay: 120})
	ended := make(chan said, 1)
	go func() { ended <- s.recover("resume", "--json", "--wait", "180s", x.short) }()
	s.poll(t, time.Minute, "the review prompt in the transcript", func() bool {
		return len(x.holding(prompts.ReviewMarker)) == 1
	})
	// Before its outcome is on record the proof is still looked for.
	s.poll(t, time.Minute, "the outcome of the wake", func() bool { return s.outcomes(t, x.short) == 1 })
	x.stop(t)
	r := <-ended
	row := item(t, parse(t, r, -2), x.short)
	want(t, "stopped", row, map[string]string{"outcome": "woken", "review.answered": "false", "review.died": "true"})
	has(t, "the reason", row.Get("reason").Str, "it was stopped, or it died in its review")
	if r.took > 90*time.Second {
		t.Errorf("a session that was stopped was waited for: %s", r.took)
	}
	t.Logf("seen after %s: %s", r.took.Round(10*time.Millisecond), strings.TrimSpace(r.stderr))
	s.tells(t, x, "resume --again "+x.short, "died or was stopped in its review")
}
