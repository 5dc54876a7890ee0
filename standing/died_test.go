package standing

import (
	"slices"
	"strings"
	"testing"
	"time"

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
			if s.Place != c.place || !strings.Contains(s.WaitsFor, c.says) {
				t.Errorf("%s: %q", s.Place, s.WaitsFor)
			}
			if strings.Contains(s.WaitsFor+s.Next.String(), "answer it") {
				t.Errorf("it is advised to answer: %s", s.Next)
			}
		})
	}
}

// TestAfterAnError: what caused the error comes first, then the same prompt is asked for once more.
func TestAfterAnError(t *testing.T) {
	now := time.Date(2026, 9, 3, 12, 0, 0, 0, time.UTC)
	sent := &journal.Session{Short: "0a0b0c0d", Wakes: []*journal.Wake{{Intent: journal.Intent{PromptID: "p"},
		Result: &journal.OutcomeData{PromptID: "p", Outcome: "woken", Sent: true}}}}
	for said, want := range map[string]string{
		"Login expired · Please run /login":                    "sign in again, then: recovery message nudge 0a0b0c0d",
		"Prompt is too long":                                   "type /compact in its thread: it is too long to go on, then: recovery message nudge 0a0b0c0d",
		"You've hit your session limit · resets 3pm (UTC)":     "not before 2026-09-03T15:00:00Z: recovery message nudge 0a0b0c0d",
		"API Error: 529 Overloaded":                            "recovery message nudge 0a0b0c0d",
		"Credit balance is too low":                            "see to the account's credit or plan, then: recovery message nudge 0a0b0c0d",
		"API Error: Connection error.":                         "recovery message nudge 0a0b0c0d",
		"There's an issue with the selected model (claude-9).": "recovery message nudge 0a0b0c0d",
	} {
		at := now.Add(-time.Hour)
		f := inventory.Facts{Job: &account.Job{Short: "0a0b0c0d"}, Live: account.Liveness{State: account.Live}}
		s := Of(Input{Short: "0a0b0c0d", Now: now, Seen: true, Facts: &f, Journal: sent, Review: &review.Review{Started: true, Error: said, LastAt: &at}})
		if s.Place != Error || s.Next.String() != want || !strings.Contains(s.WaitsFor, said) {
			t.Errorf("%q: %s, next %q, want %q", said, s.Place, s.Next, want)
		}
	}
}

// TestWhatASessionDidAfterItsReview is told with what waits for the user.
func TestWhatASessionDidAfterItsReview(t *testing.T) {
	sent := &journal.Session{Short: "0a0b0c0d", Wakes: []*journal.Wake{{Intent: journal.Intent{PromptID: "p"},
		Result: &journal.OutcomeData{PromptID: "p", Outcome: "woken", Sent: true}}}}
	rev := review.Review{Started: true, Answered: true, Reply: "x", WentOn: true,
		Verdict: &review.Verdict{Verdict: "DONE"}, Tools: []review.Tool{{Class: audit.Read}, {Class: audit.Read, AfterReply: true}}}
	s := Of(Input{Short: "0a0b0c0d", Journal: sent, Review: &rev})
	const said = "it went on acting after its review: 1 tool call"
	if s.Place != Finished || !strings.Contains(s.WaitsFor, said) || !slices.Contains(s.Why, said) {
		t.Errorf("%s: %q %q", s.Place, s.WaitsFor, s.Why)
	}
}
