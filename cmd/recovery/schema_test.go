package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"recovery/fixtures"
	"recovery/internal/account"
	"recovery/internal/journal"
	"recovery/inventory"
	"recovery/review"
	"recovery/wake"

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

// walk tells of each place that a schema declares, or, with a value, of each that the value shows: the types, the codes, and
// whether a key that need not be there is left out.
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
var gaps = map[string]string{
	"no object: queue-check --max-age soon": "cli reads the flags of a command before the program knows of --json",
	"no object: resume --batch many":        "the same",
	"exit status of the interrupted read":   "the error object says 1, the process ends with 130",
}

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
		if got := fmt.Sprint(members(e)["exit_status"]); got != fmt.Sprint(status) && !(status == exitInterrupted && h.gap("exit status of the interrupted "+args[0])) {
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

// hasty is a bench whose program never rests for long.
func hasty(t *testing.T, a *fixtures.Account) *bench {
	b := newBench(t, a)
	b.sys.sleep = func(ctx context.Context, d time.Duration) { sleep(ctx, min(d, 2*time.Millisecond)) }
	b.sys.timing.Proof, b.sys.timing.Retry = 150*time.Millisecond, time.Millisecond
	b.sys.processes = sync.OnceValue(account.ReadProcesses) // none is started later
	return b
}

// TestJSONHoldsToItsSchemas runs every command in many situations and holds each object to its schema. Behind them it wants to
// have seen everything that the schemas allow: what the program never prints does not belong there.
func TestJSONHoldsToItsSchemas(t *testing.T) {
	h := &holder{schemas: readSchemas(t), seen: map[string]bool{}, open: map[string]bool{}}
	groups := []struct {
		name string
		run  func(*testing.T, *holder)
	}{
		{"situations", holdSituations}, {"outcomes", holdOutcomes}, {"demo", holdDemo}, {"pages", holdPages}, {"wraps", holdWraps}, {"reviews", holdReviews},
		{"agents", holdAgents}, {"tools", holdTools}, {"pins", holdPins}, {"trust", holdTrust}, {"records", holdRecords}, {"checks", holdChecks}, {"errors", holdErrors},
	}
	ran := 0
	t.Run("of", func(t *testing.T) {
		for _, g := range groups {
			t.Run(g.name, func(t *testing.T) {
				ran++
				t.Parallel()
				g.run(t, h)
			})
		}
	})
	if ran < len(groups) || t.Failed() {
		return
	}
	for name, doc := range h.raw {
		if name != "common" {
			h.walk(node{name, doc, name}, absent{}, func(place string) {
				if !h.seen[place] {
					h.seen[place] = true
					t.Errorf("never printed here: %s", place)
				}
			})
		}
	}
	for what := range gaps {
		if !h.open[what] {
			t.Errorf("take it off the list of gaps, it is closed: %s", what)
		}
	}
}

// situations that take long and show nothing that the others do not.
var slowSituations = []string{"giant-line"}

func holdSituations(t *testing.T, h *holder) {
	for i, s := range fixtures.Situations() {
		if slices.Contains(slowSituations, s.Name) {
			continue
		}
		t.Run(s.Name, func(t *testing.T) {
			t.Parallel()
			sub, err := s.Build(t.TempDir(), now())
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(sub.Account.Close)
			b, short := hasty(t, sub.Account), sub.Session.Short
			h.run(b, append([]string{"inventory"}, sub.Pages...)...)
			check := []string{"queue-check"}
			for _, f := range sub.Events {
				check = append(check, "--events", short+"="+f)
			}
			for _, args := range [][]string{check, {"queue-check", short}, {"why", short}, {"last-reply", short}, {"wrap-wait", "--wait", "0", short}, {"status"}, {"events"}} {
				h.run(b, args...)
			}
			// What reads the audit's rules or writes a prompt takes ten times as long: some of the situations are enough.
			if i%16 == 0 {
				for _, args := range [][]string{{"resume", "--all"}, {"audit", short}, {"report"}, {"handoff"}, {"pins"}} {
					h.run(b, args...)
				}
			}
		})
	}
}

// every runs commands that take no session, and those that take one, on an account as it is now.
func (h *holder) every(b *bench, shorts ...string) {
	b.t.Helper()
	for _, args := range [][]string{{"queue-check"}, {"status"}, {"report"}, {"events"}, {"handoff"}, {"pins"}} {
		h.run(b, args...)
	}
	for _, name := range []string{"read", "why", "wrap-wait"} {
		args := []string{name}
		if name != "why" {
			args = append(args, "--wait", "0")
		}
		h.run(b, append(args, shorts...)...)
	}
	for _, short := range shorts {
		h.run(b, "last-reply", short)
		h.run(b, "audit", short)
	}
}

func holdOutcomes(t *testing.T, h *holder) {
	for _, outcome := range []string{
		"", fixtures.OutcomeCopy, fixtures.OutcomeUntrusted, fixtures.OutcomeGone, fixtures.OutcomeSilent, fixtures.OutcomeCrash, fixtures.OutcomeCrashLate, fixtures.OutcomeReplay,
		fixtures.OutcomeJoin, fixtures.OutcomeNoLine, fixtures.OutcomeExitError, fixtures.OutcomeSignIn, fixtures.OutcomeNotSignedIn, fixtures.OutcomeOverloaded, fixtures.OutcomeLimit,
	} {
		t.Run("outcome "+outcome, func(t *testing.T) {
			t.Parallel()
			b := hasty(t, testAccount(t))
			s, later := b.add(fixtures.Session{}), b.add(fixtures.Session{Plain: true, Name: "a plain one"})
			b.script(s.Short, fixtures.Script{Outcome: outcome})
			b.inventory()
			h.run(b, "resume", "--spacing", "0", "--wait", "0", s.Short, later.Short)
			h.run(b, "status")
			h.run(b, "queue-check", "--confirm", later.Short)
			h.run(b, "resume", "--spacing", "0", "--wait", "0", "--nudge", s.Short)
			h.run(b, "resume", "--spacing", "0", "--wait", "0", "--again", s.Short)
			h.every(b, s.Short)
		})
	}
}

func holdDemo(t *testing.T, h *holder) {
	d, err := fixtures.Demo(t.TempDir(), now())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(d.Close)
	b := newBench(t, d.Account)
	b.sys.timing = demoTiming
	b.sys.sleep = func(ctx context.Context, d time.Duration) { sleep(ctx, min(d, 20*time.Millisecond)) }
	short := func(part string) string { return d.Parts[part].Short }
	h.run(b, append([]string{"inventory", "--sessions"}, d.Pages...)...)
	h.run(b, "queue-check", "--events", short(fixtures.DemoMigration)+"="+d.Events[0])
	h.run(b, "queue-check", "--confirm", short(fixtures.DemoMigration))
	h.run(b, "resume", "--all")
	h.run(b, "resume", "--all", "--yes", "--dupes", d.Dupes, "--spacing", "0", "--wait", "20")
	h.run(b, "trust", short(fixtures.DemoWorktree))
	h.run(b, "resume", "--wait", "20", short(fixtures.DemoWorktree))
	h.every(b, short(fixtures.DemoImporter), short(fixtures.DemoRefund), short(fixtures.DemoLive))
}

func holdPages(t *testing.T, h *holder) {
	b := hasty(t, testAccount(t))
	at := b.a.Now.Add(-3 * time.Hour)
	odd := fixtures.CloudRow("", at)
	odd.UpdatedRaw = "yesterday"
	unsaid := fixtures.ServerRow("whether it is connected is not told", at)
	unsaid.Connection = "-"
	ide := fixtures.IDERow("in an editor", at)
	ide.Tags = []string{"vscode"}
	nobody := fixtures.IDERow("of nobody", at)
	nobody.Environment, nobody.Origin, nobody.Tags = "", "", nil
	b.a.AddRow(fixtures.CloudRow("in the cloud", at), fixtures.ServerRow("of a server", at), fixtures.DesktopRow("on a desk", at), ide, nobody, odd, unsaid)
	b.add(fixtures.Session{Archived: true})
	b.add(fixtures.Session{RemoteConnection: "connected"})
	b.add(fixtures.Session{Turns: []fixtures.Turn{fixtures.Ends("a", "b", "stop_sequence")}, Pinned: true})
	old := b.add(fixtures.Session{LastEntry: b.a.Now.Add(-29 * 24 * time.Hour)})
	if _, _, err := b.a.Duplicates(); err != nil {
		t.Fatal(err)
	}
	rows := b.a.Rows()
	for i := range rows {
		if strings.HasSuffix(rows[i].ID, old.Bridge) {
			rows[i].UpdatedRaw = "soon"
		}
	}
	for _, o := range []fixtures.PageOptions{{}, {HasMore: true}, {Shape: fixtures.ShapeB, HasMore: true}, {Shape: fixtures.ShapeC, HasMore: true}, {Shape: fixtures.ShapeC}, {Rows: rows}} {
		page, err := b.a.SavePage("sessions.json", o)
		if err != nil {
			t.Fatal(err)
		}
		h.run(b, "inventory", page)
		h.run(b, "report")
		h.run(b, "status")
		h.run(b, "queue-check")
	}
	h.run(b, "queue-check", old.Short)
	h.run(b, "inventory")
}

func holdWraps(t *testing.T, h *holder) {
	b := hasty(t, testAccount(t))
	s := wrapIt(t, b)
	h.every(b, s.Short)
	h.run(b, "inventory")
	if err := os.WriteFile(b.work("closed/20200101T000000Z.jsonl"), []byte("no event\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	h.run(b, "status", "--all")
	reopened := b.add(fixtures.Session{Turns: []fixtures.Turn{fixtures.WrapTurn("done"),
		fixtures.Told("peer", "<cross-session-message from=\"other\">what is the state?</cross-session-message>", "All is well.")}})
	h.run(b, "wrap-wait", "--wait", "0", reopened.Short)
}

func holdReviews(t *testing.T, h *holder) {
	for _, c := range []struct {
		name   string
		script fixtures.Script
		after  string // what a person sends behind the review
	}{
		{name: "writes", script: fixtures.Script{Tools: []fixtures.Tool{fixtures.Bash("touch report.txt", ""), {Name: "Bash", Input: map[string]any{"command": "rm x"}, Denial: fixtures.DeniedByRule}}}},
		{name: "asks", script: fixtures.Script{Tools: []fixtures.Tool{fixtures.Bash("touch report.txt", "")}, PermissionPrompt: true}},
		{name: "cannot be judged", script: fixtures.Script{Tools: []fixtures.Tool{fixtures.Bash("./look.sh", "")}}},
		{name: "unclear", script: fixtures.Script{Reply: "I looked at it."}},
		{name: "done", script: fixtures.Script{Reply: fixtures.Review{Verdict: "DONE", Item: "x"}.Text()}},
		{name: "held", script: fixtures.Script{Reply: fixtures.Review{Verdict: "HELD", Item: "x"}.Text()}},
		{name: "owner", script: fixtures.Script{Reply: fixtures.Review{Verdict: "OWNER", Item: "x", Open: []string{"pay"}, MoneyAtRisk: "yes", ActsTwice: []string{"00000000"}}.Text()}},
		{name: "duplicate", script: fixtures.Script{Reply: fixtures.Review{Verdict: "DUPLICATE", Item: "x"}.Text()}},
		{name: "answered", after: "go", script: fixtures.Script{Answers: []fixtures.Answer{{Match: "^go$", Reply: "I paid the refund."}}}},
		{name: "wrapped", after: fixtures.WrapPrompt, script: fixtures.Script{Wrap: "held"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b := hasty(t, testAccount(t))
			s, other := b.add(fixtures.Session{}), b.add(fixtures.Session{Name: "another"})
			b.script(s.Short, c.script)
			b.inventory()
			h.run(b, "resume", "--spacing", "0", "--wait", "0", "--batch", "1", s.Short, other.Short)
			if c.after != "" {
				if err := b.a.Deliver(s.Short, c.after); err != nil {
					t.Fatal(err)
				}
			}
			h.every(b, s.Short)
		})
	}
}

// holdRecords is about reviews and a journal in bad order: a prompt that stands there twice, a person's message that comes while
// the review runs, events of a newer recovery, an open intention, and a transcript and a job that are gone.
func holdRecords(t *testing.T, h *holder) {
	b := hasty(t, testAccount(t))
	s, plain := b.add(fixtures.Session{}), b.add(fixtures.Session{Plain: true, Name: "a plain one"})
	b.script(s.Short, fixtures.Script{Outcome: fixtures.OutcomeNoLine})
	h.run(b, "status")
	h.run(b, "handoff")
	h.run(b, "events")
	b.inventory()
	h.run(b, "resume", "--spacing", "0", "--wait", "0", s.Short)
	for range 2 {
		appendLine(t, s.Transcript, userLine(s, wakeOf(t, b, s.Short).Expected, now()))
	}
	appendLine(t, s.Transcript, userLine(s, "yes, pay it", now()))
	appendText(t, s.Transcript, "no line\n")
	h.every(b, s.Short)
	record := journal.At(b.work(""), now)
	for _, e := range []struct {
		typ     journal.Type
		session string
		data    any
	}{
		{"of-tomorrow", s.Short, map[string]any{"hologram": true}},
		{journal.Deferred, s.Short, journal.DeferData{Until: now().UTC().Add(time.Hour), Why: "the weekly limit"}},
		{journal.Intended, plain.Short, journal.Intent{PromptID: "99999999-0000-4000-8000-000000000001", SessionID: plain.SessionID, Kind: "review", Title: plain.Name, Prompt: "look", Expected: "look",
			Transcript: plain.Transcript, Size: 10, Cwd: plain.Cwd, Batch: 1, Attempt: 1}},
	} {
		if err := record.Append(e.typ, e.session, e.data); err != nil {
			t.Fatal(err)
		}
	}
	h.every(b, s.Short)
	h.run(b, "events", "--reverse", "--limit", "3")
	h.run(b, "resume", "--again", "--spacing", "0", "--wait", "0", plain.Short)
	h.every(b, s.Short, plain.Short)
	if err := os.Remove(s.Transcript); err != nil {
		t.Fatal(err)
	}
	h.every(b, s.Short)
	if err := os.RemoveAll(filepath.Dir(s.StatePath)); err != nil {
		t.Fatal(err)
	}
	h.run(b, "read")
	h.run(b, "report")
	h.run(b, "queue-check")
	h.run(b, "status")
	appendText(t, b.work("journal.jsonl"), "no event\n")
	for _, name := range []string{"status", "events", "handoff", "report", "read", "queue-check"} {
		h.run(b, name)
	}
}

func appendText(t *testing.T, path, text string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	_, err = f.WriteString(text)
	if err := errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
}

func holdAgents(t *testing.T, h *holder) {
	b := hasty(t, testAccount(t))
	s := b.add(fixtures.Session{RemoteUpdatedAt: now(), Untrusted: true})
	b.inventory()
	b.sys.environ = append(b.sys.environ, "CLAUDECODE=1")
	for _, args := range [][]string{
		{"inventory"}, {"queue-check", "--confirm", s.Short}, {"trust", s.Short}, {"resume", "--all", "--yes"}, {"queue-check", "--as-user", "--confirm", s.Short}, {"trust", "--as-user", s.Short},
		{"resume", "--all", "--yes", "--again", "--as-user", "--spacing", "0", "--wait", "0"},
	} {
		h.run(b, args...)
	}
	h.every(b, s.Short)
}

// holdTools has calls of every class and result, those of subagents, and lines that cannot be read.
func holdTools(t *testing.T, h *holder) {
	b := hasty(t, testAccount(t))
	s := b.add(fixtures.Session{Turns: []fixtures.Turn{fixtures.Says("Try everything.", "I tried.", fixtures.Bash("curl https://example.com/", "ok"), fixtures.Bash("./unknown", ""),
		fixtures.Tool{Name: "Bash", Input: map[string]any{"command": "false"}, Result: "Exit code 1", IsError: true},
		fixtures.Tool{Name: "Bash", Input: map[string]any{"command": "true"}, ChangedFiles: []string{"/nowhere/a"}}), fixtures.Unfinished("And again.", fixtures.Tool{Name: "Read", Input: map[string]any{"file_path": "/x"}, Pending: true})}})
	dir := filepath.Join(strings.TrimSuffix(s.Transcript, ".jsonl"), "subagents")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	agent := filepath.Join(dir, "agent-1.jsonl")
	if err := os.WriteFile(agent, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	appendLine(t, agent, map[string]any{"type": "assistant", "isSidechain": true, "timestamp": now().UTC().Format(time.RFC3339Nano),
		"message": map[string]any{"role": "assistant", "content": []any{map[string]any{"type": "tool_use", "id": "t1", "name": "Bash", "input": map[string]any{"command": "ls"}}}}})
	appendText(t, s.Transcript, "no line\n")
	h.run(b, "audit", s.Short)
	h.run(b, "audit", s.Transcript)
	h.run(b, "audit", b.add(fixtures.Session{Plain: true, Name: "a plain one"}).Short)
	// A reply whose line has no time, and one in another zone.
	for _, stamp := range []string{"", "2026-01-02T03:04:05+02:00"} {
		appendLine(t, s.Transcript, doneLine(stamp))
		b.inventory()
		h.every(b, s.Short)
	}
}

// doneLine is a reply that ends a turn; without a stamp its line has no time.
func doneLine(stamp string) map[string]any {
	line := map[string]any{"type": "assistant", "uuid": "aaaaaaaa-0000-4000-8000-000000000001",
		"message": map[string]any{"id": "m1", "role": "assistant", "model": "claude-x", "stop_reason": "end_turn", "content": []any{map[string]any{"type": "text", "text": "Done."}}}}
	if stamp != "" {
		line["timestamp"] = stamp
	}
	return line
}

func holdPins(t *testing.T, h *holder) {
	b := hasty(t, testAccount(t))
	b.add(fixtures.Session{Name: "retired", LastEntry: b.a.Now.Add(-9 * time.Hour)})
	b.add(fixtures.Session{Name: "pinned and alive", Live: true, Pinned: true, LastEntry: b.a.Now.Add(-10 * time.Hour), Log: []fixtures.LogLine{fixtures.Started("fleet", b.a.Now.Add(-12*time.Hour))}})
	b.add(fixtures.Session{Name: "pinned and gone", Pinned: true, NoTranscript: true})
	if err := b.a.Pin("00000000"); err != nil {
		t.Fatal(err)
	}
	h.run(b, "pins")
	b.sys.memory = func() (int64, error) { return 0, errors.New("no meminfo") }
	h.run(b, "pins")
}

func holdTrust(t *testing.T, h *holder) {
	b := hasty(t, testAccount(t))
	s, gone, plain := b.add(fixtures.Session{Untrusted: true}), b.add(fixtures.Session{NoFolder: true, Cwd: "gone"}), b.add(fixtures.Session{Plain: true, Cwd: "other", Untrusted: true})
	h.run(b, "trust", s.Short, gone.Short)
	h.run(b, "trust", s.Short)
	b.inventory()
	h.run(b, "resume", "--spacing", "0", "--wait", "0", s.Short, gone.Short, plain.Short)
	h.run(b, "queue-check", "--confirm", plain.Short)
	h.run(b, "resume", "--spacing", "0", "--wait", "0", plain.Short)
	h.run(b, "trust", plain.Short)
	h.every(b, s.Short)
	// A job without a folder is woken from home, which is gone too.
	homeless := b.add(fixtures.Session{Name: "homeless", Extra: map[string]string{"cwd": `""`}})
	b.inventory()
	b.sys.environ = append(b.sys.environ, "CLAUDE_CONFIG_DIR="+b.a.Claude, "HOME="+filepath.Join(b.a.Root, "gone"))
	h.run(b, "trust", homeless.Short)
	h.run(b, "resume", "--spacing", "0", "--wait", "0", homeless.Short)
	h.run(b, "events", "--type", "refused")
}

// holdChecks makes what the queue check finds only in accounts that no situation describes.
func holdChecks(t *testing.T, h *holder) {
	b := hasty(t, testAccount(t))
	own, gone, dir := b.add(fixtures.Session{Name: "own"}), b.add(fixtures.Session{Name: "gone"}), b.add(fixtures.Session{Name: "a folder"})
	cron := b.add(fixtures.Session{Name: "cron", Turns: []fixtures.Turn{fixtures.Says("Look every hour.", "I will.", fixtures.Tool{Name: "CronCreate", Input: map[string]any{"cron": "0 * * * *"}})}})
	bound := b.add(fixtures.Session{Name: "bound"})
	relative := b.add(fixtures.Session{Name: "relative", Extra: map[string]string{"cwd": `"somewhere"`}})
	confirmed := b.add(fixtures.Session{Name: "confirmed", RemoteUpdatedAt: now()})
	state := filepath.Join(bound.Cwd, ".a5c", "state")
	if err := os.MkdirAll(state, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(state, bound.SessionID+".md"), []byte("active: true\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	early := b.add(fixtures.Session{Name: "early", RemoteUpdatedAt: now()})
	appendLine(t, early.Transcript, userLine(early, "And one more thing.", early.LastEntry.Add(time.Minute)))
	before, err := b.a.SaveEvents(early.Short, "early.json", fixtures.EventOptions{})
	if err != nil {
		t.Fatal(err)
	}
	appendLine(t, early.Transcript, doneLine(early.LastEntry.Add(10*time.Minute).UTC().Format(time.RFC3339Nano)))
	b.sys.user = ""
	h.run(b, "inventory")
	b.sys.user = "tester"
	h.run(b, "events")
	b.inventory()
	h.run(b, "queue-check", "--events", early.Short+"="+before)
	page, err := os.ReadFile(before)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(before, bytes.Replace(page, []byte(`"data":[`), []byte(`"data":[7,`), 1), 0o600); err != nil {
		t.Fatal(err)
	}
	h.run(b, "queue-check", "--events", early.Short+"="+before)
	if err := errors.Join(os.RemoveAll(filepath.Dir(gone.StatePath)), os.Remove(dir.Transcript), os.Mkdir(dir.Transcript, 0o700)); err != nil {
		t.Fatal(err)
	}
	b.sys.environ = append(b.sys.environ, "CLAUDE_CODE_SESSION_ID="+own.SessionID)
	h.run(b, "queue-check")
	b.sys.environ = b.sys.environ[:len(b.sys.environ)-1]
	h.run(b, "queue-check", "--confirm", confirmed.Short)
	h.run(b, "queue-check", "--confirm", confirmed.Short)
	h.run(b, "queue-check", "--max-age", "0", confirmed.Short)
	h.every(b, cron.Short, relative.Short)
	logs, err := filepath.Glob(filepath.Join(b.a.Claude, "daemon.log*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range logs {
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
	h.run(b, "why", cron.Short)
}

func holdErrors(t *testing.T, h *holder) {
	b := hasty(t, testAccount(t))
	s := b.add(fixtures.Session{})
	h.run(b, "queue-check")
	h.run(b, "report")
	h.run(b, "read")
	b.inventory()
	for _, args := range [][]string{
		{"inventory", "no-such-page.json"}, {"queue-check", "ffffffff"}, {"queue-check", "--events", "x"}, {"queue-check", "--max-age", "soon"}, {"resume"}, {"resume", "--all", s.Short},
		{"resume", "--batch", "0", s.Short}, {"resume", "--batch", "many", s.Short}, {"resume", "--no-such-flag"}, {"read", "--wait"}, {"last-reply"}, {"audit", "no-such.jsonl"}, {"audit", "--rules", "none", s.Short},
		{"wrap-wait"}, {"wrap-wait", "--mark", " ", s.Short}, {"trust"}, {"report", "--format", "html"}, {"why"}, {"pins", s.Short}, {"events", "--limit", "-1"}, {"events", "--session", "ffff"},
		{"handoff", "x"}, {"handoff", "-o", filepath.Join(s.StatePath, "no-folder", "x.md")}, {"no-such-command"},
	} {
		status, v := h.run(b, args...)
		if v != nil && v["error"] == nil || status != exitFailed && status != exitUsage {
			t.Errorf("%v ended with %d: %v", args, status, v)
		}
	}
	release, err := journal.Lock(b.work(""), journal.Holder{PID: 1, User: "x", Command: "resume", Since: now()})
	if err != nil {
		t.Fatal(err)
	}
	h.run(b, "resume", s.Short)
	h.run(b, "trust", s.Short)
	release()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, args := range [][]string{{"resume", s.Short}, {"read"}, {"wrap-wait", s.Short}} {
		h.runIn(b, ctx, args...)
	}
	if err := os.WriteFile(b.work(inventoryFile), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"report", "status", "resume"} {
		h.run(b, name)
	}
}

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

// TestSchemaCodesAreThoseOfTheCode compares each closed list with the constants that the program writes: one that is added in
// one place is missing in the other.
func TestSchemaCodesAreThoseOfTheCode(t *testing.T) {
	s := readSchemas(t)
	hazards := ofName(t, "inventory", "Hazard")
	var defects []string
	for _, code := range journal.DefectOutcomes {
		defects = append(defects, code)
	}
	reviewed := ofName(t, "review", "Defect")
	for place, want := range map[string][]string{
		"common#live":                             ofType(t, "internal/account", "LiveState"),
		"common#turn":                             ofType(t, "internal/transcript", "TurnState"),
		"common#queue_verdict":                    ofType(t, "queuecheck", "Verdict"),
		"common#ended.cause":                      ofType(t, "inventory", "Cause"),
		"common#unmatched.kind":                   ofType(t, "internal/remote", "Kind", "KindBridge"), // a bridge without a job is told as unknown
		"common#verdict.verdict":                  ofName(t, "review", "Verdict"),
		"common#tool.class":                       ofType(t, "internal/audit", "Class"),
		"common#tool.result":                      {review.Done, review.Denied, review.Failed, review.Pending},
		"common#review_defect.code":               reviewed,
		"common#open_defect.code":                 append(defects, reviewed...),
		"inventory.items[].hazards[]":             append(without(hazards, inventory.HazardCron), "queued-prompt", "expires-soon"),
		"resume.items[].outcome":                  ofType(t, "wake", "Outcome"),
		"resume.items[].queue_check":              append(ofType(t, "queuecheck", "Verdict"), ""),
		"events#outcome.outcome":                  without(ofType(t, "wake", "Outcome"), string(wake.Planned), string(wake.Refused)),
		"events#type":                             ofType(t, "internal/journal", "Type"),
		"events#defect.code":                      reviewed,
		"events#reviewed.verdict":                 ofName(t, "review", "Verdict"),
		"events#wrapped.state":                    ofType(t, "wrap", "State"),
		"wrap-wait.items[].state":                 ofType(t, "wrap", "State"),
		"status#status.items[].step":              ofType(t, "report", "Step"),
		"status#status.causes.*":                  ofType(t, "inventory", "Cause"),
		"queue-check#blocked":                     append(reasonCodes(t, "block"), "job-gone"),
		"queue-check#check":                       slices.Concat(reasonCodes(t, "atBest"), reasonCodes(t, "eventsDoubt"), hazards, []string{"confirmation-ended"}),
		"queue-check#pass, queue-check#confirmed": append(without(reasonCodes(t, "Reason"), "confirmation-ended"), "retirement-stamp", "live-then"), // stamp names these two
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

// TestSchemasAreClosed: an object that is open hides a key that nobody wrote down. Every key is described in one sentence.
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
			if object["additionalProperties"] != false && object["unevaluatedProperties"] != false && !slices.Contains(open, at) {
				t.Errorf("%s is open", at)
			}
			for key, p := range properties {
				says, _ := members(p)["description"].(string)
				if !strings.HasSuffix(says, ".") || strings.Contains(says, ". ") {
					t.Errorf("%s/%s: %q is not one sentence", at, key, says)
				}
			}
		}
		if ref, ok := object["$ref"].(string); ok && (strings.HasSuffix(ref, "/review") || strings.HasSuffix(ref, "/status")) {
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

// unnamed are the keys that docs/json.md does not name in the command's section. One that is named has to be taken off the list.
var unnamed = map[string]bool{
	"common#open_defect.key":                true,
	"common#tool.network":                   true, // audit's section alone names it
	"inventory.items[].remote.time_problem": true,
	"inventory.items[].stop":                true,
	"status.closed[].problem":               true,
	"why.warnings":                          true,
}

// homes are the sections that tell of what several commands print.
var homes = map[string]string{"tool": "read", "review": "read", "review_defect": "read", "open_defect": "resume", "left_out": "inventory", "unmatched": "inventory", "ended": "inventory", "verdict": "verdict"}

// TestDocsNameEveryKey holds docs/json.md to the schemas: a key stands in the section of its command.
func TestDocsNameEveryKey(t *testing.T) {
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
