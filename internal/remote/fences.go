package remote

import "strings"

// fence splits a line into the fence that it opens or closes and what follows; "" when it is no fence line.
func fence(line string) (mark, info string) {
	t := strings.TrimLeft(line, " \t>")
	for _, c := range []byte("`~") {
		n := 0
		for n < len(t) && t[n] == c {
			n++
		}
		if n >= 3 && (c != '`' || !strings.Contains(t[n:], "`")) {
			return t[:n], strings.TrimSpace(t[n:])
		}
	}
	return "", ""
}

func hasFence(s string) bool {
	for line := range strings.Lines(s) {
		if mark, _ := fence(line); mark != "" {
			return true
		}
	}
	return false
}

// fromFences reads a Markdown file: every fence that holds JSON, tool text or a notice. Fences with something else (a command
// line) are passed over; JSON between the fences is read too, so that no page is lost. An open last fence goes to the end.
func fromFences(s string, depth int) ([]page, *refusal) {
	var all []page
	var inside, outside strings.Builder
	open := ""
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
		mark, info := fence(line)
		switch {
		case open == "" && mark != "":
			if r := between(); r != nil {
				return nil, r
			}
			open = mark
			if strings.HasPrefix(info, "{") || strings.HasPrefix(info, "[") {
				inside.WriteString(info + "\n")
			}
		case open != "" && info == "" && strings.HasPrefix(mark, open):
			if r := take(); r != nil {
				return nil, r
			}
			open = ""
		case open != "":
			inside.WriteString(line)
		default:
			outside.WriteString(line)
		}
	}
	last := between
	if open != "" {
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
	return part != "" && (part[0] == '"' || startsJSON(part) || strings.HasPrefix(part, "<other-session") || jsonStart.MatchString(part) ||
		dataLine.MatchString(part) || notice(part) != nil || errorStart.MatchString(part))
}
