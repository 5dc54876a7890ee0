package queuecheck

import (
	"os"
	"strings"
	"testing"
	"time"

	"recovery/fixtures"
)

// Whole pages against whole transcripts. Without events the session of these tests is a check.
func TestEventsPages(t *testing.T) {
	type maker func(s fixtures.Added) []fixtures.EventOptions
	after := func(s fixtures.Added, e fixtures.Event) fixtures.Event {
		e.At = s.LastEntry.Add(30 * time.Minute)
		return e
	}
	one := func(o fixtures.EventOptions) maker {
		return func(fixtures.Added) []fixtures.EventOptions { return []fixtures.EventOptions{o} }
	}
	extra := func(o fixtures.EventOptions, e fixtures.Event) maker {
		return func(s fixtures.Added) []fixtures.EventOptions {
			o.Extra = []fixtures.Event{after(s, e)}
			return []fixtures.EventOptions{o}
		}
	}
	person := fixtures.Event{Kind: "user", Text: "yes, go ahead"}
	turns := []fixtures.Turn{fixtures.Says("First matter.", "Done."), fixtures.Says("Second matter.", "Done too.")}
	cases := map[string]struct {
		verdict Verdict
		code    string
		events  maker
	}{
		"whole":              {Pass, "events", one(fixtures.EventOptions{})},
		"only the questions": {Pass, "events", one(fixtures.EventOptions{Kinds: []string{"user"}})},
		"more further back":  {Pass, "events", one(fixtures.EventOptions{HasMore: true})},
		"reaches back to the last turn only": {Pass, "events", func(s fixtures.Added) []fixtures.EventOptions {
			return []fixtures.EventOptions{{NotBefore: s.LastEntry.Add(-10 * time.Second), HasMore: true}}
		}},
		"a person behind it": {Blocked, "queued-remotely", extra(fixtures.EventOptions{}, person)},
		"a person behind it, REST": {Blocked, "queued-remotely", extra(fixtures.EventOptions{Shape: fixtures.EventsREST},
			person)},
		"a person behind it, feed": {Blocked, "queued-remotely", extra(fixtures.EventOptions{Shape: fixtures.EventsFeed},
			person)},
		"an empty page with more": {Check, "events-incomplete", one(fixtures.EventOptions{Only: []fixtures.Event{},
			HasMore: true})},
		"an empty page": {Check, "events-incomplete", one(fixtures.EventOptions{Only: []fixtures.Event{}})},
		"empty, then the page before it": {Pass, "events", func(fixtures.Added) []fixtures.EventOptions {
			return []fixtures.EventOptions{{Only: []fixtures.Event{}, HasMore: true}, {}}
		}},
		"only what came later": {Check, "events-incomplete", func(s fixtures.Added) []fixtures.EventOptions {
			return []fixtures.EventOptions{{NotBefore: s.LastEntry.Add(time.Second), HasMore: true,
				Extra: []fixtures.Event{after(s, fixtures.Event{Kind: "result", Text: "ok"})}}}
		}},
		"only the first turn": {Check, "events-incomplete", func(s fixtures.Added) []fixtures.EventOptions {
			return []fixtures.EventOptions{{Only: []fixtures.Event{{At: s.LastEntry.Add(-70 * time.Second), Kind: "user",
				Text: "First matter."}}}}
		}},
		"stale": {Check, "evidence-old", one(fixtures.EventOptions{At: now.Add(-2 * time.Hour)})},
		"stale, and a person": {Blocked, "queued-remotely", extra(fixtures.EventOptions{At: now.Add(-2 * time.Hour)},
			person)},
	}
	for _, noise := range []fixtures.Event{
		{Kind: "user", Text: "<task-notification>x</task-notification>"},
		{Kind: "user", Text: "<cross-session-message from=\"b\">x</cross-session-message>"},
		{Kind: "user", Text: "x", Fields: map[string]any{"isSynthetic": true}}, {Kind: "user", Text: "x",
			Fields: map[string]any{"isMeta": true}},
		{Kind: "user", Text: "x", Fields: map[string]any{"parent_tool_use_id": "toolu_1"}}, {Kind: "user", Text: "x",
			Fields: map[string]any{"inbound_origin": "mcp_slack"}},
		{Kind: "result", Text: "ok"}, {Kind: "system", Text: "init"},
	} {
		cases["noise "+noise.Kind+" "+noise.Text] = struct {
			verdict Verdict
			code    string
			events  maker
		}{Pass, "events", extra(fixtures.EventOptions{}, noise)}
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			a, s := make1(t, fixtures.Session{Turns: turns, RemoteUpdatedAt: last.Add(8*time.Hour + 20*time.Minute)})
			var paths []string
			for i, o := range c.events(s) {
				path, err := a.SaveEvents(s.Short, "events-"+string(rune('a'+i))+".json", o)
				if err != nil {
					t.Fatal(err)
				}
				paths = append(paths, path)
			}
			l := see(t, a, page(t, a, fixtures.PageOptions{}))
			want(t, Of(l.input(t, s.Short)), Check, "gap")
			want(t, Of(l.input(t, s.Short, paths...)), c.verdict, c.code)
		})
	}
}

