package babysitter

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"recovery/internal/sources/files"
	"recovery/internal/text"
)

// maxLooked bounds the pending effects of one run whose files are looked at.
const maxLooked = 200

// waits is what a run waits for.
type waits struct {
	breakpoints []string // each in words
	sleeps      []time.Time
	badSleeps   int // sleeps without a time that can be read
	tasks       int // anything else
	kinds       string
	oldest      time.Time
	answered    []string // effects whose result is written and not recorded in the journal
}

// readWaits looks up what the pending effects are. The journal names them; the question and the time are in the
// task's file.
func (r *run) readWaits(now time.Time) {
	w := &r.waits
	w.kinds = kinds(r.journal.pendingByKind())
	for i, e := range r.journal.pending() {
		if !e.asked.IsZero() && (w.oldest.IsZero() || e.asked.Before(w.oldest)) {
			w.oldest = e.asked
		}
		var task files.Object
		dir := taskDir(r.dir, e.id)
		if i < maxLooked && dir != "" {
			if _, err := os.Stat(filepath.Join(dir, "result.json")); err == nil {
				w.answered = append(w.answered, e.id)
			}
			if e.kind == "breakpoint" || e.kind == "sleep" {
				var err error
				if task, err = files.ReadObject(filepath.Join(dir, "task.json")); err != nil {
					r.row.Warn("The task file of %s %s %s.", text.Cut(e.kind, 40), text.Cut(e.id, 80), files.Cause(err))
				}
			}
		}
		switch e.kind {
		case "breakpoint":
			w.breakpoints = append(w.breakpoints, breakpointText(e, r.cut(question(dir, task, e)), now))
			if e.asked.After(now) {
				r.row.Warn("The breakpoint %s was asked in the future, by its time.", text.Cut(e.id, 80))
			}
		case "sleep":
			if at := sleepTarget(task, e.label); at.IsZero() {
				w.badSleeps++
				r.row.Warn("The time until which the sleep %s goes cannot be read.", text.Cut(e.id, 80))
			} else {
				w.sleeps = append(w.sleeps, at)
			}
		default:
			w.tasks++
		}
	}
	slices.SortFunc(w.sleeps, time.Time.Compare)
}

// taskDir is the folder of an effect; empty for an id that is no plain name, which would lead elsewhere.
func taskDir(run, id string) string {
	if id == "" || id == "." || id == ".." || strings.ContainsAny(id, "/\\\x00") {
		return ""
	}
	return filepath.Join(run, "tasks", id)
}

// question is what a breakpoint asks, looked up where the program's own display does, in its order: the task folder's
// input.json, the task's inputs, its metadata, the label.
func question(dir string, task files.Object, e *effect) string {
	var input files.Object
	if dir != "" {
		input, _ = files.ReadObject(filepath.Join(dir, "input.json"))
	}
	asked := []files.Object{input, task.Object("inputs"), task.Object("metadata")}
	for _, o := range asked {
		if q := cmp.Or(o.Text("question"), o.Object("payload").Text("question")); q != "" {
			return q
		}
	}
	for _, o := range asked[1:] {
		if t := o.Object("payload").Text("title"); t != "" {
			return t
		}
	}
	return e.label
}

func breakpointText(e *effect, question string, now time.Time) string {
	s := "breakpoint"
	if question != "" {
		s += fmt.Sprintf(" %q", text.Cut(question, 300))
	}
	if e.label != "" && e.label != question && e.label != "breakpoint" {
		s += fmt.Sprintf(" (%s)", text.Cut(e.label, 80))
	}
	switch {
	case e.asked.IsZero():
		return s + ", asked at an unknown time"
	case e.asked.After(now):
		return s + ", asked at " + e.asked.Format(time.RFC3339)
	}
	return fmt.Sprintf("%s, asked %s ago (%s)", s, text.Age(now.Sub(e.asked), time.Hour), e.asked.Format(time.RFC3339))
}

// maxEpoch is the last millisecond that a date of JavaScript can hold.
const maxEpoch = 8.64e15

// sleepTarget is the time of a sleep: the task's own number, else its text, else the label "sleep:<time>".
func sleepTarget(task files.Object, label string) time.Time {
	for _, name := range []string{"sleep", "metadata", "inputs"} {
		o := task.Object(name)
		if ms := o["targetEpochMs"]; ms.Type == gjson.Number && ms.Num > 0 && ms.Num <= maxEpoch {
			return time.UnixMilli(int64(ms.Num)).UTC()
		}
		if at := files.Time(o.Text("iso")); !at.IsZero() {
			return at
		}
	}
	return files.Time(strings.TrimPrefix(label, "sleep:"))
}

// kinds is "breakpoint 1, sleep 2", in the order of the names.
func kinds(byKind map[string]int) string {
	var out []string
	for _, k := range slices.Sorted(maps.Keys(byKind)) {
		out = append(out, fmt.Sprintf("%s %d", text.Cut(k, 60), byKind[k]))
	}
	return some(out)
}

// text is what the run waits for, in words.
func (w waits) text() string {
	parts := slices.Clone(w.breakpoints[:min(len(w.breakpoints), maxShown)])
	if more := len(w.breakpoints) - maxShown; more > 0 {
		parts = append(parts, fmt.Sprintf("%d more breakpoints", more))
	}
	switch {
	case len(w.sleeps) > 1:
		parts = append(parts, fmt.Sprintf("%d sleeps, the first until %s", len(w.sleeps), w.sleeps[0].Format(time.RFC3339)))
	case len(w.sleeps) == 1:
		parts = append(parts, "sleep until "+w.sleeps[0].Format(time.RFC3339))
	}
	if w.badSleeps > 0 {
		parts = append(parts, "a sleep until an unknown time")
	}
	if w.tasks > 0 {
		parts = append(parts, "pending: "+w.kinds)
	}
	return strings.Join(parts, "; ")
}
