package wrap

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"recovery/fixtures"
	"recovery/internal/account"
)

// asked is the beginning of most sessions here: some work, then the WRAP message in a typed line.
func asked() *script { return new(script).user("Fix it.").says("Fixed.").user("Please " + mark + ".") }

var notes = "<task-notification>\n<summary>the build ended</summary>\n</task-notification>"

type expect struct {
	state    State
	reopened string
	wrapped  int // the entry at which it wrapped, -1 for none
}

func TestLook(t *testing.T) {
	end := len(*wrapped()) - 1 // the entry of the wrap in wrapped()
	wrapSkill := map[string]any{"skill": "session-wrap"}
	for name, c := range map[string]struct {
		script *script
		want   expect
	}{
		// Whether it was sent.
		"empty":   {new(script), expect{NotSent, "", -1}},
		"no mark": {new(script).user("Fix it.").says("Fixed."), expect{NotSent, "", -1}},
		"no mark, a wrap": {new(script).user("Wrap up.").skill("session-wrap").says(done),
			expect{NotSent, "", -1}},
		"only bookkeeping": {new(script).raw(`{"type":"mode","mode":"normal"}`), expect{NotSent, "", -1}},
		"mark in a reply":  {new(script).user("What do I say?").says("Say: " + mark), expect{NotSent, "", -1}},
		"mark in a tool's result": {new(script).user("Look.").calls("t1", "Read", nil).result("t1", mark,
			false).says(done), expect{NotSent, "", -1}},
		"mark in a summary": {new(script).user("They said: "+mark, "isCompactSummary", true).says(done),
			expect{NotSent, "", -1}},
		"mark in the client's own line": {new(script).user("x "+mark, "isMeta", true).says(done), expect{NotSent, "", -1}},
		"mark in a subagent":            {new(script).user(mark, "isSidechain", true).says("x"), expect{NotSent, "", -1}},
		"mark in another case":          {new(script).user(strings.ToUpper(mark)).says("x"), expect{NotSent, "", -1}},

		// Where the mark may stand.
		"typed": {wrapped(), expect{Done, "", end}},
		"in blocks": {new(script).user([]any{block("text", "Hello."), block("text", mark)}).skill(
			"session-wrap").says(done), expect{Done, "", 3}},
		"behind a reminder": {new(script).user([]any{block("text", "<system-reminder>\nx\n</system-reminder>"),
			block("text", mark)}).skill("session-wrap").says(done), expect{Done, "", 3}},
		"only inside a reminder": {new(script).user("<system-reminder>\n" + mark + "\n</system-reminder>").says(
			"x"), expect{NotSent, "", -1}},
		"from another session": {new(script).origin("peer", "<cross-session-message from=\"r\">\n"+mark+
			"\n</cross-session-message>").skill("session-wrap").says(done), expect{Done, "", 3}},
		"from another session, by its tag": {new(script).user("<cross-session-message from=\"r\">\n" + mark +
			"\n</cross-session-message>").skill("session-wrap").says(done), expect{Done, "", 3}},
		"from another session, put in by the client": {new(script).user("<cross-session-message from=\"r\">\n"+mark+
			"\n</cross-session-message>", "isMeta", true).skill("session-wrap").says(done), expect{Done, "", 3}},
		"queued, then a line": {new(script).queue("enqueue", mark).queue("dequeue").user(mark).skill(
			"session-wrap").says(done), expect{Done, "", 5}},
		"queued, no line": {new(script).queue("enqueue", mark).queue("dequeue").skill(
			"session-wrap").says(done), expect{Done, "", 4}},
		"queued, taken in": {new(script).user("Work.").queue("enqueue",
			mark).queue("remove").attached(mark, "human").skill("session-wrap").says(done), expect{Done, "", 6}},
		"queued, blocks taken in": {new(script).user("Work.").attached(
			[]any{block("text", "Please\n\""+mark+"\"")}, "human").skill("session-wrap").says(done), expect{Done, "", 4}},
		"queued from a peer": {new(script).user("Work.").attached(
			"<cross-session-message from=\"r\">"+mark+"</cross-session-message>", "peer").skill("session-wrap").says(done),
			expect{Done, "", 4}},

		// The message waits.
		"in the queue only": {new(script).user("Work.").says("Done.").queue("enqueue", mark),
			expect{Running, "", -1}},
		"in the queue, the turn ended": {new(script).user("Work.").queue("enqueue", mark).says("Done."),
			expect{Running, "", -1}},
		"out of the queue, not a line yet": {new(script).user("Work.").queue("enqueue", mark).says("Done.").queue("dequeue"),
			expect{Running, "", -1}},
		"taken out of the queue again": {new(script).user("Work.").says("Done.").queue("enqueue", mark).queue("popAll"),
			expect{NotSent, "", -1}},
		"skill before it came out": {new(script).user("Work.").queue("enqueue", mark).skill("session-wrap").queue(
			"dequeue").user(mark).says(done), expect{NotAWrap, "", -1}},
		"a lost message from before": {new(script).user("Work.").queue("enqueue", "and the tests?").says("Done.").user(
			mark).skill("session-wrap").says(done), expect{Done, "", 6}},
		"a lost message from before, mark queued": {new(script).user("Work.").queue("enqueue", "and the tests?").says(
			"Done.").
			queue("enqueue", mark).queue("dequeue").user(mark).skill("session-wrap").says(done), expect{Done, "", 8}},

		// DONE wants a skill call behind the mark.
		"typed lines": {asked().says(done), expect{NotAWrap, "", -1}},
		"skill before the mark": {new(script).user("Wrap.").skill("session-wrap").says(done).user(mark).says(done),
			expect{NotAWrap, "", -1}},
		"another skill":    {asked().skill("my-session-wrapper").says(done), expect{NotAWrap, "", -1}},
		"a plugin's skill": {asked().skill("plugin:session-wrap").says(done), expect{Done, "", 5}},
		"another tool": {asked().calls("t1", "Bash", map[string]any{"command": "session-wrap",
			"skill": "session-wrap"}).result("t1", "", false).says(done), expect{NotAWrap, "", -1}},
		"a subagent's skill": {asked().add(map[string]any{"type": "assistant", "isSidechain": true,
			"message": map[string]any{"id": "s", "content": []any{map[string]any{"type": "tool_use", "id": "x", "name": "Skill",
				"input": wrapSkill}}, "stop_reason": "tool_use"}}).says(done), expect{NotAWrap, "", -1}},
		"skill refused": {asked().calls("t1", "Skill", wrapSkill).result("t1", "no", true, "toolDenialKind",
			"user-rejected").says(done), expect{NotAWrap, "", -1}},
		"skill unknown": {asked().calls("t1", "Skill", wrapSkill).result("t1", "Unknown skill: session-wrap",
			true).says(done), expect{NotAWrap, "", -1}},
		"refused, then it ran": {asked().calls("t1", "Skill", wrapSkill).result("t1", "no", true).skill("session-wrap").
			says(done), expect{Done, "", 7}},
		"ran, then refused": {asked().skill("session-wrap").calls("t1", "Skill", wrapSkill).result("t1", "no",
			true).says(done), expect{Done, "", 7}},
		"another call failed": {asked().skill("session-wrap").calls("t1", "Bash", nil).result("t1", "no",
			true).says(done), expect{Done, "", 7}},
		"by its command": {asked().user("<command-message>x</command-message>\n" +
			"<command-name>/x:session-wrap</command-name>\n<command-args>done</command-args>").says(done), expect{Done, "", 4}},
		"by another command": {asked().user("<command-name>/x:session-wrapper</command-name>").says(done),
			expect{NotAWrap, "", -1}},
		"command before the mark": {new(script).user("<command-name>/session-wrap</command-name>").says("x").user(mark).
			says(done), expect{NotAWrap, "", -1}},
		"the command holds the mark": {new(script).user("<command-name>/session-wrap</command-name>\n<command-args>" + mark +
			"</command-args>").says(done), expect{Done, "", 1}},
		"command in a peer's text": {asked().origin("peer", "<command-name>/session-wrap</command-name>").says(done),
			expect{NotAWrap, "", -1}},

		// HELD needs no skill.
		"held":             {asked().says(held), expect{Held, "", 3}},
		"held after skill": {asked().skill("session-wrap").says(held), expect{Held, "", 5}},
		"starts fresh":     {asked().says(wrapLine + "\n" + startsFresh), expect{Held, "", 3}},
		"go to apply":      {asked().says("Waits.\n" + replyGo), expect{Held, "", 3}},
		"no lines":         {asked().skill("session-wrap").says("I will wrap up later."), expect{NotAWrap, "", -1}},
		"lines in a fence": {asked().skill("session-wrap").says("```\n" + done + "\n```"), expect{NotAWrap, "", -1}},

		// Only the latest reply counts, its turn ended.
		"wrapped before, not now": {asked().skill("session-wrap").says(done).user("More?").says("No."),
			expect{NotAWrap, "person", 5}},
		"held before, done now": {asked().skill("session-wrap").says(held).user("Fixed it.").says(done),
			expect{Done, "", 7}},
		"in two parts": {asked().skill("session-wrap").part("m", "end_turn",
			block("text", "All done.\n"+wrapLine)).part("m", "end_turn", block("text", doneLine)), expect{Done, "", 6}},
		"thinking first": {asked().skill("session-wrap").part("m", "end_turn", block("thinking", "hm")).part("m",
			"end_turn", block("text", done)), expect{Done, "", 6}},
		"a part behind the lines": {asked().skill("session-wrap").part("m", "end_turn", block("text", done)).part("m",
			"end_turn", block("text", "One more thing.")), expect{NotAWrap, "", -1}},
		"lines of another message": {asked().skill("session-wrap").part("m", "end_turn", block("text", wrapLine)).part("n",
			"end_turn", block("text", doneLine)), expect{NotAWrap, "", -1}},
		"before the skill, in a step": {asked().part("m", "tool_use", block("text", done)).skill("session-wrap"),
			expect{Running, "", -1}},
		"not ended": {asked().skill("session-wrap").part("m", "", block("text", done)),
			expect{Running, "", -1}},
		"stopped in the middle":    {asked().calls("t1", "Skill", wrapSkill), expect{Running, "", -1}},
		"a result, nothing behind": {asked().skill("session-wrap"), expect{Running, "", -1}},
		"not answered":             {asked(), expect{Running, "", -1}},
		"interrupted": {asked().skill("session-wrap").user("[Request interrupted by user]"),
			expect{Running, "", -1}},
		"ended in an error": {asked().add(map[string]any{"type": "assistant", "isApiErrorMessage": true,
			"message": map[string]any{"model": "<synthetic>", "stop_reason": "stop_sequence",
				"content": []any{block("text", done)}}}), expect{Running, "", -1}},
		"the client's own words": {asked().skill("session-wrap").says(done).add(map[string]any{"type": "assistant",
			"message": map[string]any{"model": "<synthetic>", "stop_reason": "stop_sequence",
				"content": []any{block("text", "No response requested.")}}}), expect{Done, "", 5}},
		"a subagent behind it": {wrapped().add(map[string]any{"type": "assistant", "isSidechain": true,
			"message": map[string]any{"id": "s", "content": []any{block("text", "x")}, "stop_reason": "end_turn"}}), expect{Done,
			"", end}},
		"bookkeeping behind it": {wrapped().raw(`{"type":"last-prompt","lastPrompt":"x"}`).add(
			map[string]any{"type": "system", "subtype": "turn_duration"}), expect{Done, "", end}},
		"refusal":                {asked().part("m", "refusal", block("text", "No.")), expect{NotAWrap, "", -1}},
		"cut at the token limit": {asked().part("m", "max_tokens", block("text", "It is")), expect{NotAWrap, "", -1}},

		// Reopened.
		"a message behind it": {wrapped().user("One more."), expect{Running, "person", end}},
		"being answered": {wrapped().user("One more.").calls("t1", "Bash", nil), expect{Running, "person",
			end}},
		"a notification behind it": {wrapped().origin("task-notification", notes),
			expect{Running, "task-notification", end}},
		"another session behind it": {wrapped().origin("peer", "<cross-session-message>x</cross-session-message>"),
			expect{Running, "other-session", end}},
		"queued behind it":            {wrapped().queue("enqueue", "One more."), expect{Running, "queue", end}},
		"a notification in the queue": {wrapped().queue("enqueue", notes), expect{Running, "task-notification", end}},
		"dequeued, no line yet": {wrapped().queue("enqueue", "One more.").queue("dequeue"),
			expect{Running, "queue", end}},
		"queued and taken back": {wrapped().queue("enqueue", "One more.").queue("popAll"), expect{Done, "", end}},
		"queued and removed":    {wrapped().queue("enqueue", "One more.").queue("remove"), expect{Done, "", end}},
		"removed by its text": {wrapped().queue("enqueue", "One.").queue("enqueue", "Two.").queue("remove",
			"One."), expect{Running, "queue", end}},
		"queued before the wrap": {asked().queue("enqueue", "One more.").skill("session-wrap").says(done),
			expect{Running, "queue", 6}},
		"queued, answered, wrapped": {wrapped().queue("enqueue", "One more.").queue("dequeue").user("One more.").says(
			done), expect{Done, "", end + 4}},
		"answered without the lines": {wrapped().user("Thanks.").says("Welcome."), expect{NotAWrap, "person", end}},
		"notification answered": {wrapped().queue("enqueue", notes).queue("dequeue").origin("task-notification",
			notes).says("Good."), expect{NotAWrap, "task-notification", end}},
		"answered, then again": {wrapped().user("Thanks.").says("Welcome.").user("And?"),
			expect{Running, "person", end}},
		"a client command behind it": {wrapped().user("<command-name>/status</command-name>").user(
			"<local-command-stdout>well</local-command-stdout>"), expect{Done, "", end}},
		"a command for the model": {wrapped().user("<command-name>/review</command-name>"),
			expect{Running, "person", end}},
		"a shell command behind it": {wrapped().user("<bash-input>ls</bash-input>").user(
			"<bash-stdout>x</bash-stdout>"), expect{Done, "", end}},
		"typed lines, then reopened": {asked().says(done).user("One more."), expect{Running, "", -1}},
		"typed in two parts, then reopened": {asked().skill("session-wrap").part("m", "end_turn", block("text", done)).part(
			"m", "end_turn", block("text", "No.")).user("?"), expect{Running, "", -1}},

		// Two marks.
		"asked again":               {wrapped().user(mark), expect{Running, "person", end}},
		"asked again, wrapped":      {wrapped().user(mark).skill("session-wrap").says(done), expect{Done, "", end + 4}},
		"asked again, typed":        {wrapped().user(mark).says(done), expect{NotAWrap, "person", end}},
		"asked again, in the queue": {wrapped().queue("enqueue", mark), expect{Running, "queue", end}},
		"asked twice at once":       {asked().user(mark).skill("session-wrap").says(done), expect{Done, "", 6}},

		// Damage.
		"a broken line before": {new(script).raw("{broken").user(mark).skill("session-wrap").says(done),
			expect{Done, "", 4}},
		"a broken line between": {asked().raw("{broken").skill("session-wrap").says(done), expect{Done, "", 6}},
		"a broken line behind":  {wrapped().raw("{broken"), expect{Running, "", end}},
		"zeros behind":          {wrapped().raw(strings.Repeat("\x00", 20)), expect{Running, "", end}},
		"glued to a broken one": {asked().skill("session-wrap").raw(`{"type":"summ` + (*new(script).says(done))[0]),
			expect{Done, "", 0}},
		"no time": {asked().skill("session-wrap").raw(`{"type":"assistant","message":{"id":"m","content":"` +
			strings.ReplaceAll(done, "\n", `\n`) + `","stop_reason":"end_turn"}}`), expect{Done, "", -1}},
		"a blank line": {wrapped().raw("").raw("  "), expect{Done, "", end}},
	} {
		t.Run(name, func(t *testing.T) {
			got := c.script.look(t)
			if got.State != c.want.state || got.ReopenedBy != c.want.reopened {
				t.Fatalf("got %s, reopened by %q (%s), want %+v", got.State, got.ReopenedBy, got.Reason, c.want)
			}
			switch {
			case got.WrappedAt == nil && c.want.wrapped >= 0, got.WrappedAt != nil && c.want.wrapped < 0:
				t.Errorf("wrapped at %v", got.WrappedAt)
			case got.WrappedAt != nil && !got.WrappedAt.Equal(c.script.at(c.want.wrapped)):
				t.Errorf("wrapped at %v, want %v", got.WrappedAt, c.script.at(c.want.wrapped))
			}
			if got.Reason == "" {
				t.Error("no reason")
			}
			if (got.State == Done) != (got.ClosingLine == doneLine && got.State != NotAWrap) {
				t.Errorf("%s with the closing line %q", got.State, got.ClosingLine)
			}
		})
	}
}

