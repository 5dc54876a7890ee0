package report

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"recovery/internal/audit"
	"recovery/internal/journal"
	"recovery/inventory"
	"recovery/review"
)

// invented is a report of n sessions that has something in every list, as a real account would.
func invented(n int) Report {
	r := empty(clock)
	r.Places, r.Complete, r.Found = []Place{{"claude-1", "studio"}}, true, n
	verdicts := []string{review.VerdictDone, review.VerdictOwner, review.VerdictDuplicate, review.VerdictHeld}
	for i := range n {
		short := fmt.Sprintf("%08x", 0x10000000+i*7919)
		link := "https://claude.ai/code/session_" + short
		at := func(d time.Duration) time.Time { return clock.Add(d - time.Duration(i)*time.Minute) }
		reply := at(-time.Minute)
		v := &review.Verdict{Verdict: verdicts[i%4], Item: fmt.Sprintf("OPS-%d", 4000+i), Open: []string{"pay the refund",
			"answer the customer"}, Go: "pays the refund and answers the customer", ActsTwiceWith: []string{}, Recommend: "go"}
		if i%9 == 0 {
			v.MoneyAtRisk, v.PersonWaiting = "129.00 EUR", "the customer, since three days"
		}
		e := Entry{Place: r.Places[0], SessionName: inventory.SessionName{Short: short, SessionID: short +
			"-0000-4000-8000-000000000000", Link: &link, Title: fmt.Sprintf("session number %d", i)}, Cwd: "/srv/work/support",
			Why: []string{"its review can be read"}, Verdict: v,
			Next: "recovery read " + short, Role: "single", Folder: "clean on main, 0 ahead", AlsoIn: []Place{},
			Review: &review.Review{Answered: true, Started: true, Reply: strings.Repeat("The order was paid once, the refund "+
				"was not sent.\n", 20), Verdict: v, ReplyAt: &reply, Defects: []review.Defect{},
				Tools: []review.Tool{{ID: "t1", Name: "Read", Class: audit.Read, Summary: "plan.md", Reason: "reads a file",
					Result: review.Done}, {ID: "t2", Name: "Bash", Class: audit.Unknown, Summary: "./check.sh",
					Reason: "a program of the folder", Result: review.Denied, Network: true}}},
			Story: []Moment{{at(-12 * time.Hour), MomentCreated, "made"}, {at(-10 * time.Hour), MomentActive,
				"its last turn: complete"}, {at(-2 * time.Hour), MomentEnded, "retired: idle 8h"}, {at(-3 * time.Minute),
				MomentWoken, "woken for a review: woken"},
				{reply, MomentReviewed, "its review says " + v.Verdict}}}
		lists := r.lists()
		l := lists[i%len(lists)]
		if l.Name == "finished" {
			e.Message = &Message{Kind: "wrap", Text: "SESSION WRAP\n\nIF YOU ARE " + short + "\n",
				Before: "pin the session first"}
		}
		if l.Name == "duplicates" {
			e.Role, e.Owner = "duplicate", fmt.Sprintf("%08x", 0x10000000+(i-3)*7919)
		}
		*l.Entries = append(*l.Entries, e)
	}
	r.Unmatched = append(r.Unmatched, Unmatched{r.Places[0], inventory.NoJob{ID: "session_9",
		Title: "draft the newsletter", Kind: "cloud", Link: "https://claude.ai/code/session_9", WhatToDo: "open its thread"}})
	r.LeftOut = append(r.LeftOut, LeftOut{r.Places[0], inventory.LeftOut{Reason: "archived", Count: 4}})
	r.finish(time.Time{})
	return r
}

