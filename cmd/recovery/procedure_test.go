package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"recovery/fixtures"
)

// TestEachStepOfTheProcedureIsTold: what the procedure asks of the report, of the messages and of sending stands in
// an output.
func TestEachStepOfTheProcedureIsTold(t *testing.T) {
	oneThread(t)
	t.Parallel()
	b := newBench(t, testAccount(t))
	live := func(name string, pinned bool) fixtures.Session {
		return fixtures.Session{Name: name, Live: true, Pinned: pinned, RemoteConnection: "connected"}
	}
	first := b.reviewedSession(live("alert 4711", true),
		owner("alert 4711", "clean up the old rows of /srv/app/import.sql", "answer Kim"))
	second := b.reviewedSession(live("alert 4711", true), owner("alert 4711", "clean up the old rows of "+
		"/srv/app/import.sql"))
	done := b.reviewedSession(live("tidy", false), fixtures.Review{Verdict: "DONE", Item: "tidy"})
	woken := b.reviewedByWake(fixtures.Review{Verdict: "OWNER", Item: "refund 9", Open: []string{"refund 9 EUR"},
		Go: "refunds 9 EUR", MoneyAtRisk: "9 EUR", PersonWaiting: "Kim", Recommend: "say go"},
		fixtures.Session{Name: "refund"})
	wrapped := wrapIt(t, b)
	if err := b.a.Pin(wrapped.Short); err != nil {
		t.Fatal(err)
	}
	data := filepath.Join(t.TempDir(), "data.yaml")
	if err := os.WriteFile(data, []byte("all: The connector is signed out; the ledger says 9 EUR.\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	run := func(args ...string) string {
		_, out, errs := b.run(args...)
		return out + errs
	}
	for name, c := range map[string]struct {
		out   string
		wants []string
	}{
		"report": {run("report"), []string{
			"## What matters most", "MONEY AT RISK, A PERSON WAITS", "## Archive now (1)", "https://claude.ai/code/session_",
			"## Owners that wait for one go (3)", "Recommend: say go",
			"one go would: refunds 9 EUR", "open: refund 9 EUR", "archive it: your click", "real wrap seen", "nothing is queued",
			"folder:", "Found ",
		}},
		"message prep": {run("message", "prep", "--data", data, first.Short), []string{
			"RECOVERY PREP v1", "is not an approval", "IF YOU ARE " + first.Short, "IF YOU ARE " + second.Short, "WRONG SESSION",
			"the ledger says 9 EUR", "Reply go to run this plan.",
			"claude agents --json", "registry files of dead sessions", "Refs are not on disk and change on every wake",
			"SendMessage", "ECONNREFUSED", "the session that now owns the work", "MCP tool call requires approval",
			"the user types the text in the thread", "https://claude.ai/code/session_",
		}},
		"message wrap": {run("message", "wrap", done.Short), []string{
			"Ctrl+T", "session-wrap skill in done mode", "Session Wrap done", "Reply go to apply.", "not in a code block",
			"run a real session wrap", "recovery wrap-wait",
		}},
		"message prep of an offline owner": {run("message", "prep", woken.Short), []string{"recovery resume --prompt prep " +
			woken.Short}},
		"wrap-wait": {run("wrap-wait", "--wait", "0", wrapped.Short),
			[]string{"DONE", "Ctrl+T again unpins", "about 200 MB", "archiving is the user's click"}},
	} {
		for _, want := range c.wants {
			if !strings.Contains(c.out, want) {
				t.Errorf("%s does not say %q:\n%s", name, want, c.out)
			}
		}
	}
}
