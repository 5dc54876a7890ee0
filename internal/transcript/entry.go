package transcript

import (
	"bytes"
	"fmt"
	"strings"
	"time"

	"recovery/internal/account"
	"recovery/internal/claude"

	"github.com/tidwall/gjson"
)

// Entry is one line, understood as far as recovery needs: one event of the stream that a conversation is. What it
// says of a speaker, a text, a call, a result, the end of a turn or the queue is read here and nowhere else.
type Entry struct {
	Line
	// Type is user, assistant, attachment, system, queue-operation, continued-in or a kind of bookkeeping.
	Type string
	UUID string
	// At is the line's timestamp; zero when it has none.
	At        time.Time
	Sidechain bool
	// Bad says why the line, or a part of it, could not be read: something may be hidden there.
	Bad  string
	root gjson.Result
}

// Conversation says whether the line belongs to the main conversation.
func (e *Entry) Conversation() bool {
	switch e.Type {
	case "user", "assistant", "attachment", "system":
		return !e.Sidechain
	}
	return false
}

// conversationKeys are the keys whose loss would change what a line means; a near miss is damage.
var conversationKeys = []string{
	"type", "message", "isSidechain", "isMeta", "timestamp", "operation", "content", "origin", "isApiErrorMessage",
	"isCompactSummary", "toolUseResult", "toolDenialKind", "attachment",
}

var conversationTypes = []string{"user", "assistant", "attachment", "system", claude.TypeQueue, claude.TypeContinuedIn}

// parse understands one line. Blank lines give an entry without type and without damage.
func parse(line Line) *Entry {
	e := &Entry{Line: line}
	if line.Data == nil && line.Size > 1 {
		e.Bad = fmt.Sprintf("a line of %d bytes is too large to read", line.Size)
		return e
	}
	data := bytes.TrimSpace(line.Data)
	if line.Offset == 0 {
		data = bytes.TrimPrefix(data, []byte("\ufeff"))
	}
	if trimmed := bytes.Trim(data, "\x00"); len(trimmed) != len(data) {
		e.Bad = fmt.Sprintf("a run of %d NUL bytes", len(data)-len(trimmed))
		data = bytes.TrimSpace(trimmed)
	}
	if len(data) == 0 {
		return e
	}
	if !account.ValidJSON(data) {
		e.Bad = "a line that is not valid JSON"
		if line.Torn {
			e.Bad = "a torn last line"
		}
		rest := salvage(data)
		if rest == nil {
			return e
		}
		data, e.Bad = rest, "a cut-off line glued to the next one"
	}
	e.Data = data
	e.root = gjson.ParseBytes(data)
	if !e.root.IsObject() {
		e.Bad = "a line that is not a JSON object"
		return e
	}
	e.fill()
	return e
}

func (e *Entry) fill() {
	seen := map[string]bool{}
	var keys []string
	e.root.ForEach(func(k, v gjson.Result) bool {
		key := k.String()
		if seen[key] {
			e.damaged("a line with the key %q twice", key)
		}
		seen[key] = true
		switch key {
		case "type":
			e.Type = v.String()
			if v.Type != gjson.String || !account.Plain(e.Type) {
				e.damaged("a line of the damaged type %q", e.Type)
			}
		case "uuid":
			e.UUID = v.String()
		case "timestamp":
			t, err := time.Parse(time.RFC3339Nano, v.String())
			if err == nil {
				e.At = t.UTC()
			} else if v.Type != gjson.Null {
				keys = append(keys, key)
			}
		case "isSidechain":
			e.Sidechain = v.Type == gjson.True
		default:
			keys = append(keys, key)
		}
		return true
	})
	for _, key := range keys {
		switch meant, near := account.NearMiss(key, conversationKeys); {
		case near && !seen[meant]:
			e.damaged("a line with a key %q that looks like a damaged %s", key, meant)
		case !account.Plain(key):
			e.damaged("a line with a damaged key %q", key)
		case key == "timestamp" && (e.Conversation() || e.Type == "queue-operation"):
			e.damaged("a line whose timestamp cannot be read")
		}
	}
	switch {
	case e.Type == "":
		e.damaged("a line without a type")
	case e.Type == "user" || e.Type == "assistant":
		content := e.root.Get("message.content")
		if content.Type != gjson.String && !content.IsArray() {
			e.damaged("a line of type %s without a message", e.Type)
		}
		eachBlock(content, func(b gjson.Result) bool {
			e.checkBlock(b)
			return e.Bad == ""
		})
	case e.Type == "attachment":
		// Only one kind matters: a message that was handed over.
		a := e.root.Get("attachment")
		kind := a.Get("type")
		_, near := account.NearMiss(kind.String(), []string{claude.QueuedCommand})
		if a.Exists() && (kind.Type != gjson.String || !account.Plain(kind.Str) || near) {
			e.damaged("an attachment of the damaged type %q", kind.String())
		}
	default:
		if meant, ok := account.NearMiss(e.Type, conversationTypes); ok {
			e.damaged("a line of type %q that looks like a damaged %s", e.Type, meant)
		}
	}
}

// blockTypes are the kinds of blocks that say who speaks and what is open.
var blockTypes = []string{"text", "tool_use", "tool_result"}

