package standing

import (
	"slices"
	"strings"
	"testing"

	"recovery/internal/journal"
	"recovery/review"
	"recovery/wrap"
)

// TestItWentOnActing: a session that acted on after its review is shown so wherever it stands, and its wrap is looked at first.
func TestItWentOnActing(t *testing.T) {
	for _, verdict := range []string{review.VerdictOwner, review.VerdictDone, review.VerdictHeld} {
		r := &review.Review{Answered: true, Started: true, WentOn: true, Verdict: &review.Verdict{Verdict: verdict}}
		st := Of(Input{Short: "1a2b3c4d", Journal: &journal.Session{Short: "1a2b3c4d"}, Review: r})
		if said := r.Acted(); !slices.Contains(st.Why, said) || !strings.Contains(st.WaitsFor, said) {
			t.Errorf("%s: waits for %q, why %q", verdict, st.WaitsFor, st.Why)
		}
	}
	r := &review.Review{Answered: true, Started: true, WentOn: true, Verdict: &review.Verdict{Verdict: review.VerdictDone}}
	if st := Of(Input{Short: "1a2b3c4d", Review: r, Wrap: wrap.Status{State: wrap.Done}}); st.Place != LookFirst {
		t.Errorf("wrapped, and it went on acting: %s", st.Place)
	}
}

// TestWhatAPersonWroteBehindAnUnclearReview: it may be reviewed anew, and what the review left to look at is still told.
func TestWhatAPersonWroteBehindAnUnclearReview(t *testing.T) {
	for name, r := range map[string]*review.Review{
		"no verdict": {Unclear: "it has no verdict block"},
		"a write":    {Verdict: &review.Verdict{Verdict: review.VerdictDone}, Defects: []review.Defect{{Code: review.DefectWrite, Text: "it wrote a file"}}},
	} {
		r.Answered, r.Started, r.UserAfter = true, true, true
		st := Of(Input{Short: "1a2b3c4d", Review: r})
		told := doubts(r)[0]
		if st.Place != OutOfDate || !strings.Contains(st.WaitsFor, told) || !slices.Contains(st.Why, told) {
			t.Errorf("%s: %s, waits for %q, why %q", name, st.Place, st.WaitsFor, st.Why)
		}
	}
}
