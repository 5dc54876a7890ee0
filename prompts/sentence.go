package prompts

import (
	"regexp"
	"strings"
	"unicode"
)

// masked stands for a phrase that was taken out.
const masked = "xmask"

// mask takes out the phrases that hold approving words and approve nothing.
func (r *rules) mask(s string) string {
	for _, re := range r.masks {
		s = re.ReplaceAllString(s, " "+masked+" ")
	}
	s = goName.ReplaceAllStringFunc(s, func(w string) string {
		part := strings.FieldsFunc(w[len("go-"):], func(c rune) bool { return c == '-' || c == '/' })
		if len(part) == 0 || r.in(part[0], "side", "approving", "yeswords", "preps") || notNames[part[0]] {
			return w
		}
		return masked
	})
	return strings.Join(strings.Fields(s), " ")
}

// goName is a name such as that of a branch; go-ahead and its like are none.
var (
	goName   = regexp.MustCompile(`\bgo-[a-z0-9/-]+`)
	notNames = wordSet("ahead on now it go right straight forth forward do and then ok okay please")
)

// sentence says why one sentence is refused, or nothing. open says that it stands under a label such as "Open
// items:", where a bare action names what is left to do.
func (r *rules) sentence(in sentence, caps map[string]bool, open bool, depth int) string {
	s := strings.Trim(r.mask(in.text), " ,.:='-")
	if s == "" || !hasWord(s) {
		return ""
	}
	if depth > 6 {
		return tooDeep
	}
	if r.code(squeeze(s)) {
		return "an approval and nothing else"
	}
	if key, value, ok := r.labelled(s); ok {
		return r.labelledValue(key, value, in.question, caps, depth)
	}
	for _, re := range r.protect {
		if loc := re.FindStringIndex(s); loc != nil {
			rest := strings.Trim(s[loc[1]:], " ,:-")
			for _, c := range []string{"but ", "and ", "so ", "yet "} {
				rest = strings.TrimPrefix(rest, c)
			}
			if rest == "" {
				return ""
			}
			return r.sentence(sentence{rest, in.question}, caps, false, depth+1)
		}
	}
	if in.question && r.question.MatchString(s) && !r.badQuestion.MatchString(s) && !foreignLetters(s) {
		return r.clauses(s, caps, true, open)
	}
	for _, p := range r.hard {
		if p.unless == "" && p.re.MatchString(s) {
			return p.why
		}
	}
	if why := r.foreign(s, caps); why != "" {
		return why
	} else if r.isForeign(s, caps) {
		return ""
	}
	if why := r.clauses(s, caps, false, open); why != "" {
		return why
	}
	return r.shape(s, caps, open, depth)
}

func hasWord(s string) bool {
	return strings.IndexFunc(s, func(c rune) bool { return unicode.IsLetter(c) || unicode.IsDigit(c) }) >= 0
}

func hasDigit(s string) bool { return strings.ContainsAny(s, "0123456789") }
