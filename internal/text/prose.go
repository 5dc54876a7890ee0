package text

import "strings"

// Prose gives the lines of a Markdown text that are its own words: outside code fences and quotes. Lines keep their indentation.
func Prose(s string) []string {
	var out []string
	fence := ""
	for _, line := range strings.Split(s, "\n") {
		t := strings.TrimSpace(line)
		switch {
		case fence != "":
			if strings.HasPrefix(t, fence) {
				fence = ""
			}
		case strings.HasPrefix(t, "```"), strings.HasPrefix(t, "~~~"):
			fence = t[:3]
		case !strings.HasPrefix(t, ">"):
			out = append(out, line)
		}
	}
	return out
}
