package transcript

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// entries are the lines of a text, understood.
func entries(t *testing.T, text string) []*Entry {
	t.Helper()
	var out []*Entry
	if err := file(t, text).Walk(0, func(e *Entry) bool { out = append(out, e); return true }); err != nil {
		t.Fatal(err)
	}
	return out
}

func answer(said string) string { return reply("m1", end, textOf(said)) }

func handed(prompt string, more ...string) string {
	return `{"type":"attachment","uuid":"h","attachment":{"type":"queued_command","prompt":` + prompt + strings.Join(more,
		"") + `}}` + "\n"
}

// TestWhoSpeaksInAHandedOverMessage: the rules are those of a user line.
func TestWhoSpeaksInAHandedOverMessage(t *testing.T) {
	kind := func(k string) string { return `,"origin":{"kind":"` + k + `"}` }
	for line, want := range map[string]Speaker{
		handed(`"yes"`):                                                                            Person,
		handed(`"yes"`, kind("human")):                                                             Person,
		handed(`[{"type":"text","text":"yes"}]`):                                                   Person,
		handed(`"x"`, kind("task-notification")):                                                   Notification,
		handed(`"<task-notification>x"`, kind("human")):                                            Notification,
		handed(`"x"`, kind("peer")):                                                                Other,
		handed(`"<cross-session-message from=\"a\">x"`):                                            Other,
		`{"type":"attachment","attachment":{"type":"file","prompt":"yes"}}` + "\n":                 Nobody,
		user(`"<cross-session-message from=\"a\">x"`, `,"isMeta":true`):                            Other,
		user(`"x"`, `,"isMeta":true,"origin":{"kind":"peer"}`):                                     Other,
		user(`"x"`, `,"isMeta":true,"origin":{"kind":"human"}`):                                    Injected,
		user(`"<system-reminder>x</system-reminder>\nyes"`):                                        Person,
		user(`"<cross-session-message from=\"a\">x"`, `,"isMeta":true,"isCompactSummary":true`):    Injected,
		user(`[{"type":"tool_result","tool_use_id":"a"}]`, `,"isMeta":true,"origin":{"kind":"x"}`): Tool,
	} {
		if e := entries(t, line)[0]; e.Speaker() != want {
			t.Errorf("%s is by %q, want %q", line, e.Speaker(), want)
		}
	}
}

