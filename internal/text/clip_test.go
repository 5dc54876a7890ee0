package text

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestClip(t *testing.T) {
	for _, c := range []struct {
		in   string
		n    int
		want string
	}{
		{"abc", 3, "abc"}, {"abcd", 3, "ab…"}, {"a bcd", 3, "a…"}, {"日本語です", 4, "日本語…"},
		{"abc", 1, "…"}, {"abc", 0, "…"}, {"abc", -5, "…"},
		{"", 0, ""}, {"a\nb\nc", 5, "a b c"}, {"\x1b\x1b", 5, `\x1b…`},
	} {
		if got := Clip(c.in, c.n); got != c.want {
			t.Errorf("%q to %d: %q, want %q", c.in, c.n, got, c.want)
		}
	}
}

func TestCut(t *testing.T) {
	for _, c := range []struct {
		in   string
		n    int
		want string
	}{
		{"", 0, ""}, {"", 3, ""}, {"abc", 3, "abc"}, {"abcd", 3, "abc…"}, {"abc", 0, "…"}, {"abc", -1, "…"},
		{"日本語です", 3, "日本語…"}, {"👩\u200d🔧x", 2, "👩\u200d…"}, {"a b", 2, "a …"},
		{"\x1b[1m\n", 3, "\x1b[1…"}, {"\xff\xfe\xfd", 2, "\xff\xfe…"},
	} {
		if got := Cut(c.in, c.n); got != c.want {
			t.Errorf("%q to %d: %q, want %q", c.in, c.n, got, c.want)
		}
	}
}

func TestCutBytes(t *testing.T) {
	for _, c := range []struct {
		in   string
		n    int
		mark string
		want string
	}{
		{"", 0, "…", ""}, {"abc", 3, "…", "abc"}, {"abcd", 3, "…", "abc…"}, {"abcd", 3, "", "abc"},
		{"abcd", 3, " …", "abc …"},
		{"abc", 0, "...", "..."}, {"abc", -1, "...", "..."},
		{"héé", 1, "", "h"}, {"héé", 2, "", "h"}, {"héé", 3, "", "hé"}, {"日本", 5, "…", "日…"},
		{"😀😀", 7, "", "😀"}, {"😀", 3, "", ""},
		{"a\xff\xfeb", 2, "", "a\xff"}, {"\x00\x1b[1m", 2, "", "\x00\x1b"},
	} {
		if got := CutBytes(c.in, c.n, c.mark); got != c.want {
			t.Errorf("%q to %d: %q, want %q", c.in, c.n, got, c.want)
		}
	}
}

// TestCutsAreBeginnings holds for every text: a cut is a beginning of it that is no longer than asked, and breaks no
// character.
func TestCutsAreBeginnings(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := anyText().Draw(t, "text")
		n := rapid.IntRange(0, 20).Draw(t, "length")
		head := CutBytes(in, n, "")
		short := len(in) > n && len(head) <= n-utf8.UTFMax && utf8.ValidString(in)
		if !strings.HasPrefix(in, head) || len(head) > n || short {
			t.Fatalf("%q to %d bytes: %q", in, n, head)
		}
		if utf8.ValidString(in) && !utf8.ValidString(head) {
			t.Fatalf("%q to %d bytes breaks a character: %q", in, n, head)
		}
		cut, all := Cut(in, n), utf8.RuneCountInString(in) <= n
		if all && cut != in {
			t.Fatalf("%q to %d: %q", in, n, cut)
		}
		if !all && (!strings.HasPrefix(in, strings.TrimSuffix(cut, "…")) || utf8.RuneCountInString(cut) != n+1) {
			t.Fatalf("%q to %d: %q", in, n, cut)
		}
	})
}

// anyText draws texts of characters and texts of any bytes.
func anyText() *rapid.Generator[string] {
	bytes := rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) })
	return rapid.OneOf(rapid.String(), bytes)
}
