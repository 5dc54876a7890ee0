package standing

import (
	"slices"
	"strings"
	"testing"
	"time"

	"recovery/internal/account"
	"recovery/internal/journal"
	"recovery/inventory"
	"recovery/review"
)

// failedReview is a session whose review ended in an error of the client.
func failedReview(said string, live account.LiveState, deferred time.Time) Input {
	f := inventory.Facts{Job: &account.Job{Short: "0a0b0c0d"}, Live: account.Liveness{State: live}}
	return Input{Short: "0a0b0c0d", Seen: true, Facts: &f, Deferred: deferred,
		Journal: &journal.Session{Short: "0a0b0c0d", Wakes: []*journal.Wake{{Intent: journal.Intent{PromptID: "p"},
			Result: &journal.OutcomeData{PromptID: "p", Outcome: "woken", Sent: true}}}},
		Review: &review.Review{Started: true, Error: said}}
}

// TestTheNextAfterAnErrorIsItsRemedy: a nudge, or one more wake, meets the same error until its cause is seen to.
func TestTheNextAfterAnErrorIsItsRemedy(t *testing.T) {
	until := time.Date(2026, 5, 3, 15, 0, 0, 0, time.UTC)
	nudge, again := []string{"message", "nudge", "0a0b0c0d"}, []string{"resume", "--again", "0a0b0c0d"}
	for said, c := range map[string]struct {
		live account.LiveState
		do   string // part of the act; empty when the command is all
		run  []string
		late bool
	}{
		"Invalid API key · Fix external API key":              {account.Live, "sign in again", nudge, false},
		"Login expired · Please run /login":                   {account.Offline, "sign in again", again, false},
		"Prompt is too long":                                  {account.Live, "type /compact", nudge, false},
		"Context limit reached · /compact or /clear":          {account.Offline, "claude attach 0a0b0c0d", nudge, false},
		"You've hit your session limit · resets 3pm":          {account.Live, "", nudge, true},
		"API Error: 529 Overloaded":                           {account.Offline, "", again, true},
		"Credit balance is too low":                           {account.Live, "credit", nudge, false},
		"There's an issue with the selected model (claude-9)": {account.Live, "/model", nudge, false},
		"API Error: Connection error.":                        {account.Live, "", nudge, false},
		"API Error: 500 Internal server error":                {account.Offline, "", again, false},
	} {
		t.Run(said, func(t *testing.T) {
			s := Of(failedReview(said, c.live, until))
			n := s.Next
			if s.Place != Error || !strings.Contains(n.Do, c.do) || (n.Do == "") != (c.do == "") ||
				!slices.Equal(n.Run, c.run) || n.After.Equal(until) != c.late {
				t.Errorf("%s: %s", s.Place, n)
			}
			told := slices.ContainsFunc(s.Why, func(w string) bool { return strings.Contains(w, said) })
			if !strings.Contains(s.WaitsFor, said) || !told {
				t.Errorf("the client's words are lost: %q %q", s.WaitsFor, s.Why)
			}
		})
	}
}

// TestALimitThatIsOverPutsNothingOff.
func TestALimitThatIsOverPutsNothingOff(t *testing.T) {
	if n := Of(failedReview("You've hit your session limit", account.Live, time.Time{})).Next; !n.After.IsZero() {
		t.Error(n)
	}
}

// TestAnErrorOfTheAccountComesBeforeTheNextWake: every session would meet it.
func TestAnErrorOfTheAccountComesBeforeTheNextWake(t *testing.T) {
	passes := Standing{Short: "11111111", Place: Pass, Next: Run("resume", "11111111")}
	for said, first := range map[string]bool{"Login expired · Please run /login": true, "Credit balance is too low": true,
		"Prompt is too long": false, "API Error: Connection error.": false} {
		next := Whole([]Standing{passes, Of(failedReview(said, account.Live, time.Time{}))}, time.Time{})
		if got := !slices.Equal(next.Run, passes.Next.Run); got != first {
			t.Errorf("%s: %s", said, next)
		}
	}
}
