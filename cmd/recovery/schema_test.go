package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

const (
	schemaFolder = "../../docs/schema"
	schemaID     = "https://recovery.invalid/schema/"
	schemaSuffix = ".schema.json"
)

// schemas are the documents of docs/schema by their command, as they stand there and compiled.
type schemas struct {
	raw      map[string]map[string]any
	compiled map[string]*jsonschema.Schema
}

func readSchemas(t *testing.T) *schemas {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(schemaFolder, "*"+schemaSuffix))
	if err != nil || len(files) == 0 {
		t.Fatalf("no schemas: %v", err)
	}
	s := &schemas{raw: map[string]map[string]any{}, compiled: map[string]*jsonschema.Schema{}}
	c := jsonschema.NewCompiler()
	c.AssertFormat() // 2020-12 takes a format for a remark otherwise
	for _, path := range files {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		name := strings.TrimSuffix(filepath.Base(path), schemaSuffix)
		s.raw[name] = doc.(map[string]any)
		if err := c.AddResource(schemaID+name+schemaSuffix, doc); err != nil {
			t.Fatal(err)
		}
	}
	for name, doc := range s.raw {
		if want := schemaID + name + schemaSuffix; doc["$id"] != want {
			t.Errorf("%s has the $id %v, want %s", name, doc["$id"], want)
		}
		if s.compiled[name], err = c.Compile(schemaID + name + schemaSuffix); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// node is one place of a schema: the document that it stands in, itself, and a name for what it describes.
type node struct {
	doc   string
	is    map[string]any
	place string
}

func (n node) child(v any, place string) node {
	is, _ := v.(map[string]any)
	return node{n.doc, is, place}
}

// target follows a reference. What is shared gets a place of its own, so that it need not be seen in every command.
func (s *schemas) target(n node, ref string) node {
	file, pointer, _ := strings.Cut(ref, "#/")
	doc := n.doc
	if file != "" {
		doc = strings.TrimSuffix(file, schemaSuffix)
	}
	var at any = s.raw[doc]
	for _, key := range strings.Split(pointer, "/") {
		at = at.(map[string]any)[key]
	}
	return node{doc, at.(map[string]any), doc + "#" + strings.TrimPrefix(pointer, "$defs/")}
}

// absent stands for a value that is not there: a place is walked for what it declares, or for what a value shows of it.
type absent struct{}

// walk tells of each place that a schema declares, or, with a value, of each that the value shows: the types, the
// codes, and whether a key that need not be there is left out.
func (s *schemas) walk(n node, v any, tell func(place string)) {
	_, declare := v.(absent)
	if ref, ok := n.is["$ref"].(string); ok {
		s.walk(s.target(n, ref), v, tell)
	}
	for _, key := range []string{"allOf", "anyOf"} {
		for _, sub := range list(n.is[key]) {
			s.walk(n.child(sub, n.place), v, tell)
		}
	}
	if then, ok := n.is["then"]; ok && (declare || s.holds(n.is["if"], v)) {
		s.walk(n.child(then, n.place), v, tell)
	}
	for _, typ := range append(list(n.is["type"]), single(n.is["type"])...) {
		if declare || typ == typeName(v) {
			tell(fmt.Sprintf("%s %v", n.place, typ))
		}
	}
	codes := list(n.is["enum"])
	if only, ok := n.is["const"]; ok {
		codes = append(codes, only)
	}
	for _, code := range codes {
		if declare || code == v {
			tell(fmt.Sprintf("%s = %q", n.place, fmt.Sprint(code)))
		}
	}
	object, _ := v.(map[string]any)
	required := list(n.is["required"])
	for key, sub := range members(n.is["properties"]) {
		below := n.child(sub, n.place+"."+key)
		value, there := object[key]
		switch {
		case declare:
			value = absent{}
			if required != nil && !slices.Contains(required, any(key)) {
				tell(below.place + " left out")
			}
		case object == nil:
			continue
		case !there:
			if required != nil {
				tell(below.place + " left out")
			}
			continue
		}
		s.walk(below, value, tell)
	}
	if extra, ok := n.is["additionalProperties"].(map[string]any); ok {
		if declare {
			s.walk(n.child(extra, n.place+".*"), v, tell)
			s.walk(n.child(n.is["propertyNames"], n.place+".*"), v, tell)
		}
		for key, value := range object {
			s.walk(n.child(extra, n.place+".*"), value, tell)
			s.walk(n.child(n.is["propertyNames"], n.place+".*"), key, tell)
		}
	}
	if each, ok := n.is["items"]; ok {
		if declare {
			s.walk(n.child(each, n.place+"[]"), v, tell)
		}
		for _, value := range list(v) {
			s.walk(n.child(each, n.place+"[]"), value, tell)
		}
	}
}

// holds judges a condition as the schemas here write them: the value of one key.
func (s *schemas) holds(condition, v any) bool {
	object, _ := v.(map[string]any)
	for key, want := range members(members(condition)["properties"]) {
		codes := append(list(members(want)["enum"]), members(want)["const"])
		if object == nil || !slices.Contains(codes, object[key]) {
			return false
		}
	}
	return true
}

func list(v any) []any             { l, _ := v.([]any); return l }
func members(v any) map[string]any { m, _ := v.(map[string]any); return m }
func single(v any) []any {
	if s, ok := v.(string); ok {
		return []any{s}
	}
	return nil
}

func typeName(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case json.Number:
		return "integer" // no number of the output is a fraction
	case string:
		return "string"
	case []any:
		return "array"
	case map[string]any:
		return "object"
	}
	return ""
}

