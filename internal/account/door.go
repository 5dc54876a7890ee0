package account

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// maxSmallFile bounds what is read whole, in bytes. The client's own state files are a few kilobytes.
const maxSmallFile = 16 << 20

// Door is the one way to files of the account. It has no method that writes, and it does not open key files.
type Door struct{}

// errSecret is what Open answers for a file that holds nothing but a secret.
var errSecret = errors.New("holds a secret and is never opened")

// Open opens a regular file for reading. Key files, pipes, sockets and devices are refused: a key is nobody's business
// and a pipe would block the run.
func (Door) Open(path string) (*os.File, error) {
	if strings.HasSuffix(path, ".key") {
		return nil, &fs.PathError{Op: "open", Path: path, Err: errSecret}
	}
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = &fs.PathError{Op: "open", Path: path, Err: errors.New("is not a regular file")}
	}
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	return f, nil
}

// ReadFile reads a small file whole.
func (d Door) ReadFile(path string) ([]byte, error) {
	f, err := d.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	data, err := io.ReadAll(io.LimitReader(f, maxSmallFile+1))
	if err != nil {
		return nil, err
	}
	if len(data) > maxSmallFile {
		return nil, &fs.PathError{Op: "read", Path: path, Err: fmt.Errorf("is larger than %d MiB", maxSmallFile>>20)}
	}
	return data, nil
}

// ReadDir lists a folder, sorted by name.
func (Door) ReadDir(path string) ([]fs.DirEntry, error) { return os.ReadDir(path) }

// Stat follows links.
func (Door) Stat(path string) (fs.FileInfo, error) { return os.Stat(path) }

// Glob is filepath.Glob with the special characters of base taken literally.
func (Door) Glob(base, pattern string) []string {
	found, _ := fs.Glob(os.DirFS(base), pattern)
	for i := range found {
		found[i] = filepath.Join(base, found[i])
	}
	return found
}
