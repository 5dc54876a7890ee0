package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"recovery/fixtures"
	"recovery/internal/journal"
)

// TestMovedTranscriptIsNoDefect: the file stands in another project folder after the review.
func TestMovedTranscriptIsNoDefect(t *testing.T) {
	oneThread(t)
	t.Parallel()
	b := newBench(t, testAccount(t))
	s := b.add(fixtures.Session{Turns: []fixtures.Turn{fixtures.Says("please fix it", "done", fixtures.Tool{Name: "Write",
		Input: map[string]any{"file_path": "/tmp/x", "content": "x"}})}})
	b.script(s.Short, fixtures.Script{})
	b.inventory()
	b.resume(exitOK, s.Short)
	dir := filepath.Join(b.a.Claude, "projects", "-moved-here")
	os.MkdirAll(dir, 0o700)
	to := filepath.Join(dir, filepath.Base(s.Transcript))
	if err := os.Rename(s.Transcript, to); err != nil {
		t.Fatal(err)
	}
	data, _ := os.ReadFile(s.StatePath)
	os.WriteFile(s.StatePath, []byte(strings.ReplaceAll(string(data), s.Transcript, to)), 0o600)
	st, out, _ := b.run("read", s.Short)
	if st == exitDefect {
		t.Errorf("false defects:\n%s", out)
	}
}

// TestClearAfterTheReviewIsNoDefect: the user typed /clear in the woken session.
func TestClearAfterTheReviewIsNoDefect(t *testing.T) {
	oneThread(t)
	t.Parallel()
	b := newBench(t, testAccount(t))
	s := b.add(fixtures.Session{})
	b.script(s.Short, fixtures.Script{})
	b.inventory()
	b.resume(exitOK, s.Short)
	id := "11111111-2222-4333-8444-555555555555"
	to := filepath.Join(filepath.Dir(s.Transcript), id+".jsonl")
	os.WriteFile(to, nil, 0o600)
	appendLine(t, to, userLine(s, "now something else", time.Now()))
	data, _ := os.ReadFile(s.StatePath)
	var v map[string]any
	json.Unmarshal(data, &v)
	v["resumeSessionId"], v["linkScanPath"], v["linkScanOffset"] = id, to, 0
	data, _ = json.Marshal(v)
	os.WriteFile(s.StatePath, data, 0o600)
	st, out, _ := b.run("read", s.Short)
	if st == exitDefect {
		t.Errorf("false defects:\n%s", out)
	}
	st, out, _ = b.run("report")
	t.Logf("report %d\n%s", st, out)
}

// TestOneCallIsOneDefect: seen pending and then done.
func TestOneCallIsOneDefect(t *testing.T) {
	oneThread(t)
	t.Parallel()
	b := newBench(t, testAccount(t))
	b.brief()
	s := b.add(fixtures.Session{})
	b.script(s.Short, fixtures.Script{Outcome: fixtures.OutcomeNoLine})
	b.inventory()
	b.run("resume", "--spacing", "0", "--wait", "0", s.Short)
	w := wakeOf(t, b, s.Short)
	appendLine(t, s.Transcript, userLine(s, w.Expected, time.Now()))
	appendLine(t, s.Transcript, map[string]any{"type": "assistant", "uuid": "aaaaaaaa-0000-4000-8000-000000000001",
		"timestamp": time.Now().UTC().Format(time.RFC3339Nano), "message": map[string]any{"id": "m1", "role": "assistant",
			"model": "claude-x", "stop_reason": "tool_use", "content": []any{map[string]any{"type": "tool_use", "id": "t1",
				"name": "Write", "input": map[string]any{"file_path": "/x", "content": "y"}}}}})
	b.run("read", s.Short)
	u := userLine(s, "", time.Now())
	u["message"] = map[string]any{"role": "user", "content": []any{map[string]any{"type": "tool_result",
		"tool_use_id": "t1", "content": "ok"}}}
	u["toolUseResult"] = map[string]any{"type": "create"}
	appendLine(t, s.Transcript, u)
	b.run("read", s.Short)
	events, _ := journal.At(b.work(""), now).Read()
	n := len(journal.Replay(events).Defects)
	if n != 1 {
		for _, d := range journal.Replay(events).Defects {
			t.Log(d.Code, d.Key)
		}
		t.Errorf("%d defects for one call", n)
	}
}
