package remote

import (
	"encoding/json"
	"errors"
	"regexp"
	"strings"

	"github.com/tidwall/gjson"
)

// maxDepth bounds wrappings inside wrappings. Real ones are at most four deep.
const maxDepth = 12

var (
	// A page inside other text starts with its `ccr` key; anything else counts only at the start of a line.
	jsonStart = regexp.MustCompile(`\{\s*"ccr"|(?m:^[ \t>\x60\x{feff}]*(?:\{\s*"|\[\s*[{"]))`)
	dataLine  = regexp.MustCompile(`(?m)^data:[ \t]*[\[{"]`)
)

// fromText finds the pages in a text: JSON by itself or in lines, an event stream, Markdown with fences, or JSON
// somewhere in the text. No pages and no refusal means that there was only something harmless, such as a call's own
// arguments.
func fromText(s string, depth int) ([]page, *refusal) {
	s = trim(s)
	switch {
	case depth > maxDepth:
		return nil, refuse("JSON wrapped too many times", "save the tool's answer itself")
	case s == "":
		return nil, refuse("an answer without text", "ask for the page again")
	case htmlText.MatchString(s[:min(len(s), 2048)]):
		return nil, refuse("an HTML page", "save what the tool or the API printed, not the web page")
	case s[0] == '"' || startsJSON(s):
		return fromStream(s, depth)
	case hasFence(s):
		return fromFences(s, depth)
	case dataLine.MatchString(s):
		return fromEventStream(s, depth)
	}
	return fromMixed(s, depth, true)
}

// trim takes off blanks and byte order marks: files that were put together with cat have one in the middle.
func trim(s string) string {
	return strings.TrimLeft(strings.TrimSpace(s), "\ufeff \t\r\n")
}

// startsJSON tells JSON from a text that only begins with a bracket, such as `[12:00] saved`.
func startsJSON(s string) bool {
	if s[0] != '{' && s[0] != '[' {
		return false
	}
	rest := strings.TrimLeft(s[1:], " \t\r\n")
	if rest == "" {
		return true
	}
	if s[0] == '{' {
		return rest[0] == '"' || rest[0] == '}'
	}
	return strings.IndexByte(`{["]`, rest[0]) >= 0
}

// decodeOne reads the one JSON value that s begins with and says where it ends; what follows is not looked at. The
// decoder also bounds nesting, which the reader of values does not.
func decodeOne(s string) (gjson.Result, int, error) {
	dec := json.NewDecoder(strings.NewReader(s))
	var raw json.RawMessage
	if err := dec.Decode(&raw); err != nil {
		return gjson.Result{}, 0, err
	}
	if !gjson.ValidBytes(raw) {
		return gjson.Result{}, 0, errors.New("invalid JSON")
	}
	return gjson.ParseBytes(raw), int(dec.InputOffset()), nil
}

// fromStream reads one value or several after each other (JSON lines). Text after them, such as the closing tag of
// the raw tool text, may hold further pages.
func fromStream(s string, depth int) ([]page, *refusal) {
	var all []page
	var asked *refusal
	for s != "" && (s[0] == '"' || startsJSON(s)) {
		v, n, err := decodeOne(s)
		if err != nil {
			return nil, refuseJSON(s, err)
		}
		pages, r := fromValue(v, depth+1)
		switch {
		case r == nil:
			all = append(all, pages...)
		case arguments(v):
			asked = r
		default:
			return nil, r
		}
		s = trim(s[n:])
	}
	if s != "" {
		pages, r := fromMixed(s, depth, false)
		if r != nil {
			return nil, r
		}
		all = append(all, pages...)
	}
	if len(all) == 0 {
		return nil, asked
	}
	return all, nil
}

// fromMixed finds JSON in a text. What stands outside the JSON is the tool's own text, not a session's, so a notice
// there is the tool's. With need, a text without a page is refused.
func fromMixed(s string, depth int, need bool) ([]page, *refusal) {
	var all []page
	var outside strings.Builder
	found := false
	for rest := s; ; {
		at := jsonStart.FindStringIndex(rest)
		if at == nil {
			outside.WriteString(rest)
			break
		}
		outside.WriteString(rest[:at[0]])
		rest = strings.TrimLeft(rest[at[0]:], " \t\r\n>`\ufeff")
		v, n, err := decodeOne(rest)
		if err != nil {
			if r := notice(outside.String()); r != nil {
				return nil, r
			}
			return nil, refuseJSON(rest, err)
		}
		pages, r := fromValue(v, depth+1)
		switch {
		case r == nil:
			found = found || len(pages) > 0
			all = append(all, pages...)
		case !arguments(v):
			return nil, r
		}
		rest = rest[n:]
	}
	if r := notice(outside.String()); r != nil {
		return nil, r
	}
	if need && !found {
		return nil, refuseText(s)
	}
	return all, nil
}

