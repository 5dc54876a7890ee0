package inventory

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"

	"recovery/internal/text"
)

// rowItems is what a row is about: the ids that it works on, not those it only refers to.
type rowItems struct {
	own []itemID
	// title are the items that the title names.
	title []itemID
	dates []string
}

var dateText = regexp.MustCompile(`\b(?:20\d\d-\d\d-\d\d|\d{1,2}\.\d{1,2}\.20\d\d|\d{1,2}/\d{1,2}/20\d\d)\b`)

const (
	// headBytes and replyBytes bound how much of a first prompt and a reply is looked at for ids: what follows is pasted.
	headBytes  = 4 << 10
	replyBytes = 16 << 10
	// manyIDs is how many ids a first prompt names at least when it is a list: such a session is about none of them.
	manyIDs = 4
)

func (g *graph) readItems() {
	g.items = make([]rowItems, len(g.rows))
	for i := range g.rows {
		g.items[i] = readItems(&g.rows[i])
	}
	g.dropTemplates()
	g.doubt()
}

// doubt marks the keys of a prefix that no session treats as a ticket's.
func (g *graph) doubt() {
	proof := map[string]bool{}
	for i := range g.items {
		own := g.items[i].own
		change := slices.ContainsFunc(own, func(id itemID) bool { return id.class == classChange })
		for _, id := range own {
			proof[id.space] = proof[id.space] || id.proof || change // what has a pull request is a ticket
		}
	}
	for i := range g.items {
		own := g.items[i].own
		for k := range own {
			own[k].unsure = strings.HasPrefix(own[k].space, "key ") && !proof[own[k].space]
		}
	}
}

// readItems takes the ids of the title; of kinds that the title does not name, those of the first prompt; of kinds that
// neither names, the one of the last reply.
func readItems(r *Row) rowItems {
	var it rowItems
	first := strings.TrimSpace(text.CutBytes(r.First, headBytes, ""))
	title := named(r.Title, false)
	for _, id := range title {
		if len(title) < manyIDs {
			it.add(r, id)
		}
		if id.class == classItem && !id.weak {
			it.title = append(it.title, id)
		}
	}
	lists := len(strong(title)) >= manyIDs
	prompt := named(first, false)
	if n := strong(prompt); len(n) >= manyIDs {
		lists = lists || len(strong(named(firstSentence(first), false))) >= manyIDs
		prompt = named(firstSentence(first), false)
		if len(strong(prompt)) >= manyIDs-1 {
			prompt = nil
		}
	}
	for k := 1; k < len(prompt); k++ {
		if a, b := prompt[k-1].end, prompt[k].at; a <= b && b <= len(first) && joined(first[a:b]) {
			prompt[k].stray = prompt[k-1].stray // "AB-1 and AB-2": what holds for the first holds for the second
		}
	}
	prompt = slices.DeleteFunc(prompt, func(id itemID) bool { return id.stray && !hasName(it.own, id.name) })
	if !lists {
		it.more(r, prompt, 0)
		it.more(r, named(text.CutBytes(r.Reply, replyBytes, ""), true), 1)
	}
	for _, d := range dateText.FindAllString(r.Title+"\n"+first, -1) {
		if !slices.Contains(it.dates, d) {
			it.dates = append(it.dates, d)
		}
	}
	return it
}

// more adds the ids of classes that are not there yet; with most, only where there are no more than that.
func (it *rowItems) more(r *Row, ids []itemID, most int) {
	for _, c := range []class{classItem, classChange, classAlert} {
		var of []itemID
		for _, id := range ids {
			if id.class == c && !(most > 0 && id.weak) && !hasName(of, id.name) {
				of = append(of, id)
			}
		}
		have := slices.ContainsFunc(it.own, func(id itemID) bool { return id.class == c && !id.weak })
		if have && most == 0 {
			spaces := spacesOf(it.own)
			for _, id := range of {
				// A first prompt may name the title's item with its place, and the invoice that a ticket is about.
				if hasName(it.own, id.name) || c == classItem && !id.weak && !spaces[id.space] && !strings.HasPrefix(id.space,
					"key ") {
					it.add(r, id)
				}
			}
		}
		if have && most > 0 && len(of) == 1 && of[0].called && !slices.ContainsFunc(it.own,
			func(id itemID) bool { return strings.HasPrefix(id.space, "key ") }) {
			have = false // "it has the ticket AB-1": the incident's ticket
		}
		if have || most > 0 && len(of) > most {
			continue
		}
		for _, id := range of {
			id.reply = most > 0
			it.add(r, id)
		}
	}
}

