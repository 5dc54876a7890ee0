package report

import (
	"strings"
	"testing"
	"time"

	"recovery/internal/audit"
	"recovery/internal/journal"
	"recovery/inventory"
	"recovery/queuecheck"
	"recovery/review"
	"recovery/standing"
	"recovery/wrap"
)

var clock = time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)

// sent makes a session of the journal that was woken, reviewed with a verdict, and wrapped in a state.
func sent(short, verdict, wrapped string) *journal.Session {
	s := &journal.Session{Short: short, Wakes: []*journal.Wake{{Intent: journal.Intent{PromptID: "p" + short,
		SessionID: short + "-x"}, At: clock,
		Result: &journal.OutcomeData{PromptID: "p" + short, Outcome: "woken", Sent: true}, ResultAt: clock}}}
	if verdict != "" {
		s.Review = &journal.ReviewData{Answered: true, Verdict: verdict}
	}
	if wrapped != "" {
		s.Wrap = &journal.WrapData{State: wrapped, ClosingLine: "closing"}
	}
	return s
}

func state(sessions ...*journal.Session) *journal.State {
	out := &journal.State{Sessions: map[string]*journal.Session{}}
	for _, s := range sessions {
		out.Sessions[s.Short] = s
	}
	return out
}

// where places sessions by the journal and their reviews alone, as an account that was not looked at.
func where(st *journal.State, reviews func(short string) (review.Review, bool)) func(string) standing.Standing {
	return func(short string) standing.Standing {
		in := standing.Input{Short: short, Journal: st.Sessions[short]}
		for _, d := range st.Defects {
			if d.Session == short {
				in.Defects = append(in.Defects, d.DefectData)
			}
		}
		if s := in.Journal; s != nil && s.Wrap != nil {
			in.Wrap = wrap.Status{State: wrap.State(s.Wrap.State), ClosingLine: s.Wrap.ClosingLine, Reason: s.Wrap.Reason}
		}
		if s := in.Journal; s != nil && s.Check != nil {
			in.Check = &queuecheck.Result{Verdict: queuecheck.Verdict(s.Check.Verdict), Open: s.Check.Codes,
				Pending: s.Check.Pending}
			for _, code := range s.Check.Codes {
				in.Check.Reasons = append(in.Check.Reasons, queuecheck.Reason{Code: code, Text: "the text of " + code})
			}
		}
		if reviews != nil {
			if rev, ok := reviews(short); ok {
				in.Review = &rev
			}
		}
		return standing.Of(in)
	}
}

func listed(shorts ...string) *inventory.Inventory {
	inv := &inventory.Inventory{Complete: true, Found: len(shorts)}
	for _, s := range shorts {
		inv.Items = append(inv.Items, inventory.Item{SessionName: inventory.SessionName{Short: s, SessionID: s + "-x",
			Title: "title of " + s}})
	}
	return inv
}

// lists gives the name of the one list in which each session stands.
func lists(t *testing.T, r Report) map[string]string {
	t.Helper()
	out := map[string]string{}
	for name, list := range map[string][]Entry{"archive": r.ArchiveNow, "look first": r.LookFirst, "owner": r.Owners,
		"finished": r.Finished, "duplicate": r.Duplicates, "held": r.Held, "unclear": r.Unclear, "not woken": r.NotWoken} {
		for _, e := range list {
			if was, twice := out[e.Short]; twice {
				t.Errorf("%s stands in %s and in %s", e.Short, was, name)
			}
			out[e.Short] = name
		}
	}
	return out
}

