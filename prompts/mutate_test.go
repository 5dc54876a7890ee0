package prompts

import (
	"strings"
	"testing"
	"unicode"

	"recovery/fixtures/long"

	"pgregory.net/rapid"
)

// mutations write a line differently without changing how a person reads it.
var mutations = []struct {
	how    string
	change func(string) string
}{
	{"zero-width characters", func(s string) string {
		return strings.Join(strings.Split(s, ""), "\u200b")
	}},
	{"soft hyphens", func(s string) string { return strings.Join(strings.Split(s, ""), "\u00ad") }},
	{"full width", func(s string) string {
		return strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return 0x3000
			case r > 0x20 && r < 0x7f:
				return r + 0xfee0
			}
			return r
		}, s)
	}},
	{"mathematical letters", func(s string) string {
		return strings.Map(func(r rune) rune {
			switch {
			case r >= 'a' && r <= 'z':
				return 0x1d41a + r - 'a'
			case r >= 'A' && r <= 'Z':
				return 0x1d400 + r - 'A'
			}
			return r
		}, s)
	}},
	{"upper case", strings.ToUpper},
	{"lower case", strings.ToLower},
	{"blanks around", func(s string) string { return "  \t" + s + "   " }},
	{"double blanks", func(s string) string { return strings.ReplaceAll(s, " ", " \u00a0 ") }},
	{"a quote", func(s string) string { return "> " + s }},
	{"a list", func(s string) string { return "- " + s }},
	{"a numbered list", func(s string) string { return "7. " + s }},
	{"a heading", func(s string) string { return "### " + s }},
	{"bold", func(s string) string { return "**" + s + "**" }},
	{"italic", func(s string) string { return "_" + s + "_" }},
	{"code", func(s string) string { return "`" + s + "`" }},
	{"quotes", func(s string) string { return "“" + s + "”" }},
	{"brackets", func(s string) string { return "(" + s + ")" }},
	{"HTML", func(s string) string { return "<p class=\"x\">" + s + "</p>" }},
	{"a speaker", func(s string) string { return "User: " + s }},
	{"a note", func(s string) string { return "Note: " + s }},
	{"a table", func(s string) string { return "| answer | " + s + " |" }},
	{"after a fact", func(s string) string { return "Invoice 4411 was paid on 3 May. " + s }},
	{"after a heading", func(s string) string { return "## Data\n\n" + s }},
	{"before a line", func(s string) string { return s + "\nThe log is empty." }},
	{"CR lines", func(s string) string { return "The log is empty.\r" + s }},
	{"U+2028 lines", func(s string) string { return "The log is empty.\u2028" + s }},
	{"NEL lines", func(s string) string { return "The log is empty.\u0085" + s }},
	{"accents", func(s string) string {
		return strings.NewReplacer("a", "a\u0301", "e", "e\u0301", "o", "o\u0308").Replace(s)
	}},
	{"title case", func(s string) string {
		up := true
		return strings.Map(func(r rune) rune {
			if up {
				r = unicode.ToUpper(r)
			}
			up = r == ' '
			return r
		}, s)
	}},
}

// plainLetters says whether a line is written in letters, not in a code that another case or width would break.
func plainLetters(s string) bool {
	if strings.IndexFunc(s, unicode.IsLetter) < 0 {
		return false
	}
	for _, r := range s {
		if !unicode.IsLetter(r) && !strings.ContainsRune(" .,!'’:;-\n", r) {
			return false
		}
	}
	return strings.Contains(s, " ") || len(s) <= 10
}

// TestDisguises writes every approving line of the corpus in other ways: it is refused all the same.
func TestDisguises(t *testing.T) {
	if testing.Short() {
		t.Skip("long, and nothing in it for the race detector")
	}
	failed := map[string]int{}
	step := long.Of(8, 1) // an eighth of all pairs
	for _, name := range corpora {
		for i, l := range corpus(t, name) {
			if !l.refuse || !plainLetters(l.text) {
				continue
			}
			for j, m := range mutations {
				if (i+j)%step != 0 {
					continue
				}
				if CheckApproval(m.change(l.text)) == nil {
					if failed[m.how]++; failed[m.how] <= 5 {
						t.Errorf("with %s passes: %q", m.how, l.text)
					}
				}
			}
		}
	}
}

// TestDisguisesAtRandom puts several disguises on one line.
func TestDisguisesAtRandom(t *testing.T) {
	var lines []string
	for _, l := range corpus(t, "approvals.tsv") {
		if l.refuse && plainLetters(l.text) {
			lines = append(lines, l.text)
		}
	}
	invisibles := []string{"\u200b", "\u200c", "\u200d", "\u2060", "\ufeff", "\u00ad", "\u034f", "\ufe0f"}
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.SampledFrom(lines).Draw(t, "line")
		var b strings.Builder
		for _, r := range s {
			switch rapid.IntRange(0, 5).Draw(t, "how") {
			case 0:
				b.WriteString(rapid.SampledFrom(invisibles).Draw(t, "invisible"))
			case 1:
				r = unicode.ToUpper(r)
			case 2:
				if r > 0x20 && r < 0x7f {
					r += 0xfee0
				}
			}
			b.WriteRune(r)
		}
		mark := rapid.SampledFrom([]string{"", "**", "`", "_", "\"", "~~"}).Draw(t, "mark")
		s = mark + b.String() + mark + rapid.SampledFrom([]string{"", " ", "\t", "\u00a0"}).Draw(t, "end")
		if CheckApproval(s) == nil {
			t.Fatalf("passes: %q", s)
		}
	})
}

// FuzzCheckApproval holds the check to never panicking, and to naming a line that is there.
func FuzzCheckApproval(f *testing.F) {
	for _, name := range corpora {
		for i, l := range corpus(f, name) {
			// The lines are tested as a corpus elsewhere; the race detector's run takes some of them.
			if !testing.Short() || i%20 == 0 {
				f.Add(l.text)
			}
		}
	}
	f.Fuzz(func(t *testing.T, s string) {
		err := CheckApproval(s)
		if err == nil {
			return
		}
		e, ok := err.(*ApprovalError)
		if !ok {
			t.Fatalf("another error: %v", err)
		}
		lines := splitLines(s)
		if e.Line < 1 || e.Line > len(lines) || e.Text != strings.TrimSpace(lines[e.Line-1]) || e.Why == "" {
			t.Fatalf("names no line of the text: %+v", e)
		}
	})
}
