package agentsession

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"recovery/internal/account"
	"recovery/internal/sources/files"
	"recovery/internal/text"
)

// maxRestarts is the wrapper's default for max_restarts.
const maxRestarts = 3

// checkpoint is what a checkpoint tells, by whichever names.
type checkpoint struct {
	agent, session string // as the file has them; the path is what counts
	status         string // in its own words
	reason         string
	started, at    time.Time
	badTimes       []string // names of times that cannot be read

	task          string
	taskKnown     bool // the file says what the task is, or that there is none
	bus           string
	done, pending items
	memory        items
	messages      int // -1 when it is not recorded
	restarts      int // -1 when it is not recorded
	limit         int // max_restarts
	handoff       *handoff
}

// items is a list, of which some texts are kept.
type items struct {
	known bool
	count int
	first []string
}

// handoff is work that was passed to another agent and not taken yet.
type handoff struct {
	from, to, reason, path, task, progress, next string
	keyFiles                                     items
}

// parse reads a checkpoint. An error says that it is no JSON object.
func parse(data []byte) (checkpoint, error) {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	if strings.TrimSpace(string(data[:min(len(data), 64)])) == "" {
		return checkpoint{}, errors.New("is empty")
	}
	if !account.ValidJSON(data) {
		return checkpoint{}, files.ErrNotJSON
	}
	top := gjson.ParseBytes(data)
	if !top.IsObject() {
		return checkpoint{}, files.ErrNoObject
	}
	f := fieldsOf(top)
	c := checkpoint{limit: maxRestarts}
	c.session, c.agent = f.text("session_id", "session", "id"), f.text("agent", "agent_name", "agent_id")
	c.status, c.reason = f.text("status", "state", "session_status"), f.text("reason", "checkpoint_reason", "trigger")
	c.started = f.time(&c, "started_at", "start_time", "session_start", "started")
	c.at = f.time(&c, "checkpoint_at", "last_checkpoint", "last_checkpoint_at", "saved_at", "timestamp", "updated_at",
		"created_at")

	if v := f.get("current_task", "task", "task_context", "current_task_context", "current_context"); v.Exists() {
		c.task, c.taskKnown = taskText(v), true
	}
	c.bus = f.text("last_message_id", "bus_position", "last_processed_message_id", "last_processed", "position", "bus")
	c.done = f.items("completed", "completed_items", "done", "done_items")
	c.pending = f.items("pending", "pending_items", "todo", "remaining", "open")
	c.memory = f.items("memory", "memory_pointers", "memory_files")
	c.messages = f.number("messages_processed", "message_count", "messages")
	c.restarts = f.number("restarts", "restart_count")
	if n := f.number("max_restarts"); n >= 0 {
		c.limit = n
	}
	c.handoff = openHandoff(f.get("handoff", "hand_off"))
	return c, nil
}

// fields is an object's members, and those of the objects inside it that only group others, by simplified name.
type fields []map[string]gjson.Result

// groups are members that hold others in a layer of their own.
var groups = []string{"workingstate", "bus", "session", "checkpoint", "state", "wrapper", "context", "data"}

func fieldsOf(v gjson.Result) fields {
	top := layer(v)
	f := fields{top}
	for _, name := range groups {
		if inner := top[name]; inner.IsObject() {
			f = append(f, layer(inner))
		}
	}
	return f
}

func layer(v gjson.Result) map[string]gjson.Result {
	out := map[string]gjson.Result{}
	v.ForEach(func(k, member gjson.Result) bool {
		out[simple(k.Str)] = member
		return true
	})
	return out
}

// simple makes current_task, currentTask and Current-Task one name.
func simple(name string) string {
	return strings.ToLower(strings.Map(func(r rune) rune {
		if r == '_' || r == '-' || r == ' ' {
			return -1
		}
		return r
	}, name))
}

// get is the first of the names that is there: a better name goes before a better place.
func (f fields) get(names ...string) gjson.Result {
	for _, name := range names {
		for _, l := range f {
			if v := l[simple(name)]; v.Exists() {
				return v
			}
		}
	}
	return gjson.Result{}
}

// text is the first of the names that holds a text or a number.
func (f fields) text(names ...string) string {
	for _, name := range names {
		for _, l := range f {
			switch v := l[simple(name)]; v.Type {
			case gjson.String:
				if s := strings.TrimSpace(v.Str); s != "" {
					return s
				}
			case gjson.Number:
				return v.Raw
			}
		}
	}
	return ""
}

// number is a count, as a number or a text of digits; -1 when there is none.
func (f fields) number(names ...string) int {
	for _, name := range names {
		for _, l := range f {
			v := l[simple(name)]
			if v.Type != gjson.Number && v.Type != gjson.String {
				continue
			}
			if n := v.Float(); n >= 0 && n <= 1e9 && (n > 0 || strings.TrimLeft(v.String(), "0.") == "" && v.String() != "") {
				return int(n)
			}
		}
	}
	return -1
}

