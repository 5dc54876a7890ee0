package wake

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"recovery/fixtures"
	"recovery/internal/account"
	"recovery/internal/audit"
	"recovery/internal/journal"
	"recovery/internal/remote"
	"recovery/inventory"
)

func TestMain(m *testing.M) {
	fixtures.Main()
	os.Exit(m.Run())
}

// bench is one account with a run on it: the clock is the test's, the client is called in this process, and no process
// runs.
type bench struct {
	t     *testing.T
	a     *fixtures.Account
	run   *Run
	now   time.Time
	slept time.Duration
	// passes is called whenever time passes, with how much of it has passed since the beginning.
	passes    func(slept time.Duration)
	processes account.Processes
	seeErr    error
	told      []string
	calls     int
	old       map[string]any // a line that stands in the transcript already
}

// domain is the process table of every test.
const domain = "linux:test"

func newBench(t *testing.T, sessions ...*fixtures.Added) *bench {
	t.Helper()
	now := time.Now()
	a, err := fixtures.New(t.TempDir(), now)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(a.Close)
	b := &bench{t: t, a: a, now: now, processes: account.Processes{ByPID: map[int]account.Process{}, Domain: domain}}
	b.script("default", fixtures.Script{})
	for i, s := range sessions {
		s.Name = fmt.Sprintf("session %d", i)
		added, err := a.Add(s.Session)
		if err != nil {
			t.Fatal(err)
		}
		*s = added
	}
	door, err := account.Open(a.Claude, a.Home)
	if err != nil {
		t.Fatal(err)
	}
	inv := b.inventory(door)
	ids := 0
	b.run = &Run{
		Account: door, Journal: journal.At(filepath.Join(a.Claude, "session-recovery"), func() time.Time { return b.now }),
		Inventory: inv,
		See: func() (*inventory.World, error) {
			if b.seeErr != nil {
				return nil, b.seeErr
			}
			return inventory.See(door, b.processes, b.now)
		},
		Events: func(string) (*remote.Events, error) { return nil, nil },
		Reload: func() (*inventory.Inventory, error) { return inv, nil }, Rules: audit.Default(), Environ: a.Env(),
		Client: b.simulated, Memory: func() (int64, error) { return 64 << 30, nil },
		NewID:  func() string { ids++; return fmt.Sprintf("00000000-0000-4000-8000-%012d", ids) },
		Jitter: func(d time.Duration) time.Duration { return d }, Clock: Clock{Now: func() time.Time { return b.now },
			Sleep: b.sleep},
		Timing: DefaultTiming, Options: Options{Batch: 5, Spacing: 8 * time.Second, Wait: 10 * time.Minute, MaxAge: time.Hour,
			User: "tester"},
		Tell: func(format string, args ...any) { b.told = append(b.told, fmt.Sprintf(format, args...)) },
	}
	return b
}

func (b *bench) inventory(a *account.Account) *inventory.Inventory {
	b.t.Helper()
	path, err := b.a.SavePage("sessions.json", fixtures.PageOptions{})
	if err != nil {
		b.t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		b.t.Fatal(err)
	}
	page, err := remote.ReadSessions(remote.File{Name: path, Data: data, ModTime: b.now})
	if err != nil {
		b.t.Fatal(err)
	}
	w, err := inventory.See(a, b.processes, b.now)
	if err != nil {
		b.t.Fatal(err)
	}
	inv := inventory.Build(w, &page)
	return &inv
}

func (b *bench) sleep(ctx context.Context, d time.Duration) {
	if ctx.Err() != nil {
		return
	}
	b.now, b.slept = b.now.Add(d), b.slept+d
	if b.passes != nil {
		b.passes(b.slept)
	}
}

// simulated runs the simulated client in this process.
func (b *bench) simulated(_ context.Context, c Call) Said {
	var out, errs bytes.Buffer
	if c.Args[0] != "--version" {
		b.calls++
	}
	exit := fixtures.ClientMain(c.Args, c.Env, strings.NewReader(""), &out, &errs)
	return Said{Stdout: out.String(), Stderr: errs.String(), Exit: exit}
}

// says is a client that answers every wake with these words and writes nothing.
func (b *bench) says(said Said) {
	b.run.Client = func(_ context.Context, c Call) Said {
		if c.Args[0] == "--version" {
			return Said{Stdout: "2.1.332 (Claude Code)\n"}
		}
		b.calls++
		return said
	}
}

// script says how the simulated session answers: everything is written before the client returns.
func (b *bench) script(short string, s fixtures.Script) {
	b.t.Helper()
	s.Process = fixtures.Bool(false)
	if err := b.a.Script(short, s); err != nil {
		b.t.Fatal(err)
	}
}

// at says what happens once so much time has passed.
func (b *bench) at(after time.Duration, act func()) {
	before := b.passes
	done := false
	b.passes = func(slept time.Duration) {
		if before != nil {
			before(slept)
		}
		if !done && slept >= after {
			done = true
			act()
		}
	}
}

func (b *bench) do(shorts ...string) Result {
	b.t.Helper()
	res, err := b.run.Do(context.Background(), shorts)
	if err != nil {
		b.t.Fatal(err)
	}
	return res
}

// live makes a process of the session's, with a status; an empty one ends it.
func (b *bench) live(s *fixtures.Added, status, waitingFor string) {
	b.t.Helper()
	const pid = 4711
	path := filepath.Join(b.a.Claude, "sessions", fmt.Sprintf("%d.json", pid))
	if status == "" {
		delete(b.processes.ByPID, pid)
		return
	}
	b.processes.ByPID[pid] = account.Process{PID: pid, Start: "77", Args: []string{"claude"}}
	b.write(path, map[string]any{"pid": pid, "sessionId": s.SessionID, "jobId": s.Short, "procStart": "77",
		"pidDomain": domain,
		"status":    status, "waitingFor": waitingFor})
}

