package prompts

import (
	"fmt"

	"recovery/internal/claude"
)

// Section is what a message says to one session. Every text in it is another's words and goes out as data.
type Section struct {
	Short string // the session's 8 hex digits
	// Known are the other ids by which the session may know itself, full and in lower case: after /clear it has a new one.
	Known []string
	// Wrong says that the session only shares a name with one that is meant: it answers WRONG SESSION and does nothing.
	Wrong bool
	// ReviewOnly says, in a WRAP message, that the session was woken only for its review.
	ReviewOnly bool
	// Of is, in a nudge, the marker of the prompt that lacks its reply.
	Of string
	// Item is what its review works on, Open what the plan has to cover.
	Item []string
	Open []string
	// Also are items that other sessions list and this one has now, Left those of its own that another one has.
	Also []Share
	Left []Share
	// Omitted counts the words of reviews that are left out because they may not be sent.
	Omitted int
	// Data are the user's data lines for this session.
	Data []string
}

// Share are the open items that one session has in common with another.
type Share struct {
	Short string
	Open  []string
}

// Message is the data of a text for all sessions of one name.
type Message struct {
	Sections []Section
	// All are data lines for each session that is meant.
	All []string
	// PromptID is a UUID when a wake delivers the text, and empty when the user sends it.
	PromptID string
	// Casualty says that the last turn was cut, so that the outcome of its last call is unknown.
	Casualty bool
}

// RenderPrep gives the text that asks for a final plan. The error is an *ApprovalError when the text, with its data,
// holds a line that reads as the user's approval or that imitates recovery's own marks; nothing may be sent then.
func RenderPrep(m Message) (string, error) { return m.render("prep.md", PrepMarker) }

// RenderWraps gives the text that asks live, pinned sessions for a real wrap.
func RenderWraps(m Message) (string, error) { return m.render("wrap.md", WrapMarker) }

// RenderNudges gives the text that asks sessions to answer the prompt that stands in them.
func RenderNudges(m Message) (string, error) { return m.render("nudge.md", NudgeMarker) }

func (m Message) render(name, marker string) (string, error) {
	if len(m.Sections) == 0 {
		return "", fmt.Errorf("prompt %s: no session is named", marker)
	}
	who := m.Sections[0].Short
	var err error
	sections := make([]Section, len(m.Sections))
	for i, s := range m.Sections {
		if sections[i], err = s.clean(); err != nil {
			return "", err
		}
	}
	if m.PromptID != "" {
		if err := checkIDs(who, m.PromptID); err != nil {
			return "", err
		}
	}
	if m.All, err = dataLines(m.All, ""); err != nil {
		return "", fmt.Errorf("the data for all: %w", err)
	}
	m.Sections = sections
	return render(name, who, struct {
		Message
		Marker, Mark, GoLine string
	}{m, marker, WrapMark, GoLine})
}

// clean makes a section's words fit to be sent.
func (s Section) clean() (Section, error) {
	if !claude.IsShort(s.Short) {
		return s, fmt.Errorf("prompt: session %q is not 8 hex digits", s.Short)
	}
	if err := checkKnown(s.Short, s.Known); err != nil {
		return s, err
	}
	out := s
	var err error
	words := func(what string, list []string, label string) []string {
		lines, e := dataLines(list, label)
		if e != nil && err == nil {
			err = fmt.Errorf("section of %s: %s: %w", s.Short, what, e)
		}
		return lines
	}
	shares := func(what string, list []Share) (clean []Share) {
		for _, x := range list {
			if !claude.IsShort(x.Short) && err == nil {
				err = fmt.Errorf("section of %s: session %q is not 8 hex digits", s.Short, x.Short)
			}
			clean = append(clean, Share{x.Short, words(what, x.Open, openItem)})
		}
		return clean
	}
	out.Item = words("its item", s.Item, itemLabel)
	out.Open = words("its open items", s.Open, openItem)
	out.Also = shares("the items of others", s.Also)
	out.Left = shares("the items that others have", s.Left)
	out.Data = words("its data", s.Data, "")
	return out, err
}

// itemLabel is the label of what a session works on.
const itemLabel = "Item: "

// Words say why a session's own words cannot stand in a message as an open item, or as what it works on; nil when
// they can.
func Words(words string, item bool) error {
	label := openItem
	if item {
		label = itemLabel
	}
	_, err := dataLines([]string{words}, label)
	return err
}

// Data says why the user's data cannot stand in a message; nil when it can. The error is an *ApprovalError with the
// line.
func Data(text string) error {
	_, err := dataLines([]string{text}, "")
	return err
}

// Nudge is the data of the text that is sent when the full prompt is saved in the session already.
type Nudge struct {
	Short    string // the session's 8 hex digits
	PromptID string // a UUID of its own, not the saved prompt's
	Of       string // the marker of the saved prompt; empty for the review
}

// RenderNudge gives the text that asks a session to answer the prompt which stands right above it.
func RenderNudge(n Nudge) (string, error) {
	if err := checkIDs(n.Short, n.PromptID); err != nil {
		return "", err
	}
	if n.Of == "" {
		n.Of = ReviewMarker
	}
	return render("nudge.md", n.Short, struct {
		Nudge
		Marker   string
		Sections []Section
	}{n, NudgeMarker, nil})
}

// Wrap is the data of the WRAP message to one session.
type Wrap struct {
	Short    string // the session's 8 hex digits
	PromptID string // a UUID, or empty for a text without an id line, which a person types
}

// RenderWrap gives the text that asks one live, pinned session for a real wrap.
func RenderWrap(w Wrap) (string, error) {
	return RenderWraps(Message{Sections: []Section{{Short: w.Short}}, PromptID: w.PromptID})
}
