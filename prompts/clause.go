package prompts

import (
	"fmt"
	"regexp"
	"strings"
)

// split cuts a sentence into clauses: a denial in one does not cover another.
func (r *rules) split(s string) []string {
	s = r.negList.ReplaceAllString(s, "$1 send")
	for _, sep := range []string{", ", " - ", ": ", "(", ")", " but ", " so ", " yet ", " however ", " therefore ",
		" because ", " then ", " although ", " though ", " while ", " hence ", " thus ", " whereas ", " - "} {
		s = strings.ReplaceAll(s, sep, "\x00")
	}
	var out []string
	for _, part := range strings.Split(s, "\x00") {
		ws := strings.Fields(part)
		start := 0
		for i := 1; i+1 < len(ws); i++ {
			if (ws[i] == "and" || ws[i] == "or") && (r.in(ws[i+1], "side", "approving", "yeswords", "aux") ||
				pronouns[ws[i+1]]) {
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
var modal = regexp.MustCompile(`^(?:the|a|an|it|this|that|one|both) (?:[a-z0-9-]+ ){0,3}(?:would|might) (?:not ` +
	`)?(?:delete|send|pay|push|merge|write|remove|change|create|move|close|cancel|archive|order|start|run|post|update|` +
	`add|use|do)\b`)

// pronouns begin a clause of its own behind "and".
var pronouns = wordSet("the it he she they you i we this that now then please everything all nothing just also do " +
	"don't never")

// guarded says whether a denial, a need or a question stands in the clause.
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
		if i > 0 && len(ws) > 0 && !open && r.in(ws[0], "side") && !(modal.MatchString(s) &&
			(strings.Contains(s, " and "+ws[0]) || strings.Contains(s, " or "+ws[0]))) && !(ws[0] == "do" && len(ws) > 2 &&
			ws[1] == "not") && !r.readOnly(strings.Join(ws, " ")) && !r.nounUse(ws) {
			return fmt.Sprintf("an order (%s)", ws[0])
		}
		if why := r.foreignPhrase(c, question); why != "" {
			return why
		}
	}
	return ""
}

// stripLead takes off the words that may stand before an order.
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

// nounUse says whether a word that could be an order is the name of a thing here: "merge conflict", "invoice 4411".
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
var ambiguous = wordSet("release run order transfer change file book quote report request commit draft mail test " +
	"build pull patch group bill refund export note point row call")
