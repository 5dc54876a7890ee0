package review

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"time"

	"recovery/internal/audit"
	"recovery/internal/text"
	"recovery/internal/transcript"
	"recovery/inventory"
	"recovery/prompts"

	"github.com/tidwall/gjson"
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
}

// Defect is a broken promise of a review or a wake.
type Defect struct {
	Code   string `json:"code"`
	Text   string `json:"text"`
	ToolID string `json:"tool_id"`
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
	// Waiting is the question that the session waits with, such as a permission prompt.
	Waiting string `json:"waiting,omitempty"`
	// Error is the client's own message when the turn ended in one.
	Error string `json:"error,omitempty"`
	// UserAfter says that a person wrote after the reply: what runs from there on is the user's.
	UserAfter bool `json:"user_after"`
	BadLines  int  `json:"bad_lines"`
}

// Window says which part of a transcript is judged.
type Window struct {
	Path string
	// From is the transcript's size in bytes before the wake.
	From int64
	// PromptID is that of the prompt; Expected is the whole line that a clean delivery has.
	PromptID string
	Expected string
	// Since bounds subagents' lines, which stand in files of their own.
	Since time.Time
}

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
	s := scan{win: win, rules: rules, index: map[string]int{}, out: Review{Tools: []Tool{}, Defects: []Defect{}}}
	t, err := transcript.Open(w.Account.Door, win.Path)
	if err != nil {
		return s.out, fmt.Errorf("reading the review: %w", err)
	}
	defer func() { _ = t.Close() }()
	if t.Size < win.From {
		return s.out, fmt.Errorf("reading the review in %s: it has %d bytes and had %d before the wake: its end is lost", win.Path, t.Size, win.From)
	}
	if err := t.Walk(win.From, s.add); err != nil {
		return s.out, err
	}
	s.subagents(w, win)
	s.finish()
	return s.out, nil
}

type scan struct {
	win     Window
	rules   *audit.Rules
	out     Review
	index   map[string]int // tool id to its place in out.Tools
	replyID string
	parts   []string
	ended   bool
	agents  bool // an agent was started
}

// add takes one entry; it answers false when a person's message ends the review.
func (s *scan) add(e *transcript.Entry) bool {
	if e.Bad != "" {
		s.out.BadLines++
	}
	if e.Sidechain {
		s.calls(e, "subagent")
		s.results(e)
		return true
	}
	switch e.Type {
	case "user":
		return s.user(e)
	case "assistant":
		s.assistant(e)
	case "attachment":
		if e.Get("attachment.type").Str == "queued_command" {
			prompt := e.Get("attachment.prompt")
			return s.person(e, promptText(prompt))
		}
	case "system":
		if e.Get("subtype").Str == "api_error" {
			s.out.Error = firstOf(e.Get("error.message").String(), e.Get("content").String(), "an API error")
		}
	}
	return true
}

