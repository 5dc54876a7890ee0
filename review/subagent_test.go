package review_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"recovery/fixtures"
	"recovery/internal/account"
	"recovery/internal/audit"
	"recovery/review"
)

// agent writes a subagent's transcript beside the session's, as the client does.
func (w *woken) agent(id string, at time.Time, commands ...string) {
	w.t.Helper()
	dir := filepath.Join(strings.TrimSuffix(w.added.Transcript, ".jsonl"), "subagents")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		w.t.Fatal(err)
	}
	var b strings.Builder
	stamp := at.UTC().Format(time.RFC3339Nano)
	for i, c := range commands {
		fmt.Fprintf(&b, `{"type":"assistant","isSidechain":true,"agentId":%q,"message":{"id":"m%d","role":"assistant",`+
			`"model":"x","content":[{"type":"tool_use","id":"%s-%d","name":"Bash","input":{"command":%q}}],`+
			`"stop_reason":"tool_use"},"uuid":"a%d","timestamp":%q}`+"\n", id, i, id, i, c, i, stamp)
		fmt.Fprintf(&b, `{"type":"user","isSidechain":true,"agentId":%q,"message":{"role":"user",`+
			`"content":[{"type":"tool_result","tool_use_id":"%s-%d","content":"ok"}]},"uuid":"r%d","timestamp":%q}`+"\n", id, id,
			i, i, stamp)
	}
	if err := os.WriteFile(filepath.Join(dir, "agent-"+id+".jsonl"), []byte(b.String()), 0o600); err != nil {
		w.t.Fatal(err)
	}
}

// started makes an Agent call whose result names the subagent, and answers the review.
func started(id string) []fixtures.Turn {
	call := fmt.Sprintf(`{"type":"assistant","isSidechain":false,"message":{"id":"ma","role":"assistant","model":"x",`+
		`"content":[{"type":"tool_use","id":"toolu_agent","name":"Agent","input":{"prompt":"look"}}],`+
		`"stop_reason":"tool_use"},"uuid":"00000000-0000-4000-8000-00000000000a","timestamp":%q}`,
		time.Now().UTC().Format(time.RFC3339Nano))
	result := fmt.Sprintf(`{"type":"user","isSidechain":false,"message":{"role":"user",`+
		`"content":[{"type":"tool_result","tool_use_id":"toolu_agent","content":"launched"}]},`+
		`"toolUseResult":{"isAsync":true,"agentId":%q},"uuid":"00000000-0000-4000-8000-00000000000b","timestamp":%q}`, id,
		time.Now().UTC().Format(time.RFC3339Nano))
	return []fixtures.Turn{fixtures.Unfinished(prompt), fixtures.Raw([]byte(call + "\n" + result + "\n")),
		fixtures.Notified("<task-notification>done</task-notification>", good)}
}

// TestSubagentsAreJudgedByTheirOwnCalls: the start of one is a read when its transcript was read, and its calls count.
func TestSubagentsAreJudgedByTheirOwnCalls(t *testing.T) {
	for _, c := range []struct {
		name    string
		file    bool
		command string
		agent   audit.Class
		defects int
	}{
		{"that only read", true, "git status", audit.Read, 0},
		{"that wrote", true, "touch x", audit.Read, 1},
		{"without a transcript", false, "", audit.Unknown, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := wake(t, started("abc123")...)
			w.since = time.Now().Add(-time.Hour)
			if c.file {
				w.agent("abc123", time.Now(), c.command)
				w.agent("old", time.Now().Add(-2*time.Hour), "rm -rf /before")
			}
			rev := w.read()
			var start *review.Tool
			for i, tool := range rev.Tools {
				if tool.Name == "Agent" {
					start = &rev.Tools[i]
				}
				if strings.Contains(tool.Summary, "before") {
					t.Errorf("a subagent's call from before the wake counts: %+v", tool)
				}
			}
			if start == nil || start.Class != c.agent {
				t.Fatalf("the start is %+v", start)
			}
			if len(rev.Defects) != c.defects {
				t.Errorf("defects %+v", rev.Defects)
			}
		})
	}
}

