package report

import (
	"fmt"
	"strings"
	"time"

	"recovery/internal/text"
)

// Handoff is what whoever goes on has to know.
type Handoff struct {
	From, For, Why string
	Now            time.Time
	Account        string
	// Enter is what puts a shell onto the account, when it is not its user's usual one: "export CLAUDE_CONFIG_DIR=...".
	Enter   string
	Work    string
	Journal string
	// Last is the last thing on record, in words; Files are the files of the work folder that are there, with what they hold.
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
	line("- for: %s", md(or(h.For, "whoever goes on")))
	line("- why: %s", md(or(h.Why, "not said")))
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
		line("\nBefore any command, be on this account:\n\n    %s", text.Line(h.Enter))
	}
	line("\n## To read first\n")
	line("1. `recovery status`: where each session stands")
	line("2. `recovery report`: the two lists, with the links")
	line("3. `recovery events --limit 50 --reverse`: what was done last")
	line("4. `recovery inflight`: other systems' unfinished work on this machine")
	if len(h.Files) > 0 {
		line("\n## Key files\n")
		for _, f := range h.Files {
			line("- %s", md(f))
		}
	}
	if len(h.Status.Defects) > 0 {
		line("\n## Defects that nobody closed (%d)\n", len(h.Status.Defects))
		for _, d := range h.Status.Defects {
			line("- **%s** in `%s`: %s. %s", d.Code, d.Session, md(d.Text), md(d.Next))
		}
	}
	h.list(line, "Done", func(s Standing) bool { return s.Owed == "" && s.WaitsFor == "" })
	h.list(line, "Cut in the middle: an intention is open, and the next run settles it from the evidence", func(s Standing) bool { return s.Step == StepIntended })
	h.list(line, "Open: recovery owes it", func(s Standing) bool { return s.Owed != "" && s.Step != StepIntended })
	h.list(line, "Held: it waits for the user", func(s Standing) bool { return s.Owed == "" && s.WaitsFor != "" })
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
	line("\n## The next command\n\n    %s", h.next())
	return b.String()
}

func (h Handoff) list(line func(string, ...any), title string, want func(Standing) bool) {
	var rows []string
	for _, s := range h.Status.Items {
		if !want(s) {
			continue
		}
		link := ""
		if s.Link != nil {
			link = " " + *s.Link
		}
		rows = append(rows, fmt.Sprintf("- `%s` %s (%s)%s: %s; next: %s", s.Short, md(s.Title), s.Step, link, md(or(s.Owed, or(s.WaitsFor, "nothing more"))), md(or(s.Next, "-"))))
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

// next is the one command to begin with.
func (h Handoff) next() string {
	if len(h.Status.Defects) > 0 {
		return "recovery status"
	}
	for _, want := range []func(Standing) bool{
		func(s Standing) bool { return s.Step == StepIntended },
		func(s Standing) bool { return s.Owed != "" },
		func(s Standing) bool { return s.WaitsFor != "" },
	} {
		for _, s := range h.Status.Items {
			if want(s) && strings.HasPrefix(s.Next, "recovery ") {
				next, _, _ := strings.Cut(s.Next, ", then")
				return next
			}
		}
	}
	if len(h.Status.Items) == 0 {
		return "recovery inventory"
	}
	return "recovery report"
}

func or(s, other string) string {
	if s == "" {
		return other
	}
	return s
}
