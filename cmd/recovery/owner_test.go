package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"recovery/fixtures"
)

// asAnother makes the bench's program that of another user than the account's owner, who is called ada.
func (b *bench) asAnother() {
	owner := b.sys.uid
	b.sys.uid = owner + 1
	b.sys.userOf = func(uid int) (name, home string) {
		if uid == owner {
			return "ada", "/home/ada"
		}
		return "kim", "/home/kim"
	}
}

// TestInvariant15OnlyReadingInAnotherUsersAccount: what is more than reading is refused with the line that runs it as
// the owner, and no command changes or creates anything.
func TestInvariant15OnlyReadingInAnotherUsersAccount(t *testing.T) {
	oneThread(t)
	t.Parallel()
	for _, c := range []struct {
		name string
		used bool // there is a work folder of the owner's, with an open defect
	}{{"no work folder", false}, {"the owner's work folder", true}} {
		t.Run(c.name, func(t *testing.T) {
			b := newBench(t, testAccount(t))
			s, later := b.add(fixtures.Session{}), b.add(fixtures.Session{RemoteUpdatedAt: now(), Untrusted: true})
			page, err := b.a.SavePage("sessions.json", fixtures.PageOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if c.used {
				b.inventory()
				b.script(s.Short, fixtures.Script{Outcome: fixtures.OutcomeCopy})
				b.resume(exitDefect, s.Short)
			}
			calls := len(b.wakes())
			b.asAnother()
			before, err := fixtures.Fingerprint(b.a.Root)
			if err != nil {
				t.Fatal(err)
			}
			mine := t.TempDir()
			line := "sudo -iu ada env CLAUDE_CONFIG_DIR=" + b.a.Claude + " recovery --client " + b.client + " "
			for _, args := range [][]string{
				{"resume", s.Short}, {"resume", "--all"}, {"resume", "--all", "--yes"}, {"resume", "--dry-run", s.Short},
				{"resume", "--again", s.Short},
				{"resume", "--nudge", s.Short}, {"resume", "--prompt", "prep", s.Short}, {"resume", "--work", mine, s.Short},
				{"trust", later.Short}, {"trust", "--work", mine, later.Short}, {"ack", s.Short}, {"ack", "limit"},
				{"ack", "--work", mine, s.Short},
				{"queue-check", "--confirm", later.Short}, {"queue-check", "--confirm", later.Short, "--work", mine}, {"handoff"},
			} {
				status, out, errs := b.run(args...)
				if want := line + strings.Join(args, " "); status != exitNeedsUser || !strings.Contains(errs, "next: "+want+"\n") {
					t.Errorf("%v ended with %d, want %d and %q\n%s%s", args, status, exitNeedsUser, want, out, errs)
				}
			}
			for _, args := range [][]string{
				{"inventory", page}, {"inventory"}, {"queue-check"}, {"status"}, {"events"}, {"why", s.Short}, {"pins"},
				{"last-reply", s.Short}, {"audit", s.Short},
				{"wrap-wait", "--wait", "0", s.Short}, {"message", "wrap", s.Short}, {"report"}, {"handoff", "-o", "-"},
			} {
				status, out, errs := b.run(args...)
				if status == exitFailed || status == exitUsage || out == "" {
					t.Errorf("%v ended with %d\n%s%s", args, status, out, errs)
				}
			}
			if _, _, errs := b.run("inventory", page); !strings.Contains(errs, "nothing was saved") {
				t.Errorf("it does not say that nothing was saved: %s", errs)
			}
			if out := b.must(exitOK, "inventory", page); !strings.Contains(out, "the account of ada, "+b.a.Claude) {
				t.Errorf("it does not say whose account it read: %s", out)
			}
			if status, _, errs := b.run("report", "-o", filepath.Join(b.a.Claude, "session-recovery", "r.md")); status != exitUsage {
				t.Errorf("a report was written there: %d %s", status, errs)
			}
			after, err := fixtures.Fingerprint(b.a.Root)
			if err != nil || before != after {
				t.Errorf("the account was changed: %v\n%s\n%s", err, before, after)
			}
			if n := len(b.wakes()); n != calls {
				t.Errorf("%d calls of the client", n-calls)
			}
			if entries, err := os.ReadDir(mine); err != nil || len(entries) > 0 {
				t.Errorf("a refused command wrote %v, %v", entries, err)
			}
		})
	}
}

// TestAnotherUsersAccountIsReadIntoAFolderOfOnesOwn: what was read is kept there, as far as it is reading.
func TestAnotherUsersAccountIsReadIntoAFolderOfOnesOwn(t *testing.T) {
	oneThread(t)
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("only root gives files away")
	}
	b := newBench(t, testAccount(t))
	b.add(fixtures.Session{})
	if err := os.Chown(b.a.Claude, 4711, -1); err != nil {
		t.Fatal(err)
	}
	b.sys.userOf = func(int) (string, string) { return "", "" }
	mine := filepath.Join(t.TempDir(), "w")
	b.must(exitOK, "inventory", "--work", mine)
	if _, err := os.Stat(filepath.Join(mine, "inventory.json")); err != nil {
		t.Error(err)
	}
	if status, _, errs := b.run("resume", "--all", "--work", mine); status != exitNeedsUser || !strings.Contains(errs,
		"sudo -iu '#4711' ") {
		t.Errorf("%d %s", status, errs)
	}
	if _, err := os.Stat(b.work("")); err == nil {
		t.Error("a work folder was made in the account")
	}
}

// TestTheUsualFolderNeedsNoVariable: the owner's shell finds it by itself.
func TestTheUsualFolderNeedsNoVariable(t *testing.T) {
	t.Parallel()
	b := newBench(t, testAccount(t))
	b.asAnother()
	b.sys.userOf = func(uid int) (string, string) { return "ada", filepath.Dir(b.a.Claude) }
	status, _, errs := b.run("resume", "--all", "--data", "it's.yaml", "--prompt", "prep")
	if status != exitUsage {
		t.Fatalf("%d %s", status, errs)
	}
	status, _, errs = b.run("resume", "--dupes", "it's.yaml", "00000000")
	if want := "next: sudo -iu ada recovery --client " + b.client + ` resume --dupes "it's.yaml" 00000000` +
		"\n"; status != exitNeedsUser || !strings.Contains(errs, want) {
		t.Errorf("%d %s, want %s", status, errs, want)
	}
}

// TestAnAccountThatKeepsOthersOut says whose it is.
func TestAnAccountThatKeepsOthersOut(t *testing.T) {
	t.Parallel()
	if os.Geteuid() == 0 {
		t.Skip("nothing keeps root out")
	}
	b := newBench(t, testAccount(t))
	if err := os.Chmod(b.a.Claude, 0o300); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(b.a.Claude, 0o700) })
	b.asAnother()
	if status, _, errs := b.run("inventory"); status != exitNeedsUser || !strings.Contains(errs, "next: sudo -iu ada ") {
		t.Errorf("%d %s", status, errs)
	}
}