func TestPageOfNothing(t *testing.T) {
	for name, r := range map[string]Report{
		"empty": empty(clock), "zero": {},
		"bare entries": {Owners: []Entry{{}, {Verdict: &review.Verdict{}}, {Review: &review.Review{}},
			{Message: &Message{}, Story: []Moment{{}}}}, First: []Point{{}}, Typed: []Entry{{}},
			Duplicates: []Entry{{Owner: "1c132171"}},
			Unmatched:  []Unmatched{{}}, Groups: []Group{{}}, Captures: []Capture{{}}, Expiring: []Point{{}},
			Defects: []Defect{{}}, Elsewhere: []Elsewhere{{}}},
	} {
		t.Run(name, func(t *testing.T) {
			data := pageOf(t, r)
			clean(t, data)
			if bytes.Contains(data, []byte("0001-01-01")) {
				t.Error("a time that is not known is shown as one")
			}
		})
	}
	if data := pageOf(t, empty(clock)); !strings.Contains(words(parse(t, data)), "No session is listed.") {
		t.Error("an empty report does not say so")
	}
}

func TestSameInputSameBytes(t *testing.T) {
	r := invented(40)
	first := pageOf(t, r)
	for range 3 {
		if !bytes.Equal(first, pageOf(t, r)) {
			t.Fatal("two pages of one report differ")
		}
	}
}

func TestLeadsAreOneCardForASession(t *testing.T) {
	p := Place{"claude-1", "studio"}
	r := empty(clock)
	r.Places = []Place{p, {"claude-2", "studio"}}
	r.Owners = []Entry{{Place: p, SessionName: inventory.SessionName{Short: "00000001", Title: "one"}}}
	r.First = []Point{
		{Place: p, Code: FirstTwice, SessionName: inventory.SessionName{Short: "00000001"},
			Text: "would act twice with 00000002", Next: "read it"},
		{Place: p, Code: FirstMoney, SessionName: inventory.SessionName{Short: "00000001"}, Text: "9 EUR", Next: "read it"},
		{Place: Place{"claude-2", "studio"}, Code: FirstMoney, SessionName: inventory.SessionName{Short: "00000001"},
			Text: "another account's", Next: "read it"},
	}
	r.Defects = []Defect{{p, journal.OpenDefect{DefectData: journal.DefectData{Code: "copy", Text: "a copy was made",
		Next: "stop it: claude stop 00000001"}, Session: "00000001", At: clock}}}
	page := newPage(r)
	got := page.Sections[0].Leads
	if len(got) != 2 || len(got[0].Points) != 3 || len(got[1].Points) != 1 || got[0].To == "" || got[1].To != "" {
		t.Fatalf("%+v", got)
	}
	for i, want := range []string{"Defect", "Money at risk", "Would act twice"} {
		if b := got[0].Points[i].Badge.Text; b != want {
			t.Errorf("badge %d is %q, want %q", i, b, want)
		}
	}
	if n := got[0].Nexts; len(n) != 2 || n[0].Command != "recovery ack 00000001" {
		t.Errorf("next: %+v", n)
	}
}

func TestDuplicateLeadsToItsOwner(t *testing.T) {
	r := invented(40)
	root := parse(t, pageOf(t, r))
	owner := r.Duplicates[0].Owner
	for _, a := range elements(root, "article") {
		if attr(a, "id") != "s-"+r.Duplicates[0].Short {
			continue
		}
		for _, l := range elements(a, "a") {
			if attr(l, "href") == "#s-"+owner {
				return
			}
		}
	}
	t.Errorf("the card of %s has no link to %s", r.Duplicates[0].Short, owner)
}