// TestTurns: where a turn begins, and which command began none.
func TestTurns(t *testing.T) {
	command, output := user(`"<command-name>/x</command-name>"`), user(`"<local-command-stdout>1</local-command-stdout>"`)
	systemOutput := `{"type":"system","subtype":"local_command",` +
		`"content":"<local-command-stdout>1</local-command-stdout>"}` + "\n"
	for _, c := range []struct {
		name, lines string
		want        []Step
	}{
		{"a person", person("hello") + answer("ok"), []Step{Begun, Same}},
		{"a notification", user(`"<task-notification>x"`), []Step{Begun}},
		{"handed over", person("hello") + handed(`"more"`), []Step{Begun, Same}},
		{"answered by the client", command + output, []Step{ByCommand, Undone}},
		{"answered by the client, told by a system line", command + systemOutput, []Step{ByCommand, Undone}},
		{"answered by the model", command + answer("ok") + output, []Step{ByCommand, Same, Same}},
		{"a caveat is no output", command + user(`"<local-command-caveat>x"`), []Step{ByCommand, Same}},
		{"a shell line", user(`"<bash-input>ls</bash-input>"`) + user(`"<bash-stdout>x</bash-stdout>"`), []Step{Same, Same}},
		{"output alone", output, []Step{Same}},
		{"a synthetic line answers nothing", command + synthetic("No response requested.", false) + output,
			[]Step{ByCommand, Same, Undone}},
		{"a person in between", command + person("hello") + output, []Step{ByCommand, Begun, Same}},
	} {
		var turns Turns
		var got []Step
		for _, e := range entries(t, c.lines) {
			got = append(got, turns.Add(e))
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// TestCallsAndResults: every kind of a call, and what came of it.
func TestCallsAndResults(t *testing.T) {
	line := `{"type":"assistant","message":{"id":"m","content":[{"type":"thinking","thinking":"x"},{"type":"text",` +
		`"text":"a"},` +
		`{"type":"tool_use","id":"1","name":"Bash","input":{"command":"ls"}},{"type":"mcp_tool_use","id":"2","name":"q"},` +
		`{"type":"web_search_tool_result"},{"type":"hologram","id":"3"}]}}` + "\n"
	var got []string
	entries(t, line)[0].Calls(func(c Call) bool {
		got = append(got, fmt.Sprintf("%s %s %v %v %s", c.ID, c.Name, c.Service, c.Ran(), c.Unknown))
		return true
	})
	if d := cmp.Diff([]string{"1 Bash false true ", "2 q true false ", "3  false false hologram"}, got); d != "" {
		t.Error(d)
	}
	result := func(block, more string) Result {
		var out Result
		entries(t, user(`[{"type":"tool_result","tool_use_id":"1","content":"x"`+block+`}]`, more))[0].Results(
			func(r Result) { out = r })
		return out
	}
	if r := result("", ""); r.CallID != "1" || r.Text != "x" || r.Undone() {
		t.Errorf("a result: %+v", r)
	}
	if r := result(`,"is_error":true`, ""); !r.Failed || r.Denied || !r.Undone() {
		t.Errorf("a failure: %+v", r)
	}
	if r := result("", `,"toolDenialKind":"user-rejected"`); !r.Denied {
		t.Errorf("a denial: %+v", r)
	}
	if files, wrote := result("", `,"toolUseResult":{"bashEditDiff":{"changedFiles":["a","b","c"]}}`).Changed(2); len(files) != 2 || !wrote {
		t.Errorf("changed %v %v", files, wrote)
	}
	if files, wrote := result("", `,"toolUseResult":{"filePath":"/x"}`).Changed(2); len(files) != 0 || wrote {
		t.Errorf("a file that was read: %v %v", files, wrote)
	}
	if files, wrote := result("", `,"toolUseResult":{"filePath":"/x","structuredPatch":[]}`).Changed(2); len(files) != 1 ||
		!wrote {
		t.Errorf("an edit: %v %v", files, wrote)
	}
	if r := result("", `,"toolUseResult":{"agentId":"a","backgroundTaskId":"b","isAsync":true}`); r.Agent() != "a" ||
		r.Shell() != "b" || !r.launched() {
		t.Errorf("what it started: %+v", r)
	}
}

// TestReplyIsOneMessage: its parts stand on lines of their own; a line without an id is a message of its own.
func TestReplyIsOneMessage(t *testing.T) {
	part := func(id, said string) string {
		return `{"type":"assistant","message":{"id":` + quote(id) +
			`,"stop_reason":"end_turn","content":[{"type":"text","text":` + quote(said) + `}]}}` + "\n"
	}
	var r Reply
	var fresh []bool
	for _, e := range entries(t, part("m1", "a")+part("m1", "b")+part("m2", "c")+part("m2", "")+part("", "d")+
		part("", "e")) {
		fresh = append(fresh, r.Add(e))
		if !e.Ends() {
			t.Error("the turn is over")
		}
	}
	if !slices.Equal(fresh, []bool{true, false, true, false, true, true}) || r.Text() != "e" {
		t.Errorf("%v %q", fresh, r.Text())
	}
}

// TestErrorsOfATurn: one ends the turn, one is tried again.
func TestErrorsOfATurn(t *testing.T) {
	list := entries(t, synthetic("API Error: 401", true)+`{"type":"system","subtype":"api_error",`+
		`"error":{"message":"overloaded"}}`+"\n"+synthetic("No response requested.", false))
	if said, ok := list[0].Failed(); !ok || said != "API Error: 401" || list[0].OfModel() || list[0].Ends() {
		t.Errorf("an error that ends the turn: %q %v", said, ok)
	}
	if said, ok := list[1].Tried(); !ok || said != "overloaded" {
		t.Errorf("an error that is tried again: %q %v", said, ok)
	}
	for _, e := range []*Entry{list[1], list[2]} {
		if _, ok := e.Failed(); ok {
			t.Errorf("%s ends no turn in an error", e.Data)
		}
	}
	if f := file(t, answer("x")+`{"type":"system","subtype":"api_error"}`+"\n"); f.LastMessage() == nil ||
		!f.LastMessage().Ends() {
		t.Error("the last message is the reply")
	}
}
