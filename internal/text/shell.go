package text

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Typable says whether a shell can take s as a word: none can take a zero byte.
func Typable(s string) bool { return strings.IndexByte(s, 0) < 0 }

// Quote is s as one word of every shell, always in single quotes. What is not Typable stays so.
func Quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// ShellWord is s as one types it into bash or zsh: bare where it can be, else in the quotes that add least, so that it
// can be copied from a screen to an interactive shell. What a terminal would not show as itself is written as an escape
// of $'...', characters by their number. Of what is not Typable it gives a quoted text with the zero bytes as escapes,
// which names nothing that is there and runs nothing.
func ShellWord(s string) string {
	switch {
	case s == "", !Typable(s):
		return Quote(escape(s, false))
	case hidden(s):
		return dollarQuote(s)
	case !strings.ContainsAny(s, shellMarks) && !keywords[s]:
		return s
	case !strings.Contains(s, "'"), strings.Contains(s, "!"):
		return Quote(s) // an exclamation mark in double quotes calls up an interactive shell's history
	}
	return `"` + strings.NewReplacer(`"`, `\"`, `\`, `\\`, "`", "\\`", `$`, `\$`).Replace(s) + `"`
}

// ShellLine joins words as one types them into a shell.
func ShellLine(words ...string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = ShellWord(w)
	}
	return strings.Join(quoted, " ")
}

// ShellWordASCII is ShellWord for the commands of a program whose own quoting leaves only ASCII bare (Python's shlex):
// everything else is in single quotes, and what a terminal would not show is escaped byte by byte, which depends on no
// locale.
func ShellWordASCII(s string) string {
	const bare = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789@%+=:,./_-"
	switch {
	case s == "", !Typable(s):
		return Quote(escape(s, false))
	case strings.Trim(s, bare) == "":
		return s
	case !hidden(s):
		return Quote(s)
	}
	var b strings.Builder
	b.WriteString("$'")
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '\'' || c == '\\':
			b.WriteByte('\\')
			b.WriteByte(c)
		case c >= ' ' && c < 0x7f:
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, `\x%02x`, c)
			// A digit after it would be read as part of the escape by some shells.
			if i+1 < len(s) && strings.IndexByte("0123456789abcdefABCDEF", s[i+1]) >= 0 {
				b.WriteString("'$'")
			}
		}
	}
	b.WriteByte('\'')
	return b.String()
}

// shellMarks are the ASCII characters that bash or zsh may not take as themselves somewhere in a word.
const shellMarks = ";\"'()$|&><` \t\r\n\\#{~*?[=!"

// keywords are words that bash takes for a part of its grammar where a command begins.
var keywords = map[string]bool{
	"[[": true, "]]": true, "case": true, "coproc": true, "do": true, "done": true, "else": true, "elif": true,
	"esac": true, "fi": true, "for": true, "function": true, "if": true, "in": true,
	"select": true, "then": true, "time": true,
	"until": true, "while": true, "{": true, "}": true,
}

// hidden says whether a terminal or a person would not see all of s.
func hidden(s string) bool {
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		if hiddenRune(r, size) {
			return true
		}
		i += size
	}
	return false
}

func hiddenRune(r rune, size int) bool {
	return r == utf8.RuneError || !unicode.IsPrint(r) || !visible(r, size, false)
}

// dollarQuote writes a word with the escapes of $'...', which bash and zsh know.
func dollarQuote(s string) string {
	named := map[rune]string{'\a': `\a`, '\b': `\b`, '\f': `\f`, '\n': `\n`, '\r': `\r`, '\t': `\t`, '\v': `\v`}
	var b strings.Builder
	b.WriteString("$'")
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == '\'' || r == '\\':
			b.WriteString(`\` + string(r))
		case named[r] != "":
			b.WriteString(named[r])
		case !hiddenRune(r, size):
			b.WriteRune(r)
		case r < utf8.RuneSelf, r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case r > 0xffff:
			fmt.Fprintf(&b, `\U%08x`, r)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
		i += size
	}
	b.WriteByte('\'')
	return b.String()
}
