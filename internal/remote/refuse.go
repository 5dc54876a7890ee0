package remote

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"

	"github.com/tidwall/gjson"

	"recovery/internal/text"
)

// refusal is a RefusedError before the file and what was wanted are known.
type refusal struct {
	looks, next, saved string
}

func refuse(looks, next string) *refusal { return &refusal{looks: looks, next: next} }

func refuseNoPage() *refusal {
	return refuse("JSON that is no page", "save the whole answer of list_sessions or list_events")
}

var (
	overflowText = regexp.MustCompile(`(?i)exceeds (?:the )?maximum allowed tokens|output has been saved to|full ` +
		`output saved to|^\s*<persisted-output>`)
	overflowFile = regexp.MustCompile(`(?i)saved to:?\s+([^\r\n]+?)(?:\.?(?:\s*[\r\n]|\s*$)|\.\s|\s\()`)
	callsText    = regexp.MustCompile(`(?i)is limited to [\d,]+ calls per`)
	cutNote      = regexp.MustCompile(`(?i)^\s*(?:</other-session|\.\.\.|…|[\[(<]*(?:output )?truncated)`)
	limitText    = regexp.MustCompile(`(?i)rate.?limit|too many requests`)
	errorStart   = regexp.MustCompile(`(?i)^\s*(?:<tool_use_error>|(?:api |mcp )?error\b|mcp tool|unauthorized|forbidden)`)
	htmlText     = regexp.MustCompile(`(?i)^(?:<\?xml[^>]*>\s*)?(?:<!--.*?-->\s*)*<(?:!doctype\s+html|html|head|body)\b`)
	secretText   = regexp.MustCompile(`(?i)(?:\bsk-[a-z0-9_-]{8,}|\bey[a-z0-9_-]{8,` +
		`}\.[a-z0-9_.-]+|\b(?:bearer|token|cookie|authorization)\b[\s:="']+[^\s"',;]+|\bsessionkey[=:]\S+|[a-z0-9+/_-]{48,})`)
)

// quote shows a stranger's words in an error: one line, short, and without anything shaped like a credential, since
// the file may be the wrong one altogether.
func quote(s string) string {
	return `"` + text.Clip(secretText.ReplaceAllString(s, "[removed]"), 200) + `"`
}

// notice recognises the two texts that a tool prints in place of a page.
func notice(s string) *refusal {
	if overflowText.MatchString(s) {
		r := refuse("the notice that the output was too long and went to another file",
			"give that other file; its name is in the notice")
		if m := overflowFile.FindStringSubmatch(s); m != nil {
			r.saved = strings.Trim(strings.TrimSpace(m[1]), "\"'`<>")
			r.next = "give the file that the notice names: " + text.Clip(r.saved, 400)
		}
		return r
	}
	if callsText.MatchString(s) {
		return refuseLimit(s)
	}
	return nil
}

func refuseLimit(s string) *refusal {
	for line := range strings.Lines(s) {
		if callsText.MatchString(line) || limitText.MatchString(line) {
			s = line
			break
		}
	}
	return refuse("a rate limit answer: "+quote(s), "wait until the hour is over, then save the page again")
}

// refuseText names a text in which no page was found. An unknown text is described, not shown: it may be any file.
func refuseText(s string) *refusal {
	if r := notice(s); r != nil {
		return r
	}
	head := strings.TrimSpace(s)
	if len(head) < 400 && limitText.MatchString(head) {
		return refuseLimit(head)
	}
	if errorStart.MatchString(head) || (len(head) < 400 && strings.Contains(head, "requires approval")) {
		return refuse("an error text: "+quote(head), "repair what it says, then save the page again")
	}
	if strings.HasPrefix(head, "<other-session") {
		return refuse("a tool's text without its JSON", "save the whole answer again, to its closing tag")
	}
	return refuse("text without a page in it", "save the whole answer of list_sessions or list_events")
}

func refuseMessage(message string) *refusal {
	if r := notice(message); r != nil {
		return r
	}
	if limitText.MatchString(message) {
		return refuseLimit(message)
	}
	if strings.TrimSpace(message) == "" {
		return refuse("an error without a message", "ask for the page again")
	}
	return refuse("an error: "+quote(message), "repair what it says, then save the page again")
}

// refuseJSON names what is wrong with the JSON that s begins with: cut off is the usual case, and a smaller page the
// usual cure. JSON that was cut before it was wrapped stops at the closing tag or at a note of the cut.
func refuseJSON(s string, err error) *refusal {
	cut := errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		at := min(max(int(syntax.Offset)-1, 0), len(s))
		cut = cutNote.MatchString(s[at:min(at+200, len(s))])
	}
	switch {
	case cut:
		return refuse("JSON that is cut off", "save the page again, whole; a smaller limit makes it shorter")
	case syntax != nil:
		return refuse(fmt.Sprintf("broken JSON (at byte %d of it)", syntax.Offset), "save the page again, unedited")
	}
	return refuse("broken JSON", "save the page again, unedited")
}

// errorMessage finds the words in an error object, a string or a list of either.
func errorMessage(v gjson.Result) string {
	switch {
	case v.Type == gjson.String:
		return v.String()
	case v.IsArray():
		var parts []string
		v.ForEach(func(_, e gjson.Result) bool {
			if m := errorMessage(e); m != "" {
				parts = append(parts, m)
			}
			return len(parts) < 5
		})
		return strings.Join(parts, "; ")
	case v.IsObject():
		kind := v.Get("type").String()
		for _, key := range []string{"message", "error", "text", "content", "detail", "title", "result"} {
			if m := errorMessage(v.Get(key)); m != "" {
				if kind != "" && kind != "text" && kind != "error" && kind != "tool_result" {
					m = kind + ": " + m
				}
				return m
			}
		}
		for _, key := range []string{"code", "status"} {
			if c := v.Get(key); c.Exists() && !c.IsObject() && !c.IsArray() {
				return key + " " + c.String()
			}
		}
	}
	return ""
}

// keyNames tells which object a file holds, by the names of its first keys; only plain short names, never values.
func keyNames(f fields) string {
	var names []string
	for _, k := range f.keys {
		if plainKey.MatchString(k) {
			names = append(names, k)
		}
		if len(names) == 5 {
			break
		}
	}
	if len(names) == 0 {
		return ""
	}
	return " (keys: " + strings.Join(names, ", ") + ")"
}

var plainKey = regexp.MustCompile(`^[A-Za-z][A-Za-z_]{0,24}$`)