func TestEverySessionStandsInOneList(t *testing.T) {
	verdict := func(v string) review.Review {
		return review.Review{Answered: true, Started: true, Verdict: &review.Verdict{Verdict: v}}
	}
	unjudged := verdict("DONE")
	unjudged.Tools = []review.Tool{{Class: audit.Unknown, Result: review.Done}}
	wrote := verdict("DONE")
	wrote.Defects = []review.Defect{{Code: review.DefectWrite, Text: "x"}}
	after := verdict("OWNER")
	after.UserAfter = true
	cases := map[string]struct {
		session *journal.Session
		review  *review.Review
		list    string
	}{
		"00000001": {sent("00000001", "DONE", "DONE"), ptr(verdict("DONE")), "archive"},
		"00000002": {sent("00000002", "DONE", ""), ptr(verdict("DONE")), "finished"},
		"00000003": {sent("00000003", "OWNER", ""), ptr(verdict("OWNER")), "owner"},
		"00000004": {sent("00000004", "DUPLICATE", ""), ptr(verdict("DUPLICATE")), "duplicate"},
		"00000005": {sent("00000005", "HELD", ""), ptr(verdict("HELD")), "held"},
		"00000006": {sent("00000006", "DONE", "HELD"), ptr(verdict("DONE")), "held"},
		"00000007": {sent("00000007", "DONE", "DONE"), &unjudged, "look first"},
		"00000008": {sent("00000008", "DONE", "DONE"), &wrote, "look first"},
		"00000009": {sent("00000009", "OWNER", ""), &after, "unclear"},
		"0000000a": {sent("0000000a", "", ""), &review.Review{Started: true}, "unclear"},
		"0000000b": {&journal.Session{Short: "0000000b", Check: &journal.CheckData{Verdict: "blocked",
			Codes: []string{"live"}}}, nil, "not woken"},
		"0000000c": {sent("0000000c", "DONE", "RUNNING"), ptr(verdict("DONE")), "unclear"},
		"0000000d": {sent("0000000d", "", ""), &review.Review{Answered: true, Started: true, Unclear: "no verdict block"},
			"unclear"},
	}
	var shorts []string
	var sessions []*journal.Session
	for short, c := range cases {
		shorts, sessions = append(shorts, short), append(sessions, c.session)
	}
	st := state(sessions...)
	r := Build(Input{Inventory: listed(shorts...), State: st, Now: clock,
		Standing: where(st, func(short string) (review.Review, bool) {
			if c := cases[short].review; c != nil {
				return *c, true
			}
			return review.Review{}, false
		})})
	got := lists(t, r)
	for short, c := range cases {
		if got[short] != c.list {
			t.Errorf("%s stands in %q, want %q", short, got[short], c.list)
		}
	}
}

func ptr[T any](v T) *T { return &v }

// TestMoneyComesFirst: money at risk, then a person never answered, then what would act twice.
func TestMoneyComesFirst(t *testing.T) {
	verdicts := map[string]*review.Verdict{
		"00000001": {Verdict: "OWNER"}, "00000002": {Verdict: "OWNER", ActsTwiceWith: []string{"00000001"}},
		"00000003": {Verdict: "OWNER", PersonWaiting: "Kim"}, "00000004": {Verdict: "OWNER", MoneyAtRisk: "12 EUR"},
	}
	st := state(sent("00000001", "OWNER", ""), sent("00000002", "OWNER", ""), sent("00000003", "OWNER", ""),
		sent("00000004", "OWNER", ""))
	r := Build(Input{Inventory: listed("00000001", "00000002", "00000003", "00000004"), Now: clock, State: st,
		Standing: where(st, func(s string) (review.Review, bool) {
			return review.Review{Answered: true, Verdict: verdicts[s]},
				true
		})})
	var order []string
	for _, e := range r.Owners {
		order = append(order, e.Short)
	}
	if got := strings.Join(order, " "); got != "00000004 00000003 00000002 00000001" {
		t.Errorf("order %s", got)
	}
}

// TestMarkdownIsSafe: nothing that a session says is markup or a terminal's control code.
func TestMarkdownIsSafe(t *testing.T) {
	hostile := "\x1b[2J<script>x</script> **bold** `code` [link](javascript:x) | # head\nnext: curl evil \u202e"
	inv := listed("00000001")
	inv.Items[0].Title, inv.Items[0].Cwd = hostile, hostile
	inv.Unmatched = []inventory.NoJob{{Title: hostile, Kind: "unknown", Link: "https://claude.ai/code/session_x",
		WhatToDo: "look"}}
	s := sent("00000001", "OWNER", "")
	s.Check = &journal.CheckData{Verdict: "check", Pending: []string{hostile}}
	st := state(s)
	st.Defects = []journal.OpenDefect{{Session: "00000001", DefectData: journal.DefectData{Code: "write", Text: hostile,
		Next: hostile}}}
	r := Build(Input{Inventory: inv, State: st, Now: clock, Standing: where(st, func(string) (review.Review, bool) {
		return review.Review{Answered: true, Verdict: &review.Verdict{Verdict: "OWNER", Item: hostile,
			Open: []string{hostile}, Go: hostile, MoneyAtRisk: hostile, PersonWaiting: hostile, Recommend: hostile}}, true
	})})
	look := Status{Items: []Row{{SessionName: inventory.SessionName{Short: "00000001", Title: hostile}, Owed: hostile,
		Do: standing.Do("%s", hostile)}}, Defects: st.Defects}
	for _, md := range []string{r.Markdown(), Handoff{From: hostile, For: hostile, Why: hostile, Now: clock,
		Status: look}.Markdown()} {
		for _, bad := range []string{"\x1b", "<script>", "\u202e", "\nnext: curl", "**bold**", "[link]("} {
			if strings.Contains(md, bad) {
				t.Errorf("%q stands in:\n%s", bad, md)
			}
		}
	}
}

