package ouroboros

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"syscall"
)

// kindError says that a path is something else than a regular file.
type kindError struct{ kind string }

func (e kindError) Error() string { return "it is " + e.kind }

// openRegular opens a file for reading, and nothing but a regular file: a pipe would block, a device could do anything.
func openRegular(path string) (*os.File, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if err := regular(info); err != nil {
		return nil, err
	}
	// It may have become a pipe since: O_NONBLOCK keeps even that from blocking.
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	if info, err = f.Stat(); err == nil {
		err = regular(info)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

func regular(info os.FileInfo) error {
	switch m := info.Mode(); {
	case m.IsRegular():
		return nil
	case m.IsDir():
		return kindError{"a folder"}
	case m&fs.ModeNamedPipe != 0:
		return kindError{"a named pipe"}
	case m&fs.ModeSocket != 0:
		return kindError{"a socket"}
	}
	return kindError{"a device"}
}

var errTooBig = errors.New("it is too big")

// readSmall reads a whole regular file of at most limit bytes; a bigger one is errTooBig.
func readSmall(path string, limit int64) ([]byte, error) {
	f, err := openRegular(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(data)) > limit {
		err = errTooBig
	}
	return data, err
}

// reason is an error without the path and the call in front of it.
func reason(err error) string {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err.Error()
	}
	return err.Error()
}

// cause names why a file cannot be opened.
func cause(err error, path string) causeError {
	var kind kindError
	switch {
	case errors.As(err, &kind):
		return causeError{"it is " + kind.kind + ", not a database file", "move it away, or name the store with its path"}
	case errors.Is(err, fs.ErrPermission):
		return causeError{"there is no permission to read it", "look at its owner with " + command("ls", "-l", path)}
	case errors.Is(err, syscall.ELOOP):
		return causeError{"its path is a loop of symbolic links", "look at the links with " + command("ls", "-l", path)}
	case errors.Is(err, fs.ErrNotExist):
		return causeError{"it went away while it was looked at", "try again"}
	}
	return causeError{"it cannot be read: " + reason(err), "look at the disk and at the path"}
}
