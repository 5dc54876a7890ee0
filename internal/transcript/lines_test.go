package transcript

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/tidwall/gjson"
	"pgregory.net/rapid"

	"recovery/internal/account"
)

func forwardLines(data []byte) (out []Line) {
	err := forward(bytes.NewReader(data), 0, int64(len(data)), func(l Line) error {
		out = append(out, l)
		return nil
	})
	if err != nil {
		panic(err)
	}
	return out
}

func backwardLines(data []byte) (out []Line) {
	err := backward(bytes.NewReader(data), int64(len(data)), func(l Line) error {
		out = append(out, l)
		return nil
	})
	if err != nil {
		panic(err)
	}
	return out
}

func TestLines(t *testing.T) {
	long := strings.Repeat("x", windowSize)
	for _, c := range []struct {
		text string
		want []string
		torn bool
	}{
		{"", nil, false},
		{"\n", []string{""}, false},
		{"\n\n", []string{"", ""}, false},
		{"\r\n", []string{""}, false},
		{"a", []string{"a"}, true},
		{"a\n", []string{"a"}, false},
		{"a\r\nb\r\n", []string{"a", "b"}, false},
		{"a\rb\n", []string{"a\rb"}, false},
		{"a\n\nb", []string{"a", "", "b"}, true},
		{"\x00\x00\na\n", []string{"\x00\x00", "a"}, false},
		{long + "\n" + long + "y\n" + long[1:] + "\nz", []string{long, long + "y", long[1:], "z"}, true},
		{"\n" + long + long + long, []string{"", long + long + long}, true},
	} {
		var got []string
		at := int64(0)
		for i, l := range forwardLines([]byte(c.text)) {
			got = append(got, string(l.Data))
			if l.Offset != at || l.Shortened || l.Torn != (c.torn && i == len(c.want)-1) {
				t.Errorf("%.20q: line %d %+v", c.text, i, l)
			}
			at += l.Size
		}
		if !slices.Equal(got, c.want) || at != int64(len(c.text)) {
			t.Errorf("%.20q: %.40q", c.text, got)
		}
	}
}

// TestBackwardIsForwardReversed holds for every file.
func TestBackwardIsForwardReversed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var b bytes.Buffer
		for range rapid.IntRange(0, 12).Draw(t, "lines") {
			n := rapid.SampledFrom([]int{0, 1, 2, 100, windowSize - 2, windowSize - 1, windowSize, windowSize + 1,
				3 * windowSize}).Draw(t, "length")
			b.Write(bytes.Repeat([]byte{rapid.SampledFrom([]byte("a\x00{\"\r")).Draw(t, "letter")}, n))
			b.WriteString(rapid.SampledFrom([]string{"\n", "\r\n", "\n\n"}).Draw(t, "end"))
		}
		if rapid.Bool().Draw(t, "torn") {
			b.WriteString("torn")
		}
		there, back := forwardLines(b.Bytes()), backwardLines(b.Bytes())
		slices.Reverse(back)
		same := func(a, b Line) bool {
			return a.Offset == b.Offset && a.Size == b.Size && a.Torn == b.Torn && !a.Shortened && !b.Shortened &&
				bytes.Equal(a.Data, b.Data)
		}
		if !slices.EqualFunc(there, back, same) {
			t.Fatalf("%d lines there, %d back", len(there), len(back))
		}
	})
}

// shrinking is a file that became shorter behind its reader.
type shrinking struct{ data []byte }

func (s shrinking) ReadAt(p []byte, off int64) (int, error) {
	return bytes.NewReader(s.data).ReadAt(p, off)
}

func TestShrunk(t *testing.T) {
	nothing := func(Line) error { return nil }
	if err := backward(shrinking{[]byte("a\nb\n")}, 1000, nothing); err == nil {
		t.Error("backward: no error")
	}
	if err := backward(shrinking{[]byte("a\nb\n")}, windowSize*3, nothing); err == nil {
		t.Error("backward, long: no error")
	}
	if err := forward(bytes.NewReader([]byte("a\nb\n")), 0, 1000, nothing); err == nil || !strings.Contains(err.Error(),
		"it ends at byte 4") {
		t.Error("forward:", err)
	}
	f := file(t, done)
	if err := f.Walk(f.Size+1, func(*Entry) bool { return true }); err == nil {
		t.Error("from behind its end: no error")
	}
	if err := f.Walk(f.Size, func(*Entry) bool { t.Error("an entry"); return true }); err != nil {
		t.Error(err)
	}
	path := filepath.Join(t.TempDir(), "cut.jsonl")
	if err := os.WriteFile(path, []byte(strings.Repeat(done, 50)), 0o600); err != nil {
		t.Fatal(err)
	}
	cut := openFile(t, path)
	if err := os.Truncate(path, 100); err != nil {
		t.Fatal(err)
	}
	if _, err := cut.Tail(); err == nil {
		t.Error("a tail of a file that was cut")
	}
	if _, err := cut.Ledger(nil); err == nil {
		t.Error("a ledger of a file that was cut")
	}
}

