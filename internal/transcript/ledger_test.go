package transcript

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"recovery/fixtures"
)

// pending tells what is pending: "text" for one that is left in the queue, "(text)" for one that went out and never
// came back.
func pending(l Ledger) string {
	var out []string
	for _, p := range l.Pending {
		if p.Left {
			out = append(out, p.Text)
		} else {
			out = append(out, "("+p.Text+")")
		}
	}
	return strings.Join(out, " | ")
}

func TestLedgerQueue(t *testing.T) {
	note := "<task-notification>\n<summary>x</summary>\n</task-notification>"
	handed := func(s string) string { return attachment(`{"type":"queued_command","prompt":` + quote(s) + `}`) }
	for _, c := range []struct{ name, text, want string }{
		{"nothing", done, ""},
		{"typed and left", done + queue("enqueue", "yes") + done, "yes"},
		{"typed, out, lost", queue("enqueue", "yes") + queue("dequeue") + done, "(yes)"},
		{"typed, out, said", queue("enqueue", "yes") + queue("dequeue") + person("yes"), ""},
		{"said before the operation", queue("enqueue", "yes") + person("yes") + queue("dequeue"), ""},
		{"said, blanks around", queue("enqueue", " yes\n") + queue("dequeue") + person("yes "), ""},
		{"said in blocks", queue("enqueue", "yes") + queue("dequeue") + user(`[`+textOf("yes")+`]`), ""},
		{"typed in blocks", `{"type":"queue-operation","operation":"enqueue","content":[` + textOf("yes") + `]}` + "\n" +
			queue("dequeue") + person("yes"), ""},
		{"removed and handed over", queue("enqueue", "yes") + queue("remove", "yes") + handed("yes"), ""},
		{"removed without its text, handed over", queue("enqueue", "yes") + queue("remove") + handed("yes"), ""},
		{"handed over in blocks", queue("enqueue", "yes") + queue("remove", "yes") + attachment(`{"type":"queued_command",`+
			`"prompt":[`+textOf("yes")+`]}`), ""},
		{"removed and lost", queue("enqueue", "yes") + queue("remove", "yes") + done, "(yes)"},
		{"another attachment is no answer", queue("enqueue", "yes") + queue("remove", "yes") +
			attachment(`{"type":"todo","prompt":"yes"}`), "(yes)"},
		{"handed to a subagent", queue("enqueue", "yes") + queue("remove", "yes") + strings.Replace(handed("yes"), `{`,
			`{"isSidechain":true,`, 1), "(yes)"},
		{"said in a subagent", queue("enqueue", "yes") + queue("dequeue") + side(person("yes")), "(yes)"},
		{"said by a reply", queue("enqueue", "yes") + queue("dequeue") + reply("m", end, textOf("yes")), "(yes)"},
		{"said by a tool", queue("enqueue", "ok") + queue("dequeue") + result("t") + user(`"ok"`, `,"toolUseResult":1`),
			"(ok)"},
		{"told in a summary", queue("enqueue", "yes") + queue("dequeue") + user(`"said:\nyes\n"`, `,"isCompactSummary":true`),
			"(yes)"},
		{"told by the client", queue("enqueue", "yes") + queue("dequeue") + user(`"said:\nyes\n"`, `,"isMeta":true`),
			"(yes)"},
		{"a prompt that the client marks as its own", queue("enqueue", "look again") + queue("dequeue") + user(`"look again"`,
			`,"isMeta":true`), ""},
		{"part of a word", queue("enqueue", "yes") + queue("dequeue") + person("yesterday"), "(yes)"},
		{"part of a line", queue("enqueue", "go") + queue("dequeue") + person("let us go on"), "(go)"},
		{"joined", queue("enqueue", "one") + queue("enqueue", "two") + queue("dequeue") + queue("dequeue") +
			person("one\ntwo"), ""},
		{"joined with a blank line", queue("enqueue", "one") + queue("enqueue", "two") + queue("dequeue") + queue("dequeue") +
			person("one\n\ntwo"), ""},
		{"joined, the long one holds the short one", queue("enqueue", "a") + queue("enqueue", "a\nb") + queue("dequeue") +
			queue("dequeue") + person("a\na\nb"), ""},
		{"joined with more", queue("enqueue", "one") + queue("dequeue") + person("one\nand more"), ""},
		{"one of two", queue("enqueue", "one") + queue("enqueue", "two") + queue("dequeue") + queue("dequeue") +
			person("one"), "(two)"},
		{"twice, said twice", queue("enqueue", "yes") + queue("enqueue", "yes") + queue("dequeue") + person("yes") +
			queue("dequeue") + person("yes"), ""},
		{"twice, said once", queue("enqueue", "yes") + queue("enqueue", "yes") + queue("dequeue") + queue("dequeue") +
			person("yes"), "(yes)"},
		{"twice, joined", queue("enqueue", "yes") + queue("enqueue", "yes") + queue("dequeue") + queue("dequeue") +
			person("yes\nyes"), ""},
		{"twice, said once, the line twice in the file", queue("enqueue", "yes") + queue("enqueue", "yes") +
			queue("dequeue") + queue("dequeue") +
			strings.Repeat(person("yes", `,"uuid":"u1"`), 2), "(yes)"},
		{"said twice", queue("enqueue", "yes") + queue("enqueue", "yes") + queue("dequeue") + queue("dequeue") + person("yes",
			`,"uuid":"u1"`) + person("yes", `,"uuid":"u2"`), ""},
		{"two are left", queue("enqueue", "one") + queue("enqueue", "two"), "one | two"},
		{"pulled back, each with its text", queue("enqueue", "one") + queue("enqueue", "two") + queue("popAll", "one") +
			queue("popAll", "two"), "(one) | (two)"},
		{"pulled back, then sent", queue("enqueue", "one") + queue("enqueue", "two") + queue("popAll", "one") +
			queue("popAll", "two") + person("one\ntwo"), ""},
		{"pulled back without texts", queue("enqueue", "one") + queue("enqueue", "two") + queue("popAll"), "(one) | (two)"},
		{"one of two pulled back", queue("enqueue", "one") + queue("enqueue", "two") + queue("popAll", "two"), "(two) | one"},
		{"only one, another pulled back", queue("enqueue", "one") + queue("popAll", "two"), "(two) | one"},
		// What stands in the queue besides messages.
		{"a notification", queue("enqueue", note) + queue("dequeue") + user(quote(note)), ""},
		{"a notification is left", queue("enqueue", note), ""},
		{"a notification and a message", queue("enqueue", note) + queue("enqueue", "yes") + queue("dequeue") +
			user(quote(note)), "yes"},
		{"the message goes first", queue("enqueue", note) + queue("enqueue", "yes") + queue("dequeue") + person("yes") +
			queue("dequeue"), ""},
		{"the message goes first and is lost", queue("enqueue", note) + queue("enqueue", "yes") + queue("dequeue") +
			queue("dequeue") + user(quote(note)), "(yes)"},
		{"two messages go first", queue("enqueue", note) + queue("enqueue", "one") + queue("enqueue", "two") +
			queue("dequeue") + queue("dequeue") + person("one\ntwo"), ""},
		{"left, and a list that holds its word", queue("enqueue", "two") + person("one\ntwo\nthree"), "two"},
		{"another session's", queue("enqueue", "<cross-session-message>x") + queue("dequeue"), ""},
		{"a schedule's", queue("enqueue", "<scheduled-task>x"), ""},
		{"a command", queue("enqueue", "/compact now") + queue("dequeue") +
			user(`"<command-message>compact</command-message>\n<command-name>/compact</command-name>\n<command-args>now</command-args>"`), ""},
		{"a command without arguments", queue("enqueue", "/clear") + queue("dequeue") +
			user(`"<command-name>/clear</command-name>\n   <command-args></command-args>"`), ""},
		{"another command", queue("enqueue", "/compact") + queue("dequeue") +
			user(`"<command-name>/clear</command-name><command-args></command-args>"`), "(/compact)"},
		{"a shell command", queue("enqueue", "ls") + queue("dequeue") + user(`"<bash-input>ls</bash-input>"`), ""},
		// Texts that were not recorded.
		{"no text, left", queue("enqueue"), ""},
		{"no text, said", queue("enqueue") + queue("dequeue") + person("anything"), ""},
		{"two without text, one said", queue("enqueue") + queue("enqueue") + queue("dequeue") + queue("dequeue") +
			person("anything"), "()"},
		{"one without text, a notification came", queue("enqueue") + queue("dequeue") + user(quote(note)), "()"},
		{"one without text, the other one came", queue("enqueue") + queue("enqueue", "yes") + queue("dequeue") +
			queue("dequeue") + person("yes"), "()"},
		{"an empty text", queue("enqueue", "") + queue("dequeue") + person("anything"), ""},
		{"null as text", `{"type":"queue-operation","operation":"enqueue","content":null}` + "\n" + queue("dequeue") + done,
			"" /* the first of its lines may be it */},
		{"its text with the dequeue", queue("enqueue") + queue("dequeue", "yes"), "(yes)"},
		// Halves.
		{"out and never in", queue("dequeue", "yes"), "(yes)"},
		{"out and never in, a notification", queue("dequeue", note), ""},
		{"out of an empty queue", queue("dequeue") + queue("remove") + queue("popAll"), ""},
		{"megabytes between", queue("enqueue", "yes") + strings.Repeat(reply("m", tool, textOf(strings.Repeat("x", 9000))),
			500) + queue("dequeue") + person("yes"), ""},
		{"megabytes between, lost", queue("enqueue", "yes") +
			strings.Repeat(reply("m", tool, textOf(strings.Repeat("x", 9000))), 500) + queue("dequeue"), "(yes)"},
		{"spaces after colons", strings.NewReplacer(`":`, `": `, `,"`, `, "`).Replace(queue("enqueue", "yes") +
			queue("dequeue") + person("no") + queue("enqueue", "ja")), "(yes) | ja"},
		{"escaped", strings.Replace(queue("enqueue", "yes"), "yes", `\u0079es`, 1) + queue("dequeue") + person("yes"), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			// Behind a long beginning, where only the lines that matter are read, it is the same.
			for i, head := range []string{"", person("first") + strings.Repeat(reply("m", end, textOf("x"))[:1]+`"uuid":"u",`+
				reply("m", end, textOf("x"))[1:], maxLead+1)} {
				l := ledger(t, head+c.text)
				want := c.want
				if c.name == "no text, left" {
					if len(l.Pending) != 1 || !l.Pending[0].Left || l.Pending[0].Text != "" {
						t.Errorf("%d: %+v", i, l.Pending)
					}
					continue
				}
				if got := pending(l); got != want {
					t.Errorf("%d: %q, want %q", i, got, want)
				}
				if l.Bad != 0 || l.BadHides {
					t.Errorf("%d: %q", i, l.BadLines)
				}
			}
		})
	}
}

