package review

import (
	"cmp"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"

	"recovery/internal/account"
	"recovery/internal/audit"
	"recovery/internal/claude"
	"recovery/internal/text"
	"recovery/internal/transcript"
)

// calls takes the tool calls of one message line. The same id twice is one call: lines are repeated in the wild.
func (s *scan) calls(e *transcript.Entry, agent string) {
	e.Calls(func(b transcript.Call) bool {
		if _, ok := s.index[b.ID]; ok && b.ID != "" {
			return true
		}
		call := Tool{ID: b.ID, Name: b.Name, Result: Pending, ChangedFiles: []string{}, Agent: agent,
			AfterReply: agent == "" && s.out.WentOn}
		switch {
		case b.Unknown != "":
			call.Name = cmp.Or(b.Name, b.Unknown)
			call.Class, call.Reason, call.Result = audit.Unknown, fmt.Sprintf("a block of type %q is not known", b.Unknown), Done
		default:
			j := s.rules.Call(b.Name, []byte(b.Input.Raw))
			call.Class, call.Summary, call.Reason, call.Network = j.Class, text.CutBytes(j.Summary, maxSummary, " …"), j.Reason,
				j.Network
			if b.Service {
				call.Result = Done // the service runs these itself
			}
		}
		s.index[b.ID] = len(s.out.Tools)
		if agent != "" {
			s.agentAt[len(s.out.Tools)] = e.At
		}
		s.out.Tools = append(s.out.Tools, call)
		return true
	})
}

// results takes what came of tool calls.
func (s *scan) results(e *transcript.Entry) {
	e.Results(func(r transcript.Result) {
		i, ok := s.index[r.CallID]
		if !ok {
			return
		}
		t := &s.out.Tools[i]
		switch {
		case r.Denied:
			t.Result = Denied
		case r.Failed:
			t.Result = Failed
		default:
			t.Result = Done
		}
		if !r.Denied {
			recorded(r, t)
		}
		if id := r.Agent(); id != "" && claude.StartsAgent(t.Name) {
			s.agents[i] = id
		}
	})
}

// recorded takes what the client itself wrote down as changed. That beats every rule: the command's text may hide it.
func recorded(r transcript.Result, t *Tool) {
	files, wrote := r.Changed(maxChanged - len(t.ChangedFiles))
	t.ChangedFiles = append(t.ChangedFiles, files...)
	if wrote {
		t.Class, t.Reason = audit.Write, "the client recorded that it changed files"
	}
}

// maxChanged and maxSummary bound what is kept of one call.
const (
	maxChanged = 100
	maxSummary = 4 << 10
)

// judgeAgents judges a subagent's start by its own calls, which are listed beside it, when its transcript was found.
func (s *scan) judgeAgents() {
	for i, id := range s.agents {
		t := &s.out.Tools[i]
		if t.Class == audit.Unknown && s.read["agent-"+id] {
			t.Class, t.Reason = audit.Read, "a subagent, judged by its own calls"
		}
	}
}

// agentsAfter tells the subagents' calls that were made after the reply: an agent that a wake brought back acts on.
func (s *scan) agentsAfter() {
	if !s.out.Answered || s.out.ReplyAt == nil || s.out.UserAfter {
		return
	}
	for i, at := range s.agentAt {
		if at.After(*s.out.ReplyAt) {
			s.out.Tools[i].AfterReply, s.out.WentOn = true, true
		}
	}
}

// subagents reads the files beside the transcript that hold subagents' own lines.
func (s *scan) subagents(door account.Door, win Window) {
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
		t, err := transcript.Open(door, path)
		if err != nil {
			s.unread("a subagent's transcript cannot be read: %v", err)
			continue
		}
		name := strings.TrimSuffix(filepath.Base(path), ".jsonl")
		s.read[name] = true
		walk := t.Walk(0, func(e *transcript.Entry) bool {
			if !e.At.IsZero() && e.At.Before(win.Since) {
				return true
			}
			s.calls(e, name)
			s.results(e)
			return true
		})
		if walk != nil {
			s.read[name] = false
			s.unread("a subagent's transcript cannot be read: %v", walk)
		}
		_ = t.Close()
	}
}

// unread adds a call that cannot be judged: what cannot be read may hold anything.
func (s *scan) unread(format string, args ...any) {
	s.out.Tools = append(s.out.Tools, Tool{Name: "subagent", Class: audit.Unknown, Reason: fmt.Sprintf(format, args...),
		Result: Done, ChangedFiles: []string{}})
}