// callArguments are the parameters of the list calls.
var callArguments = map[string]bool{
	"mine": true, "limit": true, "after_id": true, "before_id": true, "cursor": true, "kinds": true, "session_id": true,
	"order": true,
	"query": true, "environment_id": true, "include_archived": true, "tags": true, "max_results": true,
}

// arguments: a call's own arguments (`{"mine":true,"limit":100}`) are often saved beside its answer.
func arguments(v gjson.Result) bool {
	some, ok := false, v.IsObject()
	v.ForEach(func(k, e gjson.Result) bool {
		some = true
		ok = ok && callArguments[k.String()] && !e.IsObject() && !strings.Contains(e.Raw, "{")
		return ok
	})
	return some && ok
}

// fromValue takes one JSON value apart until it meets pages.
func fromValue(v gjson.Result, depth int) ([]page, *refusal) {
	switch {
	case depth > maxDepth:
		return nil, refuse("JSON wrapped too many times", "save the tool's answer itself")
	case v.Type == gjson.String:
		return fromText(v.String(), depth+1)
	case v.IsArray():
		return fromArray(v, depth)
	case v.IsObject():
		return fromObject(v, depth)
	}
	return nil, refuseNoPage()
}

// fromArray reads content blocks, a list of pages, or a bare list of rows.
func fromArray(v gjson.Result, depth int) ([]page, *refusal) {
	items := v.Array()
	if len(items) == 0 {
		return nil, refuse("an empty list that does not say of what", "save the whole answer of list_sessions or list_events")
	}
	rows, wrapped := 0, false
	for _, e := range items {
		switch {
		case isWrapped(e):
			wrapped = true
		case classify(e) != otherRow:
			rows++
		}
	}
	if rows > 0 && wrapped {
		return nil, refuse("a list of rows and pages together", "give the pages as they were printed")
	}
	if rows > 0 {
		return []page{{rows: items, bare: true}}, nil
	}
	var all []page
	var prose *refusal
	for _, e := range items {
		pages, r := fromValue(e, depth+1)
		if r != nil {
			// One block of prose beside the block with the page is no damage; everything else is.
			if t := blockText(e); t != "" && !strings.Contains(t, "{") && notice(t) == nil && !errorStart.MatchString(t) {
				prose = r
				continue
			}
			return nil, r
		}
		all = append(all, pages...)
	}
	if len(all) == 0 && prose != nil {
		return nil, prose
	}
	return all, nil
}

// isWrapped: an element that is a page or holds one, rather than a row.
func isWrapped(v gjson.Result) bool {
	if blockText(v) != "" || v.Type == gjson.String || v.IsArray() {
		return true
	}
	for _, key := range []string{"ccr", "data", "sessions", "events", "has_more", "next_cursor", "jsonrpc", "content",
		"isError"} {
		if v.Get(key).Exists() && classify(v) == otherRow {
			return true
		}
	}
	return false
}

func blockText(v gjson.Result) string {
	if !v.IsObject() || v.Get("type").String() != "text" {
		return ""
	}
	return v.Get("text").String()
}

// fields is an object's members: first occurrence, in order. A member that comes twice cannot be trusted either way.
type fields struct {
	keys  []string
	of    map[string]gjson.Result
	twice map[string]bool
}

func fieldsOf(v gjson.Result) fields {
	f := fields{of: map[string]gjson.Result{}, twice: map[string]bool{}}
	v.ForEach(func(k, e gjson.Result) bool {
		name := k.String()
		if _, ok := f.of[name]; ok {
			f.twice[name] = true
			return true
		}
		f.keys = append(f.keys, name)
		f.of[name] = e
		return true
	})
	return f
}

func (f fields) has(key string) bool { _, ok := f.of[key]; return ok }

// set: present and not null, not an empty string, list or object, not false.
func (f fields) set(key string) bool { return present(f.of[key]) }

func present(v gjson.Result) bool {
	switch v.Type {
	case gjson.Null, gjson.False:
		return false
	case gjson.String:
		return v.Str != ""
	case gjson.JSON:
		some := false
		v.ForEach(func(_, _ gjson.Result) bool { some = true; return false })
		return some
	}
	return v.Exists()
}

// yes reads a flag. Numbers and booleans may arrive as strings.
func yes(v gjson.Result) bool {
	switch v.Type {
	case gjson.True:
		return true
	case gjson.Number:
		return v.Num != 0
	case gjson.String:
		switch strings.ToLower(strings.TrimSpace(v.Str)) {
		case "", "false", "0", "no", "null":
			return false
		}
		return true
	}
	return false
}

// envelope reads one thing that an object may be; ok is false when the object is something else.
type envelope func(v gjson.Result, f fields, depth int) (pages []page, r *refusal, ok bool)

