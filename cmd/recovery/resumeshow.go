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
		words := func(s string) string {
			if len(together) > 1 {
				s = anyShort(it.Short, s)
			}
			return text.Line(s)
		}
		if it.Reason != "" {
			x.out("    %s", words(it.Reason))
		}
		if it.Review != nil {
			x.showReview(it.Short, it.Review, it.Told && x.oneStream, "    ")
		}
		if it.Next != "" && it.Outcome != journal.Planned {
			label := "next"
			if len(together) > 1 {
				label = "next, each"
			}
			x.out("    %s: %s", label, words(it.Next))
		}
		if it.Outcome == journal.Woken {
			x.out("    if it will wait for the user, ask them to pin it: Ctrl+T on its row in the interactive `claude " +
				"agents` view")
		}
	}
	x.showDefects(res.Defects)
	if res.Stopped != "" {
		how := "the run stopped"
		if opts.DryRun {
			how = "a run would not start any"
		}
		x.out("%s: %s", how, res.Stopped)
	}
	counts := map[journal.Outcome]int{}
	var woken, planned []string
	for _, it := range res.Items {
		counts[it.Outcome]++
		switch it.Outcome {
		case journal.Woken:
			woken = append(woken, it.Short)
		case journal.Planned:
			planned = append(planned, it.Short)
		}
	}
	x.out("%s: %d woken, %d planned, %d refused, %d otherwise", text.Plural(len(res.Items), "session"),
		counts[journal.Woken], counts[journal.Planned], counts[journal.Refused],
		len(res.Items)-counts[journal.Woken]-counts[journal.Planned]-counts[journal.Refused])
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