func (b *bench) write(path string, v any) {
	b.t.Helper()
	data, err := json.Marshal(v)
	if err == nil {
		err = os.MkdirAll(filepath.Dir(path), 0o755)
	}
	if err == nil {
		err = os.WriteFile(path, data, 0o600)
	}
	if err != nil {
		b.t.Fatal(err)
	}
}

// lines adds lines to a transcript, each with a time, and a uuid unless it has one.
func (b *bench) lines(path string, lines ...map[string]any) {
	b.t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		b.t.Fatal(err)
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		b.t.Fatal(err)
	}
	for i, l := range lines {
		l["timestamp"] = b.now.UTC().Format(time.RFC3339Nano)
		if l["uuid"] == nil {
			l["uuid"] = fmt.Sprintf("11111111-1111-4111-8111-%06d%06d", b.slept/time.Millisecond%1e6, i)
		}
		data, err := json.Marshal(l)
		if err == nil {
			_, err = f.Write(append(data, '\n'))
		}
		if err != nil {
			b.t.Fatal(err)
		}
	}
	if err := errors.Join(f.Close(), os.Chtimes(path, b.now, b.now)); err != nil {
		b.t.Fatal(err)
	}
}

func person(text string) map[string]any {
	return map[string]any{"type": "user", "origin": map[string]any{"kind": "human"},
		"message": map[string]any{"role": "user", "content": text}}
}

func reply(text, stop string) map[string]any {
	return map[string]any{"type": "assistant", "message": map[string]any{"id": "msg_" + text[:min(len(text), 6)],
		"role": "assistant", "model": "claude-opus-5-5",
		"stop_reason": stop, "content": []any{map[string]any{"type": "text", "text": text}}}}
}

func call(tool string) map[string]any {
	return map[string]any{"type": "assistant", "message": map[string]any{"id": "msg_" + tool, "role": "assistant",
		"model":       "claude-opus-5-5",
		"stop_reason": "tool_use", "content": []any{map[string]any{"type": "tool_use", "id": "toolu_" + tool, "name": tool,
			"input": map[string]any{}}}}}
}

func failure(text string) map[string]any {
	return map[string]any{"type": "assistant", "isApiErrorMessage": true, "message": map[string]any{"role": "assistant",
		"model":       "<synthetic>",
		"stop_reason": "stop_sequence", "content": []any{map[string]any{"type": "text", "text": text}}}}
}

// retry is the client's note of a request that it sends again by itself.
func retry(text string) map[string]any {
	return map[string]any{"type": "system", "subtype": "api_error", "retryAttempt": 3, "retryInMs": 4000,
		"error": map[string]any{"message": text}}
}

// size is a file's.
func (b *bench) size(path string) int64 {
	b.t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		b.t.Fatal(err)
	}
	return info.Size()
}

// intended writes an open intention, as a run does right before its call.
func (b *bench) intended(s *fixtures.Added) journal.Intent {
	b.t.Helper()
	const id, prompt = "00000000-0000-4000-8000-0000000000aa",
		"RECOVERY REVIEW v1\nthe prompt\nrecovery-prompt-id: 00000000-0000-4000-8000-0000000000aa"
	intent := journal.Intent{PromptID: id, SessionID: s.SessionID, Kind: journal.KindReview, Prompt: prompt,
		Expected:   prompt,
		Transcript: s.Transcript, Size: b.size(s.Transcript), Cwd: s.Cwd}
	if err := b.run.Journal.Append(journal.Intended, s.Short, intent); err != nil {
		b.t.Fatal(err)
	}
	return intent
}

// woken is a session whose prompt was delivered, by the journal and by its transcript.
func (b *bench) woken(s *fixtures.Added) journal.Intent {
	b.t.Helper()
	intent := b.intended(s)
	b.lines(s.Transcript, person(intent.Prompt))
	out := journal.OutcomeData{PromptID: intent.PromptID, Outcome: "woken", Sent: true}
	if err := b.run.Journal.Append(journal.Concluded, s.Short, out); err != nil {
		b.t.Fatal(err)
	}
	return intent
}

// queuedPrompt sets what is saved in the job for its next start.
func (b *bench) queuedPrompt(s *fixtures.Added, text string) {
	b.t.Helper()
	b.state(s, "queuedPrompt", text)
}

func (b *bench) state(s *fixtures.Added, key string, value any) {
	b.t.Helper()
	data, err := os.ReadFile(s.StatePath)
	if err != nil {
		b.t.Fatal(err)
	}
	var v map[string]any
	if err := json.Unmarshal(data, &v); err != nil {
		b.t.Fatal(err)
	}
	v[key] = value
	b.write(s.StatePath, v)
}

// log adds a line of the supervisor's at the present time.
func (b *bench) log(text string) {
	b.t.Helper()
	f, err := os.OpenFile(filepath.Join(b.a.Claude, "daemon.log"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err == nil {
		_, err = fmt.Fprintf(f, "[%s] [bg] %s\n", b.now.UTC().Format("2006-01-02T15:04:05.000Z"), text)
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		b.t.Fatal(err)
	}
}

func (b *bench) events(t journal.Type) int {
	b.t.Helper()
	events, err := b.run.Journal.Read()
	if err != nil {
		b.t.Fatal(err)
	}
	n := 0
	for _, e := range events {
		if e.Type == t {
			n++
		}
	}
	return n
}

func (b *bench) saidSo(part string) bool { return strings.Contains(strings.Join(b.told, "\n"), part) }
