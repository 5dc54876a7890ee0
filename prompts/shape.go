package prompts

import "strings"

// shape judges the sentence by its form: what is neither a plain statement, nor a question, nor a request to look, is
// refused.
func (r *rules) shape(s string, caps map[string]bool, open bool, depth int) string {
	ws := stripLead(r, words(s))
	if len(ws) == 0 {
		return tooShort
	}
	f := ws[0]
	rest := strings.Join(ws, " ")
	switch {
	case f == masked && len(ws) <= 8:
		return ""
	case strings.HasPrefix(rest, "do not "), f == "never" && len(ws) > 1, f == "not" && len(ws) > 1:
		v := ws[1]
		if f == "do" && len(ws) > 2 {
			v = ws[2]
		}
		if r.in(v, "side", "sidedone", "read") || denied[v] {
			return ""
		}
		return unknownDenial
	case conditions[f]:
		return r.condition(s, caps, depth)
	}
	if len(ws) == 1 && r.in(f, "read") && !r.openLabel.MatchString(s) && f != "wait" && f != "stop" && f != "note" &&
		f != "state" && f != "recommend" {
		return tooShort
	}
	if r.openLabel.MatchString(s) || r.readOnly(rest) || r.readOnly(strings.Trim(s, " ,")) {
		return ""
	}
	if open && r.verb(f) {
		return ""
	}
	finite := r.finite(ws)
	switch {
	case f == "you" || f == "i" || f == "we" || r.personSubject(ws):
		if youForm.MatchString(rest) || personForm.MatchString(rest) || r.unless["reported"].MatchString(rest) {
			return ""
		}
		return unknownAddress
	case (f == "nobody" || f == "none") && len(ws) > 2 && strings.HasSuffix(ws[1], "ed") && r.english[ws[1]]:
		return ""
	case bare[f] && len(ws) > 1 && (r.in(ws[1], "aux", "pastirreg", "neg") || r.finite(ws[:2])):
		if r.pronoun.MatchString(rest) {
			return ""
		}
		return unknownClaim
	case r.nounUse(ws):
		return ""
	case r.verb(f) && !r.in(f, "things", "dets") || r.in(f, "side", "irregular"):
		return maybeOrder + " (" + f + ")"
	case r.verb(f) && f != "option" && len(ws) > 1 && (r.in(ws[1], "dets") && ws[1] != "no" || caps[ws[1]] && !finite):
		return maybeOrder + " (" + f + ")"
	case finite:
		return r.statement(ws, caps)
	}
	return r.fragment(ws, caps)
}

// personSubject says whether the sentence is about a person who could approve.
func (r *rules) personSubject(ws []string) bool {
	i := 0
	if i < len(ws) && (r.in(ws[i], "dets")) {
		i++
	}
	return i < len(ws) && r.in(ws[i], "bossy") && ws[i] != "users" && ws[i] != "owner" && ws[i] != "lead" &&
		ws[i] != "person" && ws[i] != "chief" && ws[i] != "they" && ws[i] != "he" && ws[i] != "she" && ws[i] != "everything"
}

// condition judges what follows the condition; without a comma there must be no order in it.
func (r *rules) condition(s string, caps map[string]bool, depth int) string {
	if head, rest, ok := strings.Cut(s, ", "); ok {
		if f := words(head); len(f) > 1 && !r.verb(f[1]) || len(f) > 2 {
			return r.sentence(sentence{rest, false}, caps, false, depth+1)
		}
		return unknownCondition
	}
	ws := words(s)
	for i, w := range ws {
		if i > 1 && r.in(w, "side") && !r.in(ws[i-1], "dets", "neg", "preps", "aux") && ws[i-1] != "to" &&
			!r.in(w, "things") {
			return maybeOrder + " (" + w + ")"
		}
	}
	if len(ws) < 4 || !r.finite(ws) {
		return unknownCondition
	}
	return ""
}

// finite says whether a statement's verb stands behind the first word.
func (r *rules) finite(ws []string) bool {
	for i, w := range ws[1:] {
		if r.in(w, "aux", "pastirreg") && w != "be" && w != "been" && w != "being" {
			return true
		}
		if strings.HasSuffix(w, "ed") && r.english[w] {
			return true
		}
		if strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ss") && len(w) > 3 && (r.verb(w[:len(w)-1]) ||
			r.verb(strings.TrimSuffix(w, "es"))) && i+2 < len(ws) && !r.in(w, "things") {
			return true
		}
		// "The proxy answers with 502": a plural name right behind a singular one is its verb.
		if i == 1 && r.in(ws[0], "dets") && strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ss") &&
			!strings.HasSuffix(ws[1], "s") && len(ws) > 3 && r.verb(strings.TrimSuffix(w, "s")) {
			return true
		}
		// A plural subject has the bare verb: "the tests fail on two machines".
		if i == 1 || i == 0 {
			if p := ws[i]; strings.HasSuffix(p, "s") && r.verb(w) && r.in(p, "things") && i+2 < len(ws) {
				return true
			}
		}
	}
	return false
}