func TestInvariant7OnlyARealWrapIsAWrap(t *testing.T) {
	for _, s := range fixtures.Situations() {
		if s.Wrap == "" {
			continue
		}
		t.Run(s.Name, func(t *testing.T) {
			subject, err := s.Build(t.TempDir(), start)
			if err != nil {
				t.Fatal(err)
			}
			defer subject.Account.Close()
			a, err := account.Open(subject.Account.Claude, subject.Account.Home)
			if err != nil {
				t.Fatal(err)
			}
			got := Look(a, a.Job(subject.Session.Short), mark)
			if string(got.State) != s.Wrap {
				t.Errorf("%s, want %s: %s (%s)", got.State, s.Wrap, s.Why, got.Reason)
			}
			if got.State != Running && got.State != NotAWrap && got.ReopenedBy != "" {
				t.Errorf("%s and reopened by %s", got.State, got.ReopenedBy)
			}
			if strings.HasPrefix(s.Name, "wrap-reopened") && (got.ReopenedBy == "" || got.WrappedAt == nil) {
				t.Errorf("reopened: %+v", got)
			}
		})
	}
}

// No reply and no queue makes a DONE when one of its parts is missing.
func TestEveryPartOfAWrapIsNeeded(t *testing.T) {
	whole := *wrapped()
	for i, line := range whole {
		if i < 2 { // the work before
			continue
		}
		if strings.Contains(line, "tool_result") { // its absence is no refusal
			continue
		}
		cut := append(append(script{}, whole[:i]...), whole[i+1:]...)
		if got := cut.look(t); got.State == Done {
			t.Errorf("DONE without %s", line)
		}
	}
}

