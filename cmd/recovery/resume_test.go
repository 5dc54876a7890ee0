package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"recovery/fixtures"
	"recovery/prompts"
)

// TestOutcomes takes every behaviour of the client to the outcome, the exit status and what is said to do next.
func TestOutcomes(t *testing.T) {
	for _, c := range []struct {
		name    string
		script  fixtures.Script
		session fixtures.Session
		outcome string
		status  int
		saved   bool
		next    string
		calls   int
	}{
		{name: "in place", outcome: "woken", next: "resume --prompt prep", calls: 1},
		{name: "copy", script: fixtures.Script{Outcome: fixtures.OutcomeCopy}, outcome: "copy", status: exitDefect,
			next: "claude stop", calls: 1},
		{name: "join", script: fixtures.Script{Outcome: fixtures.OutcomeJoin}, outcome: "joined", status: exitDefect,
			next: "claude stop", calls: 1},
		{name: "replay", script: fixtures.Script{Outcome: fixtures.OutcomeReplay}, outcome: "replayed", status: exitDefect,
			next: "claude stop", calls: 1},
		{name: "silent", script: fixtures.Script{Outcome: fixtures.OutcomeSilent}, outcome: "unknown", status: exitTimeUp,
			next: "recovery read", calls: 1},
		{name: "no line", script: fixtures.Script{Outcome: fixtures.OutcomeNoLine}, outcome: "unknown", status: exitTimeUp,
			next: "recovery read", calls: 1},
		{name: "an error that nobody knows", script: fixtures.Script{Outcome: fixtures.OutcomeExitError}, outcome: "unknown",
			status: exitTimeUp, calls: 1},
		{name: "crash with the prompt saved", script: fixtures.Script{Outcome: fixtures.OutcomeCrash}, outcome: "saved",
			status: exitNeedsUser, saved: true, next: "--nudge", calls: 1},
		{name: "refused for trust by the client", script: fixtures.Script{Outcome: fixtures.OutcomeUntrusted},
			outcome: "untrusted", status: exitNeedsUser, saved: true, next: "--nudge", calls: 1},
		{name: "refused for the folder by the client", script: fixtures.Script{Outcome: fixtures.OutcomeGone},
			outcome: "missing-cwd", status: exitNeedsUser, saved: true, next: "--nudge", calls: 1},
		{name: "untrusted, seen before", session: fixtures.Session{Untrusted: true}, outcome: "untrusted",
			status: exitNeedsUser, next: "recovery trust"},
		{name: "not signed in", script: fixtures.Script{Outcome: fixtures.OutcomeNotSignedIn}, outcome: "not-started",
			status: exitFailed, next: "recovery resume", calls: 1},
		{name: "late line", script: fixtures.Script{Outcome: fixtures.OutcomeLate, DelayMS: 200,
			Process: fixtures.Bool(true)}, outcome: "woken", calls: 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.outcome != "woken" {
				oneThread(t)
			}
			b := newBench(t, testAccount(t))
			s := b.add(c.session)
			b.script(s.Short, c.script)
			b.inventory()
			if c.outcome == "unknown" {
				b.brief()
			}
			res := b.resume(c.status, s.Short)
			it := items(res)[0]
			if it["outcome"] != c.outcome || it["prompt_saved"] != c.saved {
				t.Errorf("outcome %v, saved %v: %v", it["outcome"], it["prompt_saved"], it["reason"])
			}
			if next, _ := it["next"].(string); !strings.Contains(next, c.next) {
				t.Errorf("next is %q", next)
			}
			if got := len(b.wakes()); got != c.calls {
				t.Errorf("%d calls, want %d", got, c.calls)
			}
			// Whatever came of it, the next run sends nothing more by itself.
			b.run("resume", "--spacing", "0", "--wait", "0", s.Short)
			if c.calls > 0 && c.outcome != "not-started" && len(b.wakes()) != c.calls {
				t.Errorf("a second run called the client again: %d calls", len(b.wakes()))
			}
		})
	}
}

// TestInvariant1LiveIsNeverWoken: the client is not called for a live session, not even for its version.
func TestInvariant1LiveIsNeverWoken(t *testing.T) {
	b := newBench(t, testAccount(t))
	s := b.add(fixtures.Session{Live: true, RemoteConnection: "disconnected"})
	b.inventory()
	it := items(b.resume(exitNeedsUser, s.Short))[0]
	if it["outcome"] != "refused" || !strings.Contains(it["reason"].(string), "live") {
		t.Errorf("%v", it)
	}
	calls, err := b.a.Calls()
	if err != nil || len(calls) != 0 {
		t.Errorf("the client was called: %v %v", calls, err)
	}
}

