package babysitter

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/tidwall/gjson"

	"recovery/internal/account"
)

// errNotRegular is what is said of a pipe, socket, device or folder where a file belongs. None of them is ever opened.
var errNotRegular = errors.New("is not a regular file")

var errNotJSON = errors.New("is not JSON (or is nested too deep)")

// readFile reads a regular file of at most 16 MiB whole.
func readFile(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errNotRegular
	}
	return account.Door{}.ReadFile(path)
}

// readObject reads a file that holds one JSON object.
func readObject(path string) (gjson.Result, error) {
	data, err := readFile(path)
	if err != nil {
		return gjson.Result{}, err
	}
	if !account.ValidJSON(data) {
		return gjson.Result{}, errNotJSON
	}
	v := gjson.ParseBytes(data)
	if !v.IsObject() {
		return gjson.Result{}, errors.New("is JSON, and no object")
	}
	return v, nil
}

// listDir returns up to limit entries of a folder in the order of the disk; more says that there are others. Opening a pipe
// as a folder would wait for its writer, so it is looked at first.
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
	if len(entries) > limit {
		return entries[:limit], true, nil
	}
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return entries, false, err
}

// cause is an error without the path, which is named elsewhere.
func cause(err error) string {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err.Error()
	}
	return err.Error()
}

// absent says that nothing is there, as against something that cannot be read.
func absent(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// real resolves links; a path that cannot be resolved stands for itself.
func real(path string) string {
	if r, err := filepath.EvalSymlinks(path); err == nil {
		return r
	}
	return filepath.Clean(path)
}

// pick returns the members of an object by name. Of a name that is there twice the last one counts, as it does for JSON.parse.
func pick(v gjson.Result, names ...string) []gjson.Result {
	out := make([]gjson.Result, len(names))
	if !v.IsObject() {
		return out
	}
	v.ForEach(func(k, member gjson.Result) bool {
		for i, name := range names {
			if k.Str == name {
				out[i] = member
			}
		}
		return true
	})
	return out
}

func member(v gjson.Result, name string) gjson.Result { return pick(v, name)[0] }

// str is a member that is a text, without blanks around it; anything else counts as absent.
func str(v gjson.Result) string {
	if v.Type != gjson.String {
		return ""
	}
	return strings.TrimSpace(v.Str)
}

// given says that a value is neither missing nor null.
func given(v gjson.Result) bool { return v.Exists() && v.Type != gjson.Null }

// readTime reads the ISO times that JavaScript writes; the zero time for anything else.
func readTime(s string) time.Time {
	at, err := time.Parse(time.RFC3339Nano, strings.ToUpper(strings.TrimSpace(s)))
	if err != nil || at.Unix() <= 0 {
		return time.Time{}
	}
	return at.UTC()
}
