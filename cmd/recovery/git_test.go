package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestFolderStateIsNeverLeftOut: where git cannot tell, the report says so; a folder without a word would look like a
// clean one.
func TestFolderStateIsNeverLeftOut(t *testing.T) {
	dir := t.TempDir()
	broken := filepath.Join(dir, "broken")
	if err := os.MkdirAll(filepath.Join(broken, ".git", "objects"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"HEAD": "ref: refs/heads/main\n", "config": "[core\n", "refs/heads/x": ""} {
		path := filepath.Join(broken, ".git", name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if got := gitState(context.Background(), os.Environ(), broken); !strings.HasPrefix(got, "git cannot tell: ") ||
		strings.Contains(got, "\n") {
		t.Errorf("%q", got)
	}
	t.Setenv("PATH", dir)
	if got := gitState(context.Background(), []string{"PATH=" + dir}, dir); !strings.HasPrefix(got, "git cannot tell: ") {
		t.Errorf("without git: %q", got)
	}
}

// TestReportIntoOddPlaces: what -o names is written as a file, or refused with the reason; nothing else is changed.
func TestReportIntoOddPlaces(t *testing.T) {
	b := reported(t)
	dir := t.TempDir()
	real, link := filepath.Join(dir, "real.md"), filepath.Join(dir, "link.md")
	if err := os.WriteFile(real, []byte("old"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(real, link); err != nil {
		t.Fatal(err)
	}
	b.must(exitOK, "report", "-o", link)
	if data, _ := os.ReadFile(real); !strings.HasPrefix(string(data), "# Session recovery") {
		t.Errorf("behind the link: %.40s", data)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is gone: %v", err)
	}
	loop := filepath.Join(dir, "loop")
	if err := os.Symlink(loop, loop); err != nil {
		t.Fatal(err)
	}
	fifo := filepath.Join(dir, "fifo")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	into := filepath.Join(dir, "into")
	if err := os.Symlink(b.a.Claude, into); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		to   string
		want int
	}{{dir, exitUsage}, {loop, exitFailed}, {fifo, exitUsage}, {filepath.Join(real, "x"), exitFailed},
		{filepath.Join(into, "x.md"), exitUsage}} {
		status, out, errs := b.run("report", "-o", c.to)
		if status != c.want || out != "" || strings.Contains(errs, "--work") {
			t.Errorf("-o %s ended with %d, want %d: %s%s", c.to, status, c.want, out, errs)
		}
	}
	if info, err := os.Lstat(fifo); err != nil || info.Mode()&os.ModeNamedPipe == 0 {
		t.Errorf("the pipe was replaced: %v", err)
	}
	good := filepath.Join(dir, "good.json")
	b.must(exitOK, "report", "--format", "json", "-o", good)
	if status, out, _ := b.run("report", "--merge", good, "--merge", fifo); status != exitNeedsUser ||
		!strings.Contains(out, "not in here: "+fifo) || strings.Contains(out, "good.json") {
		t.Errorf("merging one of two ended with %d:\n%s", status, out)
	}
	status, _, errs := b.run("report", "--merge", fifo, "--merge", real)
	if status != exitFailed || !strings.Contains(errs, fifo) {
		t.Errorf("merging a pipe ended with %d: %s", status, errs)
	}
}

// TestReportSparesTheRecord: -o never replaces what recovery keeps in its work folder.
func TestReportSparesTheRecord(t *testing.T) {
	b := reported(t)
	before, err := os.ReadFile(b.work("journal.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"journal.jsonl", "journal.lock", "lock", "inventory.json", "groups.yaml",
		"events/x.json"} {
		for _, args := range [][]string{{"report", "-o", b.work(name)}, {"handoff", "-o", b.work(name)},
			{"--work", b.work(""), "report", "-o", b.work(name)}} {
			if status, _, errs := b.run(args...); status != exitUsage || !strings.Contains(errs, "own record") {
				t.Errorf("%v ended with %d: %s", args, status, errs)
			}
		}
	}
	if after, _ := os.ReadFile(b.work("journal.jsonl")); string(after) != string(before) {
		t.Error("the journal was changed")
	}
	b.must(exitOK, "report", "-o", b.work("report.md"))
	t.Chdir(t.TempDir())
	b.must(exitOK, "report", "-o", "journal.md")
}