func TestWalkStops(t *testing.T) {
	f := file(t, done+done)
	for name, walk := range map[string]func(func(*Entry) bool) error{"forward": func(fn func(*Entry) bool) error {
		return f.Walk(0, fn)
	}, "back": f.WalkBack} {
		n := 0
		if err := walk(func(*Entry) bool { n++; return n < 3 }); err != nil || n != 3 {
			t.Error(name, n, err)
		}
	}
	if _, err := Open(account.Door{}, filepath.Join(t.TempDir(), "none")); err == nil {
		t.Error("no error")
	}
}

// pieces reads a line of any length without holding it.
type pieces struct {
	head, fill, tail string
	length           int64 // of the fill
}

func (p pieces) size() int64 { return int64(len(p.head)) + p.length + int64(len(p.tail)) }

func (p pieces) ReadAt(b []byte, off int64) (int, error) {
	if off >= p.size() {
		return 0, io.EOF
	}
	n := 0
	for n < len(b) && off < p.size() {
		var k int
		switch at := off - int64(len(p.head)); {
		case off < int64(len(p.head)):
			k = copy(b[n:], p.head[off:])
		case at < p.length:
			from := at % int64(len(p.fill))
			k = copy(b[n:], p.fill[from:min(int64(len(p.fill)), from+p.length-at)])
		default:
			k = copy(b[n:], p.tail[at-p.length:])
		}
		n, off = n+k, off+int64(k)
	}
	if n < len(b) {
		return n, io.EOF
	}
	return n, nil
}

// TestLongLine: a line of 40 MB is read in bounded memory, in both directions, and what is short in it stays.
func TestLongLine(t *testing.T) {
	if testing.Short() {
		t.Skip("long, and nothing in it for the race detector")
	}
	const size = 18 << 20
	fill := strings.Repeat("0123456789abcdef", 4096)
	for name, p := range map[string]pieces{
		"one long text": {`{"type":"user","message":{"role":"user","content":[{"type":"tool_result",` +
			`"tool_use_id":"t1","content":"`, fill, `"}]},"uuid":"u1","toolUseResult":1}` + "\n", 40 << 20},
		"many short texts": {`{"type":"user","message":{"role":"user","content":"x"},"uuid":"u1","list":["`, `abc","`,
			`"]}` + "\n", size},
		"many numbers": {`{"type":"user","message":{"role":"user","content":"x"},"uuid":"u1","list":[`, `123456,`,
			`1]}` + "\n", size},
		"escapes": {`{"type":"user","message":{"role":"user","content":"`, `\u00e9`, `"},"uuid":"u1"}` + "\n",
			size / 6 * 6},
		"broken characters": {`{"type":"user","message":{"role":"user","content":"`, "\x80\x80", `"},"uuid":"u1"}` + "\n",
			size},
		"no end": {`{"type":"user","message":{"role":"user","content":"`, fill, ``, size},
	} {
		t.Run(name, func(t *testing.T) {
			before := memory()
			var high uint64
			check := func(l Line) error {
				high = max(high, memory().HeapAlloc)
				e := parse(l)
				givenUp := strings.HasPrefix(name, "many") || name == "broken characters"
				switch {
				case l.Size != p.size() || l.Offset != 0:
					t.Errorf("line %d bytes at %d", l.Size, l.Offset)
				case givenUp && (e.Bad == "" || l.Data != nil):
					t.Errorf("%d bytes are held, bad %q", len(l.Data), e.Bad)
				case name == "no end" && (e.Bad != "a torn last line" || !l.Torn):
					t.Errorf("bad %q", e.Bad)
				case !givenUp && name != "no end" && (e.Bad != "" || e.UUID != "u1" || !l.Shortened || len(l.Data) > 1<<20):
					t.Errorf("bad %q, uuid %q, %d bytes", e.Bad, e.UUID, len(l.Data))
				}
				return nil
			}
			if err := forward(io.NewSectionReader(p, 0, p.size()), 0, p.size(), check); err != nil {
				t.Fatal(err)
			}
			if err := backward(p, p.size(), check); err != nil {
				t.Fatal(err)
			}
			after := memory()
			if grown := int64(high) - int64(before.HeapAlloc); grown > 100<<20 {
				t.Errorf("%d MB were held", grown>>20)
			}
			if total := after.TotalAlloc - before.TotalAlloc; total > 500<<20 {
				t.Errorf("%d MB were allocated", total>>20)
			}
		})
	}
}

func memory() (m runtime.MemStats) {
	runtime.ReadMemStats(&m)
	return m
}

