package report

import (
	"fmt"
	"strings"
	"testing"
)

// TestCaptures: what several wraps propose for one file of one repository is one change; what stands elsewhere in a reply is none.
func TestCaptures(t *testing.T) {
	wrap := func(short, repo, cwd, reply string) wrapOf {
		return wrapOf{Entry{Place: Place{"a", "h"}, Short: short, Cwd: cwd}, repo, reply}
	}
	got := captures([]wrapOf{
		wrap("00000001", "/r", "/r", "Done.\n\n## Proposed captures\n- `docs/ops.md`: say that the importer wants a restart\n- CLAUDE.md: the test command\n\n## Changed files\n- docs/other.md"),
		wrap("00000002", "/r", "/w/tree", "**Captures:**\n* ./docs/ops.md, add the second step\n* /w/tree/CLAUDE.md: name the port\n```\n- docs/third.md\n```"),
		wrap("00000003", "/r", "/r", "Capture: docs/third.md should name the alert\n> - docs/fourth.md\nsee https://example.org/docs/ops.md"),
		wrap("00000004", "/other", "/other", "### Captures\n- docs/ops.md: another repository's file"),
		wrap("00000005", "/r", "/r", "I read docs/third.md and docs/fourth.md."),
	})
	var said []string
	for _, c := range got {
		line := c.File
		for _, p := range c.Proposals {
			line += " " + p.Short
		}
		said = append(said, line)
	}
	if want := "CLAUDE.md 00000001 00000002; docs/ops.md 00000001 00000002"; strings.Join(said, "; ") != want {
		t.Errorf("captures %q, want %q", strings.Join(said, "; "), want)
	}
	if !strings.Contains(fmt.Sprint(got[1].Proposals), "wants a restart") {
		t.Errorf("the words are gone: %+v", got[1])
	}
}
