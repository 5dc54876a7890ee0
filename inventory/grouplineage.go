package inventory

import (
	"fmt"
	"slices"
	"strings"

	"recovery/internal/claude"
)

// joinCopies is rule 1: copied lines keep their uuid, a continued-in line and the fork fields of a job say outright
// that one conversation came from another.
func (g *graph) joinCopies() {
	g.joinRuns()
	g.joinNamed()
}

// joinRuns joins transcripts that begin with the same lines, up to a person's first message at least: what stands
// before it is the client's own.
func (g *graph) joinRuns() {
	byFirst := map[string][]int{}
	for i := range g.rows {
		if lead := g.rows[i].Lead; len(lead) > 0 {
			byFirst[lead[0]] = append(byFirst[lead[0]], i)
		}
	}
	for _, first := range ordered(byFirst) {
		bucket := byFirst[first]
		if len(bucket) < 2 {
			continue
		}
		if len(bucket) > manyCopies {
			g.chain(bucket)
			continue
		}
		for i, a := range bucket {
			for _, b := range bucket[i+1:] {
				g.joinRun(a, b)
			}
		}
	}
}

// manyCopies is how many copies are compared each with each; more are sorted, and each is compared with its neighbour.
const manyCopies = 40

// chain joins neighbours in the order of their title's items and their lines: those with the longest common run stand
// side by side.
func (g *graph) chain(bucket []int) {
	key := func(i int) string {
		return strings.Join(names(g.items[i].title), " ") + "\x00" + strings.Join(g.rows[i].Lead, " ")
	}
	slices.SortFunc(bucket, func(a, b int) int { return strings.Compare(key(a), key(b)) })
	for i := 1; i < len(bucket); i++ {
		g.joinRun(bucket[i-1], bucket[i])
	}
}

func (g *graph) joinRun(a, b int) {
	g.compared++
	run := g.commonRun(a, b)
	if run < g.proof(a, b) {
		return
	}
	if differ(g.items[a].title, g.items[b].title, false) {
		g.note("%s and %s are left alone: their transcripts begin with the same %d lines, and their titles name different "+
			"items (%s; %s)",
			g.rows[a].Key(), g.rows[b].Key(), run, strings.Join(names(g.items[a].title), ", "),
			strings.Join(names(g.items[b].title), ", "))
		return
	}
	g.join(a, b, ruleCopies, "")
	g.descent(a, b, run)
}

// unknownFirst is how many equal lines prove a copy when it is not known where a person's first message stands.
const unknownFirst = 4

// proof is how many equal leading lines prove that two transcripts are copies.
func (g *graph) proof(a, b int) int {
	x, y := &g.rows[a], &g.rows[b]
	if need := max(x.FirstLead, y.FirstLead); need > 0 {
		return need
	}
	// One that is no longer than that is a copy when the other holds all of it.
	return max(1, min(unknownFirst, len(x.Lead), len(y.Lead)))
}

func (g *graph) commonRun(a, b int) int {
	x, y := g.rows[a].Lead, g.rows[b].Lead
	n := 0
	for n < len(x) && n < len(y) && x[n] == y[n] {
		n++
	}
	return n
}

// ancestry is what a copy may have been made from: the older copies that share the longest run with it.
type ancestry struct {
	run  int
	from []int
}

// descent keeps, for the newer of two copies that were joined just now, the older ones with the longest common run.
func (g *graph) descent(a, b, run int) {
	x, y := &g.rows[a], &g.rows[b]
	if x.CreatedAt.IsZero() || y.CreatedAt.IsZero() || x.CreatedAt.Equal(y.CreatedAt) {
		g.edges[len(g.edges)-1].reason = fmt.Sprintf("copies of one conversation: %s and %s begin with the same %d lines, "+
			"and which came first cannot be told", x.Key(), y.Key(), run)
		return
	}
	older, newer := a, b
	if y.CreatedAt.Before(x.CreatedAt) {
		older, newer = b, a
	}
	if g.ancestors == nil {
		g.ancestors = map[int]*ancestry{}
	}
	of := g.ancestors[newer]
	switch {
	case of == nil || run > of.run:
		g.ancestors[newer] = &ancestry{run, []int{older}}
	case run == of.run:
		of.from = append(of.from, older)
	}
}

