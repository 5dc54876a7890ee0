package agentsession

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"recovery/internal/sources"
)

// TestNames: the same content under whichever names.
func TestNames(t *testing.T) {
	for name, text := range map[string]string{
		"the likely ones": `{"status":"active","agent":"a","session_id":"s","current_task":"T",` +
			`"bus":{"last_message_id":"m7"},"working_state":{"completed":["c"],"pending":["p","q"]},"messages_processed":5,` +
			`"restarts":1,"checkpoint_at":"2026-11-29T12:00:00Z","started_at":"2026-11-29T11:00:00Z"}`,
		"flat": `{"state":"active","agent":"a","session":"s","task":"T","last_message_id":"m7",` +
			`"completed":["c"],"pending":["p","q"],"messages":5,"restart_count":1,"timestamp":"2026-11-29T12:00:00Z",` +
			`"start_time":"2026-11-29T11:00:00Z"}`,
		"camel case": `{"Status":"active","agentName":"a","sessionId":"s","taskContext":{"description":"T"},` +
			`"busPosition":"m7","workingState":{"completedItems":["c"],"pendingItems":[{"title":"p"},{"id":"q"}]},` +
			`"messagesProcessed":"5","restarts":1,"savedAt":"2026-11-29T13:00:00+01:00","startedAt":1795950000}`,
		"kebab case": `{"status":"active","agent":"a","id":"s","current-task":"T","bus":"m7","done":["c"],` +
			`"todo":["p","q"],"message-count":5,"restarts":"1","last-checkpoint":1795953600000,` +
			`"started":"2026-11-29t11:00:00z"}`,
		"inside": `{"session":{"id":"s","agent":"a","status":"active","started_at":"2026-11-29T11:00:00Z"},` +
			`"context":{"task":"T"},"bus":{"position":"m7"},"state":{"completed":{"c":1},"pending":{"p":1,"q":2}},` +
			`"data":{"messages_processed":5},"wrapper":{"restarts":1},"checkpoint":{"timestamp":"2026-11-29T12:00:00Z"}}`,
	} {
		c, err := parse([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		noon := time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)
		if c.status != "active" || c.agent != "a" || c.session != "s" || c.task != "T" || c.bus != "m7" ||
			c.done.text() != "1: c" || c.pending.text() != "2: p; q" || c.messages != 5 ||
			c.restarts != 1 || c.limit != 3 || !c.at.Equal(noon) || !c.started.Equal(noon.Add(-time.Hour)) || c.handoff != nil ||
			len(c.badTimes) > 0 {
			t.Errorf("%s: %+v", name, c)
		}
	}
}

// TestItems: a list under whichever form.
func TestItems(t *testing.T) {
	for text, want := range map[string]string{
		`["a","b"]`: "2: a; b", `[]`: "0", `{}`: "0", `null`: "0", `{"a":1}`: "1: a", `"a"`: "1: a", `"none"`: "0", `4`: "4",
		`0`: "0", `-1`: "", `1e99`: "", `true`: "",
		`[null,{"title":"t"},{},7,["x"],{"id":9}]`: "5: t; {}; 7; 1 tasks; 9",
		`["a","b","c","d","e","f"]`:                "6: a; b; c; d; e; …",
	} {
		c, err := parse([]byte(`{"pending":` + text + `}`))
		if err != nil || c.pending.text() != want {
			t.Errorf("%s: %q, want %q (%v)", text, c.pending.text(), want, err)
		}
	}
}

// TestHandoff: an open one is the work of another agent, one that was taken is history.
func TestHandoff(t *testing.T) {
	for text, to := range map[string]string{
		`{"handoff":{"from":"a","to":"b"}}`: "b", `{"handoff":"b"}`: "b",
		`{"handOff":{"receiver":"b","status":"pending"}}`: "b", `{"handoff":{"to":"b","accepted":false}}`: "b",
		`{"handoff":null}`: "", `{"handoff":{}}`: "", `{"handoff":""}`: "", `{"handoff":{"to":"b","status":"Accepted"}}`: "",
		`{"handoff":{"to":"b","accepted_at":"x"}}`: "",
		`{"handoff":{"to":"b","completed":true}}`:  "", `{"handoff":[1]}`: "", `{}`: "",
	} {
		c, err := parse([]byte(text))
		if err != nil || (c.handoff != nil) != (to != "") || c.handoff != nil && c.handoff.to != to {
			t.Errorf("%s: %+v %v", text, c.handoff, err)
		}
	}
}

// TestJudge walks the edges of the verdicts.
func TestJudge(t *testing.T) {
	const bus = `"bus_position":"m","pending":["p"],`
	for name, c := range map[string]struct {
		text    string
		age     time.Duration
		verdict sources.Verdict
		reason  string
	}{
		"ten minutes":   {bus + `"status":"active"`, 10 * time.Minute, sources.Person, "may be at work"},
		"a second more": {bus + `"status":"active"`, 10*time.Minute + time.Second, sources.Safe, "interrupted"},
		"clocks differ": {bus + `"status":"active"`, -30 * time.Second, sources.Person, "may be at work"},
		"future":        {bus + `"status":"active"`, -2 * time.Minute, sources.Person, "future"},
		"active, idle, young": {`"status":"active","task":null,"pending":[]`, time.Minute, sources.Person,
			"may be at work"},
		"active, idle, old": {`"status":"active","task":"None","pending":[]`, time.Hour, sources.Done,
			"nothing to resume"},
		"active, nothing recorded": {`"status":"active","bus":"m"`, time.Hour, sources.Safe, "interrupted"},
		"no bus position":          {`"status":"active","task":"T"`, time.Hour, sources.Person, "processed again"},
		"sleeping, work left":      {bus + `"status":"Sleeping"`, time.Minute, sources.Safe, "sleeps on purpose"},
		"sleeping, idle":           {`"status":"sleeping","pending":[]`, time.Minute, sources.Done, "nothing to resume"},
		"shutting down":            {bus + `"status":"shutting_down"`, time.Minute, sources.Person, "shutting down"},
		"did not shut down":        {bus + `"status":"shutting-down"`, time.Hour, sources.Person, "did not finish"},
		"shut down, nothing left": {`"status":"shutting-down","pending":[],"task":null`, time.Hour, sources.Done,
			"nothing to resume"},
		"gave up": {bus + `"status":"active","restarts":3`, time.Hour, sources.Person, "gave up"},
		"not yet": {bus + `"status":"active","restarts":2`, time.Hour, sources.Safe, "interrupted"},
		"another limit": {bus + `"status":"active","restarts":3,"wrapper":{"max_restarts":5}`, time.Hour,
			sources.Safe, "interrupted"},
		"a limit of none": {bus + `"status":"active","restarts":0,"max_restarts":0`, time.Hour, sources.Person,
			"gave up"},
		"another word": {bus + `"status":"paused"`, time.Hour, sources.Person, "paused is not one"},
		"handed off, idle": {`"status":"sleeping","pending":[],"task":null,"handoff":{"to":"b"}`, time.Hour,
			sources.Person, "belongs to b"},
	} {
		cp, err := parse([]byte("{" + c.text + "}"))
		if err != nil {
			t.Fatal(err)
		}
		if v, reason := judge(cp, noon.Add(-c.age), noon); v != c.verdict || !strings.Contains(reason, c.reason) {
			t.Errorf("%s: %s %s", name, v, reason)
		}
	}
}

// TestNeverLive: whatever a checkpoint says and however old it is, it is never called live, and never safe while it
// may be at work.
func TestNeverLive(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := checkpoint{
			status: rapid.SampledFrom([]string{"", "active", "ACTIVE", "sleeping", "shutting-down", "live", "running"}).Draw(t,
				"status"),
			task: rapid.SampledFrom([]string{"", "T"}).Draw(t, "task"), taskKnown: rapid.Bool().Draw(t, "known"),
			bus:      rapid.SampledFrom([]string{"", "m"}).Draw(t, "bus"),
			pending:  items{known: rapid.Bool().Draw(t, "list"), count: rapid.IntRange(0, 2).Draw(t, "pending")},
			restarts: rapid.IntRange(-1, 4).Draw(t, "restarts"), limit: 3,
		}
		if rapid.Bool().Draw(t, "handed off") {
			c.handoff = &handoff{}
		}
		age := time.Duration(rapid.Int64Range(-int64(time.Hour), int64(48*time.Hour)).Draw(t, "age"))
		v, reason := judge(c, noon.Add(-age), noon)
		if v == sources.Live || v == sources.Time || v == "" || reason == "" {
			t.Fatalf("%q %q", v, reason)
		}
		if v == sources.Safe && (c.handoff != nil || c.restarts >= c.limit || c.bus == "" || settled(c.status) == "active" &&
			age <= fresh || age < -ahead) {
			t.Fatalf("safe: %+v, %s old", c, age)
		}
	})
}

