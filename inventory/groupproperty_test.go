package inventory

import (
	"fmt"
	"math/rand"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// drawRows draws a backlog out of few words, ids and runs, so that sessions meet often.
func drawRows(t *rapid.T) []Row {
	pick := func(label string, from ...string) string { return rapid.SampledFrom(from).Draw(t, label) }
	n := rapid.IntRange(0, 14).Draw(t, "sessions")
	rows := make([]Row, n)
	for i := range rows {
		short := fmt.Sprintf("%08x", i+1)
		made := now.Add(-time.Duration(rapid.IntRange(0, 400).Draw(t, "age")) * time.Hour)
		r := Row{Short: short, SessionID: short + "-0000-4000-8000-000000000000", Repo: pick("repo", "", "/w/a", "/w/b"),
			CreatedAt:  made,
			LastActive: made.Add(time.Duration(rapid.IntRange(0, 50).Draw(t, "active")) * time.Hour)}
		r.Title = pick("title", "", "AB-1 cart", "AB-2 cart", "ab 1 again", "AB-1 and AB-2", "alert 991", "INC-77 cart",
			"PR #12", "UTF-8", "PROC-9 task")
		r.First = pick("first", "", "continue", "Work on AB-1.", "Take over AB-2 like AB-1.",
			"https://github.com/x/a/pull/12",
			"Make the footer of the help pages stick to the bottom.",
			"Please make the footer of the help pages stick to the bottom.",
			"Make the header of the help pages stick to the top.", "修复首页加载太慢的问题，并写测试。", "PROC-9 says how. "+pick("task",
				"Paint the gate.", "Count all lots.", "Write to them."))
		r.Reply = pick("reply", "", "Done.", "It is AB-2.", "Opened PR #12.")
		if pick("copied", "no", "yes") == "yes" {
			for k := range rapid.IntRange(1, 4).Draw(t, "lines") {
				r.Lead = append(r.Lead, fmt.Sprintf("%s%d", pick("run", "x", "x", "y"), k))
			}
			r.FirstLead = rapid.IntRange(0, len(r.Lead)).Draw(t, "first line")
		}
		if i > 0 && pick("names", "no", "no", "no", "yes") == "yes" {
			r.ForkParent = rows[rapid.IntRange(0, i-1).Draw(t, "parent")].SessionID
		}
		if i > 0 && pick("goes on", "no", "no", "no", "no", "yes") == "yes" {
			r.ContinuedIn = []string{rows[rapid.IntRange(0, i-1).Draw(t, "went on in")].SessionID}
		}
		rows[i] = r
	}
	return rows
}

func TestPropertyGroupsDoNotDependOnOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows := drawRows(t)
		groups, notes := GroupRows(rows)
		other := slices.Clone(rows)
		rand.New(rand.NewSource(rapid.Int64().Draw(t, "seed"))).Shuffle(len(other), func(i, j int) {
			other[i],
				other[j] = other[j], other[i]
		})
		again, notesAgain := GroupRows(other)
		if diff := cmp.Diff(groups, again) + cmp.Diff(notes, notesAgain); diff != "" {
			t.Fatal(diff)
		}
	})
}

func TestPropertyGroupsAreWhole(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows := drawRows(t)
		known, in, groupNames := map[string]bool{}, map[string]string{}, map[string]bool{}
		for i := range rows {
			known[rows[i].Key()] = true
		}
		groups, _ := GroupRows(rows)
		for _, g := range groups {
			if len(g.Members) < 2 || !slices.Contains(g.Members, g.Owner) || g.Reason == "" || g.Why == "" || g.Name == "" ||
				groupNames[g.Name] {
				t.Fatalf("%+v", g)
			}
			groupNames[g.Name] = true
			for _, m := range g.Members {
				if !known[m] || in[m] != "" {
					t.Fatalf("%s of %+v is unknown, or in %s too", m, g, in[m])
				}
				in[m] = g.Name
			}
		}
	})
}

func TestPropertyASessionAloneIsInNoGroup(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		for _, r := range drawRows(t) {
			if groups, _ := GroupRows([]Row{r}); len(groups) > 0 {
				t.Fatalf("%+v", groups)
			}
			// Given twice, by two reports of one account, it is still one session.
			if groups, _ := GroupRows([]Row{r, r}); len(groups) > 0 {
				t.Fatalf("%+v", groups)
			}
		}
	})
}

func TestPropertyAnUnrelatedSessionChangesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows := drawRows(t)
		groups, notes := GroupRows(rows)
		more := slices.Clone(rows)
		for i := range rapid.IntRange(1, 5).Draw(t, "strangers") {
			more = append(more, Row{Short: fmt.Sprintf("%08x", rapid.Uint32Range(1<<20, 1<<31).Draw(t, "short")+uint32(i)),
				Title: fmt.Sprintf("ZZ-%d0 boat", i+1), First: fmt.Sprintf("Varnish hull number %d0 of the regatta before noon.",
					i+1),
				Repo: "/w/a", Lead: []string{fmt.Sprintf("z%d", i)}, CreatedAt: now, LastActive: now})
		}
		again, notesAgain := GroupRows(more)
		if diff := cmp.Diff(groups, again) + cmp.Diff(notes, notesAgain); diff != "" {
			t.Fatal(diff)
		}
	})
}

// TestCorpusAsOneBacklog groups all sets at once: sets have nothing to do with each other, and each comes out as it
// does alone.
func TestCorpusAsOneBacklog(t *testing.T) {
	if testing.Short() {
		t.Skip("one thread: the race detector has nothing to see in it")
	}
	var rows []Row
	var want, got []string
	for _, c := range corpus(t) {
		own, _ := c.rows(t)
		if slices.ContainsFunc(own, func(r Row) bool { return r.Host != "" || r.Account != "" }) || slices.ContainsFunc(c.S,
			func(s corpusSession) bool { return s.Repo != "" }) {
			continue // these sets share made-up machines and folders with each other
		}
		rows = append(rows, own...)
		alone, _ := GroupRows(own)
		for _, g := range alone {
			want = append(want, fmt.Sprint(g.Members))
		}
	}
	groups, _ := GroupRows(rows)
	for _, g := range groups {
		got = append(got, fmt.Sprint(g.Members))
	}
	slices.Sort(want)
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
