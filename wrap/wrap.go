package wrap

import (
	"fmt"
	"strings"
	"time"

	"recovery/internal/account"
	"recovery/internal/text"
	"recovery/internal/transcript"
)

// State is how far a session's wrap is.
type State string

// The states. Every one but Running is settled.
const (
	Done     State = "DONE"
	Held     State = "HELD"
	Running  State = "RUNNING"
	NotAWrap State = "NOT-A-WRAP"
	NotSent  State = "NOT-SENT"
)

// The lines of a wrap.
const (
	wrapLine    = "Session Wrap done"
	doneLine    = "You can archive this conversation now."
	notReady    = "Not ready to archive:"
	startsFresh = "Next session starts fresh."
	replyGo     = "Reply go to apply."
	skillSuffix = "session-wrap"
)

// Status is the state of one session.
type Status struct {
	State       State      `json:"state"`
	ClosingLine string     `json:"closing_line"`
	WrappedAt   *time.Time `json:"wrapped_at"`
	// ReopenedBy is what came after a wrap: person, task-notification, other-session or queue; empty when nothing did.
	ReopenedBy string `json:"reopened_by"`
	// WentOn says that what came after the wrap was answered, and the session has not wrapped again since.
	WentOn bool   `json:"went_on"`
	Reason string `json:"reason"`
	// Bytes is the transcript's size when it was read, for a waiting that polls faster while it grows; Path is its name.
	Bytes int64  `json:"-"`
	Path  string `json:"-"`
}

// Look reads a session's transcript and judges its wrap. mark is the phrase that the WRAP message holds.
func Look(a *account.Account, j *account.Job, mark string) Status {
	loc := transcript.Locate(a, j)
	if loc.Path == "" {
		return Status{State: NotSent, Reason: loc.Problem}
	}
	t, err := transcript.Open(a.Door, loc.Path)
	if err != nil {
		return Status{State: Running, Reason: fmt.Sprintf("the transcript cannot be read: %v", err)}
	}
	defer func() { _ = t.Close() }()
	s := scan{mark: mark}
	if err := t.Walk(0, s.add); err != nil {
		return Status{State: Running, Reason: err.Error(), Bytes: t.Size}
	}
	out := s.judge()
	out.Bytes, out.Path = t.Size, loc.Path
	return out
}

// Closing judges one reply by its last lines: Done, Held or NotAWrap. Text in code fences and quotes does not count.
func Closing(reply string) (state State, closing, why string) {
	lines := plainLines(reply)
	for _, l := range lines {
		if strings.Contains(l, replyGo) {
			return Held, replyGo, "a step needs the user's own approval"
		}
	}
	if len(lines) < 2 || lines[len(lines)-2] != wrapLine {
		return NotAWrap, "", fmt.Sprintf("its last two lines are not %q and a closing line", wrapLine)
	}
	closing = lines[len(lines)-1]
	switch {
	case closing == doneLine:
		return Done, closing, "a real wrap"
	case strings.HasPrefix(closing, notReady), closing == startsFresh:
		return Held, closing, "it says that it is not ready to be archived"
	}
	return NotAWrap, closing, fmt.Sprintf("%q is no closing line of the skill", closing)
}

// plainLines are the non-blank lines outside code fences and quotes, trimmed.
func plainLines(reply string) []string {
	var out []string
	for _, line := range text.Prose(reply) {
		if line = strings.TrimSpace(line); line != "" {
			out = append(out, line)
		}
	}
	return out
}
