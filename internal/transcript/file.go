package transcript

import (
	"errors"
	"fmt"
	"io"
	"os"

	"recovery/internal/account"
)

// File is one transcript, as long as it was when it was opened: what is appended later is not seen.
type File struct {
	Path string
	Size int64
	f    *os.File
}

// Open opens a transcript. Close it after use.
func Open(door account.Door, path string) (*File, error) {
	f, err := door.Open(path)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	return &File{Path: path, Size: info.Size(), f: f}, nil
}

// Close closes the file.
func (t *File) Close() error { return t.f.Close() }

// errStop ends a walk early.
var errStop = errors.New("stop")

// Walk calls fn for every entry from a byte offset on, oldest first; fn returns false to end. A blank line is no
// entry, and a line that was met before in this walk is none either.
func (t *File) Walk(from int64, fn func(*Entry) bool) error {
	if from < 0 || from > t.Size {
		return fmt.Errorf("reading %s from byte %d: it has %d bytes and was longer before", t.Path, from, t.Size)
	}
	known := seen{}
	err := forward(io.NewSectionReader(t.f, from, t.Size-from), from, t.Size,
		func(l Line) error { return each(l, known, fn) })
	return walked(t.Path, err)
}

// WalkBack calls fn for every entry, newest first; fn returns false to end. Of a line that is written several times
// the last one counts.
func (t *File) WalkBack(fn func(*Entry) bool) error {
	known := seen{}
	return walked(t.Path, backward(t.f, t.Size, func(l Line) error { return each(l, known, fn) }))
}

func each(l Line, known seen, fn func(*Entry) bool) error {
	e := parse(l)
	if e.Type == "" && e.Bad == "" || known.again(e) {
		return nil
	}
	if !fn(e) {
		return errStop
	}
	return nil
}

func walked(path string, err error) error {
	if err == nil || errors.Is(err, errStop) {
		return nil
	}
	return fmt.Errorf("reading %s: %w", path, err)
}

func sectionOf(t *File) io.Reader { return io.NewSectionReader(t.f, 0, t.Size) }