// TestInvariant2NoPassNoWake wakes in every situation: the client is called only where a pass is right.
func TestInvariant2NoPassNoWake(t *testing.T) {
	for i, s := range fixtures.Situations() {
		if testing.Short() && i%10 != 0 {
			continue
		}
		t.Run(s.Name, func(t *testing.T) {
			t.Parallel()
			sub, err := s.Build(t.TempDir(), now())
			if err != nil {
				t.Fatal(err)
			}
			defer sub.Account.Close()
			b := newBench(t, sub.Account)
			b.script(sub.Session.Short, fixtures.Script{})
			b.run(append([]string{"inventory"}, sub.Pages...)...)
			for _, f := range sub.Events {
				b.run("queue-check", "--events", sub.Session.Short+"="+f)
			}
			status, out, errs := b.run("resume", "--all", "--yes", "--spacing", "0", "--wait", "2")
			woken := len(b.wakes())
			if woken > 0 && !s.Allows("pass") {
				t.Errorf("%s (%s) was woken:\n%s%s", s.Name, s.Why, out, errs)
			}
			_ = status
		})
	}
}

// TestInvariant3NoPromptTwice: one prompt a session, whatever is typed again; a second review needs a person's
// message or the user's --again.
func TestInvariant3NoPromptTwice(t *testing.T) {
	oneThread(t)
	t.Parallel()
	b := newBench(t, testAccount(t))
	s := b.add(fixtures.Session{})
	b.script(s.Short, fixtures.Script{KeepRunning: fixtures.Bool(false)})
	b.inventory()
	b.resume(exitOK, s.Short)
	b.inventory()
	for range 3 {
		if it := items(b.resume(exitNeedsUser, s.Short))[0]; it["outcome"] != "refused" {
			t.Errorf("%v", it)
		}
	}
	if got := b.received(s.Short); len(got) != 1 {
		t.Fatalf("%d prompts", len(got))
	}
	// The marker in the transcript counts when the journal is gone.
	if err := os.RemoveAll(b.work("")); err != nil {
		t.Fatal(err)
	}
	b.inventory()
	b.run("queue-check", "--confirm", s.Short)
	it := items(b.resume(exitNeedsUser, s.Short))[0]
	if it["outcome"] != "refused" || !strings.Contains(it["reason"].(string), "review was sent to it already") {
		t.Errorf("without a journal: %v", it)
	}
	if got := b.received(s.Short); len(got) != 1 {
		t.Errorf("%d prompts", len(got))
	}
	b.resume(exitOK, "--again", s.Short)
	if got := b.received(s.Short); len(got) != 2 {
		t.Errorf("--again: %d prompts", len(got))
	}
}

// TestInvariant4WakeNeverMakesACopy: the call is the full lowercase id and nothing else, in the session's folder.
func TestInvariant4WakeNeverMakesACopy(t *testing.T) {
	oneThread(t)
	t.Parallel()
	b := newBench(t, testAccount(t))
	s := b.add(fixtures.Session{RespawnFlags: []string{"-n", "x", "--model", "opus"}})
	b.inventory()
	b.resume(exitOK, s.Short)
	calls := b.wakes()
	if len(calls) != 1 {
		t.Fatalf("%d calls", len(calls))
	}
	c := calls[0]
	if len(c.Args) != 4 || !slices.Equal(c.Args[:3], []string{"--bg", "--resume", s.SessionID}) {
		t.Errorf("called with %q", c.Args)
	}
	if c.Cwd != s.Cwd {
		t.Errorf("called in %s, not %s", c.Cwd, s.Cwd)
	}
	if !strings.HasPrefix(c.Args[3], prompts.ReviewMarker) {
		t.Errorf("the prompt is %q", c.Args[3])
	}
	jobs, err := os.ReadDir(filepath.Join(b.a.Claude, "jobs"))
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, j := range jobs {
		if j.IsDir() {
			n++
		}
	}
	if n != 1 {
		t.Errorf("%d jobs", n)
	}
}

