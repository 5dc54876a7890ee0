package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"recovery/fixtures"
)

// usedElsewhere is a session whose state file names one thread, and whose older thread is the one that was used last.
func usedElsewhere(b *bench, s fixtures.Session) (added fixtures.Added, link string) {
	b.t.Helper()
	const body = "01USEDLAST"
	added = b.add(s)
	f, err := os.OpenFile(added.Transcript, os.O_APPEND|os.O_WRONLY, 0o600)
	if err == nil {
		_, err = fmt.Fprintf(f, `{"type":"bridge-session","sessionId":%q,"bridgeSessionId":"cse_%s"}`+"\n", added.SessionID,
			body)
	}
	if err == nil {
		err = f.Close()
	}
	if err == nil {
		err = os.Chtimes(added.Transcript, added.LastEntry, added.LastEntry)
	}
	if err != nil {
		b.t.Fatal(err)
	}
	b.a.AddRow(fixtures.RemoteRow{ID: "session_" + body, Title: added.Name, Connection: "disconnected",
		Environment: "bridge",
		Origin:      "claude_code_cli", CreatedAt: added.CreatedAt, UpdatedAt: gap()})
	return added, "https://claude.ai/code/session_" + body
}

// TestOneLinkOfASession: every command leads to the same thread of a session, that which was used last.
func TestOneLinkOfASession(t *testing.T) {
	oneThread(t)
	t.Parallel()
	b := newBench(t, testAccount(t))
	s, link := usedElsewhere(b, fixtures.Session{})
	b.inventory()
	for _, args := range []string{
		"inventory", "queue-check", "queue-check ID", "resume --dry-run ID", "status", "report", "message prep ID", "why ID",
		"last-reply ID", "audit ID", "wrap-wait --wait 0 ID", "trust ID", "handoff -o -", "inflight --all",
	} {
		words := strings.Fields(strings.ReplaceAll(args, "ID", s.Short))
		if words[0] == "inventory" {
			page, err := b.a.SavePage("again.json", fixtures.PageOptions{})
			if err != nil {
				t.Fatal(err)
			}
			words = append(words, "--sessions", page)
		}
		_, out, errs := b.run(append([]string{"--json"}, words...)...)
		if strings.Contains(out, s.Link) {
			t.Errorf("%s leads to the older thread:\n%s", args, out)
		}
		var v any
		if err := json.Unmarshal([]byte(out), &v); err != nil && out != "" {
			t.Errorf("%s: %v\n%s%s", args, err, out, errs)
		}
		if strings.Contains(out, s.Short) && strings.Contains(out, `"link"`) && !strings.Contains(out, link) {
			t.Errorf("%s does not lead to its thread:\n%s", args, out)
		}
	}
	holdOneStanding(t, b, s.Short)
}
