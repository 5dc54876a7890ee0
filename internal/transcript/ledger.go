package transcript

import (
	"bytes"
	"fmt"
	"time"

	"recovery/internal/account"
	"recovery/internal/claude"

	"github.com/tidwall/gjson"
)

// Ledger is what one pass over a whole transcript gives.
type Ledger struct {
	Pending []Pending
	// BadLines are the lines that could not be read, each with its byte offset; at most maxBad are kept, Bad counts all.
	BadLines []string
	Bad      int
	// BadHides says that a broken line may hide an entry of the queue.
	BadHides bool
	// First is the first message of a person, with its time and folder.
	First    string
	FirstAt  time.Time
	FirstCwd string
	// Lead are the uuids of the first conversation lines, in order: copies of one conversation share their beginning.
	Lead []string
	// FirstLead is how many of the leading uuids go up to the first message of a person, with it: lines before it are
	// the client's own and prove no copy. Only Head sets it; 0 when that message has no uuid or stands beyond the
	// leading ones.
	FirstLead int
	// Persons counts messages of the user's role that a person (or a command line) gave.
	Persons int
	// Marked are the lines in the user's role that own says are recovery's, oldest first.
	Marked []Marked
	// LastPerson is the byte offset of the last message of a person that is not recovery's; -1 when there is none.
	LastPerson int64
	// Crons are what the session's own schedules do, when one was made and not deleted; which one was, is not told.
	Crons []string
	// Background is work that was started in it and whose end it does not tell.
	Background []Background
	// Ended are the ids of the tasks whose end a notification told.
	Ended map[string]bool
	// OpenCalls are the calls without a result that the last line does not go on from: those of another branch.
	OpenCalls []OpenCall
	// Threads are the bodies of the threads that it names, the newest last.
	Threads []string
	// Notified says that a task notification began its last turn.
	Notified bool
	// LastUUID is the uuid of its last line of a user or the model that was not there before; empty when that has none.
	LastUUID string
}

// Marked is a user line (or a queued message that was handed over) that is recovery's own.
type Marked struct {
	Offset int64
	At     time.Time
	Text   string
	// Delivered is false for a line that only stands in the queue.
	Delivered bool
}

const (
	maxBad  = 20
	maxLead = 64
)

// Ledger folds the whole file. own says of a text in the user's role that recovery sent it. Only lines that can matter
// are parsed as a whole.
func (t *File) Ledger(own func(string) bool) (Ledger, error) { return t.LedgerBeside(own, own) }

// LedgerBeside is Ledger where more texts than recovery's prompts are no person's message: ours says so of one. It is
// asked about every text in the user's role.
func (t *File) LedgerBeside(own, ours func(string) bool) (Ledger, error) {
	f := newFolder(own)
	f.ours, f.session = ours, SessionOf(t.Path)
	err := t.walkRaw(f.line)
	f.finish()
	if err != nil {
		return f.out, err
	}
	f.out.OpenCalls, err = t.offBranch(f.work.unanswered())
	return f.out, err
}

func (t *File) walkRaw(fn func(Line) error) error {
	return walked(t.Path, forward(sectionOf(t), 0, t.Size, fn))
}

type folder struct {
	out  Ledger
	own  func(string) bool
	ours func(string) bool
	// session is the id whose name the file bears; empty for a text without a file.
	session string
	queue   Queue
	// known are the lines that were met before, uuids the uuids.
	known seen
	uuids map[string]bool
	work  *work
	last  time.Time // of the last line with a time
	// made and unmade are the calls that set and deleted a schedule, without those that failed; crons are the labels of
	// all that set one, by their ids, and cronIDs these in order.
	made, unmade map[string]bool
	crons        map[string]string
	cronIDs      []string
}

func newFolder(own func(string) bool) *folder {
	return &folder{own: own, ours: own, out: Ledger{LastPerson: -1}, known: seen{}, uuids: map[string]bool{},
		work: newWork()}
}

func (f *folder) bad(format string, args ...any) {
	f.out.Bad++
	if len(f.out.BadLines) < maxBad {
		f.out.BadLines = append(f.out.BadLines, fmt.Sprintf(format, args...))
	}
}

// plainTypes are the types of the lines that fill a transcript and say nothing of its queue.
var plainTypes = map[string]bool{"assistant": true, "attachment": true, "system": true, "progress": true,
	"file-history-snapshot": true}

// wanted says whether a line has to be understood; the others are only checked to be whole. A line whose type is none
// of the usual ones is looked at: it may be a damaged one.
func (f *folder) wanted(data []byte) bool {
	return len(f.out.Lead) < maxLead || f.out.First == "" || !plainTypes[gjson.GetBytes(data, "type").Str] ||
		bytes.Contains(data, []byte(claude.TypeQueue)) || bytes.Contains(data, []byte(claude.QueuedCommand)) ||
		bytes.Contains(data, []byte(`"user"`)) || bytes.Contains(data, []byte(`"tool_use"`))
}

