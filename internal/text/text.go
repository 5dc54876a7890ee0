package text

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Escape returns s with every control character, bidirectional override, invisible format character and broken byte
// made visible (`\x1b`, `\u202e`). Newlines and tabs stay, so it fits replies of several lines.
func Escape(s string) string {
	return escape(s, true)
}

// Line is Escape for a text that must stay on one line: newlines and tabs become single blanks, runs of blanks are
// folded.
func Line(s string) string {
	return escape(strings.Join(strings.Fields(s), " "), false)
}

func escape(s string, lines bool) string {
	clean := true
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		if !visible(r, size, lines) {
			clean = false
			break
		}
		i += size
	}
	if clean {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case visible(r, size, lines):
			b.WriteString(s[i : i+size])
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case r < 0x100:
			fmt.Fprintf(&b, `\x%02x`, r)
		case r > 0xffff:
			fmt.Fprintf(&b, `\U%08x`, r)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
		i += size
	}
	return b.String()
}

// visible says whether a terminal shows r as itself. Format characters (Cf) hold the bidirectional overrides and the
// zero-width characters; the zero-width joiner stays, since emoji and several scripts need it.
func visible(r rune, size int, lines bool) bool {
	switch {
	case r == utf8.RuneError && size <= 1:
		return false
	case r == '\n' || r == '\t':
		return lines
	case r == '\u200d':
		return true
	case unicode.Is(unicode.Cf, r), unicode.Is(unicode.Zl, r), unicode.Is(unicode.Zp, r), unicode.Is(unicode.Co, r):
		return false
	case unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r), r >= 0xe0100 && r <= 0xe01ef:
		return false // letters of no width, and the selectors that can carry a hidden text
	}
	return !unicode.IsControl(r)
}

// EscapeJSON makes what encoding/json leaves as it is visible in a finished JSON text: C1 controls, bidirectional
// overrides and other invisible characters become \u escapes, which mean the same to a reader of JSON and nothing to
// a terminal.
func EscapeJSON(s string) string {
	var b strings.Builder
	for i, r := range s {
		size := utf8.RuneLen(r)
		if r == utf8.RuneError {
			size = 1
			if strings.HasPrefix(s[i:], "\uFFFD") {
				size = 3
			}
		}
		switch {
		case visible(r, size, true):
			b.WriteRune(r)
		case r > 0xffff:
			hi, lo := utf16.EncodeRune(r)
			fmt.Fprintf(&b, `\u%04x\u%04x`, hi, lo)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}
