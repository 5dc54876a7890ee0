package inflight

import (
	"strings"

	"recovery/internal/sources"
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
	b := sources.NewBox(17)
	b.Line("Source", r.Source)
	b.Line("ID", r.ID)
	b.State(r.Row)
	b.Line("Folder", r.Cwd)
	b.Line("Store", r.Store)
	b.Line("Claude session", r.Session())
	b.Line("Waits for", r.WaitsFor)
	b.Line("Verdict", string(r.Verdict)+": "+r.Reason)
	if r.FormatInferred {
		b.Line("Note", "format inferred: the format was worked out from a description and never seen")
	}
	return b.End(r.Row, r.action())
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

// action is what the last line of the common box says to do.
func (r Row) action() string {
	c, ok := r.Main()
	look := "look at it"
	if ok {
		look += " (" + c.Command + ")"
	}
	switch r.Verdict {
	case sources.Live:
		return "leave it alone"
	case sources.Safe:
		switch {
		case ok && c.Acts:
			return "continue it: " + c.Command
		case ok && strings.HasPrefix(c.Command, queueCheck):
			return "continue it when its session may be woken: " + c.Command
		}
		return "continue it in its own system; " + look
	case sources.Person:
		return look + ", then decide"
	case sources.Time:
		return "wait until its time has come"
	case sources.Unsafe:
		return look + "; do not continue it"
	case sources.Done:
		return "nothing"
	}
	return look
}
