//go:build e2e

package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tidwall/gjson"
)

// recover runs the program under test as the account.
func (s *sandbox) recover(args ...string) said {
	return s.run(s.dir, 4*time.Minute, s.recovery, args...)
}

// recoveryJSON runs it with --json and wants the exit status; -2 takes any.
func (s *sandbox) recoveryJSON(t *testing.T, exit int, args ...string) gjson.Result {
	t.Helper()
	return parse(t, s.recover(append(args, "--json")...), exit)
}

func (s *sandbox) recovery0(t *testing.T, args ...string) gjson.Result {
	t.Helper()
	return s.recoveryJSON(t, 0, args...)
}

// parse wants one JSON object on standard output and nothing else there.
func parse(t *testing.T, r said, exit int) gjson.Result {
	t.Helper()
	if r.exit != exit && exit != -2 {
		t.Errorf("exit status %d was expected: %s", exit, r)
	}
	out := gjson.Parse(r.stdout)
	if !gjson.Valid(r.stdout) || !out.IsObject() {
		t.Fatalf("standard output is no single JSON object: %s", r)
	}
	return out
}

// item is the row of one session.
func item(t *testing.T, out gjson.Result, short string) gjson.Result {
	t.Helper()
	row := out.Get(`items.#(short=="` + short + `")`)
	if !row.Exists() {
		t.Fatalf("no row of %s in %s", short, out.Raw)
	}
	return row
}

// want compares values by their paths.
func want(t *testing.T, what string, row gjson.Result, values map[string]string) {
	t.Helper()
	for path, value := range values {
		if got := row.Get(path); got.String() != value {
			t.Errorf("%s: %s is %q, %q was expected; all of it: %s", what, path, got.String(), value, row.Raw)
		}
	}
}

func has(t *testing.T, what, text, part string) {
	t.Helper()
	if !strings.Contains(text, part) {
		t.Errorf("%s lacks %q: %s", what, part, text)
	}
}

// unchanged wants no job more and no prompt more than before.
func unchanged(t *testing.T, s *sandbox, x *session, jobs []string, prompts int) {
	t.Helper()
	if now := s.jobs(t); strings.Join(now, " ") != strings.Join(jobs, " ") {
		t.Errorf("the job folders are %v now and were %v", now, jobs)
	}
	if now := len(x.prompts()); now != prompts {
		t.Errorf("%s holds %d prompts now and held %d", x.name, now, prompts)
	}
}

// onePrompt wants exactly one delivered line with a prompt's id, and gives it.
func (x *session) onePrompt(t *testing.T, id string) string {
	t.Helper()
	list := x.holding(id)
	if id == "" || len(list) != 1 {
		t.Fatalf("%s: %d delivered lines hold the prompt id %q: %q", x.name, len(list), id, list)
	}
	return list[0]
}

// ready lists a session and confirms it: the user's part before a wake.
func (s *sandbox) ready(t *testing.T, x *session) {
	t.Helper()
	s.recovery0(t, "inventory")
	s.recovery0(t, "queue-check", "--confirm", x.short)
}

// readyAgain does that for a session that holds a review: it stays blocked for a second one, and may get its prep.
func (s *sandbox) readyAgain(t *testing.T, x *session) {
	t.Helper()
	s.recovery0(t, "inventory")
	row := item(t, s.recoveryJSON(t, 3, "queue-check", "--confirm", x.short), x.short)
	want(t, "a reviewed session", row, map[string]string{"verdict": "blocked", "reasons.0.code": "reviewed"})
	has(t, "the confirmation", row.Get("note").Str, "for a prep or --again")
}

// acknowledge closes a session's defects, as the user does who looked at them.
func (s *sandbox) acknowledge(t *testing.T, x *session) {
	t.Helper()
	closed := s.recovery0(t, "ack", "--why", "looked at", x.short)
	if item(t, closed, x.short).Get("closed.#").Int() == 0 {
		t.Errorf("no defect of %s was closed: %s", x.short, closed.Raw)
	}
}

// events are the journal's events of one session.
func (s *sandbox) events(t *testing.T, short string) []gjson.Result {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(s.home, ".claude", "session-recovery", "journal.jsonl"))
	must(t, err)
	var out []gjson.Result
	for line := range strings.Lines(string(data)) {
		if e := gjson.Parse(line); e.Get("session").Str == short {
			out = append(out, e)
		}
	}
	return out
}

