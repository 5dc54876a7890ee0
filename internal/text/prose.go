package text

import "strings"

// Prose gives the lines of a Markdown text that are its own words: outside code fences and quotes. Lines keep their
// indentation; a fence may have any.
func Prose(s string) []string {
	var out []string
	var fences Fences
	for _, line := range strings.Split(s, "\n") {
		t := strings.TrimSpace(line)
		if at, _ := fences.Next(t); at == Outside && !strings.HasPrefix(t, ">") {
			out = append(out, line)
		}
	}
	return out
}
