package prompts

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
)

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

// sentence says why one sentence is refused, or nothing. open says that it stands under a label such as "Open items:", where a
// bare action names what is left to do.
func (r *rules) sentence(in sentence, caps map[string]bool, open bool, depth int) string {
	s := strings.Trim(r.mask(in.text), " ,.:='-")
	if s == "" || !hasWord(s) {
		return ""
	}
	if depth > 6 {
		return "too deeply nested to judge"
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

// labelled splits "key: value" and "key=value".
func (r *rules) labelled(s string) (key, value string, ok bool) {
	m := r.label.FindStringSubmatch(s)
	if m == nil || len(words(m[1])) > 6 {
		return "", "", false
	}
	last := m[1][len(m[1])-1]
	if last >= '0' && last <= '9' && m[2][0] >= '0' && m[2][0] <= '9' && !strings.Contains(s, ": ") {
		return "", "", false // a time
	}
	return strings.TrimSpace(m[1]), strings.TrimSpace(m[2]), true
}

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
	if r.openLabel.MatchString(key) {
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
	if why := r.foreign(key, caps); why != "" && !strings.HasSuffix(key, "error") && !strings.HasSuffix(key, "exception") && !r.in(kw[len(kw)-1], "dataLabels") {
		return why
	}
	ws := words(value)
	if len(ws) > 0 && allIn(ws, func(w string) bool { return r.in(w, "stateword") }) {
		return ""
	}
	if amount.MatchString(value) && !choosing.MatchString(key) {
		return ""
	}
	if head, rest, ok := strings.Cut(value, ", "); ok && r.in(head, "stateword") {
		return r.sentence(sentence{rest, question}, caps, false, depth+1)
	}
	data := r.in(kw[len(kw)-1], "dataLabels") || len(kw) == 1 && (strings.HasSuffix(key, "error") || strings.HasSuffix(key, "exception"))
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
		if f := stripLead(r, ws); len(f) > 0 && !strings.HasSuffix(key, "error") && r.in(f[0], "side") && !r.noun.MatchString(strings.Join(f, " ")) && !(len(f) > 1 && hasDigit(f[1])) {
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

// A number behind a label is data, unless the label asks for a choice.
var (
	amount   = regexp.MustCompile(`^[0-9][0-9.,:/-]*(?: ?%| [a-z]{1,3})?$`)
	choosing = regexp.MustCompile(`\b(?:options?|answer|choices?|choose|pick|decision|decide|user|use|take|select|reply|a|plan|vote|variant|best|human|boss|run|do|next|then|now|me|i|we)\b`)
)

func allIn(ws []string, f func(string) bool) bool {
	for _, w := range ws {
		if !f(w) {
			return false
		}
	}
	return true
}

func hasDigit(s string) bool { return strings.ContainsAny(s, "0123456789") }

// split cuts a sentence into clauses: a denial in one does not cover another.
func (r *rules) split(s string) []string {
	s = r.negList.ReplaceAllString(s, "$1 send")
	for _, sep := range []string{", ", " - ", ": ", "(", ")", " but ", " so ", " yet ", " however ", " therefore ", " because ", " then ", " although ", " though ", " while ", " hence ", " thus ", " whereas ", " - "} {
		s = strings.ReplaceAll(s, sep, "\x00")
	}
	var out []string
	for _, part := range strings.Split(s, "\x00") {
		ws := strings.Fields(part)
		start := 0
		for i := 1; i+1 < len(ws); i++ {
			if (ws[i] == "and" || ws[i] == "or") && (r.in(ws[i+1], "side", "approving", "yeswords", "aux") || pronouns[ws[i+1]]) {
				out = append(out, strings.Join(ws[start:i], " "))
				start = i + 1
			}
		}
		if start < len(ws) {
			out = append(out, strings.Join(ws[start:], " "))
		}
	}
	return out
}

// modal is a statement of what would happen: its second verb is no order either.
var modal = regexp.MustCompile(`^(?:the|a|an|it|this|that|one|both) (?:[a-z0-9-]+ ){0,3}(?:would|might) (?:not )?(?:delete|send|pay|push|merge|write|remove|change|create|move|close|cancel|archive|order|start|run|post|update|add|use|do)\b`)

var pronouns = wordSet("the it he she they you i we this that now then please everything all nothing just also do don't never")

func (r *rules) guarded(clause string, p pattern) bool {
	if p.unless != "" && r.unless[p.unless].MatchString(clause) {
		return true
	}
	for _, g := range r.guards {
		if g.MatchString(clause) {
			return true
		}
	}
	return false
}

// clauses looks at each clause for words that approve, and for orders that follow another clause.
func (r *rules) clauses(s string, caps map[string]bool, question, open bool) string {
	for i, c := range r.split(s) {
		c = strings.Trim(c, " ,.'-")
		if c == "" {
			continue
		}
		if !question && i > 0 && r.code(squeeze(c)) && !r.in(c, "read") {
			return "an approval and nothing else"
		}
		if !question {
			for _, p := range r.hard {
				if p.unless != "" && p.re.MatchString(c) && !r.unless[p.unless].MatchString(c) {
					return p.why
				}
			}
			for _, p := range r.soft {
				if p.re.MatchString(c) && !r.guarded(c, p) {
					return p.why
				}
			}
		}
		ws := stripLead(r, words(c))
		if i > 0 && len(ws) > 0 && !open && r.in(ws[0], "side") && !(modal.MatchString(s) && (strings.Contains(s, " and "+ws[0]) || strings.Contains(s, " or "+ws[0]))) && !(ws[0] == "do" && len(ws) > 2 && ws[1] == "not") && !r.readOnly(strings.Join(ws, " ")) && !r.nounUse(ws) {
			return fmt.Sprintf("an order (%s)", ws[0])
		}
		if why := r.foreignPhrase(c, question); why != "" {
			return why
		}
	}
	return ""
}

func stripLead(r *rules, ws []string) []string {
	for len(ws) > 0 && r.in(ws[0], "lead") {
		ws = ws[1:]
	}
	return ws
}

// readOnly says whether a clause that starts with a verb asks for something that changes nothing.
func (r *rules) readOnly(c string) bool {
	for _, re := range r.imperatives {
		if re.MatchString(c) {
			return true
		}
	}
	f, _, _ := strings.Cut(c, " ")
	return r.in(f, "read") && !r.in(f, "readshaped")
}

func (r *rules) nounUse(ws []string) bool {
	if r.noun.MatchString(strings.Join(ws, " ")) {
		return true
	}
	if len(ws) < 2 || !r.in(ws[0], "numbered") || !hasDigit(ws[1]) || ws[len(ws)-1] == "please" {
		return false
	}
	// "Run 14 failed" names a run, "run 14 today" orders one.
	if len(ws) == 2 && len(ws[1]) >= 3 && ws[0] != "release" && ws[0] != "transfer" {
		return true
	}
	return !ambiguous[ws[0]] || len(ws) > 2 && r.finite([]string{ws[1], ws[2], ws[1]})
}

// ambiguous are words that are as often an order as a name when a number follows.
var ambiguous = wordSet("release run order transfer change file book quote report request commit draft mail test build pull patch group bill refund export note point row call")

// shape judges the sentence by its form: what is neither a plain statement, nor a question, nor a request to look, is refused.
func (r *rules) shape(s string, caps map[string]bool, open bool, depth int) string {
	ws := stripLead(r, words(s))
	if len(ws) == 0 {
		return "too short to judge"
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
		return "a denial that the check does not know"
	case conditions[f]:
		return r.condition(s, caps, depth)
	}
	if len(ws) == 1 && r.in(f, "read") && !r.openLabel.MatchString(s) && f != "wait" && f != "stop" && f != "note" && f != "state" {
		return "too short to judge"
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
		return "speaks to the session or for a person in a way that the check does not know"
	case bare[f] && len(ws) > 1 && (r.in(ws[1], "aux", "pastirreg", "neg") || r.finite(ws[:2])):
		if r.pronoun.MatchString(rest) {
			return ""
		}
		return "says something about it that the check does not know"
	case r.nounUse(ws):
		return ""
	case r.verb(f) && !r.in(f, "things", "dets") || r.in(f, "side", "irregular"):
		return fmt.Sprintf("could be an order (%s)", f)
	case r.verb(f) && len(ws) > 1 && (r.in(ws[1], "dets") && ws[1] != "no" || caps[ws[1]] && !finite):
		return fmt.Sprintf("could be an order (%s)", f)
	case finite:
		return r.statement(ws, caps)
	}
	return r.fragment(ws, caps)
}

var (
	missing    = wordSet("mail mails answer answers reply replies approval go yes confirmation draft drafts file files message messages payment money tool tools tasks subagents sub-agents response news data address")
	denied     = wordSet("promise contact invite involve mention disclose reveal expose infer conclude derive wake mix paste act do touch try guess rely follow obey trust believe invent exceed expect treat more less yet sent all here there known part only for in on at a an the yet")
	conditions = wordSet("if when until unless before after once while as because since although though whenever where wherever whereas whether")
	bare       = wordSet("it this that these those they he she everything all both there here each some most many few several others none nothing nobody neither")
)

// personSubject says whether the sentence is about a person who could approve.
func (r *rules) personSubject(ws []string) bool {
	i := 0
	if i < len(ws) && (r.in(ws[i], "dets")) {
		i++
	}
	return i < len(ws) && r.in(ws[i], "bossy") && ws[i] != "owner" && ws[i] != "lead" && ws[i] != "person" && ws[i] != "chief" && ws[i] != "they" && ws[i] != "he" && ws[i] != "she" && ws[i] != "everything"
}

// condition judges what follows the condition; without a comma there must be no order in it.
func (r *rules) condition(s string, caps map[string]bool, depth int) string {
	if head, rest, ok := strings.Cut(s, ", "); ok {
		if f := words(head); len(f) > 1 && !r.verb(f[1]) || len(f) > 2 {
			return r.sentence(sentence{rest, false}, caps, false, depth+1)
		}
		return "a condition that the check does not know"
	}
	ws := words(s)
	for i, w := range ws {
		if i > 1 && r.in(w, "side") && !r.in(ws[i-1], "dets", "neg", "preps", "aux") && ws[i-1] != "to" && !r.in(w, "things") {
			return fmt.Sprintf("could be an order (%s)", w)
		}
	}
	if len(ws) < 4 || !r.finite(ws) {
		return "a condition that the check does not know"
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
		if strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ss") && len(w) > 3 && (r.verb(w[:len(w)-1]) || r.verb(strings.TrimSuffix(w, "es"))) && i+2 < len(ws) && !r.in(w, "things") {
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
	if len(ws) <= 4 && strings.HasSuffix(last, "s") && r.verb(strings.TrimSuffix(last, "s")) && !r.in(last, "things") && !ends[last] {
		return "says something about it that the check does not know"
	}
	for i, w := range ws {
		if i > 0 && r.in(w, "aux", "pastirreg") && !r.in(w, "things") {
			break
		}
		w = strings.TrimSuffix(strings.Trim(w, ".'-/"), "'s")
		if w == masked || hasDigit(w) || strings.ContainsAny(w, "./@#") || caps[w] && !r.english[w] || r.in(w, "things", "stateword", "deeds", "numbered", "dataLabels") || nobody[w] {
			return ""
		}
	}
	return "a statement about something that the check does not know"
}

var (
	particles = wordSet("on to with into up out over off for at through around along")
	urgent    = wordSet("now today tonight asap please immediately instantly thanks quick quickly then again")
	ends      = wordSet("waits fails ends expires hangs lacks stops differs crashes")
	nobody    = wordSet("it this that these those they he she everything all both there here each some most many few several others none nothing nobody neither no not what which who whose where when why how never two three one")
)

// fragment judges words without a verb: headings, data, lists.
func (r *rules) fragment(ws []string, caps map[string]bool) string {
	if r.verb(ws[0]) && len(ws) > 2 && particles[ws[1]] {
		return fmt.Sprintf("could be an order (%s)", ws[0])
	}
	anchors := 0
	for i, w := range ws {
		w = strings.TrimSuffix(strings.Trim(w, ".'-/"), "'s")
		switch {
		case w == "" || !hasWord(w):
		case urgent[w]:
			return fmt.Sprintf("could be an order (%s)", w)
		case w == masked, hasDigit(w), strings.ContainsAny(w, "./@#"), r.in(w, "things", "stateword", "numbered", "dataLabels"):
			anchors++
		case r.in(w, "dets", "preps", "neg", "aux") || w == "and" || w == "or":
		case r.english[w] && (i > 0 || !r.verb(w)) && len(w) > 1:
		case len(w) == 1 && i > 0 && hasDigit(ws[i-1]): // a unit
		case caps[w] && i > 0 || len(w) > 3 && strings.Contains(w, "-"):
		default:
			return fmt.Sprintf("words that the check cannot judge (%s)", w)
		}
	}
	if ws[0] == "no" && len(ws) <= 3 && !denied[ws[len(ws)-1]] && !missing[ws[len(ws)-1]] {
		return "a denial that the check does not know"
	}
	if anchors == 0 {
		return "words that the check cannot judge"
	}
	if len(ws) <= 3 && !r.in(ws[0], "dets") && !hasDigit(ws[0]) && !r.in(ws[0], "things", "stateword", "numbered", "dataLabels", "neg") && r.verb(ws[0]) {
		return fmt.Sprintf("could be an order (%s)", ws[0])
	}
	return ""
}
