package prompts

import (
	"regexp"
	"strings"

	"recovery/internal/claude"
)

// IsOwn says whether a text in the user's role was sent by recovery, or is a text of recovery's that asks for a reply
// and nothing else: it holds a prompt id, or a line of it is the marker of a review, a prep or a nudge. A text that
// was joined to another one counts too, and one that another session passed on.
func IsOwn(text string) bool {
	return len(FindPromptID(text)) > 0 || hasLine(text, ReviewMarker) || hasLine(text, PrepMarker) ||
		hasLine(text, NudgeMarker)
}

// IsPrep says whether a text in the user's role asks for a final plan.
func IsPrep(text string) bool { return hasLine(text, PrepMarker) }

// IsReview says whether a text in the user's role asks for a review.
func IsReview(text string) bool { return hasLine(text, ReviewMarker) }

// IsMessage says whether a text is one that `recovery message` made, whoever passed it on.
func IsMessage(text string) bool {
	return hasLine(text, PrepMarker) || hasLine(text, NudgeMarker) || hasLine(text, WrapMarker)
}

// IsOurs says whether a text in the user's role is one of recovery's, however it was sent: a prompt, a message, or a
// WRAP in the user's own words. It asks for something, and settles nothing that a review names.
func IsOurs(text string) bool {
	return IsOwn(text) || IsMessage(text) || strings.Contains(text, WrapMark)
}

// IsNudgeAlone says whether a text is a nudge of recovery's for this session and nothing else: nobody's words stand
// beside it.
func IsNudgeAlone(text, short string) bool {
	said := strings.TrimSpace(wrapper.ReplaceAllString(text, "$1"))
	if !strings.HasPrefix(said, NudgeMarker) || !claude.IsShort(short) {
		return false
	}
	var sections []Section
	meant := false
	for _, m := range nudged.FindAllStringSubmatch(said, -1) {
		s := Section{Short: m[1], Of: m[2], Wrong: m[2] == ""}
		if m[3] != "" {
			s.Known = strings.Split(m[3], ", ")
		}
		meant = meant || s.Short == short && !s.Wrong
		sections = append(sections, s)
	}
	want, err := RenderNudges(Message{Sections: sections})
	return meant && err == nil && said == want
}

// nudged finds the sections of a nudge, with the marker of the prompt that each is asked about.
var nudged = regexp.MustCompile(`(?m)^## IF YOU ARE ([0-9a-f]{8})$\n\n(?:The prompt "(` + ReviewMarker + `|` +
	PrepMarker + `)" stands in session [0-9a-f]{8} ` +
	`above this message and still lacks its reply\.(?:\n\nSession [0-9a-f]{8} may also know itself as ([0-9a-f, ` +
	`-]+)\.$)?|This message is not for)`)

// wrapper is what the client puts around a message that another session sent.
var wrapper = regexp.MustCompile(`(?s)^\s*<cross-session-message\b[^<>]*>(.*)</cross-session-message>\s*$`)

// opening is that wrapper's beginning, when it stands in front of a line.
var opening = regexp.MustCompile(`^\s*<cross-session-message\b[^<>]*>`)

func hasLine(text, marker string) bool {
	for line := range strings.Lines(text) {
		if strings.TrimSpace(opening.ReplaceAllString(line, "")) == marker {
			return true
		}
	}
	return false
}
