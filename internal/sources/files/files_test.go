package files

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestNothingIsWaitedFor: a pipe, a folder and a link to nothing are told apart from what is not there, and none
// holds anything up.
func TestNothingIsWaitedFor(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	if err := errors.Join(syscall.Mkfifo(path("pipe"), 0o600), os.Mkdir(path("folder"), 0o700),
		os.Symlink("gone", path("dangling")), os.Symlink("loop", path("loop")),
		os.WriteFile(path("file"), []byte("x"), 0o600), os.WriteFile(path("folder/a"), nil, 0o600),
		os.WriteFile(path("folder/b"), nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	if data, info, err := Read(path("file")); string(data) != "x" || info.Size() != 1 || err != nil {
		t.Errorf("%q %v", data, err)
	}
	for name, nothing := range map[string]bool{"pipe": false, "folder": false, "dangling": false, "loop": false,
		"gone": true, "file/x": true} {
		_, _, err := Read(path(name))
		if err == nil || Nothing(path(name), err) != nothing || Cause(err) == "" {
			t.Errorf("%s: %v", name, err)
		}
		if _, _, err := List(path(name), 10); (err == nil) != (name == "folder") {
			t.Errorf("%s as a folder: %v", name, err)
		}
	}
	if entries, more, err := List(path("folder"), 1); len(entries) != 1 || !more || err != nil {
		t.Errorf("%v %v %v", entries, more, err)
	}
	if entries, more, err := List(path("folder"), 2); len(entries) != 2 || more || err != nil {
		t.Errorf("%v %v %v", entries, more, err)
	}
	if Real(path("loop")) != path("loop") {
		t.Error(Real(path("loop")))
	}
}

// TestCause: a cause goes behind the name of the file, whatever it is.
func TestCause(t *testing.T) {
	dir := t.TempDir()
	loop := filepath.Join(dir, "loop")
	if err := os.Symlink(loop, loop); err != nil {
		t.Fatal(err)
	}
	pipe := filepath.Join(dir, "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{loop: "cannot be read: too many levels of symbolic links",
		pipe: "is not a regular file"} {
		if _, _, err := Read(path); err == nil || Cause(err) != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
	if _, _, err := List(pipe, 1); err == nil || Cause(err) != "is not a folder" {
		t.Errorf("%v", err)
	}
	if got := Cause(io.ErrUnexpectedEOF); got != "cannot be read: unexpected EOF" {
		t.Error(got)
	}
}
