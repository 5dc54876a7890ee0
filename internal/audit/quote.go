package audit

import (
	"strings"
	"unicode/utf8"
)

// unescapeQuoted removes the backslashes that count within double quotes.
func unescapeQuoted(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) {
			switch s[i+1] {
			case '$', '`', '"', '\\':
				i++
				b.WriteByte(s[i])
				continue
			case '\n':
				i++
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// ansiDiffers holds for escapes of $'...' that shells read differently: `\x{2d}` is a dash to bash only, control and
// meta characters have two spellings.
func ansiDiffers(s string) bool {
	return strings.Contains(s, `\x{`) || strings.Contains(s, `\c`) || strings.Contains(s, `\C`) ||
		strings.Contains(s, `\M`)
}

// decodeANSI decodes the escapes of $'...'. A NUL ends the string, as it does in bash.
func decodeANSI(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 >= len(s) {
			b.WriteByte(s[i])
			continue
		}
		i++
		switch c := s[i]; c {
		case 'a':
			b.WriteByte(7)
		case 'b':
			b.WriteByte(8)
		case 'e', 'E':
			b.WriteByte(27)
		case 'f':
			b.WriteByte(12)
		case 'n':
			b.WriteByte('\n')
		case 'r':
			b.WriteByte('\r')
		case 't':
			b.WriteByte('\t')
		case 'v':
			b.WriteByte(11)
		case '\\', '\'', '"', '?':
			b.WriteByte(c)
		case 'c':
			if i+1 < len(s) {
				i++
				b.WriteByte(s[i] & 0x1f)
			}
		case 'x', 'u', 'U':
			most := map[byte]int{'x': 2, 'u': 4, 'U': 8}[c]
			n, used := digits(s[i+1:], 16, most)
			if used == 0 {
				b.WriteByte('\\')
				b.WriteByte(c)
				continue
			}
			i += used
			if n == 0 {
				return b.String()
			}
			if c == 'x' {
				b.WriteByte(byte(n))
			} else {
				b.Write(utf8.AppendRune(nil, rune(n)))
			}
		case '0', '1', '2', '3', '4', '5', '6', '7':
			n, used := digits(s[i:], 8, 3)
			i += used - 1
			if byte(n) == 0 {
				return b.String()
			}
			b.WriteByte(byte(n))
		default:
			b.WriteByte('\\')
			b.WriteByte(c)
		}
	}
	return b.String()
}

// digits reads at most most digits of a base and says how many there were.
func digits(s string, base, most int) (n, used int) {
	for used < len(s) && used < most {
		d := strings.IndexByte("0123456789abcdef", s[used]|0x20)
		if s[used] <= '9' {
			d = int(s[used]) - '0'
		}
		if d < 0 || d >= base {
			break
		}
		n = n*base + d
		used++
	}
	return n, used
}
