//go:build e2e

package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"recovery/prompts"

	"github.com/tidwall/gjson"
)

// TestCutAgent has sessions whose background agent was cut. The client starts the agent again with the wake, and it
// writes when the review has been answered: the queue check says so before, and the write is a defect after it.
func TestCutAgent(t *testing.T) {
	s := newSandbox(t)
	s.rule(t, rule{Match: prompts.ReviewMarker, Reply: reviewReply})
	// In auto mode, the default here, an agent needs a check that only the real service makes.
	must(t, os.WriteFile(filepath.Join(s.home, ".claude", "settings.json"),
		[]byte(`{"permissions":{"defaultMode":"default","allow":["Agent","Bash(touch:*)"]}}`), 0o600))
	t.Run("stopped", func(t *testing.T) { cutAgent(t, s, "stopped-file", func(x *session) { x.stop(t) }) })
	t.Run("killed", func(t *testing.T) { cutAgent(t, s, "killed-file", func(x *session) { s.crash(t) }) })
	s.noCopies(t)
}

// crash ends every process of the client at once, as a machine that goes down does. The stub is not the client's.
func (s *sandbox) crash(t *testing.T) {
	t.Helper()
	s.poll(t, 20*time.Second, "the end of the client's processes", func() bool {
		running, err := s.processes()
		must(t, err)
		others := slices.DeleteFunc(running, func(pid int) bool { return pid == s.stubPID })
		for _, pid := range others {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
		return len(others) == 0
	})
	// Process 1 waits for them in its own time. For as long as one is left the client takes its session for running, and a
	// wake would make a copy.
	s.poll(t, time.Minute, "nothing left of the client's processes", func() bool { return !s.anyRegistered() })
}

func cutAgent(t *testing.T, s *sandbox, name string, cut func(*session)) {
	task, label, touch := "Wait, then make "+name+".", "make the background "+name, "touch "+name
	agent, err := json.Marshal(map[string]any{"description": label, "prompt": task,
		"subagent_type": "general-purpose", "run_in_background": true})
	must(t, err)
	bash, err := json.Marshal(map[string]any{"command": touch, "description": "make the file"})
	must(t, err)
	s.rule(t, rule{Match: "^Start the work on " + name, Tools: []toolCall{{"Agent", agent}}, Reply: "It is started."})
	s.rule(t, rule{Match: task, Delay: 25, Reply: "The file is made.", Tools: []toolCall{{"Bash", bash}}})
	file := filepath.Join(s.work, name)

	x := s.start(t, s.work, "with an agent, "+name, "Start the work on "+name+" now.")
	s.poll(t, 20*time.Second, "the agent in the session's state", func() bool { return x.state("fan.#").Int() > 0 })
	cut(x)
	if exists(file) {
		t.Fatal("the agent was done before the session ended: nothing was cut")
	}
	t.Logf("left behind: fan %s, pendingBackgroundAgentCount %s, inFlight %s", x.state("fan").Raw,
		x.state("pendingBackgroundAgentCount").Raw, x.state("inFlight").Raw)

	s.recovery0(t, "inventory")
	row := item(t, s.recoveryJSON(t, 3, "queue-check", x.short), x.short)
	want(t, "a cut agent", row, map[string]string{"verdict": "check"})
	reason := row.Get(`reasons.#(code=="background").text`).Str
	has(t, "the reason", reason, label)
	t.Log(reason)
	refused := item(t, s.recoveryJSON(t, 3, "resume", x.short), x.short)
	want(t, "unconfirmed", refused, map[string]string{"outcome": "refused"})
	// Proof that nothing waits in its thread makes a pass of other sessions.
	x.setState(t, "bridgeSessionId", bridgeID(0))
	s.recovery0(t, "inventory", "--sessions", s.savePage(t, "sessions.json", sessionsPage([]*session{x})))
	events := s.savePage(t, "events.json", eventsPage(x))
	row = item(t, s.recoveryJSON(t, 3, "queue-check", "--events", x.short+"="+events, x.short), x.short)
	want(t, "a cut agent, nothing waits in its thread", row, map[string]string{"verdict": "check"})

	s.recovery0(t, "queue-check", "--confirm", x.short)
	r := s.recover("resume", "--json", "--wait", "90s", x.short)
	woken := item(t, parse(t, r, -2), x.short)
	want(t, "the wake", woken, map[string]string{"outcome": "woken", "review.answered": "true"})
	t.Logf("woken in %s, the file is there: %t", r.took.Round(10*time.Millisecond), exists(file))
	s.poll(t, time.Minute, "the file of the agent that came back", func() bool { return exists(file) })
	// The agent's line is in its own transcript when the command has ended.
	s.poll(t, 30*time.Second, "the agent's end in the session's state", func() bool {
		return !x.state("fan").Exists() || x.state("fan.#(doneAt==null)").Raw == "" &&
			x.state("pendingBackgroundAgentCount").Int() == 0
	})

	read := item(t, s.recoveryJSON(t, 5, "read", "--wait", "60s", x.short), x.short)
	want(t, "read", read, map[string]string{"answered": "true", "verdict.verdict": "OWNER", "went_on": "true",
		"defects.#": "1", "defects.0.code": "write"})
	has(t, "the call", read.Get("tools").Raw, touch)
	for _, command := range []string{"status", "report"} {
		open := s.recoveryJSON(t, -2, command).Get("defects").Array()
		if !names(open, x.short, "write", touch) {
			t.Errorf("%s shows no write of %s: %s", command, x.short, open)
		}
	}
	s.tells(t, x, "recovery ack "+x.short, touch)
	x.stop(t)
	s.acknowledge(t, x)
	if open := s.recoveryJSON(t, -2, "status").Get("defects"); len(open.Array()) != 0 {
		t.Errorf("a defect is open that was closed by name: %s", open)
	}
}

// names says whether a defect with this code, which tells of a command, is of the session.
func names(defects []gjson.Result, short, code, command string) bool {
	for _, d := range defects {
		if d.Get("code").Str == code && strings.Contains(d.Get("text").Str, command) &&
			(d.Get("session").Str == short || d.Get("short").Str == short) {
			return true
		}
	}
	return false
}
