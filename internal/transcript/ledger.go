package transcript

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"time"

	"recovery/internal/account"
	"recovery/internal/claude"

	"github.com/tidwall/gjson"
)

// Pending is a message that was typed and never answered: it is left in the queue, or went out of it and never came back
// as a line of the conversation.
type Pending struct {
	// Text is empty when the client did not record it.
	Text string
	At   time.Time
	// Left says that it still stands in the queue; otherwise it went out of it and never came back.
	Left bool
}

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
	// FirstLead is how many of the leading uuids go up to the first message of a person, with it: lines before it are the
	// client's own and prove no copy. Only Head sets it; 0 when that message has no uuid or stands beyond the leading ones.
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

// LedgerBeside is Ledger where more texts than recovery's prompts are no person's message: ours says so of one. It is asked
// about every text in the user's role.
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

// queued is one place in the queue.
type queued struct {
	text   string
	known  bool // the client recorded the text
	nobody bool // a task notification or another line of the client's own
	at     time.Time
	left   bool
}

type folder struct {
	out  Ledger
	own  func(string) bool
	ours func(string) bool
	// session is the id whose name the file bears; empty for a text without a file.
	session string
	queue   []*queued
	gone    []*queued // went out of the queue, not seen again yet
	// struck are the uuids of lines that stood for a queued message: the same line can be in the file twice.
	struck map[string]bool
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
	return &folder{own: own, ours: own, out: Ledger{LastPerson: -1}, known: seen{}, uuids: map[string]bool{}, work: newWork()}
}

func (f *folder) bad(format string, args ...any) {
	f.out.Bad++
	if len(f.out.BadLines) < maxBad {
		f.out.BadLines = append(f.out.BadLines, fmt.Sprintf(format, args...))
	}
}

// plainTypes are the types of the lines that fill a transcript and say nothing of its queue.
var plainTypes = map[string]bool{"assistant": true, "attachment": true, "system": true, "progress": true, "file-history-snapshot": true}

// wanted says whether a line has to be understood; the others are only checked to be whole. A line whose type is none of the
// usual ones is looked at: it may be a damaged one.
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
	if e.Sidechain || e.Get("attachment.type").Str != queuedCommand {
		return
	}
	text := blockText(e.Get("attachment.prompt"))
	f.work.notified(text)
	f.cameBack(e, text, false)
	f.mark(e, text, true)
	if kind := e.Get("attachment.origin.kind").String(); kind != "" && kind != "human" || notAPerson(text) {
		return
	}
	f.person(e, text)
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
	// A summary tells what was said once more; that is no answer to it.
	if e.Get("isCompactSummary").Type != gjson.True {
		f.cameBack(e, asTyped(text), speaker == Injected)
	}
	f.mark(e, text, true)
	if speaker != Person {
		return
	}
	f.person(e, text)
	if f.out.First == "" {
		f.out.First, f.out.FirstAt, f.out.FirstCwd = text, e.At, e.Get("cwd").String()
	}
}

func (f *folder) operation(e *Entry) {
	v := e.Get("content")
	text := blockText(v)
	known := v.Exists() && v.Type != gjson.Null
	switch op := e.Get("operation").String(); op {
	case "enqueue":
		q := &queued{text: text, known: known, at: e.At, left: true}
		q.nobody = known && notAPerson(text)
		f.work.notified(text)
		f.queue = append(f.queue, q)
		f.mark(e, text, false)
	case "dequeue":
		f.take(e, text, known, 0)
	case "remove":
		f.take(e, text, known, len(f.queue)-1)
	case "popAll":
		if known { // one line for each message, in the client 2.1.332
			f.take(e, text, known, 0)
			return
		}
		for len(f.queue) > 0 {
			f.takeAt(0)
		}
	default:
		f.bad("a queue operation %q that is not known at byte %d", op, e.Offset)
		f.out.BadHides = true
	}
}

func notAPerson(text string) bool {
	switch TextSpeaker(text) {
	case Notification, Other, Injected, Command, Interrupted:
		return true
	}
	return false
}

// take takes the entry with this text out of the queue, else the one at fallback.
func (f *folder) take(e *Entry, text string, known bool, fallback int) {
	if known {
		for i, q := range f.queue {
			if q.known && strings.TrimSpace(q.text) == strings.TrimSpace(text) {
				f.takeAt(i)
				return
			}
		}
		// A text that never went in is an entry whose own line is lost: it counts as typed.
		for i, q := range f.queue {
			if !q.known {
				q.text, q.known = text, true
				f.takeAt(i)
				return
			}
		}
		if !notAPerson(text) {
			f.gone = append(f.gone, &queued{text: text, known: true, at: e.At})
		}
		return
	}
	if fallback >= 0 && fallback < len(f.queue) {
		f.takeAt(fallback)
	}
}

func (f *folder) takeAt(i int) {
	q := f.queue[i]
	q.left = false
	f.queue = append(f.queue[:i:i], f.queue[i+1:]...)
	if !q.nobody {
		f.gone = append(f.gone, q)
	}
}

// asTyped is what a person typed for a line that the client wrote of it: a command stands in the queue as "/name arguments",
// a shell command as its text.
func asTyped(text string) string {
	between := func(tag string) string {
		_, rest, _ := strings.Cut(text, "<"+tag+">")
		inner, _, ok := strings.Cut(rest, "</"+tag+">")
		if !ok {
			return ""
		}
		return strings.TrimSpace(inner)
	}
	switch trimmed := strings.TrimLeft(text, " \t\r\n"); {
	case strings.HasPrefix(trimmed, "<command-"):
		if name := between("command-name"); name != "" {
			return strings.TrimSpace("/" + strings.TrimPrefix(name, "/") + " " + between("command-args"))
		}
	case strings.HasPrefix(trimmed, "<bash-input"):
		return between("bash-input")
	}
	return text
}

