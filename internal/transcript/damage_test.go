package transcript

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"recovery/fixtures"
	"recovery/fixtures/long"
)

// flips are every way that is tried to damage one byte: each single bit, and the bytes that mean something in JSON.
func flips(b byte) []byte {
	var out []byte
	for i := range 8 {
		out = append(out, b^1<<i)
	}
	for _, c := range []byte("\\\"{}[],: \n\r\x00\xff0ne") {
		if c != b {
			out = append(out, c)
		}
	}
	return out
}

// tailOfLines is Tail of a text without a file.
func tailOfLines(data []byte) Tail {
	s := tailScan{results: map[string]bool{}}
	known := seen{}
	err := backward(bytes.NewReader(data), int64(len(data)), func(l Line) error { return each(l, known, s.add) })
	if walked("x", err) != nil {
		panic(err)
	}
	s.finish()
	return s.out
}

// TestCutTurnIsNeverComplete: whichever byte of the last message line of a cut turn is damaged, and wherever in it
// the file ends, the turn does not become a complete one. (Without that line altogether the transcript is a shorter
// one, and nothing in it shows what is missing.)
func TestCutTurnIsNeverComplete(t *testing.T) {
	if testing.Short() {
		t.Skip("long, and nothing in it for the race detector")
	}
	step := long.Of(4, 1) // a quarter of the bytes
	note := `<task-notification>\n<summary>x</summary>`
	small := map[string]string{
		"a person":           person("now the other file"),
		"a person, blocks":   user(`[` + textOf("<system-reminder>x</system-reminder>") + `,` + textOf("more") + `]`),
		"a result":           result("t"),
		"a bare result":      user(`[{"type":"tool_result","tool_use_id":"t"}]`),
		"a call":             reply("m", tool, call("t", "Bash")),
		"a call, two blocks": reply("m", tool, textOf("I will."), call("t", "Bash")),
		"no stop":            reply("m", none, textOf("I am")),
		"a question":         reply("m", tool, call("t", "AskUserQuestion")),
		"interrupted":        user(`"[Request interrupted by user]"`),
		"a notification":     user(`"` + note + `"`),
		"a peer":             user(`"x"`, `,"origin":{"kind":"peer"}`),
		"a command":          user(`"<command-name>/x</command-name>"`),
		"an error":           synthetic("API Error", true),
		"handed over":        attachment(`{"type":"queued_command","prompt":"x"}`),
	}
	lines := map[string][2]string{}
	for name, line := range small {
		lines[name] = [2]string{done, line}
		if name == "a person" || name == "a call" {
			lines[name+", spaced"] = [2]string{done, strings.NewReplacer(`":`, `": `, `,"`, `, "`).Replace(line)}
		}
	}
	for name, turn := range map[string]fixtures.Turn{
		"client, a person": fixtures.Unfinished("Now the other file."),
		"client, a call": fixtures.Unfinished("Go.", fixtures.Tool{Name: "Bash",
			Input: map[string]any{"command": "touch x"}, Pending: true}),
		"client, a result": fixtures.Unfinished("Go.", fixtures.Bash("ls", "a")),
	} {
		_, _, added := situation(t, fixtures.Session{Turns: []fixtures.Turn{fixtures.Says("a", "b"), turn}})
		data, err := os.ReadFile(added.Transcript)
		if err != nil {
			t.Fatal(err)
		}
		all := bytes.SplitAfter(data, []byte("\n"))
		last := len(all) - 1
		for e := parse(Line{Data: bytes.TrimSpace(all[last])}); e.Type != "user" &&
			e.Type != "assistant"; e = parse(Line{Data: bytes.TrimSpace(all[last])}) {
			last--
		}
		lines[name] = [2]string{done, string(all[last])} // a complete turn before it is all that damage could fall back to
		// What the client writes behind it stays undamaged there.
		lines[name+", with what is behind"] = [2]string{done, string(bytes.Join(all[last:], nil))}
	}
	for name, parts := range lines {
		head, line := parts[0], parts[1]
		size := strings.IndexByte(line, '\n')
		check := func(what string, pos int, b byte, data []byte) {
			if got := tailOfLines(data); got.Turn == Complete {
				t.Errorf("%s: byte %d of %q %s %q: %s", name, pos, line[max(0, pos-12):min(len(line), pos+12)], what, b, got.Why)
			}
		}
		data := []byte(head + line)
		if got := tailOfLines(data); got.Turn == Complete || got.Turn == UnknownTurn || got.Turn == Empty {
			t.Fatalf("%s: undamaged it is %s (%s)", name, got.Turn, got.Why)
		}
		for i := 0; i < size; i += step {
			pos := len(head) + i
			old := data[pos]
			for _, b := range flips(old) {
				data[pos] = b
				check("becomes", i, b, data)
			}
			data[pos] = old
			if i > 0 {
				check("is the end", i, old, data[:pos])
				check("is the end, a new line behind", i, old, append(bytes.Clone(data[:pos]), '\n'))
				check("and on are zeros", i, old, append(bytes.Clone(data[:pos]), make([]byte, len(data)-pos)...))
			}
			check("is missing", i, old, append(bytes.Clone(data[:pos]), data[pos+1:]...))
		}
	}
}

