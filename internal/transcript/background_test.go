package transcript

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"recovery/internal/account"
)

// line is one line of the conversation: its uuid, its parent's, and the rest as JSON members.
func line(uuid, parent, rest string) string {
	return fmt.Sprintf(`{"uuid":%q,"parentUuid":%q,"isSidechain":false,"timestamp":"2026-05-03T10:00:00Z",%s}`+"\n", uuid,
		parent, rest)
}

func callLine(uuid, parent, id, tool, input string) string {
	return line(uuid, parent, fmt.Sprintf(`"type":"assistant","message":{"id":"m-%s","role":"assistant",`+
		`"stop_reason":"tool_use","content":[{"type":"tool_use","id":%q,"name":%q,"input":%s}]}`, id, id, tool, input))
}

func resultLine(uuid, parent, id, said, more string) string {
	return line(uuid, parent, fmt.Sprintf(`"type":"user","message":{"role":"user","content":[{"type":"tool_result",`+
		`"tool_use_id":%q,"content":%q}]}%s`, id, said, more))
}

func userLine(uuid, parent, said, more string) string {
	return line(uuid, parent, fmt.Sprintf(`"type":"user","message":{"role":"user","content":%q}%s`, said, more))
}

func replyLine(uuid, parent, said string) string {
	return line(uuid, parent, fmt.Sprintf(`"type":"assistant","message":{"id":"r-%s","role":"assistant",`+
		`"stop_reason":"end_turn","content":[{"type":"text","text":%q}]}`, uuid, said))
}

const (
	launched = "Async agent launched successfully.\nagentId: a77"
	isAsync  = `,"toolUseResult":{"isAsync":true,"agentId":"a77"}`
	ended    = "<task-notification>\n<task-id>a77</task-id>\n<status>completed</status>\n</task-notification>"
	byTask   = `,"origin":{"kind":"task-notification"}`
)

