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

// errDangling is what is said of a link that leads to nothing: something was meant to be there, so it is not "no such
// file".
var errDangling = errors.New("is a link to a file that is not there")

// Open opens a regular file for reading. Key files, pipes, sockets and devices are refused: a key is nobody's business
// and a pipe would block the run.
func (Door) Open(path string) (*os.File, error) {
	if isSecret(path) {
		return nil, &fs.PathError{Op: "open", Path: path, Err: errSecret}
	}
	// A key under another name is still a key.
	if info, err := os.Lstat(path); err == nil && info.Mode()&fs.ModeSymlink != 0 {
		if real, err := filepath.EvalSymlinks(path); err == nil && isSecret(real) {
			return nil, &fs.PathError{Op: "open", Path: path, Err: errSecret}
		}
	}
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, dangling("open", path, err)
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

// isSecret says whether a file is of the kind that is never opened: socket and control keys, and the sign-in.
func isSecret(path string) bool {
	name := strings.ToLower(filepath.Base(path))
	return strings.HasSuffix(name, ".key") || strings.Contains(name, ".key.tmp.") || name == ".credentials.json"
}

// dangling tells a link to nothing from a file that does not exist.
func dangling(op, path string, err error) error {
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if info, lerr := os.Lstat(path); lerr == nil && info.Mode()&fs.ModeSymlink != 0 {
		return &fs.PathError{Op: op, Path: path, Err: errDangling}
	}
	return err
}

// ReadDir lists a folder, sorted by name.
func (Door) ReadDir(path string) ([]fs.DirEntry, error) {
	entries, err := os.ReadDir(path)
	if err != nil {
		err = dangling("read", path, err)
	}
	return entries, err
}

// Stat follows links.
func (Door) Stat(path string) (fs.FileInfo, error) { return os.Stat(path) }

// Lstat looks at a name itself: a link that leads to nothing is there.
func (Door) Lstat(path string) (fs.FileInfo, error) { return os.Lstat(path) }
