package review_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"recovery/fixtures"
	"recovery/internal/account"
	"recovery/internal/journal"
)

// TestDiedInItsReview: what a session stood at when it was stopped or died in its review is told for good.
func TestDiedInItsReview(t *testing.T) {
	open := func(name string, input map[string]any) fixtures.Turn {
		call := tool(name, input, "")
		call.Pending = true
		return fixtures.Unfinished(prompt, call)
	}
	bash := open("Bash", map[string]any{"command": "./pay 4711"})
	for _, c := range []struct {
		name    string
		turn    fixtures.Turn
		seen    string // the question on record
		live    bool
		waiting string
		died    bool
		asks    bool
		status  string // of the process
	}{
		{"a plan", open("ExitPlanMode", nil), "", false, "ExitPlanMode", true, true, ""},
		{"a plan, and it lives", open("ExitPlanMode", nil), "", true, "an answer to ExitPlanMode", false, true, "waiting"},
		{"a permission prompt, and it lives", bash, "", true, "an answer", false, true, "waiting"},
		{"a question", open("AskUserQuestion", nil), "", false, "AskUserQuestion", true, true, ""},
		{"a call of which nobody knows whether it ran", bash, "", false, "Bash (./pay 4711)", true, false, ""},
		{"a permission prompt that was seen", bash, "permission prompt (approve Bash: ./pay)", false, "permission prompt",
			true, true, ""},
		{"no call", fixtures.Unfinished(prompt), "", false, "", true, false, ""},
		{"an answer", fixtures.Says(prompt, good), "permission prompt", false, "", false, false, ""},
		{"it runs on", bash, "", true, "", false, false, "busy"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := wake(t, c.turn)
			w.seen = &journal.ReviewData{PromptID: promptID, Waiting: c.seen}
			if c.live {
				w.live(c.status)
			}
			rev := w.read()
			if !strings.Contains(rev.Waiting, c.waiting) || (rev.Waiting == "") != (c.waiting == "") || rev.Died != c.died ||
				rev.Asks() != c.asks {
				t.Errorf("waiting %q, died %v, asks %v", rev.Waiting, rev.Died, rev.Asks())
			}
		})
	}
}

// live makes this very process the session's.
func (w *woken) live(status string) {
	w.t.Helper()
	data, err := json.Marshal(map[string]any{"pid": os.Getpid(), "sessionId": w.added.SessionID, "jobId": w.added.Short,
		"kind":      "bg",
		"procStart": account.ReadProcesses().ByPID[os.Getpid()].Start, "status": status})
	if err == nil {
		dir := filepath.Join(w.a.Claude, "sessions")
		if err = os.MkdirAll(dir, 0o755); err == nil {
			err = os.WriteFile(filepath.Join(dir, strconv.Itoa(os.Getpid())+".json"), data, 0o600)
		}
	}
	if err != nil {
		w.t.Fatal(err)
	}
}