func promptText(v gjson.Result) string {
	if v.Type == gjson.String {
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

func firstOf(list ...string) string {
	for _, s := range list {
		if s != "" {
			return s
		}
	}
	return ""
}

func (s *scan) stamp(e *transcript.Entry) {
	if !e.At.IsZero() {
		at := e.At
		s.out.LastAt = &at
	}
}

func (s *scan) user(e *transcript.Entry) bool {
	switch e.Speaker() {
	case transcript.Tool:
		s.stamp(e)
		s.results(e)
		s.ended = false
	case transcript.Person:
		return s.person(e, e.Text())
	case transcript.Notification, transcript.Other:
		s.stamp(e)
		s.ended = false
		if transcript.TextSpeaker(e.Text()) == transcript.Other || e.Speaker() == transcript.Other {
			s.defect(DefectForeign, "", "a message of another session or a schedule came into the review: %q", text.Clip(e.Text(), 200))
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
			s.defect(DefectJoined, "", "more than the prompt was delivered in one message: %q", text.Clip(extra(said, s.win.Expected), 300))
		}
	case prompts.IsOwn(said):
		// An earlier or later prompt of recovery's has a window of its own.
		if s.out.Started {
			return false
		}
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

func (s *scan) assistant(e *transcript.Entry) {
	s.stamp(e)
	if e.Synthetic() {
		if e.Get("isApiErrorMessage").Type == gjson.True {
			s.out.Error = e.Text()
		}
		return
	}
	s.out.Error = ""
	s.calls(e, "")
	id := e.Get("message.id").String()
	if id != s.replyID || id == "" {
		s.replyID, s.parts = id, nil
	}
	if said := e.Text(); said != "" {
		s.parts = append(s.parts, said)
	}
	switch e.Get("message.stop_reason").String() {
	case "end_turn", "stop_sequence", "refusal", "max_tokens":
		s.ended = true
		if len(s.parts) > 0 {
			s.out.Reply = strings.Join(s.parts, "\n")
			at := e.At
			s.out.ReplyAt = &at
		}
	default:
		s.ended = false
	}
}

// calls takes the tool calls of one message line. The same id twice is one call: lines are repeated in the wild.
func (s *scan) calls(e *transcript.Entry, agent string) {
	e.Get("message.content").ForEach(func(_, b gjson.Result) bool {
		kind := b.Get("type").Str
		switch kind {
		case "text", "thinking", "redacted_thinking", "tool_result", "image", "document", "fallback", "":
			return true
		}
		id, name := b.Get("id").String(), b.Get("name").String()
		if _, ok := s.index[id]; ok && id != "" {
			return true
		}
		call := Tool{ID: id, Name: name, Result: Pending, ChangedFiles: []string{}, Agent: agent}
		switch kind {
		case "tool_use", "server_tool_use", "mcp_tool_use":
			j := s.rules.Call(name, []byte(b.Get("input").Raw))
			call.Class, call.Summary, call.Reason = j.Class, j.Summary, j.Reason
			if kind != "tool_use" {
				call.Result = Done // the service runs these itself
			}
		default:
			if strings.HasSuffix(kind, "_tool_result") {
				return true
			}
			call.Name = firstOf(name, kind)
			call.Class, call.Reason, call.Result = audit.Unknown, fmt.Sprintf("a block of type %q is not known", kind), Done
		}
		if name == "Agent" || name == "Task" {
			s.agents = true
		}
		s.index[id] = len(s.out.Tools)
		s.out.Tools = append(s.out.Tools, call)
		return true
	})
}

// isolation is how the client's background guard refuses a call without a denial kind of its own.
const isolation = "This background session hasn't isolated its changes yet"

// results takes what came of tool calls.
func (s *scan) results(e *transcript.Entry) {
	denial := e.Get("toolDenialKind").String()
	e.Get("message.content").ForEach(func(_, b gjson.Result) bool {
		if b.Get("type").Str != "tool_result" {
			return true
		}
		i, ok := s.index[b.Get("tool_use_id").String()]
		if !ok {
			return true
		}
		t := &s.out.Tools[i]
		said := promptText(b.Get("content"))
		switch {
		case denial != "":
			t.Result = Denied
		case b.Get("is_error").Type == gjson.True && strings.HasPrefix(strings.TrimSpace(said), "<tool_use_error>"+isolation):
			t.Result = Denied
		case b.Get("is_error").Type == gjson.True:
			t.Result = Failed
		default:
			t.Result = Done
		}
		e.Get("toolUseResult.bashEditDiff.changedFiles").ForEach(func(_, f gjson.Result) bool {
			t.ChangedFiles = append(t.ChangedFiles, f.String())
			return true
		})
		if more := e.Get("toolUseResult.bashEditDiff.moreFiles").Int(); len(t.ChangedFiles) > 0 || more > 0 {
			t.Class = audit.Write
			t.Reason = "the client recorded that it changed files"
		}
		return true
	})
}

// subagents reads the files beside the transcript that hold subagents' own lines.
func (s *scan) subagents(w *inventory.World, win Window) {
	dir := filepath.Join(strings.TrimSuffix(win.Path, ".jsonl"), "subagents")
	var files []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if strings.HasSuffix(path, ".jsonl") {
			files = append(files, path)
		}
		return nil
	})
	if err != nil && !os.IsNotExist(err) {
		s.unread("the subagents' transcripts cannot be read: %v", err)
	}
	sort.Strings(files)
	for _, path := range files {
		t, err := transcript.Open(w.Account.Door, path)
		if err != nil {
			s.unread("a subagent's transcript cannot be read: %v", err)
			continue
		}
		name := strings.TrimSuffix(filepath.Base(path), ".jsonl")
		walk := t.Walk(0, func(e *transcript.Entry) bool {
			if !e.At.IsZero() && e.At.Before(win.Since) {
				return true
			}
			s.calls(e, name)
			s.results(e)
			return true
		})
		if walk != nil {
			s.unread("a subagent's transcript cannot be read: %v", walk)
		}
		_ = t.Close()
	}
}

// unread adds a call that cannot be judged: what cannot be read may hold anything.
func (s *scan) unread(format string, args ...any) {
	s.out.Tools = append(s.out.Tools, Tool{Name: "subagent", Class: audit.Unknown, Reason: fmt.Sprintf(format, args...), Result: Done, ChangedFiles: []string{}})
}

func (s *scan) finish() {
	r := &s.out
	r.Answered = r.Started && s.ended && r.Reply != ""
	if r.BadLines > 0 {
		s.unread("%d lines of the transcript cannot be read and may hold a call", r.BadLines)
	}
	for _, t := range r.Tools {
		if t.Class == audit.Write && t.Result != Denied {
			what := t.Summary
			if len(t.ChangedFiles) > 0 {
				what += " (changed: " + strings.Join(t.ChangedFiles, ", ") + ")"
			}
			s.defect(DefectWrite, t.ID, "%s %s, %s: %s", t.Name, t.Result, t.Reason, text.Clip(what, 300))
		}
	}
	if !r.Started {
		r.Reply = ""
	}
	if !r.Answered {
		return
	}
	v, err := ParseVerdict(r.Reply)
	if err != nil {
		r.Unclear = err.Error()
		return
	}
	r.Verdict = v
	if v.Verdict == VerdictDone && len(v.Open) > 0 {
		r.Unclear = "the verdict is DONE and it lists open items"
	}
	if v.Verdict == VerdictDone && r.Writes() > 0 {
		r.Unclear = "the verdict is DONE and the review wrote"
	}
}
