package prompts

import (
	"fmt"
	"regexp"
	"strings"
)

// labelled splits "key: value" and "key=value".
func (r *rules) labelled(s string) (key, value string, ok bool) {
	m := r.label.FindStringSubmatch(s)
	if m == nil || len(words(m[1])) > 8 {
		return "", "", false
	}
	last := m[1][len(m[1])-1]
	if last >= '0' && last <= '9' && m[2][0] >= '0' && m[2][0] <= '9' && !strings.Contains(s, ": ") {
		return "", "", false // a time
	}
	return strings.TrimSpace(m[1]), strings.TrimSpace(m[2]), true
}

// labelledValue judges what stands behind a label: an answer, what is left to do, or data.
func (r *rules) labelledValue(key, value string, question bool, caps map[string]bool, depth int) string {
	value = strings.Trim(value, " .'")
	if r.code(squeeze(value)) {
		return "an approval behind a label"
	}
	if key == "go" || key == "yes" {
		if rest, ok := strings.CutPrefix(value, "what "+masked); ok {
			return r.sentence(sentence{rest, question}, caps, false, depth+1)
		}
		return "a go behind a label"
	}
	if assignment.MatchString(key) && taken.MatchString(value) {
		return r.clauses(value, caps, question, true)
	}
	if r.openLabel.MatchString(key) || listing.MatchString(key) {
		return r.sentence(sentence{value, question}, caps, true, depth+1)
	}
	for _, p := range r.soft {
		if p.re.MatchString(key) && !r.guarded(key, p) {
			for _, w := range words(value) {
				if !r.in(w, "stateword", "neg", "dets") || w == "yes" {
					return p.why
				}
			}
			return ""
		}
	}
	for _, p := range r.hard {
		if p.re.MatchString(key) && (p.unless == "" || !r.unless[p.unless].MatchString(key)) {
			return p.why
		}
	}
	kw := words(key)
	if len(kw) == 1 && r.in(kw[0], "side") && !r.in(kw[0], "things", "numbered") && !r.in(kw[0], "dataLabels") {
		return fmt.Sprintf("an order (%s)", kw[0])
	}
	if amount.MatchString(value) && !choosing.MatchString(key) {
		return ""
	}
	if why := r.foreign(key, caps); why != "" && !strings.HasSuffix(key, "error") && !strings.HasSuffix(key,
		"exception") && !r.in(kw[len(kw)-1], "dataLabels") {
		return why
	}
	ws := words(value)
	if len(ws) > 0 && allIn(ws, func(w string) bool { return r.in(w, "stateword") }) {
		return ""
	}
	if head, rest, ok := strings.Cut(value, ", "); ok && r.in(head, "stateword") {
		return r.sentence(sentence{rest, question}, caps, false, depth+1)
	}
	data := r.in(kw[len(kw)-1], "dataLabels") || len(kw) == 1 && (strings.HasSuffix(key, "error") || strings.HasSuffix(key,
		"exception"))
	if data && len(ws) <= 12 {
		// A name or a number can be any word: here only the words and phrases that approve are looked for.
		if foreignLetters(value) {
			return r.foreign(value, caps)
		}
		for _, p := range r.hard {
			if p.re.MatchString(value) && (p.unless == "" || !r.unless[p.unless].MatchString(value)) {
				return p.why
			}
		}
		if why := r.clauses(value, caps, false, false); why != "" {
			return why
		}
		if why := r.foreignPhrase(value, false); why != "" {
			return why
		}
		if f := stripLead(r, ws); len(f) > 0 && !strings.HasSuffix(key, "error") && r.in(f[0], "side") &&
			!r.noun.MatchString(strings.Join(f, " ")) && !(len(f) > 1 && hasDigit(f[1])) {
			return fmt.Sprintf("an order (%s)", f[0])
		}
		return ""
	}
	return r.sentence(sentence{value, question}, caps, false, depth+1)
}

// One text for several sessions says which part of the work is whose; whose it is, is no order to begin.
var (
	assignment = regexp.MustCompile(`^if you are [0-9a-f]{8}$`)
	taken      = regexp.MustCompile(`^(?:take|own|keep|leave|cover|plan) (?:the|only|no|both|all|a|its|your|this)\b`)
)

// listing is a label in words: "the owner a1b2c3d4 has these open items".
var listing = regexp.MustCompile(`^(?:the )?(?:owner|session|duplicate)(?:'s)?(?: session)?(?: ` +
	`[0-9a-f]{8})?(?:'s)?(?: still)? (?:has|lists|lacks|holds|owns|carries)?(?: ` +
	`?(?:these|the|its|two|three|four|\d+))?(?: ?open)?(?: items?| points?)?$`)

// A number behind a label is data, unless the label asks for a choice.
var (
	amount   = regexp.MustCompile(`^[0-9][0-9.,:/-]*(?: ?%| [a-z]{1,3})?$`)
	choosing = regexp.MustCompile(
		`\b(?:options?|answer|choices?|choose|pick|decision|decide|user|use|take|select|reply|a|plan|vote|variant|best|` +
			`human|boss|opcion|option|wahl|choix|scelta|opcao|keuze|wybor|volba|secim|valg|val|variante|run|do|next|then|now|` +
			`me|i|we)\b`)
)

func allIn(ws []string, f func(string) bool) bool {
	for _, w := range ws {
		if !f(w) {
			return false
		}
	}
	return true
}
