package prompts

import (
	"strings"
	"unicode"
)

func foreignLetters(s string) bool {
	for _, c := range s {
		if unicode.IsLetter(c) && c > 0x7f && c != 'μ' {
			return true
		}
	}
	return false
}

// isForeign says whether a sentence is not English: letters of another script, or too many words that are neither
// English nor names.
func (r *rules) isForeign(s string, caps map[string]bool) bool {
	if foreignLetters(s) {
		return true
	}
	unknown, names, total := 0, 0, 0
	ws := words(s)
	for i, w := range ws {
		if strings.HasPrefix(w, "-") {
			continue // an option of a command
		}
		w = strings.TrimSuffix(strings.Trim(w, ".'-/"), "'s")
		if len(w) < 2 || w == masked || hasDigit(w) || strings.ContainsAny(w, "./@#_-") {
			continue
		}
		total++
		switch {
		case r.english[w]:
		case caps[w] && i > 0:
			names++
		default:
			unknown++
		}
	}
	if names > total-names-unknown && !r.finite(ws) && (unknown > 0 || !r.english[ws[0]]) || unknown > 0 &&
		(names+unknown)*2 > total {
		unknown += names // more capitals than words: a heading, or another language in capitals
	}
	return unknown > 0 && unknown*5 >= total*2 && !(unknown == 1 && r.finite(ws) && caps[strings.Trim(ws[0], ".'-/")])
}

// foreign says why a sentence that is not English is refused; nothing for an English one.
func (r *rules) foreign(s string, caps map[string]bool) string {
	if !r.isForeign(s, caps) {
		return ""
	}
	if why := r.foreignPhrase(s, false); why != "" {
		return why
	}
	for _, l := range r.languages {
		for _, re := range l.harmless {
			if re.MatchString(s) {
				return ""
			}
		}
	}
	if ws := words(s); !foreignLetters(s) && len(ws) > 0 && allIn(ws, func(w string) bool {
		return hasDigit(w) || strings.ContainsAny(w, "/@#_") || r.in(w, "things", "stateword", "dets", "preps") ||
			strings.Contains(strings.Trim(w, "."), ".")
	}) {
		return ""
	}
	return cannotJudge
}

// foreignPhrase looks for the approving words of every language that are no English words.
func (r *rules) foreignPhrase(s string, question bool) string {
	spaced := " " + strings.Join(words(strings.NewReplacer(".", " ", "!", " ").Replace(s)), " ") + " "
	whole := strings.TrimSpace(spaced)
	for _, l := range r.languages {
		if l.alone[whole] {
			return "an approval in another language (" + l.name + ")"
		}
		for _, p := range l.approve {
			if !question && runsOn(p) && strings.Contains(s, p) {
				return "an approval in another language (" + l.name + ")"
			}
			if strings.Contains(spaced, " "+p+" ") && !r.allEnglish(p) {
				return "an approval in another language (" + l.name + ")"
			}
		}
	}
	return ""
}

func (r *rules) allEnglish(p string) bool {
	return allIn(strings.Fields(p), func(w string) bool { return r.english[w] })
}

// runsOn says whether a script writes words without blanks between them.
func runsOn(p string) bool {
	for _, c := range p {
		return unicode.In(c, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai, unicode.Lao,
			unicode.Khmer, unicode.Myanmar, unicode.Devanagari)
	}
	return false
}
