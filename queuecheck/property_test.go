package queuecheck

import (
	"fmt"
	"testing"
	"time"

	"recovery/internal/account"
	"recovery/internal/journal"
	"recovery/internal/remote"
	"recovery/internal/transcript"
	"recovery/inventory"

	"pgregory.net/rapid"
)

// rank orders the verdicts: what allows a wake comes first.
var rank = map[Verdict]int{Pass: 0, Confirmed: 1, Check: 2, Blocked: 3}

// danger is a piece of evidence that speaks against a wake.
type danger struct {
	name   string
	blocks bool
	add    func(*Input)
	// inFile says that the evidence is in the transcript: with it, the transcript is another one.
	inFile bool
}

func dangers() []danger {
	return []danger{
		{"live", true, func(in *Input) { in.Facts.Live.State = account.Live }, false},
		{"unknown", true, func(in *Input) { in.Facts.Live.State = account.Unknown }, false},
		{"exec", true, func(in *Input) { in.Facts.Job.Template = "exec" }, false},
		{"own", true, func(in *Input) { in.Self = Self{Short: in.Facts.Job.Short} }, false},
		{"bad job", true, func(in *Input) { in.Facts.Job.Problem = "is not valid JSON" }, false},
		{"queued", true, func(in *Input) { in.Facts.Job.Queued, in.Facts.Job.QueuedPrompt = true, "yes" }, false},
		{"in flight", true, func(in *Input) { in.Facts.Job.InFlightQueue++ }, false},
		{"empty", true, func(in *Input) { in.Facts.Tail.Turn = transcript.Empty }, false},
		{"turn unknown", true, func(in *Input) { in.Facts.Tail.Turn = transcript.UnknownTurn }, false},
		{"problem", true, func(in *Input) { in.Facts.Problem = "two transcripts" }, false},
		{"unread", true, func(in *Input) { in.Evidence.Err = fmt.Errorf("short read") }, false},
		{"folder gone", true, func(in *Input) { in.Facts.FolderGone = true }, false},
		{"folder", true, func(in *Input) { in.Facts.FolderProblem = "denied" }, false},
		{"continued", true, func(in *Input) { in.Facts.Tail.ContinuedIn = "another session" }, false},
		{"event", true, func(in *Input) { in.addEvent(remote.Event{At: now, Person: true, Text: "yes"}) }, false},
		{"event without time", true, func(in *Input) { in.addEvent(remote.Event{UUID: "q", Person: true, Text: "yes"}) },
			false},
		{"pending", false, func(in *Input) {
			in.Evidence.Ledger.Pending = append(in.Evidence.Ledger.Pending, transcript.Pending{Text: "x"})
		}, true},
		{"cron", false, func(in *Input) { in.Evidence.Ledger.Crons = []string{"send the digest"} }, true},
		{"bad line", false, func(in *Input) { in.Evidence.Ledger.BadHides = true }, true},
		{"token limit", false, func(in *Input) { in.Facts.Tail.Stop = "max_tokens" }, true},
		{"hazard", false, func(in *Input) { in.Hazards = append(in.Hazards, inventory.Hazard{Code: "self-wake", Text: "x"}) },
			false},
		{"no checks", false, func(in *Input) {
			in.Hazards = append(in.Hazards, inventory.Hazard{Code: "skips-permission-checks", Text: "x"})
		}, false},
	}
}

func (in *Input) addEvent(e remote.Event) {
	ev := remote.Events{AsOf: now}
	if in.Events != nil {
		ev = *in.Events
	}
	ev.Items = append(append([]remote.Event{}, ev.Items...), e)
	in.Events = &ev
}

