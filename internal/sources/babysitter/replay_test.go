package babysitter

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func replayed(events ...ev) *replay {
	r := newReplay()
	for i, e := range events {
		r.add(fmt.Sprintf("%06d.U%06d.json", i+1, i+1), []byte(eventFile(e, noon)), nil)
	}
	return r
}

// TestReplayRule compares the replay with the rule of run:status, written down a second time in the plainest way,
// over journals of any order of events.
func TestReplayRule(t *testing.T) {
	kindsOf := []string{"breakpoint", "sleep", "agent", "node", ""}
	rapid.Check(t, func(t *rapid.T) {
		var events []ev
		pending := map[string]string{}
		last := ""
		for i := range rapid.IntRange(0, 30).Draw(t, "events") {
			id := fmt.Sprintf("e%d", i)
			switch pick := rapid.IntRange(0, 9).Draw(t, "event"); {
			case pick < 4:
				kind := rapid.SampledFrom(kindsOf).Draw(t, "kind")
				events = append(events, requested(id, kind))
				pending[id] = kind
			case pick < 7 && len(pending) > 0:
				open := rapid.SampledFrom(sortedKeys(pending)).Draw(t, "open")
				delete(pending, open)
				if pick == 6 {
					events = append(events, ev{"EFFECT_CANCELLED", map[string]any{"effectId": open}})
				} else {
					events = append(events, resolved(open, rapid.SampledFrom([]string{"ok", "error"}).Draw(t, "status")))
				}
			case pick < 9:
				events = append(events, ev{rapid.SampledFrom([]string{"PROCESS_LOG", "COST_TRACKED", "EFFECT_PROGRESS",
					"STOP_HOOK_INVOKED", "WHATEVER"}).Draw(t, "note"), nil})
			default:
				last = rapid.SampledFrom([]string{"RUN_CREATED", "RUN_COMPLETED", "RUN_FAILED", "RUN_HALTED",
					"PROCESS_RUNTIME_ERROR"}).Draw(t, "life")
				events = append(events, ev{last, nil})
			}
		}
		want := map[string]string{"RUN_COMPLETED": "completed", "RUN_HALTED": "halted", "RUN_FAILED": "failed",
			"PROCESS_RUNTIME_ERROR": "failed"}[last]
		if want == "" && len(pending) > 0 {
			want = "waiting"
		} else if want == "" {
			want = "created"
		}
		byKind := map[string]int{}
		for _, kind := range pending {
			byKind[kind]++
		}
		r := replayed(events...)
		if len(r.damages) > 0 || len(r.badSums) > 0 || r.noSums > 0 {
			t.Fatalf("%v %v %d", r.damages, r.badSums, r.noSums)
		}
		if d := cmp.Diff(byKind, r.pendingByKind()); d != "" || r.state() != want {
			t.Fatalf("state %s, want %s; pending %s", r.state(), want, d)
		}
	})
}

func sortedKeys(m map[string]string) []string {
	return slices.Sorted(maps.Keys(m)) // the order of a map would make a failure hard to repeat
}

