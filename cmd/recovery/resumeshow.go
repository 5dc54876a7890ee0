package main

import (
	"strings"

	"recovery/internal/journal"
	"recovery/internal/text"
	"recovery/wake"
)

func (x *command) showResume(res wake.Result, opts wake.Options) {
	var why causes
	row := map[string]wake.Item{}
	for _, it := range res.Items {
		if row[it.Short] = it; it.Review == nil {
			why.add(it.Short, sameOf(it))
		}
	}
	shown := map[string]bool{}
	for _, it := range res.Items {
		if shown[it.Short] {
			continue
		}
		// Sessions of which the same is to be said stand below each other, and it is said once.
		together := []string{it.Short}
		if same := why.of(it.Short, sameOf(it)); it.Review == nil && len(same) > 1 {
			together = same
		}
		for _, short := range together {
			shown[short] = true
			x.out("%s  %-11s  %s", short, it.Outcome, text.Clip(row[short].Title, 120))
		}
		x.showResumed(it, len(together) > 1)
	}
	x.showDefects(res.Defects)
	if res.Stopped != "" {
		how := "the run stopped"
		if opts.DryRun {
			how = "a run would not start any"
		}
		x.out("%s: %s", how, res.Stopped)
	}
	became := map[journal.Outcome][]string{}
	for _, it := range res.Items {
		became[it.Outcome] = append(became[it.Outcome], it.Short)
	}
	woken, planned, refused := became[journal.Woken], became[journal.Planned], len(became[journal.Refused])
	x.out("%s: %d woken, %d planned, %d refused, %d otherwise", text.Plural(len(res.Items), "session"),
		len(woken), len(planned), refused, len(res.Items)-len(woken)-len(planned)-refused)
	x.nextOfRun(res, opts, woken, planned)
}

// showResumed shows what became of one session, or of several alike; then its short is taken out of the words.
func (x *command) showResumed(it wake.Item, several bool) {
	words, label := text.Line, "next"
	if several {
		words, label = func(s string) string { return text.Line(anyShort(it.Short, s)) }, "next, each"
	}
	if it.Reason != "" {
		x.out("    %s", words(it.Reason))
	}
	if it.Review != nil {
		x.showReview(it.Short, it.Review, it.Told && x.oneStream, "    ")
	}
	if it.Next != "" && it.Outcome != journal.Planned {
		x.out("    %s: %s", label, words(it.Next))
	}
	if it.Outcome == journal.Woken {
		x.out("    if it will wait for the user, ask them to pin it: Ctrl+T on its row in the interactive `claude " +
			"agents` view")
	}
}

func (x *command) nextOfRun(res wake.Result, opts wake.Options, woken, planned []string) {
	switch {
	case len(res.Defects) > 0:
		x.next("look at the defects above; then close them by name: recovery %s",
			strings.Join(journal.AckArgs(defective(res.Defects)...), " "))
	case opts.DryRun && opts.Named && len(planned) > 0 && len(planned) <= mostNamed:
		x.next("recovery resume %s", strings.Join(planned, " "))
	case opts.DryRun && len(planned) > 0 && !opts.Named:
		x.next("recovery resume --all --yes")
	case opts.DryRun && len(planned) > 0:
		x.next("the same without --dry-run")
	case len(woken) > 0:
		x.next("recovery report")
	default:
		x.next("recovery status")
	}
}

// sameOf is all that is said of a session without a review but its title.
func sameOf(it wake.Item) string { return string(it.Outcome) + "\n" + it.Reason + "\n" + it.Next }

// defective are the sessions of defects, each once.
func defective(defects []journal.OpenDefect) []string {
	return (&journal.State{Defects: defects}).Defective()
}

func (x *command) showDefects(defects []journal.OpenDefect) {
	for _, d := range defects {
		x.out("DEFECT %s in %s: %s", d.Code, d.Session, text.Line(d.Text))
		if d.Next != "" {
			x.out("    %s", d.Next)
		}
	}
}

func resumeOutcome(res wake.Result) outcome {
	status := allDone
	worse := func(o outcome) { status = max(status, o) }
	if len(res.Defects) > 0 {
		worse(defectSeen)
	}
	if res.Stopped != "" {
		worse(needsUser)
	}
	for _, it := range res.Items {
		switch it.Outcome {
		case journal.Woken:
			worse(reviewOutcome(it.Review))
		case journal.Planned:
		case journal.Copy, journal.Joined, journal.Replayed:
			worse(defectSeen)
		case journal.NotStarted:
			worse(failed)
		case journal.Uncertain:
			worse(timeUp)
		default:
			worse(needsUser)
		}
	}
	return status
}
