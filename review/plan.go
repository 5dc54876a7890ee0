package review

import (
	"fmt"
	"strings"

	"recovery/internal/account"
	"recovery/internal/audit"
	"recovery/internal/journal"
	"recovery/internal/text"
	"recovery/inventory"
	"recovery/prompts"
)

// planProblem says why a reply to a prep is no final plan; empty when it is one: its last line is the one that waits
// for the user.
func planProblem(reply string) string {
	lines := strings.Split(strings.TrimSpace(strings.ReplaceAll(reply, "\r", "\n")), "\n")
	last := strings.Trim(lines[len(lines)-1], " \t*_")
	if last == prompts.GoLine {
		if len(lines) == 1 {
			return "its reply holds no plan, only the line " + fmt.Sprintf("%q", prompts.GoLine)
		}
		return ""
	}
	return fmt.Sprintf("its plan does not end with the line %q but with %q", prompts.GoLine, text.Clip(last, 120))
}

// IsPlan says whether a reply is a final plan that waits for the user's go.
func IsPlan(reply string) bool { return planProblem(reply) == "" }

// before reads the review that a prep follows.
func before(w *inventory.World, rules *audit.Rules, job *account.Job, s *journal.Session, prep Window) (Review, error) {
	win, err := reviewWindow(w, job, s)
	if err != nil {
		return Review{}, err
	}
	if win.Path == prep.Path && !win.FromPrompt && !prep.FromPrompt && win.From >= prep.From {
		return Review{}, &NotWokenError{s.Short}
	}
	return Read(w, rules, win)
}

// Before reads a session's last review, whatever prompt came after it.
func Before(w *inventory.World, rules *audit.Rules, s *journal.Session) (Review, error) {
	job := w.Jobs.ByShort[s.Short]
	if job == nil {
		return Review{}, fmt.Errorf("session %s has no job in this account any more", s.Short)
	}
	win, err := reviewWindow(w, job, s)
	if err != nil {
		return Review{}, err
	}
	return Read(w, rules, win)
}

func reviewWindow(w *inventory.World, job *account.Job, s *journal.Session) (Window, error) {
	win, err := windowBehind(w, job, s.Short, s.LastReview(), func(text string) bool { return !prompts.IsPrep(text) })
	win.Mark = wrapMark(s)
	return win, err
}

// follows takes the verdict, the calls and the defects of the review that this prep follows: the prep changes nothing
// of them.
func (r *Review) follows(earlier Review, err error) {
	switch {
	case err != nil:
		r.add(fmt.Sprintf("the review before its plan cannot be read: %v", err))
		return
	case !earlier.Answered:
		r.add("the review before its plan was not answered")
	case earlier.Unclear != "":
		r.add("the review before its plan: " + earlier.Unclear)
	case earlier.UserAfter:
		r.add("somebody wrote in it between its review and its plan")
	}
	r.WentOn = r.WentOn || earlier.WentOn
	r.Verdict, r.Settled = earlier.Verdict, r.Settled || earlier.Settled
	// A subagent's transcript is read from the review on, so what the prep did there stands in both.
	seen := map[string]bool{}
	tools := append([]Tool{}, earlier.Tools...)
	for _, t := range tools {
		seen[t.ID] = t.ID != ""
	}
	for _, t := range r.Tools {
		if !seen[t.ID] {
			tools = append(tools, t)
		}
	}
	defects := make([]Defect, 0, len(earlier.Defects)+len(r.Defects))
	for _, d := range earlier.Defects {
		d.prompt = earlier.PromptID
		defects = append(defects, d)
	}
	for _, d := range r.Defects {
		if d.ToolID == "" || !seen[d.ToolID] {
			defects = append(defects, d)
		}
	}
	r.Tools, r.Defects = tools, defects
	r.BadLines += earlier.BadLines
}

// add puts one more reason to what is unclear.
func (r *Review) add(why string) {
	if r.Unclear != "" {
		why = r.Unclear + "; " + why
	}
	r.Unclear = why
}
