package transcript

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
)

func TestMain(m *testing.M) {
	fixtures.Main()
	os.Exit(m.Run())
}

// now is far from the machine's clock on purpose: nothing may depend on it.
var now = time.Date(2026, 9, 3, 12, 0, 0, 0, time.UTC)

// file opens text as a transcript.
func file(t testing.TB, text string) *File {
	t.Helper()
	path := filepath.Join(t.TempDir(), "t.jsonl")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return openFile(t, path)
}

func openFile(t testing.TB, path string) *File {
	t.Helper()
	f, err := Open(account.Door{}, path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	return f
}

func tail(t testing.TB, text string) Tail {
	t.Helper()
	out, err := file(t, text).Tail()
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func ledger(t testing.TB, text string) Ledger {
	t.Helper()
	out, err := file(t, text).Ledger(func(s string) bool { return strings.HasPrefix(s, "RECOVERY") })
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func quote(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// The lines of small transcripts. Each is later than the one before by its number in the file alone; stamps do not
// matter.
const stamp = `"timestamp":"2026-09-01T10:00:00.000Z"`

func person(text string, more ...string) string {
	return `{"type":"user","isSidechain":false,"message":{"role":"user","content":` + quote(text) + `},` + stamp +
		`,"origin":{"kind":"human"},"cwd":"/w"` + strings.Join(more, "") + "}\n"
}

// user is a line of the user's role with this content and nothing else.
func user(content string, more ...string) string {
	return `{"type":"user","message":{"role":"user","content":` + content + `},` + stamp + strings.Join(more, "") + "}\n"
}

func reply(id, stop string, blocks ...string) string {
	return `{"type":"assistant","isSidechain":false,"message":{"id":"` + id +
		`","model":"m","role":"assistant","content":[` + strings.Join(blocks, ",") + `],"stop_reason":` + stop + `},` +
		stamp + `,"cwd":"/w"}` + "\n"
}

func textOf(s string) string { return `{"type":"text","text":` + quote(s) + `}` }

func call(id, name string) string {
	return `{"type":"tool_use","id":"` + id + `","name":"` + name + `","input":{}}`
}

func result(id string) string {
	return user(`[{"type":"tool_result","tool_use_id":"`+id+`","content":"ok"}]`, `,"toolUseResult":{"stdout":"ok"}`)
}

func side(line string) string {
	return strings.Replace(line, `"isSidechain":false`, `"isSidechain":true`, 1)
}

func synthetic(s string, apiError bool) string {
	return `{"type":"assistant","message":{"id":"s","model":"<synthetic>","role":"assistant","content":[` + textOf(s) +
		`],"stop_reason":"stop_sequence"},` + stamp +
		fmt.Sprintf(`,"isApiErrorMessage":%v}`, apiError) + "\n"
}

func attachment(a string) string {
	return `{"type":"attachment","attachment":` + a + `,` + stamp + "}\n"
}

func queue(op string, content ...string) string {
	more := ""
	if len(content) > 0 {
		more = `,"content":` + quote(content[0])
	}
	return `{"type":"queue-operation","operation":"` + op + `",` + stamp + `,"sessionId":"s"` + more + "}\n"
}

const (
	end  = `"end_turn"`
	none = `null`
	tool = `"tool_use"`
)

// done is a whole turn.
var done = person("first") + reply("m1", end, textOf("It is done."))

// situation builds a fixture session and opens its transcript.
func situation(t *testing.T, s fixtures.Session) (*account.Account, *account.Job, fixtures.Added) {
	t.Helper()
	f, err := fixtures.New(t.TempDir(), now)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(f.Close)
	added, err := f.Add(s)
	if err != nil {
		t.Fatal(err)
	}
	a, err := account.Open(f.Claude, f.Home)
	if err != nil {
		t.Fatal(err)
	}
	return a, a.Job(added.Short), added
}
