package remote

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func mustEvents(t *testing.T, files ...File) Events {
	t.Helper()
	got, err := ReadEvents(files...)
	if err != nil {
		t.Fatalf("ReadEvents: %v", err)
	}
	return got
}

func TestEventsEveryShapeInEveryWrapping(t *testing.T) {
	want := Event{UUID: eventUUID, At: time.Date(2026, 9, 2, 9, 15, 0, 111111000, time.UTC), Kind: "user", Person: true,
		Text: "please rerun the tests", Turn: true}
	check := func(t *testing.T, data string, paged bool) {
		got := mustEvents(t, file("e", data))
		if diff := cmp.Diff([]Event{want}, got.Items); diff != "" {
			t.Fatal(diff)
		}
		if len(got.Warnings) > 0 || got.HasMore != paged || (paged && got.FirstID != eventUUID) || !got.AsOf.Equal(saved) ||
			(len(got.Notes) == 0) != paged {
			t.Fatalf("got %+v", got)
		}
	}
	for shape, page := range eventShapes {
		for name, wrap := range wrappings {
			t.Run(shape+"/"+name, func(t *testing.T) { check(t, wrap(page), true) })
		}
		t.Run(shape+"/bare rows", func(t *testing.T) { check(t, bare(t, page), false) })
		t.Run(shape+"/events", func(t *testing.T) {
			check(t, `{"events":`+bare(t, page)+`,"has_more":true}`, true)
		})
	}
}

func TestPersons(t *testing.T) {
	text := func(s string) string { return `"message":{"role":"user","content":` + quoted(s) + `}` }
	blocks := func(b string) string { return `"message":{"role":"user","content":[` + b + `]}` }
	for _, c := range []struct {
		inner string
		why   string // "" for a person
		text  string
	}{
		{text("yes"), "", "yes"},
		{blocks(`{"type":"text","text":"go"}`), "", "go"},
		{blocks(`{"type":"text","text":"a"},{"type":"text","text":"b"}`), "", "a\nb"},
		{blocks(`"plain"`), "", "plain"},
		{blocks(`{"type":"image","source":{}}`), "", "[image]"},
		{`"message":"go"`, "", "go"},
		{`"content":"go"`, "", "go"},
		{text("run <task-notification> again"), "", "run <task-notification> again"},
		{blocks(`{"type":"tool_result","tool_use_id":"t","content":"ok"}`), "a tool's result", ""},
		{blocks(`{"type":"tool_result","content":"ok"},{"type":"text","text":"<system-reminder>x</system-reminder>"}`),
			"a tool's result", "<system-reminder>x</system-reminder>"},
		{blocks(`{"type":"tool_result","content":"ok"},{"type":"text","text":"stop that"}`), "", "stop that"},
		{text("out") + `,"toolUseResult":{"stdout":"out"}`, "a tool's result", "out"},
		{text("<task-notification>\n<task-id>1</task-id></task-notification>"), "a task notification", "-"},
		{text("  <task-notification><x/>"), "a task notification", "-"},
		{blocks(`{"type":"text","text":"<task-notification>x"}`), "a task notification", "-"},
		{text("<cross-session-message from-session=\"session_1\">hi</cross-session-message>"),
			"a message from another session", "-"},
		{text("<teammate-message>hi"), "a message from another session", "-"},
		{text("<scheduled-task name=\"x\">"), "a scheduled task", "-"},
		{text("<command-name>/clear</command-name>"), "a client command", "-"},
		{text("<local-command-stdout></local-command-stdout>"), "a client command's output", "-"},
		{text("<bash-input>ls</bash-input>"), "a shell command and its output", "-"},
		{text("<system-reminder>be quick</system-reminder>"), "a reminder from the client", "-"},
		{text("<system-reminder>be quick</system-reminder>\nyes, go"), "", "-"},
		{text("<system-reminder>never closed"), "a reminder from the client", "-"},
		{blocks(`{"type":"text","text":"<system-reminder>x</system-reminder>"},{"type":"text","text":"yes"}`), "", "-"},
		{text("[Request interrupted by user]"), "the client's note of an interruption", "-"},
		{text("x") + `,"isSynthetic":true`, "synthetic", "x"},
		{text("x") + `,"isSynthetic":"true"`, "synthetic", "x"},
		{text("x") + `,"isSynthetic":false,"isMeta":null,"parent_tool_use_id":null,"inbound_origin":""`, "", "x"},
		{text("x") + `,"isMeta":true`, "put in by the client (isMeta)", "x"},
		{text("x") + `,"isCompactSummary":true`, "a summary of the conversation", "x"},
		{text("x") + `,"inbound_origin":"mcp_send_message"`, "sent through a tool (mcp_send_message)", "x"},
		{text("x") + `,"inbound_origin":"mcp_create_session"`, "sent through a tool (mcp_create_session)", "x"},
		{text("x") + `,"inbound_origin":"web"`, "", "x"},
		{text("x") + `,"parent_tool_use_id":"toolu_1"`, "an entry inside a tool call (parent_tool_use_id)", "x"},
		{text("x") + `,"origin":{"kind":"human"}`, "", "x"},
		{text("x") + `,"origin":{"kind":"channel"}`, "", "x"},
		{text("x") + `,"origin":{"kind":"cron"}`, "a scheduled task", "x"},
		{text(""), "", ""},
		{`"client_platform":"ios"`, "", ""},
	} {
		for form, row := range map[string]string{
			"tool":       `{"created_at":"` + day(1) + `","user":{"uuid":"u1","internal_anthropic_catchall":{` + c.inner + `}}}`,
			"tool, flat": `{"created_at":"` + day(1) + `","user":{"uuid":"u1",` + c.inner + `}}`,
			"type":       `{"type":"user","uuid":"u1","created_at":"` + day(1) + `",` + c.inner + `}`,
			"event_type": `{"event_type":"EVENT_TYPE_USER","event_id":"u1","created_at":"` + day(1) +
				`","source":"client","payload":{` + c.inner + `}}`,
		} {
			got := mustEvents(t, file("e", `{"data":[`+row+`]}`))
			if len(got.Items) != 1 {
				t.Errorf("%s %s: got %+v", form, c.inner, got)
				continue
			}
			ev := got.Items[0]
			if ev.Person != (c.why == "") || ev.Why != c.why || ev.Kind != "user" || ev.UUID != "u1" ||
				(c.text != "-" && ev.Text != c.text) {
				t.Errorf("%s %s: got %+v", form, c.inner, ev)
			}
			if ev.Turn != !strings.Contains(ev.Why, "parent_tool_use_id") {
				t.Errorf("%s %s: turn %v", form, c.inner, ev.Turn)
			}
		}
	}
}

