package text

import (
	"os/exec"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestShellLine(t *testing.T) {
	for _, c := range []struct {
		words []string
		want  string
	}{
		{nil, ""},
		{[]string{"recovery", "ack", "1a2b3c4d"}, "recovery ack 1a2b3c4d"},
		{[]string{"recovery", "ack", "--why", "it's over; rm"}, `recovery ack --why "it's over; rm"`},
		{[]string{""}, "''"},
		{[]string{"#1001"}, "'#1001'"},
		{[]string{"a\x00b"}, `'a\x00b'`},
	} {
		if got := ShellLine(c.words...); got != c.want {
			t.Errorf("%q: %s, want %s", c.words, got, c.want)
		}
	}
}

func TestShellWord(t *testing.T) {
	for in, want := range map[string]string{
		"": "''", "plain-1.yaml": "plain-1.yaml", "/srv/é/日本": "/srv/é/日本",
		"two words": "'two words'", "a=b": "'a=b'", "~": "'~'",
		"$(x)": "'$(x)'", "it's": `"it's"`, "it's $HOME \\ `x` \"": "\"it's \\$HOME \\\\ \\`x\\` \\\"\"",
		"it's over!": `'it'\''s over!'`, "!!": "'!!'", "if": "'if'", "iffy": "iffy",
		"{a,b}": "'{a,b}'", "}": "'}'", "[x]": "'[x]'",
		"a\x1b[2J": `$'a\x1b[2J'`, "a\nb\tc": `$'a\nb\tc'`, "\u202eé'\\": `$'\u202eé\'\\'`, "\U000e0041": `$'\U000e0041'`,
		"\u3164": `$'\u3164'`, "\xff\ufffd": `$'\xff\ufffd'`, "$(x)\x00'": `'$(x)\x00'\'''`,
	} {
		if got := ShellWord(in); got != want {
			t.Errorf("%q: %s, want %s", in, got, want)
		}
	}
}

func TestShellWordASCII(t *testing.T) {
	for in, want := range map[string]string{
		"": "''", "plain-1.yaml": "plain-1.yaml", "a=b": "a=b", "é": "'é'",
		"two words": "'two words'", "it's": `'it'\''s'`, "$(x)": "'$(x)'",
		"a\x1b[2J": `$'a\x1b[2J'`, "\u202ea": `$'\xe2\x80\xae'$'a'`, "\n'": `$'\x0a\''`, "~": "'~'", "a\x00b": `'a\x00b'`,
	} {
		if got := ShellWordASCII(in); got != want {
			t.Errorf("%q: %s, want %s", in, got, want)
		}
	}
}

// TestShellReadsItBack lets real shells read what was quoted: every text without a zero byte comes back byte for
// byte, and one with a zero byte stays one word that runs nothing. Only the plain quotes are for every shell.
func TestShellReadsItBack(t *testing.T) {
	for _, c := range []struct {
		name, shell string
		quote       func(string) string
	}{
		{"Quote", "sh", Quote}, {"ShellWord", "bash", ShellWord}, {"ShellWordASCII", "bash", ShellWordASCII},
	} {
		t.Run(c.name, func(t *testing.T) {
			path, err := exec.LookPath(c.shell)
			if err != nil {
				t.Skip(err)
			}
			rapid.Check(t, func(t *rapid.T) {
				words := rapid.SliceOfN(hardWord(), 1, 50).Draw(t, "words")
				var line, want strings.Builder
				for _, w := range words {
					if !Typable(w) {
						w = strings.ReplaceAll(w, "\x00", "0")
					}
					line.WriteString(" " + c.quote(w))
					want.WriteString(w + "\x00")
				}
				cmd := exec.Command(path, "-c", `printf '%s\0'`+line.String())
				cmd.Env = []string{"LC_ALL=C.UTF-8"}
				if got, err := cmd.Output(); err != nil || string(got) != want.String() {
					t.Fatalf("%q\nas %s\ngive %q (%v)", words, line.String(), got, err)
				}
			})
		})
	}
}

// TestShellWordIsPrintable holds for every word: a command can be shown and copied from a screen.
func TestShellWordIsPrintable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.OneOf(anyText(), hardWord()).Draw(t, "word")
		for _, q := range []string{ShellWord(word), ShellWordASCII(word)} {
			if !utf8.ValidString(q) || Escape(q) != q || strings.ContainsAny(q, "\n\t") {
				t.Fatalf("%q: %q", word, q)
			}
		}
	})
}

// hardWord draws words of what shells have a meaning for, and any texts.
func hardWord() *rapid.Generator[string] {
	hard := rapid.StringOf(rapid.RuneFrom([]rune("'\"\\$`!#~*?[]{}()<>|&;= \t\n\r\x01\x1b\x7fabx09é\u202e\u3164😀-%^")))
	return rapid.OneOf(hard, anyText())
}
