package transcript

import (
	"bytes"
	"crypto/sha256"
	"io"
	"strings"
)

// seen tells lines of the conversation that were met before. The client and those who copy transcripts write one line
// several times; a line with a known uuid that says the same again counts once. One that says something else under
// that uuid is damage, or hides something, and is read as a line of its own.
type seen map[[16]byte]bool

// again says whether the entry was met before, and remembers it.
func (s seen) again(e *Entry) bool {
	if e.UUID == "" || !e.InConversation() {
		return false
	}
	h := sha256.New()
	for _, part := range []string{e.UUID, e.Type, e.root.Get("message.content").Raw, e.root.Get("message.stop_reason").Raw,
		e.root.Get("attachment").Raw} {
		_, _ = io.WriteString(h, part)
		_, _ = h.Write([]byte{0})
	}
	var key [16]byte
	copy(key[:], h.Sum(nil))
	if s[key] {
		return true
	}
	s[key] = true
	return false
}

// InConversation says whether the line is one of a conversation, a subagent's included.
func (e *Entry) InConversation() bool {
	switch e.Type {
	case "user", "assistant", "attachment", "system":
		return true
	}
	return false
}

// HadBefore says whether a line with this uuid stands before a byte offset: what is behind it then is a line written
// again, and nobody's new message. An empty uuid never does.
func (t *File) HadBefore(uuid string, offset int64) (bool, error) {
	if uuid == "" || offset <= 0 {
		return false, nil
	}
	found := false
	err := walked(t.Path, forward(io.NewSectionReader(t.f, 0, offset), 0, offset, func(l Line) error {
		if !bytes.Contains(l.Data, []byte(uuid)) {
			return nil
		}
		if e := parse(l); strings.EqualFold(e.UUID, uuid) {
			found = true
			return errStop
		}
		return nil
	}))
	return found, err
}
