package inventory

import (
	"slices"
	"strings"
	"unicode/utf8"

	"recovery/internal/text"
)

// joinItems is rule 2: sessions that work on one ticket, incident, invoice, alert or pull request.
func (g *graph) joinItems() {
	index := map[string][]int{}
	for i := range g.rows {
		for _, id := range g.items[i].own {
			for _, key := range id.keys(&g.rows[i]) {
				if of := index[key]; len(of) == 0 || of[len(of)-1] != i {
					index[key] = append(of, i)
				}
			}
		}
	}
	done := map[[2]int]bool{}
	for _, key := range ordered(index) {
		of := index[key]
		for i, a := range of {
			for _, b := range of[i+1:] {
				if done[[2]int{a, b}] {
					continue
				}
				done[[2]int{a, b}] = true
				if shared := g.shared(a, b); len(shared) > 0 {
					g.join(a, b, ruleItem, g.itemReason(a, b, shared))
				}
			}
		}
	}
}

// shared gives the ids that make two sessions one work; none when they only touch.
func (g *graph) shared(a, b int) []itemID {
	g.compared++
	x, y := &g.items[a], &g.items[b]
	var of [3][]itemID
	for _, p := range x.own {
		for _, q := range y.own {
			if !p.same(&q) || p.weak && q.weak || p.unsure && !g.oneMatter(a, b) || p.host != "" && q.host != "" &&
				p.host != q.host || !g.meet(a, b, &p, &q) {
				continue
			}
			// An alert that one of them calls by its bare id is an alert still.
			c := max(p.class, q.class)
			if c == classChange && p.reply && q.reply {
				continue
			}
			if p.weak {
				p = q
			}
			of[c] = append(of[c], p)
		}
	}
	switch {
	case len(of[classItem]) > 0:
		// Two that share a process or an epic and have a ticket each are two works.
		p, q := len(items(x.own)), len(items(y.own))
		n := len(of[classItem])
		if n < min(p, q) && 2*n < p+q-n {
			return nil
		}
		// One that names a second ticket besides may be about that one, or about both.
		if !alikeIn(of[classItem], x.own, y.own) {
			g.note("%s and %s both name %s, and one of them names more of the kind: it is not clear whether they are one "+
				"work, so they are not joined by it",
				g.rows[a].Key(), g.rows[b].Key(), of[classItem][0].name)
			return nil
		}
		return of[classItem]
	case len(of[classChange]) > 0:
		if differ(x.own, y.own, true) {
			return nil
		}
		return of[classChange]
	case len(of[classAlert]) > 0:
		if differ(x.own, y.own, false) || !g.sameAlert(a, b) {
			return nil
		}
		return of[classAlert]
	}
	return nil
}

// alikeIn says that of the items in the first shared one's space, two lists share more than they do not.
func alikeIn(shared, a, b []itemID) bool {
	space := shared[0].space
	var both, rest []string
	for _, id := range shared {
		if id.space == space && !slices.Contains(both, id.name) {
			both = append(both, id.name)
		}
	}
	for _, id := range slices.Concat(a, b) {
		if id.space == space && !id.weak && !slices.Contains(rest, id.name) && !slices.ContainsFunc(shared,
			func(o itemID) bool { return o.same(&id) }) {
			rest = append(rest, id.name)
		}
	}
	return len(both) > len(rest)
}

// oneMatter says that two sessions speak of the same thing besides the id.
func (g *graph) oneMatter(a, b int) bool {
	x, y := g.matter(a), g.matter(b)
	n := 0
	for w := range x {
		if y[w] {
			n++
		}
	}
	return n >= 1
}

// matter are the longer words of a title and a first prompt's first sentence that name nothing particular.
func (g *graph) matter(i int) map[string]bool {
	r := &g.rows[i]
	out := map[string]bool{}
	for _, t := range contentTokens(r.Title + "\n" + firstSentence(text.CutBytes(r.First, headBytes, ""))) {
		if utf8.RuneCountInString(t.text) >= 4 && !t.fixed && !anyMatter[t.text] {
			out[t.text] = true
		}
	}
	return out
}

// meet says whether two ids of one name count in the same place.
func (g *graph) meet(a, b int, p, q *itemID) bool {
	for _, k := range p.keys(&g.rows[a]) {
		if slices.Contains(q.keys(&g.rows[b]), k) {
			return true
		}
	}
	return false
}

const (
	// everywhere is in how many sessions an id stands at most: one that is named by more is a template's or a process's.
	everywhere = 7
	// templateFrom is from how many sessions on an id is looked at for being a template's.
	templateFrom = 4
)

// dropTemplates takes ids away that stand in everything: they tell nothing.
func (g *graph) dropTemplates() {
	of, plain := map[string][]int{}, map[string]bool{}
	for i := range g.rows {
		for _, id := range g.items[i].own {
			for _, key := range id.keys(&g.rows[i]) {
				if list := of[key]; len(list) == 0 || list[len(list)-1] != i {
					of[key] = append(list, i)
				}
				plain[key] = plain[key] || !id.weak
			}
		}
	}
	for _, key := range ordered(of) {
		rows := of[key]
		if len(rows) <= everywhere && (len(rows) < templateFrom || !g.boilerplate(key, rows)) {
			continue
		}
		if plain[key] {
			g.note("%s stands in %d sessions: it is taken for a template's and joins none of them", key, len(rows))
		}
		for _, i := range rows {
			it := &g.items[i]
			it.own = slices.DeleteFunc(it.own, func(id itemID) bool { return slices.Contains(id.keys(&g.rows[i]), key) })
			it.title = slices.DeleteFunc(it.title, func(id itemID) bool { return slices.Contains(id.keys(&g.rows[i]), key) })
		}
	}
}

// boilerplate says that an id stands in one and the same sentence of first prompts which say different things besides.
func (g *graph) boilerplate(key string, rows []int) bool {
	sentences, rests := map[string]int{}, map[string]bool{}
	most := 0
	for _, i := range rows {
		first := text.CutBytes(g.rows[i].First, headBytes, "")
		for _, id := range named(first, false) {
			if !slices.Contains(id.keys(&g.rows[i]), key) {
				continue
			}
			from, to := sentenceOf(first, id)
			sentence := strings.ToLower(strings.Join(strings.Fields(first[from:to]), " "))
			sentences[sentence]++
			most = max(most, sentences[sentence])
			if rest := content(first[:from] + " " + first[to:]); len(rest) >= 2 {
				rests[strings.Join(rest, " ")] = true
			}
			break
		}
	}
	return 4*most >= 3*len(rows) && 4*len(rests) >= 3*len(rows)
}

func sentenceOf(s string, id itemID) (from, to int) {
	if i := strings.LastIndexAny(s[:id.at], ".!?\n。！？"); i >= 0 {
		from = i + 1
		for from < len(s) && s[from]&0xc0 == 0x80 {
			from++
		}
	}
	to = len(s)
	if m := sentenceEnd.FindStringIndex(s[id.end:]); m != nil {
		to = id.end + m[1]
	}
	return from, to
}