func TestStatusAndFinished(t *testing.T) {
	open := sent("00000001", "", "")
	open.Wakes[0].Result = nil
	says := func(v string) *review.Review {
		return &review.Review{Answered: true, Started: true, Verdict: &review.Verdict{Verdict: v}}
	}
	unjudged := says("DONE")
	unjudged.Tools = []review.Tool{{Class: audit.Unknown, Result: review.Done}}
	for name, c := range map[string]struct {
		session  *journal.Session
		review   *review.Review
		step     Step
		open     bool
		finished bool
	}{
		"an open intention":  {open, nil, StepIntended, true, false},
		"woken":              {sent("00000001", "", ""), nil, StepWoken, true, false},
		"reviewed, an owner": {sent("00000001", "OWNER", ""), says("OWNER"), StepReviewed, true, false},
		"wrapped":            {sent("00000001", "DONE", "DONE"), says("DONE"), StepWrapped, false, true},
		"held":               {sent("00000001", "DONE", "HELD"), says("DONE"), StepWrapped, true, false},
		"passed": {&journal.Session{Short: "00000001", Check: &journal.CheckData{Verdict: "pass"}}, nil,
			StepChecked, true, false},
		"turned away": {&journal.Session{Short: "00000001", Refused: &journal.RefusedData{Reason: "not trusted"},
			Check: &journal.CheckData{Verdict: "blocked", Codes: []string{"untrusted"}}}, nil, StepChecked, true, false},
		"a call not judged": {sent("00000001", "DONE", "DONE"), unjudged, StepWrapped, true, false},
		"never checked":     {&journal.Session{Short: "00000001"}, nil, StepListed, true, false},
	} {
		st := state(c.session)
		at := where(st, func(string) (review.Review, bool) {
			if c.review == nil {
				return review.Review{}, false
			}
			return *c.review, true
		})
		s := StatusOf(listed("00000001"), st, at, clock)
		if len(s.Items) != 1 || s.Items[0].Step != c.step || s.Open() != c.open {
			t.Errorf("%s: %+v, open %v", name, s.Items, s.Open())
		}
		if Finished(listed("00000001"), st, at) != c.finished {
			t.Errorf("%s: finished %v", name, !c.finished)
		}
		st.Defects = []journal.OpenDefect{{Session: "00000001"}}
		if Finished(listed("00000001"), st, at) {
			t.Errorf("%s: finished with an open defect", name)
		}
	}
}

// TestNeverWokenKeepsARecoveryOpen: a session that was listed and never woken is not dropped by the next inventory.
func TestNeverWokenKeepsARecoveryOpen(t *testing.T) {
	done := func(short string) (review.Review, bool) {
		return review.Review{Answered: true, Started: true, Verdict: &review.Verdict{Verdict: "DONE"}}, short == "00000001"
	}
	st := state(sent("00000001", "DONE", "DONE"))
	if !Finished(listed("00000001"), st, where(st, done)) {
		t.Error("with nothing else it is finished")
	}
	if Finished(listed("00000001", "00000002"), st, where(st, done)) {
		t.Error("finished, and 00000002 was never woken")
	}
}

// TestEachPlaceHasAListAndAStep: the mapping to the report's lists and the status' steps is whole.
func TestEachPlaceHasAListAndAStep(t *testing.T) {
	for _, p := range standing.Places {
		if stepOf[p] == "" {
			t.Errorf("%s has no step", p)
		}
		if listOf[p] == "" && p != standing.Archived {
			t.Errorf("%s has no list", p)
		}
	}
}
