package transcript

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
	"time"

	"recovery/internal/claude"
	"recovery/internal/text"

	"github.com/tidwall/gjson"
)

// Background is work that was started and whose end the transcript does not tell: a wake starts a cut agent again,
// and a shell can run on without its session.
type Background struct {
	// ID is the call's, Kind is agent, shell or schedule, Label is how the call describes it; Task is the id under which
	// the client knows it, empty when that was not told.
	ID, Kind, Label, Task string
	At                    time.Time
}

// The kinds of background work.
const (
	WorkAgent    = "agent"
	WorkShell    = "shell"
	WorkSchedule = "schedule"
)

// OpenCall is a call of the main conversation without a result, on a branch that the last line does not continue.
type OpenCall struct {
	ID, Tool, Text string
	At             time.Time
	uuid           string
}

// work folds what a conversation started: its calls, which of them have a result, and which go on without their
// session.
type work struct {
	open       map[string]*OpenCall
	order      []string // ids of open, in the order of the calls; some are closed by now
	background map[string]*Background
	begun      []string          // ids of background, likewise
	tasks      map[string]string // the id of a task to that of its call
	over       map[string]bool   // the ids of tasks that ended
	stops      map[string]string // a call that stops a task to the task's id
}

func newWork() *work {
	return &work{open: map[string]*OpenCall{}, background: map[string]*Background{}, tasks: map[string]string{},
		over: map[string]bool{}, stops: map[string]string{}}
}

// calls takes the calls of an assistant line.
func (w *work) calls(e *Entry) {
	e.Calls(func(c Call) bool {
		id, name, input := c.ID, c.Name, c.Input
		if !c.Ran() || id == "" || w.open[id] != nil {
			return true
		}
		w.open[id] = &OpenCall{ID: id, Tool: name, Text: label(name, input), At: e.At, uuid: e.UUID}
		w.order = append(w.order, id)
		switch {
		case claude.StopsTask(name):
			w.stops[id] = cmp.Or(input.Get("task_id").String(), input.Get("shell_id").String(), input.Get("bash_id").String())
		case name == claude.ToolWakeup:
			w.begin(&Background{ID: id, Kind: WorkSchedule, Label: label(name, input), At: wakeupAt(e.At, input)})
		case name == claude.ToolMessage && w.tasks[input.Get("to").String()] != "":
			agent := w.tasks[input.Get("to").String()]
			w.begin(&Background{ID: agent, Kind: WorkAgent, Label: label(name, input), At: e.At, Task: input.Get("to").String()})
			delete(w.over, input.Get("to").String())
		case claude.StartsAgent(name) && input.Get("run_in_background").Type == gjson.True:
			w.begin(&Background{ID: id, Kind: WorkAgent, Label: label(name, input), At: e.At})
		}
		return true
	})
}

func wakeupAt(at time.Time, input gjson.Result) time.Time {
	return at.Add(time.Duration(input.Get("delaySeconds").Float() * float64(time.Second)))
}

func (w *work) begin(b *Background) {
	if w.background[b.ID] == nil {
		w.begun = append(w.begun, b.ID)
	}
	w.background[b.ID] = b
}

// label is how a call says what it does.
func label(name string, input gjson.Result) string {
	keys := []string{"command", "description", "file_path", "skill", "reason", "prompt", "url", "pattern"}
	if claude.StartsAgent(name) {
		keys = []string{"description", "prompt"}
	}
	for _, key := range keys {
		if s := input.Get(key).String(); s != "" {
			return text.Clip(s, 200)
		}
	}
	return text.Clip(input.Raw, 200)
}

// results takes the results of calls in a user line.
func (w *work) results(e *Entry) {
	e.Results(func(r Result) {
		id := r.CallID
		call := w.open[id]
		delete(w.open, id)
		switch {
		case r.Undone():
			delete(w.background, id)
		case w.stops[id] != "":
			w.ended(w.stops[id])
		case call == nil:
		case claude.StartsAgent(call.Tool) && r.launched():
			w.begin(&Background{ID: id, Kind: WorkAgent, Label: call.Text, At: call.At})
			w.task(id, r.Agent())
		case claude.StartsAgent(call.Tool):
			delete(w.background, id) // it answered at once
		case r.Shell() != "":
			w.begin(&Background{ID: id, Kind: WorkShell, Label: call.Text, At: call.At})
			w.task(id, r.Shell())
		}
	})
}

func (w *work) task(call, task string) {
	if task != "" {
		w.tasks[task] = call
		w.background[call].Task = task
	}
}

// ended takes background work away, by its task's id or its call's.
func (w *work) ended(id string) {
	if id == "" {
		return
	}
	w.over[id] = true
	if call, ok := w.tasks[id]; ok {
		id = call
	}
	delete(w.background, id)
}

// notified reads a task's notification: only one that tells of an end which the client saw ends anything.
func (w *work) notified(said string) {
	for _, n := range claude.Notifications(said) {
		if n.Ended {
			w.ended(n.TaskID)
			w.ended(n.ToolUseID)
		}
	}
}

// rest is the background work without an end, in the order of its calls. A schedule that was due before the last line
// has been met.
func (w *work) rest(last time.Time) []Background {
	var out []Background
	for _, id := range w.begun {
		b := w.background[id]
		if b == nil || b.Kind == WorkSchedule && !last.IsZero() && b.At.Before(last) {
			continue
		}
		out = append(out, *b)
		delete(w.background, id)
	}
	return out
}

// unanswered are the calls without a result, in their order.
func (w *work) unanswered() []OpenCall {
	var out []OpenCall
	for _, id := range w.order {
		if c := w.open[id]; c != nil {
			out = append(out, *c)
			delete(w.open, id)
		}
	}
	return out
}

// offBranch keeps the calls that stand on no line before the last one of the conversation: what the model goes on
// with does not hold them. One walk backwards is enough, since a line stands behind its parent.
func (t *File) offBranch(calls []OpenCall) ([]OpenCall, error) {
	if len(calls) == 0 {
		return nil, nil
	}
	on := map[string]bool{}
	parent, begun := "", false
	err := t.WalkBack(func(e *Entry) bool {
		if !e.Conversation() || e.UUID == "" {
			return true
		}
		if begun && e.UUID != parent {
			return true
		}
		begun, on[e.UUID] = true, true
		parent = cmp.Or(e.root.Get("parentUuid").String(), e.root.Get("logicalParentUuid").String())
		return parent != ""
	})
	var out []OpenCall
	for _, c := range calls {
		if !on[c.uuid] {
			out = append(out, c)
		}
	}
	return out, err
}

// thread notes a thread that the transcript names; one that is named again is the newest. A line that names another
// session was copied with its conversation.
func (f *folder) thread(e *Entry) {
	body := claude.Body(strings.TrimSpace(e.root.Get("bridgeSessionId").String()))
	if of := e.root.Get("sessionId").String(); body == "" || of != "" && f.session != "" && of != f.session {
		return
	}
	f.out.Threads = append(slices.DeleteFunc(f.out.Threads, func(known string) bool { return known == body }), body)
}

// Threads are the bodies of the threads that the transcript names, the newest last. Only the lines that name one are
// parsed.
func (t *File) Threads() ([]string, error) {
	f := newFolder(nil)
	f.session = SessionOf(t.Path)
	err := t.walkRaw(func(l Line) error {
		if bytes.Contains(l.Data, []byte(claude.TypeBridge)) {
			if e := parse(l); e.Type == claude.TypeBridge {
				f.thread(e)
			}
		}
		return nil
	})
	return f.out.Threads, err
}
