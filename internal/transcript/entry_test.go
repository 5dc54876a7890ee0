package transcript

import (
	"strings"
	"testing"

	"github.com/tidwall/gjson"
)

func parseText(s string, torn bool) *Entry {
	return parse(Line{Offset: 7, Size: int64(len(s)) + 1, Data: []byte(s), Torn: torn})
}

func TestSpeaker(t *testing.T) {
	origin := func(kind string) string { return `,"origin":{"kind":"` + kind + `"}` }
	for _, c := range []struct {
		name, line string
		want       Speaker
	}{
		{"typed", person("hello"), Person},
		{"no origin", user(`"hello"`), Person},
		{"origin of another type", user(`"hello"`, `,"origin":"human"`), Person},
		{"blocks", user(`[` + textOf("hello") + `]`), Person},
		{"an image", user(`[{"type":"image","source":{}}]`), Person},
		{"nothing", user(`""`), Person},
		{"no blocks", user(`[]`), Person},
		{"a marker further on", person("see <task-notification> here"), Person},
		{"a marker's beginning", person("<task"), Person},
		{"a text that quotes a result", person(`{"type":"tool_result"} [{"type":"tool_result"}]`), Person},
		{"a result", result("t1"), Tool},
		{"a result without its own record", user(`[{"type":"tool_result","tool_use_id":"t1","content":"x"}]`), Tool},
		{"a record without a result block", user(`"x"`, `,"toolUseResult":{}`), Tool},
		{"a result and a text", user(`[{"type":"tool_result","tool_use_id":"t1"},` + textOf("stop") + `]`), Tool},
		{"meta", user(`"hello"`, `,"isMeta":true`), Injected},
		{"not meta", user(`"hello"`, `,"isMeta":false`), Person},
		{"summary", user(`"hello"`, `,"isCompactSummary":true`), Injected},
		{"reminder", user(`"<system-reminder>\nx"`), Injected},
		{"reminder beside a text", user(`[` + textOf("<system-reminder>x</system-reminder>") + `,` + textOf("do it") + `]`),
			Person},
		{"text beside a reminder", user(`[` + textOf("do it") + `,` + textOf("<system-reminder>x</system-reminder>") + `]`),
			Person},
		{"reminder beside an image", user(`[` + textOf("<system-reminder>x</system-reminder>") + `,{"type":"image"}]`),
			Person},
		{"reminder beside nothing", user(`[` + textOf("<system-reminder>x</system-reminder>") + `,` + textOf(" \n") + `]`),
			Injected},
		{"a person", user(`"x"`, origin("human")), Person},
		{"a notification by origin", user(`"x"`, origin("task-notification")), Notification},
		{"peer", user(`"x"`, origin("peer")), Other},
		{"coordinator", user(`"x"`, origin("coordinator")), Other},
		{"cron", user(`"x"`, origin("cron")), Other},
		{"loop", user(`"x"`, origin("loop")), Other},
		{"channel", user(`"x"`, origin("channel")), Other},
		{"a sender of tomorrow", user(`"x"`, origin("hologram")), Other},
		{"no kind", user(`"x"`, origin("")), Person},
		{"human with a marker", user(`"<task-notification>x"`, origin("human")), Notification},
		{"command", user(`"<command-name>/x</command-name>"`), Command},
		{"command's message", user(`"<command-message>x</command-message>\n<command-name>/x</command-name>"`), Command},
		{"local output", user(`"<local-command-stdout>x</local-command-stdout>"`), Command},
		{"local caveat", user(`"<local-command-caveat>x"`), Command},
		{"shell input", user(`"<bash-input>ls</bash-input>"`), Command},
		{"shell output", user(`"<bash-stdout>x</bash-stdout>"`), Command},
		{"task notification", user(`"<task-notification>\n<task-id>1"`), Notification},
		{"blanks before a marker", user(`" \n\t<task-notification>"`), Notification},
		{"interrupted", user(`"[Request interrupted by user]"`), Interrupted},
		{"interrupted for a tool", user(`[` + textOf("[Request interrupted by user for tool use]") + `]`), Interrupted},
		{"another session", user(`"<cross-session-message from=\"x\">"`), Other},
		{"teammate", user(`"<teammate-message teammate_id=\"x\">"`), Other},
		{"schedule", user(`"<scheduled-task>x"`), Other},
		{"assistant", reply("m", end, textOf("x")), Nobody},
		{"attachment", attachment(`{"type":"x"}`), Nobody},
		{"spaces after colons", strings.ReplaceAll(user(`"x"`, origin("cron")), `":`, `": `), Other},
	} {
		e := parseText(strings.TrimSpace(c.line), false)
		if e.Bad != "" || e.Speaker() != c.want {
			t.Errorf("%s: %q (%s), want %q", c.name, e.Speaker(), e.Bad, c.want)
		}
	}
}

