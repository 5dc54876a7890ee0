package inventory

import (
	"fmt"
	"testing"
	"time"

	"recovery/fixtures/long"
)

// manyRows is a backlog of n sessions: copies, tickets, one template with many names, and prompts of one kind.
func manyRows(n int) []Row {
	rows := make([]Row, n)
	for i := range rows {
		made := now.Add(-time.Duration(i%2000) * time.Hour)
		short := fmt.Sprintf("%08x", i+1)
		r := Row{Short: short, SessionID: short + "-0000-4000-8000-000000000000", Repo: fmt.Sprintf("/w/r%d", i%7),
			CreatedAt: made, LastActive: made.Add(time.Hour),
			Reply: "Done: 14 files changed, tests pass. Open: the review of PR #" + fmt.Sprint(i%900) +
				" in the other repository, and the numbers of build 4711."}
		for k := range 64 {
			r.Lead = append(r.Lead, fmt.Sprintf("%08x-%d", i-i%3*(i%50/49), k))
		}
		r.FirstLead = 1
		switch i % 4 {
		case 0:
			r.Title, r.First = fmt.Sprintf("TK-%d", i/8),
				fmt.Sprintf("Work on TK-%d: read it, reproduce it, and write a fix with a test. Process: PROC-1.", i/8)
		case 1:
			r.Title, r.First = "offer", fmt.Sprintf("Write an offer for the customer number %d from the notes in the folder. "+
				"Use the usual terms and keep it on one page.", i)
		case 2:
			r.Title, r.First = "translate", fmt.Sprintf("Translate the strings of the page w%c%c%c into swedish and keep the "+
				"placeholders as they are.", 'a'+i%26, 'a'+i/26%26, 'a'+i/676%26)
		default:
			r.Title, r.First = "mails", "Read the new mails of the support box and draft an answer to each of them."
		}
		rows[i] = r
	}
	return rows
}

func BenchmarkGroup10000(b *testing.B) {
	rows := manyRows(10_000)
	b.ResetTimer()
	for b.Loop() {
		if groups, _ := GroupRows(rows); len(groups) == 0 {
			b.Fatal("no group")
		}
	}
}

// TestGroupingComparesFewPairs holds the work to the number of sessions: all pairs of 10,000 would be 50 million.
func TestGroupingComparesFewPairs(t *testing.T) {
	if testing.Short() {
		t.Skip("long, and nothing in it for the race detector")
	}
	for _, n := range []int{500, long.Of(2_000, 10_000)} {
		begin := time.Now()
		g := newGraph(manyRows(n))
		g.build()
		t.Logf("%d sessions: %d groups, %d pairs compared, %s", n, len(g.groups()), g.compared,
			time.Since(begin).Round(time.Millisecond))
		if g.compared > 40*n {
			t.Errorf("%d sessions: %d pairs compared", n, g.compared)
		}
	}
}
