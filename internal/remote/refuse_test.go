package remote

import (
	"errors"
	"strings"
	"testing"
)

const (
	limitNotice = "list_sessions is limited to 1000 calls per account per hour. Try again later."
	overflow    = "Error: result (91,234 characters) exceeds maximum allowed tokens. Output has been saved to " +
		"/home/u/my files/mcp-list_sessions-17.txt.\n" +
		"Format: JSON array with schema: [{type: string, text: string}]\nUse offset and limit parameters to read specific " +
		"portions of the file."
	persisted = "<persisted-output>\nOutput too large (120KB). Full output saved to: /home/u/tool-results/b1.txt\n\n" +
		"Preview (first 2KB):\n{\"ccr\":{\"data\":[{\"id\":\"session_1\",\"ti"
	desktop = `[{"sessionId":"local_1b","title":"x","isRunning":false,"lastActivityAt":"2026-09-02T08:00:00Z"}]`
)

func TestRefusals(t *testing.T) {
	a, ev := shapes["A"], eventShapes["tool"]
	block := func(s string) string { return `[{"type":"text","text":` + quoted(s) + `}]` }
	for _, c := range []struct {
		name, data, looks, next string
	}{
		{"empty", "", "empty file", "again"},
		{"blank", "\ufeff \r\n\t", "empty file", "again"},
		{"limit", limitNotice, "rate limit", "hour"},
		{"limit, raw", rawTool(limitNotice), "rate limit", "hour"},
		{"limit, block", block(limitNotice), "rate limit", "hour"},
		{"limit, isError", `{"content":` + block(limitNotice) + `,"isError":true}`, "rate limit", "hour"},
		{"limit, API", `{"type":"error","error":{"type":"rate_limit_error","message":"slow down"}}`, "rate limit", "hour"},
		{"limit, fence", "page 1:\n```\n" + a + "\n```\npage 2:\n```\n" + limitNotice + "\n```\n", "rate limit", "hour"},
		{"limit, a block of two", `[{"type":"text","text":` + quoted(a) + `},{"type":"text","text":` + quoted(limitNotice) +
			`}]`, "rate limit", "hour"},
		{"limit, after a page", a + "\n" + limitNotice, "rate limit", "hour"},
		{"overflow", overflow, "too long", "/home/u/my files/mcp-list_sessions-17.txt"},
		{"overflow, block", block(overflow), "too long", "/home/u/my files/mcp-list_sessions-17.txt"},
		{"overflow, content", `{"content":` + block(overflow) + `}`, "too long", "/home/u/my files/mcp-list_sessions-17.txt"},
		{"overflow with a preview", persisted, "too long", "/home/u/tool-results/b1.txt"},
		{"isError", `{"content":[{"type":"text","text":"session not found"}],"isError":true}`, `"session not found"`,
			"repair"},
		{"isError around a page", `{"content":` + block(a) + `,"isError":true}`, "error", "repair"},
		{"isError, JSON-RPC", `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"no such tool"}],` +
			`"isError":true}}`, "no such tool", "repair"},
		{"error object", `{"type":"error","error":{"type":"authentication_error","message":"OAuth has expired"}}`,
			"authentication_error: OAuth has expired", "repair"},
		{"error string", `{"error":"forbidden"}`, `"forbidden"`, "repair"},
		{"error in ccr", `{"ccr":{"error":{"message":"boom"}}}`, `"boom"`, "repair"},
		{"error beside rows", `{"data":[],"error":{"message":"boom"}}`, `"boom"`, "repair"},
		{"error, JSON-RPC", `{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"unknown tool"}}`, "unknown tool",
			"repair"},
		{"error, data line",
			"data: {\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32602,\"message\":\"unknown tool\"}}\n", "unknown tool",
			"repair"},
		{"error, one page of two", "[" + a + `,{"type":"error","error":{"message":"boom"}}]`, "boom", "repair"},
		{"error text", "MCP tool call requires approval", "requires approval", "repair"},
		{"error block beside a page", `[{"type":"text","text":` + quoted(a) + `},{"type":"text","text":"Error: page 2 ` +
			`failed"}]`, "page 2 failed", "repair"},
		{"HTML", "<!DOCTYPE html>\n<html><body>" + a + "</body></html>", "HTML", "not the web page"},
		{"binary", "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03" + a, "binary", "text"},
		{"binary without NUL", strings.Repeat("\x91\xfe\xff\x02", 100), "binary", "text"},
		{"text", "the sessions are all fine", "text without a page", "save"},
		{"tool text without JSON", rawTool(""), "without its JSON", "again"},
		{"Markdown without JSON", "# Sessions\n```bash\nclaude agents\n```\n", "text without a page", "save"},
		{"broken", `{"ccr":{"data":[{"id":session_1}]}}`, "broken JSON", "unedited"},
		{"broken, not at the start", "saved:\n  {\"data\":[}\n", "broken JSON", "unedited"},
		{"a key twice", `{"data":[` + row("session_1", day(1), day(2)) + `],"data":[]}`, "data twice", "unedited"},
		{"has_more twice", `{"ccr":{"data":[],"has_more":true,"has_more":false}}`, "has_more twice", "unedited"},
		{"no page", `{"name":"x","version":"1"}`, "no page (keys: name, version)", "save"},
		{"arguments alone", `{"mine":true,"limit":100}`, "no page", "save"},
		{"empty object", `{}`, "no page", "save"},
		{"empty list", `[]`, "empty list", "save"},
		{"number", `7`, "without a page", "save"},
		{"null", `null`, "without a page", "save"},
		{"data null", `{"data":null}`, "no page", "save"},
		{"data a string", `{"ccr":{"data":"nope"}}`, "no page", "save"},
		{"ccr null", `{"ccr":null}`, "no page", "save"},
		{"one session", `{"ccr":{"id":"session_1","title":"x","session_status":"idle"}}`, "one session's record",
			"list_sessions"},
		{"one session, REST", row("session_1", day(1), day(2)), "one session's record", "list_sessions"},
		{"answer to a message", `{"ccr":{"events":[{"user":{"uuid":"u"}}]}}`, "message that was sent", "list_sessions"},
		{"another list", `{"data":[{"id":"model_1","display_name":"x"}],"has_more":false,"first_id":"model_1",` +
			`"last_id":"model_1"}`, "not sessions", "list_sessions"},
		{"rows of nothing", `{"data":[null,1,"x"]}`, "not sessions", "list_sessions"},
		{"no ids", `{"data":[{"session_status":"idle"}]}`, "without ids", "again"},
		{"desktop", desktop, "desktop app", "Remote tools"},
		{"desktop, page", `{"data":` + desktop + `}`, "desktop app", "Remote tools"},
		{"desktop, sessions", `{"sessions":` + strings.ReplaceAll(desktop, "sessionId", "id") + `}`, "desktop app",
			"Remote tools"},
		{"desktop, block", block(desktop), "desktop app", "Remote tools"},
		{"events", ev, "page of events", "--events"},
		{"events, raw", rawTool(ev), "page of events", "--events"},
		{"events, REST", eventShapes["type"], "page of events", "--events"},
		{"events, other REST", eventShapes["event_type"], "page of events", "--events"},
		{"events, none", `{"events":[]}`, "page of events", "--events"},
		{"events, bare", `[{"type":"user","uuid":"u","created_at":"` + day(1) + `","message":{}}]`, "page of events",
			"--events"},
		{"rows and pages", "[" + row("session_1", day(1), day(2)) + "," + a + "]", "rows and pages", "printed"},
		{"a page and null", "[" + a + ",null]", "no page", "save"},
		{"deep", strings.Repeat("[", 20000) + strings.Repeat("]", 20000), "JSON", ""},
		{"deep wrapping", strings.Repeat(`{"payload":`, 40) + a + strings.Repeat("}", 40), "too many times", ""},
		{"a second page cut", "[" + a + "]\n" + a[:len(a)-3], "cut off", "again"},
		{"a second raw page cut", rawTool(a) + rawTool(a)[:400], "cut off", "again"},
		{"a second fence cut", "```\n" + a + "\n```\n```\n" + a[:60] + "\n```\n", "cut off", "again"},
		{"a page between fences", "```\n" + a + "\n```\n\n" + a[:60], "cut off", "again"},
	} {
		got, err := ReadSessions(file("some\nfile", c.data))
		var refused *RefusedError
		if !errors.As(err, &refused) {
			t.Errorf("%s: got %+v, %v", c.name, got, err)
			continue
		}
		if !strings.Contains(refused.Looks, c.looks) || !strings.Contains(refused.Next, c.next) ||
			refused.File != "some\nfile" || refused.Want != "sessions" {
			t.Errorf("%s: got %#v", c.name, refused)
		}
		if msg := err.Error(); strings.Contains(msg, "\n") || !strings.Contains(msg, "some file") || refused.Next == "" {
			t.Errorf("%s: got %q", c.name, msg)
		}
	}
}