// TestLongTexts holds the page together when a session wrote far too much, and says where the rest is.
func TestLongTexts(t *testing.T) {
	r := invented(3)
	e := &r.ArchiveNow[0]
	e.Title, e.Cwd, e.Why = strings.Repeat("w", 1<<20), "/"+strings.Repeat("d/", 1<<16), slicesOf("why", 5000)
	e.Review.Reply = strings.Repeat("0123456789", 100_000)
	e.Story = nil
	for i := range 5000 {
		e.Review.Tools = append(e.Review.Tools, review.Tool{Name: "Read", Class: audit.Read, Summary: fmt.Sprint(i)})
		e.Story = append(e.Story, Moment{clock.Add(-time.Duration(i) * time.Second), MomentActive, "x"})
	}
	e.Review.Tools = append(e.Review.Tools, review.Tool{Name: "Write", Class: audit.Write, Summary: "the-one-write"})
	data := pageOf(t, r)
	clean(t, data)
	said := words(parse(t, data))
	for _, want := range []string{"recovery last-reply " + e.Short, "959 KB of 1.0 MB are left out", "recovery audit " +
		e.Short, "4802 more calls are left out", "the-one-write", "4940 moments in the middle are left out",
		"and 4800 more"} {
		if !strings.Contains(strings.Join(strings.Fields(said), " "), want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	if len(data) > 1<<20 {
		t.Errorf("the page has %d bytes", len(data))
	}
}

func slicesOf(s string, n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = s
	}
	return out
}

func TestThousandsOfSessions(t *testing.T) {
	if testing.Short() {
		t.Skip("one thread: the race detector has nothing to see in it")
	}
	r := invented(2000)
	start := time.Now()
	data := pageOf(t, r)
	t.Logf("%d bytes in %s", len(data), time.Since(start))
	if len(data) > 64<<20 {
		t.Errorf("the page has %d bytes", len(data))
	}
	if took := time.Since(start); took > time.Minute {
		t.Errorf("it took %s", took)
	}
}

func BenchmarkPageOf2000(b *testing.B) {
	r := invented(2000)
	for b.Loop() {
		data := pageOf(b, r)
		b.SetBytes(int64(len(data)))
	}
}

func TestBar(t *testing.T) {
	p := newPage(invented(2000))
	if p.Total != 2001 {
		t.Errorf("%d", p.Total)
	}
	last := p.Bar[len(p.Bar)-1]
	if last.Class != "unmatched" || last.Count != 1 || last.Labelled {
		t.Errorf("%+v", last)
	}
	var x, w float64
	if _, err := fmt.Sscanf(last.X+" "+last.Width, "%f%% %f%%", &x, &w); err != nil || x+w < 99.9 || x+w > 100.1 || w < 1 {
		t.Errorf("the bar ends at %f, its last part is %f wide (%v)", x+w, w, err)
	}
	if want := "2001 sessions: 223 to archive now, 223 wrapped, to be looked at first, 222 waiting for one go, 222 " +
		"finished and still to be wrapped, " +
		"222 held, 222 owned by another session, 222 unclear, 222 not woken, 222 live and 1 on other surfaces."; p.Summary != want {
		t.Errorf("%q", p.Summary)
	}
}

func TestStory(t *testing.T) {
	v := storyOf("x", []Moment{
		{clock.Add(-time.Minute), MomentWoken, "w"}, {clock.Add(-10 * time.Hour), MomentCreated, "made"},
		{clock.Add(-8 * time.Hour), MomentActive, "a"}, {clock.Add(-2 * time.Hour), MomentEnded, "retired"},
		{time.Time{}, MomentReviewed, "no time"},
	}, clock)
	var classes, kinds []string
	for _, s := range v.Spans {
		classes = append(classes, s.Class)
	}
	for _, m := range v.Moments {
		kinds = append(kinds, m.Kind)
	}
	if got := strings.Join(classes, " "); got != "active idle offline active" {
		t.Errorf("spans %s", got)
	}
	if got := strings.Join(kinds, " "); got != "reviewed created active ended woken" {
		t.Errorf("moments %s", got)
	}
	if len(v.Marks) != 4 || v.Now == nil || v.Moments[0].At != nil || v.Moments[1].Then != "active for 2 hours" ||
		v.Moments[2].Then != "idle for 6 hours" || v.Moments[3].Then != "offline for 119 minutes" {
		t.Errorf("%+v", v)
	}
	if !strings.HasPrefix(v.Label, "Line of time: made 29 Nov 2026, 02:00 UTC; last active 29 Nov 2026, 04:00 UTC;") {
		t.Errorf("%q", v.Label)
	}
	if storyOf("x", nil, clock) != nil {
		t.Error("a story of nothing")
	}
}
