package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"recovery/internal/journal"
	"recovery/inventory"
	"recovery/review"
)

// constants are the text constants of a package, by name, with the type that they are declared with.
func constants(t *testing.T, folder string) map[string]constant {
	t.Helper()
	out := map[string]constant{}
	for _, f := range parsed(t, folder) {
		ast.Inspect(f, func(n ast.Node) bool {
			decl, ok := n.(*ast.GenDecl)
			if !ok || decl.Tok != token.CONST {
				return true
			}
			for _, spec := range decl.Specs {
				v := spec.(*ast.ValueSpec)
				typ, _ := v.Type.(*ast.Ident)
				for i, name := range v.Names {
					if i < len(v.Values) {
						if s, ok := literal(v.Values[i]); ok {
							c := constant{value: s}
							if typ != nil {
								c.typ = typ.Name
							}
							out[name.Name] = c
						}
					}
				}
			}
			return true
		})
	}
	return out
}

type constant struct{ typ, value string }

func parsed(t *testing.T, folder string) []*ast.File {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join("../..", folder, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	var out []*ast.File
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, f)
	}
	return out
}

func literal(e ast.Expr) (string, bool) {
	lit, ok := e.(*ast.BasicLit)
	if !ok || lit.Kind != token.STRING {
		return "", false
	}
	s, err := strconv.Unquote(lit.Value)
	return s, err == nil
}

// ofType are the values of the constants of one type.
func ofType(t *testing.T, folder, typ string, but ...string) []string {
	t.Helper()
	var out []string
	for name, c := range constants(t, folder) {
		if c.typ == typ && !slices.Contains(but, name) {
			out = append(out, c.value)
		}
	}
	return out
}

// ofName are the values of the untyped constants whose names begin like that.
func ofName(t *testing.T, folder, prefix string, but ...string) []string {
	t.Helper()
	var out []string
	for name, c := range constants(t, folder) {
		if c.typ == "" && strings.HasPrefix(name, prefix) && !slices.Contains(but, name) {
			out = append(out, c.value)
		}
	}
	return out
}

// reasonCodes are the codes that a function of the queue check is called with, or that a literal Reason holds.
func reasonCodes(t *testing.T, callee string) []string {
	t.Helper()
	var out []string
	for _, f := range parsed(t, "queuecheck") {
		ast.Inspect(f, func(n ast.Node) bool {
			var first ast.Expr
			switch n := n.(type) {
			case *ast.CallExpr:
				if f, ok := n.Fun.(*ast.SelectorExpr); ok && f.Sel.Name == callee && len(n.Args) > 0 {
					first = n.Args[0]
				}
			case *ast.CompositeLit:
				if typ, ok := n.Type.(*ast.Ident); ok && typ.Name == callee && len(n.Elts) > 0 {
					first = n.Elts[0]
				}
			}
			if s, ok := literal(first); ok && !slices.Contains(out, s) {
				out = append(out, s)
			}
			return true
		})
	}
	return out
}

// TestSchemaCodesAreThoseOfTheCode compares each closed list with the constants that the program writes: one that is
// added in one place is missing in the other.
func TestSchemaCodesAreThoseOfTheCode(t *testing.T) {
	s := readSchemas(t)
	hazards := ofName(t, "inventory", "Hazard")
	defects := ofName(t, "internal/journal", "Defect")
	reviewed := ofName(t, "review", "Defect")
	for place, want := range map[string][]string{
		"common#live": ofType(t, "internal/account", "LiveState"),
		// what every command looks at has a queue check
		"common#place":         ofType(t, "standing", "Place", "Listed"),
		"common#turn":          ofType(t, "internal/transcript", "TurnState"),
		"common#queue_verdict": ofType(t, "queuecheck", "Verdict"),
		"common#ended.cause":   ofType(t, "inventory", "Cause"),
		// a bridge without a job is told as unknown
		"common#unmatched.kind":     ofType(t, "internal/remote", "Kind", "KindBridge"),
		"common#verdict.verdict":    ofName(t, "review", "Verdict"),
		"common#tool.class":         ofType(t, "internal/audit", "Class"),
		"common#tool.result":        {review.Done, review.Denied, review.Failed, review.Pending},
		"common#review_defect.code": reviewed,
		"common#open_defect.code":   append(defects, reviewed...),
		"inventory.items[].hazards[]": append(without(hazards, inventory.HazardCron), "queued-prompt",
			"expires-soon"),
		"resume.items[].outcome":     ofType(t, "internal/journal", "Outcome"),
		"resume.items[].queue_check": append(ofType(t, "queuecheck", "Verdict"), ""),
		"events#outcome.outcome": without(ofType(t, "internal/journal", "Outcome"), string(journal.Planned),
			string(journal.Refused)),
		"events#type":                ofType(t, "internal/journal", "Type"),
		"events#defect.code":         reviewed,
		"events#reviewed.verdict":    ofName(t, "review", "Verdict"),
		"events#wrapped.state":       ofType(t, "wrap", "State"),
		"wrap-wait.items[].state":    ofType(t, "wrap", "State"),
		"message.items[].state":      ofType(t, "message", "State"),
		"message.kind":               ofType(t, "message", "Kind"),
		"events#intended.kind":       ofName(t, "internal/journal", "Kind"),
		"status#status.items[].step": ofType(t, "report", "Step"),
		"status#status.causes.*":     ofType(t, "inventory", "Cause"),
		"inflight.items[].verdict":   ofType(t, "internal/sources", "Verdict"),
		"inflight#source":            sourceNames(),
		"queue-check#blocked":        append(reasonCodes(t, "block"), "job-gone", "turn-empty", "no-transcript"),
		"queue-check#check": slices.Concat(reasonCodes(t, "atBest"), reasonCodes(t, "eventsDoubt"),
			hazards, []string{"confirmation-ended"}),
		// stamp names these two
		"queue-check#pass, queue-check#confirmed": append(without(reasonCodes(t, "Reason"), "confirmation-ended"),
			"retirement-stamp", "live-then"),
	} {
		got := map[string]bool{}
		for name, doc := range s.raw {
			s.walk(node{name, doc, name}, absent{}, func(p string) {
				where, code, ok := strings.Cut(p, " = ")
				if code, err := strconv.Unquote(code); ok && err == nil && slices.Contains(strings.Split(place, ", "), where) {
					got[code] = true
				}
			})
		}
		slices.Sort(want)
		if have := slices.Sorted(maps.Keys(got)); !slices.Equal(have, slices.Compact(want)) {
			t.Errorf("%s: the schema has %q, the code %q", place, have, want)
		}
	}
}

