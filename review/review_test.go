package review_test

import (
	"os"
	"strings"
	"testing"
	"time"

	"recovery/fixtures"
	"recovery/internal/account"
	"recovery/internal/audit"
	"recovery/internal/journal"
	"recovery/inventory"
	"recovery/prompts"
	"recovery/review"
)

func TestMain(m *testing.M) {
	fixtures.Main()
	os.Exit(m.Run())
}

// woken makes a session that was woken with a review, with what it did after it, and reads it.
type woken struct {
	t     *testing.T
	a     *fixtures.Account
	added fixtures.Added
	id    string
	from  int64
	since time.Time
	seen  *journal.ReviewData // what is on record of the review
}

const promptID = "11111111-2222-4333-8444-555555555555"

// prompt is the review prompt of every test.
var prompt = func() string {
	text, err := prompts.RenderReview(prompts.Review{Short: "0a0b0c0d", PromptID: promptID})
	if err != nil {
		panic(err)
	}
	return text
}()

func wake(t *testing.T, turns ...fixtures.Turn) *woken {
	t.Helper()
	a, err := fixtures.New(t.TempDir(), time.Now())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(a.Close)
	all := append([]fixtures.Turn{fixtures.Says("Fix it.", "Fixed.", fixtures.Bash("touch before", ""))}, turns...)
	added, err := a.Add(fixtures.Session{Short: "0a0b0c0d", Turns: all})
	if err != nil {
		t.Fatal(err)
	}
	// Where the wake's line begins is where the transcript ended before it.
	data, err := os.ReadFile(added.Transcript)
	if err != nil {
		t.Fatal(err)
	}
	from := int64(len(data))
	if i := strings.Index(string(data), promptID); i >= 0 {
		from = int64(strings.LastIndexByte(string(data[:i]), '\n') + 1)
	}
	return &woken{t: t, a: a, added: added, id: promptID, from: from}
}

func (w *woken) read() review.Review {
	w.t.Helper()
	acct, err := account.Open(w.a.Claude, w.a.Home)
	if err != nil {
		w.t.Fatal(err)
	}
	world, err := inventory.See(acct, account.ReadProcesses(), time.Now())
	if err != nil {
		w.t.Fatal(err)
	}
	s := &journal.Session{Short: w.added.Short, Review: w.seen, Wakes: []*journal.Wake{{At: w.since,
		Intent: journal.Intent{PromptID: w.id, Transcript: w.added.Transcript, Size: w.from, Expected: prompt},
		Result: &journal.OutcomeData{PromptID: w.id, Outcome: "woken", Sent: true}}}}
	rev, err := review.Of(world, audit.Default(), s)
	if err != nil {
		w.t.Fatal(err)
	}
	return rev
}

var good = fixtures.Review{Verdict: "OWNER", Item: "x", Open: []string{"the last step"}, Go: "runs it",
	Recommend: "go"}.Text()

func tool(name string, input map[string]any, result string) fixtures.Tool {
	return fixtures.Tool{Name: name, Input: input, Result: result}
}

// TestInvariant6WritesAndUnjudgedCallsAreReported: whatever the session says of itself.
func TestInvariant6WritesAndUnjudgedCallsAreReported(t *testing.T) {
	denied := fixtures.Bash("touch x", "")
	denied.Denial = fixtures.DeniedByRule
	isolated := fixtures.Bash("touch x", "")
	isolated.Denial = fixtures.DeniedByIsolation
	failed := fixtures.Bash("touch /nowhere/x", "No such file")
	failed.IsError = true
	pending := fixtures.Bash("touch x", "")
	pending.Pending = true
	recorded := fixtures.Bash("git status", "")
	recorded.ChangedFiles = []string{"/srv/zz"}
	for _, c := range []struct {
		name    string
		tool    fixtures.Tool
		class   audit.Class
		result  string
		defects int
	}{
		{"a read", fixtures.Bash("git status", ""), audit.Read, review.Done, 0},
		{"a write", fixtures.Bash("touch x", ""), audit.Write, review.Done, 1},
		{"a denied write", denied, audit.Write, review.Denied, 0},
		{"a write that the isolation stopped", isolated, audit.Write, review.Denied, 0},
		{"a failed write", failed, audit.Write, review.Failed, 1},
		{"a pending write", pending, audit.Write, review.Pending, 1},
		{"what the client recorded as changed", recorded, audit.Write, review.Done, 1},
		{"an edit", tool("Edit", map[string]any{"file_path": "/x", "old_string": "a", "new_string": "b"}, "ok"), audit.Write,
			review.Done, 1},
		{"a tool that nobody knows", tool("Frobnicate", map[string]any{}, "ok"), audit.Unknown, review.Done, 0},
		{"a script", fixtures.Bash("./deploy.sh", ""), audit.Unknown, review.Done, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			turn := fixtures.Says(prompt, good, c.tool)
			if c.tool.Pending {
				turn = fixtures.Unfinished(prompt, c.tool)
			}
			rev := wake(t, turn).read()
			if len(rev.Tools) != 1 {
				t.Fatalf("%+v", rev.Tools)
			}
			if got := rev.Tools[0]; got.Class != c.class || got.Result != c.result {
				t.Errorf("%s, %s (%s)", got.Class, got.Result, got.Reason)
			}
			if len(rev.Defects) != c.defects {
				t.Errorf("defects %+v", rev.Defects)
			}
			if (rev.Unjudged() > 0) != (c.class == audit.Unknown) {
				t.Errorf("%d unjudged", rev.Unjudged())
			}
		})
	}
}

