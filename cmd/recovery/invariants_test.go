package main

import (
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"recovery/fixtures"
	"recovery/internal/account"
)

// hashes are the files below a folder, the work folder left out.
func hashes(t *testing.T, root string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if d.Name() == "session-recovery" {
				return fs.SkipDir
			}
			out[path] = "folder"
			return nil
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		sum := sha256.Sum256(data)
		out[path] = info.Mode().String() + hex.EncodeToString(sum[:])
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestInvariant8NothingElseIsWritten: no command changes a file of the account, but for its own work folder and, in
// trust, the one key.
func TestInvariant8NothingElseIsWritten(t *testing.T) {
	oneThread(t)
	t.Parallel()
	b := newBench(t, testAccount(t))
	s := b.add(fixtures.Session{})
	untrusted := b.add(fixtures.Session{Untrusted: true, Cwd: "untrusted"})
	b.add(fixtures.Session{Live: true, RemoteConnection: "disconnected"})
	before := hashes(t, b.a.Claude)
	b.inventory()
	b.client = "/bin/false"
	for _, args := range [][]string{
		{"inventory"}, {"queue-check"}, {"queue-check", "--confirm", s.Short}, {"resume", "--dry-run", s.Short},
		{"resume", "--all"},
		{"resume", "--spacing", "0", s.Short}, {"read", s.Short}, {"last-reply", s.Short}, {"wrap-wait", "--wait", "0",
			s.Short}, {"report"},
	} {
		b.run(args...)
	}
	if after := hashes(t, b.a.Claude); !maps.Equal(before, after) {
		t.Errorf("the account changed")
	}
	config := filepath.Join(b.a.Claude, ".claude.json")
	if err := os.Chmod(config, 0o640); err != nil {
		t.Fatal(err)
	}
	old, err := os.ReadFile(config)
	if err != nil {
		t.Fatal(err)
	}
	b.must(exitOK, "trust", untrusted.Short)
	after := hashes(t, b.a.Claude)
	for path, sum := range after {
		if before[path] != sum && path != config {
			t.Errorf("trust changed %s", path)
		}
	}
	if info, err := os.Stat(config); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("the mode of .claude.json is %v, %v", info.Mode(), err)
	}
	backups, err := filepath.Glob(b.work("backups/*"))
	if err != nil || len(backups) != 1 {
		t.Fatalf("%v %v", backups, err)
	}
	if data, err := os.ReadFile(backups[0]); err != nil || string(data) != string(old) {
		t.Errorf("the backup is not the old file: %v", err)
	}
	if again := b.must(exitOK, "trust", untrusted.Short); !strings.Contains(again, "already") {
		t.Errorf("%s", again)
	}
}

// TestInvariant9NoSecretIsPrintedOrSaved runs everything on an account full of secrets; run looks at each output,
// this at what was saved.
func TestInvariant9NoSecretIsPrintedOrSaved(t *testing.T) {
	oneThread(t)
	t.Parallel()
	b := newBench(t, testAccount(t))
	s := b.add(fixtures.Session{})
	b.add(fixtures.Session{Live: true, RemoteConnection: "disconnected"})
	b.inventory()
	b.resume(exitOK, s.Short)
	b.object(exitOK, "read", s.Short)
	b.object(exitOK, "report")
	err := filepath.WalkDir(b.work(""), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if strings.Contains(string(data), fixtures.Secret) {
			t.Errorf("%s holds a secret", path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestInvariant11OnlyTheUser: inside a Claude session what only the user may say is refused, unless --as-user is
// given, and then it is recorded as typed by an agent.
func TestInvariant11OnlyTheUser(t *testing.T) {
	oneThread(t)
	t.Parallel()
	for _, env := range []string{"CLAUDECODE=1", "CLAUDE_CODE_SESSION_ID=00000000-0000-4000-8000-000000000000",
		"CLAUDE_JOB_DIR=/x/jobs/00000000"} {
		b := newBench(t, testAccount(t))
		s := b.add(fixtures.Session{Untrusted: true, RemoteUpdatedAt: now()})
		b.inventory()
		b.sys.environ = append(b.sys.environ, env)
		for _, args := range [][]string{
			{"queue-check", "--confirm", s.Short}, {"resume", "--all", "--yes"}, {"resume", "--again", s.Short},
			{"trust", s.Short},
		} {
			status, _, errs := b.run(args...)
			if status != exitNeedsUser || !strings.Contains(errs, "--as-user") {
				t.Errorf("%s: %v ended with %d: %s", env, args, status, errs)
			}
		}
		b.must(exitOK, "trust", "--as-user", s.Short)
		b.must(exitOK, "queue-check", "--as-user", "--confirm", s.Short)
		out := b.must(exitOK, "queue-check", s.Short)
		if !strings.Contains(out, "typed by an agent") {
			t.Errorf("it is not shown as an agent's: %s", out)
		}
		b.resume(exitOK, s.Short)
	}
}

// TestInvariant10OneBrokenFileIsOneWarning: the others are listed, and the broken one is never woken.
func TestInvariant10OneBrokenFileIsOneWarning(t *testing.T) {
	oneThread(t)
	t.Parallel()
	b := newBench(t, testAccount(t))
	good := b.add(fixtures.Session{})
	broken := b.add(fixtures.Session{})
	if err := os.WriteFile(broken.StatePath, []byte(`{"sessionId":`), 0o600); err != nil {
		t.Fatal(err)
	}
	noTranscript := b.add(fixtures.Session{})
	if err := os.Remove(noTranscript.Transcript); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(noTranscript.Transcript, 0o700); err != nil {
		t.Fatal(err)
	}
	v := b.object(exitNeedsUser, "inventory")
	if got := len(items(v)); got != 3 {
		t.Errorf("%d rows", got)
	}
	if warnings := v["warnings"].([]any); len(warnings) != 1 {
		t.Errorf("warnings %v", warnings)
	}
	b.inventory()
	b.resume(exitNeedsUser, good.Short, broken.Short, noTranscript.Short)
	if calls := b.wakes(); len(calls) != 1 || calls[0].Args[2] != good.SessionID {
		t.Errorf("%v", calls)
	}
}

// TestNoAccount says as whom to run it.
func TestNoAccount(t *testing.T) {
	oneThread(t)
	t.Parallel()
	b := newBench(t, testAccount(t))
	b.sys.environ = []string{"CLAUDE_CONFIG_DIR=" + filepath.Join(b.a.Root, "nowhere"), "HOME=" + b.a.Root}
	status, _, errs := b.run("inventory")
	if status != exitFailed || !strings.Contains(errs, "no Claude account at "+filepath.Join(b.a.Root, "nowhere")) ||
		!strings.Contains(errs, "sudo -iu") {
		t.Errorf("%d %s", status, errs)
	}
	if _, err := os.Stat(filepath.Join(b.a.Root, "nowhere")); err == nil {
		t.Errorf("it was created")
	}
}

// TestOwnProcessTable: without a process table nothing is provably offline, so nothing is woken.
func TestOwnProcessTable(t *testing.T) {
	oneThread(t)
	t.Parallel()
	b := newBench(t, testAccount(t))
	s := b.add(fixtures.Session{})
	b.inventory()
	b.sys.processes = func() account.Processes { return account.Processes{Problem: "it cannot be read"} }
	it := items(b.resume(exitNeedsUser, s.Short))[0]
	if it["outcome"] != "refused" || len(b.wakes()) != 0 {
		t.Errorf("%v", it)
	}
}
