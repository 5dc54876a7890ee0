package report

import (
	"strings"
	"testing"
	"time"

	"recovery/internal/account"
	"recovery/internal/audit"
	"recovery/internal/journal"
	"recovery/inventory"
	"recovery/review"
	"recovery/standing"
)

// TestEvidenceIsNotClaimed: a list says of a session only what was looked at, and the next command is the one that
// helps.
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
		"a wrap, and a review that cannot be read": {sent("00000001", "DONE", "DONE"),
			&review.Review{Unclear: "its end is lost"}, "look first", "its end is lost", "only read",
			"look at what is listed here before you archive it, then: recovery read 00000001"},
		"a wrap, and a review without an answer": {sent("00000001", "", "DONE"), &silent, "look first", "was not checked",
			"only read", ""},
		"a wrap, and no call": {sent("00000001", "DONE", "DONE"), &done, "archive", "no tool call",
			"all only read", ""},
		"a wrap, and a denied write": {sent("00000001", "DONE", "DONE"), &denied, "archive",
			"1 that would write or cannot be judged were denied", "all only read", ""},
		"only the lines of a wrap": {sent("00000001", "DONE", "NOT-A-WRAP"), &done, "finished", "no real one",
			"", ""},
		"held with a defect": {sent("00000001", "DONE", "HELD"), &review.Review{Answered: true,
			Defects: []review.Defect{{Code: "write", Text: "Edit"}}}, "held", "defect write: Edit", "", ""},
		"not trusted": {outcome("untrusted"), &review.Review{}, "unclear", "trust its folder",
			"", "recovery trust 00000001"},
		"saved": {outcome("saved"), &review.Review{}, "unclear",
			"waits in it for its next start", "", "recovery resume --nudge 00000001"},
		"a copy": {outcome("copy"), &review.Review{}, "unclear", "went to a copy", "",
			"recovery resume --again 00000001"},
		"an open intention": {intended, &review.Review{}, "unclear", "open intention", "",
			"recovery resume 00000001"},
		"woken": {outcome("woken"), &silent, "unclear", "not answered yet", "open:",
			"recovery read --wait 10m 00000001"},
	} {
		st := state(c.session)
		at := where(st, func(string) (review.Review, bool) { return *c.review, true })
		r := Build(Input{Inventory: listed("00000001"), State: st, Now: clock, Standing: at})
		if got := lists(t, r)["00000001"]; got != c.list {
			t.Errorf("%s: it stands in %q, want %q", name, got, c.list)
		}
		for _, l := range r.lists() {
			for _, e := range *l.Entries {
				why := strings.Join(e.Why, "\n")
				if !strings.Contains(why, c.says) || c.not != "" && strings.Contains(why, c.not) || c.next != "" &&
					e.Next != c.next {
					t.Errorf("%s: next %q, why:\n%s", name, e.Next, why)
				}
			}
		}
	}
}

// TestAWrapWithoutAReview: a real wrap that nobody reviewed is finished; that its calls were not checked is said.
func TestAWrapWithoutAReview(t *testing.T) {
	st := state(&journal.Session{Short: "00000001", Wrap: &journal.WrapData{State: "DONE", ClosingLine: "closing"}})
	r := Build(Input{Inventory: listed("00000001"), State: st, Now: clock, Standing: where(st, nil)})
	if len(r.ArchiveNow) != 1 || !strings.Contains(strings.Join(r.ArchiveNow[0].Why, "\n"), "its calls were not checked") {
		t.Errorf("%+v", r.ArchiveNow)
	}
}

// TestUnrecordedDefectsLead: a write that nobody has read yet is what matters most all the same.
func TestUnrecordedDefectsLead(t *testing.T) {
	rev := review.Review{Answered: true, Verdict: &review.Verdict{Verdict: "DONE"},
		Defects: []review.Defect{{Code: "write", Text: "Edit a.go"}}}
	st := state(sent("00000001", "DONE", ""))
	fresh := review.Unrecorded(nil, "00000001", &rev)
	at := func(short string) standing.Standing {
		return standing.Of(standing.Input{Short: short, Journal: st.Sessions[short], Review: &rev, Defects: fresh})
	}
	r := Build(Input{Inventory: listed("00000001"), State: st, Now: clock, Standing: at,
		Unrecorded: func(string) []journal.DefectData { return fresh }})
	if len(r.Defects) != 1 || len(r.First) != 1 || r.First[0].Code != FirstDefect || !strings.Contains(r.First[0].Next,
		"claude stop 00000001") {
		t.Errorf("%+v %+v", r.Defects, r.First)
	}
}

// TestGoneJobs: a session whose job is no longer there is not sent to commands that need it.
func TestGoneJobs(t *testing.T) {
	st := state(sent("00000001", "DONE", ""))
	at := func(short string) standing.Standing {
		return standing.Of(standing.Input{Short: short, Seen: true, Journal: st.Sessions[short]})
	}
	r := Build(Input{Inventory: listed("00000001", "00000002"), State: st, Now: clock, Standing: at})
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
	if len(r.Warnings) != 2 || !strings.Contains(r.Warnings[0], "recovery inventory") || !strings.Contains(r.Warnings[1],
		"newer recovery") {
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
	st := state(sent("00000001", "DONE", "DONE"), sent("00000002", "DONE", ""), sent("00000003", "DONE", ""))
	r := Build(Input{Inventory: inv, State: st, Now: clock,
		Folder: func(dir string) string { looked[dir]++; return "clean" },
		Standing: where(st, func(string) (review.Review, bool) {
			return review.Review{Answered: true, Verdict: &review.Verdict{Verdict: "DONE"}}, true
		})})
	if looked["/a"] != 1 || looked["/b"] != 1 || r.ArchiveNow[0].Folder != "clean" || r.Finished[0].Folder != "clean" {
		t.Errorf("%v %+v", looked, r.Finished)
	}
}

// TestArchivedSince: what the user archived after the inventory was made is not listed to be archived, and is counted
// once.
func TestArchivedSince(t *testing.T) {
	inv := listed("00000001", "00000002")
	inv.TakenAt = clock.Add(-time.Hour)
	jobs := map[string]*account.Job{"00000001": {Short: "00000001", Archived: true, UpdatedAt: clock},
		"00000002": {Short: "00000002", Archived: true, UpdatedAt: clock.Add(-2 * time.Hour)}}
	st := state(sent("00000001", "DONE", "DONE"))
	at := func(short string) standing.Standing {
		f := inventory.Facts{Job: jobs[short], Live: account.Liveness{State: account.Offline}}
		return standing.Of(standing.Input{Short: short, Seen: true, Facts: &f, Journal: st.Sessions[short], Listed: true,
			TakenAt: inv.TakenAt})
	}
	r := Build(Input{Inventory: inv, State: st, Now: clock, Standing: at})
	if len(r.NotWoken) != 1 || r.NotWoken[0].Short != "00000002" || len(r.LeftOut) != 1 || r.LeftOut[0].Count != 1 ||
		len(r.ArchiveNow) != 0 {
		t.Errorf("%+v %+v", r.NotWoken, r.LeftOut)
	}
	if s := StatusOf(inv, st, at, clock); len(s.Items) != 1 || s.Items[0].Short != "00000002" {
		t.Errorf("status lists %+v", s.Items)
	}
}
