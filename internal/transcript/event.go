package transcript

import (
	"cmp"
	"slices"
	"strings"

	"recovery/internal/claude"

	"github.com/tidwall/gjson"
)

// OfModel says that the line is a part of a message of the model.
func (e *Entry) OfModel() bool { return e.Type == "assistant" && !e.Synthetic() }

// Synthetic says that an assistant line is the client's, not the model's.
func (e *Entry) Synthetic() bool {
	return e.root.Get("message.model").Str == claude.SyntheticModel || e.root.Get("isApiErrorMessage").Type == gjson.True
}

// Ends says that the turn is over with this line of the model.
func (e *Entry) Ends() bool { return e.OfModel() && claude.EndsTurn(e.stop()) }

func (e *Entry) stop() string { return e.root.Get("message.stop_reason").String() }

// Failed is the client's own text of an error that ended the turn; ok is false for every other line.
func (e *Entry) Failed() (said string, ok bool) {
	if e.Type != "assistant" || e.root.Get("isApiErrorMessage").Type != gjson.True {
		return "", false
	}
	return e.Text(), true
}

// Tried is the error of a try that the client repeats by itself: it ends no turn.
func (e *Entry) Tried() (said string, ok bool) {
	if e.Type != "system" || e.root.Get("subtype").Str != "api_error" {
		return "", false
	}
	return cmp.Or(e.root.Get("content").String(), e.root.Get("error.message").String(), e.root.Get("error").String()), true
}

// ownNote says that the client wrote the line by itself while nobody did anything.
func (e *Entry) ownNote() bool { return claude.OwnNote(e.root.Get("subtype").Str) }

// RunsCommand says that the line is a command that a person typed; whether the client or the model answers it is told
// by what comes behind it.
func (e *Entry) RunsCommand() bool {
	if e.Type != "user" || e.Speaker() != Command {
		return false
	}
	_, _, ok := claude.CommandLine(e.Text())
	return ok
}

// CommandName is the name of the command of the client that the line is, without its slash; empty when it is none.
func (e *Entry) CommandName() string {
	name, _, _ := claude.CommandLine(e.Text())
	return name
}

// CommandOutput says that the line is what a command printed that the client answered by itself.
func (e *Entry) CommandOutput() bool {
	if e.Type == "system" && e.root.Get("subtype").Str == "local_command" {
		return claude.LocalOutput(e.root.Get("content").String())
	}
	return e.Type == "user" && e.Speaker() == Command && claude.LocalOutput(e.Text())
}

// asTyped is what a person typed for a line that the client wrote of it: a command stands in the queue as "/name
// arguments", a shell command as its text.
func asTyped(text string) string {
	if name, args, ok := claude.CommandLine(text); ok && name != "" {
		return strings.TrimSpace("/" + name + " " + args)
	}
	if line, ok := claude.ShellLine(text); ok {
		return line
	}
	return text
}

// IDs are the ids under which a line, or the message in it, is known elsewhere.
func (e *Entry) IDs() []string {
	ids := []string{e.UUID, e.root.Get("attachment.source_uuid").String(), e.root.Get("commandUuid").String()}
	return slices.DeleteFunc(ids, func(id string) bool { return id == "" })
}

// Call is a tool call of the model.
type Call struct {
	// ID can be empty in a damaged line; Name is the tool's.
	ID, Name string
	Input    gjson.Result
	// Service says that the service runs it by itself: it has no result line.
	Service bool
	// Unknown is the kind of a block that is no call and no text as recovery knows them; empty for a call.
	Unknown string
}

// Ran says that the client ran the call: what it gave back stands in a line of its own.
func (c Call) Ran() bool { return !c.Service && c.Unknown == "" }

// Calls gives the calls in a line, in their order; fn returns false to end. A block of an unknown kind is among them:
// it may have done anything.
func (e *Entry) Calls(fn func(Call) bool) {
	eachBlock(e.root.Get("message.content"), func(b gjson.Result) bool {
		c := Call{ID: b.Get("id").String(), Name: b.Get("name").String(), Input: b.Get("input")}
		switch kind := b.Get("type").Str; kind {
		case "text", "thinking", "redacted_thinking", "tool_result", "image", "document", "fallback", "":
			return true
		case "tool_use":
		case "server_tool_use", "mcp_tool_use":
			c.Service = true
		default:
			if strings.HasSuffix(kind, "_tool_result") {
				return true
			}
			c.Unknown = kind
		}
		return fn(c)
	})
}

