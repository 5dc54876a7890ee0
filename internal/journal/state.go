package journal

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Wake is one prompt that was intended for a session, and what became of it.
type Wake struct {
	Intent
	At time.Time
	// Result is nil while the intention is open.
	Result   *OutcomeData
	ResultAt time.Time
}

// Open says that nothing is known yet of what became of the prompt.
func (w *Wake) Open() bool { return w.Result == nil }

// Sent says whether the prompt went out or counts as sent.
func (w *Wake) Sent() bool { return w.Result == nil || w.Result.Sent }

// OpenDefect is a defect that nobody has closed by name.
type OpenDefect struct {
	DefectData
	Session string    `json:"session"`
	At      time.Time `json:"at"`
}

// Session is what the journal knows of one session.
type Session struct {
	Short     string
	Wakes     []*Wake
	Confirm   *ConfirmData
	ConfirmAt time.Time
	Review    *ReviewData
	Wrap      *WrapData
	// Check is the last verdict of a queue check.
	Check *CheckData
	// Refused is why a guard turned it away, when that came after everything else.
	Refused *RefusedData
}

// LastSent is the last wake whose prompt went out or counts as sent; nil when there is none.
func (s *Session) LastSent() *Wake {
	for i := len(s.Wakes) - 1; i >= 0; i-- {
		if s.Wakes[i].Sent() {
			return s.Wakes[i]
		}
	}
	return nil
}

// LastReview is the last wake with a review whose prompt went out or counts as sent; nil when there is none.
func (s *Session) LastReview() *Wake {
	for i := len(s.Wakes) - 1; i >= 0; i-- {
		if s.Wakes[i].Sent() && !s.Wakes[i].IsPrep() {
			return s.Wakes[i]
		}
	}
	return nil
}

// OpenWake is the intention without an outcome; nil when there is none.
func (s *Session) OpenWake() *Wake {
	for _, w := range s.Wakes {
		if w.Open() {
			return w
		}
	}
	return nil
}

// SavedPrompt is what recovery left in the session's queuedPrompt, byte for byte; empty when it left nothing there.
func (s *Session) SavedPrompt() string {
	for i := len(s.Wakes) - 1; i >= 0; i-- {
		r := s.Wakes[i].Result
		if r == nil {
			continue
		}
		if r.PromptSaved && r.Saved == s.Wakes[i].Expected {
			return r.Saved
		}
		if r.Sent {
			return ""
		}
	}
	return ""
}

// State is the journal, replayed.
type State struct {
	Sessions map[string]*Session
	Defects  []OpenDefect
	Events   int
	// Unknown counts events of types that this version does not know.
	Unknown int
	// First and Last are the times of the first and the last event; zero in an empty journal.
	First, Last time.Time
	// Agents are the acts that are the user's to say and were typed by an agent, oldest first, in words.
	Agents []string
	// DeferredUntil is when the service's limit is over that the last run met; zero when it met none.
	DeferredUntil time.Time
}

// Session gives a session's state, making an empty one where the journal has nothing.
func (s *State) Session(short string) *Session {
	if x, ok := s.Sessions[short]; ok {
		return x
	}
	x := &Session{Short: short}
	s.Sessions[short] = x
	return x
}

// defect is the defect that an outcome is.
func (d *OutcomeData) defect(session, code string) DefectData {
	do := "look at its thread at once, and stop what acts: claude stop " + session
	if d.Other != "" {
		do = "claude stop " + d.Other
	}
	return NewDefect(session, code, code+":"+d.PromptID, d.Reason, do)
}

// isOf says whether a prompt is the last one that was sent; a review without a wake on record is taken as it is.
func (s *Session) isOf(promptID string) bool {
	last := s.LastSent()
	return last == nil || promptID == "" || last.PromptID == promptID
}

func (s *State) agent(e Event, what string) {
	s.Agents = append(s.Agents, fmt.Sprintf("%s: %s", e.At.UTC().Format(time.RFC3339), strings.TrimSpace(what)))
}

// Last finds the last event of a type for a session.
func Last(events []Event, t Type, session string) (Event, bool) {
	for i := len(events) - 1; i >= 0; i-- {
		if events[i].Type == t && events[i].Session == session {
			return events[i], true
		}
	}
	return Event{}, false
}

// Same says whether the last event of a type for a session has this data already, so that it need not be written again.
func Same(events []Event, t Type, session string, data any) bool {
	last, ok := Last(events, t, session)
	if !ok {
		return false
	}
	raw, err := json.Marshal(data)
	return err == nil && bytes.Equal(raw, last.Data)
}

// Replay folds events into the state. An event whose data cannot be understood counts as unknown.
func Replay(events []Event) *State {
	s := &State{Sessions: map[string]*Session{}}
	for _, e := range events {
		s.Events++
		s.Last = e.At
		if s.First.IsZero() {
			s.First = e.At
		}
		if !s.apply(e) {
			s.Unknown++
		}
	}
	return s
}

