package remote

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"time"
	"unicode/utf16"
	"unicode/utf8"

	"recovery/internal/text"
)

// File is one saved file. Evidence is as old as the file it came from, so ModTime is the age of every row in it.
type File struct {
	Name    string
	Data    []byte
	ModTime time.Time
}

// RefusedError says that a file is no page of the wanted kind.
type RefusedError struct {
	File  string
	Want  string // what was being read: "sessions" or "events"
	Looks string // what the file looks like
	Next  string // what to do next
	Saved string // for an overflow notice: the file that holds the whole output, else ""
}

func (e RefusedError) Error() string {
	return fmt.Sprintf("reading %s from %s: this looks like %s; %s", e.Want, text.Line(e.File), e.Looks, e.Next)
}

// errNoFiles is what both readers answer when they are given nothing: an empty list would read as "no sessions".
func errNoFiles(want string) error {
	return fmt.Errorf("reading %s: no file was given; save at least one page and name it", want)
}

// plain returns the file's text without byte order mark. UTF-16 is what a redirect in some shells writes.
func plain(data []byte) (string, *refusal) {
	switch {
	case bytes.HasPrefix(data, []byte{0xef, 0xbb, 0xbf}):
		data = data[3:]
	case bytes.HasPrefix(data, []byte{0xff, 0xfe}):
		data = fromUTF16(data[2:], binary.LittleEndian)
	case bytes.HasPrefix(data, []byte{0xfe, 0xff}):
		data = fromUTF16(data[2:], binary.BigEndian)
	}
	if len(bytes.TrimSpace(data)) == 0 {
		return "", refuse("an empty file", "save the page again")
	}
	if binaryData(data) {
		return "", refuse("a binary file", "give the text that the tool printed")
	}
	return string(data), nil
}

func fromUTF16(data []byte, order binary.ByteOrder) []byte {
	units := make([]uint16, len(data)/2)
	for i := range units {
		units[i] = order.Uint16(data[2*i:])
	}
	return []byte(string(utf16.Decode(units)))
}

// binaryData: no page holds a raw NUL, and a page is UTF-8 but for a few damaged bytes.
func binaryData(data []byte) bool {
	if bytes.IndexByte(data, 0) >= 0 {
		return true
	}
	head := data[:min(len(data), 8192)]
	bad := 0
	for i := 0; i < len(head); {
		r, size := utf8.DecodeRune(head[i:])
		if (r == utf8.RuneError && size == 1) || (r < ' ' && r != '\n' && r != '\r' && r != '\t' && r != '\f' && r != 0x1b) {
			bad++
		}
		i += size
	}
	return bad*10 > len(head)
}

// readPages unwraps every file. All refusals are reported together, so that the operator repairs them in one go.
func readPages(want string, files []File, check func(page) *refusal) ([]page, error) {
	if len(files) == 0 {
		return nil, errNoFiles(want)
	}
	var all []page
	var errs []error
	for _, f := range files {
		pages, r := filePages(f)
		for i := 0; r == nil && i < len(pages); i++ {
			r = check(pages[i])
		}
		if r != nil {
			errs = append(errs, &RefusedError{File: f.Name, Want: want, Looks: r.looks, Next: r.next, Saved: r.saved})
			continue
		}
		for i := range pages {
			pages[i].file, pages[i].saved = f.Name, f.ModTime
			pages[i].number, pages[i].of = i+1, len(pages)
			pages[i].order = len(all) + i
		}
		all = append(all, pages...)
	}
	return all, errors.Join(errs...)
}

func filePages(f File) ([]page, *refusal) {
	s, r := plain(f.Data)
	if r != nil {
		return nil, r
	}
	pages, r := fromText(s, 0)
	if r == nil && len(pages) == 0 {
		r = refuseNoPage()
	}
	return pages, r
}

func oldest(files []File) time.Time {
	var at time.Time
	for i, f := range files {
		if i == 0 || f.ModTime.Before(at) {
			at = f.ModTime
		}
	}
	return at
}