// TestQueueSurvivesDamage: whichever byte of a queue's line is damaged, the message in it does not vanish without a
// trace.
func TestQueueSurvivesDamage(t *testing.T) {
	if testing.Short() {
		t.Skip("long, and nothing in it for the race detector")
	}
	step := long.Of(3, 1) // a third of the bytes
	head := person("first") + strings.Repeat(strings.Replace(reply("m", end, textOf("x")), `{`, `{"uuid":"u",`, 1),
		maxLead+1)
	for _, line := range []string{queue("enqueue", "yes, go"), strings.ReplaceAll(queue("enqueue", "yes, go"), `":`,
		`": `)} {
		for _, before := range []string{"", head} {
			data := []byte(before + line)
			for i := 0; i < len(line)-1; i += step {
				pos := len(before) + i
				old := data[pos]
				for _, b := range flips(old) {
					data[pos] = b
					if l := ledgerOf(string(data)); len(l.Pending) == 0 && !l.BadHides {
						t.Errorf("byte %d of %q becomes %q: nothing is pending and nothing is wrong", i,
							line[max(0, i-12):min(len(line), i+12)], b)
					}
				}
				data[pos] = old
			}
		}
	}
}

func FuzzTail(f *testing.F) {
	for _, s := range []string{"", "\n", done, done + person("x"), person("x") + reply("m", tool, call("t", "Bash")) +
		result("t"), done + "\x00\x00", done + `{"type":"us`, synthetic("x", true)} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		got := tailOfLines(data)
		switch got.Turn {
		case Complete, MidTurn, Waiting, Empty, ErrorTurn, UnknownTurn:
		default:
			t.Errorf("turn %q", got.Turn)
		}
		if got.Turn == Empty && len(got.Bad) > 0 || got.Why == "" || (got.Turn == Complete) != (got.Stop != "") {
			t.Errorf("%+v", got)
		}
		// A torn line behind it can always be one that says something else.
		if len(data) > 0 && data[len(data)-1] == '\n' {
			if after := tailOfLines(append(bytes.Clone(data), `{"type":"user","mess`...)); after.Turn != UnknownTurn {
				t.Errorf("%s with a torn line behind", after.Turn)
			}
			if after := tailOfLines(append(bytes.Clone(data), person("x")...)); after.Turn != MidTurn {
				t.Errorf("%s with a person's line behind", after.Turn)
			}
		}
	})
}

func FuzzLedger(f *testing.F) {
	for _, s := range []string{"", done, queue("enqueue", "x") + queue("dequeue") + person("x"), queue("popAll"),
		queue("remove", "x"), attachment(`{"type":"queued_command","prompt":"x"}`)} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		l := ledgerOf(string(data))
		if len(l.BadLines) > maxBad || len(l.BadLines) > l.Bad || l.Bad > 0 && !l.BadHides {
			t.Errorf("%+v", l)
		}
		// What is typed behind it all is pending, whatever was before.
		if len(data) > 0 && data[len(data)-1] != '\n' {
			data = append(data, '\n')
		}
		after := ledgerOf(string(data) + queue("enqueue", "typed at the very end"))
		if n := len(after.Pending); n == 0 || after.Pending[n-1].Text != "typed at the very end" || !after.Pending[n-1].Left {
			t.Errorf("%+v", after.Pending)
		}
	})
}
