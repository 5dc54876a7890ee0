package report

import (
	"slices"
	"strings"
	"testing"
	"time"

	"recovery/review"
)

// TestMergeOfMerged: a merged report is as old as the reports in it, counts no session twice, and keeps what agents
// typed to its account.
func TestMergeOfMerged(t *testing.T) {
	at := func(hours int) func(*Input) {
		return func(in *Input) {
			in.Now = clock.Add(time.Duration(hours) * time.Hour)
			in.State.Agents = []string{in.Place.Account + " typed it"}
		}
	}
	old := build(t, Place{"a", "h"}, map[string]review.Verdict{"0000000a": {Verdict: "OWNER", MoneyAtRisk: "5 EUR"}},
		at(-9))
	b := build(t, Place{"b", "h"}, map[string]review.Verdict{"0000000b": {Verdict: "HELD"}}, at(-1))
	merged := again(t, Merge([]Report{again(t, old), again(t, b)}, clock))
	fresh := build(t, Place{"a", "h"}, map[string]review.Verdict{"0000000a": {Verdict: "DONE"}}, at(-5))
	for _, reports := range [][]Report{{merged, again(t, fresh)}, {again(t, fresh), merged}, {merged, again(t, fresh),
		merged}} {
		m := again(t, Merge(reports, clock.Add(time.Hour)))
		if names(m.Finished) != "a@h/0000000a" || names(m.Owners) != "" || names(m.Held) != "b@h/0000000b" {
			t.Errorf("finished %q, owners %q, held %q", names(m.Finished), names(m.Owners), names(m.Held))
		}
		if m.Found != 2 || len(m.Places) != 2 || len(m.Parts) != 2 || len(m.Warnings) != len(reports)-1 {
			t.Errorf("found %d, places %v, parts %v, warnings %q", m.Found, m.Places, m.Parts, m.Warnings)
		}
		if agents := slices.Sorted(slices.Values(m.Agents)); !slices.Equal(agents, []string{"a@h: a typed it",
			"b@h: b typed it"}) {
			t.Errorf("agents %q", agents)
		}
	}
}

// TestMergeKnowsAConversation: by its thread, and by its local id where one side has no thread; two threads, and two
// sessions of one account, are two.
func TestMergeKnowsAConversation(t *testing.T) {
	one := func(p Place, link string, typed bool) Report {
		r := build(t, p, map[string]review.Verdict{"0000000a": {Verdict: "OWNER"}}, func(in *Input) {
			if link != "" {
				in.Inventory.Items[0].Link = &link
			}
		})
		if typed {
			r.Typed = append(r.Typed, r.Owners[0])
		}
		return again(t, r)
	}
	a, b := Place{"a", "h"}, Place{"b", "h"}
	for name, c := range map[string]struct {
		links [2]string
		want  int
	}{"one thread": {[2]string{"l", "l"}, 1}, "a thread on one side": {[2]string{"l", ""}, 1},
		"no thread": {[2]string{"", ""}, 1}, "two threads": {[2]string{"l", "k"}, 2}} {
		m := Merge([]Report{one(a, c.links[0], true), one(b, c.links[1], true)}, clock)
		if len(m.Owners) != c.want || len(m.Typed) != c.want {
			t.Errorf("%s: %d owners, %d typed, want %d", name, len(m.Owners), len(m.Typed), c.want)
		}
	}
	twins := one(a, "l", false)
	twin := twins.Owners[0]
	twin.Short = "0000000b"
	twins.Owners = append(twins.Owners, twin)
	if m := Merge([]Report{twins, one(b, "k", false)}, clock); len(m.Owners) != 3 {
		t.Errorf("owners %s", names(m.Owners))
	}
}

// TestMergeSaysWhatIsLost: two machines of one name look like one account; what only the older report has is said.
func TestMergeSaysWhatIsLost(t *testing.T) {
	p := Place{"claude", "vm"}
	old := build(t, p, map[string]review.Verdict{"0000000a": {Verdict: "OWNER"}, "0000000b": {Verdict: "OWNER"}},
		func(in *Input) { in.Now = clock.Add(-time.Hour) })
	young := build(t, p, map[string]review.Verdict{"0000000b": {Verdict: "OWNER"}}, nil)
	if m := Merge([]Report{old, young}, clock); len(m.Warnings) != 1 || !strings.Contains(m.Warnings[0], "(1)") ||
		!strings.Contains(m.Warnings[0], "two machines") {
		t.Errorf("%q", m.Warnings)
	}
}

// TestParseMends: null where a list belongs is an empty list, in what is merged too.
func TestParseMends(t *testing.T) {
	r, err := Parse([]byte(
		`{"version":1,"places":[{"account":"a","host":"h"}],"parts":null,"first":null,"counts":null,"rows":null,"warnings":null,"typed_by_agent":null,"captures":[{"proposals":null}],
"owners":[{"account":"a","host":"h","short":"0000000a","verdict":{"verdict":"OWNER","open":null},"review":{"tools":null,"verdict":{"open":null}},"why":null,"story":null}],"expiring":null,"unmatched":null}`))
	if err != nil {
		t.Fatal(err)
	}
	m := Merge([]Report{r}, clock)
	e := m.Owners[0]
	if e.Verdict.Open == nil || e.Verdict.ActsTwiceWith == nil || e.Review.Tools == nil || e.Review.Defects == nil ||
		e.Review.Verdict.Open == nil || m.Warnings == nil || r.Agents == nil {
		t.Errorf("%+v %+v", e, e.Review)
	}
}

// TestMergeLosesNoRow: a row of a place that the report does not name is told all the same.
func TestMergeLosesNoRow(t *testing.T) {
	r := build(t, Place{"a", "h"}, map[string]review.Verdict{"0000000a": {Verdict: "OWNER"},
		"0000000b": {Verdict: "OWNER"}}, nil)
	r.Owners[0].Place = Place{"", "h"}
	r.Places = append(r.Places, r.Places[0])
	m := Merge([]Report{again(t, r)}, clock)
	if len(m.Owners) != 2 || m.Found != 2 {
		t.Errorf("%s of %d", names(m.Owners), m.Found)
	}
}
