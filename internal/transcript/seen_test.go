package transcript

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"recovery/internal/account"
)

// TestHadBefore: the client writes lines again, and what stands behind an offset is then nobody's new message. A line
// counts by its own uuid, and only in front of the offset.
func TestHadBefore(t *testing.T) {
	first := userLine("u1", "", "q", "") + replyLine("a1", "u1", "ok")
	again := userLine("u1", "", "q", "")
	later := userLine("u2", "a1", "u9", "") // names a1 as its parent, and u9 in its text
	text := first + again + later + replyLine("a2", "u2", "ok")
	path := filepath.Join(t.TempDir(), idA+".jsonl")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := Open(account.Door{}, path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	at := func(of string) int64 { return int64(strings.LastIndex(text, of)) }
	for name, c := range map[string]struct {
		uuid   string
		offset int64
		want   bool
	}{
		"the second of two lines":         {"u1", int64(len(first)), true},
		"the first of two lines":          {"u1", 0, false},
		"a line that stands there once":   {"u2", at(later), false},
		"one that is only named":          {"u9", int64(len(text)), false},
		"one that is only somebody's own": {"a1", int64(len(userLine("u1", "", "q", ""))), false},
		"the same, behind it":             {"a1", int64(len(text)), true},
		"no uuid":                         {"", int64(len(text)), false},
	} {
		if got, err := f.HadBefore(c.uuid, c.offset); err != nil || got != c.want {
			t.Errorf("%s: %v (%v), want %v", name, got, err, c.want)
		}
	}
}
