package ouroboros

import (
	"cmp"
	"slices"
	"strings"

	"recovery/internal/sources"
	"recovery/internal/text"
)

// Box is the re-attach box of one row as text of several lines: what it is, each command with what it does, and at
// the end one line with the state and the next step. Everything foreign in it is escaped; commands are quoted for a
// shell.
func Box(r sources.Row) string {
	var b strings.Builder
	line := func(name, value string) {
		if value != "" {
			b.WriteString(name + ": " + strings.Repeat(" ", max(0, 13-len(name))) + text.Line(value) + "\n")
		}
	}
	b.WriteString("Re-attach\n\n")
	kind := "Session ID"
	if detail(r, "kind") != "" {
		kind = "ID"
	}
	line(kind, r.ID)
	if kind == "Session ID" {
		line("Execution ID", cmp.Or(detail(r, "execution"), "<unknown>"))
		line("Seed ID", cmp.Or(detail(r, "seed"), "<not recorded>"))
	}
	line("Title", r.Title)
	line("State", r.State)
	if !r.UpdatedAt.IsZero() {
		line("Last activity", r.UpdatedAt.UTC().Format("2006-01-02 15:04:05 UTC"))
	}
	line("Criteria", detail(r, "criteria"))
	line("Folder", r.Cwd)
	line("Store", r.Store)
	if detail(r, "Claude session") == "" {
		line("Claude session", r.ClaudeSessionID)
	}
	line("Note", detail(r, "note"))
	line("Waits for", r.WaitsFor)
	line("Verdict", string(r.Verdict)+": "+r.Reason)
	for _, d := range r.Details {
		if !slices.Contains(above, d.Name) {
			line(capital(d.Name), d.Text)
		}
	}
	for _, w := range r.Warnings {
		line("Warning", w)
	}
	for _, c := range r.Commands {
		b.WriteString("\n" + capital(text.Line(c.Effect)) + ":\n    " + c.Command + "\n")
	}
	b.WriteString("\n" + Next(r) + "\n")
	return b.String()
}

// above are the details that have their place at the top of the box.
var above = []string{"execution", "seed", "criteria", "note"}

// Next is the one line `<state> -> next: <action>`.
func Next(r sources.Row) string {
	action := map[sources.Verdict]string{
		sources.Live:       "leave it alone, or watch it in the monitor",
		sources.Safe:       "continue it",
		sources.Person:     "look at it, then decide",
		sources.Time:       "wait until its time has come, then start a new attempt",
		sources.Unsafe:     "start a new attempt; do not resume",
		sources.Done:       "nothing; look at it in the monitor",
		sources.Unreadable: "look at it in the monitor",
	}[r.Verdict]
	if detail(r, "kind") == pipelineKind { // of which the monitor shows nothing
		switch r.Verdict {
		case sources.Done:
			action = "nothing"
		case sources.Unreadable:
			action = "look at its file"
		}
	}
	if r.Verdict == sources.Person && strings.HasPrefix(r.WaitsFor, "a person's answer") {
		action = "answer its question"
	}
	unknown := "unknown"
	if r.Verdict == sources.Unreadable {
		unknown = "unreadable"
	}
	return text.Line(cmp.Or(r.State, unknown)) + " -> next: " + action
}

func capital(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// detail is the text of a row's first detail of that name.
func detail(r sources.Row, name string) string {
	for _, d := range r.Details {
		if d.Name == name {
			return d.Text
		}
	}
	return ""
}
