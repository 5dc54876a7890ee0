package report

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"recovery/inventory"
)

// TestCaptures: what several wraps propose for one file of one repository is one change; what stands elsewhere in a
// reply is none.
func TestCaptures(t *testing.T) {
	wrap := func(short, repo, cwd, reply string) wrapOf {
		return wrapOf{Entry{Place: Place{"a", "h"}, SessionName: inventory.SessionName{Short: short}, Cwd: cwd}, repo, reply}
	}
	got := captures([]wrapOf{
		wrap("00000001", "/r", "/r", "Done.\n\n## Proposed captures\n- `docs/ops.md`: say that the importer wants a "+
			"restart\n- CLAUDE.md: the test command\n\n## Changed files\n- docs/other.md"),
		wrap("00000002", "/r", "/w/tree", "**Captures:**\n* ./docs/ops.md, add the second step\n* /w/tree/CLAUDE.md: name "+
			"the port\n```\n- docs/third.md\n```"),
		wrap("00000003", "/r", "/r", "Capture: docs/third.md should name the alert\n> - docs/fourth.md\nsee "+
			"https://example.org/docs/ops.md"),
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

// TestCapturesAreProposals: what was changed already, what is denied, and what is only named in the words is no
// proposal.
func TestCapturesAreProposals(t *testing.T) {
	for in, want := range map[string]string{
		"## Captures\n- docs/ops.md: say that config.yaml wants a restart":                "docs/ops.md",
		"## Captures\n1. `docs/a.md` and `docs/b.md`: name the port":                      "docs/a.md docs/b.md",
		"## Captures\n- In CLAUDE.md, add the test command of api/main_test.go":           "CLAUDE.md",
		"## Captures\n- **docs/ops.md** — the second step of deploy.sh":                   "docs/ops.md",
		"- Capture: docs/ops.md should name alert.yaml":                                   "docs/ops.md",
		"**Capture**: docs/ops.md needs the alert":                                        "docs/ops.md",
		"## Lessons learned\n- ~/.claude/CLAUDE.md: quote paths":                          "~/.claude/CLAUDE.md",
		"## Vorschläge / captures\n- docs/ops.md: Neustart":                               "docs/ops.md",
		"## Captures\n- none\n- CLAUDE.md: none\n- docs/ops.md: no change needed":         "",
		"## Captures\n- Nothing for docs/ops.md\n- docs/a.md: already says so":            "",
		"## Captures\n- No capture for CLAUDE.md":                                         "",
		"## Captures\n- Node.js: pin it to 20\n- ask kim@example.org":                     "",
		"## Docs updated\n- docs/ops.md: the restart":                                     "",
		"## Memory usage\n- cmd/main.go: 400 MB":                                          "",
		"## Suggested next steps\n- run main_test.go":                                     "",
		"## Captures\n- docs/ops.md: say what to do\n\n## Changed files\n- docs/other.md": "docs/ops.md",
		"## Captures\n- docs/ops.md: says nothing of the restart, so add it":              "docs/ops.md",
		"Capture: none":                          "",
		"I captured docs/ops.md in a screenshot": "",
	} {
		var got []string
		for file := range captured(in, "/r") {
			got = append(got, file)
		}
		slices.Sort(got)
		if strings.Join(got, " ") != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}
