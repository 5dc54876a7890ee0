package text

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestEscape(t *testing.T) {
	for in, want := range map[string]string{
		"":                         "",
		"plain, é 漢字 😀":            "plain, é 漢字 😀",
		"two\nlines\tand a tab":    "two\nlines\tand a tab",
		"\x1b[2J\x07\x00\x7f\r":    `\x1b[2J\x07\x00\x7f\x0d`,
		"\u009b2J\u0085":           `\x9b2J\x85`,
		"a\u202eb\u2066c\u200e":    `a\u202eb\u2066c\u200e`,
		"zero\u200bwidth\ufeff":    `zero\u200bwidth\ufeff`,
		"line\u2028par\u2029":      `line\u2028par\u2029`,
		"tag\U000e0041":            `tag\U000e0041`,
		"hidden\U000e0100":         `hidden\U000e0100`,
		"filler\u3164\u115f\uffa0": `filler\u3164\u115f\uffa0`,
		"private\ue000\U00100000":  `private\ue000\U00100000`,
		"broken\xff\xc3(":          `broken\xff\xc3(`,
		"\xed\xa0\xbd":             `\xed\xa0\xbd`,
		"replaced \ufffd":          "replaced \ufffd",
		"👩\u200d🔧 ❤️":              "👩\u200d🔧 ❤️",
		"<script>|`*":              "<script>|`*",
	} {
		if got := Escape(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func TestLine(t *testing.T) {
	for in, want := range map[string]string{
		"": "", " a\n\n b\t\u00a0c \r\n": "a b c", "\x1b[1m\nx": `\x1b[1m x`, "\u2028a\u0085b": "a b", "a\xffb": `a\xffb`,
	} {
		if got := Line(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

// TestNothingHidden holds for every text: what comes out moves no cursor, turns nothing around and hides nothing.
func TestNothingHidden(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := rapid.OneOf(rapid.String(), rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) })).
			Draw(t, "text")
		n := rapid.IntRange(1, 20).Draw(t, "length")
		escaped, line, clip := Escape(in), Line(in), Clip(in, n)
		for _, s := range []string{escaped, line, clip} {
			if !utf8.ValidString(s) {
				t.Fatalf("%q", s)
			}
			for _, r := range s {
				if r != '\u200d' && (unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Co) || unicode.IsControl(r) &&
					(s != escaped || r != '\n' && r != '\t')) {
					t.Fatalf("%q has %U", s, r)
				}
			}
		}
		if Escape(escaped) != escaped || Line(line) != line || strings.Contains(line, "\n") ||
			utf8.RuneCountInString(clip) > n {
			t.Fatalf("%q %q %q", escaped, line, clip)
		}
	})
}