func into[T any](e Event) (*T, bool) {
	var v T
	if err := json.Unmarshal(e.Data, &v); err != nil {
		return nil, false
	}
	return &v, true
}

func (s *State) apply(e Event) bool {
	switch e.Type {
	case Inventoried:
		return true
	case RunStarted, Trusted:
		d, ok := into[RunData](e)
		if ok && d.Agent {
			s.agent(e, d.Command+" "+d.Detail)
		}
		if e.Session != "" {
			s.Session(e.Session).Refused = nil
		}
		return ok
	case TurnedAway:
		d, ok := into[RefusedData](e)
		if ok {
			s.Session(e.Session).Refused = d
		}
		return ok
	case Checked:
		d, ok := into[CheckData](e)
		if ok {
			s.Session(e.Session).Check = d
		}
		return ok
	case Confirmed:
		d, ok := into[ConfirmData](e)
		if ok {
			x := s.Session(e.Session)
			x.Confirm, x.ConfirmAt, x.Refused = d, e.At, nil
			if d.Agent {
				s.agent(e, "confirm "+e.Session+" ("+strings.Join(d.Reasons, ", ")+")")
			}
		}
		return ok
	case Intended:
		d, ok := into[Intent](e)
		if !ok {
			// What was intended cannot be read: it counts as an open intention, never as nothing.
			d = &Intent{PromptID: fmt.Sprintf("unreadable event %d", e.Seq)}
		}
		x := s.Session(e.Session)
		// What was seen after an earlier prompt says nothing of this one. A prep leaves the review's verdict as it is.
		x.Wrap, x.Refused = nil, nil
		if !d.IsPrep() {
			x.Review = nil
		}
		x.Wakes = append(x.Wakes, &Wake{Intent: *d, At: e.At})
		return ok
	case Concluded, Settled:
		d, ok := into[OutcomeData](e)
		if ok {
			for _, w := range s.Session(e.Session).Wakes {
				if w.PromptID != d.PromptID {
					continue
				}
				w.Result, w.ResultAt = d, e.At
				if x := s.Session(e.Session); w.IsPrep() && d.Sent && x.Review != nil && x.Review.PromptID != d.PromptID {
					asked := *x.Review
					asked.Answered = false // the verdict stands, the plan is to be read
					x.Review = &asked
				}
			}
			// The outcome itself is the record of the defect: a run that ends right behind it leaves none out.
			if code, bad := d.Outcome.Defect(); bad {
				s.Defects = append(s.Defects, OpenDefect{DefectData: d.defect(e.Session, code), Session: e.Session, At: e.At})
			}
		}
		return ok
	case Reviewed:
		d, ok := into[ReviewData](e)
		if x := s.Session(e.Session); ok && x.isOf(d.PromptID) {
			x.Review = d
		}
		return ok
	case Wrapped:
		d, ok := into[WrapData](e)
		if ok {
			s.Session(e.Session).Wrap = d
		}
		return ok
	case Deferred:
		d, ok := into[DeferData](e)
		if ok {
			s.DeferredUntil = d.Until
		}
		return ok
	case Defect:
		d, ok := into[DefectData](e)
		if ok {
			if d.Do == "" { // of an older recovery, which knew no command that closes it
				*d = NewDefect(e.Session, d.Code, d.Key, d.Text, cmp.Or(d.Next, "look at its thread"))
			}
			s.Defects = append(s.Defects, OpenDefect{DefectData: *d, Session: e.Session, At: e.At})
		}
		return ok
	case Acknowledged:
		d, ok := into[AckData](e)
		if ok {
			s.acknowledge(e, d)
		}
		return ok
	}
	return false
}

func (s *State) acknowledge(e Event, d *AckData) {
	s.Defects = slices.DeleteFunc(s.Defects, func(x OpenDefect) bool { return d.closes(e.Session, &x) })
	if d.What == AckLimit {
		s.DeferredUntil = time.Time{}
	}
	if d.Agent {
		s.agent(e, "acknowledge an open "+d.What+" "+e.Session)
	}
}

// OpenSessions are those with an open intention or an open defect, sorted.
func (s *State) OpenSessions() []string {
	open := s.Defective()
	for short, x := range s.Sessions {
		if x.OpenWake() != nil {
			open = append(open, short)
		}
	}
	slices.Sort(open)
	return slices.Compact(open)
}

// DefectsOf are the open defects of one session.
func (s *State) DefectsOf(short string) []DefectData {
	var out []DefectData
	for _, d := range s.Defects {
		if d.Session == short {
			out = append(out, d.DefectData)
		}
	}
	return out
}

// Defective are the sessions with an open defect, sorted.
func (s *State) Defective() []string {
	var out []string
	for _, d := range s.Defects {
		out = append(out, d.Session)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// HasDefect says whether a defect of a session is recorded already.
func HasDefect(events []Event, short, key string) bool {
	for _, e := range events {
		if e.Type != Defect || e.Session != short {
			continue
		}
		if d, ok := into[DefectData](e); ok && d.Key == key {
			return true
		}
	}
	return false
}