func (it *rowItems) add(r *Row, id itemID) {
	for i := range it.own {
		o := &it.own[i]
		if o.name == id.name && (o.scope == id.scope || o.scope == repoScope || id.scope == repoScope) {
			if id.scope != repoScope {
				o.scope = id.scope // a link says which repository a number counts in
			}
			if o.host == "" {
				o.host = id.host
			}
			for _, n := range id.also {
				if !slices.Contains(o.also, n) {
					o.also = append(slices.Clip(o.also), n)
				}
			}
			o.weak, o.proof = o.weak && id.weak, o.proof || id.proof
			return
		}
	}
	if id.scope == repoScope && r.Repo == "" {
		return
	}
	it.own = append(it.own, id)
}

func spacesOf(ids []itemID) map[string]bool {
	out := map[string]bool{}
	for _, id := range ids {
		out[id.space] = true
	}
	return out
}

func hasName(ids []itemID, name string) bool {
	return slices.ContainsFunc(ids, func(id itemID) bool { return id.name == name })
}

func strong(ids []itemID) []itemID {
	var out []itemID
	for _, id := range ids {
		if !id.weak && !hasName(out, id.name) {
			out = append(out, id)
		}
	}
	return out
}

// names are the ids' names, each once, in order.
func names(ids []itemID) []string {
	var out []string
	for _, id := range ids {
		if !slices.Contains(out, id.name) {
			out = append(out, id.name)
		}
	}
	slices.Sort(out)
	return out
}

// named finds the ids of a text that it is about: those that it only refers to are left out. made says that the text
// may tell of items which were made by the way.
func named(text string, made bool) []itemID {
	var out []itemID
	end, referred := 0, false
	for _, id := range findIDs(text) {
		before, after := around(text, id, end)
		if joined(before) && end > 0 {
			// "like AB-1 and AB-2": what holds for the first holds for the second.
		} else {
			referred = cued(before, referCues) || inClause(before) || made && id.class == classItem && cued(before, laterCues) &&
				!startsWith(after, forItCues) || startsWith(after, afterCues)
		}
		end = id.end
		if !referred {
			out = append(out, id)
		}
	}
	return out
}

// around gives what stands in the id's sentence before it, from the last id on, and after it.
func around(text string, id itemID, from int) (before, after string) {
	before = text[max(from, id.at-120, 0):id.at]
	if i := strings.LastIndexAny(before, ".!?;\n。！？；"); i >= 0 {
		before = before[i:]
	}
	return strings.ToLower(before), strings.ToLower(strings.TrimLeft(text[id.end:min(len(text), id.end+40)], " \t),:]"))
}

var joinWords = regexp.MustCompile(`^[\s,&/+]*(?:and|or|und|oder|y|o|et|ou|e|和|与|及|、|и)?[\s,]*$`)

func joined(between string) bool { return len(between) < 12 && joinWords.MatchString(between) }

func cued(before string, cues []string) bool {
	return slices.ContainsFunc(cues, func(c string) bool {
		i := strings.Index(before, c)
		return i >= 0 && (i == 0 || c[0] >= 0x80 || !wordByte(before[i-1]))
	})
}

// inClause says that a clause word opens the clause that an id stands in.
func inClause(before string) bool {
	if i := strings.LastIndexAny(before, ",，:"); i >= 0 {
		before = before[i:]
	}
	for _, w := range strings.FieldsFunc(before, func(r rune) bool { return !unicode.IsLetter(r) }) {
		if clauseWord[w] {
			return true
		}
	}
	return slices.ContainsFunc(clausePhrases, func(w string) bool { return strings.Contains(before, w) })
}

func startsWith(after string, cues []string) bool {
	return slices.ContainsFunc(cues, func(c string) bool { return strings.HasPrefix(after, c) })
}

var sentenceEnd = regexp.MustCompile(`[.!?]\s|[。！？\n]`)

func firstSentence(s string) string {
	s = strings.TrimSpace(s)
	if m := sentenceEnd.FindStringIndex(s); m != nil {
		return s[:m[1]]
	}
	return s
}

