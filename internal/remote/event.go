package remote

import (
	"regexp"
	"strings"
	"time"

	"github.com/tidwall/gjson"
)

// Event is one entry of a session's event list.
type Event struct {
	UUID string    // the same as in the local transcript; "" when the entry has none
	At   time.Time // zero when the entry has no usable time: it must then count as late as any
	Kind string    // user, assistant, system, result, ...; "" when it cannot be told
	// Person says that a person wrote it. A user entry is a person's unless something says otherwise (Why).
	Person bool
	Text   string // the text as it is, unescaped
	Why    string // for a user entry that is not a person's: what it is
	// Turn says that the entry is part of the conversation's turns: user, assistant or result, outside sub-agents.
	Turn bool
}

// knownKinds are looked for before any other member; user first, since that is the one that must not be missed.
var knownKinds = []string{"user", "assistant", "result", "system", "control_request", "control_response",
	"control_cancel_request",
	"tool_progress", "env_manager_log", "stream_event", "rate_limit_event", "auth_status", "keep_alive"}

var kindPrefix = regexp.MustCompile(`^(?:session_)?event_(?:type|kind)_`)

// entry is a row with the objects inside it, the innermost first. A field may stand in any of them.
type entry struct {
	kind   string
	layers []gjson.Result
}

// openRow finds the kind and the layers: the kind is a member beside created_at, or `type`, or `event_type` with a
// payload.
func openRow(row gjson.Result) entry {
	var e entry
	push := func(v gjson.Result) {
		if v.IsObject() {
			e.layers = append([]gjson.Result{v}, e.layers...)
		}
	}
	push(row)
	push(row.Get("payload"))
	for _, kind := range knownKinds {
		if body := e.layers[0].Get(kind); body.IsObject() {
			e.kind = kind
			push(body)
			break
		}
	}
	if e.kind == "" {
		for _, name := range []string{"event_type", "type"} {
			if v := row.Get(name); v.Type == gjson.String && v.Str != "" && e.kind == "" {
				e.kind = v.Str
			}
		}
	}
	if e.kind == "" {
		if name, body := onlyObject(row); name != "" {
			e.kind = name
			push(body)
		}
	}
	push(e.layers[0].Get("internal_anthropic_catchall"))
	e.kind = kindPrefix.ReplaceAllString(strings.ToLower(strings.TrimSpace(e.kind)), "")
	return e
}

// onlyObject returns the one member of a row that is an object and no part of a message: a kind that is not known by
// name.
func onlyObject(row gjson.Result) (string, gjson.Result) {
	var name string
	var body gjson.Result
	n := 0
	row.ForEach(func(k, v gjson.Result) bool {
		switch k.String() {
		case "message", "payload", "metadata", "internal_anthropic_catchall":
		default:
			if v.IsObject() {
				name, body = k.String(), v
				n++
			}
		}
		return true
	})
	if n != 1 {
		return "", gjson.Result{}
	}
	return name, body
}

func (e entry) get(key string) gjson.Result {
	for _, layer := range e.layers {
		if v := layer.Get(key); v.Exists() && v.Type != gjson.Null {
			return v
		}
	}
	return gjson.Result{}
}

func (e entry) any(key string, test func(gjson.Result) bool) bool {
	for _, layer := range e.layers {
		if test(layer.Get(key)) {
			return true
		}
	}
	return false
}

// readEvent reads a row; problems are what is odd about it. Nothing is left out.
func readEvent(row gjson.Result) (ev Event, problems []string) {
	e := openRow(row)
	ev.Kind = e.kind
	for _, key := range []string{"uuid", "event_id", "id"} {
		if ev.UUID = word(e.get(key)); ev.UUID != "" {
			break
		}
	}
	ev.At, problems = e.time()

	content := readContent(e)
	ev.Text = content.text()
	if ev.Text == "" && e.kind == "result" {
		ev.Text = e.get("result").String()
	}
	role := strings.ToLower(e.get("message.role").String())
	if role == "" {
		role = strings.ToLower(word(e.get("role")))
	}
	user := userKind(e.kind) || role == "user" || role == "human"
	if e.kind == "" {
		problems = append(problems, "the kind of this event cannot be told")
		user = user || (content.given && role != "assistant")
	}
	if user {
		ev.Why = notPerson(e, content)
		ev.Person = ev.Why == ""
		if ev.Person && ev.Text == "" {
			problems = append(problems, "a user entry without text: counted as a person's")
		}
		if ev.Person && ev.UUID == "" {
			problems = append(problems, "a person's entry without uuid: it cannot be looked up in the transcript")
		}
	}
	ev.Turn = (user || e.kind == "assistant" || e.kind == "result" || role == "assistant") && !inSubagent(e)
	return ev, problems
}

func userKind(kind string) bool {
	return kind == "user" || kind == "human" || strings.HasPrefix(kind, "user_") || strings.HasPrefix(kind, "user.")
}

// time is created_at, of the row itself if it has one, else the entry's own timestamp.
func (e entry) time() (time.Time, []string) {
	var problems []string
	for i := len(e.layers) - 1; i >= 0; i-- {
		for _, key := range []string{"created_at", "timestamp"} {
			at, problem := readTime(key, e.layers[i].Get(key))
			if problem != "" {
				problems = append(problems, problem)
			}
			if !at.IsZero() {
				return at, problems
			}
		}
	}
	if len(problems) == 0 {
		problems = []string{"no created_at"}
	}
	return time.Time{}, append(problems, "without a usable time: counted as late as any")
}