// TestReplayDamage: what ends run:status ends the reading here.
func TestReplayDamage(t *testing.T) {
	ok := func(seq int, e ev) [2]string {
		return [2]string{fmt.Sprintf("%06d.U%06d.json", seq, seq), eventFile(e, noon)}
	}
	without := func(key string) ev {
		e := requested("e1", "agent")
		delete(e.data, key)
		return e
	}
	with := func(e ev, key string, value any) ev { e.data[key] = value; return e }
	for name, c := range map[string]struct {
		files [][2]string
		want  string
	}{
		"gap": {[][2]string{ok(1, begun), ok(3, begun)}, "Journal sequence gap detected at " +
			"000003.U000003.json (expected 2, got 3)"},
		"not from one": {[][2]string{ok(2, begun)}, "Journal seq mismatch at 000002.U000002.json (expected 1, got 2)"},
		"collision": {[][2]string{ok(1, begun), {"000001.Z.json", eventFile(begun, noon)}},
			"(expected 2, got 1): two events have the number 1"},
		"ULID": {[][2]string{{"000001.Z.json", eventFile(begun, noon)},
			{"000002.A.json", eventFile(begun, noon)}}, "Journal ULID order regression at 000002.A.json (A <= Z)"},
		"zero":       {[][2]string{{"000000.A.json", eventFile(begun, noon)}}, "Invalid journal sequence number"},
		"no number":  {[][2]string{{".A.json", eventFile(begun, noon)}}, "Invalid journal sequence number"},
		"name":       {[][2]string{{"readme.json", "{}"}}, "Invalid journal filename: readme.json"},
		"name, word": {[][2]string{{"one.A.json", "{}"}}, "Invalid journal filename"},
		"no ULID":    {[][2]string{{"000001..json", "{}"}}, "Invalid journal filename"},
		"cut off": {[][2]string{ok(1, begun), {"000002.U2.json", eventFile(begun, noon)[:40]}},
			"Failed to parse journal file 000002.U2.json"},
		"empty":           {[][2]string{{"000001.A.json", ""}}, "Failed to parse"},
		"null":            {[][2]string{{"000001.A.json", "null"}}, "it is null"},
		"byte order mark": {[][2]string{{"000001.A.json", "\ufeff{}"}}, "Failed to parse"},
		"deep":            {[][2]string{{"000001.A.json", strings.Repeat("[", 100_000)}}, "nested too deep"},
		"effect twice": {[][2]string{ok(1, requested("e1", "a")), ok(2, requested("e1", "a"))},
			"Duplicate effectId detected: e1"},
		"invocation twice": {[][2]string{ok(1, requested("e1", "a")), ok(2, with(requested("e2", "a"), "invocationKey",
			"key:e1"))}, "Duplicate invocation key detected: key:e1"},
		"resolved twice": {[][2]string{ok(1, requested("e1", "a")), ok(2, resolved("e1", "ok")),
			ok(3, resolved("e1", "ok"))}, "Effect e1 is no longer open"},
		"unknown effect": {[][2]string{ok(1, resolved("e9", "ok"))}, "EFFECT_RESOLVED references unknown effectId e9"},
		"cancel unknown": {[][2]string{ok(1, ev{"EFFECT_CANCELLED", map[string]any{"effectId": "e9"}})},
			"EFFECT_CANCELLED references unknown effectId e9"},
		"unknown status": {[][2]string{ok(1, requested("e1", "a")), ok(2, resolved("e1", "maybe"))},
			"Unknown EFFECT_RESOLVED status 'maybe'"},
		"no effect id":     {[][2]string{ok(1, without("effectId"))}, "missing effectId"},
		"no key":           {[][2]string{ok(1, without("invocationKey"))}, "missing invocationKey"},
		"no task":          {[][2]string{ok(1, without("taskId"))}, "missing taskId"},
		"no definition":    {[][2]string{ok(1, without("taskDefRef"))}, "missing taskDefRef"},
		"no data":          {[][2]string{ok(1, ev{"EFFECT_REQUESTED", nil})}, "missing effectId"},
		"inputs":           {[][2]string{ok(1, with(requested("e1", "a"), "inputsRef", ""))}, "inputsRef"},
		"labels":           {[][2]string{ok(1, with(requested("e1", "a"), "labels", "x"))}, "labels"},
		"label of another": {[][2]string{ok(1, with(requested("e1", "a"), "labels", []any{1}))}, "labels"},
		"result": {[][2]string{ok(1, requested("e1", "a")), ok(2, with(resolved("e1", "ok"), "resultRef", 5))},
			"resultRef"},
	} {
		r := newReplay()
		for _, f := range c.files {
			r.add(f[0], []byte(f[1]), nil)
		}
		if len(r.damages) != 1 || !strings.Contains(r.damages[0], c.want) {
			t.Errorf("%s: %q, want %q", name, r.damages, c.want)
		}
	}
}

