package report

import (
	"strings"
	"testing"

	"recovery/internal/journal"
	"recovery/internal/sources"
	"recovery/inventory"
)

// TestMarkdownEscapesTheEscape: a backslash of a session's own takes no escape back, and paths keep theirs.
func TestMarkdownEscapesTheEscape(t *testing.T) {
	for in, want := range map[string]string{
		`\[link\](javascript:x)`: `\\\[link\\\](javascript:x)`,
		`\*\*bold\*\*`:           `\\\*\\\*bold\\\*\\\*`,
		`ends with \`:            `ends with \\`,
		`C:\work\shop`:           `C:\work\shop`,
		`\\*`:                    `\\\\\*`,
		`\_x_`:                   `\\\_x\_`,
		`a_b`:                    `a_b`,
		"\x1b[2J":                `\x1b\[2J`,
	} {
		if got := md(in); got != want {
			t.Errorf("%q: %s, want %s", in, got, want)
		}
	}
}

// TestMarkdownOfAForeignReport: a report to merge comes from elsewhere, so every field of it is escaped, links and
// codes too.
func TestMarkdownOfAForeignReport(t *testing.T) {
	hostile := "https://x/<img src=x>**b**\nnext: evil"
	r := empty(clock)
	r.Places = []Place{{"a", "h"}}
	e := Entry{Place: r.Places[0], SessionName: inventory.SessionName{Short: hostile, Title: "t", Link: &hostile},
		Owner: hostile}
	r.Owners, r.Typed = []Entry{e}, []Entry{e}
	r.Unmatched = []Unmatched{{r.Places[0], inventory.NoJob{Title: "u", Kind: hostile, Link: hostile}}}
	r.Elsewhere = []Elsewhere{{Place: r.Places[0], Source: hostile, ID: hostile, Verdict: sources.Verdict(hostile)}}
	r.Defects = []Defect{{r.Places[0], journal.OpenDefect{Session: hostile, DefectData: journal.DefectData{Code: hostile,
		Text: hostile, Next: hostile}}}}
	out := Merge([]Report{again(t, r)}, clock).Markdown()
	for _, bad := range []string{"<img", "**b**", "\nnext: evil"} {
		if strings.Contains(out, bad) {
			t.Errorf("%q stands in:\n%s", bad, out)
		}
	}
}
