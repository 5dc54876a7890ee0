package agentsession

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"recovery/internal/sources"
)

// nobody is a user id that owns none of the files.
const nobody = 65534

// TestPermission: what may not be looked into gets its row. For root, who may look everywhere, one thread takes the
// file rights of somebody else; it is not given back, so it ends with the test.
func TestPermission(t *testing.T) {
	top := t.TempDir()
	store := filepath.Join(top, ".os", "sessions")
	for _, name := range []string{"closed/s", "a/closed", "a/file", "a/good"} {
		write(t, filepath.Join(store, name, "checkpoint.json"), `{"status":"sleeping","task":"x","bus_position":1}`)
	}
	for _, path := range []string{"closed", "a/closed", "a/file/checkpoint.json"} {
		path = filepath.Join(store, path)
		if err := os.Chmod(path, 0); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = os.Chmod(path, 0o755) })
	}
	if os.Geteuid() == 0 {
		// The folders of a test are the user's own.
		for _, path := range []string{top, filepath.Dir(top)} {
			if err := os.Chmod(path, 0o755); err != nil {
				t.Fatal(err)
			}
		}
	}
	answer := make(chan sources.Found)
	go func() {
		if os.Geteuid() == 0 {
			runtime.LockOSThread()
			_, _ = unix.SetfsuidRetUid(nobody)
		}
		answer <- Find(machine(top))
	}()
	rows := map[string]sources.Row{}
	for _, r := range (<-answer).Rows {
		rows[r.Detail("agent")+"/"+r.ID] = r
	}
	if rows["a/good"].State != "sleeping" {
		t.Skipf("the rights cannot be taken away here: %+v", rows)
	}
	for _, name := range []string{"closed/closed", "a/closed", "a/file"} {
		if r := rows[name]; r.Verdict != sources.Unreadable || !strings.Contains(r.Reason, "permission denied") {
			t.Errorf("%s: %+v", name, r)
		}
	}
	if len(rows) != 4 {
		t.Errorf("%d rows", len(rows))
	}
}
