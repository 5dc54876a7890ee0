// Package files is how the sources look at files and folders: nothing is waited for, nothing without an end is read,
// and nothing is written.
package files

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"recovery/internal/account"
)

// ErrNotRegular is what is said of a pipe, socket, device or folder where a file belongs. None of them is ever opened.
var ErrNotRegular = errors.New("is not a regular file")

// Read reads a regular file of at most 16 MiB whole.
func Read(path string) ([]byte, fs.FileInfo, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, nil, ErrNotRegular
	}
	data, err := account.Door{}.ReadFile(path)
	return data, info, err
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

// Cause is an error without the path, as words that go behind the name of the file or folder: "is not a regular
// file", "cannot be read: permission denied".
func Cause(err error) string {
	var p *fs.PathError
	if errors.As(err, &p) {
		err = p.Err
	}
	if words := err.Error(); strings.HasPrefix(words, "is ") {
		return words
	}
	return "cannot be read: " + err.Error()
}

// Absent says that nothing is there, as against something that cannot be read.
func Absent(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}

// Nothing says of the error for a path that no entry of that name exists; a link that leads nowhere is something.
func Nothing(path string, err error) bool {
	if !Absent(err) {
		return false
	}
	_, lerr := os.Lstat(path)
	return lerr != nil
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