// TestReplayLenient: what run:status takes as it is is taken here as well.
func TestReplayLenient(t *testing.T) {
	for name, text := range map[string]string{
		"a text": `"RUN_COMPLETED"`, "a number": "5", "a list": "[]", "no type": "{}", "type null": `{"type":null}`,
		"type number": `{"type":7}`,
		"data null":   `{"type":"RUN_CREATED","data":null}`,
		"bad time":    `{"type":"RUN_CREATED","recordedAt":"yesterday","data":{}}`, "case": `{"TYPE":"RUN_COMPLETED"}`,
		"cost": `{"type":"COST_TRACKED","data":"none"}`, "spaces": " \n{}\n ",
	} {
		r := newReplay()
		r.add("000001.A.json", []byte(text), nil)
		if len(r.damages) > 0 || r.state() != "created" {
			t.Errorf("%s: %s %v", name, r.state(), r.damages)
		}
	}
	r := newReplay()
	r.add("1.A.json", []byte(`{"type":"RUN_COMPLETED","type":"RUN_FAILED"}`), nil)
	if r.state() != "failed" {
		t.Error("of two members of a name the last one counts")
	}
	r.add("2.B.x.json", []byte(`{"type":"EFFECT_REQUESTED","data":{"effectId":"e","invocationKey":"k","stepId":"s",`+
		`"taskId":"t","taskDefRef":"r","kind":null}}`), nil)
	r.add("3.C.json", []byte(`{"type":"EFFECT_REQUESTED","data":{"effectId":"f","invocationKey":"l","stepId":"s",`+
		`"taskId":"t","taskDefRef":"r","kind":3}}`), nil)
	r.add("4.D.json", []byte(`{"type":"RUN_CREATED"}`), nil)
	if d := cmp.Diff(map[string]int{"unknown": 1, "3": 1}, r.pendingByKind()); d != "" || r.state() != "waiting" ||
		len(r.damages) > 0 {
		t.Error(d, r.state(), r.damages)
	}
}

// TestChecksum: an event that was changed is taken, as the program takes it, and told.
func TestChecksum(t *testing.T) {
	good := eventFile(ev{"RUN_CREATED", map[string]any{"a": 1}}, noon)
	for name, c := range map[string]struct {
		text string
		bad  int
		none int
	}{
		"good": {good, 0, 0}, "changed": {strings.Replace(good, `"a": 1`, `"a": 2`, 1), 1, 0},
		"other form": {strings.ReplaceAll(good, "\n", "\r\n"), 1, 0},
		"none":       {`{"type":"RUN_CREATED","data":{}}`, 0, 1}, "not a text": {`{"type":"RUN_CREATED","checksum":5}`, 0, 1},
	} {
		r := newReplay()
		r.add("000001.A.json", []byte(c.text), nil)
		if len(r.badSums) != c.bad || r.noSums != c.none || len(r.damages) > 0 || r.state() != "created" {
			t.Errorf("%s: %v %d %v", name, r.badSums, r.noSums, r.damages)
		}
	}
}

// FuzzReplay: no journal panics; the state is one of the five words; what is pending adds up; the same journal says
// the same.
func FuzzReplay(f *testing.F) {
	for _, events := range [][]ev{{begun}, {begun, requested("e1", "breakpoint")}, {begun, requested("e1", "sleep"),
		resolved("e1", "ok"), {"RUN_COMPLETED", nil}},
		{begun, {"RUN_FAILED", map[string]any{"error": map[string]any{"message": "Journal sequence gap"}}}}} {
		var all []string
		for i, e := range events {
			all = append(all, fmt.Sprintf("%06d.U%d.json", i+1, i+1), eventFile(e, noon))
		}
		f.Add(strings.Join(all, "\x00"))
	}
	f.Add("1.A.json\x00{\"type\":{\"a\":[]},\"data\":[1]}\x001.json\x00null\x00\x00")
	f.Fuzz(func(t *testing.T, text string) {
		parts := strings.Split(text, "\x00")
		first, second := newReplay(), newReplay()
		for _, r := range []*replay{first, second} {
			for i := 0; i+1 < len(parts); i += 2 {
				r.add(parts[i], []byte(parts[i+1]), nil)
			}
		}
		sum := 0
		for _, n := range first.pendingByKind() {
			sum += n
		}
		if !strings.Contains(" created waiting completed halted failed ", " "+first.state()+" ") ||
			sum != len(first.pending()) || sum > first.files ||
			first.state() == "waiting" && sum == 0 || len(first.damages) > maxShown {
			t.Fatalf("%s, %d pending of %d files, %v", first.state(), sum, first.files, first.damages)
		}
		a, _ := json.Marshal(first.pendingByKind())
		b, _ := json.Marshal(second.pendingByKind())
		if first.state() != second.state() || string(a) != string(b) {
			t.Fatal("two readings differ")
		}
	})
}
