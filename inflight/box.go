package inflight

import (
	"strings"

	"recovery/internal/sources"
	"recovery/internal/text"
)

// Box is the re-attach box of a row: what it is, each command with what it does, and at the end one line with the
// state and the next step. Everything foreign in it is escaped.
func (r Row) Box() string {
	if r.box != nil {
		own := r.Row
		if s := r.Session(); s != "" {
			own.Details = append([]sources.Detail{{Name: "Claude session", Text: s}}, own.Details...)
		}
		return r.box(own)
	}
	var b strings.Builder
	line := func(name, value string) {
		if value != "" {
			b.WriteString(name + ": " + strings.Repeat(" ", max(0, 17-len(name))) + text.Line(value) + "\n")
		}
	}
	b.WriteString("Re-attach\n\n")
	line("Source", r.Source)
	line("ID", r.ID)
	line("Title", r.Title)
	line("State", r.State)
	if !r.UpdatedAt.IsZero() {
		line("Last activity", r.UpdatedAt.UTC().Format("2006-01-02 15:04:05 UTC"))
	}
	line("Folder", r.Cwd)
	line("Store", r.Store)
	line("Claude session", r.Session())
	line("Waits for", r.WaitsFor)
	line("Verdict", string(r.Verdict)+": "+r.Reason)
	if r.FormatInferred {
		line("Note", "format inferred: the format was worked out from a description and never seen")
	}
	for _, d := range r.Details {
		line(capital(text.Line(d.Name)), d.Text)
	}
	for _, w := range r.Warnings {
		line("Warning", w)
	}
	for _, c := range r.Commands {
		b.WriteString("\n" + capital(text.Line(c.Effect)) + ":\n    " + c.Command + "\n")
	}
	b.WriteString("\n" + r.breadcrumb() + "\n")
	return b.String()
}

// Next is the last line of the box: `<state> -> next: <action>`.
func (r Row) Next() string {
	box := strings.TrimSpace(r.Box())
	return box[strings.LastIndexByte(box, '\n')+1:]
}

// Session names the Claude session behind a row in words.
func (r Row) Session() string {
	if r.Source == Claude {
		return ""
	}
	words := r.ClaudeSessionID
	if r.Claude != nil {
		if r.Claude.Short != "" {
			words = r.Claude.Short + " (" + r.Claude.Title + ")"
		}
		words += ", " + string(r.Claude.Live)
	}
	return words
}

func (r Row) breadcrumb() string {
	look := "look at it"
	if c, ok := r.Main(); ok {
		look += " (" + c.Command + ")"
	}
	action := map[sources.Verdict]string{
		sources.Live:       "leave it alone",
		sources.Safe:       "continue it",
		sources.Person:     look + ", then decide",
		sources.Time:       "wait until its time has come",
		sources.Unsafe:     look + "; do not continue it",
		sources.Done:       "nothing",
		sources.Unreadable: look,
	}[r.Verdict]
	if c, ok := r.Main(); r.Verdict == sources.Safe && ok && c.Acts {
		action += ": " + c.Command
	} else if r.Verdict == sources.Safe && ok && strings.HasPrefix(c.Command, queueCheck) {
		action += " when its session may be woken: " + c.Command
	} else if r.Verdict == sources.Safe {
		action += " in its own system; " + look
	}
	state := r.State
	if state == "" {
		state = "unreadable"
		if r.Verdict != sources.Unreadable {
			state = "unknown"
		}
	}
	return text.Line(state) + " -> next: " + action
}

func capital(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}
