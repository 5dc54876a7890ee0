package review_test

import (
	"testing"
	"time"

	"recovery/fixtures"
	"recovery/review"
)

const notification = "<task-notification>\n<task-id>a1</task-id>\n<status>completed</status>\n</task-notification>"

// TestReviewIsTheAnswerToItsPrompt: a turn that a notification began after the reply replaces neither it nor its
// verdict, and what it did is judged.
func TestReviewIsTheAnswerToItsPrompt(t *testing.T) {
	cut := fixtures.Bash("touch x", "")
	cut.Pending = true
	for _, c := range []struct {
		name    string
		later   fixtures.Turn
		defects int
	}{
		{"a later turn that only speaks", fixtures.Says(notification, "The agent is back."), 0},
		{"a later turn that reads", fixtures.Says(notification, "Looked.", fixtures.Bash("git status", "")), 0},
		{"a later turn that writes", fixtures.Says(notification, "Done it.", fixtures.Bash("touch x", "")), 1},
		{"a later turn that was cut", fixtures.Unfinished(notification, cut), 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			rev := wake(t, fixtures.Says(prompt, good), c.later).read()
			if !rev.Answered || rev.Reply != good || rev.Verdict == nil || rev.Verdict.Verdict != review.VerdictOwner {
				t.Errorf("answered %v, verdict %+v, reply %q", rev.Answered, rev.Verdict, rev.Reply)
			}
			if !rev.WentOn || len(rev.Defects) != c.defects {
				t.Errorf("went on %v, defects %+v", rev.WentOn, rev.Defects)
			}
			for _, tool := range rev.Tools {
				if !tool.AfterReply {
					t.Errorf("%s is not told as a call after the reply", tool.Summary)
				}
			}
		})
	}
}

// TestCommandAfterTheReply: a command that a person typed and the model answers is a person's message: what it runs
// is the user's and no review. One that the client answers by itself changes nothing.
func TestCommandAfterTheReply(t *testing.T) {
	command := func(name string) string { return "<command-name>/" + name + "</command-name>" }
	cost := fixtures.Raw([]byte(`{"type":"user","message":{"role":"user","content":"` + command("cost") + `"}}` + "\n" +
		`{"type":"user","message":{"role":"user","content":"<local-command-stdout>1 USD</local-command-stdout>"}}` + "\n"))
	for _, c := range []struct {
		name  string
		later []fixtures.Turn
		after bool
	}{
		{"answered by the model", []fixtures.Turn{fixtures.Says(command("fix"), "Fixed it.", fixtures.Bash("touch x", ""))},
			true},
		{"answered by the client", []fixtures.Turn{cost}, false},
		{"answered by the client, then by the model", []fixtures.Turn{cost, fixtures.Says(command("fix"), "Fixed it.",
			fixtures.Bash("touch x", ""))}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			rev := wake(t, append([]fixtures.Turn{fixtures.Says(prompt, good)}, c.later...)...).read()
			if rev.Reply != good || rev.UserAfter != c.after || len(rev.Defects) != 0 || rev.WentOn {
				t.Errorf("user after %v, want %v; reply %q, defects %+v, went on %v", rev.UserAfter, c.after, rev.Reply,
					rev.Defects, rev.WentOn)
			}
		})
	}
}

// TestNotificationInTheMiddleOfATurn: a task notification that is handed over before the reply is nobody's message.
func TestNotificationInTheMiddleOfATurn(t *testing.T) {
	rev := wake(t, fixtures.QueuedCommand(prompt, notification, good, fixtures.Bash("git status", ""))).read()
	if !rev.Answered || rev.Reply != good || len(rev.Defects) != 0 || rev.UserAfter {
		t.Errorf("answered %v, defects %+v, user after %v", rev.Answered, rev.Defects, rev.UserAfter)
	}
}

// TestNotificationBeforeTheReply: what comes before the reply belongs to the turn that answers.
func TestNotificationBeforeTheReply(t *testing.T) {
	rev := wake(t, fixtures.Unfinished(prompt), fixtures.Says(notification, good, fixtures.Bash("git status", ""))).read()
	if !rev.Answered || rev.Reply != good || rev.WentOn || len(rev.Tools) != 1 || rev.Tools[0].AfterReply {
		t.Errorf("%+v", rev)
	}
}

// TestSubagentsCallsAfterTheReply: an agent that the wake brought back writes after the review has answered.
func TestSubagentsCallsAfterTheReply(t *testing.T) {
	for _, c := range []struct {
		name  string
		at    time.Duration
		after bool
	}{{"before", -time.Minute, false}, {"after", time.Hour, true}} {
		t.Run(c.name, func(t *testing.T) {
			w := wake(t, fixtures.Says(prompt, good))
			first := w.read()
			w.agent("abc123", first.ReplyAt.Add(c.at), "touch x")
			rev := w.read()
			if rev.WentOn != c.after || len(rev.Defects) != 1 || rev.Tools[0].AfterReply != c.after || rev.Reply != good {
				t.Errorf("went on %v, defects %+v, calls %+v", rev.WentOn, rev.Defects, rev.Tools)
			}
		})
	}
}
