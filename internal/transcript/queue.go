package transcript

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"recovery/internal/claude"

	"github.com/tidwall/gjson"
)

// Pending is a message that was typed and never answered: it is left in the queue, or went out of it and never came
// back as a line of the conversation.
type Pending struct {
	// Text is empty when the client did not record it.
	Text string
	At   time.Time
	// Left says that it still stands in the queue; otherwise it went out of it and never came back.
	Left bool
}

// Queued is one place in the queue.
type Queued struct {
	// Text is empty when the client did not record it.
	Text string
	At   time.Time
	By   Speaker
	// known says that the client recorded the text, said that a line of the conversation told it while it stood in the
	// queue, left that no operation took it out.
	known, said, left bool
}

// nobody says that it is a task notification or another line of the client's own.
func (q *Queued) nobody() bool { return q.known && q.By != Person }

func (q *Queued) textless() bool { return !q.known || strings.TrimSpace(q.Text) == "" }

// Queue follows what stands in a session's queue, and what went out of it and did not come back as a line. Its zero
// value is an empty queue.
type Queue struct {
	waits []*Queued // oldest first
	gone  []*Queued // went out of the queue, not seen again yet
	// struck are the uuids of lines that stood for a queued message: the same line can be in the file twice.
	struck map[string]bool
}

// Waiting is what stands in the queue and was not said, the oldest first.
func (q *Queue) Waiting() []*Queued {
	return slices.DeleteFunc(slices.Clone(q.waits), func(x *Queued) bool { return x.said })
}

// Pending is what persons typed and nobody answered: what is left in the queue stands behind what went out of it.
func (q *Queue) Pending() []Pending {
	var out []Pending
	for _, x := range slices.Concat(q.gone, q.Waiting()) {
		if !x.nobody() {
			out = append(out, Pending{Text: x.Text, At: x.At, Left: x.left})
		}
	}
	return out
}

// operation is what a line says of the queue; known is false when the client did not record the text.
func (e *Entry) operation() (op, text string, known bool) {
	v := e.root.Get("content")
	return e.root.Get("operation").String(), blockText(v), v.Exists() && v.Type != gjson.Null
}

// Operation takes a line of the queue's own. It gives what the client took out to hand it over, nil when that is not
// known, was said before or nothing was; an error when the operation is not known.
func (q *Queue) Operation(e *Entry) (*Queued, error) {
	switch op, text, known := e.operation(); op {
	case claude.QueuePut:
		q.waits = append(q.waits, &Queued{Text: text, At: e.At, By: TextSpeaker(text), known: known, left: true})
	case claude.QueueTake:
		if x := q.take(e, text, known, 0); x != nil && !x.said {
			return x, nil
		}
	case claude.QueueRemove:
		q.take(e, text, known, len(q.waits)-1)
	case claude.QueuePopAll:
		if known { // one line for each message, in the client 2.1.332
			q.take(e, text, known, 0)
			return nil, nil
		}
		for len(q.waits) > 0 {
			q.takeAt(0)
		}
	default:
		return nil, fmt.Errorf("a queue operation %q that is not known", op)
	}
	return nil, nil
}

// take takes the entry with this text out of the queue, else the one at fallback.
func (q *Queue) take(e *Entry, text string, known bool, fallback int) *Queued {
	if known {
		for i, x := range q.waits {
			if x.known && strings.TrimSpace(x.Text) == strings.TrimSpace(text) {
				return q.takeAt(i)
			}
		}
		// A text that never went in is an entry whose own line is lost: it counts as typed.
		for i, x := range q.waits {
			if !x.known {
				x.Text, x.By, x.known = text, TextSpeaker(text), true
				return q.takeAt(i)
			}
		}
		x := &Queued{Text: text, At: e.At, By: TextSpeaker(text), known: true}
		if !x.nobody() {
			q.gone = append(q.gone, x)
		}
		return x
	}
	if fallback >= 0 && fallback < len(q.waits) {
		return q.takeAt(fallback)
	}
	return nil
}

func (q *Queue) takeAt(i int) *Queued {
	x := q.waits[i]
	x.left = false
	q.waits = slices.Delete(q.waits, i, i+1)
	if !x.nobody() && !x.said {
		q.gone = append(q.gone, x)
	}
	return x
}

// Said strikes out what went out of the queue and now stands in the conversation. A line may hold several messages
// joined, each on lines of its own, and the same text typed twice has to come back twice. Of a line of the client's
// own only one that equals a message counts, and a summary tells what was said once more: that is no answer to it.
func (q *Queue) Said(e *Entry) {
	if len(q.gone) == 0 && len(q.waits) == 0 || e.UUID != "" && q.struck[e.UUID] || e.summary() {
		return
	}
	by := e.Speaker()
	line, whole := e.Text(), by == Injected
	if !e.Handed() {
		line = asTyped(line)
	}
	rest, struck := strike(line, q.gone, whole)
	q.gone = without(q.gone, struck)
	hit := len(struck) > 0
	// The line can stand before the operation that takes its message out, and the client takes messages out by their
	// urgency. What is still in the queue counts as said only when such messages are all that the line holds.
	if all, more := strike(rest, q.waits, whole); len(more) > 0 && blank(all) {
		for x := range more {
			x.said = true
		}
		rest, hit = all, true
	}
	if hit {
		put(&q.struck, e.UUID)
	}
	// A message whose text was not recorded may be what is left of the line; no more than one.
	if whole || blank(rest) && hit || TextSpeaker(line) != Person {
		return
	}
	for _, x := range q.gone {
		if x.textless() {
			q.gone = without(q.gone, map[*Queued]bool{x: true})
			put(&q.struck, e.UUID)
			return
		}
	}
}

// strike cuts the texts of queued messages out of a line, the long ones first: a short one may be part of them.
func strike(line string, list []*Queued, whole bool) (rest string, struck map[*Queued]bool) {
	ordered := slices.Clone(list)
	slices.SortStableFunc(ordered, func(a, b *Queued) int { return len(b.Text) - len(a.Text) })
	rest, struck = line, map[*Queued]bool{}
	for _, x := range ordered {
		if x.said || x.textless() {
			continue
		}
		want := strings.TrimSpace(x.Text)
		if whole {
			if strings.TrimSpace(rest) == want {
				return "", map[*Queued]bool{x: true}
			}
			continue
		}
		if cut, ok := cutPart(rest, want); ok {
			rest, struck[x] = cut, true
		}
	}
	return rest, struck
}

func without(list []*Queued, out map[*Queued]bool) []*Queued {
	return slices.DeleteFunc(list, func(x *Queued) bool { return out[x] })
}

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
