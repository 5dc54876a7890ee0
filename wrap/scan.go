package wrap

import (
	"slices"
	"strings"
	"time"

	"recovery/internal/claude"
	"recovery/internal/transcript"
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
	// skills are the calls of a session-wrap skill after the mark that were not refused; command says that its command
	// line stands there.
	skills  map[string]bool
	command bool
	answers bool // a reply came after the mark
	latest  transcript.Reply
	reply   string
	wrapped wrapping
	// prior is the wrap before the message that is being read: a later part of it may take its own wrap back.
	prior wrapping
	queue transcript.Queue
	// old is what stood in the queue at the mark: a message that a session lost when it was stopped stays there for good.
	old   map[*transcript.Queued]bool
	turns transcript.Turns
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
	step := s.turns.Add(e)
	if step == transcript.Undone && s.before != nil {
		s.turn, s.before = *s.before, nil
	}
	switch e.Type {
	case "user":
		s.user(e, step)
	case "assistant":
		s.assistant(e)
	case "attachment":
		if e.Handed() {
			s.said(e, transcript.Same)
		}
	case claude.TypeQueue:
		s.operation(e)
	}
	return true
}

func (s *scan) has(text string) bool { return s.mark != "" && strings.Contains(text, s.mark) }

func (s *scan) operation(e *transcript.Entry) {
	// What went out of the queue to be handed over has its line right behind, or it is still being written. An operation
	// that is not known changes nothing.
	out, _ := s.queue.Operation(e)
	switch {
	case out == nil:
	case s.has(out.Text):
		s.begin(out.By)
	default:
		s.reopened(waits(out))
	}
}

// waits names who put a message into the queue, for a wrap that it reopens.
func waits(q *transcript.Queued) string {
	if q.By == transcript.Notification {
		return opener(q.By)
	}
	return "queue"
}

// waiting says what waits since the mark, and whether it is the WRAP message itself. A person's message counts before a
// notification.
func (s *scan) waiting() (by string, asked bool) {
	for _, q := range s.queue.Waiting() {
		if s.old[q] {
			continue
		}
		asked = asked || s.has(q.Text)
		if by != "queue" {
			by = waits(q)
		}
	}
	return by, asked
}

// begin starts anew at a mark: only what comes after the last one counts. That it was asked again reopens a wrap.
func (s *scan) begin(by transcript.Speaker) {
	next := scan{mark: s.mark, marked: true, queue: s.queue, old: map[*transcript.Queued]bool{}, turns: s.turns,
		wrapped: s.wrapped,
		prior:   s.wrapped, skills: map[string]bool{}}
	for _, q := range s.queue.Waiting() {
		next.old[q] = true
	}
	if s.wrapped.real {
		next.reopen = opener(by)
	}
	*s = next
}

// opener names who reopened a wrap.
func opener(by transcript.Speaker) string {
	switch by {
	case transcript.Notification:
		return claude.OriginNotification
	case transcript.Other:
		return "other-session"
	}
	return "person"
}

func (s *scan) user(e *transcript.Entry, step transcript.Step) {
	switch e.Speaker() {
	case transcript.Tool:
		s.result(e)
	case transcript.Injected:
		// The client's own words; a message that waited can still be among them.
		s.queue.Said(e)
	default:
		s.said(e, step)
	}
}

// result is a tool's: a skill call that was refused or failed has not wrapped anything.
func (s *scan) result(e *transcript.Entry) {
	s.ended = false
	e.Results(func(r transcript.Result) {
		if r.Undone() {
			delete(s.skills, r.CallID)
		}
	})
}

// said takes what somebody said. A command reopens a wrap unless its output shows that the client answered it by
// itself: no turn ran.
func (s *scan) said(e *transcript.Entry, step transcript.Step) {
	s.queue.Said(e)
	by := e.Speaker()
	skill := isWrapSkill(e.CommandName())
	switch {
	case s.has(e.Text()):
		s.begin(by)
		s.command = skill
	case step == transcript.ByCommand:
		before := s.turn
		s.reopened(opener(transcript.Person))
		s.before, s.command = &before, s.command || skill
	case by == transcript.Command:
	case by == transcript.Interrupted:
		s.ended, s.why = false, "the user interrupted it"
	default:
		s.reopened(opener(by))
	}
}

func (s *scan) reopened(by string) {
	if s.wrapped.real {
		s.reopen = by
	}
	s.ended, s.why, s.before = false, "", nil
}

func isWrapSkill(name string) bool { return strings.HasSuffix(strings.TrimSpace(name), skillSuffix) }

func (s *scan) assistant(e *transcript.Entry) {
	if !s.marked {
		return
	}
	if _, ok := e.Failed(); ok {
		s.ended, s.why = false, "its turn ended in an error"
	}
	if !e.OfModel() {
		return
	}
	s.before = nil
	e.Calls(func(c transcript.Call) bool {
		if c.Ran() && c.Name == claude.ToolSkill && slices.ContainsFunc([]string{"skill", "command", "name"},
			func(key string) bool { return isWrapSkill(c.Input.Get(key).String()) }) {
			s.skills[c.ID] = true
		}
		return true
	})
	if s.latest.Add(e) {
		s.prior = s.wrapped
	}
	if s.ended = false; e.Ends() {
		s.replied(e.At)
	}
}

// replied takes the reply that ended a turn.
func (s *scan) replied(at time.Time) {
	s.ended, s.answers, s.why = true, true, ""
	s.reply = s.latest.Text()
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
	waits, asked := s.waiting()
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
