package queuecheck

import (
	"os"
	"strings"
	"testing"
	"time"

	"recovery/fixtures"
	"recovery/internal/journal"
	"recovery/internal/remote"
	"recovery/internal/transcript"
	"recovery/inventory"
)

// confirming is what the command line does for --confirm.
func confirming(in Input, r Result, at time.Time) Input {
	in.Journal = &journal.Session{Short: in.Facts.Job.Short, ConfirmAt: at,
		Confirm: &journal.ConfirmData{User: "olga", Fingerprint: r.Fingerprint, Reasons: r.Open}}
	return in
}

func TestConfirm(t *testing.T) {
	for name, c := range map[string]struct {
		verdict Verdict
		code    string
		change  func(*Input)
	}{
		"as it was":         {Confirmed, "confirmed", func(in *Input) {}},
		"as old as allowed": {Confirmed, "confirmed", func(in *Input) { in.Journal.ConfirmAt = now.Add(-time.Hour) }},
		"too old": {Check, "confirmation-ended",
			func(in *Input) { in.Journal.ConfirmAt = now.Add(-time.Hour - time.Second) }},
		"from the future": {Check, "confirmation-ended",
			func(in *Input) { in.Journal.ConfirmAt = now.Add(2 * time.Minute) }},
		"the session went on": {Check, "confirmation-ended", func(in *Input) { in.Evidence.Fingerprint = "another" }},
		"no fingerprint": {Check, "confirmation-ended", func(in *Input) {
			in.Evidence.Fingerprint,
				in.Journal.Confirm.Fingerprint = "", ""
		}},
		"a reason more": {Check, "confirmation-ended", func(in *Input) {
			in.Hazards = []inventory.Hazard{{Code: inventory.HazardBabysitter, Text: "bound"}}
		}},
		"a reason less":    {Confirmed, "confirmed", func(in *Input) { in.Facts.Tail.Turn = transcript.Complete }},
		"another reason":   {Check, "confirmation-ended", func(in *Input) { in.Remote = stamped(last.Add(-time.Hour)) }},
		"the page got old": {Check, "confirmation-ended", func(in *Input) { in.Remote.AsOf = now.Add(-2 * time.Hour) }},
		"nothing covered":  {Check, "confirmation-ended", func(in *Input) { in.Journal.Confirm.Reasons = nil }},
		"a newer page says that its thread went on": {Check, "confirmation-ended", func(in *Input) {
			in.Remote = stamped(in.Journal.ConfirmAt.Add(time.Second))
		}},
		"queued since then": {Blocked, "queued-prompt", func(in *Input) { in.Facts.Job.Queued = true }},
		"live since then":   {Blocked, "live", func(in *Input) { in.Facts.Live.State = "live" }},
		"it passes now": {Pass, "retirement-stamp", func(in *Input) {
			in.Facts.Tail.Turn = transcript.Complete
			in.Remote = stamped(last.Add(8 * time.Hour))
		}},
	} {
		t.Run(name, func(t *testing.T) {
			in := gapped(t)
			in.Facts.Tail.Turn = transcript.MidTurn
			first := Of(in)
			want(t, first, Check, "casualty", "gap")
			in = confirming(in, first, now.Add(-10*time.Minute))
			c.change(&in)
			got := Of(in)
			want(t, got, c.verdict, c.code)
			if got.Verdict == Confirmed && !strings.Contains(got.Reasons[len(got.Reasons)-1].Text, "olga") {
				t.Errorf("who confirmed it is not said: %+v", got.Reasons)
			}
		})
	}
}

func TestConfirmByAnAgentIsSaid(t *testing.T) {
	in := gapped(t)
	in = confirming(in, Of(in), now)
	in.Journal.Confirm.Agent = true
	got := Of(in)
	want(t, got, Confirmed)
	if !strings.Contains(got.Reasons[len(got.Reasons)-1].Text, "typed by an agent") {
		t.Errorf("%+v", got.Reasons)
	}
}

// What a confirmation leaves behind is no reason of its own: confirming again covers the same codes.
func TestConfirmAgainAfterItEnded(t *testing.T) {
	in := gapped(t)
	in = confirming(in, Of(in), now.Add(-2*time.Hour))
	again := Of(in)
	want(t, again, Check, "confirmation-ended", "gap")
	if len(again.Open) != 1 || again.Open[0] != "gap" {
		t.Fatalf("open %v", again.Open)
	}
	want(t, Of(confirming(in, again, now)), Confirmed)
}

func TestFingerprintFollowsTheSession(t *testing.T) {
	a, s := make1(t, fixtures.Session{Turns: []fixtures.Turn{fixtures.Says("a", "b"), fixtures.Unfinished("go on")}})
	fingerprint := func() string {
		t.Helper()
		r := Of(see(t, a, page(t, a, fixtures.PageOptions{})).input(t, s.Short))
		want(t, r, Check, "casualty")
		if r.Fingerprint == "" {
			t.Fatal("no fingerprint")
		}
		return r.Fingerprint
	}
	first := fingerprint()
	if again := fingerprint(); again != first {
		t.Error("it changes by itself")
	}
	in := see(t, a, page(t, a, fixtures.PageOptions{})).input(t, s.Short)
	in = confirming(in, Of(in), now)
	want(t, Of(in), Confirmed)

	data, err := os.ReadFile(s.Transcript)
	if err != nil {
		t.Fatal(err)
	}
	write := func(path string, data []byte) {
		t.Helper()
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(s.Transcript, append(data[:len(data):len(data)], "{\"type\":\"mode\",\"mode\":\"normal\"}\n"...))
	if fingerprint() == first {
		t.Error("the transcript grew and the fingerprint is the same")
	}
	grown := see(t, a).input(t, s.Short)
	grown.Journal, grown.Remote = in.Journal, in.Remote
	want(t, Of(grown), Check, "confirmation-ended")
	write(s.Transcript, data)
	if fingerprint() != first {
		t.Error("the same bytes, another fingerprint")
	}
	state, err := os.ReadFile(s.StatePath)
	if err != nil {
		t.Fatal(err)
	}
	write(s.StatePath, append(state, '\n'))
	if fingerprint() == first {
		t.Error("the job changed and the fingerprint is the same")
	}
}

// A transcript that grows between two looks at it belongs to a session that is not at rest.
func TestTranscriptThatGrowsMeanwhile(t *testing.T) {
	a, s := make1(t, fixtures.Session{})
	l := see(t, a, page(t, a, fixtures.PageOptions{}))
	f := l.world.Facts(l.world.Jobs.ByShort[s.Short])
	w, err := os.OpenFile(s.Transcript, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.WriteString("{\"type\":\"mode\",\"mode\":\"normal\"}\n"); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	in := l.input(t, s.Short)
	in.Facts, in.Evidence = f, Gather(l.account, f, nil)
	want(t, Of(in), Blocked, "transcript-unreadable")
}

func TestGatherOfNothing(t *testing.T) {
	a, s := make1(t, fixtures.Session{NoTranscript: true})
	l := see(t, a)
	in := l.input(t, s.Short)
	if in.Evidence.Fingerprint != "" || in.Evidence.Ledger.LastPerson != -1 {
		t.Errorf("evidence of no transcript: %+v", in.Evidence)
	}
	want(t, Of(in), Blocked, "no-transcript")
	f := in.Facts
	f.Location.Path = "/nowhere/gone.jsonl"
	if ev := Gather(l.account, f, &remote.Events{}); ev.Err == nil {
		t.Error("a transcript that is gone is no error")
	}
}
