//go:build e2e

package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/tidwall/gjson"
)

// TestCutAgent has a session whose background agent was cut by the stop. The client starts the agent again with the wake, and it
// writes when the review has been answered: the queue check says so before, and the write is a defect after it.
func TestCutAgent(t *testing.T) {
	s := newSandbox(t)
	s.rule(t, rule{Match: "RECOVERY REVIEW v1", Reply: reviewReply})
	// In auto mode, the default here, an agent needs a check that only the real service makes.
	must(t, os.WriteFile(filepath.Join(s.home, ".claude", "settings.json"), []byte(`{"permissions":{"defaultMode":"default","allow":["Agent","Bash(touch:*)"]}}`), 0o600))
	const task = "Wait, then make the file of the background work."
	input, err := json.Marshal(map[string]any{"description": "make the background file", "prompt": task,
		"subagent_type": "general-purpose", "run_in_background": true})
	must(t, err)
	s.rule(t, rule{Match: "^Start the background work", Tools: []toolCall{{"Agent", input}}, Reply: "It is started."})
	s.rule(t, rule{Match: task, Delay: 25, Reply: "The file is made.",
		Tools: []toolCall{{"Bash", []byte(`{"command":"touch background-file","description":"make the file"}`)}}})
	file := filepath.Join(s.work, "background-file")

	x := s.start(t, s.work, "with an agent", "Start the background work now.")
	s.poll(t, 20*time.Second, "the agent in the session's state", func() bool { return x.state("fan.#").Int() > 0 })
	x.stop(t)
	if exists(file) {
		t.Fatal("the agent was done before the session was stopped: nothing was cut")
	}
	t.Logf("left behind: fan %s, pendingBackgroundAgentCount %s, inFlight %s", x.state("fan").Raw,
		x.state("pendingBackgroundAgentCount").Raw, x.state("inFlight").Raw)

	s.recovery0(t, "inventory")
	row := item(t, s.recoveryJSON(t, 3, "queue-check", x.short), x.short)
	want(t, "a cut agent", row, map[string]string{"verdict": "check"})
	reason := row.Get(`reasons.#(code=="background").text`).Str
	has(t, "the reason", reason, "make the background file")
	t.Log(reason)

	s.recovery0(t, "queue-check", "--confirm", x.short)
	r := s.recover("resume", "--json", "--wait", "90s", x.short)
	woken := item(t, parse(t, r, -2), x.short)
	want(t, "the wake", woken, map[string]string{"outcome": "woken", "review.answered": "true"})
	t.Logf("woken in %s, the file is there: %t", r.took.Round(10*time.Millisecond), exists(file))
	s.poll(t, time.Minute, "the file of the agent that came back", func() bool { return exists(file) })
	// The agent's line is in its own transcript when the command has ended.
	s.poll(t, 30*time.Second, "the agent's end in the session's state", func() bool {
		return !x.state("fan").Exists() || x.state("fan.#(doneAt==null)").Raw == "" && x.state("pendingBackgroundAgentCount").Int() == 0
	})

	read := item(t, s.recoveryJSON(t, 5, "read", "--wait", "60s", x.short), x.short)
	want(t, "read", read, map[string]string{"answered": "true", "verdict.verdict": "OWNER", "defects.#": "1", "defects.0.code": "write"})
	has(t, "the call", read.Get("tools").Raw, "touch background-file")
	for _, command := range []string{"status", "report"} {
		open := s.recoveryJSON(t, -2, command).Get("defects").Array()
		if !names(open, x.short, "write") {
			t.Errorf("%s shows no write of %s: %s", command, x.short, open)
		}
	}
	hand := filepath.Join(s.dir, "handoff.md")
	if r := s.recover("handoff", "-o", hand); r.exit != 0 {
		t.Errorf("handoff: %s", r)
	}
	text, err := os.ReadFile(hand)
	must(t, err)
	for _, part := range []string{x.short, "touch background-file"} {
		has(t, "the hand-over", string(text), part)
	}
	x.stop(t)
	s.acknowledge(t, x)
	if open := s.recoveryJSON(t, -2, "status").Get("defects"); len(open.Array()) != 0 {
		t.Errorf("a defect is open that was closed by name: %s", open)
	}
}

// names says whether a defect with this code is of the session.
func names(defects []gjson.Result, short, code string) bool {
	for _, d := range defects {
		if d.Get("code").Str == code && (d.Get("session").Str == short || d.Get("short").Str == short) {
			return true
		}
	}
	return false
}