// TestPatchesAndUnknownBlocks: what the client recorded beats every rule, and a block of a new type is an unknown call.
func TestPatchesAndUnknownBlocks(t *testing.T) {
	now := time.Now().UTC().Format(time.RFC3339Nano)
	line := func(block, result string) fixtures.Turn {
		return fixtures.Raw([]byte(fmt.Sprintf(`{"type":"assistant","isSidechain":false,"message":{"id":"mx",`+
			`"role":"assistant","model":"x","content":[%s],"stop_reason":"tool_use"},`+
			`"uuid":"00000000-0000-4000-8000-00000000000c","timestamp":%q}`+"\n"+`{"type":"user","isSidechain":false,`+
			`"message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"x1","content":"ok"}]},`+
			`"toolUseResult":%s,"uuid":"00000000-0000-4000-8000-00000000000d","timestamp":%q}`+"\n", block, now, result, now)))
	}
	for _, c := range []struct {
		name, block, result string
		class               audit.Class
	}{
		{"a read", `{"type":"tool_use","id":"x1","name":"Read","input":{"file_path":"/a"}}`, `{"file":{"filePath":"/a"}}`,
			audit.Read},
		{"a patch", `{"type":"tool_use","id":"x1","name":"Mystery","input":{}}`,
			`{"filePath":"/a","structuredPatch":[{"lines":["+x"]}]}`, audit.Write},
		{"more files than are named", `{"type":"tool_use","id":"x1","name":"Bash","input":{"command":"git status"}}`,
			`{"bashEditDiff":{"changedFiles":[],"moreFiles":3}}`, audit.Write},
		{"a server's search", `{"type":"server_tool_use","id":"x1","name":"web_search","input":{"query":"q"}}`, `{}`, ""},
		{"a block of a new type", `{"type":"quantum_use","id":"x1","name":"Q","input":{}}`, `{}`, audit.Unknown},
	} {
		rev := wake(t, fixtures.Unfinished(prompt), line(c.block, c.result),
			fixtures.Notified("<task-notification>x</task-notification>", good)).read()
		if len(rev.Tools) != 1 {
			t.Errorf("%s: %+v", c.name, rev.Tools)
			continue
		}
		if got := rev.Tools[0].Class; c.class != "" && got != c.class {
			t.Errorf("%s is %s (%s)", c.name, got, rev.Tools[0].Reason)
		}
	}
}

// TestAuditTakesTheWholeTranscript: every call, whoever asked for it.
func TestAuditTakesTheWholeTranscript(t *testing.T) {
	w := wake(t, fixtures.Says(prompt, good, fixtures.Read("a", "x")), fixtures.Says("go", "Done.",
		fixtures.Bash("rm x", "")))
	rev, err := review.Audit(account.Door{}, audit.Default(), w.added.Transcript)
	if err != nil {
		t.Fatal(err)
	}
	if len(rev.Tools) != 3 || len(rev.Defects) != 2 {
		t.Errorf("%d calls, %d writes: %+v", len(rev.Tools), len(rev.Defects), rev.Tools)
	}
}

// BenchmarkAudit judges a transcript of 10,000 calls.
func BenchmarkAudit(b *testing.B) {
	path := filepath.Join(b.TempDir(), "t.jsonl")
	var s strings.Builder
	for i := range 10000 {
		fmt.Fprintf(&s, `{"type":"assistant","isSidechain":false,"message":{"id":"m%d","role":"assistant","model":"x",`+
			`"content":[{"type":"tool_use","id":"t%d","name":"Bash","input":{"command":"cd src && git log --oneline -5 -- `+
			`file%d.go | head -3"}}],"stop_reason":"tool_use"},"uuid":"a%d","timestamp":"2026-11-29T10:00:00.000Z"}`+"\n", i, i,
			i, i)
		fmt.Fprintf(&s, `{"type":"user","isSidechain":false,"message":{"role":"user","content":[{"type":"tool_result",`+
			`"tool_use_id":"t%d","content":"ok"}]},"uuid":"r%d","timestamp":"2026-11-29T10:00:01.000Z"}`+"\n", i, i)
	}
	if err := os.WriteFile(path, []byte(s.String()), 0o600); err != nil {
		b.Fatal(err)
	}
	rules := audit.Default()
	for b.Loop() {
		if _, err := review.Audit(account.Door{}, rules, path); err != nil {
			b.Fatal(err)
		}
	}
}