// Result is what came of a tool call.
type Result struct {
	// CallID is the call's, Text what the tool gave back.
	CallID, Text string
	// Failed says that the tool gave an error, which proves nothing of what it did before; Denied that it never ran.
	Failed, Denied bool
	record         gjson.Result
}

// Results gives the results of calls in a line.
func (e *Entry) Results(fn func(Result)) {
	denied := e.root.Get("toolDenialKind").String() != ""
	eachBlock(e.root.Get("message.content"), func(b gjson.Result) bool {
		if b.Get("type").Str == "tool_result" {
			r := Result{CallID: b.Get("tool_use_id").String(), Text: blockText(b.Get("content")), Denied: denied,
				record: e.root.Get("toolUseResult")}
			r.Failed = b.Get("is_error").Type == gjson.True
			r.Denied = denied || r.Failed && claude.Isolated(r.Text)
			fn(r)
		}
		return true
	})
}

// Undone says that the call did nothing, or failed.
func (r Result) Undone() bool { return r.Failed || r.Denied }

// Agent is the id of the subagent that the call started, Shell that of the background shell; empty when the client
// recorded none.
func (r Result) Agent() string { return r.record.Get("agentId").String() }

// Shell is the id of the background shell that the call started.
func (r Result) Shell() string { return r.record.Get("backgroundTaskId").String() }

// launched says that the subagent goes on behind the call.
func (r Result) launched() bool {
	return claude.LaunchedAgent(r.Text) || r.record.Get("isAsync").Type == gjson.True
}

// Changed are the files that the client itself recorded as changed, at most limit of them; wrote says that it
// recorded a change, with or without their names.
func (r Result) Changed(limit int) (files []string, wrote bool) {
	changed := func(path string) {
		if path != "" && len(files) < limit {
			files = append(files, path)
		}
	}
	r.record.Get("bashEditDiff.changedFiles").ForEach(func(_, f gjson.Result) bool {
		changed(f.String())
		return true
	})
	if len(files) == 0 {
		r.record.Get("bashEditDiff.files").ForEach(func(_, f gjson.Result) bool {
			changed(f.Get("filePath").String())
			return true
		})
	}
	// Edits leave a patch; a file that was only read has none.
	if r.record.Get("structuredPatch").IsArray() {
		changed(r.record.Get("filePath").String())
	}
	return files, len(files) > 0 || r.record.Get("bashEditDiff.moreFiles").Int() > 0
}

// Reply gathers the texts of one message of the model, whose parts stand on lines of their own.
type Reply struct {
	id    string
	parts []string
}

// Add takes a line of the model; it answers true when that begins another message.
func (r *Reply) Add(e *Entry) bool {
	id := e.root.Get("message.id").String()
	fresh := id != r.id || id == ""
	if fresh {
		r.id, r.parts = id, nil
	}
	if said := e.Text(); said != "" {
		r.parts = append(r.parts, said)
	}
	return fresh
}

// Text is what the message says so far.
func (r *Reply) Text() string { return strings.Join(r.parts, "\n") }

// Step is what a line does to the turn.
type Step int

// The steps. A Command begins a turn unless the client answers it by itself, which Undone tells afterwards.
const (
	Same Step = iota
	Begun
	ByCommand
	Undone
)

// Turns follows where turns begin: at a line in the user's role that is neither a tool's nor the client's own. A
// message that is handed over in the middle of a turn begins none.
type Turns struct{ open bool }

// Add takes the next line.
func (t *Turns) Add(e *Entry) Step {
	switch {
	case e.Sidechain:
		return Same
	case e.OfModel():
		t.open = false
		return Same
	case e.CommandOutput():
		undone := t.open
		t.open = false
		if undone {
			return Undone
		}
		return Same
	case e.Type != "user":
		return Same
	case e.RunsCommand():
		t.open = true
		return ByCommand
	}
	switch e.Speaker() {
	case Tool, Injected, Command:
		return Same
	}
	t.open = false
	return Begun
}

// LastMessage is the last line that is a user's or an assistant's, a subagent's included; nil when there is none that
// can be read.
func (t *File) LastMessage() *Entry {
	var out *Entry
	_ = t.WalkBack(func(e *Entry) bool {
		if e.Type == "user" || e.Type == "assistant" {
			out = e
		}
		return out == nil
	})
	return out
}
