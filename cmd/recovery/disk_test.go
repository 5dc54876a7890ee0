package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"recovery/fixtures"

	"golang.org/x/sys/unix"
)

// TestNothingIsSentWithoutARecord: a work folder that cannot be written, and a full disk, stop the run before
// anything is sent.
func TestNothingIsSentWithoutARecord(t *testing.T) {
	oneThread(t)
	t.Parallel()
	b := newBench(t, testAccount(t))
	s := b.add(fixtures.Session{})
	b.inventory()
	t.Run("a journal that cannot be opened", func(t *testing.T) {
		journal := b.work("journal.jsonl")
		if err := os.Rename(journal, journal+".aside"); err != nil {
			t.Fatal(err)
		}
		defer func() { _ = os.Rename(journal+".aside", journal) }()
		if err := os.Mkdir(journal, 0o700); err != nil {
			t.Fatal(err)
		}
		defer func() { _ = os.Remove(journal) }()
		status, _, errs := b.run("resume", "--spacing", "0", s.Short)
		if status != exitFailed || !strings.Contains(errs, "journal") || len(b.wakes()) != 0 {
			t.Errorf("%d, %d wakes: %s", status, len(b.wakes()), errs)
		}
	})
	t.Run("a full disk", func(t *testing.T) {
		dir := filepath.Join(b.a.Root, "small")
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "size=64k"); err != nil {
			t.Skipf("a small file system cannot be mounted here: %v", err)
		}
		defer func() { _ = unix.Unmount(dir, unix.MNT_DETACH) }()
		page, err := b.a.SavePage("sessions.json", fixtures.PageOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if status, out, errs := b.run("--work", dir, "inventory", page); status != exitOK {
			t.Fatalf("%d %s%s", status, out, errs)
		}
		// Fill what is left, down to the last byte.
		full, err := os.Create(filepath.Join(dir, "filler"))
		if err != nil {
			t.Fatal(err)
		}
		for _, size := range []int{4096, 1} {
			for chunk := make([]byte, size); ; {
				if _, err := full.Write(chunk); err != nil {
					break
				}
			}
		}
		_ = full.Close()
		before, err := os.ReadFile(filepath.Join(dir, "journal.jsonl"))
		if err != nil {
			t.Fatal(err)
		}
		// The last page of the journal's file may still have room; the intention is longer than that.
		status, out, errs := b.run("--work", dir, "resume", "--spacing", "0", s.Short)
		if status != exitFailed && status != exitNeedsUser || len(b.wakes()) != 0 {
			t.Errorf("%d, %d wakes\n%s%s", status, len(b.wakes()), out, errs)
		}
		after, err := os.ReadFile(filepath.Join(dir, "journal.jsonl"))
		if err != nil || !strings.HasPrefix(string(after), string(before)) || !strings.HasSuffix(string(after), "\n") ||
			strings.Contains(string(after), `"intended"`) {
			t.Errorf("the journal was left in part: %d bytes, then %d, %v", len(before), len(after), err)
		}
	})
}
