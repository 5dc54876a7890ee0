package wrap

import (
	"strings"
	"time"

	"recovery/internal/claude"
	"recovery/internal/transcript"

	"github.com/tidwall/gjson"
)

// wrapping is the last real wrap after a mark. at is nil when its line has no time.
type wrapping struct {
	real bool
	at   *time.Time
}

// turn is how the conversation stands between two lines.
type turn struct {
	ended bool
	why   string // why a turn that has not ended cannot end by itself
	// reopen is what came after a wrap and is not answered; reopenedBy is what was answered since.
	reopen     string
	reopenedBy string
}

// scan follows a conversation from its last mark on.
type scan struct {
	mark   string
	marked bool
	turn
	// skills are the calls of a session-wrap skill after the mark that were not refused; command says that its command line
	// stands there.
	skills  map[string]bool
	command bool
	answers bool // a reply came after the mark
	id      string
	parts   []string
	reply   string
	wrapped wrapping
	// prior is the wrap before the message that is being read: a later part of it may take its own wrap back.
	prior wrapping
	queue queue
	// before is how things stood before a command of which is not known yet whether the client or the model answers it.
	before *turn
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
		if e.Get("attachment.type").Str == claude.QueuedCommand {
			s.attached(e)
		}
	case "queue-operation":
		s.operation(e.Get("operation").String(), content(e.Get("content")))
	}
	return true
}

// content is a content that is a text or a list of blocks.
func content(v gjson.Result) string {
	if !v.IsArray() {
		return v.String()
	}
	var parts []string
	v.ForEach(func(_, b gjson.Result) bool {
		if b.Get("type").Str == "text" {
			parts = append(parts, b.Get("text").String())
		}
		return true
	})
	return strings.Join(parts, "\n")
}

func (s *scan) has(text string) bool { return s.mark != "" && strings.Contains(text, s.mark) }

func (s *scan) operation(operation, text string) {
	switch operation {
	case "enqueue":
		s.queue.put(text, s.has(text))
	case "dequeue":
		// What went out of the queue is handed over: its line stands right behind, or is still being written.
		it, ok := s.queue.take(text, true)
		switch {
		case !ok:
		case it.mark:
			s.begin(transcript.TextSpeaker(it.text))
		default:
			s.reopened(it.by())
		}
	case "popAll":
		if text != "" && len(s.queue) > 1 {
			s.queue.take(text, true)
			return
		}
		s.queue = nil
	default:
		s.queue.take(text, false)
	}
}

// begin starts anew at a mark: only what comes after the last one counts. That it was asked again reopens a wrap.
func (s *scan) begin(by transcript.Speaker) {
	s.queue.age()
	next := scan{mark: s.mark, marked: true, queue: s.queue, wrapped: s.wrapped, prior: s.wrapped, skills: map[string]bool{}}
	if s.wrapped.real {
		next.reopen = opener(by)
	}
	*s = next
}

// opener names who reopened a wrap.
func opener(by transcript.Speaker) string {
	switch by {
	case transcript.Notification:
		return "task-notification"
	case transcript.Other:
		return "other-session"
	}
	return "person"
}

func (s *scan) attached(e *transcript.Entry) {
	text := content(e.Get("attachment.prompt"))
	by := transcript.TextSpeaker(text)
	switch kind := e.Get("attachment.origin.kind").String(); kind {
	case "", claude.OriginHuman:
	case claude.OriginNotification:
		by = transcript.Notification
	default:
		by = transcript.Other
	}
	s.said(text, by)
}

func (s *scan) user(e *transcript.Entry) {
	switch speaker := e.Speaker(); speaker {
	case transcript.Tool:
		s.result(e)
	case transcript.Injected:
		s.injected(e)
	default:
		s.said(e.Text(), speaker)
	}
}

// injected lines are the client's. Two kinds hold somebody else's words: a message of another session that the client put
// in, and a text behind a reminder.
func (s *scan) injected(e *transcript.Entry) {
	if e.Get("isCompactSummary").Type == gjson.True {
		return
	}
	text := e.Text()
	if e.Get("isMeta").Type == gjson.True {
		if kind := e.Get("origin.kind").String(); transcript.TextSpeaker(text) == transcript.Other || kind == "peer" || kind == "coordinator" {
			s.said(text, transcript.Other)
		}
		return
	}
	if rest := withoutReminders(text); rest != "" {
		s.said(rest, transcript.TextSpeaker(rest))
	}
}

// withoutReminders takes the client's reminders off the beginning of a text.
func withoutReminders(text string) string {
	const open, end = "<system-reminder>", "</system-reminder>"
	text = strings.TrimSpace(text)
	for strings.HasPrefix(text, open) {
		_, rest, closed := strings.Cut(text, end)
		if !closed {
			return ""
		}
		text = strings.TrimSpace(rest)
	}
	return text
}

// result is a tool's: a skill call that was refused or failed has not wrapped anything.
func (s *scan) result(e *transcript.Entry) {
	s.ended = false
	denied := e.Get("toolDenialKind").String() != ""
	e.Get("message.content").ForEach(func(_, b gjson.Result) bool {
		if b.Get("type").Str == "tool_result" && (denied || b.Get("is_error").Type == gjson.True) {
			delete(s.skills, b.Get("tool_use_id").String())
		}
		return true
	})
}