// TestBackgroundWork finds what was started and whose end nobody saw.
func TestBackgroundWork(t *testing.T) {
	agent := userLine("u1", "", "go", "") + callLine("a1", "u1", "t1", "Agent",
		`{"description":"pay them","prompt":"x"}`) + resultLine("u2", "a1", "t1", launched, isAsync)
	shell := callLine("a2", "u1", "t2", "Bash", `{"command":"make all","run_in_background":true}`) + resultLine("u3", "a2",
		"t2", "started", `,"toolUseResult":{"backgroundTaskId":"b9"}`)
	for _, c := range []struct {
		name, text string
		want       []string
	}{
		{"nothing", replyLine("a0", "", "done"), nil},
		{"an agent", agent, []string{"agent pay them"}},
		{"an agent that ended", agent + userLine("u4", "u2", ended, byTask), nil},
		{"an agent whose end stands in the queue", agent + `{"type":"queue-operation","operation":"enqueue",` +
			`"content":"<task-notification><task-id>a77</task-id><status>failed</status></task-notification>"}` + "\n", nil},
		{"an agent that ended and was told to go on", agent + userLine("u4", "u2", ended, byTask) + callLine("a9", "u4", "t9",
			"SendMessage", `{"to":"a77","prompt":"more"}`), []string{"agent more"}},
		{"an agent that was denied", userLine("u1", "", "go", "") + callLine("a1", "u1", "t1", "Agent",
			`{"description":"x","run_in_background":true}`) + resultLine("u2", "a1", "t1", "no",
			`,"toolDenialKind":"user-rejected"`), nil},
		{"an agent that answered at once", userLine("u1", "", "go", "") + callLine("a1", "u1", "t1", "Agent",
			`{"description":"x"}`) + resultLine("u2", "a1", "t1", "the answer", ""), nil},
		{"a shell", shell, []string{"shell make all"}},
		{"a shell that was stopped", shell + callLine("a5", "u3", "t5", "TaskStop", `{"task_id":"b9"}`) + resultLine("u6",
			"a5", "t5", "stopped", ""), nil},
		{"a shell that was found cut", shell + userLine("u6", "u3",
			"<task-notification><task-id>b9</task-id><status>killed</status><summary>it didn't finish before the previous "+
				"session ended</summary></task-notification>", byTask), []string{"shell make all"}},
		{"a schedule", callLine("a7", "", "t7", "ScheduleWakeup", `{"delaySeconds":600,"reason":"look again"}`) +
			resultLine("u8", "a7", "t7", "ok", ""), []string{"schedule look again"}},
	} {
		var got []string
		for _, b := range ledgerOf(c.text).Background {
			got = append(got, b.Kind+" "+b.Label)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// TestOpenCallOfAnotherBranch tells calls that the last line does not go on from.
func TestOpenCallOfAnotherBranch(t *testing.T) {
	start := userLine("u1", "", "start", "") + replyLine("a1", "u1", "Started.")
	drop := userLine("u3", "a1", "drop it", "") + callLine("a3", "u3", "t3", "Bash", `{"command":"drop table"}`)
	for _, c := range []struct {
		name, text string
		want       int
	}{
		{"one branch", start, 0},
		{"cut in the last branch", start + drop, 0},
		{"cut in another branch", start + drop + userLine("u2", "a1", "rename", "") + replyLine("a2", "u2", "Renamed."), 1},
		{"interleaved", start + userLine("u2", "a1", "rename", "") + drop + replyLine("a2", "u2", "Renamed."), 1},
		{"answered", start + drop + resultLine("u4", "a3", "t3", "dropped", "") + userLine("u2", "a1", "rename", "") +
			replyLine("a2", "u2", "Renamed."), 0},
		{"on the way", start + drop + userLine("u5", "a3", "and now", "") + replyLine("a5", "u5", "Yes."), 0},
	} {
		path := filepath.Join(t.TempDir(), "x.jsonl")
		if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		f, err := Open(account.Door{}, path)
		if err != nil {
			t.Fatal(err)
		}
		l, err := f.Ledger(nil)
		_ = f.Close()
		if err != nil || len(l.OpenCalls) != c.want {
			t.Errorf("%s: %d open calls (%v), want %d", c.name, len(l.OpenCalls), err, c.want)
		}
	}
}

// TestLineWrittenTwiceCountsOnce holds all readers to it.
func TestLineWrittenTwiceCountsOnce(t *testing.T) {
	reply := replyLine("a1", "u1", "The one answer.")
	text := userLine("u1", "", "q", "") + reply + reply + reply
	if got := tailOfLines([]byte(text)).Reply; got != "The one answer." {
		t.Errorf("the reply is %q", got)
	}
	twice := userLine("u1", "", "q", "")
	if got := ledgerOf(twice + twice).Persons; got != 1 {
		t.Errorf("%d messages of a person", got)
	}
	back := ledgerOf(text + userLine("u2", "a1", "more", "") + callLine("a3", "u2", "t3", "Bash", `{"command":"x"}`) +
		reply)
	if back.LastUUID != "a3" {
		t.Errorf("the last new line is %q: the reply stood there before", back.LastUUID)
	}
}

func TestNotifiedAndThreads(t *testing.T) {
	text := `{"type":"bridge-session","bridgeSessionId":"cse_A"}` + "\n" +
		`{"type":"bridge-session","bridgeSessionId":"session_B"}` + "\n" +
		`{"type":"bridge-session","bridgeSessionId":"cse_A"}` + "\n" + userLine("u1", "", "q", "") + userLine("u2", "u1",
		ended, byTask) + replyLine("a1", "u2", "ok")
	l := ledgerOf(text)
	if !l.Notified || !slices.Equal(l.Threads, []string{"B", "A"}) {
		t.Errorf("notified %v, threads %v", l.Notified, l.Threads)
	}
	if l = ledgerOf(text + userLine("u3", "a1", "thanks", "")); l.Notified {
		t.Error("a person began the last turn")
	}
}

// TestAwaySummaryIsNoEntry: the client's own note comes minutes after the session's last act.
func TestAwaySummaryIsNoEntry(t *testing.T) {
	text := replyLine("a1", "", "ok") + `{"type":"system","subtype":"away_summary","isSidechain":false,"uuid":"s1",` +
		`"timestamp":"2026-05-03T10:03:00Z","content":"x"}` + "\n"
	if got := tailOfLines([]byte(text)).LastEntry; !got.Equal(time.Date(2026, 5, 3, 10, 0, 0, 0, time.UTC)) {
		t.Errorf("the last entry is at %s", got)
	}
}

// TestThreadsOfACopiedConversation: a copy holds the lines of the session that it was made from, whose threads are
// not its own.
func TestThreadsOfACopiedConversation(t *testing.T) {
	path := filepath.Join(t.TempDir(), idB+".jsonl")
	line := func(session, body string) string {
		return fmt.Sprintf(`{"type":"bridge-session","sessionId":%q,"bridgeSessionId":"cse_%s"}`+"\n", session, body)
	}
	if err := os.WriteFile(path, []byte(line(idA, "OLD")+line(idB, "NEW")+done), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := Open(account.Door{}, path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	l, err := f.Ledger(nil)
	threads, threadsErr := f.Threads()
	if err != nil || threadsErr != nil || !slices.Equal(l.Threads, []string{"NEW"}) || !slices.Equal(threads, l.Threads) {
		t.Errorf("%v and %v (%v, %v)", l.Threads, threads, err, threadsErr)
	}
}
