package standing

import (
	"slices"
	"strings"
	"testing"

	"recovery/internal/account"
	"recovery/internal/audit"
	"recovery/internal/journal"
	"recovery/inventory"
	"recovery/review"
)

// TestAnUnansweredReviewSaysWhatItStandsAt: what it waits with, or died at, is told with the place.
func TestAnUnansweredReviewSaysWhatItStandsAt(t *testing.T) {
	sent := &journal.Session{Short: "0a0b0c0d", Wakes: []*journal.Wake{{Intent: journal.Intent{PromptID: "p"},
		Result: &journal.OutcomeData{PromptID: "p", Outcome: "woken", Sent: true}}}}
	plan := review.Review{Started: true, Waiting: "an answer to ExitPlanMode"}
	died := plan
	died.Died = true
	silent := review.Review{Started: true, Died: true}
	failed := review.Review{Started: true, Error: "API Error: 401"}
	for _, c := range []struct {
		name  string
		rev   review.Review
		live  account.LiveState
		place Place
		says  string
	}{
		{"a plan", plan, account.Live, Waiting, "ExitPlanMode"},
		{"a plan, and it is offline now", died, account.Offline, Waiting, "ExitPlanMode"},
		{"it died", silent, account.Offline, Died, "died or was stopped"},
		{"an error, offline", failed, account.Offline, Error, "API Error: 401"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := inventory.Facts{Job: &account.Job{Short: "0a0b0c0d"}, Live: account.Liveness{State: c.live}}
			s := Of(Input{Short: "0a0b0c0d", Seen: true, Facts: &f, Journal: sent, Review: &c.rev})
			told := slices.ContainsFunc(s.Why, func(w string) bool { return strings.Contains(w, c.says) })
			if s.Place != c.place || !strings.Contains(s.WaitsFor, c.says) || !told {
				t.Errorf("%s: %q", s.Place, s.WaitsFor)
			}
			if strings.Contains(s.WaitsFor+s.Next.String(), "answer it") {
				t.Errorf("it is advised to answer: %s", s.Next)
			}
			if gone := c.live == account.Offline; gone && strings.Contains(strings.Join(s.Why, "\n")+s.WaitsFor, "it waits") {
				t.Errorf("it does not wait any more: %q %q", s.Why, s.WaitsFor)
			}
		})
	}
}

// TestWhatASessionDidAfterItsReview is told with what waits for the user.
func TestWhatASessionDidAfterItsReview(t *testing.T) {
	sent := &journal.Session{Short: "0a0b0c0d", Wakes: []*journal.Wake{{Intent: journal.Intent{PromptID: "p"},
		Result: &journal.OutcomeData{PromptID: "p", Outcome: "woken", Sent: true}}}}
	rev := review.Review{Started: true, Answered: true, Reply: "x", WentOn: true,
		Verdict: &review.Verdict{Verdict: "DONE"}, Tools: []review.Tool{{Class: audit.Read},
			{Class: audit.Read, AfterReply: true}}}
	s := Of(Input{Short: "0a0b0c0d", Journal: sent, Review: &rev})
	const said = "it went on acting after its review: 1 tool call"
	if s.Place != Finished || !strings.HasPrefix(s.WaitsFor, "you to look: "+said+"; ") || !slices.Contains(s.Why, said) {
		t.Errorf("%s: %q %q", s.Place, s.WaitsFor, s.Why)
	}
	// It is said once.
	if n := strings.Count(s.WaitsFor, "after its review"); n != 1 {
		t.Errorf("%d times: %q", n, s.WaitsFor)
	}
	if n := strings.Count(strings.Join(s.Why, "\n"), "after its review"); n != 1 {
		t.Errorf("%d times: %q", n, s.Why)
	}
}

// TestAnUncertainWakeSaysWhatTheClientSaid: its words and its exit status are in the record of the outcome.
func TestAnUncertainWakeSaysWhatTheClientSaid(t *testing.T) {
	const said = "found nowhere; the client said \"no room\", exit status 7"
	sent := &journal.Session{Short: "0a0b0c0d", Wakes: []*journal.Wake{{Intent: journal.Intent{PromptID: "p"},
		Result: &journal.OutcomeData{PromptID: "p", Outcome: journal.Uncertain, Sent: true, Reason: said}}}}
	s := Of(Input{Short: "0a0b0c0d", Journal: sent})
	if s.Place != Uncertain || !strings.Contains(strings.Join(s.Why, "\n"), said) || !strings.Contains(s.Owed, said) {
		t.Errorf("%s: %q, owed %q", s.Place, s.Why, s.Owed)
	}
}

// TestADefectHidesNoQuestion: a session that stands at a permission prompt for a write has a defect, and waits all
// the same.
func TestADefectHidesNoQuestion(t *testing.T) {
	sent := &journal.Session{Short: "0a0b0c0d", Wakes: []*journal.Wake{{Intent: journal.Intent{PromptID: "p"},
		Result: &journal.OutcomeData{PromptID: "p", Outcome: journal.Woken, Sent: true}}}}
	open := []journal.DefectData{journal.NewDefect("0a0b0c0d", "write", "write:t", "Bash pending: touch x",
		"look at its thread")}
	for _, c := range []struct {
		name string
		rev  review.Review
		says string
	}{
		{"at a question", review.Review{Started: true, Waiting: "permission prompt (approve Bash: touch x)"},
			"it waits: permission prompt"},
		{"dead at a question", review.Review{Started: true, Died: true, Waiting: "permission prompt"},
			"it was stopped, or died, while it waited for permission prompt"},
		{"an error", review.Review{Started: true, Error: "API Error: 401"}, "API Error: 401"},
		{"dead", review.Review{Started: true, Died: true}, "died or was stopped in its review"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := Of(Input{Short: "0a0b0c0d", Journal: sent, Review: &c.rev, Defects: open})
			if s.Place != HasDefect || !strings.Contains(strings.Join(s.Why, "\n"), c.says) {
				t.Errorf("%s: %q", s.Place, s.Why)
			}
			if !slices.Equal(s.Next.Run, []string{"ack", "0a0b0c0d"}) || !strings.Contains(s.WaitsFor, "touch x") {
				t.Errorf("%+v, waits for %q", s.Next, s.WaitsFor)
			}
		})
	}
}
