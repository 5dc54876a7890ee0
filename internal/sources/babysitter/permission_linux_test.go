package babysitter

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

// TestPermission: a run that may not be looked into gets its row. For root, who may look everywhere, one thread takes
// the file rights of somebody else; it is not given back, so it ends with the test.
func TestPermission(t *testing.T) {
	top := t.TempDir()
	dir := filepath.Join(top, "runs")
	for _, name := range []string{"closed", "journal", "event", "good"} {
		makeRun(t, filepath.Join(dir, name), nil, begun)
	}
	for _, path := range []string{filepath.Join(dir, "closed"), filepath.Join(dir, "journal", "journal"),
		eventPath(filepath.Join(dir, "event"), 1)} {
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
	rows := make(chan map[string]sources.Row)
	go func() {
		out := map[string]sources.Row{}
		if os.Geteuid() == 0 {
			runtime.LockOSThread()
			_, _ = unix.SetfsuidRetUid(nobody)
		}
		for _, name := range []string{"closed", "journal", "event", "good"} {
			if path := filepath.Join(dir, name); isRun(path) {
				r := readRun(path, machine().Process)
				r.fill(noon)
				out[name] = r.row
			}
		}
		rows <- out
	}()
	got := <-rows
	if got["good"].State != "created" {
		t.Skipf("the rights cannot be taken away here: %+v", got["good"])
	}
	for _, name := range []string{"closed", "journal", "event"} {
		if r := got[name]; r.Verdict != sources.Unreadable || !strings.Contains(r.Reason, "permission denied") {
			t.Errorf("%s: %+v", name, r)
		}
	}
}
