package report

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"recovery/internal/text"
	"recovery/standing"
)

// Handoff is what whoever goes on has to know.
type Handoff struct {
	From, For, Why string
	Now            time.Time
	Account        string
	// Enter is what opens a shell of the account's user; empty when it is not known.
	Enter string
	// Shell is how a command is typed in that shell.
	Shell   standing.Shell
	Work    string
	Journal string
	// Last is the last thing on record, in words; Files are the files of the work folder that are there, with what they
	// hold.
	Last  string
	Files []string
	// Warnings are what the reader has to know of the record itself.
	Warnings []string
	Status   Status
}

// Markdown is the hand-over as a file.
func (h Handoff) Markdown() string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("# Hand-over of a session recovery\n")
	line("- from: %s", md(h.From))
	line("- for: %s", md(cmp.Or(h.For, "whoever goes on")))
	line("- why: %s", md(cmp.Or(h.Why, "not said")))
	line("- written: %s", h.Now.UTC().Format(time.RFC3339))
	since := "nothing was done yet"
	if h.Status.Since != nil {
		since = h.Status.Since.UTC().Format(time.RFC3339)
	}
	line("- since: %s", since)
	line("- account: %s", md(h.Account))
	line("- the record: %s (%d events), the work folder %s", md(h.Journal), h.Status.Events, md(h.Work))
	if h.Last != "" {
		line("- the last thing on record: %s; go on behind it, and do nothing of before again", md(h.Last))
	}
	line("- progress: %s", h.progress())
	if t := h.Status.DeferredUntil; t != nil {
		line("- the service's limit: wake nothing before %s", stamp(*t))
	}
	for _, w := range h.Warnings {
		line("- **mind**: %s", md(w))
	}
	if h.Enter != "" {
		line("\nEach command here is whole, and is typed in a shell of the account's user:\n\n    %s", text.Line(h.Enter))
	}
	line("\n## To read first\n")
	for i, c := range []struct {
		args []string
		what string
	}{
		{[]string{"status"}, "where each session stands"}, {[]string{"report"}, "the two lists, with the links"},
		{[]string{"events", "--limit", "50", "--reverse"}, "what was done last"},
		{[]string{"inflight"}, "other systems' unfinished work on this machine"},
	} {
		line("%d. `%s`: %s", i+1, text.Line(h.Shell.Command(c.args...)), c.what)
	}
	if len(h.Files) > 0 {
		line("\n## Key files\n")
		for _, f := range h.Files {
			line("- %s", md(f))
		}
	}
	if len(h.Status.Defects) > 0 {
		line("\n## Open defects: each stands until the user closes it by name (%d)\n", len(h.Status.Defects))
		for _, d := range h.Status.Defects {
			next := standing.ForDefect(d.Session, "", d.DefectData)
			line("- **%s** in `%s`: %s. Next: %s", d.Code, d.Session, md(strings.TrimSuffix(d.Text, ".")), md(next.In(h.Shell)))
		}
	}
	h.list(line, "Done: a real wrap, to be archived by the user's click", func(s Row) bool { return done(s) })
	h.list(line, "Live, and never reviewed: nothing is done to them", func(s Row) bool { return s.Place == standing.Live })
	h.list(line, "Cut in the middle: an intention is open, and the next run settles it from the evidence",
		func(s Row) bool { return s.Step == StepIntended })
	h.list(line, "Open: recovery owes it", func(s Row) bool { return s.Owed != "" && s.Step != StepIntended })
	h.list(line, "Held: it waits for the user", func(s Row) bool { return s.Owed == "" && s.WaitsFor != "" })
	line("\n## Not to be done again\n")
	sent := 0
	for _, s := range h.Status.Items {
		switch s.Step {
		case StepLive, StepListed, StepChecked, StepConfirmed, StepNotSent:
		default:
			sent++
			line("- `%s` %s: its prompt went out or counts as sent; do not send it a second one", s.Short, md(s.Title))
		}
	}
	if sent == 0 {
		line("- nothing was sent yet")
	}
	line("- no approval of the user is passed on by anyone: each go is typed by the user in the session's own thread")
	line("\n## The next command")
	act := h.Status.Do
	act.Run = nil
	if said := act.String(); said != "" {
		line("\n%s", md(said))
	}
	if command := h.Shell.Command(h.Status.Do.Run...); command != "" {
		line("\n    %s", text.Line(command))
	}
	return b.String()
}

// done says that nothing is left for recovery or the user but the archive.
func done(s Row) bool { return s.Owed == "" && s.WaitsFor == "" && s.Place != standing.Live }

func (h Handoff) list(line func(string, ...any), title string, want func(Row) bool) {
	var rows []string
	for _, s := range h.Status.Items {
		if !want(s) {
			continue
		}
		link := ""
		if s.Link != nil {
			link = " " + md(*s.Link)
		}
		said := cmp.Or(s.Owed, cmp.Or(s.WaitsFor, "nothing more"))
		rows = append(rows, fmt.Sprintf("- `%s` %s (%s)%s: %s; next: %s", s.Short, md(s.Title), s.state(), link, md(said),
			md(cmp.Or(s.Do.In(h.Shell), "-"))))
	}
	line("\n## %s (%d)\n", title, len(rows))
	for _, r := range rows {
		line("%s", r)
	}
}

// progress is how far the sessions are, by step.
func (h Handoff) progress() string {
	counts := map[Step]int{}
	for _, s := range h.Status.Items {
		counts[s.Step]++
	}
	parts := []string{}
	for _, step := range steps {
		if counts[step] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", counts[step], step))
		}
	}
	if len(parts) == 0 {
		return "nothing is listed yet"
	}
	return fmt.Sprintf("of %d sessions: %s", len(h.Status.Items), strings.Join(parts, ", "))
}
