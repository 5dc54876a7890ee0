package wrap

import (
	"fmt"
	"strings"
	"time"

	"recovery/internal/account"
	"recovery/internal/transcript"

	"github.com/tidwall/gjson"
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
	Reason     string `json:"reason"`
	// Bytes is the transcript's size when it was read, for a waiting that polls faster while it grows.
	Bytes int64 `json:"-"`
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
	out.Bytes = t.Size
	return out
}

// scan follows a conversation from its last mark on.
type scan struct {
	mark   string
	marked bool
	// inQueue says that the mark has only been queued so far.
	inQueue bool
	skill   bool // the session-wrap skill was called after the mark
	ended   bool // the last turn has ended
	answers bool // a reply came after the mark
	why     string
	id      string
	parts   []string
	reply   string
	replyAt time.Time
	wrapped *time.Time
	reopen  string // what came after a wrap and is not answered
	// reopenedBy is what came after a wrap and was answered since.
	reopenedBy string
	queue      int // messages of persons or sessions that wait in the queue
}

func (s *scan) add(e *transcript.Entry) bool {
	if e.Bad != "" && s.marked {
		s.ended, s.why = false, e.Bad+" stands after the mark"
	}
	if e.Sidechain {
		return true
	}
	switch e.Type {
	case "user":
		s.user(e)
	case "assistant":
		s.assistant(e)
	case "attachment":
		if e.Get("attachment.type").Str == "queued_command" {
			s.said(e.Get("attachment.prompt").String(), transcript.TextSpeaker(e.Get("attachment.prompt").String()))
		}
	case "queue-operation":
		s.operation(e)
	}
	return true
}

func (s *scan) operation(e *transcript.Entry) {
	content := e.Get("content").String()
	switch e.Get("operation").String() {
	case "enqueue":
		s.queue++
		if strings.Contains(content, s.mark) {
			s.begin()
			s.inQueue = true
			return
		}
		if transcript.TextSpeaker(content) == transcript.Notification {
			s.reopened("task-notification")
		} else {
			s.reopened("queue")
		}
	case "popAll":
		s.queue = 0
	default:
		s.queue = max(s.queue-1, 0)
	}
}

// begin starts anew at a mark: only what comes after the last one counts.
func (s *scan) begin() {
	*s = scan{mark: s.mark, marked: true, queue: s.queue}
}

func (s *scan) user(e *transcript.Entry) {
	speaker := e.Speaker()
	switch speaker {
	case transcript.Tool:
		s.ended = false
	case transcript.Injected:
	default:
		s.said(e.Text(), speaker)
	}
}

func (s *scan) said(text string, speaker transcript.Speaker) {
	if strings.Contains(text, s.mark) {
		s.begin()
		return
	}
	switch speaker {
	case transcript.Command:
		if strings.Contains(text, "<command-name") && isWrapSkill(commandName(text)) {
			s.skill = true
		}
		if !strings.HasPrefix(strings.TrimSpace(text), "<command-") {
			return
		}
		s.ended = false
	case transcript.Notification:
		s.reopened("task-notification")
	case transcript.Other:
		s.reopened("other-session")
	case transcript.Interrupted:
		s.ended, s.why = false, "the user interrupted it"
	default:
		s.reopened("person")
	}
}

func (s *scan) reopened(by string) {
	if s.wrapped != nil {
		s.reopen = by
	}
	s.ended = false
}

// commandName takes the name out of <command-name>/plugin:session-wrap</command-name>.
func commandName(text string) string {
	_, rest, _ := strings.Cut(text, "<command-name>")
	name, _, _ := strings.Cut(rest, "</command-name>")
	return strings.TrimPrefix(strings.TrimSpace(name), "/")
}

func isWrapSkill(name string) bool {
	return name == skillSuffix || strings.HasSuffix(name, ":"+skillSuffix) || strings.HasSuffix(name, "-"+skillSuffix) || strings.HasSuffix(name, "/"+skillSuffix)
}

func (s *scan) assistant(e *transcript.Entry) {
	if e.Synthetic() {
		if e.Get("isApiErrorMessage").Type == gjson.True {
			s.ended, s.why = false, "its turn ended in an error"
		}
		return
	}
	e.Get("message.content").ForEach(func(_, b gjson.Result) bool {
		if b.Get("type").Str == "tool_use" && b.Get("name").Str == "Skill" &&
			(isWrapSkill(b.Get("input.skill").String()) || isWrapSkill(b.Get("input.command").String()) || isWrapSkill(b.Get("input.name").String())) {
			s.skill = true
		}
		return true
	})
	id := e.Get("message.id").String()
	if id != s.id || id == "" {
		s.id, s.parts = id, nil
	}
	if text := e.Text(); text != "" {
		s.parts = append(s.parts, text)
	}
	switch e.Get("message.stop_reason").String() {
	case "end_turn", "stop_sequence", "refusal", "max_tokens":
	default:
		s.ended = false
		return
	}
	s.ended, s.answers, s.why = true, true, ""
	s.reply, s.replyAt = strings.Join(s.parts, "\n"), e.At
	if s.reopen != "" {
		s.reopenedBy, s.reopen = s.reopen, ""
	}
	if state, _, _ := Closing(s.reply); state == Done || state == Held {
		at := e.At
		s.wrapped, s.reopenedBy = &at, ""
	}
}

func (s *scan) judge() Status {
	out := Status{WrappedAt: s.wrapped, ReopenedBy: s.reopen}
	running := func(why string) Status {
		out.State, out.Reason = Running, why
		return out
	}
	switch {
	case !s.marked:
		return Status{State: NotSent, Reason: "no WRAP message stands in it"}
	case s.inQueue && s.queue > 0 && !s.answers:
		return running("the WRAP message waits in its queue")
	case s.reopen != "":
		return running("it had wrapped and was reopened by a " + s.reopen)
	case !s.answers:
		return running("it has not answered the WRAP message yet")
	case !s.ended && s.why != "":
		return running(s.why)
	case !s.ended:
		return running("a turn runs")
	case s.queue > 0:
		return running("a message waits in its queue")
	}
	state, closing, why := Closing(s.reply)
	if state == Done && !s.skill {
		state, why = NotAWrap, "the lines are there, but no session-wrap skill was called after the WRAP message"
	}
	out.State, out.ClosingLine, out.Reason = state, closing, why
	if state == NotAWrap {
		out.ReopenedBy = s.reopenedBy
		if s.reopenedBy == "" {
			out.WrappedAt = nil
		}
	}
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
	fence := ""
	for line := range strings.Lines(reply) {
		line = strings.TrimSpace(line)
		mark := fenceMark(line)
		switch {
		case fence != "":
			if mark != "" && mark[0] == fence[0] && len(mark) >= len(fence) && strings.Trim(line, mark[:1]) == "" {
				fence = ""
			}
		case mark != "":
			fence = mark
		case line == "" || strings.HasPrefix(line, ">"):
		default:
			out = append(out, line)
		}
	}
	return out
}

func fenceMark(line string) string {
	for _, c := range []string{"`", "~"} {
		n := len(line) - len(strings.TrimLeft(line, c))
		if n >= 3 {
			return line[:n]
		}
	}
	return ""
}