// The client's own commands behind the last turn are no turn: the page holds the last turn all the same. A command that
// the model answers is one.
func TestEventsAndLocalCommands(t *testing.T) {
	local := func(text string) string {
		return `{"type":"user","uuid":"99999999-1111-4111-8111-` + strings.Repeat("a", 12) +
			`","timestamp":"2026-09-03T01:59:59.000Z","isSidechain":false,"message":{"role":"user","content":"` + text + `"}}` +
			"\n"
	}
	command := local(`<command-name>/status</command-name>`)
	out := local(`<local-command-stdout>all well</local-command-stdout>`)
	for name, c := range map[string]struct {
		behind  string
		verdict Verdict
	}{
		"a local command":         {command + out, Pass},
		"only its output":         {out, Pass},
		"two of them":             {command + out + command + out, Pass},
		"a command for the model": {command, Check},
	} {
		t.Run(name, func(t *testing.T) {
			a, s := make1(t, fixtures.Session{RemoteUpdatedAt: last.Add(8*time.Hour + 20*time.Minute)})
			events, err := a.SaveEvents(s.Short, "events.json", fixtures.EventOptions{})
			if err != nil {
				t.Fatal(err)
			}
			f, err := os.OpenFile(s.Transcript, os.O_APPEND|os.O_WRONLY, 0)
			if err != nil {
				t.Fatal(err)
			}
			_, err = f.WriteString(c.behind)
			if err2 := f.Close(); err != nil || err2 != nil {
				t.Fatal(err, err2)
			}
			l := see(t, a, page(t, a, fixtures.PageOptions{}))
			in := l.input(t, s.Short, events)
			if c.verdict == Check && len(in.Evidence.LastTurn) > 0 {
				t.Errorf("the last turn is the command's, and the page holds %v", in.Evidence.LastTurn)
			}
			want(t, Of(in), c.verdict)
		})
	}
}

// A person's message that is in the transcript was delivered, whatever line it came back as.
func TestEventsInTheTranscript(t *testing.T) {
	a, s := make1(t, fixtures.Session{Turns: []fixtures.Turn{fixtures.Says("First.", "Done."),
		fixtures.QueuedSays("Second, typed while it was busy.", "Done too.")}, RemoteUpdatedAt: last.Add(8*time.Hour +
		20*time.Minute)})
	own, err := a.Events(s.Short)
	if err != nil || len(own) == 0 {
		t.Fatal(own, err)
	}
	// The thread shows the message later than the transcript has it: the uuid decides.
	for i := range own {
		own[i].At = own[i].At.Add(2 * time.Hour)
		own[i].UUID = strings.ToUpper(own[i].UUID)
	}
	events, err := a.SaveEvents(s.Short, "events.json", fixtures.EventOptions{Only: own})
	if err != nil {
		t.Fatal(err)
	}
	want(t, Of(see(t, a, page(t, a, fixtures.PageOptions{})).input(t, s.Short, events)), Pass, "events")
}
