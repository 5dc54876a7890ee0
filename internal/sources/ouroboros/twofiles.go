package ouroboros

import (
	"bytes"
	"io"
	"io/fs"
	"os"
	"path"
	"time"
)

// storeName is what SQLite is told that the database is called.
const storeName = "store"

// twoFiles is the file system that SQLite sees: a database and its write-ahead log.
type twoFiles struct {
	db, wal *os.File
	// walSize cuts the log off where it ended when it was opened: what comes later belongs to a later state.
	walSize int64
	// needsLog says that the database wants a log, be it an empty one, since SQLite would create it.
	needsLog bool
}

// Open implements fs.FS. SQLite may put a folder in front of the name.
func (t *twoFiles) Open(name string) (fs.File, error) {
	switch path.Base(name) {
	case storeName:
		info, err := t.db.Stat()
		if err != nil {
			return nil, err
		}
		return section{io.NewSectionReader(t.db, 0, info.Size())}, nil
	case storeName + "-wal":
		if t.wal == nil && t.needsLog {
			return section{io.NewSectionReader(bytes.NewReader(nil), 0, 0)}, nil
		}
		if t.wal != nil {
			return section{io.NewSectionReader(t.wal, 0, t.walSize)}, nil
		}
	}
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
}

// section is one of the files, at the length that it had.
type section struct{ *io.SectionReader }

func (s section) Close() error               { return nil }
func (s section) Stat() (fs.FileInfo, error) { return s, nil }
func (s section) Name() string               { return storeName }
func (s section) Mode() fs.FileMode          { return 0o400 }
func (s section) ModTime() time.Time         { return time.Time{} }
func (s section) IsDir() bool                { return false }
func (s section) Sys() any                   { return nil }
