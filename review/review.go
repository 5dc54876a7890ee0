package review

import (
	"fmt"
	"strings"
	"time"

	"recovery/internal/account"
	"recovery/internal/audit"
	"recovery/internal/text"
	"recovery/internal/transcript"
	"recovery/inventory"
)

// The results of a tool call.
const (
	Done    = "done"
	Denied  = "denied"
	Failed  = "failed"
	Pending = "pending"
)

// Tool is one tool call of a review.
type Tool struct {
	ID      string      `json:"id"`
	Name    string      `json:"name"`
	Class   audit.Class `json:"class"`
	Summary string      `json:"summary"`
	Reason  string      `json:"reason"`
	Result  string      `json:"result"`
	// ChangedFiles are what the client itself recorded as changed by the call.
	ChangedFiles []string `json:"changed_files"`
	// Agent is the subagent that made the call; empty for the session itself.
	Agent string `json:"agent,omitempty"`
	// Network says that the call asked something of another machine.
	Network bool `json:"network,omitempty"`
	// AfterReply says that the call was made after the reply to the prompt.
	AfterReply bool `json:"after_reply,omitempty"`
}

// Defect is a broken promise of a review or a wake.
type Defect struct {
	Code   string `json:"code"`
	Text   string `json:"text"`
	ToolID string `json:"tool_id"`
	// prompt is the id of the prompt whose window it stands in; empty for that of the review it is listed in.
	prompt string
}

// The codes of defects that a review can show.
const (
	DefectWrite   = "write"
	DefectJoined  = "joined"
	DefectForeign = "foreign-message"
)

// Review is what one session did after a wake.
type Review struct {
	Answered bool `json:"answered"`
	// Started says that the prompt stands in the transcript.
	Started bool     `json:"started"`
	Reply   string   `json:"reply"`
	Verdict *Verdict `json:"verdict"`
	// Unclear says why there is no verdict, or why it is not believed; the reply is shown and nothing is guessed.
	Unclear string     `json:"unclear,omitempty"`
	Tools   []Tool     `json:"tools"`
	Defects []Defect   `json:"defects"`
	ReplyAt *time.Time `json:"reply_at"`
	// LastAt is the time of the last line that belongs to the review.
	LastAt *time.Time `json:"last_at"`
	// Waiting is the question that the session waits with, such as a permission prompt, also when it is offline by now.
	// Of one that died it can be the call that was open then, of which nobody knows whether it asked for permission or
	// ran.
	Waiting string `json:"waiting,omitempty"`
	// Died says that the session is offline and its review has no reply: it was stopped, or died in it.
	Died bool `json:"died,omitempty"`
	// cut says that Waiting is the call at which it died, and no question that was seen.
	cut bool
	// Error is the client's own message when the turn ended in one.
	Error string `json:"error,omitempty"`
	// Plan says that the last prompt was a prep: the reply is a final plan, the verdict that of the review before it,
	// and tools and defects are those of both.
	Plan bool `json:"plan,omitempty"`
	// WentOn says that the session acted on after the reply: a task notification began a turn of its own, say. The reply
	// and the verdict stay those of the prompt, and what was done since is judged with the review.
	WentOn bool `json:"went_on,omitempty"`
	// UserAfter says that a person wrote after the reply: what runs from there on is the user's.
	UserAfter bool `json:"user_after"`
	// Settled says that a person wrote in their own words behind the reply and was answered: what the verdict names may be
	// settled. A prep, a nudge or a WRAP settles nothing, however it was sent.
	Settled bool `json:"settled,omitempty"`
	// PromptID is that of the prompt whose review this is.
	PromptID string `json:"prompt_id"`
	BadLines int    `json:"bad_lines"`
}

// Window says which part of a transcript is judged.
type Window struct {
	Path string
	// From is the transcript's size in bytes before the wake.
	From int64
	// PromptID is that of the prompt; Expected is the whole line that a clean delivery has.
	PromptID string
	Expected string
	// FromPrompt says that nothing before the prompt's own line belongs to the review.
	FromPrompt bool
	// Since bounds subagents' lines, which stand in files of their own.
	Since time.Time
	// Short is the session's; a nudge that the user sends to it does not end the window.
	Short string
	// Prep says that the prompt asks for a final plan and not for a review.
	Prep bool
	// Mark is the phrase of the session's WRAP message, when it was asked with another than recovery's own.
	Mark string
}

