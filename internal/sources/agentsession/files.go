package agentsession

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"recovery/internal/account"
)

// readFile reads a regular file of at most 16 MiB whole. Pipes, sockets and devices are not opened.
func readFile(path string) ([]byte, fs.FileInfo, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, nil, errors.New("is not a regular file")
	}
	data, err := account.Door{}.ReadFile(path)
	return data, info, err
}

// listDir returns up to limit entries of a folder; more says that there are others. A pipe opened as a folder would wait for
// its writer, so it is looked at first.
func listDir(path string, limit int) (entries []fs.DirEntry, more bool, err error) {
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
	if errors.Is(err, io.EOF) {
		err = nil
	}
	if len(entries) > limit {
		return entries[:limit], true, nil
	}
	return entries, false, err
}

// nothing says that no entry of that name exists; a link that leads nowhere is something.
func nothing(path string, err error) bool {
	if !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR) {
		return false
	}
	_, lerr := os.Lstat(path)
	return lerr != nil
}

// cause is an error without the path, which is named elsewhere.
func cause(err error) string {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err.Error()
	}
	return err.Error()
}

// real resolves links; a path that cannot be resolved stands for itself.
func real(path string) string {
	if r, err := filepath.EvalSymlinks(path); err == nil {
		return r
	}
	return filepath.Clean(path)
}

// clip bounds a foreign text to n characters.
func clip(s string, n int) string {
	count := 0
	for i := range s {
		if count == n {
			return strings.Clone(s[:i]) + "…"
		}
		count++
	}
	return strings.Clone(s)
}

// modified is when a file or folder changed last; zero when that cannot be told.
func modified(path string) time.Time {
	info, err := os.Stat(path)
	if err != nil {
		return time.Time{}
	}
	return info.ModTime().UTC()
}
