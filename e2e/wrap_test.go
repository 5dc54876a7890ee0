//go:build e2e

package e2e

import (
	"testing"
	"time"

	"recovery/prompts"
)

// wrapSeen has the test play the user: there is no way to type into a running session without a terminal, so the WRAP
// message goes in as the prompt of a wake.
func wrapSeen(t *testing.T, s *sandbox) {
	x := s.offline(t, s.work, "wrapped")
	if got := item(t, s.recoveryJSON(t, 3, "wrap-wait", "--wait", "1", x.short), x.short).Get("state").Str; got != "NOT-SENT" {
		t.Errorf("before the WRAP message it is %s", got)
	}
	text, err := prompts.RenderWrap(prompts.Wrap{Short: x.short})
	must(t, err)
	s.rule(t, rule{Match: prompts.WrapMark,
		Tools: []toolCall{{"Skill", []byte(`{"skill":"session-wrap","args":"done"}`)}}})
	// The client hands the skill's text over as the next message in the user's role; the reply answers that one.
	s.rule(t, rule{Match: "Base directory for this skill: .*/session-wrap",
		Reply: "## Wrap\n\n- Done: the importer is fixed.\n\nSession Wrap done\nYou can archive this conversation now."})
	s.claude(t, "--bg", "--resume", x.id, text)
	// Until the message stands in the transcript it counts as not sent, which ends the waiting.
	s.poll(t, time.Minute, "the WRAP message in the transcript",
		func() bool { return len(x.holding(prompts.WrapMark)) == 1 })
	r := s.recover("wrap-wait", "--json", "--wait", "90s", x.short)
	row := item(t, parse(t, r, 0), x.short)
	want(t, "a wrap", row, map[string]string{"state": "DONE", "closing_line": "You can archive this conversation now."})
	t.Logf("DONE after %s: %s", r.took.Round(10*time.Millisecond), row.Raw)
	x.stop(t)
}