// Acted says in words that the session went on acting after its reply, and with how many calls; empty when it did not.
func (r *Review) Acted() string {
	if !r.WentOn {
		return ""
	}
	n := 0
	for _, t := range r.Tools {
		if t.AfterReply {
			n++
		}
	}
	if n == 0 {
		return "it went on after its review, without a tool call"
	}
	return "it went on acting after its review: " + text.Plural(n, "tool call")
}

// Asks says that the session waits with a question that only a person may answer.
func (r *Review) Asks() bool { return r.Waiting != "" && !r.cut }

// Unjudged counts the calls that may have had an effect and cannot be judged.
func (r *Review) Unjudged() int {
	n := 0
	for _, t := range r.Tools {
		if t.Class == audit.Unknown && t.Result != Denied {
			n++
		}
	}
	return n
}

// Writes counts the calls that change something and were not denied.
func (r *Review) Writes() int {
	n := 0
	for _, t := range r.Tools {
		if t.Class == audit.Write && t.Result != Denied {
			n++
		}
	}
	return n
}

// Read judges a window of a transcript.
func Read(w *inventory.World, rules *audit.Rules, win Window) (Review, error) {
	s := newScan(rules, win)
	t, err := transcript.Open(w.Account.Door, win.Path)
	if err != nil {
		return s.out, fmt.Errorf("reading the review: %w", err)
	}
	defer func() { _ = t.Close() }()
	if t.Size < win.From {
		return s.out, fmt.Errorf("reading the review in %s: it has %d bytes and had %d before the wake: its end is lost",
			win.Path, t.Size, win.From)
	}
	if err := t.Walk(win.From, s.add); err != nil {
		return s.out, err
	}
	s.subagents(w.Account.Door, win)
	s.finish()
	return s.out, nil
}

func newScan(rules *audit.Rules, win Window) *scan {
	return &scan{win: win, rules: rules, index: map[string]int{}, agents: map[int]string{}, read: map[string]bool{},
		agentAt: map[int]time.Time{},
		out:     Review{PromptID: win.PromptID, Plan: win.Prep, Tools: []Tool{}, Defects: []Defect{}}}
}

// Audit judges every tool call of a whole transcript, its subagents' included, whoever asked for it. Its defects are
// the writes that were not denied.
func Audit(door account.Door, rules *audit.Rules, path string) (Review, error) {
	s := newScan(rules, Window{Path: path})
	s.all = true
	t, err := transcript.Open(door, path)
	if err != nil {
		return s.out, fmt.Errorf("auditing the transcript: %w", err)
	}
	defer func() { _ = t.Close() }()
	if err := t.Walk(0, s.add); err != nil {
		return s.out, err
	}
	s.subagents(door, s.win)
	s.judgeAgents()
	if s.out.BadLines > 0 {
		s.unread("%d lines of the transcript cannot be read and may hold a call", s.out.BadLines)
	}
	s.writes()
	return s.out, nil
}

// writes makes a defect of every call that changes something and was not denied.
func (s *scan) writes() {
	for _, t := range s.out.Tools {
		if t.Class != audit.Write || t.Result == Denied {
			continue
		}
		what := t.Summary
		if len(t.ChangedFiles) > 0 {
			what += " (changed: " + strings.Join(t.ChangedFiles, ", ") + ")"
		}
		s.defect(DefectWrite, t.ID, "%s %s, %s: %s", t.Name, t.Result, t.Reason, text.Clip(what, 300))
	}
}

func (s *scan) finish() {
	r := &s.out
	s.judgeAgents()
	r.Answered = r.Started && s.ended && r.Reply != ""
	s.agentsAfter()
	if r.BadLines > 0 {
		s.unread("%d lines of the transcript cannot be read and may hold a call", r.BadLines)
	}
	s.writes()
	if !r.Started {
		r.Reply = ""
	}
	if !r.Answered {
		return
	}
	if s.win.Prep {
		r.Unclear = planProblem(r.Reply)
		return
	}
	v, err := ParseVerdict(r.Reply)
	if err != nil {
		r.Unclear = err.Error()
		return
	}
	r.Verdict = v
	r.Unclear = contradiction(v, r.Reply)
	if v.Verdict == VerdictDone && r.Writes() > 0 {
		r.Unclear = "the verdict is DONE and the review wrote"
	}
}