// FuzzCheckpoint: no checkpoint panics, and its row has bounds.
func FuzzCheckpoint(f *testing.F) {
	for _, s := range []string{`{"status":"active","task":"x","bus":{"last_message_id":1},"handoff":{"to":"b",` +
		`"context":{"key_files":["a"]}}}`, `{"pending":{"a":[]},"completed":5}`, `{`, `[]`, `"x"`,
		`{"checkpoint_at":1e400,"started_at":-1,"messages_processed":"1e9","restarts":"0x1"}`,
		`{"session":{"session":{"id":"x"}}}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := parse(data)
		if err != nil {
			return
		}
		r := row(c, "a", "s", "/p/.os/sessions/a/s/checkpoint.json", "/p/.os/sessions", noon, noon)
		size := len(r.Title) + len(r.Reason) + len(r.WaitsFor) + len(r.State)
		for _, d := range r.Details {
			size += len(d.Text)
		}
		if r.Verdict == sources.Live || r.Verdict == "" || !r.FormatInferred || r.ID != "s" || r.Cwd != "/p" ||
			size > 100_000 || c.messages < -1 || c.pending.count < 0 {
			t.Fatalf("%+v", r)
		}
	})
}

// TestSpellings: times with a blank in the middle, and files with a byte order mark, are what other writers make.
func TestSpellings(t *testing.T) {
	want := time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)
	for _, at := range []string{"2026-11-29T12:00:00Z", "2026-11-29 12:00:00Z", "2026-11-29 14:00:00.000000+02:00",
		"2026-11-29t12:00:00z", "2026-11-29 12:00:00 +00:00"} {
		c, err := parse([]byte("\ufeff{\"status\":\"active\",\"checkpoint_at\":\"" + at + "\"}"))
		if err != nil || !c.at.Equal(want) || len(c.badTimes) != 0 || c.status != "active" {
			t.Errorf("%s: %v %v %v", at, c.at, c.badTimes, err)
		}
	}
	// Without an offset nobody knows which time it is.
	if c, err := parse([]byte(`{"checkpoint_at":"2026-11-29 12:00:00"}`)); err != nil || !c.at.IsZero() ||
		len(c.badTimes) != 1 {
		t.Errorf("%v %v %v", c.at, c.badTimes, err)
	}
}
