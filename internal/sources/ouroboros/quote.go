package ouroboros

import (
	"fmt"
	"strings"
	"unicode"

	"recovery/internal/text"
)

const plainInShell = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789@%+=:,./_-"

// quote returns a word as a shell takes it, unchanged where it can be. What a terminal would not show as itself is written as
// an escape of $'...', so that the line can be copied from a screen.
func quote(word string) string {
	if word == "" {
		return "''"
	}
	if strings.Trim(word, plainInShell) == "" {
		return word
	}
	odd := func(r rune) bool { return r == unicode.ReplacementChar || !unicode.IsPrint(r) }
	if !strings.ContainsFunc(word, odd) && text.Escape(word) == word {
		return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
	}
	var b strings.Builder
	b.WriteString("$'")
	for i := 0; i < len(word); i++ {
		switch c := word[i]; {
		case c == '\'' || c == '\\':
			b.WriteByte('\\')
			b.WriteByte(c)
		case c >= ' ' && c < 0x7f:
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, `\x%02x`, c)
			// A digit after it would be read as part of the escape by some shells.
			if i+1 < len(word) && strings.IndexByte("0123456789abcdefABCDEF", word[i+1]) >= 0 {
				b.WriteString("'$'")
			}
		}
	}
	b.WriteByte('\'')
	return b.String()
}

// command joins words to a line for a shell.
func command(words ...string) string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = quote(w)
	}
	return strings.Join(out, " ")
}