// TestQueuedPromptIsNeverDelivered: a queued yes, alone or behind recovery's own prompt, refuses the wake and is shown.
func TestQueuedPromptIsNeverDelivered(t *testing.T) {
	oneThread(t)
	t.Parallel()
	b := newBench(t, testAccount(t))
	yes := "yes, go ahead"
	s := b.add(fixtures.Session{QueuedPrompt: &yes})
	b.inventory()
	it := items(b.resume(exitNeedsUser, s.Short))[0]
	if reason := it["reason"].(string); it["outcome"] != "refused" || !strings.Contains(reason, yes) ||
		!strings.Contains(reason, "state.json") {
		t.Errorf("%v", it)
	}
	own := b.add(fixtures.Session{})
	b.script(own.Short, fixtures.Script{Outcome: fixtures.OutcomeUntrusted})
	b.inventory()
	if it := items(b.resume(exitNeedsUser, own.Short))[0]; it["outcome"] != "untrusted" {
		t.Fatalf("%v", it)
	}
	// Alone, recovery's own saved prompt is not sent a second time; with a yes behind it, it is somebody's message.
	if it := items(b.resume(exitNeedsUser, own.Short))[0]; it["outcome"] != "saved" {
		t.Errorf("%v", it)
	}
	appendQueued(t, own.StatePath, "\n\nyes")
	for _, args := range [][]string{{own.Short}, {"--nudge", own.Short}} {
		it := items(b.resume(exitNeedsUser, args...))[0]
		if it["outcome"] != "refused" || !strings.Contains(it["reason"].(string), "yes") {
			t.Errorf("%v: %v", args, it)
		}
	}
	if n := len(b.wakes()); n != 1 {
		t.Errorf("%d calls", n)
	}
}

// TestNudge delivers the saved prompt and the nudge as one line, and nothing else counts as clean.
func TestNudge(t *testing.T) {
	oneThread(t)
	t.Parallel()
	b := newBench(t, testAccount(t))
	s := b.add(fixtures.Session{})
	b.script(s.Short, fixtures.Script{Outcome: fixtures.OutcomeUntrusted})
	b.inventory()
	if it := items(b.resume(exitNeedsUser, s.Short))[0]; it["outcome"] != "untrusted" || it["prompt_saved"] != true {
		t.Fatalf("%v", it)
	}
	b.script(s.Short, fixtures.Script{})
	if it := items(b.resume(exitOK, "--nudge", s.Short))[0]; it["outcome"] != "woken" {
		t.Fatalf("%v", it)
	}
	got := b.received(s.Short)
	if len(got) != 1 || strings.Count(got[0], "recovery-prompt-id:") != 2 {
		t.Errorf("received %q", got)
	}
	other := b.add(fixtures.Session{})
	b.inventory()
	if it := items(b.resume(exitNeedsUser, "--nudge", other.Short))[0]; it["outcome"] != "refused" {
		t.Errorf("a nudge without a saved prompt: %v", it)
	}
}

// TestDefectBrake: after a copy nothing more is woken until the user closes it by name; --again does not.
func TestDefectBrake(t *testing.T) {
	b := newBench(t, testAccount(t))
	var shorts []string
	for range 3 {
		shorts = append(shorts, b.add(fixtures.Session{}).Short)
	}
	b.script(shorts[0], fixtures.Script{Outcome: fixtures.OutcomeCopy})
	b.inventory()
	res := b.resume(exitDefect, shorts...)
	if got := len(b.wakes()); got != 1 {
		t.Errorf("%d calls after a copy", got)
	}
	if its := items(res); len(its) != 3 || its[1]["outcome"] != "refused" {
		t.Errorf("%v", its)
	}
	res = b.resume(exitDefect, shorts[1])
	if got := len(b.wakes()); got != 1 || len(res["defects"].([]any)) != 1 {
		t.Errorf("%d calls with an open defect, %v", got, res["defects"])
	}
	b.resume(exitDefect, "--again", shorts[1])
	if got := len(b.wakes()); got != 1 {
		t.Errorf("%d calls: --again went past an open defect", got)
	}
	b.must(exitOK, "ack", shorts[0])
	b.resume(exitOK, shorts[1])
	if got := len(b.wakes()); got != 2 {
		t.Errorf("%d calls after it was closed", got)
	}
}