func TestLedgerFields(t *testing.T) {
	text1 := queue("enqueue", "RECOVERY a") + queue("dequeue") + person("RECOVERY a", `,"uuid":"u1"`) + reply("m", end,
		textOf("ok"))
	l := ledger(t, text1+person("hello", `,"uuid":"u2"`)+queue("enqueue", "RECOVERY b")+
		attachment(`{"type":"queued_command","prompt":"RECOVERY c"}`)+side(person("RECOVERY d")))
	if l.First != "RECOVERY a" || l.FirstCwd != "/w" || l.FirstAt.IsZero() || l.Persons != 3 ||
		l.LastPerson != int64(len(text1)) || strings.Join(l.Lead, " ") != "u1 u2" {
		t.Errorf("%+v", l)
	}
	got := ""
	for _, m := range l.Marked {
		got += fmt.Sprintf("%s %v %v, ", m.Text, m.Delivered, m.At.IsZero())
	}
	if got != "RECOVERY a false false, RECOVERY a true false, RECOVERY b false false, RECOVERY c true false, " ||
		l.Marked[0].Offset != 0 {
		t.Error(got)
	}
	if pending(l) != "RECOVERY b" {
		t.Error(pending(l))
	}
	before := person("RECOVERY a")
	if l = ledger(t, before+attachment(`{"type":"queued_command","prompt":"and this"}`)); l.LastPerson != int64(
		len(before)) || l.Persons != 2 {
		t.Errorf("a message that was handed over is a person's: %+v", l)
	}
	if l = ledger(t, before+attachment(`{"type":"queued_command","prompt":"x","origin":{"kind":"cron"}}`)+
		attachment(`{"type":"queued_command","prompt":"<task-notification>"}`)); l.LastPerson != -1 || l.Persons != 1 {
		t.Errorf("nobody's: %+v", l)
	}
	if l = ledger(t, result("t")+user(`"x"`, `,"isMeta":true`)+user(`"<command-name>/x"`)); l.Persons != 0 ||
		l.LastPerson != -1 || l.First != "" {
		t.Errorf("%+v", l)
	}
	none, err := file(t, before).Ledger(nil)
	if err != nil || none.LastPerson != 0 || len(none.Marked) != 0 {
		t.Errorf("%+v %v", none, err)
	}
	head, err := file(t, side(person("x"))+result("t")+person("hello", `,"uuid":"u1"`)+done).Head()
	if err != nil || head.First != "hello" || strings.Join(head.Lead, " ") != "u1" {
		t.Errorf("%+v %v", head, err)
	}
}

