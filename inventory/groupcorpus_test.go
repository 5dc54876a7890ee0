package inventory

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"gopkg.in/yaml.v3"
)

// corpusSession is one session of a set; testdata/groups/README.md says what its keys mean.
type corpusSession struct {
	ID, T, P, R string
	At, For     float64
	Repo, Lead  string
	FP          *int
	Cont, Fork  string
	Parent      string
	Host, Acct  string
}

type corpusSet struct {
	Set   string
	Rule  int
	S     []corpusSession
	G     [][]string
	Owner []string
	held  bool
	file  string
	n     int
}

// later are the files that were written after the rules; testdata/groups/README.md has their first figures.
var later = []string{"second.yaml", "third.yaml", "fourth.yaml", "fifth.yaml", "sixth.yaml", "seventh.yaml",
	"eighth.yaml", "ninth.yaml"}

// corpus reads every set. Every third one of the first files is held out.
func corpus(t testing.TB) []corpusSet {
	t.Helper()
	paths, err := filepath.Glob("testdata/groups/*.yaml")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no corpus: %v", err)
	}
	var out []corpusSet
	first := 0
	for _, path := range paths {
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		var sets []corpusSet
		d := yaml.NewDecoder(f)
		d.KnownFields(true)
		err = d.Decode(&sets)
		_ = f.Close()
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		for _, s := range sets {
			s.n, s.file = len(out), filepath.Base(path)
			if !slices.Contains(later, s.file) {
				s.held = first%3 == 2
				first++
			}
			out = append(out, s)
		}
	}
	return out
}

// rows gives the set's sessions, each with a short of its own, and a map from the short to the session's id in the set.
func (c *corpusSet) rows(t testing.TB) ([]Row, map[string]string) {
	t.Helper()
	short := func(id string) string { return fmt.Sprintf("%04x%04x", c.n, id[0]) }
	full := func(id string) string {
		if id == "" {
			return ""
		}
		return short(id) + "-0000-4000-8000-000000000000"
	}
	ids := map[string]string{}
	var rows []Row
	for _, s := range c.S {
		made := now.Add(-4000*time.Hour + time.Duration(s.At*float64(time.Hour)))
		active := s.For
		if active == 0 {
			active = 1
		}
		r := Row{Host: s.Host, Account: s.Acct, Short: short(s.ID), SessionID: full(s.ID), Title: s.T, First: s.P, Reply: s.R,
			Repo: s.Repo, ForkSession: full(s.Fork), ForkParent: full(s.Parent), CreatedAt: made,
			LastActive: made.Add(time.Duration(active * float64(time.Hour)))}
		if r.Repo == "" {
			r.Repo = fmt.Sprintf("/w/set%d", c.n)
		}
		if s.Cont != "" {
			r.ContinuedIn = []string{full(s.Cont)}
		}
		for _, run := range strings.Fields(s.Lead) {
			n, err := strconv.Atoi(run[1:])
			if err != nil {
				t.Fatalf("%s: lead %q", c.Set, s.Lead)
			}
			for i := range n {
				r.Lead = append(r.Lead, fmt.Sprintf("%d-%c-%d", c.n, run[0], i))
			}
		}
		if r.FirstLead = 1; s.FP != nil {
			r.FirstLead = *s.FP + 1
		}
		if len(r.Lead) == 0 {
			r.FirstLead = 0
		}
		ids[r.Key()] = s.ID
		rows = append(rows, r)
	}
	return rows, ids
}

// wanted are the pairs of a set that belong together.
func (c *corpusSet) wanted() map[[2]string]bool {
	out := map[[2]string]bool{}
	for _, g := range c.G {
		for i, a := range g {
			for _, b := range g[i+1:] {
				out[[2]string{min(a, b), max(a, b)}] = true
			}
		}
	}
	return out
}

// score counts pairs.
type score struct{ right, wrong, missed int }