func (s *scan) said(text string, by transcript.Speaker) {
	s.queue.strike(text)
	if s.has(text) {
		s.begin(by)
		s.command = by == transcript.Command && isWrapSkill(commandName(text))
		return
	}
	switch by {
	case transcript.Command:
		s.commanded(strings.TrimSpace(text))
	case transcript.Interrupted:
		s.ended, s.why = false, "the user interrupted it"
	default:
		s.reopened(opener(by))
	}
}

// commanded follows a command of the client. Its output means that the client answered it by itself: no turn ran.
func (s *scan) commanded(text string) {
	switch {
	case strings.HasPrefix(text, "<local-command-"):
		if s.before != nil {
			s.turn, s.before = *s.before, nil
		}
	case strings.HasPrefix(text, "<command-"):
		before := s.turn
		s.reopened("person")
		s.before = &before
		s.command = s.command || isWrapSkill(commandName(text))
	}
}

func (s *scan) reopened(by string) {
	if s.wrapped.real {
		s.reopen = by
	}
	s.ended, s.why, s.before = false, "", nil
}

// commandName takes the name out of <command-name>/plugin:session-wrap</command-name>.
func commandName(text string) string {
	_, rest, _ := strings.Cut(text, "<command-name>")
	name, _, _ := strings.Cut(rest, "</command-name>")
	return strings.TrimSpace(name)
}

func isWrapSkill(name string) bool { return strings.HasSuffix(strings.TrimSpace(name), skillSuffix) }

func (s *scan) assistant(e *transcript.Entry) {
	if !s.marked {
		return
	}
	if e.Synthetic() {
		if e.Get("isApiErrorMessage").Type == gjson.True {
			s.ended, s.why = false, "its turn ended in an error"
		}
		return
	}
	s.before = nil
	e.Get("message.content").ForEach(func(_, b gjson.Result) bool {
		if b.Get("type").Str == "tool_use" && b.Get("name").Str == "Skill" &&
			(isWrapSkill(b.Get("input.skill").String()) || isWrapSkill(b.Get("input.command").String()) || isWrapSkill(b.Get("input.name").String())) {
			s.skills[b.Get("id").String()] = true
		}
		return true
	})
	if id := e.Get("message.id").String(); id != s.id || id == "" {
		s.id, s.parts, s.prior = id, nil, s.wrapped
	}
	if text := e.Text(); text != "" {
		s.parts = append(s.parts, text)
	}
	switch {
	case claude.EndsTurn(e.Get("message.stop_reason").String()):
		s.replied(e.At)
	default:
		s.ended = false
	}
}

// replied takes the reply that ended a turn.
func (s *scan) replied(at time.Time) {
	s.ended, s.answers, s.why = true, true, ""
	s.reply = strings.Join(s.parts, "\n")
	if s.reopen != "" {
		s.reopenedBy, s.reopen = s.reopen, ""
	}
	s.wrapped = s.prior
	if state, _, _ := s.closing(); state == Done || state == Held {
		s.wrapped, s.reopenedBy = wrapping{real: true}, ""
		if !at.IsZero() {
			s.wrapped.at = &at
		}
	}
}

// closing judges the latest reply: DONE is only real with the skill's call.
func (s *scan) closing() (state State, closing, why string) {
	state, closing, why = Closing(s.reply)
	if state == Done && !s.command && len(s.skills) == 0 {
		return NotAWrap, closing, "the lines are there, but no session-wrap skill was called after the WRAP message"
	}
	return state, closing, why
}

// wentOn tells of the wrap that is over.
func (s *scan) wentOn() string {
	at := ""
	if s.wrapped.at != nil {
		at = " at " + s.wrapped.at.UTC().Format(time.RFC3339)
	}
	return "wrapped" + at + ", then went on: a " + s.reopenedBy + " wrote in it and was answered"
}

func (s *scan) judge() Status {
	out := Status{WrappedAt: s.wrapped.at, ReopenedBy: s.reopen, WentOn: s.reopenedBy != ""}
	waits, asked := s.queue.waiting()
	if s.wrapped.real && out.ReopenedBy == "" {
		out.ReopenedBy = waits
	}
	running := func(why string) Status {
		out.State, out.Reason = Running, why
		return out
	}
	switch {
	case asked:
		return running("the WRAP message waits in its queue")
	case !s.marked:
		return Status{State: NotSent, Reason: "no WRAP message stands in it"}
	case out.ReopenedBy != "":
		return running("it had wrapped and was reopened by a " + out.ReopenedBy)
	case !s.answers:
		return running("it has not answered the WRAP message yet")
	case !s.ended && s.why != "":
		return running(s.why)
	case !s.ended:
		return running("a turn runs")
	case waits != "":
		return running("a message waits in its queue")
	}
	out.State, out.ClosingLine, out.Reason = s.closing()
	if out.State == NotAWrap {
		out.ReopenedBy = s.reopenedBy
	}
	if out.WentOn {
		out.Reason = s.wentOn() + "; " + out.Reason
	}
	return out
}