func TestLedgerCrons(t *testing.T) {
	failed := func(id string) string {
		return user(`[{"type":"tool_result","tool_use_id":"`+id+`","is_error":true,"content":"no"}]`, `,"toolUseResult":"no"`)
	}
	create, del := reply("m", tool, call("c1", "CronCreate")), reply("n", tool, call("d1", "CronDelete"))
	for _, c := range []struct {
		name, text string
		want       bool
	}{
		{"none", done, false},
		{"made", create + result("c1"), true},
		{"made, no result", create, true},
		{"made and deleted", create + result("c1") + del + result("d1"), false},
		{"made twice, deleted once", create + reply("m", tool, call("c2", "CronCreate")) + del, true},
		{"the line of its deletion twice", create + reply("m", tool, call("c2", "CronCreate")) + del + del, true},
		{"the line of its making twice", create + create + del, false},
		{"refused", create + failed("c1"), false},
		{"its deletion failed", create + result("c1") + del + failed("d1"), true},
		{"told of", person("CronCreate") + reply("m", end, textOf("CronCreate")), false},
	} {
		head := person("first") + strings.Repeat(strings.Replace(reply("m", end, textOf("x")), `{`, `{"uuid":"u",`, 1),
			maxLead+1)
		if a, b := ledger(t, c.text).Crons, ledger(t, head+c.text).Crons; len(a) > 0 != c.want || len(b) > 0 != c.want {
			t.Errorf("%s: %v %v", c.name, a, b)
		}
	}
	named := strings.Replace(create, `"input":{}`, `"input":{"cron":"0 9 * * *","prompt":"send the digest"}`, 1)
	if got := ledger(t, named+result("c1")).Crons; len(got) != 1 || got[0] != "send the digest" {
		t.Errorf("what its schedule does: %q", got)
	}
}

