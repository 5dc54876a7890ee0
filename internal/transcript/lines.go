package transcript

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
)

// Line is one line of a file without its newline.
type Line struct {
	Offset int64
	// Size is the length on disk, the newline included.
	Size int64
	Data []byte
	// Shortened says that long texts inside were cut to keep memory bounded.
	Shortened bool
	// Torn says that the file ended before a newline did.
	Torn bool
}

// Bounds of one line, in bytes: up to maxWhole it is held as it is; above, every text in it is cut to maxText; one that
// is still longer than maxWhole then is given up.
const (
	maxWhole = 16 << 20
	maxText  = 64 << 10
)

// forward calls fn for every line of r, which holds the bytes from base to end of its file. A line given up has nil
// Data.
func forward(r io.Reader, base, end int64, fn func(Line) error) error {
	in := bufio.NewReaderSize(r, windowSize)
	for offset := base; ; {
		line, err := readLine(in, offset)
		if line.Size > 0 {
			offset += line.Size
			if cbErr := fn(line); cbErr != nil {
				return cbErr
			}
		}
		if errors.Is(err, io.EOF) {
			if offset < end {
				return fmt.Errorf("it ends at byte %d and had %d bytes when it was opened", offset, end)
			}
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func readLine(in *bufio.Reader, offset int64) (Line, error) {
	line := Line{Offset: offset}
	buf := []byte{} // only a line that was given up has nil
	var short *shortener
	for {
		part, err := in.ReadSlice('\n')
		line.Size += int64(len(part))
		ended := err == nil
		if ended {
			part = part[:len(part)-1]
		}
		switch {
		case short != nil:
			short.write(part)
		case len(buf)+len(part) > maxWhole:
			short = &shortener{}
			short.write(buf)
			short.write(part)
			buf = nil
		default:
			buf = append(buf, part...)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		line.Torn = !ended
		line.Data = bytes.TrimSuffix(buf, []byte("\r"))
		if short != nil {
			line.Shortened, line.Data = true, short.bytes()
		}
		return line, err
	}
}

// shortener copies JSON and cuts the inside of each text after maxText bytes, never inside an escape.
type shortener struct {
	out      []byte
	inText   bool
	escape   int // bytes of an escape still to come
	afterBS  bool
	length   int
	overflow bool
}

func (s *shortener) write(part []byte) {
	for _, c := range part {
		if s.overflow {
			return
		}
		s.put(c)
		if len(s.out) > maxWhole {
			s.overflow, s.out = true, nil
		}
	}
}

func (s *shortener) put(c byte) {
	if !s.inText {
		s.out = append(s.out, c)
		if c == '"' {
			s.inText, s.length = true, 0
		}
		return
	}
	boundary := !s.afterBS && s.escape == 0
	switch {
	case boundary && c == '"':
		s.inText = false
		s.out = append(s.out, c)
		return
	case boundary && c == '\\':
		if s.length >= maxText {
			s.length = maxText + 1 // everything behind is dropped
		}
		s.afterBS = true
	case s.afterBS:
		s.afterBS = false
		if c == 'u' {
			s.escape = 4
		}
	case s.escape > 0:
		s.escape--
	default:
		// Only a first byte of a character may be the first one dropped.
		if s.length >= maxText && c&0xC0 != 0x80 {
			s.length = maxText + 1
		}
	}
	if s.length <= maxText {
		s.out = append(s.out, c)
		if s.length < maxText {
			s.length++
		}
	}
}

func (s *shortener) bytes() []byte {
	if s.overflow {
		return nil
	}
	return s.out
}

// backward calls fn for every line of r's first size bytes, from the last to the first.
func backward(r io.ReaderAt, size int64, fn func(Line) error) error {
	w := window{r: r}
	for end := size; end > 0; {
		start, err := w.lineStart(end)
		if err != nil {
			return err
		}
		line, err := w.line(start, end)
		if err != nil {
			return err
		}
		if err := fn(line); err != nil {
			return err
		}
		end = start
	}
	return nil
}

// window is the part of a file that was read last: going backwards, the next line is mostly in it.
type window struct {
	r    io.ReaderAt
	data []byte
	from int64
}

const windowSize = 256 << 10

// lineStart finds where the line begins that ends before end.
func (w *window) lineStart(end int64) (int64, error) {
	// The last byte is the line's own newline, or no newline at all: the one before is looked for.
	for limit := end - 1; limit > 0; {
		if limit <= w.from || limit > w.from+int64(len(w.data)) {
			if err := w.load(limit); err != nil {
				return 0, err
			}
		}
		if i := bytes.LastIndexByte(w.data[:limit-w.from], '\n'); i >= 0 {
			return w.from + int64(i) + 1, nil
		}
		limit = w.from
	}
	return 0, nil
}

// load reads the bytes before limit, and the one behind, which is the newline of the line that is looked for.
func (w *window) load(limit int64) error {
	from := max(limit-windowSize, 0)
	if size := limit + 1 - from; int64(cap(w.data)) < size {
		w.data = make([]byte, size)
	} else {
		w.data = w.data[:size]
	}
	w.from = from
	if n, err := w.r.ReadAt(w.data, from); n < len(w.data) {
		w.data = w.data[:0]
		return err
	}
	return nil
}

func (w *window) line(start, end int64) (Line, error) {
	if start >= w.from && end <= w.from+int64(len(w.data)) {
		data := bytes.Clone(w.data[start-w.from : end-w.from])
		line := Line{Offset: start, Size: end - start, Torn: true}
		if data[len(data)-1] == '\n' {
			line.Torn, data = false, data[:len(data)-1]
		}
		line.Data = bytes.TrimSuffix(data, []byte("\r"))
		return line, nil
	}
	section := io.NewSectionReader(w.r, start, end-start)
	line, err := readLine(bufio.NewReaderSize(section, int(min(end-start+16, windowSize))), start)
	if err != nil && !errors.Is(err, io.EOF) {
		return line, err
	}
	if line.Size != end-start {
		return line, io.ErrUnexpectedEOF
	}
	return line, nil
}
