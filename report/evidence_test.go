package report

import (
	"strings"
	"testing"
	"time"

	"recovery/internal/account"
	"recovery/internal/audit"
	"recovery/internal/journal"
	"recovery/review"
)

// TestEvidenceIsNotClaimed: a list says of a session only what was looked at, and the next command is the one that helps.
func TestEvidenceIsNotClaimed(t *testing.T) {
	done := review.Review{Answered: true, Started: true, Verdict: &review.Verdict{Verdict: "DONE"}}
	outcome := func(outcome journal.Outcome) *journal.Session {
		s := sent("00000001", "", "")
		s.Wakes[0].Result.Outcome = outcome
		return s
	}
	intended := sent("00000001", "", "")
	intended.Wakes[0].Result = nil
	denied := done
	denied.Tools = []review.Tool{{Class: audit.Read, Result: review.Done}, {Class: audit.Write, Result: review.Denied}}
	silent := review.Review{Started: true}
	for name, c := range map[string]struct {
		session *journal.Session
		review  *review.Review
		list    string
		says    string
		not     string
		next    string
	}{
		"a wrap, and a review that cannot be read": {sent("00000001", "DONE", "DONE"), &review.Review{Unclear: "its end is lost"}, "unclear", "its end is lost", "only read", "recovery read 00000001"},
		"a wrap, and a review without an answer":   {sent("00000001", "", "DONE"), &silent, "unclear", "was not checked", "only read", ""},
		"a wrap, and no call":                      {sent("00000001", "DONE", "DONE"), &done, "archive", "no tool call", "all only read", ""},
		"a wrap, and a denied write":               {sent("00000001", "DONE", "DONE"), &denied, "archive", "1 that would write or cannot be judged were denied", "all only read", ""},
		"only the lines of a wrap":                 {sent("00000001", "DONE", "NOT-A-WRAP"), &done, "finished", "no real one", "", ""},
		"held with a defect":                       {sent("00000001", "DONE", "HELD"), &review.Review{Answered: true, Defects: []review.Defect{{Code: "write", Text: "Edit"}}}, "held", "defect write: Edit", "", ""},
		"not trusted":                              {outcome("untrusted"), &review.Review{}, "unclear", "trust its folder", "", "recovery trust 00000001, then: recovery resume --nudge 00000001"},
		"saved":                                    {outcome("saved"), &review.Review{}, "unclear", "waits in it for its next start", "", "recovery resume --nudge 00000001"},
		"a copy":                                   {outcome("copy"), &review.Review{}, "unclear", "you to look", "", "recovery events --session 00000001"},
		"an open intention":                        {intended, &review.Review{}, "unclear", "open intention", "", "recovery resume 00000001"},
		"woken":                                    {outcome("woken"), &silent, "unclear", "not answered yet", "open:", "recovery read --wait 10m 00000001"},
	} {
		r := Build(Input{Inventory: listed("00000001"), State: state(c.session), Now: clock, Review: func(string) (review.Review, bool) { return *c.review, true }})
		if got := lists(t, r)["00000001"]; got != c.list {
			t.Errorf("%s: it stands in %q, want %q", name, got, c.list)
		}
		for _, l := range r.lists() {
			for _, e := range *l.Entries {
				why := strings.Join(e.Why, "\n")
				if !strings.Contains(why, c.says) || c.not != "" && strings.Contains(why, c.not) || c.next != "" && e.Next != c.next {
					t.Errorf("%s: next %q, why:\n%s", name, e.Next, why)
				}
			}
		}
	}
}

// TestAWrapWithoutAReview: what nobody reviewed is not to be archived, and its wrap is told.
func TestAWrapWithoutAReview(t *testing.T) {
	s := &journal.Session{Short: "00000001", Wrap: &journal.WrapData{State: "DONE", ClosingLine: "closing"}}
	r := Build(Input{Inventory: listed("00000001"), State: state(s), Now: clock, Review: func(string) (review.Review, bool) { return review.Review{}, false }})
	if len(r.NotWoken) != 1 || !strings.Contains(r.NotWoken[0].Why[0], "it wrapped (closing)") || len(r.NotWoken[0].Why) != 2 {
		t.Errorf("%+v", r.NotWoken)
	}
}

