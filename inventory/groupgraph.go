package inventory

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// The rules, by what they see.
const (
	ruleCopies = 1
	ruleItem   = 2
	ruleText   = 3
)

// edge says that two rows seem to be the same work, by which rule, and why.
type edge struct {
	a, b   int
	rule   int
	reason string
}

// ordered are a map's keys in order.
func ordered[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// graph holds the rows, what was read from them, and what joins them.
type graph struct {
	rows  []Row
	items []rowItems
	edges []edge
	// lineage gives each row the number of its lineage: copies of one conversation are never told apart by what a reply
	// names.
	lineage   []int
	ancestors map[int]*ancestry
	notes     []string
	// compared counts the pairs that were looked at: it must grow with the sessions, not with their square.
	compared int
}

func (g *graph) join(a, b, rule int, reason string) {
	g.edges = append(g.edges, edge{min(a, b), max(a, b), rule, reason})
}

func (g *graph) note(format string, args ...any) {
	if n := fmt.Sprintf(format, args...); !slices.Contains(g.notes, n) {
		g.notes = append(g.notes, n)
	}
}

// sets is a disjoint-set forest over rows.
type sets []int

func newSets(n int) sets {
	s := make(sets, n)
	for i := range s {
		s[i] = i
	}
	return s
}

func (s sets) find(i int) int {
	for s[i] != i {
		s[i] = s[s[i]]
		i = s[i]
	}
	return i
}

// union keeps the smaller number as the root, so that the result does not depend on the order of calls.
func (s sets) union(a, b int) {
	a, b = s.find(a), s.find(b)
	s[max(a, b)] = min(a, b)
}

// components are the connected rows, two or more, by their first member.
func (g *graph) components() [][]int {
	s := newSets(len(g.rows))
	for _, e := range g.edges {
		s.union(e.a, e.b)
	}
	seen := map[int]bool{}
	members := map[int][]int{}
	var roots []int
	for _, e := range g.edges {
		for _, i := range []int{e.a, e.b} {
			if seen[i] {
				continue
			}
			seen[i] = true
			root := s.find(i)
			if members[root] == nil {
				roots = append(roots, root)
			}
			members[root] = append(members[root], i)
		}
	}
	slices.Sort(roots)
	out := make([][]int, 0, len(roots))
	for _, r := range roots {
		slices.Sort(members[r])
		out = append(out, members[r])
	}
	return out
}

// resolve takes apart what is connected although it holds two different items. A session that reaches into both is left
// alone: a wrong merge hides an owner, a missing one costs a second look.
func (g *graph) resolve() {
	s := newSets(len(g.rows))
	for _, e := range g.edges {
		if e.rule == ruleCopies {
			s.union(e.a, e.b)
		}
	}
	g.lineage = make([]int, len(g.rows))
	for i := range g.rows {
		g.lineage[i] = s.find(i)
	}
	for g.cutBridges() {
	}
	for _, members := range g.components() {
		if a, _ := g.anyConflict(members); a < 0 {
			continue
		}
		g.dropWithin(members, func(e edge) bool { return e.rule == ruleText })
	}
	for _, members := range g.components() {
		if a, b := g.anyConflict(members); a >= 0 {
			g.note("%s are left alone: they hang together in a row, and %s is about another item than %s", g.list(members),
				g.rows[a].Key(), g.rows[b].Key())
			g.dropWithin(members, func(edge) bool { return true })
		}
	}
}

// cutBridges leaves every session alone that is joined to two sessions of different items; it says whether there was
// one.
func (g *graph) cutBridges() bool {
	next := map[int][]int{}
	for _, e := range g.edges {
		next[e.a] = append(next[e.a], e.b)
		next[e.b] = append(next[e.b], e.a)
	}
	cut := map[int]bool{}
	for i := range g.rows {
		near := next[i]
		if len(near) < 2 {
			continue
		}
		slices.Sort(near)
		if a, b := g.anyConflict(slices.Compact(near)); a >= 0 {
			cut[i] = true
			g.note("%s is left alone: it could belong to %s and to %s, which are different items", g.rows[i].Key(),
				g.rows[a].Key(), g.rows[b].Key())
		}
	}
	if len(cut) == 0 {
		return false
	}
	g.edges = slices.DeleteFunc(g.edges, func(e edge) bool { return cut[e.a] || cut[e.b] })
	return true
}

func (g *graph) dropWithin(members []int, drop func(edge) bool) {
	in := map[int]bool{}
	for _, m := range members {
		in[m] = true
	}
	g.edges = slices.DeleteFunc(g.edges, func(e edge) bool { return in[e.a] && drop(e) })
}

// anyConflict finds two members that are about different items; -1 when there are none.
func (g *graph) anyConflict(members []int) (a, b int) {
	for i, x := range members {
		for _, y := range members[i+1:] {
			if g.conflict(x, y) {
				return x, y
			}
		}
	}
	return -1, -1
}

// conflict says that two rows are about different items of one kind, of which they share none.
func (g *graph) conflict(a, b int) bool {
	g.compared++
	x, y := &g.items[a], &g.items[b]
	if g.lineage != nil && g.lineage[a] == g.lineage[b] {
		return differ(x.title, y.title, true)
	}
	return differ(x.own, y.own, true)
}

// reason says in words what joins the members, each reason once.
func (g *graph) reason(members []int) string {
	in := map[int]bool{}
	for _, m := range members {
		in[m] = true
	}
	var out []string
	for _, rule := range []int{ruleCopies, ruleItem, ruleText} {
		var of []string
		if rule == ruleCopies {
			of = g.copyReasons(members)
		}
		for _, e := range g.edges {
			if e.rule == rule && in[e.a] && e.reason != "" && !slices.Contains(of, e.reason) {
				of = append(of, e.reason)
			}
		}
		slices.Sort(of)
		if len(of) > maxReasons {
			of = append(of[:maxReasons], fmt.Sprintf("and %d more of the kind", len(of)-maxReasons))
		}
		out = append(out, of...)
	}
	return strings.Join(out, "; ")
}

// maxReasons is how many reasons of one rule are written out.
const maxReasons = 4

func (g *graph) list(members []int) string {
	var out []string
	for _, m := range members {
		out = append(out, g.rows[m].Key())
	}
	return strings.Join(out, ", ")
}