func TestParse(t *testing.T) {
	whole := strings.TrimSpace(person("hello", `,"uuid":"u1"`))
	for _, c := range []struct {
		name, line string
		torn       bool
		kind, bad  string
	}{
		{"whole", whole, false, "user", ""},
		{"whole without its newline", whole, true, "user", ""},
		{"blanks around", " \t" + whole + " ", false, "user", ""},
		{"blank", "  ", false, "", ""},
		{"empty", "", false, "", ""},
		{"unknown type", `{"type":"hologram","payload":{}}`, false, "hologram", ""},
		{"queue without content", `{"type":"queue-operation","operation":"dequeue"}`, false, "queue-operation", ""},
		{"lone surrogate", `{"type":"summary","s":"\ud83d"}`, false, "summary", ""},
		{"invalid UTF-8", "{\"type\":\"summary\",\"s\":\"\xff\"}", false, "summary", ""},
		{"not JSON", "lorem ipsum", false, "", "not valid JSON"},
		{"torn", whole[:40], true, "", "a torn last line"},
		{"cut", whole[:40], false, "", "not valid JSON"},
		{"zeros", strings.Repeat("\x00", 40), false, "", "a run of 40 NUL bytes"},
		{"zeros before", "\x00\x00" + whole, false, "user", "a run of 2 NUL bytes"},
		{"zeros behind", whole + "\x00", false, "user", "a run of 1 NUL bytes"},
		{"glued to a record", `{"type":"summary","sum` + whole, false, "user", "glued"},
		{"glued to a record without uuid", `{"type":"summary","sum` + `{"type":"queue-operation","operation":"dequeue"}`,
			false, "", "not valid JSON"},
		{"two records", whole + whole, false, "user", "glued"},
		{"a list", `[1]`, false, "", "not a JSON object"},
		{"null", `null`, false, "", "not a JSON object"},
		{"a text", `"x"`, false, "", "not a JSON object"},
		{"brackets", strings.Repeat("[", 1<<20), false, "", "not valid JSON"},
		{"objects", strings.Repeat(`{"a":`, 1<<18), false, "", "not valid JSON"},
		{"no type", `{"uuid":"u"}`, false, "", "without a type"},
		{"type of another type", `{"type":["user"]}`, false, `["user"]`, "damaged type"},
		{"type null", `{"type":null}`, false, "", "damaged type"},
		{"damaged type", strings.Replace(whole, `"user","is`, `"usfr","is`, 1), false, "usfr", "damaged user"},
		{"type with a swallowed letter", strings.Replace(whole, `"user","is`, `"us\r","is`, 1), false, "us\r",
			"damaged type"},
		{"damaged queue type", `{"type":"queue-operatiom","operation":"enqueue"}`, false, "queue-operatiom",
			"damaged queue-operation"},
		{"damaged key", strings.Replace(whole, `"message"`, `"messagf"`, 1), false, "user", "damaged message"},
		{"damaged flag", `{"type":"system","isSidechaim":true}`, false, "system", "damaged isSidechain"},
		{"swallowed letter in a key", `{"type":"system","us\r":1}`, false, "system", "damaged key"},
		{"a key like another that is there", `{"type":"attachment","attachment":{"type":"x"},"attachments":[]}`, false,
			"attachment", ""},
		{"key twice", `{"type":"system","type":"user","message":{"content":""}}`, false, "user", "twice"},
		{"no message", `{"type":"user"}`, false, "user", "without a message"},
		{"message without content", `{"type":"assistant","message":{"id":"m"}}`, false, "assistant", "without a message"},
		{"message of another type", `{"type":"user","message":"x"}`, false, "user", "without a message"},
		{"content of another type", `{"type":"user","message":{"content":5}}`, false, "user", "without a message"},
		{"content without types", `{"type":"user","message":{"content":["x"]}}`, false, "user", "damaged type"},
		{"damaged block", `{"type":"assistant","message":{"content":[{"type":"tool_usf","id":"t"}]}}`, false, "assistant",
			"damaged type"},
		{"text block without a text", `{"type":"user","message":{"content":[{"type":"text","texu":"x"}]}}`, false, "user",
			"without a text"},
		{"a block of tomorrow", `{"type":"user","message":{"content":[{"type":"hologram"}]}}`, false, "user", ""},
		{"bad timestamp", strings.Replace(whole, "2026-09-01", "2026-19-01", 1), false, "user", "timestamp"},
		{"bad timestamp of a queue", `{"type":"queue-operation","operation":"dequeue","timestamp":"x"}`, false,
			"queue-operation", "timestamp"},
		{"null timestamp", `{"type":"system","timestamp":null}`, false, "system", ""},
		{"bad timestamp of nobody's", `{"type":"hologram","timestamp":5}`, false, "hologram", ""},
	} {
		e := parseText(c.line, c.torn)
		if e.Type != c.kind || (e.Bad == "") != (c.bad == "") || !strings.Contains(e.Bad, c.bad) {
			t.Errorf("%s: type %q, bad %q", c.name, e.Type, e.Bad)
		}
	}
	if e := parse(Line{Size: 50 << 20}); !strings.Contains(e.Bad, "too large") {
		t.Error(e.Bad)
	}
	if e := parse(Line{Data: []byte("\ufeff" + whole)}); e.Bad != "" || e.Type != "user" {
		t.Error("a byte order mark at the beginning:", e.Bad)
	}
	if e := parse(Line{Offset: 1, Data: []byte("\ufeff" + whole)}); e.Bad == "" {
		t.Error("a byte order mark elsewhere is no damage")
	}
}

