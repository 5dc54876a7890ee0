package text

import "strings"

// Prose gives the lines of a Markdown text that are its own words: outside code fences and quotes. Lines keep their indentation. A
// fence is closed by one of its own kind, at least as long, with nothing behind it.
func Prose(s string) []string {
	var out []string
	fence := ""
	for _, line := range strings.Split(s, "\n") {
		t := strings.TrimSpace(line)
		run := fenceRun(t)
		switch {
		case fence != "":
			if strings.HasPrefix(run, fence) && run == t {
				fence = ""
			}
		case run != "" && (run[0] == '~' || !strings.Contains(t[len(run):], "`")):
			fence = run
		case !strings.HasPrefix(t, ">"):
			out = append(out, line)
		}
	}
	return out
}

// fenceRun is the run of three or more marks that a line begins with; empty when it begins with none.
func fenceRun(t string) string {
	for _, mark := range []string{"`", "~"} {
		if n := len(t) - len(strings.TrimLeft(t, mark)); n >= 3 {
			return t[:n]
		}
	}
	return ""
}
