//go:build e2e

package e2e

import (
	"testing"
	"time"

	"recovery/prompts"
)

// prepDelivered has an offline owner asked for its final plan by a wake: the prompt arrives whole, once, in the
// session's own transcript, the reply is judged like a review, and the verdict of the review before it stays.
func prepDelivered(t *testing.T, s *sandbox, x *session) {
	s.rule(t, rule{Match: prompts.PrepMarker, Reply: "## Final plan\n\n1. Deploy the importer.\n\nReply go to run this " +
		"plan."})
	s.readyAgain(t, x)
	before := len(x.prompts())
	r := s.recover("resume", "--json", "--prompt", "prep", "--spacing", "1", "--wait", "90s", x.short)
	row := item(t, parse(t, r, 0), x.short)
	want(t, "a prep", row, map[string]string{"outcome": "woken", "prompt_saved": "false", "review.plan": "true",
		"review.answered": "true", "review.verdict.verdict": "OWNER", "review.defects.#": "0"})
	if now := len(x.prompts()); now != before+1 {
		t.Errorf("%d prompts arrived", now-before)
	}
	x.onePrompt(t, s.promptID(t, x.short))
	t.Logf("plan after %s: %s", r.took.Round(10*time.Millisecond), row.Get("review.reply").Raw)
	rep := s.recoveryJSON(t, -2, "report")
	owners := rep.Get(`owners.#(short=="` + x.short + `").why`).Raw
	has(t, "the report", owners, "its final plan is posted")
	x.stop(t)
}
