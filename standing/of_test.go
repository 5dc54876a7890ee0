package standing

import (
	"slices"
	"strings"
	"testing"

	"recovery/internal/audit"
	"recovery/internal/journal"
	"recovery/queuecheck"
	"recovery/review"
	"recovery/wrap"
)

// TestItWentOnActing: a session that acted on after its review is shown so wherever it stands, and its wrap is looked
// at first.
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

// TestWhatAPersonWroteBehindAnUnclearReview: it may be reviewed anew, and what the review left to look at is still
// told.
func TestWhatAPersonWroteBehindAnUnclearReview(t *testing.T) {
	for name, r := range map[string]*review.Review{
		"no verdict": {Unclear: "it has no verdict block"},
		"a write": {Verdict: &review.Verdict{Verdict: review.VerdictDone},
			Defects: []review.Defect{{Code: review.DefectWrite, Text: "it wrote a file"}}},
	} {
		r.Answered, r.Started, r.UserAfter = true, true, true
		st := Of(Input{Short: "1a2b3c4d", Review: r})
		told := doubts(r)[0]
		if st.Place != OutOfDate || !strings.Contains(st.WaitsFor, told) || !slices.Contains(st.Why, told) {
			t.Errorf("%s: %s, waits for %q, why %q", name, st.Place, st.WaitsFor, st.Why)
		}
	}
}

// TestAnUnclearReviewLeadsOn: what is left of an unclear review is a person's, so read does not lead to itself alone.
func TestAnUnclearReviewLeadsOn(t *testing.T) {
	for name, r := range map[string]*review.Review{
		"no verdict": {Answered: true, Started: true, Unclear: "no block"},
		"it wrote": {Answered: true, Started: true, Verdict: &review.Verdict{Verdict: review.VerdictDone},
			Defects: []review.Defect{{Code: "write", Text: "wrote x"}}},
		"not judged": {Answered: true, Started: true, Verdict: &review.Verdict{Verdict: review.VerdictDone},
			Tools: []review.Tool{{Class: audit.Unknown, Result: "done"}}},
	} {
		st := Of(Input{Short: "1a2b3c4d", Review: r})
		if st.Place != Unclear || st.Next.Do == "" || !slices.Equal(st.Next.Run, []string{"read", "1a2b3c4d"}) {
			t.Errorf("%s: %s, %+v", name, st.Place, st.Next)
		}
	}
}

// TestBackgroundWorkIsToldAfterAReview: what goes on in a reviewed session is told wherever it stands, live or not.
func TestBackgroundWorkIsToldAfterAReview(t *testing.T) {
	const going = "work that it started has no end on record: agent: \"book the hotel\""
	c := &queuecheck.Result{Verdict: queuecheck.Blocked, Reasons: []queuecheck.Reason{{Code: "live", Text: "it is live"},
		{Code: "background", Text: going}}}
	for _, verdict := range []string{review.VerdictOwner, review.VerdictDone, review.VerdictHeld,
		review.VerdictDuplicate} {
		r := &review.Review{Answered: true, Started: true, Verdict: &review.Verdict{Verdict: verdict}}
		st := Of(Input{Short: "1a2b3c4d", Review: r, Check: c})
		if n := strings.Count(strings.Join(st.Why, "\n"), going); n != 1 {
			t.Errorf("%s: told %d times in %q", verdict, n, st.Why)
		}
	}
	for _, in := range []Input{{Short: "1a2b3c4d", Check: c}, {Short: "1a2b3c4d", Check: c,
		Wrap: wrap.Status{State: wrap.Done}}} {
		st := Of(in)
		if n := strings.Count(strings.Join(st.Why, "\n"), going); n != 1 {
			t.Errorf("%s: told %d times in %q", st.Place, n, st.Why)
		}
	}
}