// draw makes a session in any state, without danger of its own.
func draw(t *rapid.T) Input {
	seconds := func(name string, from, to int) time.Duration {
		return time.Duration(rapid.IntRange(from, to).Draw(t, name)) * time.Second
	}
	in := Input{
		Facts: inventory.Facts{
			Job: &account.Job{Short: testShort, SessionID: testID, ResumeSessionID: testID,
				Template: rapid.SampledFrom([]string{"bg", "claude", "reviewer", ""}).Draw(t, "template")},
			Live:     account.Liveness{State: account.Offline},
			Location: transcript.Location{Path: "/nowhere/" + testID + ".jsonl"},
			Tail: transcript.Tail{Turn: rapid.SampledFrom([]transcript.TurnState{transcript.Complete, transcript.Complete,
				transcript.MidTurn, transcript.Waiting, transcript.ErrorTurn}).Draw(t, "turn"),
				Stop: "end_turn", LastEntry: last, LastTurn: last},
		},
		Evidence: Evidence{Fingerprint: print1, Known: map[string]bool{}, LastTurn: map[string]bool{},
			TurnStart: last.Add(-time.Minute)},
		Now: now, MaxAge: time.Hour,
	}
	var lines []string
	for i := range rapid.IntRange(0, 4).Draw(t, "lines") {
		at := last.Add(seconds(fmt.Sprint("line", i), -7200, 9*3600))
		lines = append(lines, line(at, rapid.SampledFrom([]string{started, retired, settled, "bg settled SHORT (killed)"}).
			Draw(t, "text")))
	}
	in.Log = logOf(&testing.T{}, lines...)
	if rapid.Bool().Draw(t, "page") {
		in.Remote = stamped(last.Add(rapid.SampledFrom([]time.Duration{0, 30 * time.Second, -time.Hour, 8 * time.Hour,
			3 * time.Hour}).Draw(t, "updated") + seconds("more", -200, 200)))
		in.Remote.AsOf = now.Add(-seconds("age", 0, 5400))
	}
	if rapid.Bool().Draw(t, "events") {
		in.addEvent(remote.Event{UUID: "mine", At: last, Kind: "assistant"})
		in.Events.AsOf = now.Add(-seconds("events age", 0, 5400))
		if rapid.Bool().Draw(t, "reach") {
			in.Evidence.Known["mine"], in.Evidence.LastTurn["mine"] = true, true
		}
	}
	if rapid.Bool().Draw(t, "confirmed") {
		all := []string{"casualty", "gap", "stale-stamp", "no-remote-time", "evidence-old", "events-incomplete",
			"events-too-early"}
		in.Journal = &journal.Session{Short: testShort, ConfirmAt: now.Add(-seconds("confirmed ago", 0, 5400)),
			Confirm: &journal.ConfirmData{User: "u", Fingerprint: print1, Reasons: all}}
	}
	return in
}

func copyInput(in Input) Input {
	job := *in.Facts.Job
	in.Facts.Job = &job
	return in
}

func TestDangerNeverImprovesAVerdict(t *testing.T) {
	list := dangers()
	seen := map[Verdict]bool{}
	rapid.Check(t, func(t *rapid.T) {
		in := draw(t)
		before := Of(copyInput(in))
		seen[before.Verdict] = true
		for range rapid.IntRange(1, 4).Draw(t, "dangers") {
			d := rapid.SampledFrom(list).Draw(t, "danger")
			in = copyInput(in)
			d.add(&in)
			if d.inFile {
				in.Evidence.Fingerprint = "another"
			}
			after := Of(copyInput(in))
			switch {
			case rank[after.Verdict] < rank[before.Verdict]:
				t.Fatalf("%s turned %s into %s: %+v", d.name, before.Verdict, after.Verdict, after.Reasons)
			case d.blocks && after.Verdict != Blocked:
				t.Fatalf("%s gives %s: %+v", d.name, after.Verdict, after.Reasons)
			case after.Verdict == Pass || after.Verdict == Confirmed && before.Verdict != Confirmed:
				t.Fatalf("%s gives %s: %+v", d.name, after.Verdict, after.Reasons)
			case after.Verdict == Confirmed:
				t.Fatalf("the confirmation covers %s, which came behind it: %+v", d.name, after.Reasons)
			}
			before = after
		}
	})
	for v := range rank {
		if v != Blocked && !seen[v] {
			t.Errorf("no session was %s: the property says nothing about it", v)
		}
	}
}

func TestInvariant1LiveOrUnknownNeverPasses(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := draw(t)
		in.Facts.Live.State = rapid.SampledFrom([]account.LiveState{account.Live, account.Unknown, "", "retiring"}).Draw(t,
			"live")
		if got := Of(in); got.Verdict != Blocked {
			t.Fatalf("%q gives %s: %+v", in.Facts.Live.State, got.Verdict, got.Reasons)
		}
	})
}
