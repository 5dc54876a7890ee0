package prompts

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"html"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// stretched is a word that may be written with repeated letters.
type stretched []rune

func stretch(s string) stretched { return []rune(s) }

// matches says whether s is the word with each letter once or more.
func (w stretched) matches(s string) bool {
	i := 0
	rs := []rune(s)
	for _, c := range w {
		if i >= len(rs) || rs[i] != c {
			return false
		}
		for i < len(rs) && rs[i] == c {
			i++
		}
	}
	return i == len(rs)
}

// code says whether a squeezed text is an approval and nothing else.
func (r *rules) code(s string) bool {
	if s == "" || len(s) > 40 {
		return false
	}
	if r.codes[s] || r.codes[unleet(s)] {
		return true
	}
	for _, w := range r.spelled {
		if w.matches(s) {
			return true
		}
	}
	for _, l := range r.languages {
		if l.alone[s] {
			return true
		}
	}
	// The same word over and over: "yesyesyes".
	for n := 2; n <= 7 && n*2 <= len(s); n++ {
		if len(s)%n == 0 && r.codes[s[:n]] && strings.Repeat(s[:n], len(s)/n) == s {
			return true
		}
	}
	return false
}

var leet = strings.NewReplacer("0", "o", "1", "i", "3", "e", "4", "a", "5", "s", "7", "t", "8", "b", "9", "g", "@", "a",
	"$", "s", "!", "i", "€", "e")

// unleet reads digits as letters, in a word that has letters too.
func unleet(s string) string {
	if strings.IndexFunc(s, unicode.IsLetter) < 0 {
		return s
	}
	return leet.Replace(s)
}

var (
	escapes    = regexp.MustCompile(`\\u\{?([0-9a-fA-F]{4,6})\}?|\\x([0-9a-fA-F]{2})|U\+([0-9a-fA-F]{4,6})\s?`)
	letterRun  = regexp.MustCompile(`(?:^|[^a-z0-9])((?:[a-z0-9@$][^a-z0-9@$]{1,3}){1,30}[a-z0-9@$])(?:[^a-z0-9]|$)`)
	base64Word = regexp.MustCompile(`[A-Za-z0-9+/_-]{4,}={0,2}`)
	hexRun     = regexp.MustCompile(`(?i)(?:^|[^0-9a-z])((?:0x)?[2-7][0-9a-f](?:[\s,` +
		`:]*(?:0x)?[2-7][0-9a-f])+)(?:[^0-9a-z]|$)`)
	bitRun = regexp.MustCompile(`(?:[01]{8}[\s,]*){2,}|(?:[01]{7}[\s,]+){2,}`)
	decRun = regexp.MustCompile(`(?:^|\D)((?:(?:3[2-9]|[4-9]\d|1[01]\d|12[0-6])[\s,]+){1,` +
		`}(?:3[2-9]|[4-9]\d|1[01]\d|12[0-6]))(?:\D|$)`)
	morse = regexp.MustCompile(`^[\s./|_–—·•-]*[.·•][\s./|_–—·•-]*\s[\s./|_–—·•-]*$`)
)

// decodings gives the line as it reads when its escapes are read, when it has any.
func decodings(raw string) (out []string) {
	if s := html.UnescapeString(raw); s != raw {
		out = append(out, s)
	}
	if strings.Contains(raw, "%") {
		if s, err := url.PathUnescape(raw); err == nil && s != raw && utf8.ValidString(s) {
			out = append(out, s)
		}
	}
	if s := escapes.ReplaceAllStringFunc(raw, func(m string) string {
		n, err := strconv.ParseUint(strings.Trim(strings.TrimLeft(m, `\uxU+{`), "} "), 16, 32)
		if err != nil || n > unicode.MaxRune {
			return m
		}
		return string(rune(n))
	}); s != raw && utf8.ValidString(s) {
		out = append(out, s)
	}
	return out
}

