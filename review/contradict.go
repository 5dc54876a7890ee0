package review

import (
	"fmt"
	"regexp"
	"strings"

	"recovery/internal/text"
)

var (
	// saidVerdict is a line of the text that says a verdict: "Verdict: DONE", "**My verdict** is OWNER".
	saidVerdict = regexp.MustCompile(`(?i)^\W*(?:my |the |final |our |this |review |session )*verdict\W*(?:is|remains|stays)?\W*\b(DONE|OWNER|DUPLICATE|HELD)\b`)
	heading     = regexp.MustCompile(`^\s{0,3}(?:#{1,6}\s+(.*?)[\s#:*]*|\*\*([^*]+)\*\*\s*:?\s*)$`)
	listLine    = regexp.MustCompile(`^\s*(?:[-*+•]|\d{1,3}[.)])\s+(?:\[[ ]\]\s*)?(.*)$`)
	ticked      = regexp.MustCompile(`^\s*(?:[-*+•]|\d{1,3}[.)])\s+\[[xX]\]`)
	// nothingOpen is an entry that says that there is none.
	nothingOpen = regexp.MustCompile(`(?i)^\W*(?:none|nothing|nobody|no|n/a|nil|-+|nichts|niemand|keine?s?|rien|personne|aucune?|nada|nadie|ninguno|niente|なし|无|нет)\b`)
	emptyOpen   = regexp.MustCompile(`(?i)^\W*(?:\.|—|–|-)*\W*$`)
	moneyLine   = regexp.MustCompile(`(?i)\bmoney\b[^:\n]{0,20}\bat risk\b[*_\s]*[:=-]\s*(.*)$`)
	personLine  = regexp.MustCompile(`(?i)\b(?:a )?person\b[^:\n]{0,30}\b(?:waits|waiting|never answered|not answered)\b[*_\s]*[:=-]\s*(.*)$`)
)

// contradiction says where a verdict block and the reply that it stands in say different things; empty when nothing does. The
// block is what is acted on, so a reply that says something else beside it is shown and not acted on.
func contradiction(v *Verdict, reply string) string {
	if v.Verdict == VerdictDone && len(v.Open) > 0 {
		return "the verdict is DONE and it lists open items"
	}
	section := ""
	for _, line := range text.Prose(reply) {
		if m := saidVerdict.FindStringSubmatch(line); m != nil && !strings.EqualFold(m[1], v.Verdict) {
			return fmt.Sprintf("the block says %s and the text says %s", v.Verdict, strings.ToUpper(m[1]))
		}
		if m := heading.FindStringSubmatch(line); m != nil {
			section = strings.ToLower(strings.Trim(m[1]+m[2], "*_: "))
			continue
		}
		if m := listLine.FindStringSubmatch(line); m != nil && section == "open" && len(v.Open) == 0 && v.Verdict == VerdictDone &&
			!ticked.MatchString(line) && !nothingOpen.MatchString(m[1]) && !emptyOpen.MatchString(m[1]) {
			return fmt.Sprintf("the verdict is DONE and the text lists as open: %.80q", m[1])
		}
		if m := moneyLine.FindStringSubmatch(line); m != nil && v.MoneyAtRisk == "" && !noneText(m[1]) {
			return fmt.Sprintf("the block says that no money is at risk and the text says: %.80q", strings.TrimSpace(line))
		}
		if m := personLine.FindStringSubmatch(line); m != nil && v.PersonWaiting == "" && !noneText(m[1]) {
			return fmt.Sprintf("the block says that nobody waits and the text says: %.80q", strings.TrimSpace(line))
		}
	}
	return ""
}

func noneText(s string) bool {
	return emptyOpen.MatchString(s) || nothingOpen.MatchString(s)
}
