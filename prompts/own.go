package prompts

import "strings"

// IsOwn says whether a text in the user's role was sent by recovery: it holds a prompt id, or begins with the review's
// marker. A text that was joined to another one counts too.
func IsOwn(text string) bool {
	if len(FindPromptID(text)) > 0 {
		return true
	}
	for line := range strings.Lines(text) {
		if strings.TrimSpace(line) == ReviewMarker {
			return true
		}
	}
	return false
}
