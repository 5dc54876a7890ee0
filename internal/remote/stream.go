package remote

import "strings"

// fromEventStream reads `data:` lines: the lines of one event belong together, a blank line ends it. Lines outside
// the format are read as text, so that a page pasted between is not lost.
func fromEventStream(s string, depth int) ([]page, *refusal) {
	var all []page
	var data []string
	var outside strings.Builder
	flush := func() *refusal {
		joined := strings.TrimSpace(strings.Join(data, "\n"))
		data = nil
		if joined == "" || joined == "[DONE]" {
			return nil
		}
		pages, r := fromText(joined, depth+1)
		all = append(all, pages...)
		return r
	}
	for line := range strings.Lines(s) {
		line = strings.TrimRight(line, "\r\n")
		name, value, ok := strings.Cut(line, ":")
		switch {
		case strings.TrimSpace(line) == "":
			if r := flush(); r != nil {
				return nil, r
			}
		case ok && name == "data":
			data = append(data, strings.TrimPrefix(value, " "))
		case ok && (name == "" || name == "event" || name == "id" || name == "retry"):
		default:
			outside.WriteString(line + "\n")
		}
	}
	if r := flush(); r != nil {
		return nil, r
	}
	pages, r := fromMixed(outside.String(), depth, false)
	if r != nil {
		return nil, r
	}
	return append(all, pages...), nil
}
