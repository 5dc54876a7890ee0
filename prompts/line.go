package prompts

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
)

// line says why one line is refused, or nothing.
func (r *rules) line(raw string) string {
	if strings.TrimSpace(raw) == "" {
		return ""
	}
	if why := r.signs(raw); why != "" {
		return why
	}
	if why := mixedScripts(raw); why != "" {
		return why
	}
	for _, v := range append([]string{raw}, decodings(raw)...) {
		if why := r.readable(v); why != "" {
			return why
		}
	}
	return r.hidden(raw)
}

// signs refuses symbols that are not known to be without meaning.
func (r *rules) signs(raw string) string {
	table := foldTable()
	for _, c := range raw {
		if c < 0x80 || r.quiet[c] || invisible(c) {
			continue
		}
		if _, ok := table[c]; ok {
			continue
		}
		if unicode.IsSymbol(c) || unicode.Is(unicode.Co, c) || !unicode.IsGraphic(c) && !unicode.IsSpace(c) {
			return fmt.Sprintf("a sign that could be a nod (%c, U+%04X)", c, c)
		}
	}
	return ""
}

// scriptOf names the script of a letter as far as the check tells scripts apart.
func scriptOf(c rune) string {
	switch {
	case unicode.Is(unicode.Latin, c):
		return "Latin"
	case unicode.Is(unicode.Cyrillic, c):
		return "Cyrillic"
	case unicode.Is(unicode.Greek, c):
		return "Greek"
	}
	return "other"
}

// mixedScripts refuses words whose letters come from several alphabets: they are made to look like another word.
func mixedScripts(raw string) string {
	for _, w := range strings.FieldsFunc(fold(raw), func(c rune) bool {
		return !unicode.IsLetter(c) &&
			!unicode.IsDigit(c)
	}) {
		var first string
		for _, c := range w {
			if !unicode.IsLetter(c) || c == 'μ' {
				continue
			}
			s := scriptOf(c)
			if first != "" && s != first {
				return fmt.Sprintf("the word %q mixes alphabets", w)
			}
			first = s
		}
	}
	return ""
}

var (
	leadMarks  = regexp.MustCompile(`^(?:[\s>|#*+\-•]+|\d{1,3}[.)]\s+|[a-z][)]\s+|/\*+|//+|<!--|\[ \])+`)
	tags       = regexp.MustCompile(`</?[A-Za-z][\w-]*(?:\s+[\w-]+\s*=\s*(?:"[^"]*"|'[^']*'|[^\s>]+))*\s*/?>`)
	inlineMark = strings.NewReplacer("**", "", "__", "", "`", "", "~~", "", "*", "", "<!--", " ", "-->", " ", "\"", "",
		"_", " ", "\\", " ", "{", " ", "}", " ")
	mdLink = regexp.MustCompile(`\[([^\[\]]{2,})\]\([^()\s]*\)`)
	quoted = regexp.MustCompile(`(^|[\s(:,])'+|'+($|[\s).,:;!?])`)
)

// stripMarkup takes off what Markdown and HTML put around words. A ticked box stays: it is an answer.
func stripMarkup(s string) string {
	s = tags.ReplaceAllStringFunc(s, func(tag string) string {
		name, _, _ := strings.Cut(strings.Trim(tag, "</>"), " ")
		if loadRules().code(squeeze(name)) && len(name) > 1 {
			return " " + name + " " // no element of HTML
		}
		return " "
	})
	s = mdLink.ReplaceAllString(s, "$1")
	s = strings.TrimSpace(s)
	if t := strings.TrimSpace(leadMarks.ReplaceAllString(s, "")); t != "" && !strings.HasPrefix(s, "+1") {
		s = t
	}
	s = inlineMark.Replace(s)
	return strings.Trim(strings.TrimSpace(s), "#")
}

// readable judges a line as text.
func (r *rules) readable(raw string) string {
	caps := map[string]bool{} // words with a capital letter could be names, unless all are in capitals
	shouted := strings.IndexFunc(raw, unicode.IsLower) < 0
	for _, w := range strings.FieldsFunc(raw, func(c rune) bool { return !unicode.IsLetter(c) && c != '\'' && c != '-' }) {
		first, rest := []rune(w)[0], []rune(w)[1:]
		if unicode.IsUpper(first) && len(rest) > 0 && !shouted {
			caps[fold(w)] = true
		}
	}
	s := fold(raw)
	if r.code(squeeze(stripMarkup(s))) {
		return "an approval and nothing else"
	}
	for _, p := range r.hard { // signs such as [x] go away with the markup
		if strings.Contains(p.why, "sign") && p.re.MatchString(s) && (p.unless == "" || !r.unless[p.unless].MatchString(s)) {
			return p.why
		}
	}
	s = fold(stripMarkup(s))
	for _, cell := range strings.Split(s, "|") {
		cell = strings.TrimSpace(plain(quoted.ReplaceAllString(cell, "$1$2")))
		list := sentences(cell)
		if r.reported(list) {
			continue
		}
		for _, one := range list {
			if why := r.sentence(one, caps, false, 0); why != "" {
				return why
			}
		}
	}
	return ""
}

// reported is the one case in which somebody else's approving words may stand: a thing said them, and the only thing
// that follows is the order not to act on them.
func (r *rules) reported(list []sentence) bool {
	if len(list) != 2 || !r.attributed.MatchString(list[0].text) || !r.doNotAct.MatchString(list[1].text) {
		return false
	}
	for _, w := range words(list[0].text) {
		switch w {
		case "user", "users", "owner", "boss", "i", "we", "manager", "human", "ignore", "not":
			return false
		}
	}
	return true
}

// sentence is one sentence of a folded line, without its end mark.
type sentence struct {
	text     string
	question bool
}

// sentences cuts at . ! ? ; and at dashes between words, not inside numbers, file names and addresses.
func sentences(s string) []sentence {
	var out []sentence
	start := 0
	add := func(end int, q bool) {
		t := strings.Trim(s[start:end], " .!?;,'()[]")
		if t != "" {
			out = append(out, sentence{t, q})
		}
	}
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '.', '!', '?', ';':
			j := i + 1
			for j < len(s) && strings.IndexByte(".!?;'\")]", s[j]) >= 0 {
				j++
			}
			if j < len(s) && s[j] != ' ' {
				continue
			}
			if s[i] == '.' && abbreviation(s[start:i]) {
				continue
			}
			add(i, strings.Contains(s[i:j], "?"))
			start, i = j, j-1
		case '-':
			if i > 0 && i+1 < len(s) && s[i-1] == ' ' && (s[i+1] == ' ' || strings.HasPrefix(s[i:], "-- ")) {
				add(i, false)
				start = i + 1
			}
		}
	}
	add(len(s), false)
	return out
}

func abbreviation(before string) bool {
	w := before[strings.LastIndexByte(before, ' ')+1:]
	switch w {
	case "e.g", "i.e", "etc", "vs", "nr", "no", "mr", "mrs", "ms", "dr", "st", "approx", "incl", "cf", "a.m", "p.m", "ltd",
		"inc":
		return w != "no" && w != "etc" || strings.Contains(before, " ") && w == "etc"
	}
	return false
}

// words cuts a folded sentence into words; ids, paths and numbers stay whole.
func words(s string) []string {
	return strings.FieldsFunc(s, func(c rune) bool {
		return unicode.IsSpace(c) || strings.ContainsRune(",:;!?()[]\"<>",
			c)
	})
}