func TestRefusedAsEvents(t *testing.T) {
	transcript := `{"type":"user","uuid":"u1","parentUuid":null,"sessionId":"s","cwd":"/x","timestamp":"` + day(1) +
		`","message":{"role":"user","content":"hi"}}`
	for _, c := range []struct{ name, data, looks string }{
		{"sessions", shapes["A"], "page of sessions"},
		{"sessions, raw", rawTool(shapes["A"]), "page of sessions"},
		{"sessions, B", shapes["B"], "page of sessions"},
		{"sessions, C", shapes["C"], "page of sessions"},
		{"no sessions", `{"sessions":[]}`, "page of sessions"},
		{"desktop", desktop, "desktop app"},
		{"transcript", transcript + "\n" + transcript, "local transcript"},
		{"transcript as a list", "[" + transcript + "]", "local transcript"},
		{"one event", `{"type":"user","uuid":"u1","created_at":"` + day(1) + `","message":{}}`, "one event"},
		{"another list", `{"data":[{"id":"model_1"}]}`, "not events"},
		{"limit", strings.ReplaceAll(limitNotice, "sessions", "events"), "rate limit"},
		{"overflow", overflow, "too long"},
		{"empty", "", "empty file"},
		{"cut", eventShapes["tool"][:200], "cut off"},
		{"isError", `{"content":[{"type":"text","text":"session not found"}],"isError":true}`, "session not found"},
	} {
		got, err := ReadEvents(file("f", c.data))
		var refused *RefusedError
		if !errors.As(err, &refused) || !strings.Contains(refused.Looks, c.looks) || refused.Want != "events" {
			t.Errorf("%s: got %+v, %v", c.name, got, err)
		}
	}
}