// keys are what an id is looked up by. A number of a repository has the repository's place, and that of a link its
// name; a link in a session that works in a repository of that name has both.
func (id *itemID) keys(r *Row) []string {
	here := r.Host + "|" + r.Repo
	var out []string
	for _, name := range append([]string{id.name}, id.also...) {
		switch {
		case id.scope == "":
			out = append(out, name)
			continue
		case id.scope == repoScope:
			out = append(out, name+" of "+here)
			continue
		case strings.EqualFold(path.Base(r.Repo), path.Base(id.scope)):
			out = append(out, name+" of "+here)
		}
		out = append(out, name+" of "+id.scope)
	}
	return out
}

// differ says that two lists name items of one kind and share none. loose takes only ids of one space as different;
// else any do.
func differ(a, b []itemID, loose bool) bool {
	x, y := items(a), items(b)
	if len(x) == 0 || len(y) == 0 {
		return false
	}
	oneSpace := false
	for _, p := range x {
		for _, q := range y {
			if p.same(&q) && (p.scope == q.scope || p.scope == repoScope || q.scope == repoScope) {
				// One key on two trackers is two tickets.
				return p.host != "" && q.host != "" && p.host != q.host
			}
			oneSpace = oneSpace || p.space == q.space
		}
	}
	return oneSpace || !loose
}

// items are the ids of things that exist once, without those in a doubtful spelling.
func items(ids []itemID) []itemID {
	var out []itemID
	for _, id := range ids {
		if id.class == classItem && !id.weak {
			out = append(out, id)
		}
	}
	return out
}

// gap is the time between the end of the older session and the start of the newer one; 0 when they overlap, unknown
// when a time is missing.
func gap(a, b *Row) (d time.Duration, known bool) {
	if a.CreatedAt.IsZero() || b.CreatedAt.IsZero() {
		return 0, false
	}
	if b.CreatedAt.Before(a.CreatedAt) {
		a, b = b, a
	}
	end := a.LastActive
	if end.Before(a.CreatedAt) {
		end = a.CreatedAt
	}
	return max(0, b.CreatedAt.Sub(end)), true
}

// alertGap is how long after one session another one may start and still be about the same firing of an alert.
const alertGap = 36 * time.Hour

// sameAlert says whether two sessions that name one alert rule are about one firing of it.
func (g *graph) sameAlert(a, b int) bool {
	x, y := &g.items[a], &g.items[b]
	d, known := gap(&g.rows[a], &g.rows[b])
	return known && d <= alertGap && !disjoint(x.dates, y.dates) && !eachOwn(g.marks(a), g.marks(b))
}

// marks are the machines, times and numbers that a title and a first prompt name besides the ids.
func (g *graph) marks(i int) []string {
	var out []string
	r := &g.rows[i]
	for _, t := range tokens(anyLink.ReplaceAllString(r.Title+"\n"+firstSentence(text.CutBytes(r.First, headBytes, "")),
		" ")) {
		if t.fixed && !slices.Contains(out, t.text) {
			out = append(out, t.text)
		}
	}
	return out
}

// eachOwn says that each list holds something that the other does not.
func eachOwn(a, b []string) bool {
	lacks := func(a, b []string) bool {
		return slices.ContainsFunc(a, func(s string) bool { return !slices.Contains(b, s) })
	}
	return lacks(a, b) && lacks(b, a)
}

// disjoint says that both lists hold something, and nothing in common.
func disjoint(a, b []string) bool {
	return len(a) > 0 && len(b) > 0 && !slices.ContainsFunc(a, func(s string) bool { return slices.Contains(b, s) })
}

func where(r *Row, it *rowItems, id itemID) string {
	switch {
	case slices.ContainsFunc(named(r.Title, false), func(o itemID) bool { return o.name == id.name }):
		return "title"
	case slices.ContainsFunc(named(text.CutBytes(r.First, headBytes, ""), false),
		func(o itemID) bool { return o.name == id.name }):
		return "first prompt"
	}
	return "last reply"
}

func (g *graph) itemReason(a, b int, shared []itemID) string {
	id := shared[0]
	x, y := where(&g.rows[a], &g.items[a], id), where(&g.rows[b], &g.items[b], id)
	return fmt.Sprintf("the same item: %s is named by %s (%s) and %s (%s)", id.name, g.rows[a].Key(), x, g.rows[b].Key(),
		y)
}
