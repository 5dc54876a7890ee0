package text

import (
	"strings"
	"testing"
)

func TestProse(t *testing.T) {
	for in, want := range map[string]string{
		"a\nb":                                "a|b",
		"a\n```\nx\n```\nb":                   "a|b",
		"a\n```yaml\nx\n```  \nb":             "a|b",
		"```go\nx\n```yaml\nstill in\n```\nb": "b",
		"````\n```\nx\n````\nb":               "b",
		"~~~\n```\nx\n~~~\nb":                 "b",
		"```x``` is code in a line\nb":        "```x``` is code in a line|b",
		"> quoted\n  > too\nb":                "b",
		"a\n```\nnever closed":                "a",
		"  - indented":                        "  - indented",
	} {
		if got := strings.Join(Prose(in), "|"); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}
