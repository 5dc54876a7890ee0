package main

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"recovery/fixtures"
)

// reported is an account with one session that was reviewed and waits for a go.
func reported(t *testing.T) *bench {
	b := newBench(t, testAccount(t))
	b.sys.host, b.sys.user = "host", "claude-1"
	s := b.add(fixtures.Session{Name: "pay the invoice"})
	b.script(s.Short, fixtures.Script{Reply: fixtures.Review{Verdict: "OWNER", Item: "invoice 7", Open: []string{"pay"},
		Go: "pays 9 EUR", MoneyAtRisk: "9 EUR"}.Text()})
	b.inventory()
	b.resume(exitOK, s.Short)
	return b
}

// TestReportFormats: one report in three forms, on standard output or in a file that only the user can read.
func TestReportFormats(t *testing.T) {
	b := reported(t)
	md := b.must(exitOK, "report")
	if !strings.Contains(md, "Owners that wait for one go (1)") || !strings.Contains(md, "MONEY AT RISK") ||
		!strings.Contains(md, "claude-1") {
		t.Errorf("%s", md)
	}
	dir := t.TempDir()
	for format, begins := range map[string]string{"md": "# Session recovery", "json": "{", "html": "<!doctype html>"} {
		path := filepath.Join(dir, "new", "report."+format)
		said := b.must(exitOK, "report", "--format", format, "-o", path)
		data, err := os.ReadFile(path)
		if err != nil || !strings.HasPrefix(strings.ToLower(string(data)), strings.ToLower(begins)) {
			t.Errorf("%s: %v %.80s", format, err, data)
		}
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v %v", format, info.Mode(), err)
		}
		if !strings.Contains(said, path) || !strings.Contains(said, "next:") {
			t.Errorf("it said %s", said)
		}
	}
	var v map[string]any
	if err := json.Unmarshal([]byte(b.must(exitOK, "report", "--format", "json", "-o", "-")), &v); err != nil ||
		v["version"] != 1.0 {
		t.Errorf("%v %v", err, v["version"])
	}
	for _, args := range [][]string{
		{"--format", "html"}, {"--format", "pdf"}, {"--json", "--format", "md"}, {"a.json"},
		{"-o", filepath.Join(b.a.Claude, "settings.json")}, {"-o", filepath.Join(b.a.Claude, "jobs", "x.md")},
	} {
		if status, _, errs := b.run(append([]string{"report"}, args...)...); status != exitUsage {
			t.Errorf("%v ended with %d: %s", args, status, errs)
		}
	}
	b.must(exitOK, "report", "-o", b.work("report.md"))
	if status, _, _ := b.run("handoff", "-o", filepath.Join(b.a.Claude, "CLAUDE.md")); status != exitUsage {
		t.Errorf("a hand-over in the .claude folder ended with %d", status)
	}
}

// TestReportMerge: what can be read is merged, what cannot is told, and this account is not looked at.
func TestReportMerge(t *testing.T) {
	b := reported(t)
	dir := t.TempDir()
	good, bad := filepath.Join(dir, "good.json"), filepath.Join(dir, "bad.json")
	b.must(exitOK, "report", "--format", "json", "-o", good)
	if err := os.WriteFile(bad, []byte(`{"version": 7, "places": []}`), 0o600); err != nil {
		t.Fatal(err)
	}
	other := newBench(t, testAccount(t))
	if out := other.must(exitOK, "report", "--merge", good); !strings.Contains(out, "claude-1") || !strings.Contains(out,
		"pay the invoice") {
		t.Errorf("%s", out)
	}
	status, out, errs := other.run("report", "--merge", good, "--merge", bad, "--merge", dir, "--merge",
		filepath.Join(dir, "none.json"))
	if status != exitNeedsUser || !strings.Contains(out, "pay the invoice") || !strings.Contains(out,
		"could not be read") || !strings.Contains(errs, "version 7") || strings.Count(errs, "warning:") != 3 {
		t.Errorf("%d\n%s\n%s", status, out, errs)
	}
	if status, _, errs := other.run("report", "--merge", bad); status != exitFailed || !strings.Contains(errs,
		"version 7") {
		t.Errorf("%d %s", status, errs)
	}
}

// TestFolderState: the state of a working tree in words, without a write to it.
func TestFolderState(t *testing.T) {
	dir := t.TempDir()
	say := func() string { return gitState(context.Background(), os.Environ(), dir) }
	if got := say(); got != "no git repository" {
		t.Errorf("%q", got)
	}
	git := func(args ...string) {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=a", "-c", "user.email=a@example.org"},
			args...)...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	git("init", "-q", "-b", "main")
	write("a", "1")
	git("add", "a")
	git("commit", "-q", "-m", "a")
	if got := say(); got != "clean on main, without an upstream" {
		t.Errorf("%q", got)
	}
	write("a", "22")
	write("b c", "1")
	// A program that the repository names for its index is not run by a look.
	git("config", "core.fsmonitor", "touch "+filepath.Join(dir, "ran"))
	before, _ := os.ReadFile(filepath.Join(dir, ".git", "index"))
	if got := say(); got != "1 changed and 1 new files on main, without an upstream" {
		t.Errorf("%q", got)
	}
	after, _ := os.ReadFile(filepath.Join(dir, ".git", "index"))
	if string(before) != string(after) {
		t.Error("the index was written")
	}
	if _, err := os.Stat(filepath.Join(dir, "ran")); err == nil {
		t.Error("the repository's own program ran")
	}
	if got := gitState(context.Background(), os.Environ(), filepath.Join(dir, "gone")); got != "it is gone" {
		t.Errorf("%q", got)
	}
	for in, want := range map[string]string{
		"# branch.head main\x00# branch.ab +2 -1\x00": "clean on main, 2 " +
			"commits ahead of and 1 behind its upstream",
		"# branch.head (detached)\x002 R. N... 100644 100644 100644 a b R100 new\x00? old\x00? x\x00": "1 changed and 1 " +
			"new files on (detached)",
		"": "clean",
	} {
		if got := gitWords(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}