func TestLedgerDamage(t *testing.T) {
	head := person("first") + strings.Repeat(strings.Replace(reply("m", end, textOf("x")), `{`, `{"uuid":"u",`, 1),
		maxLead+1)
	for _, c := range []struct{ name, line string }{
		{"torn", queue("enqueue", "yes")[:50]},
		{"not JSON", "lorem\n"},
		{"zeros", strings.Repeat("\x00", 50) + "\n"},
		{"unknown operation", queue("hologram")},
		{"no operation", `{"type":"queue-operation"}` + "\n"},
		{"damaged operation", queue("enqueuf", "yes")},
		{"damaged type", strings.Replace(queue("enqueue", "yes"), "queue-operation", "queue-operatiom", 1)},
		{"damaged key", strings.Replace(queue("enqueue", "yes"), `"type"`, `"typf"`, 1)},
		{"damaged person's line", strings.Replace(person("yes"), `"type":"user"`, `"type":"usfr"`, 1)},
		{"brackets", strings.Repeat("[", 1<<20) + "\n"},
		{"glued", `{"type":"su` + queue("enqueue", "yes")},
	} {
		for i, before := range []string{"", head} {
			l := ledger(t, before+c.line)
			if l.Bad != 1 || !l.BadHides || len(l.BadLines) != 1 || !strings.Contains(l.BadLines[0], fmt.Sprintf("at byte %d",
				len(before))) {
				t.Errorf("%s, %d: %+v", c.name, i, l.BadLines)
			}
		}
	}
	if l := ledger(t, head+`{"type":"hologram","x":1}`+"\n"+`{"type":"summary"}`+"\n"); l.Bad != 0 {
		t.Error(l.BadLines)
	}
}

// model is a queue as it should be.
type model struct {
	waiting []string // in the queue
	lost    []string // out of it and not said
}