func TestLookAtNoTranscript(t *testing.T) {
	a, j, path := home(t, wrapped().bytes())
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if got := Look(a, j, mark); got.State != NotSent || got.Reason == "" {
		t.Errorf("gone: %+v", got)
	}
	// A file that cannot be read may hold anything.
	if err := os.Mkdir(path, 0o755); err != nil {
		t.Fatal(err)
	}
	if got := Look(a, j, mark); got.State == Done || got.Reason == "" {
		t.Errorf("a folder: %+v", got)
	}
}

func TestLookFollowsClear(t *testing.T) {
	a, j, path := home(t, wrapped().bytes())
	next := "bbbb0002-1111-4111-8111-111111111111"
	if err := os.WriteFile(filepath.Join(filepath.Dir(path), next+".jsonl"),
		new(script).user("New matter.").says("Yes.").bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	j.ResumeSessionID, j.LinkScanPath = next, filepath.Join(filepath.Dir(path), next+".jsonl")
	if got := Look(a, j, mark); got.State != NotSent {
		t.Errorf("the new conversation has no mark: %+v", got)
	}
}

func TestNoMarkGivenMatchesNothing(t *testing.T) {
	a, j, _ := home(t, wrapped().bytes())
	if got := Look(a, j, ""); got.State != NotSent {
		t.Errorf("%+v", got)
	}
}

func TestLongTranscript(t *testing.T) {
	s := new(script)
	for range 200 {
		s.user("Go on.").says(strings.Repeat("long ", 2000))
	}
	s.user(mark).skill("session-wrap").says(done)
	begin := time.Time{}
	if got := s.look(t); got.State != Done || got.WrappedAt.Equal(begin) {
		t.Errorf("%+v", got)
	}
}

// TestWentOn: a wrap after which something came and was answered is over, until the session wraps again.
func TestWentOn(t *testing.T) {
	for name, c := range map[string]struct {
		script *script
		wentOn bool
		state  State
	}{
		"wrapped":                     {wrapped(), false, Done},
		"reopened, not answered":      {wrapped().user("More?"), false, Running},
		"reopened and answered":       {wrapped().user("More?").says("No."), true, NotAWrap},
		"a notification, answered":    {wrapped().origin("task-notification", notes).says("It ended."), true, NotAWrap},
		"answered, then asked anew":   {wrapped().user("More?").says("No.").user("And now?"), true, Running},
		"answered, then it wrapped":   {wrapped().user("More?").says("No.\n" + done), false, Done},
		"no wrap, and somebody wrote": {asked().says("No.").user("More?").says("No."), false, NotAWrap},
	} {
		t.Run(name, func(t *testing.T) {
			got := c.script.look(t)
			if got.WentOn != c.wentOn || got.State != c.state {
				t.Errorf("went on %v, %s (%s)", got.WentOn, got.State, got.Reason)
			}
			if c.wentOn && c.state == NotAWrap && !strings.Contains(got.Reason, "then went on") {
				t.Errorf("the reason is %q", got.Reason)
			}
		})
	}
}
