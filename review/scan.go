package review

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"recovery/internal/audit"
	"recovery/internal/text"
	"recovery/internal/transcript"
	"recovery/prompts"
)

type scan struct {
	win     Window
	rules   *audit.Rules
	out     Review
	index   map[string]int // tool id to its place in out.Tools
	turns   transcript.Turns
	command string // a command of the client that nobody has answered yet
	latest  transcript.Reply
	ended   bool
	agents  map[int]string  // the agent id of a call, by its place in out.Tools
	read    map[string]bool // the subagents' transcripts that were read
	// agentAt are the times of subagents' calls, by their place in out.Tools.
	agentAt map[int]time.Time
	// all says that the whole transcript is audited and not one review: a person's message ends nothing.
	all bool
	// over says that the review's window has ended; asked, that a person wrote behind it and has no answer yet.
	over, asked bool
}

// add takes one entry; it answers false when nothing more is to be known.
func (s *scan) add(e *transcript.Entry) bool {
	s.over = s.over || !s.within(e)
	return !s.over || s.behind(e)
}

// behind looks for a person's own message behind the review that was answered. A text of recovery's, however it was
// sent, is none.
func (s *scan) behind(e *transcript.Entry) bool {
	if e.Sidechain {
		return true
	}
	switch by := e.Speaker(); {
	case e.Type == "assistant":
		s.out.Settled = s.asked && e.Ends()
	case by == transcript.Interrupted:
		s.asked = false
	case by == transcript.Person:
		s.asked = s.asked && e.Handed() || s.persons(e.Text())
	}
	return !s.out.Settled
}

// persons says whether what was said in the user's role is a person's own.
func (s *scan) persons(said string) bool {
	return !prompts.IsOurs(said) && (s.win.Mark == "" || !strings.Contains(said, s.win.Mark))
}

// within takes one entry of the review; it answers false when a person's message ends the review.
func (s *scan) within(e *transcript.Entry) bool {
	if s.win.FromPrompt && !s.out.Started && !s.prompts(e) {
		return true
	}
	if e.Bad != "" {
		s.out.BadLines++
	}
	if !s.commanded(e) {
		return false
	}
	if e.Sidechain {
		s.calls(e, "subagent")
		s.results(e)
		return true
	}
	switch e.Type {
	case "user":
		return s.said(e)
	case "assistant":
		s.assistant(e)
	case "attachment":
		if e.Handed() {
			return s.said(e)
		}
	case "system":
		if why, ok := e.Tried(); ok {
			s.failed(cmp.Or(why, "an API error"))
		}
	}
	return true
}

// commanded follows commands of the client that a person typed: one that the model answers is a person's message. It
// answers false when that ends the review.
func (s *scan) commanded(e *transcript.Entry) bool {
	switch s.turns.Add(e) {
	case transcript.ByCommand:
		s.command = e.Text()
		return true
	case transcript.Begun, transcript.Undone:
		s.command = ""
	}
	if s.command == "" || !e.OfModel() || e.Sidechain || s.all || !s.out.Started {
		return true
	}
	ran := s.command
	s.command = ""
	return s.person(e, ran)
}

// prompts says whether a line holds the prompt that the review answers.
func (s *scan) prompts(e *transcript.Entry) bool {
	return s.win.PromptID != "" && strings.Contains(e.Text(), s.win.PromptID)
}

func (s *scan) stamp(e *transcript.Entry) {
	if !e.At.IsZero() {
		at := e.At
		s.out.LastAt = &at
	}
}

func (s *scan) said(e *transcript.Entry) bool {
	by := e.Speaker()
	if e.Handed() && s.prompts(e) {
		by = transcript.Person // recovery's own prompt, whatever the client says of where it came from
	}
	switch by {
	case transcript.Tool:
		s.stamp(e)
		s.results(e)
		s.resumed()
	case transcript.Person:
		return s.all || s.person(e, e.Text())
	case transcript.Notification, transcript.Other:
		other := by == transcript.Other
		// The user has recovery's messages sent by a session of theirs: what they ask for is the user's, as if it were typed.
		if other && !s.all && s.out.Started && prompts.IsMessage(e.Text()) &&
			(s.ended || prompts.IsNudgeAlone(e.Text(), s.win.Short)) {
			return s.person(e, e.Text())
		}
		s.stamp(e)
		s.out.WentOn = s.out.WentOn || s.answered()
		s.resumed()
		if s.all {
			return true
		}
		if other {
			s.defect(DefectForeign, "", "a message of another session or a schedule came into the review: %q",
				text.Clip(e.Text(), 200))
		}
	}
	return true
}

// person takes a message in the user's role: recovery's own prompt, or a person's, which ends the review.
func (s *scan) person(e *transcript.Entry, said string) bool {
	ours := s.win.PromptID != "" && strings.Contains(said, s.win.PromptID)
	switch {
	case ours && s.out.Started:
		s.defect(DefectJoined, "", "the prompt stands in it a second time")
	case ours:
		s.out.Started, s.ended = true, false
		s.stamp(e)
		if s.win.Expected != "" && said != s.win.Expected {
			s.defect(DefectJoined, "", "more than the prompt was delivered in one message: %q",
				text.Clip(extra(said, s.win.Expected), 300))
		}
	case s.out.Started && prompts.IsNudgeAlone(said, s.win.Short):
		// The user asks for the reply to this very prompt.
		s.ended, s.out.WentOn = false, false
		s.stamp(e)
	case prompts.IsOwn(said) && (!s.out.Started || s.ended || len(prompts.FindPromptID(said)) > 0):
		// An earlier or later prompt of recovery's has a window of its own. A message of recovery's that comes before the
		// reply, and is no nudge alone, has somebody's words beside it.
		if s.out.Started {
			return false
		}
	case s.out.Started && s.ended && prompts.IsMessage(said):
		// What recovery asks for settles nothing that the review named: a WRAP is no word of the user's on its open items.
		return false
	case s.out.Started && s.ended:
		s.out.UserAfter = true
		return false
	case s.out.Started:
		s.out.UserAfter = true
		s.defect(DefectForeign, "", "a person's message came before the review was answered: %q", text.Clip(said, 300))
		return false
	default:
		s.defect(DefectForeign, "", "a message that waited was delivered before the review: %q", text.Clip(said, 300))
	}
	return true
}

// extra is what stands around the expected text.
func extra(said, expected string) string {
	return strings.TrimSpace(strings.Replace(said, expected, " ", 1))
}

func (s *scan) defect(code, tool, format string, args ...any) {
	s.out.Defects = append(s.out.Defects, Defect{Code: code, Text: fmt.Sprintf(format, args...), ToolID: tool})
}

// answered says whether the prompt has its reply.
func (s *scan) answered() bool { return !s.all && s.out.Started && s.ended && s.out.Reply != "" }

// resumed notes that a turn runs again; one that began after the reply does not take the reply back.
func (s *scan) resumed() { s.ended = s.ended && s.out.WentOn }

// failed notes the error of the turn that answers the prompt.
func (s *scan) failed(why string) {
	if !s.out.WentOn {
		s.out.Error = why
	}
}

func (s *scan) assistant(e *transcript.Entry) {
	s.stamp(e)
	if why, ok := e.Failed(); ok {
		s.failed(why)
	}
	if !e.OfModel() {
		return
	}
	s.calls(e, "")
	if s.out.WentOn {
		return
	}
	s.out.Error = ""
	s.latest.Add(e)
	if s.ended = e.Ends(); !s.ended {
		return
	}
	if said := s.latest.Text(); said != "" {
		s.out.Reply = said
		at := e.At
		s.out.ReplyAt = &at
	}
}
