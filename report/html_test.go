package report

import (
	"bytes"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"golang.org/x/net/html"
)

// filled is a report in which every field of the model is set, also those that are added later: each string is what
// text says for its path, lists have two members.
func filled(text func(path string) string) Report {
	var r Report
	fill(reflect.ValueOf(&r).Elem(), "", text)
	r.Complete = false
	return r
}

func fill(v reflect.Value, path string, text func(string) string) {
	switch {
	case v.Type() == reflect.TypeFor[time.Time]():
		v.Set(reflect.ValueOf(clock.Add(-time.Duration(len(path)) * time.Minute)))
		return
	case !v.CanSet():
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(text(path))
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(3)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), path, text)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		for i := range v.Len() {
			fill(v.Index(i), fmt.Sprintf("%s/%d", path, i), text)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i), path+"/"+v.Type().Field(i).Name, text)
		}
	default:
		panic("a kind of field that the test cannot fill: " + v.Kind().String() + " at " + path)
	}
}

func pageOf(t testing.TB, r Report) []byte {
	t.Helper()
	data, err := r.HTML()
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func parse(t testing.TB, data []byte) *html.Node {
	t.Helper()
	n, err := html.Parse(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func attr(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

// elements gives every element with an attribute or of a name; an empty name is any.
func elements(root *html.Node, name string) []*html.Node {
	var out []*html.Node
	for n := range root.Descendants() {
		if n.Type == html.ElementNode && (name == "" || n.Data == name) {
			out = append(out, n)
		}
	}
	return out
}

func words(n *html.Node) string {
	var b strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.TextNode && d.Parent.Data != "style" && d.Parent.Data != "script" {
			b.WriteString(d.Data)
			b.WriteByte(' ')
		}
	}
	return b.String()
}

// shape is a page without its texts: elements and the names of their attributes.
func shape(root *html.Node) string {
	var b strings.Builder
	for _, n := range elements(root, "") {
		b.WriteString(n.Data)
		for _, a := range n.Attr {
			b.WriteString(" " + a.Key)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// hostile are texts that try to be more than text.
var hostile = map[string]string{
	"script":    `<script>alert(1)</script>`,
	"close":     `</title></textarea></style></script></svg></pre></code></table><img src=x onerror=alert(1)>`,
	"attribute": `" onmouseover="alert(1)" style="color:red" x='y' autofocus onfocus='alert(1)`,
	"comment": `--><!--<!DOCTYPE html><base href="https://example.org/"><meta http-equiv="refresh" ` +
		`content="0;url=https://example.org">`,
	"cdata":     `]]><svg onload=alert(1)><math><mtext></p><style><!--</style><img src=x onerror=alert(1)>`,
	"url":       `javascript:alert(1)`,
	"data url":  `data:text/html,<script>alert(1)</script>`,
	"far url":   `https://example.org/?x=<b>`,
	"near url":  `https://claude.ai.example.org/code/session_1`,
	"user url":  `https://claude.ai@example.org/`,
	"dirty url": `https://claude.ai/code/"><script>alert(1)</script>`,
	"template":  "{{.}}${alert(1)}`+alert(1)+`\\x3cscript\\x3e",
	"entity":    `&lt;script&gt;&#x3c;img src=x&#62;&amp;&copy`,
	"control":   "\x1b]8;;https://example.org\x07click\x1b]8;;\x07\x00\x7f\u009b31m\r\x08",
	"bidi":      "abc\u202egnp.exe\u2066x\u2069\u200f\u061c\u2067",
	"invisible": "zero\u200bwidth\ufeff\u00ad\u2028line\u2029\U000e0041tag\u3164\U000e0100",
	"broken":    "bad\xff\xfe\xc3(\xed\xa0\xbd",
	"right":     "\u05e9\u05dc\u05d5\u05dd \u0627\u0644\u0639\u0631\u0628\u064a\u0629",
	"class":     `x" class="card c-defect`,
	"id":        `first" id="filter`,
}

func TestTextStaysText(t *testing.T) {
	if testing.Short() {
		t.Skip("one thread: the race detector has nothing to see in it")
	}
	plain := parse(t, pageOf(t, filled(func(string) string { return "plain words" })))
	for name, bad := range hostile {
		t.Run(name, func(t *testing.T) {
			data := pageOf(t, filled(func(string) string { return "before " + bad + " after" }))
			root := parse(t, data)
			if shape(root) != shape(plain) {
				t.Fatalf("the page has another shape than with plain words:\n%s", firstDifference(shape(plain), shape(root)))
			}
			clean(t, data)
			whole := pageOf(t, filled(func(string) string { return bad }))
			clean(t, whole)
		})
	}
}

func firstDifference(a, b string) string {
	x, y := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range min(len(x), len(y)) {
		if x[i] != y[i] {
			return fmt.Sprintf("element %d: %q, want %q", i, y[i], x[i])
		}
	}
	return fmt.Sprintf("%d elements, want %d", len(y), len(x))
}

// allowed are the elements and attributes of the page's own template.
var allowed = map[string]string{
	"html": "lang", "head": "", "body": "", "meta": "charset http-equiv content name", "title": "id", "style": "",
	"script": "", "a": "class href target rel", "header": "class", "p": "class id role aria-live hidden",
	"span": "class aria-hidden data-text", "bdi": "class", "h1": "", "h2": "id", "h3": "", "h4": "",
	"svg": "class width height role aria-labelledby aria-hidden viewBox x y overflow", "g": "id class", "defs": "",
	"use": "href", "rect": "id class x y width height rx",
	"text": "x y text-anchor", "line": "class x1 x2 y1 y2", "circle": "id class r", "path": "id class d",
	"nav": "aria-label", "ul": "class aria-label aria-hidden data-item", "ol": "class", "li": "class",
	"div":   "class id role aria-label hidden",
	"label": "class for", "input": "id type placeholder autocomplete spellcheck", "select": "id", "option": "value",
	"button": "type id class hidden aria-label", "main": "id tabindex", "section": "id class aria-labelledby",
	"article": "class id data-session data-item data-list", "dl": "class", "dt": "", "dd": "",
	"code": "class dir data-text", "pre": "class dir data-text tabindex role aria-label", "details": "class",
	"summary": "", "figure": "class", "figcaption": "",
	"time": "datetime", "table": "role", "caption": "", "thead": "role", "tbody": "role", "tr": "role", "th": "role scope",
	"td": "role data-label", "strong": "", "br": "", "footer": "",
}

var (
	safeID    = regexp.MustCompile(`^[a-z][a-z0-9_-]*$`)
	safeClass = regexp.MustCompile(`^[a-z0-9 _-]+$`)
)

// clean holds a page to what it may be made of.
func clean(t *testing.T, data []byte) {
	t.Helper()
	root := parse(t, data)
	ids := map[string]bool{}
	for _, n := range elements(root, "") {
		own, ok := allowed[n.Data]
		if !ok {
			t.Fatalf("an element that the template does not have: <%s>", n.Data)
		}
		for _, a := range n.Attr {
			if !slices.Contains(strings.Fields(own), a.Key) || strings.HasPrefix(a.Key, "on") || a.Key == "style" {
				t.Errorf("<%s %s=%q>", n.Data, a.Key, a.Val)
			}
			visible(t, a.Val)
			switch a.Key {
			case "id":
				if !safeID.MatchString(a.Val) || ids[a.Val] {
					t.Errorf("id %q", a.Val)
				}
				ids[a.Val] = true
			case "class", "data-list":
				if a.Val != "" && !safeClass.MatchString(a.Val) {
					t.Errorf("class %q", a.Val)
				}
			case "content":
				if strings.Contains(a.Val, "unsafe") {
					t.Errorf("policy %q", a.Val)
				}
			}
		}
	}
	for _, n := range elements(root, "") {
		for _, key := range []string{"aria-labelledby", "for"} {
			if to := attr(n, key); to != "" && !ids[to] {
				t.Errorf("<%s %s=%q> leads nowhere", n.Data, key, to)
			}
		}
	}
	for _, n := range elements(root, "use") {
		if to := attr(n, "href"); !strings.HasPrefix(to, "#") || !ids[to[1:]] {
			t.Errorf("a sign %q", to)
		}
	}
	for _, n := range elements(root, "a") {
		to := attr(n, "href")
		switch {
		case strings.HasPrefix(to, "#"):
			if !ids[to[1:]] {
				t.Errorf("the anchor %s leads nowhere", to)
			}
		case !strings.HasPrefix(to, "https://claude.ai/") || attr(n, "rel") != "noopener noreferrer":
			t.Errorf("a link to %q with rel %q", to, attr(n, "rel"))
		}
	}
	for n := range root.Descendants() {
		switch n.Type {
		case html.CommentNode:
			t.Errorf("a comment: %q", n.Data)
		case html.TextNode:
			visible(t, n.Data)
		}
	}
	policyHolds(t, root)
}

// visible holds that nothing in a text is hidden or turned around.
func visible(t *testing.T, s string) {
	t.Helper()
	for _, r := range s {
		if r != '\n' && r != '\t' && r != '\u200d' && (unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl,
			unicode.Zp, unicode.Co) || r == unicode.ReplacementChar) {
			t.Errorf("%U in %.60q", r, s)
			return
		}
	}
}

func policyHolds(t *testing.T, root *html.Node) {
	t.Helper()
	said := ""
	for _, m := range elements(root, "meta") {
		if attr(m, "http-equiv") == "Content-Security-Policy" {
			said = attr(m, "content")
		}
	}
	blocks := map[string]string{}
	for _, name := range []string{"style", "script"} {
		all := elements(root, name)
		if len(all) != 1 || all[0].FirstChild == nil {
			t.Fatalf("%d %s elements", len(all), name)
		}
		blocks[name] = hash(all[0].FirstChild.Data)
	}
	want := "default-src 'none'; style-src '" + blocks["style"] + "'; script-src '" + blocks["script"] +
		"'; base-uri 'none'; form-action 'none'"
	if said != want {
		t.Errorf("the policy is\n%s\nand has to be\n%s", said, want)
	}
}

// notShown are the fields that are for programs: they are in the JSON.
var notShown = regexp.MustCompile(
	`^/(Version|Next/|Rows/|Counts/|Parts/|Defects/\d/OpenDefect/DefectData/(Key|Do)|First/\d/(SessionName/SessionID|Step/)|Expiring/\d/(SessionName/SessionID|Code|Step/)|Groups/\d/Name|Unmatched/\d/NoJob/ID)` +
		`|^/(ArchiveNow|LookFirst|Owners|Finished|Typed|Held|Duplicates|Unclear|NotWoken|Live)/\d/(SessionName/SessionID|Role|Standing|Step/|Review/(PromptID|Tools/\d/ID|Defects/\d/ToolID))` +
		`|^/Typed/\d/(Review/|Message/|Story/)|^/[A-Za-z]+/\d/Review/Tools/\d/Class$`)

// TestEveryFieldIsShown holds that what the model says is on the page; a field that is added to it has to be shown or
// named above.
func TestEveryFieldIsShown(t *testing.T) {
	if testing.Short() {
		t.Skip("one thread: the race detector has nothing to see in it")
	}
	names := map[string]string{}
	r := filled(func(path string) string {
		name := fmt.Sprintf("word%dx", len(names))
		names[path] = name
		return name
	})
	for i := range r.Places {
		// Sessions stand in places of the report, and a place's own fields are two words of one name.
		names[fmt.Sprintf("/Places/%d/Account", i)] = r.Places[i].Account
	}
	said := words(parse(t, pageOf(t, r)))
	for path, name := range names {
		// A kind of moment that is not known is shown by its own word, in lower case or not.
		if !notShown.MatchString(path) && !strings.Contains(strings.ToLower(said), name) {
			t.Errorf("%s is not on the page", path)
		}
	}
	for _, id := range []string{"first", "typed", "archive_now", "wrapped_look_first", "owners", "finished", "held",
		"duplicates", "groups", "captures", "unclear", "not_woken", "live", "unmatched", "elsewhere", "expiring", "agents",
		"warnings"} {
		if !bytes.Contains(pageOf(t, r), []byte(`<section id="`+id+`"`)) {
			t.Errorf("no section %s", id)
		}
	}
}

func TestHeadingsAreInOrder(t *testing.T) {
	root := parse(t, pageOf(t, filled(func(string) string { return "plain" })))
	last := 0
	for _, n := range elements(root, "") {
		if len(n.Data) == 2 && n.Data[0] == 'h' && n.Data[1] >= '1' && n.Data[1] <= '6' {
			level := int(n.Data[1] - '0')
			if level > last+1 {
				t.Errorf("<%s> after h%d: %q", n.Data, last, words(n))
			}
			last = level
		}
	}
	for _, name := range []string{"header", "nav", "main", "footer", "h1"} {
		if got := len(elements(root, name)); got != 1 {
			t.Errorf("%d <%s>", got, name)
		}
	}
}