func (s score) precision() float64 { return ratio(s.right, s.right+s.wrong) }
func (s score) recall() float64    { return ratio(s.right, s.right+s.missed) }

func ratio(a, b int) float64 {
	if b == 0 {
		return 1
	}
	return float64(a) / float64(b)
}

func (s score) String() string {
	return fmt.Sprintf("precision %.3f recall %.3f (%d right, %d wrong, %d missed)", s.precision(), s.recall(), s.right,
		s.wrong, s.missed)
}

// measure groups one set and adds its pairs: those of the groups to all, those of each rule's own edges to its rule.
func (c *corpusSet) measure(t testing.TB, all *score, rules *[4]score) (wrong, missed []string) {
	rows, ids := c.rows(t)
	g := newGraph(rows)
	g.build()
	want, got := c.wanted(), map[[2]string]bool{}
	pair := func(a, b string) [2]string { return [2]string{min(ids[a], ids[b]), max(ids[a], ids[b])} }
	for _, group := range g.groups() {
		for i, a := range group.Members {
			for _, b := range group.Members[i+1:] {
				p := pair(a, b)
				got[p] = true
				if want[p] {
					all.right++
				} else {
					all.wrong++
					wrong = append(wrong, p[0]+p[1])
				}
			}
		}
	}
	for p := range want {
		if got[p] {
			rules[c.Rule].right++
			continue
		}
		all.missed++
		rules[c.Rule].missed++
		missed = append(missed, p[0]+p[1])
	}
	for _, e := range g.edges {
		if !want[pair(g.rows[e.a].Key(), g.rows[e.b].Key())] {
			rules[e.rule].wrong++
		}
	}
	slices.Sort(wrong)
	slices.Sort(missed)
	return wrong, missed
}

// TestGroupCorpus prints precision and recall by pairs and holds them to the target.
func TestGroupCorpus(t *testing.T) {
	if testing.Short() {
		t.Skip("one thread: the race detector has nothing to see in it")
	}
	sets := corpus(t)
	if len(sets) < 150 {
		t.Errorf("%d sets, want 150 at least", len(sets))
	}
	var all score
	var rules [4]score
	parts := map[string]*score{"tuned on": {}, "held out": {}}
	byRule := map[string]*[4]score{}
	for _, c := range sets {
		name := c.file
		switch {
		case slices.Contains(later, name):
		case c.held:
			name = "held out"
		default:
			name = "tuned on"
		}
		if parts[name] == nil {
			parts[name] = &score{}
		}
		if byRule[name] == nil {
			byRule[name] = &[4]score{}
		}
		wrong, missed := c.measure(t, &all, &rules)
		c.measure(t, parts[name], byRule[name])
		// What is held out is not looked at while rules are tuned.
		if name == "tuned on" || os.Getenv("GROUPS_HELD") != "" {
			for _, p := range wrong {
				t.Logf("wrong: %s: %s", c.Set, p)
			}
			for _, p := range missed {
				t.Logf("missed: %s: %s", c.Set, p)
			}
		}
	}
	t.Logf("%d sets, all: %s", len(sets), all)
	for _, name := range ordered(parts) {
		t.Logf("%s: %s", name, parts[name])
		for rule := ruleCopies; rule < 4; rule++ {
			t.Logf("  rule %d: %s", rule, byRule[name][rule])
		}
	}
	for rule, name := range []string{"", "copies", "same item", "first prompt"} {
		if rule > 0 {
			t.Logf("rule %d (%s): %s", rule, name, rules[rule])
		}
	}
	if rules[ruleCopies].wrong > 0 {
		t.Errorf("rule 1 made %d wrong merges", rules[ruleCopies].wrong)
	}
	if all.precision() < 0.98 || all.recall() < 0.9 {
		t.Errorf("precision %.3f, recall %.3f; want 0.98 and 0.9", all.precision(), all.recall())
	}
}