func (s *sandbox) lastEvent(t *testing.T, short, kind string) gjson.Result {
	t.Helper()
	var last gjson.Result
	for _, e := range s.events(t, short) {
		if e.Get("type").Str == kind {
			last = e
		}
	}
	if !last.Exists() {
		t.Fatalf("the journal has no %s event of %s", kind, short)
	}
	return last
}

// intent is the last prompt that recovery meant to send to a session.
func (s *sandbox) intent(t *testing.T, short string) gjson.Result {
	t.Helper()
	return s.lastEvent(t, short, "intended").Get("data")
}

func (s *sandbox) promptID(t *testing.T, short string) string {
	t.Helper()
	return s.intent(t, short).Get("prompt_id").Str
}

// outcomes counts what is on record of a session's prompts.
func (s *sandbox) outcomes(t *testing.T, short string) int {
	n := 0
	for _, e := range s.events(t, short) {
		if kind := e.Get("type").Str; kind == "outcome" || kind == "settled" {
			n++
		}
	}
	return n
}

// wakeTimes tells how long each wake took from the intention to the proof.
func (s *sandbox) wakeTimes(t *testing.T, list []*session) string {
	var out []string
	for _, x := range list {
		d := s.lastEvent(t, x.short, "outcome").Get("at").Time().Sub(s.lastEvent(t, x.short, "intended").Get("at").Time())
		out = append(out, fmt.Sprintf("%s proven after %s", x.short, d.Round(10*time.Millisecond)))
	}
	return strings.Join(out, ", ")
}

// script makes a program that stands in for the client.
func (s *sandbox) script(t *testing.T, name, body string) string {
	t.Helper()
	path := filepath.Join(s.dir, name)
	must(t, os.WriteFile(path, []byte("#!/bin/sh\n"+body), 0o755))
	return path
}

func moveAway(path, dir string) error {
	return os.Rename(path, filepath.Join(dir, filepath.Base(path)+".away"))
}

func bridgeID(i int) string { return fmt.Sprintf("cse_01E2EEXAMPLE%012d", i) }

// sessionsPage is a page of the remote list as the tools print it. updated_at is older than the last entry, so that
// the row alone proves nothing.
func sessionsPage(list []*session) any {
	rows := []any{}
	for i, x := range list {
		rows = append(rows, map[string]any{"id": "session_" + strings.TrimPrefix(bridgeID(i), "cse_"), "title": x.name,
			"session_status": "SESSION_STATUS_IDLE", "connection_status": "disconnected", "environment_kind": "bridge",
			"tags": []string{"remote-control-repl"}, "created_at": x.lastAt().Add(-time.Hour).Format(time.RFC3339Nano),
			"updated_at": x.lastAt().Add(-5 * time.Minute).Format(time.RFC3339Nano)})
	}
	return map[string]any{"ccr": map[string]any{"data": rows}}
}

// lastAt is the time of the last line that has one.
func (x *session) lastAt() time.Time {
	var at time.Time
	for _, l := range x.lines() {
		if l.Get("timestamp").Exists() {
			at = l.Get("timestamp").Time()
		}
	}
	return at.UTC()
}

// eventsPage holds a session's turns as the remote list has them, with the uuids of its own transcript.
func eventsPage(x *session) any {
	rows := []any{}
	for _, l := range x.lines() {
		kind := l.Get("type").Str
		if kind != "user" && kind != "assistant" || l.Get("isMeta").Bool() {
			continue
		}
		rows = append(rows, map[string]any{"created_at": l.Get("timestamp").Str,
			kind: map[string]any{"uuid": l.Get("uuid").Str,
				"internal_anthropic_catchall": map[string]any{"message": json.RawMessage(l.Get("message").Raw)}}})
	}
	return map[string]any{"ccr": map[string]any{"data": rows}}
}

func (s *sandbox) savePage(t *testing.T, name string, page any) string {
	t.Helper()
	data, err := json.MarshalIndent(page, "", " ")
	must(t, err)
	path := filepath.Join(s.dir, name)
	must(t, os.WriteFile(path, data, 0o644))
	return path
}
