package transcript

import (
	"strings"
	"testing"
	"time"

	"recovery/fixtures"
)

func TestTail(t *testing.T) {
	clear := user(`"<local-command-caveat>x"`, `,"isMeta":true`) + user(`"<command-name>/cost</command-name>"`) +
		user(`"<local-command-stdout>1 USD</local-command-stdout>"`)
	notification := user(`"<task-notification>\n<summary>x"`, `,"origin":{"kind":"task-notification"}`)
	for _, c := range []struct {
		name, text string
		turn       TurnState
		why, reply string
	}{
		// Complete.
		{"complete", done, Complete, "end_turn", "It is done."},
		{"stop sequence", person("q") + reply("m", `"stop_sequence"`, textOf("a")), Complete, "stop_sequence", "a"},
		{"refusal", person("q") + reply("m", `"refusal"`, textOf("a")), Complete, "refusal", "a"},
		{"max tokens", person("q") + reply("m", `"max_tokens"`, textOf("a")), Complete, "max_tokens", "a"},
		{"no newline at the end", strings.TrimSuffix(done, "\n"), Complete, "", "It is done."},
		{"CRLF", strings.ReplaceAll(done, "\n", "\r\n"), Complete, "", "It is done."},
		{"spaces after colons", strings.ReplaceAll(done, `":`, `": `), Complete, "", "It is done."},
		{"one reply in parts", person("q") + reply("m", end, `{"type":"thinking","thinking":"hm"}`) + reply("m", end,
			textOf("a")) + reply("m", end, textOf("b")), Complete, "", "a\nb"},
		{"one reply around a call", person("q") + reply("m", tool, textOf("a")) + reply("m", tool, call("t", "Bash")) +
			result("t") + reply("n", end, textOf("b")), Complete, "", "b"},
		{"the last reply alone", done + person("q") + reply("m2", end, textOf("b")), Complete, "", "b"},
		{"a reply without text", done + person("q") + reply("m2", end), Complete, "", "It is done."},
		{"no message id", person("q") + reply("", end, textOf("a")) + reply("", end, textOf("b")), Complete, "", "b"},
		{"answered call", person("q") + reply("m", tool, call("t", "Bash")) + result("t") + reply("n", end, textOf("a")),
			Complete, "", "a"},
		{"calls answered in another order", person("q") + reply("m", tool, call("t", "A")) + reply("m", tool,
			call("u", "B")) + result("u") + result("t") + reply("n", end, textOf("a")), Complete, "", "a"},
		{"bookkeeping behind", done + `{"type":"last-prompt","lastPrompt":"x"}` + "\n" + `{"type":"hologram"}` + "\n" +
			`{"type":"system","subtype":"turn_duration",` + stamp + "}\n", Complete, "", "It is done."},
		{"attachments behind", done + attachment(`{"type":"todo_reminder"}`), Complete, "", "It is done."},
		{"a local command behind", done + clear, Complete, "", "It is done."},
		{"two local commands behind", done + clear + clear, Complete, "", "It is done."},
		{"a local command, its output by the system", done + user(`"<command-name>/cost</command-name>"`) +
			`{"type":"system","subtype":"local_command","content":"<local-command-stdout>x"}` + "\n", Complete, "", ""},
		{"shell commands behind", done + user(`"<bash-input>ls</bash-input>"`) + user(`"<bash-stdout>x</bash-stdout>"`),
			Complete, "", "It is done."},
		{"meta behind", done + user(`"Continue from where you left off."`, `,"isMeta":true`) +
			synthetic("No response requested.", false), Complete, "", "It is done."},
		{"compaction behind", done + `{"type":"system","subtype":"compact_boundary"}` + "\n" + user(`"summary"`,
			`,"isCompactSummary":true`) + clear, Complete, "", "It is done."},
		{"a subagent's call behind", done + side(reply("s", tool, call("x", "Bash"))), Complete, "", "It is done."},
		{"a subagent's message behind", done + side(person("go")), Complete, "", "It is done."},
		{"an error before", person("q") + synthetic("API Error", true) + person("again") + reply("m", end, textOf("a")),
			Complete, "", "a"},
		{"retries before", person("q") + `{"type":"system","subtype":"api_error","content":"retrying"}` + "\n" + reply("m",
			end, textOf("a")), Complete, "", "a"},
		{"zeros before", strings.Repeat("\x00", 99) + "\n" + done, Complete, "", "It is done."},
		{"damage before", "{\n" + person("q") + reply("m", end, textOf("a")), Complete, "", "a"},
		{"an empty text as reply", person("q") + reply("m", end, textOf("")), Complete, "", ""},
		{"blank lines behind", done + "\n\r\n \n", Complete, "", "It is done."},
		// Cut in the middle.
		{"unanswered", done + person("more"), MidTurn, "a person's message", "It is done."},
		{"unanswered, blocks", done + user(`[`+textOf("<system-reminder>x")+`,`+textOf("more")+`]`), MidTurn,
			"a person's message", ""},
		{"an open call", done + person("q") + reply("m", tool, textOf("a"), call("t", "Bash")), MidTurn,
			"a call of Bash without a result", "a"},
		{"an open call that says it ended", done + person("q") + reply("m", end, call("t", "Bash")), MidTurn, "Bash", ""},
		{"an open call without a stop", done + person("q") + reply("m", none, call("t", "Bash")), MidTurn, "Bash", ""},
		{"a result", done + person("q") + reply("m", tool, call("t", "Bash")) + result("t"), MidTurn, "a tool's result", ""},
		{"a denied call", done + person("q") + reply("m", tool, call("t", "Bash")) + user(`[{"type":"tool_result",`+
			`"tool_use_id":"t","is_error":true}]`, `,"toolDenialKind":"user-rejected"`), MidTurn, "result", ""},
		{"no stop reason", done + person("q") + reply("m", none, textOf("a")), MidTurn, "no stop reason", "a"},
		{"paused", done + person("q") + reply("m", `"pause_turn"`, textOf("a")), MidTurn, "pause_turn", "a"},
		{"a stop of tomorrow", done + person("q") + reply("m", `"hologram"`, textOf("a")), MidTurn, "hologram", ""},
		{"thinking only", done + person("q") + reply("m", none, `{"type":"thinking","thinking":"hm"}`), MidTurn, "", ""},
		{"interrupted", done + person("q") + user(`"[Request interrupted by user]"`), MidTurn, "interrupted", ""},
		{"a notification", done + notification, MidTurn, "task notification", ""},
		{"another session", done + user(`"<cross-session-message>x"`), MidTurn, "another session", ""},
		{"a schedule", done + user(`"x"`, `,"origin":{"kind":"cron"}`), MidTurn, "schedule", ""},
		{"a command", done + user(`"<command-message>x</command-message>\n<command-name>/x</command-name>"`) + user(`"do x"`,
			`,"isMeta":true`), MidTurn, "a command", ""},
		{"a command, then a local one", done + user(`"<command-name>/x</command-name>"`) + clear, MidTurn, "a command", ""},
		{"a command, then a local one with a caveat that is not meta", done + user(`"<command-name>/x</command-name>"`) +
			user(`"<local-command-caveat>x"`) +
			user(`"<command-name>/cost</command-name>"`) + user(`"<local-command-stdout>x"`), MidTurn, "a command", ""},
		{"a command, answered elsewhere", done + user(`"<command-name>/x</command-name>"`) + person("q") +
			user(`"<local-command-stdout>x"`), MidTurn, "person", ""},
		{"unanswered, then a local command", done + person("q") + clear, MidTurn, "a person's message", ""},
		{"a message handed over", done + attachment(`{"type":"queued_command","prompt":"also this"}`), MidTurn,
			"waited in the queue", ""},
		{"a call, then bookkeeping", person("q") + reply("m", tool, call("t", "Bash")) + `{"type":"last-prompt"}` + "\n" +
			attachment(`{"type":"x"}`), MidTurn, "Bash", ""},
		{"woken without a question", person("q") + reply("m", tool, call("t", "Bash")) + result("t") +
			synthetic("No response requested.", false), MidTurn, "result", ""},
		{"compacted in the middle", person("q") + reply("m", tool, call("t", "Bash")) + result("t") + user(`"summary"`,
			`,"isCompactSummary":true`), MidTurn, "result", ""},
		{"an image", done + user(`[{"type":"image"}]`), MidTurn, "person", ""},
		// Waiting.
		{"a question", person("q") + reply("m", tool, call("t", "AskUserQuestion")), Waiting, "AskUserQuestion", ""},
		{"a plan", person("q") + reply("m", tool, call("t", "ExitPlanMode")), Waiting, "ExitPlanMode", ""},
		{"a question that was answered", person("q") + reply("m", tool, call("t", "AskUserQuestion")) + result("t"), MidTurn,
			"result", ""},
		// Errors.
		{"an error", done + person("q") + synthetic("API Error: 500", true), ErrorTurn, "error", "It is done."},
		{"an error by the system", done + person("q") + `{"type":"system","subtype":"api_error",` +
			`"error":{"message":"overloaded"}}` + "\n", ErrorTurn, "API error", ""},
		// Nothing.
		{"empty", "", Empty, "no message", ""},
		{"blank lines", "\n\n", Empty, "no message", ""},
		{"a title", `{"type":"custom-title","customTitle":"x"}` + "\n", Empty, "no message", ""},
		{"attachments only", attachment(`{"type":"environment"}`), Empty, "no message", ""},
		{"a subagent only", side(reply("s", end, textOf("x"))), Empty, "no message", ""},
		{"meta only", user(`"x"`, `,"isMeta":true`), Empty, "no message", ""},
		// Damage behind the last message: nobody knows what it was.
		{"torn", done + person("yes")[:60], UnknownTurn, "torn", "It is done."},
		{"zeros behind", done + strings.Repeat("\x00", 512), UnknownTurn, "NUL", ""},
		{"zeros and a line behind", done + strings.Repeat("\x00", 512) + "\n" + attachment(`{"type":"x"}`), UnknownTurn,
			"NUL", ""},
		{"garbage behind", done + "lorem\n", UnknownTurn, "not valid JSON", ""},
		{"a record glued to garbage", person("q") + `{"type":"su` + strings.Replace(reply("m", end, textOf("a")), `{`,
			`{"uuid":"u",`, 1), UnknownTurn, "", "a"},
		{"all garbage", strings.Repeat("lorem\n", 50), UnknownTurn, "50 lines are broken", ""},
		{"all zeros", strings.Repeat("\x00", 5000), UnknownTurn, "no message can be read", ""},
		{"a damaged type behind", done + strings.Replace(person("yes"), `"user"`, `"uses"`, 1), UnknownTurn, "damaged user",
			""},
		{"a damaged subagent line behind", done + "{\"isSidechain\":true\n", UnknownTurn, "", ""},
		{"replies without a beginning", reply("m", tool, textOf("a")), MidTurn, "", "a"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := tail(t, c.text)
			if got.Turn != c.turn || !strings.Contains(got.Why, c.why) || c.reply != "" && got.Reply != c.reply {
				t.Errorf("%s (%s), reply %q; want %s (%s), %q", got.Turn, got.Why, got.Reply, c.turn, c.why, c.reply)
			}
			if (got.Stop != "") != (c.turn == Complete) || (got.ErrorText != "") != (c.turn == ErrorTurn) {
				t.Errorf("stop %q, error %q", got.Stop, got.ErrorText)
			}
			if got.Messages == (c.turn == Empty) && !strings.HasPrefix(c.name, "all ") {
				t.Errorf("messages %v", got.Messages)
			}
		})
	}
}