// TestReviewThatWrites is a defect whatever the session says of itself, and stops the next batch.
func TestReviewThatWrites(t *testing.T) {
	oneThread(t)
	t.Parallel()
	b := newBench(t, testAccount(t))
	s := b.add(fixtures.Session{})
	b.script(s.Short, fixtures.Script{Tools: []fixtures.Tool{fixtures.Bash("touch report.txt", "")}})
	later := b.add(fixtures.Session{})
	b.inventory()
	res := b.resume(exitDefect, "--batch", "1", s.Short, later.Short)
	tools := items(res)[0]["review"].(map[string]any)["tools"].([]any)
	if tool := tools[0].(map[string]any); tool["class"] != "write" || tool["result"] != "done" {
		t.Errorf("%v", tool)
	}
	if len(b.wakes()) != 1 {
		t.Errorf("the next batch was started after a defect")
	}
	read := b.object(exitDefect, "read", s.Short)
	if d := items(read)[0]["defects"].([]any); len(d) != 1 || d[0].(map[string]any)["code"] != "write" {
		t.Errorf("%v", d)
	}
}

// TestBatches: five at a time, duplicates before their owner, every review read before the next batch.
func TestBatches(t *testing.T) {
	b := newBench(t, testAccount(t))
	var shorts []string
	for i := range 7 {
		shorts = append(shorts, b.add(fixtures.Session{Name: fmt.Sprintf("work %d", i)}).Short)
	}
	owner, dup, err := b.a.Duplicates()
	if err != nil {
		t.Fatal(err)
	}
	b.inventory()
	res := b.resume(exitOK, append(append([]string{owner.Short}, shorts...), dup.Short)...)
	its := items(res)
	if its[0]["short"] != dup.Short {
		t.Errorf("the duplicate does not go first: %v", its[0])
	}
	for i, it := range its {
		if want := float64(i/5 + 1); it["batch"] != want {
			t.Errorf("%d: batch %v, want %v", i, it["batch"], want)
		}
		if it["review"].(map[string]any)["answered"] != true {
			t.Errorf("%v was not read", it["short"])
		}
	}
}

// TestVersions: a client that copies, or whose version cannot be read, is refused before anything is sent.
func TestVersions(t *testing.T) {
	oneThread(t)
	t.Parallel()
	for version, ok := range map[string]bool{"2.1.252": false, "2.1.160": false, "1.9.999": false, "": false, "dev": false,
		"2.1.257": true, "2.2.0": true, "3.0.1": true} {
		b := newBench(t, testAccount(t))
		s := b.add(fixtures.Session{})
		b.inventory()
		if err := b.a.SetVersion(version); err != nil {
			t.Fatal(err)
		}
		want := exitNeedsUser
		if ok {
			want = exitOK
		}
		it := items(b.resume(want, s.Short))[0]
		if (it["outcome"] == "woken") != ok || (len(b.wakes()) == 1) != ok {
			t.Errorf("version %q: %v, %d calls", version, it, len(b.wakes()))
		}
	}
}

// TestDupesFile: any error names its line, and nothing is woken.
func TestDupesFile(t *testing.T) {
	oneThread(t)
	t.Parallel()
	b := newBench(t, testAccount(t))
	s := b.add(fixtures.Session{})
	b.inventory()
	for _, c := range []struct {
		text, line string
		status     int
	}{
		{"deadbeef: the owner has the ledger\n", "line 1", exitFailed},
		{s.Short + ": [a, b]\n", "line 1", exitFailed},
		{"# two lines\n" + s.Short + ": 'yes, go ahead'\n", "line 2", exitFailed},
		{s.Short + ": |\n  The ledger was read.\n  Approved.\n", "line 3", exitFailed},
		{s.Short + ": The owner has the ledger.\n" + s.Short + ": The owner has the mail.\n", "line 2", exitFailed},
		{"{\"" + s.Short + "\": 7}", "line 1", exitFailed},
		{"- a list\n", "line 1", exitFailed},
		{"a: b: c\n", "line 1", exitFailed},
	} {
		path := filepath.Join(t.TempDir(), "dupes.yaml")
		if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		status, out, errs := b.run("resume", "--dupes", path, s.Short)
		if status != c.status || !strings.Contains(errs, c.line) || !strings.Contains(errs, "nothing was woken") {
			t.Errorf("%q: %d\n%s%s", c.text, status, out, errs)
		}
	}
	if n := len(b.wakes()); n != 0 {
		t.Fatalf("%d calls", n)
	}
	path := filepath.Join(t.TempDir(), "dupes.json")
	if err := os.WriteFile(path, []byte(`{"`+s.Short+`": "The owner already lists the ledger and the mail of 3 May."}`),
		0o600); err != nil {
		t.Fatal(err)
	}
	b.resume(exitOK, "--dupes", path, s.Short)
	if got := b.received(s.Short); len(got) != 1 || !strings.Contains(got[0], "The owner already lists the ledger") {
		t.Errorf("received %q", got)
	}
}