func TestEventKinds(t *testing.T) {
	for _, c := range []struct {
		row          string
		kind, text   string
		person, turn bool
		warnings     int
	}{
		{`"assistant":{"uuid":"u","internal_anthropic_catchall":{"message":{"role":"assistant","content":[{"type":"text",` +
			`"text":"done"},{"type":"tool_use","id":"t"}]}}}`, "assistant", "done", false, true, 0},
		{`"assistant":{"uuid":"u","internal_anthropic_catchall":{"parent_tool_use_id":"t",` +
			`"message":{"content":[{"type":"text","text":"noise"}]}}}`, "assistant", "noise", false, false, 0},
		{`"result":{"uuid":"u","internal_anthropic_catchall":{"subtype":"success","result":"all done"}}`, "result",
			"all done", false, true, 0},
		{`"system":{"uuid":"u","subtype":"init"}`, "system", "", false, false, 0},
		{`"env_manager_log":{"uuid":"u"}`, "env_manager_log", "", false, false, 0},
		{`"brand_new_kind":{"uuid":"u"}`, "brand_new_kind", "", false, false, 0},
		{`"brand_new_kind":{"uuid":"u","message":{"role":"user","content":"go"}}`, "brand_new_kind", "go", true, true, 0},
		{`"type":"result","uuid":"u","result":"all done"`, "result", "all done", false, true, 0},
		{`"event_type":"assistant","event_id":"u","payload":{"message":{"role":"assistant","content":"done"}}`, "assistant",
			"done", false, true, 0},
		{`"event_type":"system","event_id":"u","payload":{}`, "system", "", false, false, 0},
		{`"type":"user.message","uuid":"u","content":[{"type":"text","text":"go"}]`, "user.message", "go", true, true, 0},
		{`"uuid":"u"`, "", "", false, false, 1},
		{`"uuid":"u","a":{},"b":{}`, "", "", false, false, 1},
		{`"uuid":"u","message":{"content":"go"}`, "", "go", true, true, 1},
		{`"uuid":"u","message":{"role":"assistant","content":"done"}`, "", "done", false, true, 1},
		{`"user":{"message":{"content":"go"}}`, "user", "go", true, true, 1},
	} {
		got := mustEvents(t, file("e", `{"ccr":{"data":[{"created_at":"`+day(1)+`",`+c.row+`}]}}`))
		if len(got.Items) != 1 {
			t.Errorf("%s: got %+v", c.row, got)
			continue
		}
		ev := got.Items[0]
		if ev.Kind != c.kind || ev.Text != c.text || ev.Person != c.person || ev.Turn != c.turn ||
			len(got.Warnings) != c.warnings {
			t.Errorf("%s: got %+v %q", c.row, ev, got.Warnings)
		}
	}
}