func TestReviewReadsTheReplyAndItsVerdict(t *testing.T) {
	rev := wake(t, fixtures.Says(prompt, good, fixtures.Read("a.go", "x"))).read()
	if !rev.Answered || rev.Verdict == nil || rev.Verdict.Verdict != "OWNER" || rev.Unclear != "" ||
		len(rev.Defects) != 0 {
		t.Errorf("%+v", rev)
	}
	rev = wake(t, fixtures.Says(prompt, "All done, nothing is left.")).read()
	if !rev.Answered || rev.Verdict != nil || rev.Unclear == "" {
		t.Errorf("without a block: %+v", rev)
	}
	wrote := fixtures.Review{Verdict: "DONE", Item: "x", Recommend: "archive"}.Text()
	rev = wake(t, fixtures.Says(prompt, wrote, fixtures.Bash("touch x", ""))).read()
	if rev.Unclear == "" {
		t.Errorf("a DONE that wrote is believed")
	}
}

func TestReviewEndsAtThePersonsMessage(t *testing.T) {
	rev := wake(t, fixtures.Says(prompt, good), fixtures.Says("go", "Done.", fixtures.Bash("touch x", ""))).read()
	if len(rev.Tools) != 0 || len(rev.Defects) != 0 || !rev.UserAfter || !strings.Contains(rev.Reply, "verdict: OWNER") {
		t.Errorf("what the user asked for later is counted: %+v", rev)
	}
}

func TestMessageBeforeOrWithThePromptIsADefect(t *testing.T) {
	rev := wake(t, fixtures.Says("yes, go ahead\n\n"+prompt, good)).read()
	if len(rev.Defects) != 1 || rev.Defects[0].Code != review.DefectJoined || !strings.Contains(rev.Defects[0].Text,
		"yes, go ahead") {
		t.Errorf("joined: %+v", rev.Defects)
	}
	w := wake(t, fixtures.Says("yes, go ahead", "Sent.", fixtures.Bash("touch sent", "")), fixtures.Says(prompt, good))
	data, err := os.ReadFile(w.added.Transcript)
	if err != nil {
		t.Fatal(err)
	}
	w.from = int64(strings.LastIndexByte(string(data[:strings.Index(string(data), "yes, go ahead")]), '\n') + 1)
	rev = w.read()
	codes := map[string]bool{}
	for _, d := range rev.Defects {
		codes[d.Code] = true
	}
	if !codes[review.DefectForeign] || !codes[review.DefectWrite] || !rev.Answered {
		t.Errorf("before: %+v", rev.Defects)
	}
}

func TestUnansweredAndWaiting(t *testing.T) {
	rev := wake(t, fixtures.Unfinished(prompt)).read()
	if rev.Answered || !rev.Started || rev.Reply != "" {
		t.Errorf("%+v", rev)
	}
	rev = wake(t).read()
	if rev.Started || rev.Answered {
		t.Errorf("without the prompt: %+v", rev)
	}
	question := tool("AskUserQuestion", map[string]any{"questions": []any{}}, "")
	question.Pending = true
	rev = wake(t, fixtures.Unfinished(prompt, question)).read()
	if rev.Waiting == "" {
		t.Errorf("a question is not shown: %+v", rev)
	}
}

func TestRecordIsWrittenOnce(t *testing.T) {
	w := wake(t, fixtures.Says(prompt, good, fixtures.Bash("touch x", "")))
	rev := w.read()
	j := journal.At(t.TempDir(), time.Now)
	for i := range 3 {
		fresh, err := review.Record(j, w.added.Short, &rev)
		if err != nil {
			t.Fatal(err)
		}
		if (len(fresh) == 1) != (i == 0) {
			t.Errorf("round %d: %v", i, fresh)
		}
	}
	events, err := j.Read()
	if err != nil || len(events) != 2 {
		t.Errorf("%d events, %v", len(events), err)
	}
}
