package wrap

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"recovery/fixtures"
	"recovery/internal/account"
	"recovery/prompts"
)

func TestMain(m *testing.M) {
	fixtures.Main()
	os.Exit(m.Run())
}

const (
	short   = "aaaa0001"
	session = "aaaa0001-1111-4111-8111-111111111111"
	mark    = prompts.WrapMark
	done    = wrapLine + "\n" + doneLine
	held    = wrapLine + "\n" + notReady + " the tests fail."
)

var start = time.Date(2026, 9, 3, 9, 0, 0, 0, time.UTC)

// script is a transcript, a line an entry; each line is a second later than the one before.
type script []string

func (s *script) add(line map[string]any) *script {
	n := len(*s)
	line["uuid"] = fmt.Sprintf("00000000-0000-4000-8000-%012d", n)
	line["timestamp"] = s.at(n).Format(time.RFC3339Nano)
	data, err := json.Marshal(line)
	if err != nil {
		panic(err)
	}
	*s = append(*s, string(data))
	return s
}

func (s *script) at(n int) time.Time { return start.Add(time.Duration(n) * time.Second) }

func (s *script) raw(line string) *script { *s = append(*s, line); return s }

// user is a line in the user's role with a content; more are further keys, by turns name and value.
func (s *script) user(content any, more ...any) *script {
	line := map[string]any{"type": "user", "isSidechain": false, "message": map[string]any{"role": "user",
		"content": content}}
	for i := 0; i+1 < len(more); i += 2 {
		line[more[i].(string)] = more[i+1]
	}
	return s.add(line)
}

func (s *script) origin(kind, text string) *script {
	return s.user(text, "origin", map[string]any{"kind": kind})
}

// says is a reply of one line that ends its turn.
func (s *script) says(text string) *script {
	return s.part(fmt.Sprintf("msg_%d", len(*s)), "end_turn", block("text", text))
}

func block(kind, text string) map[string]any { return map[string]any{"type": kind, kind: text} }

func (s *script) part(id, stop string, blocks ...map[string]any) *script {
	message := map[string]any{"id": id, "role": "assistant", "model": "m", "content": blocks, "stop_reason": stop}
	if stop == "" {
		message["stop_reason"] = nil
	}
	return s.add(map[string]any{"type": "assistant", "isSidechain": false, "message": message})
}

// calls is a tool call without its result.
func (s *script) calls(id, tool string, input map[string]any) *script {
	return s.part("msg_"+id, "tool_use", map[string]any{"type": "tool_use", "id": id, "name": tool, "input": input})
}

func (s *script) result(id, text string, isError bool, more ...any) *script {
	return s.user([]any{map[string]any{"type": "tool_result", "tool_use_id": id, "content": text, "is_error": isError}},
		more...)
}

// skill is a skill call that went well.
func (s *script) skill(name string) *script {
	id := fmt.Sprintf("toolu_%d", len(*s))
	return s.calls(id, "Skill", map[string]any{"skill": name}).result(id, "Launching skill: "+name, false)
}

func (s *script) queue(operation string, content ...any) *script {
	line := map[string]any{"type": "queue-operation", "operation": operation}
	if len(content) > 0 {
		line["content"] = content[0]
	}
	return s.add(line)
}

// attached is a queued message that was taken into a running turn.
func (s *script) attached(prompt any, kind string) *script {
	return s.add(map[string]any{"type": "attachment", "isSidechain": false,
		"attachment": map[string]any{"type": "queued_command", "prompt": prompt, "commandMode": "prompt",
			"origin": map[string]any{"kind": kind}}})
}

// wrapped is a session that was asked and wrapped for real.
func wrapped() *script {
	return new(script).user("Fix it.").says("Fixed.").user("Please " + mark + ".").skill("session-wrap").says(
		"All is well.\n\n" + done)
}

// home is an account with one job, whose transcript is given as bytes.
func home(t testing.TB, data []byte) (*account.Account, *account.Job, string) {
	t.Helper()
	dir := t.TempDir()
	path := filepath.Join(dir, "projects", "-work", session+".jsonl")
	state := fmt.Sprintf(`{"sessionId":%q,"resumeSessionId":%q,"linkScanPath":%q,"state":"working","template":"bg"}`,
		session, session, path)
	for p, d := range map[string][]byte{path: data, filepath.Join(dir, "jobs", short, "state.json"): []byte(state)} {
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, d, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	a, err := account.Open(dir, filepath.Dir(dir))
	if err != nil {
		t.Fatal(err)
	}
	j := a.Job(short)
	if j == nil || j.Problem != "" {
		t.Fatalf("job %+v", j)
	}
	return a, j, path
}

func (s *script) bytes() []byte {
	if len(*s) == 0 {
		return nil
	}
	return []byte(strings.Join(*s, "\n") + "\n")
}

func (s *script) look(t testing.TB) Status {
	t.Helper()
	a, j, _ := home(t, s.bytes())
	return Look(a, j, mark)
}