func TestEventTimes(t *testing.T) {
	at := time.Date(2026, 9, 2, 17, 30, 5, 0, time.UTC)
	for _, c := range []struct {
		row      string
		want     time.Time
		warnings int
	}{
		{`"created_at":"2026-09-02T17:30:05Z","user":{"uuid":"u","content":"x"}`, at, 0},
		{`"created_at":"2026-09-02T19:30:05.000000000+02:00","user":{"uuid":"u","content":"x"}`, at, 0},
		{`"user":{"uuid":"u","content":"x","timestamp":"2026-09-02T17:30:05Z"}`, at, 0},
		{`"created_at":"2026-09-02T17:30:05Z","user":{"uuid":"u","content":"x","timestamp":"2026-09-01T17:30:05Z"}`, at, 0},
		{`"created_at":"soon","user":{"uuid":"u","content":"x",` +
			`"internal_anthropic_catchall":{"timestamp":"2026-09-02T17:30:05Z"}}`, at, 1},
		{`"created_at":"soon","user":{"uuid":"u","content":"x"}`, time.Time{}, 2},
		{`"created_at":1756800000,"user":{"uuid":"u","content":"x"}`, time.Time{}, 2},
		{`"user":{"uuid":"u","content":"x"}`, time.Time{}, 2},
	} {
		got := mustEvents(t, file("e", `{"ccr":{"data":[{`+c.row+`}]}}`))
		if len(got.Items) != 1 || !got.Items[0].At.Equal(c.want) || !got.Items[0].Person || len(got.Warnings) != c.warnings {
			t.Errorf("%s: got %+v", c.row, got)
		}
	}
}

// pageE is a page of events numbered by their minute.
func pageE(more string, minutes ...int) string {
	var rows []string
	for _, m := range minutes {
		rows = append(rows, fmt.Sprintf(`{"created_at":"2026-09-02T09:%02d:00Z","user":{"uuid":"u%02d",`+
			`"internal_anthropic_catchall":{"message":{"role":"user","content":"m%02d"}}}}`, m, m, m))
	}
	first := ""
	if len(minutes) > 0 {
		first = fmt.Sprintf(`,"first_id":"u%02d"`, minutes[0])
	}
	return `{"ccr":{"data":[` + strings.Join(rows, ",") + `]` + more + first + `}}`
}

