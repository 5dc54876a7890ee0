package sources

import (
	"cmp"
	"slices"
	"strings"

	"recovery/internal/text"
)

// Box is the text of a re-attach box as it grows: what a row is, each command with what it does, and at the end one
// line with the state and the next step. Everything foreign in it is escaped; commands are quoted for a shell.
type Box struct {
	width int
	text  strings.Builder
}

// NewBox begins a box in which names take so many columns.
func NewBox(width int) *Box {
	b := &Box{width: width}
	b.text.WriteString("Re-attach\n\n")
	return b
}

// Line adds a name and its value; a value that is empty is left out.
func (b *Box) Line(name, value string) {
	if value != "" {
		b.text.WriteString(name + ": " + strings.Repeat(" ", max(0, b.width-len(name))) + text.Line(value) + "\n")
	}
}

// State adds what the row says of itself, up to its last activity.
func (b *Box) State(r Row) {
	b.Line("Title", r.Title)
	b.Line("State", r.State)
	if !r.UpdatedAt.IsZero() {
		b.Line("Last activity", r.UpdatedAt.UTC().Format("2006-01-02 15:04:05 UTC"))
	}
}

// End adds the details but those that have a place of their own, the warnings and the commands, and the last line.
func (b *Box) End(r Row, action string, placed ...string) string {
	for _, d := range r.Details {
		if !slices.Contains(placed, d.Name) {
			b.Line(capital(text.Line(d.Name)), d.Text)
		}
	}
	for _, w := range r.Warnings {
		b.Line("Warning", w)
	}
	for _, c := range r.Commands {
		b.text.WriteString("\n" + capital(text.Line(c.Effect)) + ":\n    " + c.Command + "\n")
	}
	b.text.WriteString("\n" + Breadcrumb(r, action) + "\n")
	return b.text.String()
}

// Breadcrumb is the one line `<state> -> next: <action>`.
func Breadcrumb(r Row, action string) string {
	unknown := "unknown"
	if r.Verdict == Unreadable {
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
