package transcript

import (
	"cmp"
	"fmt"
	"time"

	"recovery/internal/claude"
)

// TurnState is how the last turn of a conversation stands.
type TurnState string

// The states of a turn. Complete covers every stop reason with which the model ends a turn; Tail.Stop says which.
const (
	Complete    TurnState = "complete"
	MidTurn     TurnState = "mid-turn"
	Waiting     TurnState = "waiting"
	Empty       TurnState = "empty"
	ErrorTurn   TurnState = "error"
	UnknownTurn TurnState = "unknown"
)

// Tail is what the end of a transcript says.
type Tail struct {
	Turn TurnState
	// Why is the turn's evidence in words.
	Why string
	// Stop is the last reply's stop reason: end_turn, stop_sequence, refusal or max_tokens when the turn is complete.
	Stop string
	// ErrorText is the client's own message of an error turn.
	ErrorText string
	// LastEntry is the time of the last timestamped line of the main conversation; zero when there is none.
	LastEntry time.Time
	// LastTurn is the time of the last message line (user or assistant, nothing injected).
	LastTurn time.Time
	// Reply is the latest reply of the model: every text part of its last message.
	Reply   string
	ReplyAt time.Time
	// Messages says that at least one message line was seen before the reading stopped.
	Messages bool
	// ContinuedIn is the session in which this conversation went on, when the transcript says so.
	ContinuedIn string
	// Cwd is the folder of the last conversation line.
	Cwd string
	// LastUUID is the uuid of the last line of a user or the model; empty when that has none.
	LastUUID string
	// OpenTool is the call that the turn was cut at.
	OpenTool string
	Bad      []string
}

// Tail reads a transcript from its end until the last turn and the latest reply are known.
func (t *File) Tail() (Tail, error) {
	s := tailScan{results: map[string]bool{}}
	err := t.WalkBack(s.add)
	s.finish()
	return s.out, err
}

// tailScan folds entries that come newest first.
type tailScan struct {
	out       Tail
	decided   bool
	replyID   string
	replyDone bool
	parts     []string
	results   map[string]bool
	lastSeen  bool
	localOut  bool // a local command's output was seen; its command line stands right before
	bad       int
}

func (s *tailScan) decide(turn TurnState, format string, args ...any) {
	if s.decided {
		return
	}
	s.decided = true
	s.out.Turn, s.out.Why = turn, fmt.Sprintf(format, args...)
}

func (s *tailScan) add(e *Entry) bool {
	if e.Bad != "" {
		if s.bad++; len(s.out.Bad) < maxBad {
			s.out.Bad = append(s.out.Bad, fmt.Sprintf("%s at byte %d", e.Bad, e.Offset))
		}
		// What stands in a broken line may be the real end of the turn.
		s.decide(UnknownTurn, "%s at byte %d, after the last readable message", e.Bad, e.Offset)
	}
	if e.Type == claude.TypeContinuedIn && s.out.ContinuedIn == "" {
		s.out.ContinuedIn = cmp.Or(e.root.Get("continuedInSessionId").String(), "another session")
	}
	if !e.Conversation() {
		return true
	}
	if s.out.LastEntry.IsZero() && !e.At.IsZero() && !e.ownNote() {
		s.out.LastEntry = e.At
	}
	if !s.lastSeen && (e.Type == "user" || e.Type == "assistant") {
		s.lastSeen, s.out.LastUUID = true, e.UUID
	}
	if s.out.Cwd == "" {
		s.out.Cwd = e.root.Get("cwd").String()
	}
	switch e.Type {
	case "user":
		s.user(e)
	case "assistant":
		s.assistant(e)
	case "system":
		if said, ok := e.Tried(); ok {
			if !s.decided {
				s.out.ErrorText = said
			}
			s.decide(ErrorTurn, "the last turn ended in an API error")
		}
		s.localOut = s.localOut || e.CommandOutput()
	case "attachment":
		if e.Handed() {
			s.message(e)
			s.decide(MidTurn, "the last line is a message that had waited in the queue and was never answered")
		}
	}
	return !(s.decided && s.replyDone && s.out.Messages)
}

