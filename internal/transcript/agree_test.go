package transcript

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// TestLinesWrittenAgainChangeNothing: whatever a conversation is, its lines written a second time behind themselves
// give the same tail, queue and persons.
func TestLinesWrittenAgainChangeNothing(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		var once, twice strings.Builder
		for i := range rapid.IntRange(1, 15).Draw(r, "lines") {
			line := drawn(r, i)
			once.WriteString(line)
			twice.WriteString(line)
			if rapid.Bool().Draw(r, "again") && !strings.Contains(line, "queue-operation") {
				twice.WriteString(line)
			}
		}
		a, b := tail(t, once.String()), tail(t, twice.String())
		if d := cmp.Diff(a, b); d != "" {
			r.Errorf("tail: %s\n%s", d, once.String())
		}
		x, y := ledger(t, once.String()), ledger(t, twice.String())
		if d := cmp.Diff(x.Pending, y.Pending); d != "" || x.Persons != y.Persons || len(x.Marked) != len(y.Marked) {
			r.Errorf("ledger: %s, persons %d and %d\n%s", d, x.Persons, y.Persons, once.String())
		}
		if d := cmp.Diff(x.Background, y.Background); d != "" {
			r.Errorf("background: %s\n%s", d, once.String())
		}
	})
}

// TestWalkAgreesInBothDirectionsAndFromEveryLine: backwards gives the same lines, and a walk that is split at the
// beginning of any line gives what the whole one gives.
func TestWalkAgreesInBothDirectionsAndFromEveryLine(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		var b strings.Builder
		for i := range rapid.IntRange(1, 10).Draw(r, "lines") {
			b.WriteString(drawn(r, i))
		}
		f := file(t, b.String())
		var whole, back []int64
		if err := f.Walk(0, func(e *Entry) bool { whole = append(whole, e.Offset); return true }); err != nil {
			r.Fatal(err)
		}
		if err := f.WalkBack(func(e *Entry) bool { back = append([]int64{e.Offset}, back...); return true }); err != nil {
			r.Fatal(err)
		}
		if d := cmp.Diff(whole, back); d != "" {
			r.Errorf("backwards: %s", d)
		}
		for i, from := range whole {
			var rest []int64
			if err := f.Walk(from, func(e *Entry) bool { rest = append(rest, e.Offset); return true }); err != nil {
				r.Fatal(err)
			}
			if d := cmp.Diff(whole[i:], rest); d != "" {
				r.Errorf("from byte %d: %s", from, d)
			}
		}
	})
}

// drawn is one random line with a uuid of its own.
func drawn(r *rapid.T, i int) string {
	content := rapid.SampledFrom([]string{
		`"yes"`, `"<task-notification>x"`, `"<command-name>/x"`, `[{"type":"text","text":"done"}]`,
		`[{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"ls"}}]`,
		`[{"type":"tool_use","id":"t2","name":"Agent","input":{"run_in_background":true}}]`,
		`[{"type":"tool_result","tool_use_id":"t1","content":"ok"}]`,
	}).Draw(r, "content")
	stop := rapid.SampledFrom([]string{"end_turn", "tool_use"}).Draw(r, "stop")
	head := fmt.Sprintf(`{"uuid":"u%d","timestamp":"2026-09-03T10:00:%02dZ",`, i, i)
	switch rapid.SampledFrom([]string{"user", "assistant", "queue", "away"}).Draw(r, "kind") {
	case "user":
		return head + `"type":"user","message":{"role":"user","content":` + content + "}}\n"
	case "assistant":
		message := fmt.Sprintf(`{"id":"m%d","stop_reason":%q,"content":%s}`, i/2, stop, content)
		return head + `"type":"assistant","message":` + message + "}\n"
	case "queue":
		op := rapid.SampledFrom([]string{"enqueue", "dequeue", "remove"}).Draw(r, "op")
		at := fmt.Sprintf("2026-09-03T10:00:%02dZ", i)
		return fmt.Sprintf(`{"type":"queue-operation","operation":%q,"timestamp":%q,"content":"yes"}`, op, at) + "\n"
	}
	return head + `"type":"system","subtype":"away_summary","content":"x"}` + "\n"
}
