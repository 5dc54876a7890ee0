package transcript

import (
	"bytes"
	"fmt"
	"strings"
	"time"

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
	// Persons counts messages of the user's role that a person (or a command line) gave.
	Persons int
	// Marked are the lines in the user's role that own says are recovery's, oldest first.
	Marked []Marked
	// LastPerson is the byte offset of the last message of a person that is not recovery's; -1 when there is none.
	LastPerson int64
	// Crons says that a schedule of the session's own was made and not deleted.
	Crons bool
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
func (t *File) Ledger(own func(string) bool) (Ledger, error) {
	f := folder{own: own, out: Ledger{LastPerson: -1}}
	err := t.walkRaw(f.line)
	f.finish()
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
	out   Ledger
	own   func(string) bool
	queue []*queued
	gone  []*queued // went out of the queue, not seen again yet
	crons map[string]bool
}

func (f *folder) bad(format string, args ...any) {
	f.out.Bad++
	if len(f.out.BadLines) < maxBad {
		f.out.BadLines = append(f.out.BadLines, fmt.Sprintf(format, args...))
	}
}

// wanted says whether a line has to be understood; the others are only checked to be whole.
func (f *folder) wanted(data []byte) bool {
	return len(f.out.Lead) < maxLead || f.out.First == "" ||
		bytes.Contains(data, []byte("queue-operation")) || bytes.Contains(data, []byte("queued_command")) ||
		bytes.Contains(data, []byte(`"user"`)) || bytes.Contains(data, []byte("CronCreate")) || bytes.Contains(data, []byte("CronDelete"))
}

func (f *folder) line(l Line) error {
	data := bytes.TrimSpace(l.Data)
	if len(data) > 0 && data[0] == '{' && gjson.ValidBytes(data) && !f.wanted(data) {
		return nil
	}
	e := parse(l)
	if e.Bad != "" {
		f.bad("%s at byte %d", e.Bad, e.Offset)
		f.out.BadHides = true
	}
	switch e.Type {
	case "queue-operation":
		f.operation(e)
	case "user":
		f.user(e)
	case "attachment":
		if e.Get("attachment.type").Str == "queued_command" {
			text := blockText(e.Get("attachment.prompt"))
			f.cameBack(text)
			f.mark(e, text, true)
		}
	case "assistant":
		f.schedules(e)
	}
	if e.Conversation() && e.UUID != "" && len(f.out.Lead) < maxLead {
		f.out.Lead = append(f.out.Lead, e.UUID)
	}
	return nil
}

// blockText is a content that is a text or a list of blocks.
func blockText(v gjson.Result) string {
	if v.Type == gjson.String {
		return v.String()
	}
	var parts []string
	v.ForEach(func(_, b gjson.Result) bool {
		if b.Get("type").Str == "text" {
			parts = append(parts, b.Get("text").String())
		}
		return true
	})
	return strings.Join(parts, "\n")
}

func (f *folder) mark(e *Entry, text string, delivered bool) {
	if f.own != nil && f.own(text) {
		f.out.Marked = append(f.out.Marked, Marked{Offset: e.Offset, At: e.At, Text: text, Delivered: delivered})
	}
}

func (f *folder) user(e *Entry) {
	if e.Sidechain {
		return
	}
	speaker := e.Speaker()
	text := e.Text()
	if speaker != Tool {
		f.cameBack(text)
		f.mark(e, text, true)
	}
	if speaker != Person {
		return
	}
	f.out.Persons++
	if f.own == nil || !f.own(text) {
		f.out.LastPerson = e.Offset
	}
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
		f.queue = append(f.queue, q)
		f.mark(e, text, false)
	case "dequeue":
		f.take(text, known, 0)
	case "remove":
		f.take(text, known, len(f.queue)-1)
	case "popAll":
		if known && len(f.queue) > 1 {
			f.take(text, known, 0)
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
func (f *folder) take(text string, known bool, fallback int) {
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
		f.gone = append(f.gone, &queued{text: text, known: true, nobody: notAPerson(text)})
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

// cameBack strikes out what went out of the queue and now stands in the conversation. A line may hold several messages
// joined, and the same text typed twice has to come back twice.
func (f *folder) cameBack(line string) {
	if len(f.gone) == 0 && len(f.queue) == 0 {
		return
	}
	rest := line
	keep := f.gone[:0]
	unknown := false
	for _, q := range f.gone {
		want := strings.TrimSpace(q.text)
		switch {
		case !q.known || want == "":
			// Its text was not recorded: one following line of the conversation may be it, no more than one.
			if unknown || notAPerson(line) {
				keep = append(keep, q)
			}
			unknown = true
		case strings.Contains(rest, want):
			rest = strings.Replace(rest, want, "\x00", 1)
		default:
			keep = append(keep, q)
		}
	}
	f.gone = keep
	// The line can stand before the operation that takes its message out.
	for i := 0; i < len(f.queue); i++ {
		q := f.queue[i]
		want := strings.TrimSpace(q.text)
		if q.known && !q.nobody && want != "" && strings.TrimSpace(rest) == want {
			q.nobody = true
			return
		}
	}
}

// schedules follows the session's own timers: one that was made and not deleted wakes it by itself.
func (f *folder) schedules(e *Entry) {
	e.Get("message.content").ForEach(func(_, b gjson.Result) bool {
		if b.Get("type").Str != "tool_use" {
			return true
		}
		switch b.Get("name").Str {
		case "CronCreate":
			if f.crons == nil {
				f.crons = map[string]bool{}
			}
			f.crons[b.Get("id").String()] = true
		case "CronDelete":
			// Which one is deleted is told by an id of the result; one deletion undoes one creation.
			for id := range f.crons {
				delete(f.crons, id)
				break
			}
		}
		return true
	})
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
	f.out.Crons = len(f.crons) > 0
}

// Head reads a transcript from its beginning until the first message of a person and the leading uuids are known.
func (t *File) Head() (Ledger, error) {
	f := folder{}
	err := t.Walk(0, func(e *Entry) bool {
		if e.Type == "user" {
			f.user(e)
		}
		if e.Conversation() && e.UUID != "" && len(f.out.Lead) < maxLead {
			f.out.Lead = append(f.out.Lead, e.UUID)
		}
		return f.out.First == "" || len(f.out.Lead) < maxLead
	})
	return f.out, err
}
