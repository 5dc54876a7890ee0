package main

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"recovery/fixtures"
	"recovery/prompts"
)

// wrapped adds a session, wakes it, and has it wrap with a proposal for a file.
func wrapped(b *bench, s fixtures.Session) {
	b.t.Helper()
	added := b.add(s)
	b.script(added.Short, fixtures.Script{Reply: fixtures.Review{Verdict: "DONE", Item: "x"}.Text(), Wrap: "captures"})
	b.inventory()
	b.resume(exitOK, added.Short)
	text, err := prompts.RenderWrap(prompts.Wrap{Short: added.Short})
	if err != nil {
		b.t.Fatal(err)
	}
	if err := b.a.Deliver(added.Short, text); err != nil {
		b.t.Fatal(err)
	}
	b.must(exitOK, "wrap-wait", "--wait", "20", added.Short)
}

// holdReports has what only a report shows: captures, a copy that is told by two accounts, groups over accounts,
// other systems.
func holdReports(t *testing.T, h *holder) {
	link := "01FIXSAMEINBOTH0000001"
	var files []string
	for i, name := range []string{"a", "b"} {
		b := hasty(t, testAccount(t))
		b.sys.host, b.sys.user = "host-"+name, "claude-"+name
		wrapped(b, fixtures.Session{Name: "tidy one of " + name})
		wrapped(b, fixtures.Session{Name: "tidy two of " + name})
		b.add(fixtures.Session{Name: "told by both", Bridge: link, LastEntry: b.a.Now.Add(-time.Duration(i+10) * time.Hour)})
		b.add(fixtures.Session{Name: "refund for OPS-4711 in " + name})
		b.add(fixtures.Session{Name: "old", LastEntry: b.a.Now.Add(-29 * 24 * time.Hour)})
		b.add(fixtures.Session{Name: "runs", Live: true, RemoteConnection: "connected"})
		first := b.add(fixtures.Session{Name: "copied"})
		b.add(fixtures.Session{Name: "the copy", CopyOf: first.Short})
		b.add(fixtures.Session{Name: "went on in it", ContinuedIn: first.SessionID})
		b.inventory()
		h.run(b, "report")
		file := filepath.Join(t.TempDir(), name+".json")
		h.run(b, "report", "-o", file)
		files = append(files, file)
	}
	b := hasty(t, testAccount(t))
	h.run(b, "report", "--merge", files[0], "--merge", files[1])
	broken := filepath.Join(t.TempDir(), "broken.json")
	if err := os.WriteFile(broken, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	h.run(b, "report", "--merge", files[0], "--merge", broken)
	h.run(b, "report", "--merge", broken)
}
