package review_test

import (
	"testing"

	"recovery/fixtures"
	"recovery/prompts"
)

// TestWhatSettlesAVerdict: only a person's own message behind the reply, once it was answered. A WRAP asks for
// something and settles nothing, in whose words ever.
func TestWhatSettlesAVerdict(t *testing.T) {
	wraps := "Please " + prompts.WrapMark + " in done mode."
	plan := prompts.PrepMarker + "\nPost your final plan."
	for _, c := range []struct {
		name  string
		turns []fixtures.Turn
		want  bool
	}{
		{"nothing", nil, false},
		{"a person, answered", []fixtures.Turn{fixtures.Says("I paid it.", "Noted.")}, true},
		{"a person, not answered", []fixtures.Turn{fixtures.Unfinished("I paid it.")}, false},
		{"a WRAP in the user's words", []fixtures.Turn{fixtures.Says(wraps, "Wrapped.")}, false},
		{"a WRAP with other words beside it", []fixtures.Turn{fixtures.Says("I paid it. "+wraps, "Wrapped.")}, false},
		{"a prep", []fixtures.Turn{fixtures.Says(plan, "The plan.")}, false},
		{"a notification", []fixtures.Turn{fixtures.Says(notification, "It is back.")}, false},
		{"a person, then a WRAP", []fixtures.Turn{fixtures.Says("I paid it.", "Noted."), fixtures.Says(wraps, "Wrapped.")},
			true},
		{"a WRAP, then a person", []fixtures.Turn{fixtures.Says(wraps, "Held."), fixtures.Says("I paid it.", "Noted.")},
			true},
		{"a person without an answer, then a WRAP", []fixtures.Turn{fixtures.Unfinished("I paid it."),
			fixtures.Says(wraps, "Wrapped.")}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			rev := wake(t, append([]fixtures.Turn{fixtures.Says(prompt, good)}, c.turns...)...).read()
			if rev.Settled != c.want || rev.Verdict == nil {
				t.Errorf("settled %v, want %v; verdict %+v", rev.Settled, c.want, rev.Verdict)
			}
		})
	}
}