func TestEventsPaging(t *testing.T) {
	const more, end = `,"has_more":true`, `,"has_more":false`
	for _, c := range []struct {
		name    string
		pages   []string
		hasMore bool
		first   string
		want    string
	}{
		{"one page", []string{pageE(end, 1, 2, 3)}, false, "", "u01 u02 u03"},
		{"missing has_more is false", []string{pageE("", 1, 2, 3)}, false, "", "u01 u02 u03"},
		{"one page with more", []string{pageE(more, 4, 5)}, true, "u04", "u04 u05"},
		{"newest page first", []string{pageE(more, 4, 5), pageE(end, 1, 2)}, false, "", "u01 u02 u04 u05"},
		{"oldest page first", []string{pageE(end, 1, 2), pageE(more, 4, 5)}, false, "", "u01 u02 u04 u05"},
		{"overlapping", []string{pageE(more, 3, 4), pageE(more, 2, 3), pageE(end, 1, 2)}, false, "", "u01 u02 u03 u04"},
		{"the oldest has more", []string{pageE(more, 2, 3), pageE(more, 4, 5)}, true, "u02", "u02 u03 u04 u05"},
		{"an empty page", []string{`{"ccr":{"has_more":true,"first_id":"u09"}}`}, true, "u09", ""},
		{"an empty page first", []string{`{"ccr":{"has_more":true,"first_id":"u09"}}`, pageE(end, 1)}, false, "", "u01"},
		{"an empty page last", []string{pageE(more, 4), `{"ccr":{"data":[],"has_more":true,"first_id":"u02"}}`}, true, "u02",
			"u04"},
		{"an empty page without an id", []string{pageE(more, 4), `{"ccr":{"has_more":true}}`}, true, "u04", "u04"},
		{"an empty beginning", []string{pageE(more, 4), `{"ccr":{}}`}, false, "", "u04"},
		{"an end that is not beyond", []string{pageE(more, 1, 2), pageE(end, 2, 3)}, true, "u01", "u01 u02 u03"},
		{"no events", []string{`{"ccr":{"data":[]}}`}, false, "", ""},
	} {
		check := func(name string, files ...File) {
			got, err := ReadEvents(files...)
			if err != nil {
				t.Errorf("%s: %v", name, err)
				return
			}
			var ids []string
			for _, ev := range got.Items {
				ids = append(ids, ev.UUID)
			}
			if got.HasMore != c.hasMore || got.FirstID != c.first || strings.Join(ids, " ") != c.want {
				t.Errorf("%s: got %v %q %q", name, got.HasMore, got.FirstID, ids)
			}
		}
		var files []File
		var raw string
		for i, p := range c.pages {
			files = append(files, file(fmt.Sprintf("p%d", i), p))
			raw += rawTool(p)
		}
		check(c.name+"/files", files...)
		check(c.name+"/array", file("p", "["+strings.Join(c.pages, ",")+"]"))
		check(c.name+"/lines", file("p", strings.Join(c.pages, "\n")+"\n"))
		check(c.name+"/raw", file("p", raw))
		check(c.name+"/fences", file("p", "```json\n"+strings.Join(c.pages, "\n```\nand\n```\n")+"\n```\n"))
	}
}

func TestEventsNothingIsLost(t *testing.T) {
	got := mustEvents(t, file("e.json", `{"ccr":{"data":[
		{"created_at":"never","user":{"uuid":"u1","content":"late"}},
		{"created_at":"2026-09-02T09:00:00Z","user":{"uuid":"U2","isSynthetic":true,"content":"x"}},
		{"created_at":"2026-09-02T09:00:00Z","user":{"uuid":"u2","content":"x"}},
		{"created_at":"2026-09-02T09:01:00Z","odd":1},
		{"created_at":"2026-09-02T09:01:00Z","odd":1},
		null,
		{"id":"model_1"}
	]}}`))
	var parts []string
	for _, ev := range got.Items {
		parts = append(parts, fmt.Sprintf("%s/%s/%v", ev.UUID, ev.Kind, ev.Person))
	}
	if s := strings.Join(parts, " "); s != "u2/user/true //false u1/user/true model_1//false" {
		t.Errorf("got %s", s)
	}
	if !strings.HasPrefix(got.Warnings[0], `e.json, row 1: created_at "never" is not RFC 3339`) {
		t.Errorf("got %q", got.Warnings)
	}
}

func TestEventsSameTimeKeepTheirOrder(t *testing.T) {
	ev := func(id string) string { return `{"created_at":"2026-09-02T09:00:00Z","system":{"uuid":"` + id + `"}}` }
	got := mustEvents(t, file("new", `{"data":[`+ev("c")+`,`+ev("d")+`],"has_more":true}`),
		file("old", `{"data":[`+ev("a")+`,`+ev("b")+`]}`))
	var ids string
	for _, e := range got.Items {
		ids += e.UUID
	}
	if ids != "abcd" {
		t.Errorf("got %s", ids)
	}
}

func TestEventsApart(t *testing.T) {
	if got := mustEvents(t, file("a", pageE(`,"has_more":true`, 4, 5)), file("b", pageE("", 1, 2))); len(got.Notes) != 1 {
		t.Errorf("got %q", got.Notes)
	}
	if got := mustEvents(t, file("a", pageE(`,"has_more":true`, 2, 3)), file("b", pageE("", 1, 2))); len(got.Notes) != 0 {
		t.Errorf("got %q", got.Notes)
	}
}