// TestUnrecordedDefectsLead: a write that nobody has read yet is what matters most all the same.
func TestUnrecordedDefectsLead(t *testing.T) {
	rev := review.Review{Answered: true, Verdict: &review.Verdict{Verdict: "DONE"}, Defects: []review.Defect{{Code: "write", Text: "Edit a.go"}}}
	r := Build(Input{Inventory: listed("00000001"), State: state(sent("00000001", "DONE", "")), Now: clock, Review: func(string) (review.Review, bool) { return rev, true },
		Unrecorded: func(short string, rev *review.Review) []journal.DefectData { return review.Unrecorded(nil, short, rev) }})
	if len(r.Defects) != 1 || len(r.First) != 1 || r.First[0].Code != FirstDefect || !strings.Contains(r.First[0].Next, "claude stop 00000001") {
		t.Errorf("%+v %+v", r.Defects, r.First)
	}
}

// TestGoneJobs: a session whose job is no longer there is not sent to commands that need it.
func TestGoneJobs(t *testing.T) {
	look := &Look{Jobs: &account.Jobs{ByShort: map[string]*account.Job{}}}
	r := Build(Input{Inventory: listed("00000001", "00000002"), State: state(sent("00000001", "DONE", "DONE")), Look: look, Now: clock, Review: func(string) (review.Review, bool) { return review.Review{}, false }})
	for _, e := range append(append([]Entry{}, r.Unclear...), r.NotWoken...) {
		if !strings.Contains(strings.Join(e.Why, " "), "no job in this account") || strings.Contains(e.Next, e.Short) {
			t.Errorf("%s: %q, next %q", e.Short, e.Why, e.Next)
		}
	}
	if len(r.Unclear) != 1 || len(r.NotWoken) != 1 {
		t.Errorf("unclear %d, not woken %d", len(r.Unclear), len(r.NotWoken))
	}
}

// TestOldInventory: an inventory of another day is told, and so is a journal that is only half understood.
func TestOldInventory(t *testing.T) {
	inv := listed()
	inv.TakenAt = clock.Add(-30 * time.Hour)
	st := state()
	st.Unknown = 2
	r := Build(Input{Inventory: inv, State: st, Now: clock})
	if len(r.Warnings) != 2 || !strings.Contains(r.Warnings[0], "recovery inventory") || !strings.Contains(r.Warnings[1], "newer recovery") {
		t.Errorf("%q", r.Warnings)
	}
}

// TestAFolderIsLookedAtOnce: many sessions work in one folder, and a look at it may take seconds.
func TestAFolderIsLookedAtOnce(t *testing.T) {
	inv := listed("00000001", "00000002", "00000003")
	for i, dir := range []string{"/a", "/a", "/b"} {
		inv.Items[i].Cwd = dir
	}
	looked := map[string]int{}
	r := Build(Input{Inventory: inv, State: state(sent("00000001", "DONE", "DONE"), sent("00000002", "DONE", ""), sent("00000003", "DONE", "")), Now: clock,
		Folder: func(dir string) string { looked[dir]++; return "clean" },
		Review: func(string) (review.Review, bool) {
			return review.Review{Answered: true, Verdict: &review.Verdict{Verdict: "DONE"}}, true
		}})
	if looked["/a"] != 1 || looked["/b"] != 1 || r.ArchiveNow[0].Folder != "clean" || r.Finished[0].Folder != "clean" {
		t.Errorf("%v %+v", looked, r.Finished)
	}
}

// TestArchivedSince: what the user archived after the inventory was made is not listed to be archived, and is counted.
func TestArchivedSince(t *testing.T) {
	inv := listed("00000001", "00000002")
	inv.TakenAt = clock.Add(-time.Hour)
	jobs := &account.Jobs{ByShort: map[string]*account.Job{"00000001": {Short: "00000001", Archived: true, UpdatedAt: clock}, "00000002": {Short: "00000002", Archived: true, UpdatedAt: clock.Add(-2 * time.Hour)}}}
	r := Build(Input{Inventory: inv, State: state(), Look: &Look{Jobs: jobs}, Now: clock, Review: func(string) (review.Review, bool) { return review.Review{}, false }})
	if len(r.NotWoken) != 1 || r.NotWoken[0].Short != "00000002" || len(r.LeftOut) != 1 || r.LeftOut[0].Count != 1 {
		t.Errorf("%+v %+v", r.NotWoken, r.LeftOut)
	}
}
