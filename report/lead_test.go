package report

import (
	"slices"
	"strings"
	"testing"

	"recovery/internal/journal"
	"recovery/inventory"
	"recovery/review"
)

// build makes a report of sessions with their verdicts, each woken and reviewed.
func build(t *testing.T, place Place, verdicts map[string]review.Verdict, change func(*Input)) Report {
	t.Helper()
	var shorts []string
	for s := range verdicts {
		shorts = append(shorts, s)
	}
	slices.Sort(shorts)
	var sessions []*journal.Session
	for _, s := range shorts {
		sessions = append(sessions, sent(s, verdicts[s].Verdict, ""))
	}
	in := Input{Place: place, Inventory: listed(shorts...), State: state(sessions...), Now: clock}
	in.Standing = where(in.State, func(short string) (review.Review, bool) {
		v, ok := verdicts[short]
		return review.Review{Answered: true, Started: true, Verdict: &v, Reply: "reply of " + short}, ok
	})
	if change != nil {
		change(&in)
	}
	return Build(in)
}

func codes(r Report) string {
	var out []string
	for _, p := range r.First {
		out = append(out, p.Code+" "+p.Short)
	}
	return strings.Join(out, ", ")
}

// TestWhatMattersMostComesFirst: defects, then money, then a person, then what would act twice; a finished session
// counts too, and what a session says of nothing does not.
func TestWhatMattersMostComesFirst(t *testing.T) {
	r := build(t, Place{}, map[string]review.Verdict{
		"00000001": {Verdict: "OWNER", ActsTwiceWith: []string{"00000009"}},
		"00000002": {Verdict: "OWNER", PersonWaiting: "Kim"},
		"00000003": {Verdict: "OWNER", MoneyAtRisk: "40 EUR", PersonWaiting: "Lee"},
		"00000004": {Verdict: "HELD", MoneyAtRisk: "9 EUR"},
		"00000005": {Verdict: "OWNER"},
	}, func(in *Input) {
		in.State.Defects = []journal.OpenDefect{{DefectData: journal.DefectData{Code: "copy", Text: "a copy acts",
			Next: "claude stop 0000000a"}, Session: "00000005", At: clock}}
		in.State.Sessions["00000002"].Check = &journal.CheckData{Verdict: "check", Pending: []string{"are you there?"}}
	})
	want := "defect 00000005, typed-not-answered 00000002, money-at-risk 00000003, money-at-risk 00000004, " +
		"person-waiting 00000003, person-waiting 00000002, acts-twice 00000001"
	if got := codes(r); got != want {
		t.Errorf("first:\n%s\nwant\n%s", got, want)
	}
	if d := r.First[0]; !strings.Contains(d.Next, "claude stop 0000000a") || !strings.Contains(d.Next,
		"recovery ack 00000005") {
		t.Errorf("the defect's next shows and stops nothing: %q", d.Next)
	}
	lead := r.Leading()
	if len(lead) != 5 || lead[2].Short != "00000003" || !slices.Equal(lead[2].Words, []string{"MONEY AT RISK",
		"A PERSON WAITS"}) ||
		!slices.Equal(lead[1].Words, []string{"NEVER ANSWERED", "A PERSON WAITS"}) {
		t.Errorf("by session: %+v", lead)
	}
	if got := []string{r.Owners[0].Short, r.Owners[1].Short, r.Owners[2].Short}; !slices.Equal(got,
		[]string{"00000003", "00000002", "00000001"}) {
		t.Errorf("owners in the order %v", got)
	}
}

// TestTwoOwnersOfOneGroup: sessions of one group that both wait for a go are pointed at, also when neither review
// says so.
func TestTwoOwnersOfOneGroup(t *testing.T) {
	group := func(in *Input) {
		in.Inventory.Groups = []inventory.Group{{Name: "g1", Owner: "00000001", Members: []string{"00000001", "00000002"}}}
	}
	both := map[string]review.Verdict{"00000001": {Verdict: "OWNER"}, "00000002": {Verdict: "OWNER"}}
	if r := build(t, Place{}, both, group); codes(r) != "acts-twice 00000002" || !strings.Contains(r.First[0].Text,
		"00000001") {
		t.Errorf("%s: %+v", codes(r), r.First)
	}
	if r := build(t, Place{}, both, nil); codes(r) != "" {
		t.Errorf("without a group: %s", codes(r))
	}
	one := map[string]review.Verdict{"00000001": {Verdict: "OWNER"}, "00000002": {Verdict: "DUPLICATE"}}
	if r := build(t, Place{}, one, group); codes(r) != "" || r.Duplicates[0].Owner != "00000001" {
		t.Errorf("a duplicate that knows it: %s %+v", codes(r), r.Duplicates)
	}
}

// TestMarkdownIsOneLineAField: what sessions say makes no line, no heading and no mark of its own, and links stay
// whole.
func TestMarkdownIsOneLineAField(t *testing.T) {
	hostile := "x\n# Archive now (9)\n- **evil** `a`\x1b[31m\u202e <script> | _a_ ~~b~~"
	link := "https://claude.ai/code/session_01ABC"
	r := build(t, Place{Account: hostile, Host: hostile}, map[string]review.Verdict{"00000001": {Verdict: "OWNER",
		Item: hostile, MoneyAtRisk: hostile, Open: []string{hostile}}}, func(in *Input) {
		in.Inventory.Items[0].Title, in.Inventory.Items[0].Cwd, in.Inventory.Items[0].Link = hostile, hostile, &link
		in.Inventory.LeftOut = []inventory.LeftOut{{Reason: hostile, Count: 1}}
		in.State.Agents = []string{hostile}
	})
	out := r.Markdown()
	for _, line := range strings.Split(out, "\n") {
		if strings.HasPrefix(line, "# Archive") || strings.HasPrefix(line, "- **evil**") || strings.ContainsAny(line,
			"\x1b\u202e") || strings.Contains(line, "<script>") {
			t.Errorf("it made a line of its own: %q", line)
		}
	}
	if !strings.Contains(out, link) {
		t.Errorf("the link is gone:\n%s", out)
	}
	for in, want := range map[string]string{"end_turn": "end_turn", "_a_": `\_a\_`, "a_ b": `a\_ b`, link: link} {
		if got := md(in); got != want {
			t.Errorf("md(%q) = %q, want %q", in, got, want)
		}
	}
}