func without(list []string, but ...string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(s string) bool { return slices.Contains(but, s) })
}

// TestSchemasAreClosed: an object that is open hides a key that nobody wrote down. Every key is described in one
// sentence.
func TestSchemasAreClosed(t *testing.T) {
	s := readSchemas(t)
	// What is closed by those who refer to it, so that they can add keys of their own.
	open := []string{"common/$defs/review", "status/$defs/status"}
	var look func(at string, v any)
	look = func(at string, v any) {
		for i, x := range list(v) {
			look(fmt.Sprint(at, "/", i), x)
		}
		object := members(v)
		condition := strings.HasSuffix(at, "/if") || strings.HasSuffix(at, "/then") || strings.Contains(at, "/contains")
		if properties := members(object["properties"]); properties != nil && !condition {
			if object["additionalProperties"] != false && object["unevaluatedProperties"] != false && !slices.Contains(open,
				at) {
				t.Errorf("%s is open", at)
			}
			for key, p := range properties {
				says, _ := members(p)["description"].(string)
				if !strings.HasSuffix(says, ".") || strings.Contains(says, ". ") {
					t.Errorf("%s/%s: %q is not one sentence", at, key, says)
				}
			}
		}
		if ref, ok := object["$ref"].(string); ok && (strings.HasSuffix(ref, "/review") || strings.HasSuffix(ref,
			"/status")) {
			if object["unevaluatedProperties"] != false && !strings.Contains(at, "/allOf/") {
				t.Errorf("%s refers to what is open and does not close it", at)
			}
		}
		for key, x := range object {
			look(at+"/"+key, x)
		}
	}
	for name, doc := range s.raw {
		look(name, doc)
	}
}

// unnamed are the keys that docs/json.md does not name in the command's section. One that is named has to be taken
// off the list.
var unnamed = map[string]bool{
	"common#tool.network":                   true, // audit's section alone names it
	"inventory.items[].remote.time_problem": true,
	"inventory.items[].stop":                true,
	"status.closed[].problem":               true,
	"why.warnings":                          true,
}

// homes are the sections that tell of what several commands print.
var homes = map[string]string{"tool": "read", "review": "read", "review_defect": "read", "open_defect": "resume",
	"left_out": "inventory", "next_step": "", "unmatched": "inventory", "ended": "inventory", "verdict": "verdict"}

// TestDocsNameEveryKey holds docs/json.md to the schemas: a key stands in the section of its command.
func TestDocsNameEveryKey(t *testing.T) {
	oneThread(t)
	s := readSchemas(t)
	sections := map[string]string{}
	for _, name := range []string{"json", "verdict"} {
		data, err := os.ReadFile(filepath.Join("../../docs", name+".md"))
		if err != nil {
			t.Fatal(err)
		}
		if name == "verdict" {
			sections[name] = string(data)
			continue
		}
		parts := strings.Split(string(data), "\n## ")
		sections[""] = parts[0]
		for _, part := range parts[1:] {
			title, text, _ := strings.Cut(part, "\n")
			for _, command := range strings.Split(title, ", ") {
				sections[command] = text
			}
		}
	}
	span, word := regexp.MustCompile("`[^`]*`"), regexp.MustCompile(`[a-z_]+`)
	names := func(text, key string) bool {
		for _, code := range span.FindAllString(text, -1) {
			if slices.Contains(word.FindAllString(code, -1), key) {
				return true
			}
		}
		return false
	}
	missing := map[string]bool{}
	for command, doc := range s.raw {
		if command == "common" {
			continue
		}
		s.walk(node{command, doc, command}, absent{}, func(place string) {
			place, _, _ = strings.Cut(place, " ")
			file, key, ok := strings.Cut(place, ".")
			if !ok || strings.HasPrefix(file, "events#") {
				return // the data of an event is told by its type, in the schema alone
			}
			key = strings.TrimSuffix(key[strings.LastIndexByte(key, '.')+1:], "[]")
			if key == "*" {
				return
			}
			_, shared, _ := strings.Cut(file, "#")
			section, told := sections[command]
			if command == "error" {
				told = true // the introduction tells of it
			}
			if !told {
				t.Fatalf("docs/json.md has no section on %s", command)
			}
			if !names(sections[""], key) && !names(section, key) && !names(sections[homes[shared]], key) {
				missing[strings.TrimSuffix(place, "[]")] = true
			}
		})
	}
	for place := range missing {
		if !unnamed[place] {
			t.Errorf("docs/json.md does not name %s", place)
		}
	}
	for place := range unnamed {
		if !missing[place] {
			t.Errorf("take it off the list, docs/json.md names it: %s", place)
		}
	}
}