// gaps are where the program and its words are known to differ. One that is closed has to be taken off the list.
var gaps = map[string]string{}

// holder holds what the program prints to the schemas, and remembers what was seen.
type holder struct {
	*schemas
	mu   sync.Mutex
	seen map[string]bool
	open map[string]bool // the gaps that were met
}

// gap says whether something that is wrong is known to be.
func (h *holder) gap(what string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.open[what] = true
	return gaps[what] != ""
}

// run runs a command with --json. Whatever it ends with, it prints one object and nothing else on standard output.
func (h *holder) run(b *bench, args ...string) (int, map[string]any) {
	b.t.Helper()
	return h.runIn(b, context.Background(), args...)
}

func (h *holder) runIn(b *bench, ctx context.Context, args ...string) (int, map[string]any) {
	b.t.Helper()
	var out, errs bytes.Buffer
	sys := b.sys
	sys.stdout, sys.stderr = &out, &errs
	status := runIn(&sys, ctx, append([]string{"--client", b.client, "--json"}, args...))
	if strings.Contains(errs.String(), "recovery: internal error") {
		b.t.Errorf("recovery --json %s broke:\n%s", strings.Join(args, " "), errs.String())
	}
	return status, h.hold(b.t, args, status, out.String())
}

func (h *holder) hold(t *testing.T, args []string, status int, out string) map[string]any {
	t.Helper()
	command := strings.Join(args, " ")
	if out == "" && h.gap("no object: "+strings.Join(args[:min(len(args), 3)], " ")) {
		return nil
	}
	d := json.NewDecoder(strings.NewReader(out))
	d.UseNumber()
	var v map[string]any
	if err := d.Decode(&v); err != nil {
		t.Errorf("recovery --json %s ended with %d and printed no object: %v\n%s", command, status, err, out)
		return nil
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		t.Errorf("recovery --json %s printed something behind its object:\n%s", command, out)
	}
	name := args[0]
	if e, failed := v["error"]; failed {
		name = "error"
		if got := fmt.Sprint(members(e)["exit_status"]); got != fmt.Sprint(status) && !(status == exitInterrupted &&
			h.gap("exit status of the interrupted "+args[0])) {
			t.Errorf("recovery --json %s ended with %d and says %s", command, status, got)
		}
	}
	schema := h.compiled[name]
	if schema == nil {
		t.Errorf("%s has no schema", name)
		return v
	}
	if err := schema.Validate(v); err != nil {
		t.Errorf("recovery --json %s: %v\n%s", command, err, out)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.walk(node{name, h.raw[name], name}, v, func(place string) { h.seen[place] = true })
	return v
}