// time reads RFC 3339, or a number of seconds or milliseconds since 1970.
func (f fields) time(c *checkpoint, names ...string) time.Time {
	for _, name := range names {
		v := f.get(name)
		switch {
		case v.Type == gjson.String && strings.TrimSpace(v.Str) != "":
			if at := files.Time(v.Str, layouts...); !at.IsZero() {
				return at
			}
			c.badTimes = append(c.badTimes, name)
		case v.Type == gjson.Number && v.Num > 0 && v.Num < 1e11:
			return time.UnixMilli(int64(v.Num * 1000)).UTC()
		case v.Type == gjson.Number && v.Num >= 1e11 && v.Num < 1e14:
			return time.UnixMilli(int64(v.Num)).UTC()
		case v.Type == gjson.Number, v.Type == gjson.JSON, v.Type == gjson.True:
			c.badTimes = append(c.badTimes, name)
		}
	}
	return time.Time{}
}

// layouts are RFC 3339 with a blank for the T. A time without an offset is none: nobody knows of which zone it is.
var layouts = []string{"2006-01-02 15:04:05.999999999Z07:00", "2006-01-02 15:04:05.999999999 Z07:00"}

// taskText is a task as a text, or as an object that describes it. "none" is the skill's own word for no task.
func taskText(v gjson.Result) string {
	s := ""
	switch {
	case v.Type == gjson.String:
		s = strings.TrimSpace(v.Str)
	case v.Type == gjson.Number:
		s = v.Raw
	case v.IsObject():
		f := fields{layer(v)}
		s = f.text("description", "title", "task", "name", "summary", "id")
		if s == "" && len(f[0]) > 0 {
			s = "a task without a description"
		}
	case v.IsArray() && len(v.Array()) > 0:
		s = fmt.Sprintf("%d tasks", len(v.Array()))
	}
	if strings.EqualFold(s, "none") || strings.EqualFold(s, "null") {
		return ""
	}
	return s
}

// maxItems is how many texts of a list are kept.
const maxItems = 5

func (f fields) items(names ...string) items { return itemsOf(f.get(names...)) }

// itemsOf reads a list of texts or objects, an object whose names are the items, a single text, or a count.
func itemsOf(v gjson.Result) items {
	out := items{known: v.Exists() && !v.IsBool()}
	add := func(s string) {
		out.count++
		if len(out.first) < maxItems {
			out.first = append(out.first, text.Cut(s, 120))
		}
	}
	switch {
	case v.IsArray():
		v.ForEach(func(_, item gjson.Result) bool {
			if s := taskText(item); s != "" {
				add(s)
			} else if item.Type != gjson.Null {
				add(item.Raw[:min(len(item.Raw), 40)])
			}
			return true
		})
	case v.IsObject():
		v.ForEach(func(k, _ gjson.Result) bool {
			add(k.Str)
			return true
		})
	case v.Type == gjson.String && strings.TrimSpace(v.Str) != "" && !strings.EqualFold(strings.TrimSpace(v.Str), "none"):
		add(strings.TrimSpace(v.Str))
	case v.Type == gjson.Number && v.Num >= 0 && v.Num < 1e9:
		out.count = int(v.Num)
	case v.Type == gjson.Number:
		out.known = false // no count: it must not read as "nothing is left"
	}
	return out
}

// text is "2: one, two" with what is known of it.
func (i items) text() string {
	switch {
	case !i.known:
		return ""
	case len(i.first) == 0:
		return fmt.Sprint(i.count)
	}
	s := fmt.Sprintf("%d: %s", i.count, strings.Join(i.first, "; "))
	if i.count > len(i.first) {
		s += "; …"
	}
	return s
}

// openHandoff reads a hand-off; nil when there is none or it was taken.
func openHandoff(v gjson.Result) *handoff {
	if v.Type == gjson.String && strings.TrimSpace(v.Str) != "" {
		return &handoff{to: strings.TrimSpace(v.Str)}
	}
	if !v.IsObject() {
		return nil
	}
	f := fieldsOf(v)
	if len(f[0]) == 0 || f.get("accepted", "completed", "closed", "done").Type == gjson.True ||
		f.text("accepted_at", "completed_at", "closed_at") != "" {
		return nil
	}
	switch strings.ToLower(f.text("status", "state")) {
	case "accepted", "completed", "closed", "done", "cancelled", "canceled", "rejected":
		return nil
	}
	return &handoff{
		from: f.text("from", "sender"), to: f.text("to", "receiver", "recipient"), reason: f.text("reason", "why"),
		path: f.text("checkpoint_path", "checkpoint"), task: taskText(f.get("task", "current_task")),
		progress: f.text("progress"),
		next:     f.text("next", "next_step", "next_steps"), keyFiles: f.items("key_files", "files"),
	}
}
