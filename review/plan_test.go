package review

import (
	"errors"
	"strings"
	"testing"

	"recovery/prompts"
)

// TestPlanProblem: a plan ends with the line that waits for the user, and holds more than that line.
func TestPlanProblem(t *testing.T) {
	for reply, good := range map[string]bool{
		"1. Pay.\n\n" + prompts.GoLine:              true,
		"1. Pay.\n\n**" + prompts.GoLine + "**\n\n": true,
		"1. Pay.\r\n" + prompts.GoLine + "\r\n":     true,
		prompts.GoLine:                              false,
		"":                                          false,
		"WRONG SESSION":                             false,
		"1. Pay.":                                   false,
		"1. Pay.\n" + prompts.GoLine + "\nI paid it already.": false,
		"1. Pay.\n```\n" + prompts.GoLine + "\n```":           false,
		"1. Pay.\nReply go to run this plan":                  false,
		"I ran it. " + prompts.GoLine:                         false,
		"1. Pay.\n> " + prompts.GoLine:                        false,
		"1. Pay.\n" + strings.ToUpper(prompts.GoLine):         false,
	} {
		if why := planProblem(reply); (why == "") != good {
			t.Errorf("%q: %q", reply, why)
		}
	}
}

// TestAPlanHidesNothingOfItsReview: verdict, calls and defects of the review stay.
func TestAPlanHidesNothingOfItsReview(t *testing.T) {
	owner := &Verdict{Verdict: VerdictOwner}
	earlier := Review{Answered: true, Verdict: owner, PromptID: "one", BadLines: 1, Tools: []Tool{{ID: "a"},
		{ID: "agent"}},
		Defects: []Defect{{Code: DefectWrite, ToolID: "a"}, {Code: DefectForeign, Text: "x"}}}
	r := Review{Plan: true, Answered: true, PromptID: "two", Tools: []Tool{{ID: "agent"}, {ID: "b"}},
		Defects: []Defect{{Code: DefectForeign, Text: "x"}}}
	r.follows(earlier, nil)
	if r.Verdict != owner || len(r.Tools) != 3 || len(r.Defects) != 3 || r.BadLines != 1 || r.Unclear != "" {
		t.Errorf("%+v", r)
	}
	if a, b := key(&r, r.Defects[1]), key(&r, r.Defects[2]); a == b || !strings.Contains(a, "one") ||
		!strings.Contains(b, "two") {
		t.Errorf("a defect of the review and one of the plan are one: %s, %s", a, b)
	}
	for name, c := range map[string]struct {
		earlier Review
		err     error
	}{"gone": {err: errors.New("lost")}, "not answered": {earlier: Review{}},
		"unclear":          {earlier: Review{Answered: true, Unclear: "two blocks"}},
		"a person between": {earlier: Review{Answered: true, Verdict: owner, UserAfter: true}}} {
		r := Review{Plan: true, Answered: true}
		if r.follows(c.earlier, c.err); r.Unclear == "" {
			t.Errorf("%s: nothing is unclear", name)
		}
	}
}
