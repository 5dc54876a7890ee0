package text

import (
	"strings"
	"unicode/utf8"
)

// Clip is Line cut to at most n runes, with an ellipsis when something was cut off.
func Clip(s string, n int) string {
	s = Line(s)
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	r := []rune(s)
	if n < 1 {
		n = 1
	}
	return strings.TrimRight(string(r[:n-1]), " ") + "…"
}

// Cut is the first n runes of s, with an ellipsis behind them when something was cut off. It escapes nothing: that is
// done where a text is shown. The result is a copy, so that the file that s is a part of need not stay in memory.
func Cut(s string, n int) string {
	count := 0
	for i := range s {
		if count >= n {
			return s[:i] + "…"
		}
		count++
	}
	return strings.Clone(s)
}

// CutBytes is at most the first n bytes of s, ended at a character's border, with mark behind them when something was
// cut off.
func CutBytes(s string, n int, mark string) string {
	if len(s) <= n {
		return s
	}
	end := max(n, 0)
	for end > 0 && end > n-utf8.UTFMax && !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end] + mark
}
