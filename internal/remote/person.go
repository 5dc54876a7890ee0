package remote

import (
	"strings"

	"recovery/internal/claude"

	"github.com/tidwall/gjson"
)

// content is a message's content: texts, tool results, and the types of other blocks (an image says something too).
type content struct {
	given  bool
	texts  []string
	tool   bool
	others []string
}

func readContent(e entry) content {
	v := e.get("message")
	if v.IsObject() {
		v = v.Get("content")
	}
	for _, key := range []string{"content", "text"} {
		if !v.Exists() || v.Type == gjson.Null {
			v = e.get(key)
		}
	}
	c := content{given: present(v)}
	c.add(v)
	return c
}

func (c *content) add(v gjson.Result) {
	switch {
	case v.Type == gjson.String:
		c.texts = append(c.texts, v.String())
	case v.IsArray():
		v.ForEach(func(_, e gjson.Result) bool {
			if !e.IsArray() {
				c.add(e)
			}
			return true
		})
	case v.IsObject():
		switch kind := v.Get("type").String(); {
		case strings.HasSuffix(kind, "tool_result"):
			c.tool = true
		case v.Get("text").Type == gjson.String:
			c.texts = append(c.texts, v.Get("text").String())
		case kind == "tool_use", kind == "thinking", kind == "redacted_thinking":
		default:
			c.others = append(c.others, kind)
		}
	}
}

// text joins the texts; a message of nothing but other blocks shows their types, so that it is not taken for an empty
// one.
func (c content) text() string {
	var parts []string
	for _, t := range c.texts {
		if strings.TrimSpace(t) != "" {
			parts = append(parts, t)
		}
	}
	if len(parts) == 0 {
		for _, o := range c.others {
			if o != "" {
				parts = append(parts, "["+o+"]")
			}
		}
	}
	return strings.Join(parts, "\n")
}

// authors are who is behind the texts that the client puts into a user entry by itself.
var authors = map[claude.Author]string{
	claude.AuthorNotification: "a task notification",
	claude.AuthorSession:      "a message from another session",
	claude.AuthorSchedule:     "a scheduled task",
	claude.AuthorCommand:      "a client command",
	claude.AuthorOutput:       "a client command's output",
	claude.AuthorShell:        "a shell command and its output",
	claude.AuthorInjected:     "a reminder from the client",
	claude.AuthorInterrupted:  "the client's note of an interruption",
}

// marked says what a text is if no person wrote it.
func marked(t string) string {
	author, _ := claude.MarkedBy(t)
	return authors[author]
}

func inSubagent(e entry) bool {
	return e.any("parent_tool_use_id", present) || e.any("isSidechain", yes)
}

// notPerson says why a user entry is not a person's, "" when it is or may be one. Erring towards a person only keeps a
// session asleep; erring the other way would run a queued message.
func notPerson(e entry, c content) string {
	switch {
	case inSubagent(e):
		return "an entry inside a tool call (parent_tool_use_id)"
	case e.any("isSynthetic", yes):
		return "synthetic"
	case e.any("isMeta", yes):
		return "put in by the client (isMeta)"
	case e.any("isCompactSummary", yes):
		return "a summary of the conversation"
	}
	why := ""
	e.any("inbound_origin", func(v gjson.Result) bool {
		if strings.HasPrefix(strings.ToLower(word(v)), "mcp_") {
			why = "sent through a tool (" + word(v) + ")"
		}
		return why != ""
	})
	if why == "" {
		author, _ := claude.MachineOrigin(strings.ToLower(word(e.get("origin.kind"))))
		why = authors[author]
	}
	if why == "" && (e.any("toolUseResult", present) || e.any("tool_use_result", present)) {
		why = "a tool's result"
	}
	if why != "" || len(c.others) > 0 {
		return why
	}
	for _, t := range c.texts {
		if strings.TrimSpace(t) == "" {
			continue
		}
		w := marked(t)
		if w == "" {
			return ""
		}
		if why == "" {
			why = w
		}
	}
	if c.tool {
		return "a tool's result"
	}
	return why
}