// fromObject reads a page or one of the envelopes around it, in this order. One more envelope is one more line here.
func fromObject(v gjson.Result, depth int) ([]page, *refusal) {
	f := fieldsOf(v)
	for _, open := range []envelope{failure, rpc, toolAnswer, plainPage, singleRow, holder, apiMessage} {
		if pages, r, ok := open(v, f, depth); ok {
			return pages, r
		}
	}
	r := refuseNoPage()
	r.looks += keyNames(f)
	return nil, r
}

// failure is an answer that says that something went wrong.
func failure(v gjson.Result, f fields, _ int) ([]page, *refusal, bool) {
	for _, key := range []string{"isError", "is_error"} {
		if yes(f.of[key]) {
			return nil, refuseMessage(errorMessage(v)), true
		}
	}
	for _, key := range []string{"error", "errors"} {
		if f.set(key) {
			return nil, refuseMessage(errorMessage(v.Get(key))), true
		}
	}
	if f.of["type"].String() == "error" {
		return nil, refuseMessage(errorMessage(v)), true
	}
	return nil, nil, false
}

// rpc is the envelope of JSON-RPC.
func rpc(_ gjson.Result, f fields, depth int) ([]page, *refusal, bool) {
	switch {
	case !f.has("jsonrpc"):
		return nil, nil, false
	case f.has("result"):
		pages, r := fromValue(f.of["result"], depth+1)
		return pages, r, true
	case f.has("method"): // a notification or a request beside the answer
		return nil, nil, true
	}
	return nil, refuse("a JSON-RPC envelope without a result", "save the answer, not the question"), true
}

// toolAnswer is the envelope of the Claude Code Remote tools.
func toolAnswer(_ gjson.Result, f fields, depth int) (pages []page, r *refusal, ok bool) {
	ccr := f.of["ccr"]
	switch {
	case !f.has("ccr"):
		return nil, nil, false
	case f.twice["ccr"]:
		r = refuse("broken JSON (the key ccr twice)", "save the page again, unedited")
	case ccr.Type == gjson.String:
		pages, r = fromText(ccr.String(), depth+1)
	case ccr.IsObject():
		pages, r = fromCCR(ccr)
	default:
		r = refuseNoPage()
	}
	return pages, r, true
}

// plainPage is a page without an envelope.
func plainPage(_ gjson.Result, f fields, _ int) ([]page, *refusal, bool) {
	p, ok, r := pageOf(f, false)
	if !ok && r == nil {
		return nil, nil, false
	}
	pages, r := onePage(p, r)
	return pages, r, true
}

// singleRow is a row where a page belongs.
func singleRow(v gjson.Result, _ fields, _ int) ([]page, *refusal, bool) {
	switch classify(v) {
	case sessionRow:
		return nil, refuse("one session's record, not a page of them", "save the answer of list_sessions"), true
	case desktopRow:
		return nil, refuseDesktop(), true
	case transcriptRow:
		return nil, refuseTranscript(), true
	case eventRow:
		return nil, refuse("one event, not a page of them", "save the whole answer of list_events"), true
	}
	return nil, nil, false
}

// holder is a text block, or an object that has the page in one of its members.
func holder(_ gjson.Result, f fields, depth int) ([]page, *refusal, bool) {
	if t := f.of["text"]; t.Type == gjson.String {
		pages, r := fromText(t.String(), depth+1)
		return pages, r, true
	}
	for _, key := range []string{"content", "structuredContent", "payload", "result", "resource", "data"} {
		if inner := f.of[key]; f.set(key) && (inner.Type == gjson.String || inner.Type == gjson.JSON) {
			pages, r := fromValue(inner, depth+1)
			return pages, r, true
		}
	}
	return nil, nil, false
}

// apiMessage is an error of an API that does not call itself one.
func apiMessage(_ gjson.Result, f fields, _ int) ([]page, *refusal, bool) {
	m := f.of["message"]
	if m.Type != gjson.String || !f.has("code") && !f.has("status") && !f.has("statusCode") && len(f.keys) != 1 {
		return nil, nil, false
	}
	return nil, refuseMessage(m.String()), true
}

func fromCCR(ccr gjson.Result) ([]page, *refusal) {
	f := fieldsOf(ccr)
	if f.set("error") {
		return nil, refuseMessage(errorMessage(f.of["error"]))
	}
	if p, ok, r := pageOf(f, true); ok || r != nil {
		return onePage(p, r)
	}
	switch {
	case classify(ccr) == sessionRow:
		return nil, refuse("one session's record, not a page of them", "save the answer of list_sessions")
	case f.has("events"):
		return nil, refuse("the answer to a message that was sent", "save the answer of list_sessions or list_events")
	}
	r := refuseNoPage()
	r.looks += keyNames(f)
	return nil, r
}

func onePage(p page, r *refusal) ([]page, *refusal) {
	if r != nil {
		return nil, r
	}
	return []page{p}, nil
}
