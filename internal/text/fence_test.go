package text

import (
	"strings"
	"testing"
)

// TestFences names each line by a letter: o outside, ( opening, i inside, ) closing.
func TestFences(t *testing.T) {
	for in, want := range map[string]string{
		"":                             "o",
		"a\n```\nx\n```\nb":            "o(i)o",
		"~~~\nx\n~~~":                  "(i)",
		"```\n~~~\n```\n~~~\n```\n~~~": "(i)(i)",
		"````\n```\nx\n```\n````":      "(iii)",
		"```\nx\n`````\nb":             "(i)o",
		"```\nx\n```yaml\n```":         "(ii)",
		"~~~~\n~~~\n~~~~~\na":          "(i)o",
		"``\n~~\nx":                    "ooo",
		"```x``` and more\nb":          "oo",
		"~~~ a `b`\nx\n~~~":            "(i)",
		"a\n```\nnever closed\n":       "o(ii",
		"```\r\nx\r\n```\r\nb":         "(i)o",
		"```\n\n```\n```\n```":         "(i)()",
		"```\nx\n``` \t\nb":            "(i)o",
		" ```\na":                      "oo",
		"日本\n```日本\n\x1b[1m\xff\n```\n語": "o(i)o",
	} {
		var f Fences
		got := ""
		for _, line := range strings.Split(in, "\n") {
			at, _ := f.Next(line)
			got += string("o(i)"[at])
		}
		if got != want || f.Open() != strings.ContainsAny(got[len(got)-1:], "(i") {
			t.Errorf("%q: %s, want %s (open: %v)", in, got, want, f.Open())
		}
	}
}

func TestFenceInfo(t *testing.T) {
	for in, want := range map[string]string{
		"```": "", "```yaml": "yaml", "~~~~  yaml x \r\n": "yaml x", "```\u00a0é": "é", "text": "",
	} {
		var f Fences
		if _, info := f.Next(in); info != want {
			t.Errorf("%q: %q, want %q", in, info, want)
		}
	}
}

func TestFenceMargin(t *testing.T) {
	for in, want := range map[string]string{
		"": "", "```": "```", "   ```": "```", "    ```": "", "\t```": "\t```", "  \t": "\t", "    ": "",
	} {
		if got := FenceMargin(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}
