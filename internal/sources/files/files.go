// Package files is how the sources look at files and folders: nothing is waited for, nothing without an end is read,
// and nothing is written.
package files

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"recovery/internal/account"
	"recovery/internal/sources"
)

// KindError says that a pipe, socket, device or folder is where a file belongs. None of them is ever opened.
type KindError struct{ Kind string }

func (KindError) Error() string { return "is not a regular file" }

func regular(info fs.FileInfo) error {
	switch m := info.Mode(); {
	case m.IsRegular():
		return nil
	case m.IsDir():
		return KindError{"a folder"}
	case m&fs.ModeNamedPipe != 0:
		return KindError{"a named pipe"}
	case m&fs.ModeSocket != 0:
		return KindError{"a socket"}
	}
	return KindError{"a device"}
}

// Open opens a regular file for reading: a pipe would block, a device could do anything.
func Open(path string) (*os.File, fs.FileInfo, error) {
	info, err := os.Stat(path)
	if err == nil {
		err = regular(info)
	}
	if err != nil {
		return nil, nil, err
	}
	f, err := account.Door{}.Open(path)
	if err != nil {
		return nil, nil, err
	}
	if info, err = f.Stat(); err != nil {
		_ = f.Close()
	}
	return f, info, err
}

// Read reads a regular file of at most 16 MiB whole.
func Read(path string) ([]byte, fs.FileInfo, error) {
	info, err := os.Stat(path)
	if err == nil {
		err = regular(info)
	}
	if err != nil {
		return nil, nil, err
	}
	data, err := account.Door{}.ReadFile(path)
	return data, info, err
}

// ErrTooBig is what ReadSmall says of a file over the limit.
var ErrTooBig = errors.New("it is too big")

// ReadSmall reads a regular file of at most limit bytes whole.
func ReadSmall(path string, limit int64) ([]byte, error) {
	f, _, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(data)) > limit {
		err = ErrTooBig
	}
	return data, err
}

// List returns up to limit entries of a folder in the order of the disk; more says that there are others. Opening a
// pipe as a folder would wait for its writer, so it is looked at first.
func List(path string, limit int) (entries []fs.DirEntry, more bool, err error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, false, err
	}
	if !info.IsDir() {
		return nil, false, errors.New("is not a folder")
	}
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, false, err
	}
	defer func() { _ = f.Close() }()
	entries, err = f.ReadDir(limit + 1)
	if len(entries) > limit {
		return entries[:limit], true, nil
	}
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return entries, false, err
}

// ListStore lists a store's folder. What is not there, cannot be listed or has more than limit entries is noted.
func ListStore(f *sources.Found, source, dir, called string, limit int, entries, next string) []fs.DirEntry {
	list, more, err := List(dir, limit)
	switch {
	case Nothing(dir, err):
		f.NotThere(dir)
		return nil
	case err != nil:
		f.Fail(source, dir, called+" "+Cause(err), sources.LookAtFolder)
	case more:
		TooMany(f, source, dir, limit, entries, next)
	}
	f.Looked = append(f.Looked, dir)
	return list
}

// TooMany notes that not every entry of a store was looked at.
func TooMany(f *sources.Found, source, store string, limit int, entries, next string) {
	f.Fail(source, store, fmt.Sprintf("more than %d %s: the rest was not looked at", limit, entries), next)
}

// Reason is an error without the path and the call in front of it.
func Reason(err error) string {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		err = p.Err
	}
	return err.Error()
}

// Cause is an error as words that go behind the name of the file or folder: "is not a regular file", "cannot be read:
// permission denied".
func Cause(err error) string {
	words := Reason(err)
	if strings.HasPrefix(words, "is ") {
		return words
	}
	return "cannot be read: " + words
}

// Absent says that nothing is there, as against something that cannot be read.
func Absent(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}

// Nothing says of the error for a path that no entry of that name exists; a link that leads nowhere is something.
func Nothing(path string, err error) bool { return Absent(err) && !Exists(path) }

// Exists says that there is an entry of that name, be it a link that leads nowhere.
func Exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// IsDir says that a folder is there, or a link to one.
func IsDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// Modified is when a file or folder changed last; zero when that cannot be told.
func Modified(path string) time.Time {
	info, err := os.Stat(path)
	if err != nil {
		return time.Time{}
	}
	return info.ModTime().UTC()
}

// Real resolves links; a path that cannot be resolved stands for itself.
func Real(path string) string {
	if r, err := filepath.EvalSymlinks(path); err == nil {
		return r
	}
	return filepath.Clean(path)
}

// Search goes through a folder and those below it, the nearest first, to a depth and at most limit of them: without
// dot folders, node_modules and links. What cannot be listed is passed over.
func Search(dir string, depth, limit int, visit func(dir string)) {
	type step struct {
		dir   string
		depth int
	}
	queue := []step{{dir, depth}}
	for n := 0; len(queue) > 0 && n < limit; n++ {
		at := queue[0]
		queue = queue[1:]
		visit(at.dir)
		if at.depth == 0 {
			continue
		}
		entries, _, err := List(at.dir, limit)
		if err != nil {
			continue
		}
		for _, e := range entries {
			if e.IsDir() && !strings.HasPrefix(e.Name(), ".") && e.Name() != "node_modules" {
				queue = append(queue, step{filepath.Join(at.dir, e.Name()), at.depth - 1})
			}
		}
	}
}