// copyReasons say of each copy which session it was made from. Two that share the same run with it are not told apart.
func (g *graph) copyReasons(members []int) []string {
	var out []string
	for _, m := range members {
		of := g.ancestors[m]
		if of == nil {
			continue
		}
		from := of.from
		slices.Sort(from)
		if len(from) == 1 {
			out = append(out, fmt.Sprintf("copies of one conversation: %s begins with the same %d lines as %s, its nearest "+
				"ancestor", g.rows[m].Key(), of.run, g.rows[from[0]].Key()))
			continue
		}
		out = append(out, fmt.Sprintf("copies of one conversation: %s begins with the same %d lines as %s; which of them "+
			"it was made from cannot be told", g.rows[m].Key(), of.run, g.list(from)))
	}
	return out
}

// joinNamed joins sessions of which one names the other: by a continued-in line, by its fork fields, or because both
// go on with the same transcript.
func (g *graph) joinNamed() {
	byID := map[string][]int{}
	for i := range g.rows {
		r := &g.rows[i]
		for _, id := range []string{r.SessionID, r.ResumeSessionID} {
			if id != "" && !slices.Contains(byID[id], i) {
				byID[id] = append(byID[id], i)
			}
		}
	}
	for _, id := range ordered(byID) {
		for _, other := range byID[id][1:] {
			g.join(byID[id][0], other, ruleCopies, fmt.Sprintf("one conversation: %s and %s go on with the same transcript",
				g.rows[byID[id][0]].Key(), g.rows[other].Key()))
		}
	}
	g.joinThreads()
	for i := range g.rows {
		r := &g.rows[i]
		for _, id := range r.ContinuedIn {
			for _, other := range byID[id] {
				if other != i {
					g.join(i, other, ruleCopies, fmt.Sprintf("one conversation: %s went on in %s", r.Key(), g.rows[other].Key()))
				}
			}
		}
		for _, id := range []string{r.ForkSession, r.ForkParent} {
			for _, other := range byID[id] {
				if id != "" && other != i {
					g.joinFork(i, other)
				}
			}
		}
	}
}

// joinThreads joins jobs of one thread: what is typed in it reaches whichever of them runs.
func (g *graph) joinThreads() {
	byBody := map[string][]int{}
	for i := range g.rows {
		for _, body := range g.rows[i].threads() {
			byBody[body] = append(byBody[body], i)
		}
	}
	for _, body := range ordered(byBody) {
		for _, other := range byBody[body][1:] {
			first := byBody[body][0]
			g.join(first, other, ruleCopies, fmt.Sprintf("one thread: %s and %s are two jobs of %s", g.rows[first].Key(),
				g.rows[other].Key(), claude.ThreadPrefix+body))
		}
	}
}

// threads are the bodies of all threads that a row had.
func (r *Row) threads() []string {
	out := slices.Clone(r.Threads)
	if r.BridgeBody != "" && !slices.Contains(out, r.BridgeBody) {
		out = append(out, r.BridgeBody)
	}
	return out
}

// joinFork joins a fork with the session that its job names. A fork that neither begins with the same lines nor with
// the same message was given a work of its own: it is left alone.
func (g *graph) joinFork(a, b int) {
	x, y := &g.rows[a], &g.rows[b]
	same := g.commonRun(a, b) >= g.proof(a, b) && len(x.Lead) > 0 && len(y.Lead) > 0
	first := strings.Join(strings.Fields(x.First), " ")
	if !same && (first == "" || first != strings.Join(strings.Fields(y.First), " ")) {
		g.note("%s is left alone: its job names %s as its fork or its parent, and they begin differently", x.Key(), y.Key())
		return
	}
	if differ(g.items[a].title, g.items[b].title, false) {
		g.note("%s is left alone: its job names %s as its fork or its parent, and their titles name different items", x.Key(),
			y.Key())
		return
	}
	g.join(a, b, ruleCopies, fmt.Sprintf("one conversation: the job of %s names %s as its fork or its parent", x.Key(),
		y.Key()))
}
