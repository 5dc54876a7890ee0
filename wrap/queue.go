package wrap

import (
	"strings"

	"recovery/internal/transcript"
)

// waits is one message in a session's queue.
type waits struct {
	text string
	mark bool // it is the WRAP message
	old  bool // it went in before the mark: a message that a session lost when it was stopped stays there for good
}

// by names who put it there, for a wrap that it reopens.
func (w waits) by() string {
	if transcript.TextSpeaker(w.text) == transcript.Notification {
		return "task-notification"
	}
	return "queue"
}

// queue is what stands in a session's queue, oldest first.
type queue []waits

func (q *queue) put(text string, mark bool) { *q = append(*q, waits{text: text, mark: mark}) }

// take takes the message with this text out, else the first or the last one: a dequeue goes by age, a remove by the latest.
func (q *queue) take(text string, first bool) (waits, bool) {
	if len(*q) == 0 {
		return waits{}, false
	}
	at := len(*q) - 1
	if first {
		at = 0
	}
	if want := strings.TrimSpace(text); want != "" {
		for i, w := range *q {
			if strings.TrimSpace(w.text) == want {
				at = i
				break
			}
		}
	}
	return q.takeAt(at), true
}

func (q *queue) takeAt(i int) waits {
	w := (*q)[i]
	*q = append((*q)[:i:i], (*q)[i+1:]...)
	return w
}

// strike takes out what a line of the conversation says: that message was handed over, whatever the operations say. One line
// can hold several, and a queue that lost a message at a stop counts off by one from then on.
func (q *queue) strike(line string) {
	for i := 0; i < len(*q); {
		want := strings.TrimSpace((*q)[i].text)
		if want == "" || !strings.Contains(line, want) {
			i++
			continue
		}
		line = strings.Replace(line, want, "\x00", 1)
		q.takeAt(i)
	}
}

// age marks what is there as older than the WRAP message.
func (q *queue) age() {
	for i := range *q {
		(*q)[i].old = true
	}
}

// waiting says what waits since the mark, and whether it is the WRAP message itself. A person's message counts before a
// notification.
func (q *queue) waiting() (by string, asked bool) {
	for _, w := range *q {
		if w.old {
			continue
		}
		asked = asked || w.mark
		if by != "queue" {
			by = w.by()
		}
	}
	return by, asked
}
