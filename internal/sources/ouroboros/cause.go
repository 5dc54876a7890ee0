package ouroboros

import (
	"errors"
	"io/fs"
	"syscall"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"recovery/internal/sources"
	"recovery/internal/sources/files"
)

// causeError is a reason why a store cannot be read, with what to do about it.
type causeError struct{ cause, next string }

func (e causeError) Error() string { return e.cause }

var notADatabase = causeError{"it is not a database", "look for the store that Ouroboros uses, or for a copy of " +
	"this one"}

// reason is an error without the path and the call in front of it.
func reason(err error) string {
	if kind, ok := errors.AsType[files.KindError](err); ok {
		return "it is " + kind.Kind
	}
	return files.Reason(err)
}

// cause names why a file cannot be opened.
func cause(err error, path string) causeError {
	kind, odd := errors.AsType[files.KindError](err)
	switch {
	case odd:
		return causeError{"it is " + kind.Kind + ", not a database file", "move it away, or name the store with its path"}
	case errors.Is(err, fs.ErrPermission):
		return causeError{"there is no permission to read it", "look at its owner with " + command("ls", "-l", path)}
	case errors.Is(err, syscall.ELOOP):
		return causeError{"its path is a loop of symbolic links", "look at the links with " + command("ls", "-l", path)}
	case errors.Is(err, fs.ErrNotExist):
		return causeError{"it went away while it was looked at", "try again"}
	}
	return causeError{"it cannot be read: " + reason(err), "look at the disk and at the path"}
}

// sqlCause names the causes that SQLite tells apart.
func sqlCause(err error) error {
	s, ok := errors.AsType[*sqlite.Error](err)
	if !ok {
		return err
	}
	damaged := "keep a copy of it, and try `.recover` of sqlite3 on the copy"
	switch s.Code() & 0xff {
	case sqlite3.SQLITE_NOTADB:
		return notADatabase
	case sqlite3.SQLITE_CORRUPT:
		return causeError{"it is damaged: " + s.Error(), damaged}
	case sqlite3.SQLITE_IOERR, sqlite3.SQLITE_FULL:
		return causeError{"it cannot be read to its end: " + s.Error(), damaged}
	}
	return causeError{"it cannot be read: " + s.Error(), "look at it with `sqlite3 -readonly`"}
}

// fail notes a store that cannot be read.
func fail(f *sources.Found, store string, err error) {
	c, ok := errors.AsType[causeError](err)
	if !ok {
		c = causeError{"it cannot be read: " + err.Error(), "try again, and look at it with `sqlite3 -readonly`"}
	}
	f.Fail(Name, store, c.cause, c.next)
}