// cameBack strikes out what went out of the queue and now stands in the conversation. A line may hold several messages
// joined, each on lines of its own, and the same text typed twice has to come back twice. whole says that only a line that
// equals a message counts.
func (f *folder) cameBack(e *Entry, line string, whole bool) {
	if len(f.gone) == 0 && len(f.queue) == 0 || e.UUID != "" && f.struck[e.UUID] {
		return
	}
	rest, struck := strike(line, f.gone, whole)
	f.gone = without(f.gone, struck)
	any := len(struck) > 0
	// The line can stand before the operation that takes its message out, and the client takes messages out by their urgency.
	// What is still in the queue counts as said only when such messages are all that the line holds.
	if all, more := strike(rest, f.queue, whole); len(more) > 0 && blank(all) {
		for q := range more {
			q.nobody = true
		}
		rest, any = all, true
	}
	if any {
		put(&f.struck, e.UUID)
	}
	// A message whose text was not recorded may be what is left of the line; no more than one.
	if whole || blank(rest) && any || notAPerson(line) {
		return
	}
	for _, q := range f.gone {
		if q.textless() {
			f.gone = without(f.gone, map[*queued]bool{q: true})
			put(&f.struck, e.UUID)
			return
		}
	}
}

// strike cuts the texts of queued messages out of a line, the long ones first: a short one may be part of them.
func strike(line string, list []*queued, whole bool) (rest string, struck map[*queued]bool) {
	ordered := slices.Clone(list)
	slices.SortStableFunc(ordered, func(a, b *queued) int { return len(b.text) - len(a.text) })
	rest, struck = line, map[*queued]bool{}
	for _, q := range ordered {
		if q.nobody || q.textless() {
			continue
		}
		want := strings.TrimSpace(q.text)
		if whole {
			if strings.TrimSpace(rest) == want {
				return "", map[*queued]bool{q: true}
			}
			continue
		}
		if cut, ok := cutPart(rest, want); ok {
			rest, struck[q] = cut, true
		}
	}
	return rest, struck
}

func without(list []*queued, out map[*queued]bool) []*queued {
	return slices.DeleteFunc(list, func(q *queued) bool { return out[q] })
}

func (q *queued) textless() bool { return !q.known || strings.TrimSpace(q.text) == "" }

// blank says that nothing is left of a line but what was cut out of it.
func blank(rest string) bool { return strings.Trim(rest, cutMark+" \t\r\n") == "" }

// cutMark stands where a part was cut out, so that what was around it does not grow together.
const cutMark = "\x00"

// cutPart cuts part out of text where it fills whole lines: "yes" in "yesterday" is another message.
func cutPart(text, part string) (rest string, ok bool) {
	for at := 0; ; {
		i := strings.Index(text[at:], part)
		if i < 0 {
			return text, false
		}
		from, to := at+i, at+i+len(part)
		before := strings.TrimRight(text[:from], " \t\r")
		after := strings.TrimLeft(text[to:], " \t\r")
		if (before == "" || strings.HasSuffix(before, "\n") || strings.HasSuffix(before, cutMark)) &&
			(after == "" || after[0] == '\n' || strings.HasPrefix(after, cutMark)) {
			return text[:from] + cutMark + text[to:], true
		}
		at = from + 1
	}
}

// schedules follows the session's own timers: one that was made and not deleted wakes it by itself.
func (f *folder) schedules(e *Entry) {
	eachBlock(e.Get("message.content"), func(b gjson.Result) bool {
		if b.Get("type").Str != "tool_use" {
			return true
		}
		// Which one is deleted is told by an id of the result; one deletion undoes one creation.
		switch id, name := b.Get("id").String(), b.Get("name").Str; name {
		case claude.ToolCronCreate:
			put(&f.made, id)
			if f.crons == nil {
				f.crons = map[string]string{}
			}
			if _, ok := f.crons[id]; !ok {
				f.cronIDs = append(f.cronIDs, id)
			}
			f.crons[id] = label(name, b.Get("input"))
		case claude.ToolCronDelete:
			put(&f.unmade, id)
		}
		return true
	})
}

// failed takes calls back that did nothing: a deletion that failed deleted no schedule.
func (f *folder) failed(e *Entry) {
	if len(f.made) == 0 {
		return
	}
	eachBlock(e.Get("message.content"), func(b gjson.Result) bool {
		if b.Get("is_error").Type == gjson.True {
			delete(f.made, b.Get("tool_use_id").String())
			delete(f.unmade, b.Get("tool_use_id").String())
		}
		return true
	})
}

func put(set *map[string]bool, id string) {
	if *set == nil {
		*set = map[string]bool{}
	}
	(*set)[id] = true
}

func (f *folder) finish() {
	for _, q := range f.gone {
		if !q.nobody {
			f.out.Pending = append(f.out.Pending, Pending{Text: q.text, At: q.at})
		}
	}
	for _, q := range f.queue {
		if !q.nobody {
			f.out.Pending = append(f.out.Pending, Pending{Text: q.text, At: q.at, Left: true})
		}
	}
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
