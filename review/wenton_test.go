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