func (e *Entry) checkBlock(b gjson.Result) {
	kind := b.Get("type")
	_, near := account.NearMiss(kind.Str, blockTypes)
	switch {
	case kind.Type != gjson.String || near || !account.Plain(kind.Str):
		e.damaged("a line with a block of the damaged type %q", kind.String())
	case kind.Str == "text" && b.Get("text").Type != gjson.String:
		e.damaged("a line with a block of text without a text")
	}
}

// damaged notes what is wrong with the line; what was found first is kept.
func (e *Entry) damaged(format string, args ...any) {
	if e.Bad == "" {
		e.Bad = fmt.Sprintf(format, args...)
	}
}

// salvage finds a whole record at the end of a line that begins with a cut-off one.
func salvage(data []byte) []byte {
	at := 0
	for range 64 {
		i := bytes.Index(data[at+1:], []byte(`{"`))
		if i < 0 {
			return nil
		}
		at += 1 + i
		rest := data[at:]
		if account.ValidJSON(rest) && gjson.GetBytes(rest, "type").Type == gjson.String &&
			gjson.GetBytes(rest, "uuid").Exists() {
			return rest
		}
	}
	return nil
}

// Speaker is who is behind a user line.
type Speaker string

// The speakers. Person also covers prompts given on the command line: the client stores both alike.
const (
	Person       Speaker = "person"
	Tool         Speaker = "tool"
	Injected     Speaker = "injected"
	Notification Speaker = "notification"
	Command      Speaker = "command"
	Interrupted  Speaker = "interrupted"
	Other        Speaker = "other" // another session, a schedule, a channel
	Nobody       Speaker = ""
)

// speakers are who is behind the client's markers.
var speakers = map[claude.Author]Speaker{
	claude.AuthorCommand: Command, claude.AuthorOutput: Command, claude.AuthorShell: Command,
	claude.AuthorNotification: Notification, claude.AuthorInjected: Injected,
	claude.AuthorInterrupted: Interrupted, claude.AuthorSession: Other, claude.AuthorSchedule: Other,
}

// Handed says that the line is a message that waited in the queue and was handed over in the middle of a turn.
func (e *Entry) Handed() bool {
	return e.Type == "attachment" && e.root.Get("attachment.type").Str == claude.QueuedCommand
}

// Speaker says who speaks in a user line or in a message that was handed over; Nobody for every other line.
func (e *Entry) Speaker() Speaker {
	origin := "origin.kind"
	switch {
	case e.Handed():
		origin = "attachment.origin.kind"
	case e.Type != "user":
		return Nobody
	case e.hasToolResult() || e.root.Get("toolUseResult").Exists():
		return Tool
	case e.summary():
		return Injected
	}
	by := Person
	switch kind := e.root.Get(origin).String(); kind {
	case "", claude.OriginHuman:
		by = e.textSpeaker()
	case claude.OriginNotification:
		by = Notification
	default:
		by = Other
	}
	// The client puts messages of other sessions in as its own lines.
	if e.Type == "user" && e.root.Get("isMeta").Type == gjson.True && by != Other && TextSpeaker(e.Text()) != Other {
		return Injected
	}
	return by
}

// summary says that the line tells what was said once more, after the client shortened the conversation.
func (e *Entry) summary() bool { return e.root.Get("isCompactSummary").Type == gjson.True }

// textSpeaker says who is behind the line's text. The client puts notes of its own beside what a person typed or
// pasted, each in a block: one block of a person's makes the line a person's.
func (e *Entry) textSpeaker() Speaker {
	speaker := Nobody
	eachBlock(e.content(), func(b gjson.Result) bool {
		if b.Get("type").Str != "text" {
			speaker = Person
			return false
		}
		if strings.TrimSpace(b.Get("text").String()) == "" {
			return true
		}
		if s := TextSpeaker(b.Get("text").String()); speaker == Nobody || s == Person {
			speaker = s
		}
		return speaker != Person
	})
	if speaker != Nobody {
		return speaker
	}
	return TextSpeaker(e.Text())
}

// TextSpeaker says who is behind a text in the user's role, by how it begins.
func TextSpeaker(s string) Speaker {
	if author, ok := claude.MarkedBy(s); ok {
		return speakers[author]
	}
	return Person
}

func (e *Entry) hasToolResult() bool {
	found := false
	eachBlock(e.root.Get("message.content"), func(b gjson.Result) bool {
		found = found || b.Get("type").Str == "tool_result"
		return !found
	})
	return found
}

// Text is what the line's message says: its text blocks, or the whole content when that is a text.
func (e *Entry) Text() string { return blockText(e.content()) }

func (e *Entry) content() gjson.Result {
	if e.Handed() {
		return e.root.Get("attachment.prompt")
	}
	return e.root.Get("message.content")
}

// blockText is a content that is a text or a list of blocks.
func blockText(content gjson.Result) string {
	if content.Type == gjson.String {
		return content.String()
	}
	var parts []string
	eachBlock(content, func(b gjson.Result) bool {
		if b.Get("type").Str == "text" {
			parts = append(parts, b.Get("text").String())
		}
		return true
	})
	return strings.Join(parts, "\n")
}

// eachBlock goes through the blocks of a content; a content that is a text has none.
func eachBlock(content gjson.Result, fn func(b gjson.Result) bool) {
	if !content.IsArray() {
		return
	}
	content.ForEach(func(_, b gjson.Result) bool { return fn(b) })
}
