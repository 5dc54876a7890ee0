package remote

import (
	"strings"

	"recovery/internal/text"
)

// fenceMargin is a line without what may stand in front of a fence: blanks, and the marks of a quote, since a page
// may be pasted into a mail.
func fenceMargin(line string) string { return strings.TrimLeft(line, " \t>") }

func hasFence(s string) bool {
	var fences text.Fences
	for line := range strings.Lines(s) {
		if at, _ := fences.Next(fenceMargin(line)); at == text.Opening {
			return true
		}
	}
	return false
}

// fromFences reads a Markdown file: every fence that holds JSON, tool text or a notice. Fences with something else (a
// command line) are passed over; JSON between the fences is read too, so that no page is lost. An open last fence
// goes to the end.
func fromFences(s string, depth int) ([]page, *refusal) {
	var all []page
	var inside, outside strings.Builder
	var fences text.Fences
	take := func() *refusal {
		defer inside.Reset()
		part := strings.TrimSpace(inside.String())
		if !worthReading(part) {
			return nil
		}
		pages, r := fromText(part, depth+1)
		if r != nil {
			if v, n, err := decodeOne(part); err == nil && n == len(part) && arguments(v) {
				return nil
			}
			return r
		}
		all = append(all, pages...)
		return nil
	}
	between := func() *refusal {
		defer outside.Reset()
		if !jsonStart.MatchString(outside.String()) {
			return nil
		}
		pages, r := fromMixed(outside.String(), depth, false)
		all = append(all, pages...)
		return r
	}
	for line := range strings.Lines(s) {
		at, info := fences.Next(fenceMargin(line))
		switch at {
		case text.Opening:
			if r := between(); r != nil {
				return nil, r
			}
			if strings.HasPrefix(info, "{") || strings.HasPrefix(info, "[") {
				inside.WriteString(info + "\n")
			}
		case text.Closing:
			if r := take(); r != nil {
				return nil, r
			}
		case text.Inside:
			inside.WriteString(line)
		default:
			outside.WriteString(line)
		}
	}
	last := between
	if fences.Open() {
		last = take
	}
	if r := last(); r != nil {
		return nil, r
	}
	if len(all) == 0 {
		return nil, refuseText(s)
	}
	return all, nil
}

func worthReading(part string) bool {
	return part != "" && (part[0] == '"' || startsJSON(part) || strings.HasPrefix(part, "<other-session") ||
		jsonStart.MatchString(part) ||
		dataLine.MatchString(part) || notice(part) != nil || errorStart.MatchString(part))
}