func (s *tailScan) message(e *Entry) {
	s.out.Messages = true
	if s.out.LastTurn.IsZero() {
		s.out.LastTurn = e.At
	}
}

func (s *tailScan) user(e *Entry) {
	if s.replyID != "" {
		s.replyDone = true
	}
	speaker := e.Speaker()
	if speaker != Command && speaker != Injected {
		s.localOut = false
	}
	switch speaker {
	case Tool:
		s.message(e)
		e.Results(func(r Result) { s.results[r.CallID] = true })
		s.decide(MidTurn, "the last line is a tool's result that was never answered")
	case Injected:
	case Command:
		switch {
		case e.CommandOutput():
			s.localOut = true
		case !e.RunsCommand():
		case s.localOut:
			s.localOut = false
		default:
			s.message(e)
			s.decide(MidTurn, "the last line is a command that was never answered")
		}
	case Interrupted:
		s.message(e)
		s.decide(MidTurn, "the last turn was interrupted by the user")
	case Notification:
		s.message(e)
		s.decide(MidTurn, "the last line is a task notification that was never answered")
	case Other:
		s.message(e)
		s.decide(MidTurn, "the last line is a message of another session or a schedule that was never answered")
	default:
		s.message(e)
		s.decide(MidTurn, "the last line is a person's message that was never answered")
	}
}

func (s *tailScan) assistant(e *Entry) {
	if said, ok := e.Failed(); ok {
		s.message(e)
		if !s.decided {
			s.out.ErrorText = said
		}
		s.decide(ErrorTurn, "the last turn ended in an error")
	}
	if !e.OfModel() {
		return
	}
	s.message(e)
	s.localOut = false
	id := e.root.Get("message.id").String()
	open := ""
	e.Calls(func(c Call) bool {
		if c.Ran() && !s.results[c.ID] {
			open = c.Name
		}
		return true
	})
	if open != "" && !s.decided {
		s.out.OpenTool = open
	}
	stop := e.stop()
	switch {
	case s.decided:
	case open != "" && claude.AsksPerson(open):
		s.decide(Waiting, "the last line is a call of %s, which asks a person", open)
	case open != "":
		s.decide(MidTurn, "the last line is a call of %s without a result", open)
	case claude.EndsTurn(stop):
		s.out.Stop = stop
		s.decide(Complete, "the last message ended with %s", stop)
	case stop == "":
		s.decide(MidTurn, "the last message has no stop reason")
	default:
		s.decide(MidTurn, "the last message stopped with %s and nothing follows", stop)
	}
	s.collectReply(e, id)
}

// collectReply gathers the text parts of the latest message that has text; parts of one message share its id.
func (s *tailScan) collectReply(e *Entry, id string) {
	if s.replyDone {
		return
	}
	text := e.Text()
	if s.replyID == "" {
		if text == "" {
			return
		}
		s.replyID, s.out.ReplyAt = id, e.At
		s.parts = append(s.parts, text)
		if id == "" {
			s.replyDone = true
		}
		return
	}
	if id != s.replyID {
		s.replyDone = true
		return
	}
	if text != "" {
		s.parts = append(s.parts, text)
	}
}

func (s *tailScan) finish() {
	for i := len(s.parts) - 1; i >= 0; i-- {
		if s.out.Reply != "" {
			s.out.Reply += "\n"
		}
		s.out.Reply += s.parts[i]
	}
	if s.out.LastTurn.IsZero() {
		s.out.LastTurn = s.out.LastEntry
	}
	switch {
	case !s.out.Messages && s.bad > 0:
		s.out.Turn, s.out.Why = UnknownTurn, fmt.Sprintf("no message can be read, and %d lines are broken", s.bad)
	case !s.out.Messages:
		s.out.Turn, s.out.Why = Empty, "the transcript holds no message"
	case !s.decided:
		s.out.Turn, s.out.Why = UnknownTurn, "the end of the last turn could not be found"
	}
}
