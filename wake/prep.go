package wake

import (
	"recovery/internal/text"
	"recovery/message"
	"recovery/review"
	"recovery/standing"
)

// wakeArgs are the arguments that try a session again as it was typed, with the prompt that it was to get.
func (r *Run) wakeArgs(short string) []string {
	args := []string{"resume"}
	switch {
	case r.Options.Nudge:
		args = append(args, "--nudge")
	case r.Options.Prep:
		args = append(append(args, "--prompt", "prep"), r.Options.DataArgs...)
	}
	if r.Options.DefaultCwd != "" {
		args = append(args, "--default-cwd", r.Options.DefaultCwd)
	}
	return append(args, short)
}

// rerun is the command that tries a session again.
func (r *Run) rerun(short string) standing.Next { return standing.Run(r.wakeArgs(short)...) }

// retype is that command as one line.
func (r *Run) retype(short string) string { return r.rerun(short).String() }

// mayPlan lets a prep go out: behind a review that says OWNER, and once for each review. The user's --again lifts the
// second, never the first.
func (r *Run) mayPlan(g *ready) *refusal {
	short := g.job.Short
	g.plan = message.Build(message.Input{World: g.world, Rules: r.Rules, State: g.all, Inventory: r.Inventory,
		Data: r.Options.Data}, short)
	rev := g.plan.Of(short)
	const only = "a prep goes out behind a review that says OWNER"
	switch verdict := rev.Verdict(); {
	case !rev.Woken:
		return refuse(standing.Run("resume", short), "%s, and it was not reviewed yet", only)
	case !rev.Review.Answered && rev.Err == nil:
		return refuse(standing.Run("read", "--wait", "10m", short), "%s, and its review is not answered", only)
	case rev.Unclear() != "":
		return refuse(standing.Run("read", short), "%s, and its verdict is unclear: %s", only, text.Line(rev.Unclear()))
	case verdict == review.VerdictDone, verdict == review.VerdictDuplicate:
		return refuse(standing.Run("message", "review-wrap", short), "%s, and its review says %s", only, verdict)
	case verdict != review.VerdictOwner:
		return refuse(standing.Do("read its thread").At(g.facts.Link()), "%s, and its review says %s", only, verdict)
	case rev.UserAfter():
		return refuse(standing.Run("resume", short), "somebody wrote in it after its review, which may be out of date: it "+
			"is reviewed anew first")
	}
	last := g.state.LastSent()
	if r.Options.Again || (last == nil || !last.IsPrep()) && g.verdict.PrepAt <= g.verdict.ReviewAt {
		return nil
	}
	next := standing.Run("resume", "--prompt", "prep", "--again", short)
	if last != nil && last.IsPrep() {
		next = standing.Run("read", short)
	}
	return refuse(next, "a prep was sent to it after its review already; a second one needs --again")
}

// planText renders the prep and tells what of the reviews it leaves out.
func (r *Run) planText(g *ready) (string, error) {
	prompt, omitted, err := g.plan.Prep(g.job.Short, g.promptID, g.verdict.Casualty)
	for _, o := range omitted {
		todo := "its own review has them"
		if !o.Own {
			todo = "tell it in its own thread, in words of your own, what it needs of them"
		}
		r.Tell("%s: left out of its prep: words of session %s, %q (%s); %s", g.job.Short, o.Short, text.Clip(o.Text, 200),
			o.Reason, todo)
	}
	return prompt, err
}
