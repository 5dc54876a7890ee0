package inventory

import (
	"fmt"
	"hash/fnv"
	"regexp"
	"slices"
	"sort"
	"strings"
	"time"

	"recovery/internal/text"
)

const (
	// leastWords is how many words a prompt holds at least, polite ones aside, to tell one work from another.
	leastWords = 4
	// extraShare is how much of the longer prompt may be words that the shorter one lacks.
	extraShare = 0.25
	// textGap is how long after the end of one session another one with nearly the same prompt may start and still be
	// the same work; a prompt that says it comes again and again is another one sooner.
	textGap  = 48 * time.Hour
	againGap = 6 * time.Hour
	// fanOut is from how many equal prompts on they are taken for a schedule or for workers of one queue.
	fanOut = 6
	// signed is how many words a prompt holds at least for a name at its end to be a signature.
	signed = 20
	// longWords is how many words a prompt holds at least to be the same work with whatever is added to it; beginWords are
	// looked at for finding such pairs.
	longWords  = 16
	beginWords = 8
	// bands and bandRows are the MinHash signature's: two prompts with three quarters of their words in common meet in a
	// band with a probability of 0.999.
	bands    = 16
	bandRows = 2
	// family is how many different prompts a band may hold: more are one template's.
	family = 64
)

// again are the words of a prompt that is given time and again.
var again = regexp.MustCompile(`(?i)\b(daily|nightly|hourly|weekly|monthly|every ` +
	`(day|night|morning|hour|week|month)|each (day|night|morning|week)|today'?s?|yesterday'?s?|` +
	`tonight|this (morning|week)` +
	`|täglich\w*|wöchentlich\w*|stündlich\w*|monatlich\w*|heute|gestern|jeden (tag|morgen)|diari[oa]s?|cada ` +
	`(día|semana|mañana)|hoy|ayer|semanal\w*|quotidien\w*|chaque (jour|semaine)|aujourd'hui|hier` +
	`|hoje|ontem|ogni giorno)\b|每天|每日|每周|每晚|每小时|今天|昨天|今日|毎日|毎週|昨日|ежедневн|еженедельн|сегодня|вчера`)

// brief is a first prompt, made ready to be compared.
type brief struct {
	row   int
	words []token
	key   string // its words, joined: equal prompts have equal keys
	again bool
}

// joinTexts is rule 3: nearly the same first prompt in the same repository, at about the same time.
func (g *graph) joinTexts() {
	buckets := map[string][]string{} // band -> keys of prompts
	beginnings, moved := map[string][]string{}, map[string][]string{}
	same := map[string][]brief{} // key -> the sessions with this prompt
	for i := range g.rows {
		b, ok := g.brief(i)
		if !ok {
			continue
		}
		if same[b.key] = append(same[b.key], b); len(same[b.key]) > 1 {
			continue
		}
		for _, band := range b.bands(&g.rows[i]) {
			buckets[band] = append(buckets[band], b.key)
		}
		if at := b.sentences(&g.rows[i]); at != "" {
			moved[at] = append(moved[at], b.key)
		}
		if len(b.words) >= longWords {
			at := b.beginning(&g.rows[i])
			beginnings[at] = append(beginnings[at], b.key)
		}
	}
	for _, key := range ordered(same) {
		g.joinEqual(same[key])
	}
	g.joinLonger(beginnings, same)
	for _, at := range ordered(moved) {
		keys := moved[at]
		for _, key := range keys[1:min(len(keys), fanOut)] {
			g.joinNear(same[keys[0]], same[key])
		}
	}
	done := map[[2]string]bool{}
	for _, band := range ordered(buckets) {
		keys := buckets[band]
		if len(keys) > family {
			continue
		}
		for i, a := range keys {
			for _, b := range keys[i+1:] {
				pair := [2]string{min(a, b), max(a, b)}
				if done[pair] {
					continue
				}
				done[pair] = true
				g.compared++
				if near(same[a][0].words, same[b][0].words) {
					g.joinNear(same[a], same[b])
				}
			}
		}
	}
}

// joinLonger joins a long prompt and the same one with something added at its end, be it files and names. When more
// than two begin alike, they are one template that was filled in.
func (g *graph) joinLonger(beginnings map[string][]string, same map[string][]brief) {
	for _, at := range ordered(beginnings) {
		keys := beginnings[at]
		if len(keys) != 2 {
			continue
		}
		a, b := same[keys[0]], same[keys[1]]
		if len(a[0].words) > len(b[0].words) {
			a, b = b, a
		}
		short, long := a[0].words, b[0].words
		g.compared++
		if !begins(short, long) || 3*(len(long)-len(short)) > len(long) || slices.ContainsFunc(long[len(short):],
			func(t token) bool { return limitWords[t.text] }) {
			continue
		}
		g.joinNear(a, b)
	}
}

// beginning is what a prompt begins with, in its repository.
func (b *brief) beginning(r *Row) string {
	var s strings.Builder
	s.WriteString(r.Host + "|" + r.Repo)
	for _, w := range b.words[:beginWords] {
		s.WriteByte(0)
		s.WriteString(w.text)
	}
	return s.String()
}

