package transcript

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"recovery/internal/account"
)

// bigTranscript writes a conversation of about n MiB: short turns with tool results of 20 KiB, as long sessions have
// them.
func bigTranscript(b *testing.B, n int) string {
	b.Helper()
	var buf bytes.Buffer
	output := strings.Repeat("some output of a tool, line after line\\n", 500)
	for i := 0; buf.Len() < n<<20; i++ {
		fmt.Fprintf(&buf, `{"type":"user","isSidechain":false,"message":{"role":"user","content":"step %d"},"uuid":"u%d",`+
			`"timestamp":"2026-11-29T10:00:00.000Z","origin":{"kind":"human"}}`+"\n", i, i)
		fmt.Fprintf(&buf, `{"type":"assistant","isSidechain":false,"message":{"id":"m%da","model":"x",`+
			`"content":[{"type":"tool_use","id":"t%d","name":"Bash","input":{"command":"ls"}}],"stop_reason":"tool_use"},`+
			`"uuid":"a%d","timestamp":"2026-11-29T10:00:01.000Z"}`+"\n", i, i, i)
		fmt.Fprintf(&buf, `{"type":"user","isSidechain":false,"message":{"role":"user","content":[{"type":"tool_result",`+
			`"tool_use_id":"t%d","content":"%s"}]},"uuid":"r%d","timestamp":"2026-11-29T10:00:02.000Z"}`+"\n", i, output, i)
		fmt.Fprintf(&buf, `{"type":"assistant","isSidechain":false,"message":{"id":"m%db","model":"x",`+
			`"content":[{"type":"text","text":"done %d"}],"stop_reason":"end_turn"},"uuid":"b%d",`+
			`"timestamp":"2026-11-29T10:00:03.000Z"}`+"\n", i, i, i)
	}
	path := filepath.Join(b.TempDir(), "t.jsonl")
	if err := os.WriteFile(path, buf.Bytes(), 0o600); err != nil {
		b.Fatal(err)
	}
	return path
}

func open(b *testing.B, path string) *File {
	b.Helper()
	f, err := Open(account.Door{}, path)
	if err != nil {
		b.Fatal(err)
	}
	return f
}

// BenchmarkLines reads the lines of a file and nothing more: what the others are measured against.
func BenchmarkLines(b *testing.B) {
	path := bigTranscript(b, 64)
	b.SetBytes(64 << 20)
	for b.Loop() {
		f := open(b, path)
		in := bufio.NewReaderSize(sectionOf(f), 256<<10)
		for {
			if _, err := in.ReadSlice('\n'); err == io.EOF {
				break
			}
		}
		_ = f.Close()
	}
}

// BenchmarkLedger folds the whole file: the queue check's pass.
func BenchmarkLedger(b *testing.B) {
	path := bigTranscript(b, 64)
	b.SetBytes(64 << 20)
	for b.Loop() {
		f := open(b, path)
		if _, err := f.Ledger(nil); err != nil {
			b.Fatal(err)
		}
		_ = f.Close()
	}
}

// BenchmarkTail reads from the end: its time does not depend on the file's size.
func BenchmarkTail(b *testing.B) {
	for _, n := range []int{1, 64} {
		b.Run(fmt.Sprintf("%dMiB", n), func(b *testing.B) {
			path := bigTranscript(b, n)
			for b.Loop() {
				f := open(b, path)
				if _, err := f.Tail(); err != nil {
					b.Fatal(err)
				}
				_ = f.Close()
			}
		})
	}
}