func (f *folder) line(l Line) error {
	data := bytes.TrimSpace(l.Data)
	if len(data) > 0 && data[0] == '{' && account.ValidJSON(data) && !f.wanted(data) {
		f.passed(data)
		return nil
	}
	e := parse(l)
	if e.Bad != "" {
		f.bad("%s at byte %d", e.Bad, e.Offset)
		f.out.BadHides = true
	}
	if f.known.again(e) {
		return nil
	}
	switch e.Type {
	case claude.TypeQueue:
		f.operation(e)
	case claude.TypeBridge:
		f.thread(e)
	case "user":
		f.user(e)
	case "attachment":
		f.attachment(e)
	case "assistant":
		if !e.Sidechain {
			f.schedules(e)
			f.work.calls(e)
		}
	}
	if e.Conversation() && e.UUID != "" && len(f.out.Lead) < maxLead {
		f.out.Lead = append(f.out.Lead, e.UUID)
	}
	f.lastLine(e.Type, e.UUID, e.Sidechain, e.At)
	return nil
}

// passed takes what is to be known of a line that is not understood as a whole.
func (f *folder) passed(data []byte) {
	v := gjson.GetManyBytes(data, "type", "uuid", "isSidechain", "timestamp")
	at, _ := time.Parse(time.RFC3339Nano, v[3].String())
	f.lastLine(v[0].String(), v[1].String(), v[2].Type == gjson.True, at)
}

// lastLine notes the last line of the main conversation that was not there before.
func (f *folder) lastLine(kind, uuid string, sidechain bool, at time.Time) {
	if sidechain || kind != "user" && kind != "assistant" {
		return
	}
	if at.After(f.last) {
		f.last = at
	}
	if uuid != "" {
		if f.uuids[uuid] {
			return
		}
		f.uuids[uuid] = true
	}
	f.out.LastUUID = uuid
}

func (f *folder) mark(e *Entry, text string, delivered bool) {
	if f.own != nil && f.own(text) {
		f.out.Marked = append(f.out.Marked, Marked{Offset: e.Offset, At: e.At, Text: text, Delivered: delivered})
	}
}

// attachment reads a queued message that was handed over in the middle of a turn.
func (f *folder) attachment(e *Entry) {
	if e.Sidechain || !e.Handed() {
		return
	}
	text := e.Text()
	f.work.notified(text)
	f.queue.Said(e)
	f.mark(e, text, true)
	if e.Speaker() == Person {
		f.person(e, text)
	}
}

func (f *folder) person(e *Entry, text string) {
	f.out.Persons++
	if f.ours == nil || !f.ours(text) {
		f.out.LastPerson = e.Offset
	}
}

func (f *folder) user(e *Entry) {
	if e.Sidechain {
		return
	}
	speaker := e.Speaker()
	text := e.Text()
	switch speaker {
	case Tool:
		f.failed(e)
		f.work.results(e)
		return
	case Notification:
		f.work.notified(text)
		f.out.Notified = true
	case Person, Other, Command:
		f.out.Notified = false
	}
	f.queue.Said(e)
	f.mark(e, text, true)
	if speaker != Person {
		return
	}
	f.person(e, text)
	if f.out.First == "" {
		f.out.First, f.out.FirstAt, f.out.FirstCwd = text, e.At, e.root.Get("cwd").String()
	}
}

func (f *folder) operation(e *Entry) {
	if op, text, _ := e.operation(); op == claude.QueuePut {
		f.work.notified(text)
		f.mark(e, text, false)
	}
	if _, err := f.queue.Operation(e); err != nil {
		f.bad("%v at byte %d", err, e.Offset)
		f.out.BadHides = true
	}
}

// schedules follows the session's own timers: one that was made and not deleted wakes it by itself.
func (f *folder) schedules(e *Entry) {
	e.Calls(func(c Call) bool {
		// Which one is deleted is told by an id of the result; one deletion undoes one creation.
		switch {
		case !c.Ran():
		case c.Name == claude.ToolCronCreate:
			put(&f.made, c.ID)
			if f.crons == nil {
				f.crons = map[string]string{}
			}
			if _, ok := f.crons[c.ID]; !ok {
				f.cronIDs = append(f.cronIDs, c.ID)
			}
			f.crons[c.ID] = label(c.Name, c.Input)
		case c.Name == claude.ToolCronDelete:
			put(&f.unmade, c.ID)
		}
		return true
	})
}

// failed takes calls back that did nothing: a deletion that failed deleted no schedule.
func (f *folder) failed(e *Entry) {
	if len(f.made) == 0 {
		return
	}
	e.Results(func(r Result) {
		if r.Failed {
			delete(f.made, r.CallID)
			delete(f.unmade, r.CallID)
		}
	})
}

func put(set *map[string]bool, id string) {
	if *set == nil {
		*set = map[string]bool{}
	}
	(*set)[id] = true
}

func (f *folder) finish() {
	f.out.Pending = f.queue.Pending()
	if len(f.made) > len(f.unmade) {
		for _, id := range f.cronIDs {
			if f.made[id] {
				f.out.Crons = append(f.out.Crons, f.crons[id])
			}
		}
	}
	f.out.Background, f.out.Ended = f.work.rest(f.last), f.work.over
}

// Head reads a transcript from its beginning until the first message of a person and the leading uuids are known.
func (t *File) Head() (Ledger, error) {
	f := newFolder(nil)
	err := t.Walk(0, func(e *Entry) bool {
		if e.Type == "user" {
			before := f.out.First
			f.user(e)
			if before == "" && f.out.First != "" && e.UUID != "" && len(f.out.Lead) < maxLead {
				f.out.FirstLead = len(f.out.Lead) + 1
			}
		}
		if e.Conversation() && e.UUID != "" && len(f.out.Lead) < maxLead {
			f.out.Lead = append(f.out.Lead, e.UUID)
		}
		return f.out.First == "" || len(f.out.Lead) < maxLead
	})
	return f.out, err
}