// sentences are the sentences of a prompt in alphabetical order: two prompts may have the same ones in another order.
// It is empty when there is but one.
func (b *brief) sentences(r *Row) string {
	var list []string
	for rest := text.CutBytes(r.First, promptBytes, ""); rest != ""; {
		one := rest
		if m := sentenceEnd.FindStringIndex(rest); m != nil {
			one, rest = rest[:m[1]], rest[m[1]:]
		} else {
			rest = ""
		}
		if words := content(one); len(words) > 0 {
			list = append(list, strings.Join(words, " "))
		}
	}
	if len(list) < 2 {
		return ""
	}
	sort.Strings(list)
	return r.Host + "|" + r.Repo + "|" + strings.Join(list, "|")
}

func (g *graph) brief(i int) (brief, bool) {
	r := &g.rows[i]
	if r.Repo == "" || r.First == "" {
		return brief{}, false
	}
	words := contentTokens(r.First)
	if weight(words) < leastWords {
		return brief{}, false
	}
	var b strings.Builder
	b.WriteString(r.Host + "|" + r.Repo)
	for _, w := range words {
		b.WriteByte(0)
		b.WriteString(w.text)
	}
	return brief{row: i, words: words, key: b.String(), again: again.MatchString(text.CutBytes(r.Title+"\n"+r.First,
		headBytes, ""))}, true
}

// bands are the buckets of a prompt. Numbers, files and addresses must be the same in both, so they are part of each.
func (b *brief) bands(r *Row) []string {
	var fixed []string
	var hashes []uint64
	for _, w := range b.words {
		if w.fixed && !slices.Contains(fixed, w.text) {
			fixed = append(fixed, w.text)
		}
		h := fnv.New64a()
		_, _ = h.Write([]byte(w.text))
		hashes = append(hashes, h.Sum64())
	}
	sort.Strings(fixed)
	place := fmt.Sprintf("%s|%s|%s", r.Host, r.Repo, strings.Join(fixed, " "))
	out := make([]string, bands)
	for band := range bands {
		var rows [bandRows]uint64
		for k := range rows {
			seed := uint64(band*bandRows+k+1) * 0x9e3779b97f4a7c15
			least := ^uint64(0)
			for _, h := range hashes {
				least = min(least, mix(h^seed))
			}
			rows[k] = least
		}
		out[band] = fmt.Sprintf("%d|%x|%s", band, rows, place)
	}
	return out
}

// mix spreads a number over all bits (the finaliser of SplitMix64).
func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// near says that two prompts ask for one work: the words of one stand in the other, in their order, and what is over is
// little, names nothing and turns nothing round. A word in the place of another is a template filled in twice.
func near(a, b []token) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	over, ok := within(a, b)
	if !ok || weight(over) > extraShare*weight(b) {
		return false
	}
	if n := len(over); n > 0 && n <= 2 && len(b) >= signed && alike(a[len(a)-1].text, b[len(b)-1-n].text) &&
		!over[n-1].fixed {
		over = nil // a name under a long prompt signs it
	}
	for _, t := range over {
		if t.hard || turningWords[t.text] {
			return false
		}
	}
	return true
}

// joinEqual joins sessions with the same prompt, those that are near in time.
func (g *graph) joinEqual(list []brief) {
	if len(list) < 2 {
		return
	}
	rows := make([]int, len(list))
	for i, b := range list {
		rows[i] = b.row
	}
	if len(list) >= fanOut {
		g.note("%d sessions have the same first prompt, %s the first of them: taken for a schedule or for workers of one "+
			"queue, and left alone", len(list), g.rows[rows[0]].Key())
		return
	}
	if g.regular(rows) {
		g.note("%s have the same first prompt at regular times: taken for a schedule, and left alone", g.list(rows))
		return
	}
	for i, a := range list {
		for _, b := range list[i+1:] {
			g.joinText(a, b, "the same first prompt")
		}
	}
}

// joinNear joins sessions of two prompts that are nearly the same.
func (g *graph) joinNear(a, b []brief) {
	if len(a) >= fanOut || len(b) >= fanOut {
		return
	}
	for _, x := range a {
		for _, y := range b {
			g.joinText(x, y, "nearly the same first prompt")
		}
	}
}

func (g *graph) joinText(a, b brief, what string) {
	g.compared++
	x, y := &g.rows[a.row], &g.rows[b.row]
	most := textGap
	if a.again || b.again {
		most = againGap
	}
	d, known := gap(x, y)
	switch {
	case !known, d > most, daily(x, y),
		differ(g.items[a.row].own, g.items[b.row].own, false),
		disjoint(g.items[a.row].dates, g.items[b.row].dates):
		return
	}
	g.join(a.row, b.row, ruleText, fmt.Sprintf("%s in the same repository: %s and %s in %s", what, x.Key(), y.Key(),
		x.Repo))
}

// daily says that two sessions started at the same time of different days, as a schedule does and a person does not.
func daily(a, b *Row) bool {
	d := a.CreatedAt.Sub(b.CreatedAt).Abs()
	off := (d + 12*time.Hour) % (24 * time.Hour)
	return d > 20*time.Hour && (off-12*time.Hour).Abs() < 10*time.Minute
}

// regular says that three or more sessions started at even intervals of an hour or more.
func (g *graph) regular(rows []int) bool {
	if len(rows) < 3 {
		return false
	}
	var at []time.Time
	for _, i := range rows {
		at = append(at, g.rows[i].CreatedAt)
	}
	slices.SortFunc(at, time.Time.Compare)
	least, most := time.Duration(1<<62), time.Duration(0)
	for i := 1; i < len(at); i++ {
		d := at[i].Sub(at[i-1])
		least, most = min(least, d), max(most, d)
	}
	return least >= time.Hour && most <= least+least/4
}
