package claude

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// wordSamples are pieces of lines and files as the client wrote them: each word of the package stands in one.
var wordSamples = []string{
	`{"type":"user","origin":{"kind":"human"},"promptSource":"typed","message":{"role":"user","content":"hello"}}`,
	`{"type":"user","origin":{"kind":"task-notification"},"message":{"role":"user",` +
		`"content":"<task-notification>\n<task-id>b1</task-id>"}}`,
	`<system-reminder>\nAs you answer the user's questions, you can use the following context:\n</system-reminder>`,
	`"stop_reason":"end_turn","stop_sequence":null`, `"stop_reason":"refusal"`, `"stop_reason":"max_tokens"`,
	`<tool_use_error>This background session hasn't isolated its changes yet. Enter a worktree first.</tool_use_error>`,
	`{"type":"tool_use","id":"toolu_1796097235728575979_4","name":"AskUserQuestion","input":{"questions":[]}}`,
	`{"type":"tool_use","id":"toolu_1796097235340913132_1","name":"ExitPlanMode","input":{"plan":"do it"}}`,
	`{"model":"<synthetic>","role":"assistant","content":[{"type":"text","text":"No response requested."}]}`,
	`[Tool call interrupted: the session ended before this call's result was recorded, so its outcome is unknown. It ` +
		`may or may not`,
	`{"type":"attachment","attachment":{"type":"queued_command","prompt":"and the docs"}}`,
	`{"type":"queue-operation","operation":"enqueue","timestamp":"2026-11-29T12:01:43.816Z","content":"and the docs"}`,
	`{"type":"queue-operation","operation":"dequeue"}`, `{"operation":"remove","content":"x"}`,
	`{"operation":"popAll","content":"x"}`,
	`{"name":"CronCreate","input":{"cron":"0 * * * *"}}`, `{"name":"CronDelete","input":{"id":"1"}}`,
	`{"name":"Skill","input":{"skill":"x"}}`,
	`{"type":"continued-in","sessionId":"261c700b-5c0d-4f0e-9a6b-0123456789ab"}`,
	`{"type":"bridge-session","bridgeSessionId":"cse_01NEWnewNEWnewNEWnewNE1a","lastSequenceNum":3}`,
	`https://claude.ai/code/session_01NEWnewNEWnewNEWnewNE1a`,
	`"toolDenialKind":"user-rejected"`, `"toolDenialKind":"permission-rule"`, `"toolDenialKind":"automode-unavailable"`,
	`"status":"waiting","waitingFor":"permission prompt"`,
	`"respawnFlags":["-n","x","--dangerously-skip-permissions"]`, `"permission_mode":"bypassPermissions"`,
	`"state":"starting"`, `"state":"working","detail":"starting…"`, `"state":"running"`, `"state":"resuming"`,
	`"state":"blocked","tempo":"blocked","needs":"approve Bash: touch x"`, `"state":"done"`, `"state":"failed"`,
	`"state":"stopped"`,
	`"state":"crashed","detail":"exit 1; respawning"`,
	`"inFlight":{"tasks":0,"queued":1,"kinds":[],"drainableMonitors":0}`,
	`[2026-12-01T03:59:25.013Z] [bg] bg settled 1cf5376d (killed)`,
	`[2026-11-29T12:01:43.816Z] [bg] bg settled 261c700b (done)`,
	`bg settled 261c700b (failed)`, `bg settled 261c700b (crashed): exit 1 before init`,
	`{"type":"tool_use","name":"Agent","input":{"description":"cut work","subagent_type":"general-purpose",` +
		`"run_in_background":true}}`,
	`{"type":"tool_use","name":"Task","input":{"description":"look","prompt":"x"}}`,
	`{"name":"ScheduleWakeup","input":{"delaySeconds":600}}`,
	`{"name":"CronCreate","input":{"cron":"0 9 * * *","prompt":"send the digest"}}`,
	`{"name":"CronDelete","input":{"id":"abc12345"}}`,
	`Async agent launched successfully. (This tool result is internal metadata`,
	`Use SendMessage with to: 'a096f209e7975d7f4'`,
	`CLAUDE_CONFIG_DIR=/home/ann/.claude-work`, `CLAUDE_CODE_SESSION_ID=261c700b-5c0d-4f0e-9a6b-0123456789ab`,
	`CLAUDE_JOB_DIR=/home/ann/.claude/jobs/261c700b`, `2.1.257 (Claude Code)`, UUIDPattern,
}

// TestEveryWordHasASample walks the source: no word of the client's without the place it was seen in. Kinds and
// authors are recovery's own words.
func TestEveryWordHasASample(t *testing.T) {
	names, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			gen, ok := d.(*ast.GenDecl)
			if !ok || gen.Tok != token.CONST {
				continue
			}
			for _, spec := range gen.Specs {
				v := spec.(*ast.ValueSpec)
				if v.Type != nil || len(v.Values) != 1 {
					continue
				}
				lit, ok := v.Values[0].(*ast.BasicLit)
				if !ok || lit.Kind != token.STRING {
					continue
				}
				word, err := strconv.Unquote(lit.Value)
				if err != nil {
					t.Fatal(err)
				}
				seen++
				if !strings.Contains(strings.Join(wordSamples, "\n"), word) {
					t.Errorf("%s = %q has no sample", v.Names[0].Name, word)
				}
			}
		}
	}
	if seen < 30 {
		t.Errorf("only %d words found", seen)
	}
}