// TestLedgerModel: whatever the order of the events, what was typed and not said is pending, and nothing else.
func TestLedgerModel(t *testing.T) {
	words := []string{"yes", "go", "yes please", "please", "one\ntwo", "two", "no"}
	rapid.Check(t, func(t *rapid.T) {
		var m model
		var b strings.Builder
		take := func(s string) {
			i := slices.Index(m.waiting, s)
			m.waiting = slices.Delete(m.waiting, i, i+1)
		}
		uuid := 0
		say := func(s string) {
			uuid++
			b.WriteString(person(s, fmt.Sprintf(`,"uuid":"u%d"`, uuid)))
		}
		for range rapid.IntRange(0, 25).Draw(t, "events") {
			var next string
			if len(m.waiting) > 0 {
				next = m.waiting[0]
			}
			switch rapid.IntRange(0, 8).Draw(t, "event") {
			case 0, 1:
				s := rapid.SampledFrom(words).Draw(t, "typed")
				if slices.Contains(m.lost, s) || slices.Contains(m.waiting, s) {
					continue // which of two alike was lost cannot be told apart
				}
				m.waiting = append(m.waiting, s)
				b.WriteString(queue("enqueue", s))
			case 2: // out and said
				if next != "" {
					take(next)
					b.WriteString(queue("dequeue"))
					say(next)
				}
			case 3: // out and lost
				if next != "" {
					take(next)
					m.lost = append(m.lost, next)
					b.WriteString(queue("dequeue"))
				}
			case 4: // handed over in the middle of a turn
				if next != "" {
					s := rapid.SampledFrom(m.waiting).Draw(t, "handed")
					take(s)
					b.WriteString(queue("remove", s) + attachment(`{"type":"queued_command","prompt":`+quote(s)+`}`))
				}
			case 5: // thrown away
				if next != "" {
					s := rapid.SampledFrom(m.waiting).Draw(t, "removed")
					take(s)
					m.lost = append(m.lost, s)
					b.WriteString(queue("remove", s))
				}
			case 6: // a notification comes and goes
				b.WriteString(queue("enqueue", "<task-notification>x"))
				m.waiting = append(m.waiting, "")
				b.WriteString(queue("remove", "<task-notification>x"))
				m.waiting = m.waiting[:len(m.waiting)-1]
			case 7: // pulled back into the editor
				for _, s := range m.waiting {
					b.WriteString(queue("popAll", s))
				}
				m.lost, m.waiting = append(m.lost, m.waiting...), nil
			case 8:
				say("something else, not of the queue")
				b.WriteString(reply("m", end, textOf("yes\ngo")))
			}
		}
		want := append(slices.Clone(m.lost), m.waiting...)
		l := ledgerOf(b.String())
		var got []string
		left := 0
		for _, p := range l.Pending {
			got = append(got, p.Text)
			if p.Left {
				left++
			}
		}
		slices.Sort(want)
		slices.Sort(got)
		if !slices.Equal(want, got) || left != len(m.waiting) {
			t.Fatalf("pending %q with %d left, want %q with %d\n%s", got, left, want, len(m.waiting), b.String())
		}
	})
}

// ledgerOf folds a text without a file.
func ledgerOf(text string) Ledger {
	f := newFolder(nil)
	for _, l := range forwardLines([]byte(text)) {
		if err := f.line(l); err != nil {
			panic(err)
		}
	}
	f.finish()
	return f.out
}

func TestLedgerFixtures(t *testing.T) {
	for name, want := range map[string]string{
		"enqueued": "and another thing", "enqueued-last": "and another thing", "dequeued-and-lost": "(and another thing)",
		"enqueued-behind-a-notification": "and another thing", "queued-and-answered": "", "other-senders": "",
		"calls-of-every-kind": "", "retired": "",
	} {
		s, ok := fixtures.Find(name)
		if !ok {
			t.Fatal(name)
		}
		sub, err := s.Build(t.TempDir(), now)
		if err != nil {
			t.Fatal(err)
		}
		l, err := openFile(t, sub.Session.Transcript).Ledger(nil)
		if err != nil || pending(l) != want || l.Bad != 0 {
			t.Errorf("%s: %q, %q, %v", name, pending(l), l.BadLines, err)
		}
		sub.Account.Close()
	}
	_, _, added := situation(t, fixtures.Session{Turns: []fixtures.Turn{fixtures.QueuedCommand("start", "also this",
		"Both done.", fixtures.Bash("ls", ""))}})
	if l, err := openFile(t, added.Transcript).Ledger(nil); err != nil || len(l.Pending) != 0 {
		t.Errorf("%+v %v", l.Pending, err)
	}
}