// TestLongTranscript: whole files cost no more memory than their longest line.
func TestLongTranscript(t *testing.T) {
	if testing.Short() {
		t.Skip("long, and nothing in it for the race detector")
	}
	path := filepath.Join(t.TempDir(), "t.jsonl")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	garbage := strings.Repeat("{broken\n", 5000)
	bulk := reply("m0", tool, textOf(strings.Repeat("y", 200_000)))
	for range 40 {
		if _, err := f.WriteString(bulk + garbage); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	runtime.GC()
	before := memory()
	tr := openFile(t, path)
	tl, err := tr.Tail()
	if err != nil || tl.Turn != UnknownTurn || len(tl.Bad) > maxBad {
		t.Errorf("%s, %d bad, %v", tl.Turn, len(tl.Bad), err)
	}
	l, err := tr.Ledger(nil)
	if err != nil || l.Bad != 200_000 || len(l.BadLines) > maxBad || !l.BadHides {
		t.Errorf("%d bad, %d told, %v", l.Bad, len(l.BadLines), err)
	}
	runtime.GC()
	if grown := int64(memory().HeapAlloc) - int64(before.HeapAlloc); grown > 32<<20 {
		t.Errorf("%d MB are held", grown>>20)
	}
}

// TestShortener: valid JSON stays valid, texts up to the bound stay whole, and no escape or character is cut.
func TestShortener(t *testing.T) {
	shorten := func(s string) string {
		sh := &shortener{}
		sh.write([]byte(s))
		return string(sh.bytes())
	}
	for _, s := range []string{`{}`, `{"a":"b\"c\\","d":[1,"é\u00e9\ud83d"]}`, `"` + strings.Repeat("x", maxText) + `"`,
		`not json`, `"\`, ``} {
		if got := shorten(s); got != s {
			t.Errorf("%.60q became %.60q", s, got)
		}
	}
	for _, unit := range []string{"x", "é", "€", "😀", `\n`, `\"`, `\\`, `\u00e9`, `\ud83d\ude00`} {
		for shift := range 13 {
			head := strings.Repeat("a", maxText-shift)
			for _, behind := range []string{unit, strings.Repeat(unit, 50), unit + "tail" + unit} {
				s := `{"k":"` + head + behind + `","m":"` + unit + `"}`
				got := shorten(s)
				if !gjson.Valid(got) || gjson.Get(got, "m").Raw != `"`+unit+`"` {
					t.Fatalf("%s -%d: %.30q ... %q", unit, shift, got, got[len(got)-40:])
				}
				kept := strings.TrimSuffix(strings.TrimPrefix(gjson.Get(got, "k").Raw, `"`), `"`)
				if !strings.HasPrefix(head+behind, kept) || len(kept) < min(maxText, len(head)) || len(kept) > maxText+12 {
					t.Errorf("%s -%d: %d bytes kept", unit, shift, len(kept))
				}
				if strings.ToValidUTF8(kept, "?") != kept {
					t.Errorf("%s -%d: a character was cut", unit, shift)
				}
			}
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		s := quote(rapid.String().Draw(t, "text"))
		var parts []string
		for range rapid.IntRange(1, 4).Draw(t, "texts") {
			parts = append(parts, `"`+strings.Repeat(s[1:len(s)-1], rapid.IntRange(0, 3000).Draw(t, "times"))+`"`)
		}
		in := "[" + strings.Join(parts, ",") + "]"
		if got := shorten(in); !gjson.Valid(got) || len(gjson.Parse(got).Array()) != len(parts) {
			t.Fatalf("%.80q", got)
		}
	})
}

func TestFingerprint(t *testing.T) {
	base := strings.Repeat(done, 2000) // longer than both edges
	seen := map[string]string{}
	for name, s := range map[string]string{
		"base": base, "one line more": base + done, "one byte more": base + "\n", "two bytes more": base + "\n\n",
		"a zero more": base + "\x00", "cut": base[:len(base)-1],
		"its end changed": base[:len(base)-3] + "x" + base[len(base)-2:], "its beginning changed": "x" + base[1:],
		"empty": "", "small": "a", "small and more": "aa",
	} {
		got, err := file(t, s).Fingerprint()
		if err != nil || len(got) != 64 {
			t.Fatal(err)
		}
		if other, ok := seen[got]; ok {
			t.Errorf("%s has the fingerprint of %s", name, other)
		}
		seen[got] = name
		if again, _ := file(t, s).Fingerprint(); again != got {
			t.Error(name, "has two fingerprints")
		}
	}
	// What is appended while it is open is not part of it.
	path := filepath.Join(t.TempDir(), "t.jsonl")
	if err := os.WriteFile(path, []byte(done), 0o600); err != nil {
		t.Fatal(err)
	}
	f := openFile(t, path)
	before, _ := f.Fingerprint()
	if err := os.WriteFile(path, []byte(done+done), 0o600); err != nil {
		t.Fatal(err)
	}
	if after, err := f.Fingerprint(); after != before || err != nil {
		t.Error("it changed while it was open", err)
	}
	if later, _ := openFile(t, path).Fingerprint(); later == before {
		t.Error("it did not change")
	}
}
