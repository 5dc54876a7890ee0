package review

import (
	"strings"
	"testing"
)

// TestContradictions: a block that the text contradicts is shown and not acted on; a text that says the same is no
// contradiction.
func TestContradictions(t *testing.T) {
	done := Verdict{Verdict: VerdictDone}
	owner := Verdict{Verdict: VerdictOwner, Open: []string{"pay"}}
	for _, c := range []struct {
		name, text string
		v          Verdict
		want       string
	}{
		{"the same verdict", "**Verdict:** DONE\n\n### Open\n- none", done, ""},
		{"open, and nothing in it", "### Open\n\n- nothing is left\n- —\n* n/a", done, ""},
		{"a ticked box", "### Open\n- [x] the mail was sent", done, ""},
		{"open items of an owner", "### Open\n- pay", owner, ""},
		{"done things in a list elsewhere", "### Finished work\n- paid the invoice", done, ""},
		{"no money", "### Flags\nMoney at risk: none. A person waits: nobody.", done, ""},
		{"money said in both", "Money at risk: 40 EUR", Verdict{Verdict: VerdictOwner, MoneyAtRisk: "40 EUR"}, ""},
		{"a quoted verdict", "> verdict: OWNER", done, ""},
		{"a verdict in code", "```\nverdict: OWNER\n```", done, ""},
		{"DONE in a sentence", "The verdict of the tests is what counts; DONE is not it.", owner, ""},
		{"another verdict", "My verdict: OWNER", done, "the text says OWNER"},
		{"another verdict in bold", "**Final verdict:** held", done, "the text says HELD"},
		{"as a heading", "## Verdict: OWNER", done, "the text says OWNER"},
		{"open items in the block", "", Verdict{Verdict: VerdictDone, Open: []string{"x"}}, "open items"},
		{"open items in the text", "### Open\n\n1. send the mail to Kim", done, "send the mail"},
		{"under a bold heading", "**Open:**\n\n- [ ] send the mail", done, "send the mail"},
		{"money in the text alone", "- **Money at risk:** 400 EUR", done, "no money"},
		{"a person in the text alone", "A person was never answered: Kim", done, "nobody waits"},
		{"a person waits in the text alone", "- A person waits: Kim since Monday", done, "nobody waits"},
	} {
		v := c.v
		got := contradiction(&v, c.text)
		if c.want == "" && got != "" || !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