func TestText(t *testing.T) {
	for content, want := range map[string]string{
		`"a\nb"`: "a\nb", `[]`: "", `""`: "", `[` + textOf("a") + `,{"type":"image"},` + textOf("b") + `]`: "a\nb",
		`[{"type":"tool_result","content":[` + textOf("x") + `]}]`: "",
		`"{\"type\":\"text\",\"text\":\"x\"}"`:                     `{"type":"text","text":"x"}`,
	} {
		if got := parseText(strings.TrimSpace(user(content)), false).Text(); got != want {
			t.Errorf("%s: %q", content, got)
		}
	}
}

func FuzzParseEntry(f *testing.F) {
	for _, s := range []string{"", "\x00", person("x"), reply("m", end, textOf("x")), result("t"), queue("enqueue", "x"),
		`{"type":"x","y` + person("x", `,"uuid":"u"`), "[[[["} {
		f.Add([]byte(s), true)
		f.Add([]byte(s), false)
	}
	f.Fuzz(func(t *testing.T, data []byte, torn bool) {
		e := parse(Line{Offset: 3, Size: int64(len(data)), Data: data, Torn: torn})
		e.Speaker()
		_ = e.Text()
		_ = e.Synthetic()
		if e.Bad == "" && e.Type != "" && (!gjson.ValidBytes(e.Data) || !gjson.ParseBytes(e.Data).IsObject()) {
			t.Errorf("%q is a good %s", data, e.Type)
		}
		if e.Bad == "" && e.Type == "" && len(strings.TrimSpace(string(data))) > 0 {
			t.Errorf("%q is nothing", data)
		}
	})
}
