package report

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"recovery/inventory"
	"recovery/review"
)

// again is a report that went through its JSON, as one that is merged did.
func again(t *testing.T, r Report) Report {
	t.Helper()
	data, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	out, err := Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func names(list []Entry) string {
	var out []string
	for _, e := range list {
		out = append(out, e.Name()+"/"+e.Short)
	}
	return strings.Join(out, " ")
}

// TestMergeSortsByWhatMatters: the rows of all accounts stand in one order, each with its account and host.
func TestMergeSortsByWhatMatters(t *testing.T) {
	a := build(t, Place{"a", "h1"}, map[string]review.Verdict{"0000000a": {Verdict: "OWNER"},
		"0000000b": {Verdict: "OWNER", PersonWaiting: "Kim"}}, nil)
	b := build(t, Place{"b", "h2"}, map[string]review.Verdict{"0000000c": {Verdict: "OWNER", MoneyAtRisk: "9 EUR"},
		"0000000d": {Verdict: "DONE"}}, nil)
	for _, reports := range [][]Report{{a, b}, {b, a}} {
		m := Merge([]Report{again(t, reports[0]), again(t, reports[1])}, clock)
		if got := names(m.Owners); got != "b@h2/0000000c a@h1/0000000b a@h1/0000000a" {
			t.Errorf("owners %s", got)
		}
		if names(m.Finished) != "b@h2/0000000d" || m.Found != 4 || len(m.Places) != 2 ||
			m.First[0].Place != (Place{"b", "h2"}) {
			t.Errorf("%+v", m)
		}
	}
	if out := Merge([]Report{a, b}, clock).Markdown(); !strings.Contains(out, "(b@h2)") || !strings.Contains(out,
		"a@h1, b@h2") {
		t.Errorf("the places are not told:\n%s", out)
	}
}

// TestMergeTellsAConversationOnce: the newest report tells it, and names who else does; the same report twice changes
// nothing.
func TestMergeTellsAConversationOnce(t *testing.T) {
	link := "https://claude.ai/code/session_01SAME"
	linked := func(at time.Time) func(*Input) {
		return func(in *Input) {
			in.Now = at
			for i := range in.Inventory.Items {
				if in.Inventory.Items[i].Short == "0000000a" {
					in.Inventory.Items[i].Link = &link
				}
			}
		}
	}
	old := build(t, Place{"a", "h1"}, map[string]review.Verdict{"0000000a": {Verdict: "OWNER", MoneyAtRisk: "5 EUR"}},
		linked(clock.Add(-time.Hour)))
	young := build(t, Place{"b", "h2"}, map[string]review.Verdict{"0000000a": {Verdict: "DONE"},
		"0000000b": {Verdict: "HELD"}}, linked(clock))
	m := Merge([]Report{again(t, old), again(t, young)}, clock)
	if names(m.Finished) != "b@h2/0000000a" || len(m.Owners) != 0 || len(m.First) != 0 {
		t.Errorf("finished %s, owners %s, first %s", names(m.Finished), names(m.Owners), codes(m))
	}
	if !slices.Equal(m.Finished[0].AlsoIn, []Place{{"a", "h1"}}) {
		t.Errorf("also in %v", m.Finished[0].AlsoIn)
	}
	twice := Merge([]Report{young, young}, clock)
	if twice.Found != young.Found || names(twice.Finished) != names(young.Finished) ||
		names(twice.Held) != names(young.Held) || len(twice.Warnings) != 1 {
		t.Errorf("%+v", twice)
	}
	if len(twice.Finished[0].AlsoIn) != 0 {
		t.Errorf("also in %v", twice.Finished[0].AlsoIn)
	}
}

// TestMergeGroupsOverAccounts: one ticket in two accounts is one piece of work, and two goes for it are pointed at.
func TestMergeGroupsOverAccounts(t *testing.T) {
	one := func(p Place, short, title string) Report {
		r := build(t, p, map[string]review.Verdict{short: {Verdict: "OWNER"}}, nil)
		r.Rows = []inventory.Row{{Host: p.Host, Account: p.Account, Short: short, SessionID: short + "-x", Title: title,
			First: title, LastActive: clock}}
		return again(t, r)
	}
	m := Merge([]Report{one(Place{"a", "h"}, "0000000a", "Refund for ticket OPS-4711"), one(Place{"b", "h"}, "0000000b",
		"pay back OPS-4711"), one(Place{"c", "h"}, "0000000c", "tidy the docs")}, clock)
	if len(m.Groups) != 1 || len(m.Groups[0].Members) != 2 || !strings.Contains(m.Groups[0].Reason, "OPS-4711") {
		t.Fatalf("groups %+v", m.Groups)
	}
	if len(m.First) != 1 || m.First[0].Code != FirstTwice {
		t.Errorf("first %s", codes(m))
	}
	// What was merged can be merged again.
	if more := Merge([]Report{again(t, m)}, clock); len(more.Groups) != 1 || names(more.Owners) != names(m.Owners) {
		t.Errorf("%+v", more)
	}
}

// TestParseRefuses: what is no report of this version is refused with the reason.
func TestParseRefuses(t *testing.T) {
	for in, want := range map[string]string{
		"":                             "no JSON",
		"[]":                           "no JSON",
		`{"items": []}`:                "no report",
		`{"error": {"message": "x"}}`:  "error of a command",
		`{"version": 2, "places": []}`: "version 2",
		`{"version": 1, "places": []}`: "names no account",
		`{"version": 1, "places": [{"account": "a", "host": "h"}], "owners": {}}`:  "cannot be read",
		`{"version": 1, "places": [{"account": "a", "host": "h"}], "owners": [1]}`: "cannot be read",
	} {
		if _, err := Parse([]byte(in)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", in, err, want)
		}
	}
	r, err := Parse([]byte(`{"version": 1, "places": [{"account": "a", "host": "h"}], "owners": null, "held": ` +
		`[{"short": "00000001"}]}`))
	if err != nil || r.Owners == nil || r.Held[0].Why == nil {
		t.Errorf("%v %+v", err, r)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"version": 1, "places": [{"account": "a", "host": "h"}], "owners": [{"short": "00000001", ` +
		`"verdict": {"verdict": "OWNER"}}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := Parse(data)
		if err != nil {
			return
		}
		m := Merge([]Report{r, r}, clock)
		m.Markdown()
		if _, err := m.HTML(); err != nil && !strings.Contains(err.Error(), "no page yet") {
			t.Error(err)
		}
	})
}
