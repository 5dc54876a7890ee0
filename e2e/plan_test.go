//go:build e2e

package e2e

import (
	"encoding/json"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// rule is how the stub answers a message of the user that Match is found in. Delay is in seconds, before the first
// answer. With a Status the answer is an error of the service in the words of Error.
type rule struct {
	Match string     `json:"match"`
	Delay int        `json:"delay,omitempty"`
	Reply string     `json:"reply,omitempty"`
	Tools []toolCall `json:"tools,omitempty"`

	Status int    `json:"status,omitempty"`
	Kind   string `json:"kind,omitempty"`
	Error  string `json:"error,omitempty"`
}

type toolCall struct {
	Name  string          `json:"name"`
	Input json.RawMessage `json:"input"`
}

func loadRules(path string) []rule {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	var rules []rule
	_ = json.Unmarshal(data, &rules)
	return rules
}

// message is one message of a request.
type message struct {
	Role    string          `json:"role"`
	Content json.RawMessage `json:"content"`
}

func (m message) blocks() []block {
	var list []block
	_ = json.Unmarshal(m.Content, &list) // a plain text is no list
	return list
}

var reminder = regexp.MustCompile(`(?s)<system-reminder>.*?</system-reminder>`)

// text is what a person, or a caller, put into the message; the client's own reminders are taken out.
func (m message) text() string {
	var s string
	if json.Unmarshal(m.Content, &s) != nil {
		var parts []string
		for _, b := range m.blocks() {
			if b.Type == "text" {
				parts = append(parts, b.Text)
			}
		}
		s = strings.Join(parts, " ")
	}
	return strings.TrimSpace(reminder.ReplaceAllString(s, ""))
}

type answer struct {
	status  int
	kind    string
	problem string
	delay   time.Duration
	content []block
	stop    string
}

var (
	toolWord   = regexp.MustCompile(`(?s)\[\[tool:(\w+) (\{.*?\})\]\]`)
	sleepWord  = regexp.MustCompile(`\[\[sleep:(\d+)\]\]`)
	statusWord = regexp.MustCompile(`\[\[status:(\d+)\]\]`)
	replyWord  = regexp.MustCompile(`(?s)\[\[reply:(.*?)\]\]`)
)

// plan decides by the latest text of the user: directives inside it first, then the first rule that fits. Tools are
// called one after another, then comes the reply.
func plan(messages []message, rules []rule, newID func(string) string) answer {
	said, done := latest(messages)
	var fits rule
	for _, r := range rules {
		if re, err := regexp.Compile("(?s)" + r.Match); err == nil && re.MatchString(said) {
			fits = r
			break
		}
	}
	if m := toolWord.FindAllStringSubmatch(said, -1); m != nil {
		fits.Tools = nil
		for _, t := range m {
			fits.Tools = append(fits.Tools, toolCall{t[1], json.RawMessage(t[2])})
		}
	}
	a := answer{status: http.StatusOK, kind: "api_error", problem: "stub", stop: "end_turn"}
	if done == 0 {
		a.delay = time.Duration(fits.Delay) * time.Second
	}
	if m := sleepWord.FindStringSubmatch(said); m != nil && done == 0 {
		n, _ := strconv.Atoi(m[1])
		a.delay = time.Duration(n) * time.Second
	}
	if m := statusWord.FindStringSubmatch(said); m != nil {
		a.status, _ = strconv.Atoi(m[1])
		return a
	}
	if fits.Status != 0 {
		a.status, a.kind, a.problem = fits.Status, fits.Kind, fits.Error
		return a
	}
	if done < len(fits.Tools) {
		t := fits.Tools[done]
		a.stop = "tool_use"
		a.content = []block{{Type: "text", Text: "Running " + t.Name + "."}, {Type: "tool_use", ID: newID("toolu"),
			Name: t.Name, Input: t.Input}}
		return a
	}
	text := "Hello from the model stub."
	if fits.Reply != "" {
		text = fits.Reply
	}
	if m := replyWord.FindStringSubmatch(said); m != nil {
		text = strings.ReplaceAll(m[1], `\n`, "\n")
	}
	a.content = []block{{Type: "text", Text: text}}
	return a
}

// latest is the last text of the user and how many tool results came after it.
func latest(messages []message) (said string, done int) {
	for i := len(messages) - 1; i >= 0; i-- {
		m := messages[i]
		if m.Role != "user" {
			continue
		}
		if said = m.text(); said != "" {
			return said, done
		}
		for _, b := range m.blocks() {
			if b.Type == "tool_result" {
				done++
			}
		}
	}
	return said, done
}

var asks = regexp.MustCompile(`(?i)reply go|awaiting your|\?\s*$`)

// sideAnswer is for the client's helper requests: the one-line state of a job, or a title.
func sideAnswer(messages []message) string {
	said := ""
	if n := len(messages); n > 0 {
		said = messages[n-1].text()
	}
	tail := said
	if i := strings.LastIndex(said, "):\n"); i >= 0 {
		tail = said[i+3:]
	}
	tail = strings.TrimSpace(tail)
	first, _, _ := strings.Cut(tail, "\n")
	var out any = map[string]any{"title": "stub title", "isNewTopic": false}
	switch {
	case !strings.Contains(said, "Assistant message tail"):
	case asks.MatchString(tail):
		out = map[string]any{"state": "blocked", "detail": "waits for a go", "tempo": "blocked",
			"needs": clip(tail[strings.LastIndex(tail, "\n")+1:], 120), "output": map[string]any{}}
	default:
		out = map[string]any{"state": "done", "detail": "finished", "tempo": "idle",
			"output": map[string]any{"result": clip(first, 120)}}
	}
	data, _ := json.Marshal(out)
	return string(data)
}

func clip(s string, n int) string {
	if len(s) > n {
		return s[:n]
	}
	return s
}