// statement wants a thing that the sentence is about: what people say of stars, coasts and courts is often a nod.
func (r *rules) statement(ws []string, caps map[string]bool) string {
	last := ws[len(ws)-1]
	if len(ws) <= 4 && strings.HasSuffix(last, "s") && r.verb(strings.TrimSuffix(last, "s")) && !r.in(last, "things") &&
		!ends[last] {
		return unknownClaim
	}
	linked := len(ws) <= 6
	for i, w := range ws {
		t := strings.TrimSuffix(strings.Trim(w, ".'-/"), "'s")
		switch {
		case i == 0 && nobody[t]:
			return ""
		case t == masked, hasDigit(t), strings.ContainsAny(t, "./@#"), i > 0 && daysAndMonths[t]:
			return ""
		case i > 0 && (past[t] || strings.HasSuffix(t, "ed") && r.english[t] || r.in(t, "neg") || r.in(t, "stateword") &&
			t != "open"):
			return "" // what is told of the past, denied or missing is no nod
		case i > 0 && (t == "has" || t == "have" || r.in(t, "pastirreg") && !linkVerbs[t]):
			return ""
		case r.in(t, "things", "deeds", "numbered", "dataLabels") && t != "way" && t != "line":
			return ""
		case caps[t] && !r.english[t] && (i == 0 || !r.in(ws[i-1], "dets")):
			return ""
		}
	}
	if !linked {
		return ""
	}
	return unknownStatement
}

var (
	particles = wordSet("on to with into up out over off for at through around along")
	urgent    = wordSet("now today tonight asap please immediately instantly thanks quick quickly then again")
	ends      = wordSet("waits fails ends expires hangs lacks stops differs crashes")
	nobody    = wordSet("it this that these those they he she everything all both there here each some most many few " +
		"several others none nothing nobody neither no not what which who whose where when why how never two three one")
)

// fragment judges words without a verb: headings, data, lists.
func (r *rules) fragment(ws []string, caps map[string]bool) string {
	if r.verb(ws[0]) && len(ws) > 2 && particles[ws[1]] {
		return maybeOrder + " (" + ws[0] + ")"
	}
	anchors := 0
	for i, w := range ws {
		w = strings.TrimSuffix(strings.Trim(w, ".'-/"), "'s")
		switch {
		case w == "" || !hasWord(w):
		case urgent[w]:
			return maybeOrder + " (" + w + ")"
		case w == masked, hasDigit(w), strings.ContainsAny(w, "./@#"), r.in(w, "things", "stateword", "numbered",
			"dataLabels"):
			anchors++
		case r.in(w, "dets", "preps", "neg", "aux") || w == "and" || w == "or":
		case r.english[w] && (i > 0 || !r.verb(w)) && len(w) > 1:
		case len(w) == 1 && i > 0 && hasDigit(ws[i-1]): // a unit
		case caps[w] && (i > 0 || len(ws) > 2 && strings.ContainsAny(strings.Join(ws[1:], ""), "@0123456789")) ||
			len(w) > 3 && strings.Contains(w, "-"):
		default:
			return unknownWords + " (" + w + ")"
		}
	}
	if ws[0] == "no" && len(ws) <= 3 && !denied[ws[len(ws)-1]] && !missing[ws[len(ws)-1]] {
		return unknownDenial
	}
	if anchors == 0 {
		return unknownWords
	}
	if len(ws) <= 3 && !r.in(ws[0], "dets") && !hasDigit(ws[0]) && !r.in(ws[0], "things", "stateword", "numbered",
		"dataLabels", "neg") && r.verb(ws[0]) {
		return maybeOrder + " (" + ws[0] + ")"
	}
	return ""
}

// The small word sets of the shapes; the long ones are groups in rules/en.yaml.
var (
	// A short sentence with one of these and an unknown subject is a figure of speech as often as a fact.
	linkVerbs     = wordSet("stands says shows holds takes works lies comes runs sits")
	daysAndMonths = wordSet("monday tuesday wednesday thursday friday saturday sunday january february march april " +
		"june july august september october november december yesterday year week month")
	past    = wordSet("was were had could would might did")
	missing = wordSet("mail mails answer answers reply replies approval go yes confirmation draft drafts file " +
		"files message messages payment money tool tools tasks subagents sub-agents response news data address")
	denied = wordSet("promise contact invite involve mention disclose reveal expose infer conclude derive wake " +
		"mix paste act do touch try guess rely follow obey trust believe invent exceed expect treat more less yet sent " +
		"all here there known part only for in on at a an the yet")
	conditions = wordSet("if when until unless before after once while as because since although though whenever " +
		"where wherever whereas whether")
	bare = wordSet("it this that these those they he she everything all both there here each some most many " +
		"few several others none nothing nobody neither")
)