// hidden looks for approving words that a person would not see at once: spelled out, with digits for letters,
// encoded, backwards.
func (r *rules) hidden(raw string) string {
	s := fold(raw)
	for rest := s; ; {
		m := letterRun.FindStringSubmatchIndex(rest)
		if m == nil {
			break
		}
		run := squeeze(rest[m[2]:m[3]])
		if r.strong[run] || r.strong[unleet(run)] || len(run) > 2 && r.codes[run] || r.containsStrong(run) {
			return fmt.Sprintf("spells %q", run)
		}
		rest = rest[m[3]:]
	}
	ws := strings.FieldsFunc(s, func(c rune) bool {
		return !unicode.IsLetter(c) && !unicode.IsDigit(c) && c != '@' && c != '$' && c != '!'
	})
	for i, w := range ws {
		plainWord := strings.Trim(w, "!@$")
		if u := unleet(w); u != w && (r.strong[squeeze(u)] || r.strong[squeeze(unleet(plainWord))]) && plainWord != "" &&
			strings.IndexFunc(plainWord, unicode.IsLetter) >= 0 && (u != plainWord && unleet(plainWord) != plainWord ||
			strings.ContainsAny(strings.TrimRight(w, "!"), "@$!")) {
			return fmt.Sprintf("%q reads as %q", w, squeeze(unleet(plainWord)))
		}
		if len(plainWord) >= 3 && r.codes[plainWord] && !r.english[plainWord] {
			return fmt.Sprintf("%q is an approval", plainWord)
		}
		if !r.english[plainWord] && len(plainWord) >= 3 {
			if t := rot13(plainWord); r.strong[t] {
				return fmt.Sprintf("%q is %q in a simple cipher", plainWord, t)
			}
			if t := reversed(plainWord); r.strong[t] {
				return fmt.Sprintf("%q is %q backwards", plainWord, t)
			}
		}
		// "pro ceed", "appro ved": a long word in two pieces, of which one is no word.
		if i+1 < len(ws) && (!r.english[w] || !r.english[ws[i+1]]) {
			if t := w + ws[i+1]; len(t) >= 5 && r.strong[t] {
				return fmt.Sprintf("%q reads as %q", w+" "+ws[i+1], t)
			}
		}
	}
	if c := squeeze(s); r.code(rot13(c)) && len(c) > 1 && !r.english[c] || r.code(reversed(c)) && len(c) > 1 &&
		!r.english[c] {
		return "an approval in a simple cipher"
	}
	if why := r.encoded(raw); why != "" {
		return why
	}
	if strings.Count(raw, "---") == 0 && morse.MatchString(raw) && strings.ContainsAny(raw, "-–—_") {
		return "signs that could be Morse code"
	}
	return ""
}

func (r *rules) containsStrong(run string) bool {
	for w := range r.strong {
		if len(w) >= 3 && strings.Contains(run, w) {
			return true
		}
	}
	return false
}

// encoded reads base64, hex, bits and character numbers.
func (r *rules) encoded(raw string) string {
	for _, w := range base64Word.FindAllString(raw, -1) {
		bare := strings.TrimRight(w, "=")
		for _, enc := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
			if b, err := enc.DecodeString(bare); err == nil && r.approvingText(string(b)) {
				return fmt.Sprintf("%q is %q in base64", w, b)
			}
		}
	}
	for _, m := range hexRun.FindAllStringSubmatch(raw, -1) {
		h := strings.NewReplacer("0x", "", "0X", "", " ", "", ",", "", ":", "", "\t", "").Replace(m[1])
		if b, err := hex.DecodeString(h); err == nil && r.approvingText(string(b)) {
			return fmt.Sprintf("%q is %q in hex", m[1], b)
		}
	}
	for _, m := range bitRun.FindAllString(raw, -1) {
		if t, ok := numbers(m, 2); ok && r.approvingText(t) {
			return fmt.Sprintf("%q is %q in bits", m, t)
		}
	}
	for _, m := range decRun.FindAllStringSubmatch(raw, -1) {
		if t, ok := numbers(m[1], 10); ok && r.approvingText(t) {
			return fmt.Sprintf("%q is %q as character numbers", m[1], t)
		}
	}
	return ""
}

func numbers(s string, base int) (string, bool) {
	var b strings.Builder
	for _, f := range strings.FieldsFunc(s, func(c rune) bool { return c == ' ' || c == ',' || c == '\t' }) {
		for base == 2 && len(f) > 8 && len(f)%8 == 0 {
			n, err := strconv.ParseUint(f[:8], 2, 8)
			if err != nil {
				return "", false
			}
			b.WriteByte(byte(n))
			f = f[8:]
		}
		n, err := strconv.ParseUint(f, base, 8)
		if err != nil {
			return "", false
		}
		b.WriteByte(byte(n))
	}
	return b.String(), utf8.ValidString(b.String())
}

// approvingText says whether decoded bytes are words that approve.
func (r *rules) approvingText(s string) bool {
	if !utf8.ValidString(s) || strings.IndexFunc(s, func(c rune) bool { return !unicode.IsPrint(c) }) >= 0 {
		return false
	}
	letters := 0
	for _, c := range s {
		switch {
		case unicode.IsLetter(c):
			letters++
		case !strings.ContainsRune(" .,!'", c):
			return false // bytes that happen to be printable
		}
	}
	if letters < 2 {
		return false
	}
	f := fold(s)
	if r.code(squeeze(f)) && len(squeeze(f)) > 1 {
		return true
	}
	for _, w := range words(strings.Trim(f, ".")) {
		if r.strong[strings.Trim(w, ".!'\"")] {
			return true
		}
	}
	return r.phrase(f) != ""
}

func rot13(s string) string {
	return strings.Map(func(c rune) rune {
		if c >= 'a' && c <= 'z' {
			return 'a' + (c-'a'+13)%26
		}
		return c
	}, s)
}

func reversed(s string) string {
	r := []rune(s)
	for i, j := 0, len(r)-1; i < j; i, j = i+1, j-1 {
		r[i], r[j] = r[j], r[i]
	}
	return string(r)
}
