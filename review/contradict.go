package review

import (
	"fmt"
	"regexp"
	"strings"

	"recovery/internal/text"
)

var (
	// saidVerdict is a line of the text that says a verdict: "Verdict: DONE", "**My verdict** is OWNER"; its last group
	// is what follows.
	saidVerdict = regexp.MustCompile(
		`(?i)^\W*(?:(?:my|the|final|our|this|review|session)\s+)*verdict[*_\s\x{a0}]*(?:([:=|–—-])|(?:is|remains|` +
			`stays)\b)\W*\b(DONE|OWNER|DUPLICATE|HELD)\b[*_` + "`" + `"”]*(.*)$`)
	// otherwise follows a verdict that is only talked about: the choice between several, or a condition.
	otherwise = regexp.MustCompile(
		`(?i)^(?:-\w|\s*[/|]\s*\w|\W*(?:or|only|cannot|can|would|could|should|if|unless|once|when|after|means|oder|ou)\b)`)
	// endsThere is what follows a verdict in small letters that is no ordinary word: nothing, a mark or a reason.
	endsThere = regexp.MustCompile(`(?i)^\s*(?:$|[.,;:!(–—|-]|(?:because|since|of|until|as)\b)`)
	heading   = regexp.MustCompile(`^\s{0,3}(?:#{1,6}\s+(.*?)[\s#:*]*|\*\*([^*]+)\*\*\s*:?\s*)$`)
	openTitle = regexp.MustCompile(`^(?:\d+[.)]\s*)?open(?:\s+(?:items?|points?))?(?:\s*\(\d+\))?$`)
	listLine  = regexp.MustCompile(`^\s*(?:[-*+•]|\d{1,3}[.)])\s+(?:\[[ ]\]\s*)?(.*)$`)
	ticked    = regexp.MustCompile(`^\s*(?:[-*+•]|\d{1,3}[.)])\s+(?:\[[xX]\]|~~.+~~|[✅✔☑])`)
	moneySaid = regexp.MustCompile(`(?i)\bmoney\b[^:|\n]{0,20}\bat risk\b[*_` + "`" + `\s]*(?:[:=]|\s[-–—]\s)\s*(.*)$`)
	personRow = regexp.MustCompile(
		`(?i)\b(?:a )?person\b[^:|\n]{0,30}\b(?:waits|waiting|never answered|not answered)\b[*_` + "`" +
			`\s]*(?:[:=]|\s[-–—]\s)\s*(.*)$`)
	tableRow  = regexp.MustCompile(`^\s*\|([^|]+)\|([^|]+)\|?\s*$`)
	clauseEnd = regexp.MustCompile(`;|\.\s+\p{Lu}`)
)

// contradiction says where a verdict block and the reply that it stands in say different things; empty when nothing
// does. The block is what is acted on, so a reply that says something else beside it is shown and not acted on. Every
// sound review that is taken for a contradiction costs the user a look, so only what is said outright counts.
func contradiction(v *Verdict, reply string) string {
	if v.Verdict == VerdictDone && len(v.Open) > 0 {
		return "the verdict is DONE and it lists open items"
	}
	open := false
	for _, line := range text.Prose(reply) {
		if said := verdictSaid(line); said != "" && said != v.Verdict {
			return fmt.Sprintf("the block says %s and the text says %s", v.Verdict, said)
		}
		if m := heading.FindStringSubmatch(line); m != nil {
			open = openTitle.MatchString(strings.ToLower(strings.Trim(m[1]+m[2], "*_: ")))
			continue
		}
		if open && v.Verdict == VerdictDone && strings.TrimSpace(line) != "" {
			m := listLine.FindStringSubmatch(line)
			switch {
			case m != nil && ticked.MatchString(line):
			case m == nil && saysNothing(line), m != nil && saysNothing(m[1]):
				open = false // what follows explains it
			case m != nil && !saysDone(m[1]):
				return fmt.Sprintf("the verdict is DONE and the text lists as open: %.80q", m[1])
			}
		}
		// A row of a table is read as "name: value".
		said := line
		if m := tableRow.FindStringSubmatch(line); m != nil {
			said = strings.Trim(m[1], " *_") + ": " + m[2]
		}
		if v.MoneyAtRisk == "" && flagged(moneySaid, said) {
			return fmt.Sprintf("the block says that no money is at risk and the text says: %.80q", strings.TrimSpace(line))
		}
		if v.PersonWaiting == "" && flagged(personRow, said) {
			return fmt.Sprintf("the block says that nobody waits and the text says: %.80q", strings.TrimSpace(line))
		}
	}
	return ""
}

// verdictSaid is the verdict that a line says outright; empty when it says none.
func verdictSaid(line string) string {
	m := saidVerdict.FindStringSubmatch(line)
	switch {
	case m == nil, otherwise.MatchString(m[3]):
		return ""
	case m[2] != strings.ToUpper(m[2]) && !endsThere.MatchString(m[3]):
		return ""
	}
	return strings.ToUpper(m[2])
}

// flagged says whether a line names something behind a flag's own name: "Money at risk: 400 EUR". A name in the
// middle of a sentence, and one that the sentence denies ("No money at risk: ..."), is none.
func flagged(flag *regexp.Regexp, line string) bool {
	m := flag.FindStringSubmatchIndex(line)
	if m == nil {
		return false
	}
	before := line[:m[0]]
	if i := strings.LastIndexAny(before, ".;:|,"); i >= 0 {
		before = before[i+1:]
	}
	if len(strings.Fields(before)) > 3 || denied.MatchString(before) {
		return false
	}
	value := line[m[2]:m[3]]
	if end := clauseEnd.FindStringIndex(value); end != nil {
		after := value[end[0]+1:]
		if value = value[:end[0]]; !strings.Contains(after, ":") && saysDone(after) {
			return false // "it was 129 EUR; refunded on 3 Nov"
		}
	}
	return !saysNothing(value) && !saysDone(value)
}