func TestOverflowNamesTheSavedFile(t *testing.T) {
	for data, want := range map[string]string{
		overflow:  "/home/u/my files/mcp-list_sessions-17.txt",
		persisted: "/home/u/tool-results/b1.txt",
		"result exceeds maximum allowed tokens. Output has been saved to C:\\x\\out.txt": `C:\x\out.txt`,
		"exceeds maximum allowed tokens. Output has been saved to `/a/b.json`":           "/a/b.json",
		"exceeds maximum allowed tokens. Output has been saved to /a/b.c.json. Use jq":   "/a/b.c.json",
		"exceeds maximum allowed tokens.":                                                "",
	} {
		_, err := ReadSessions(file("f", data))
		var refused *RefusedError
		if !errors.As(err, &refused) || refused.Saved != want {
			t.Errorf("%q: got %#v", data, err)
		}
	}
}

// The file may be the wrong one altogether: what it says is not repeated where it is not known to be an error, and a
// credential is not repeated at all.
func TestNoSecretsInErrors(t *testing.T) {
	const key = "sk-ant-oat01-abcdefghijklmnop"
	for _, data := range []string{
		key, `{"accessToken":"` + key + `"}`, `{"` + key + `":1}`, `{"error":"bad key ` + key + `"}`, "Error: Bearer " + key +
			" refused",
		`{"error":{"message":"Authorization: ` + key + `"}}`, `[{"type":"text","text":"` + key + `"}]`, `{"data":[{"id":"` +
			key + `"}]}`,
	} {
		_, err := ReadSessions(file("f", data))
		if err == nil || strings.Contains(err.Error(), "abcdefgh") {
			t.Errorf("%s: got %v", data, err)
		}
	}
}

// A page that was cut before it was wrapped is named as one that was cut off.
func TestWrappedCutPages(t *testing.T) {
	whole := shapes["A"]
	for name, wrap := range wrappings {
		if name == "pretty" || strings.HasPrefix(name, "raw, pretty") || name == "structured content" || name == "payload" ||
			name == "array of pages" ||
			name == "CRLF" || name == "three deep" {
			continue // these need a whole page, or would close it
		}
		for _, n := range []int{9, 30, 100, len(whole) - 1} {
			_, err := ReadSessions(file("f", wrap(whole[:n])))
			var refused *RefusedError
			if !errors.As(err, &refused) || !strings.Contains(refused.Looks, "cut off") {
				t.Errorf("%s cut at %d: got %v", name, n, err)
			}
		}
	}
	for _, note := range []string{"... [12 lines truncated]", "\n[truncated]", "…"} {
		_, err := ReadSessions(file("f", strings.ReplaceAll(whole[:100], "\n", "")+`"`+note))
		if err == nil || !strings.Contains(err.Error(), "cut off") {
			t.Errorf("%s: got %v", note, err)
		}
	}
}

// Every cut of every wrapping is refused, unless only what follows the JSON was cut off.
func TestCutFiles(t *testing.T) {
	if testing.Short() {
		t.Skip("long, and nothing in it for the race detector")
	}
	for name, wrap := range wrappings {
		if name == "UTF-16" {
			continue
		}
		whole := wrap(shapes["A"])
		for n := range len(whole) {
			got, err := ReadSessions(file("f", whole[:n]))
			if err == nil && (got.Found != 1 || !got.Complete) {
				t.Errorf("%s cut at %d: got %+v", name, n, got)
				break
			}
		}
		whole = wrap(eventShapes["tool"])
		for n := range len(whole) {
			got, err := ReadEvents(file("f", whole[:n]))
			if err == nil && (len(got.Items) != 1 || !got.HasMore) {
				t.Errorf("%s cut at %d: got %+v", name, n, got)
				break
			}
		}
	}
}