func TestTailFields(t *testing.T) {
	clock := func(line, at string) string { return strings.Replace(line, "10:00:00", at, 1) }
	got := tail(t, clock(person("q"), "09:00:00")+clock(reply("m", end, textOf("a")), "09:01:00")+
		clock(attachment(`{"type":"x"}`), "09:02:00")+
		clock(queue("enqueue", "x"), "09:30:00")+clock(side(reply("s", end, textOf("b"))), "09:40:00"))
	at := func(s string) time.Time {
		return time.Date(2026, 9, 1, 9, 0, 0, 0, time.UTC).Add(must(time.ParseDuration(s)))
	}
	if !got.LastEntry.Equal(at("2m")) || !got.LastTurn.Equal(at("1m")) || !got.ReplyAt.Equal(at("1m")) ||
		got.Cwd != "/w" || got.OpenTool != "" {
		t.Errorf("%+v", got)
	}
	got = tail(t, done+`{"type":"continued-in","continuedInSessionId":"next"}`+"\n")
	if got.ContinuedIn != "next" || got.Turn != Complete {
		t.Errorf("%+v", got)
	}
	if got = tail(t, done+`{"type":"continued-in"}`+"\n"); got.ContinuedIn == "" {
		t.Error("continued nowhere")
	}
	if got = tail(t, `{"type":"continued-in","continuedInSessionId":"next"}`+"\n"+done+done); got.ContinuedIn != "" {
		t.Error("it went on here")
	}
	if got = tail(t, person("q")+reply("m", tool, call("t", "Write"))); got.OpenTool != "Write" {
		t.Errorf("%+v", got)
	}
	if got = tail(t, strings.ReplaceAll(done, stamp, `"x":1`)); !got.LastEntry.IsZero() || got.Turn != Complete {
		t.Errorf("%+v", got)
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// TestTailFixtures reads what the client writes.
func TestTailFixtures(t *testing.T) {
	for _, s := range fixtures.Situations() {
		if s.Turn == "" || s.Name == "giant-line" {
			continue
		}
		t.Run(s.Name, func(t *testing.T) {
			sub, err := s.Build(t.TempDir(), now)
			if err != nil {
				t.Fatal(err)
			}
			defer sub.Account.Close()
			got, err := openFile(t, sub.Session.Transcript).Tail()
			if err != nil {
				t.Fatal(err)
			}
			// That a call waits for a permission is not in the transcript.
			if !strings.Contains(s.Turn, string(got.Turn)) {
				t.Errorf("%s (%s), want %s", got.Turn, got.Why, s.Turn)
			}
			if got.Messages && !got.LastEntry.IsZero() && sub.Session.RawTail == nil &&
				got.LastEntry.After(sub.Session.LastEntry) {
				t.Errorf("last entry %v", got.LastEntry)
			}
		})
	}
}
