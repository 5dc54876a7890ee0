package report

import (
	"cmp"
	"fmt"
	"html/template"
	"slices"
	"strconv"
	"strings"

	"recovery/internal/sources"
	"recovery/internal/text"
	"recovery/inventory"
	"recovery/standing"
)

// page is all that the template needs.
type page struct {
	Policy        template.HTMLAttr
	Style, Script template.HTML
	AsOf          *instant
	Places        []string
	Summary       string
	Bar           []segment
	Total, Found  int
	Sections      []section
	Denominator   []string
	Incomplete    bool
}

// segment is one state's part of the bar and its line of the legend.
type segment struct {
	Class, Title, Section   string
	Count                   int
	Share, X, Width, Middle string
	Labelled                bool
}

// section is one list of the page. Only one kind of its content is filled.
type section struct {
	ID, Title, Note, Class string
	Count                  int
	Empty                  string
	Cards                  []card
	// Drawn are the cards as they stand on the page.
	Drawn     []template.HTML
	Leads     []card
	Groups    []groupView
	Captures  []captureView
	Others    []otherView
	Elsewhere []elsewhereView
	Soon      []card
	Lines     []string
}

type groupView struct {
	Owner       card
	Duplicates  []card
	Why, Reason string
}

type captureView struct {
	File, Repo string
	Proposals  []proposalView
}

type proposalView struct {
	Of   card
	Text string
}

type otherView struct {
	ID, Title, Kind, Href, Link, Place string
	Updated                            *instant
	Nexts                              []nextView
}

// elsewhereView is a piece of another system's unfinished work.
type elsewhereView struct {
	ID, Source, Title, State, Verdict, Class, WaitsFor, Cwd, Place string
	Nexts                                                          []nextView
}

// Words of the bar, and one sentence for each list on what it is.
var barWords = map[string]string{"archive_now": "Archive now", "wrapped_look_first": "Wrapped, look first",
	"owners": "Wait for one go", "finished": "Finished, wrap owed", "held": "Held", "duplicates": "Duplicates",
	"unclear": "Unclear", "not_woken": "Not woken", "live": "Live", "unmatched": "Other surfaces"}

var listNotes = map[string]string{
	"archive_now": "Each of these wrapped for real. The evidence is listed; archiving is your click.",
	"wrapped_look_first": "Each of these wrapped, and something that is known speaks against archiving it. Look at " +
		"that first.",
	"owners": "Each carries open work and waits for one word from you, typed in its own thread. Nothing " +
		"here was started.",
	"finished":   "Their reviews found nothing open. They still need a real wrap before they can be archived.",
	"held":       "They wait for something that no go can give.",
	"duplicates": "Another session owns the work. Never give a go to both.",
	"unclear":    "What these said or did cannot be told for sure. Nothing is guessed: read them.",
	"not_woken":  "These were left alone. Each says why, and what to do.",
	"live":       "They run right now. Nothing is done to them.",
}

func newPage(r Report) *page {
	b := &pageBuilder{r: r, ids: ids{}, cards: map[string]ref{}, lists: map[string]string{}}
	p := &page{AsOf: instantOf(r.AsOf, r.AsOf), Incomplete: !r.Complete, Found: r.Found}
	for _, pl := range r.Places {
		p.Places = append(p.Places, text.Clip(pl.Name(), maxTitle))
	}
	anchors := b.anchors()
	p.bar(&r)
	p.Summary = summaryOf(p.Bar, p.Total)
	p.add(section{ID: "first", Class: "first", Title: "What matters most", Note: "Look at these before anything else, " +
		"the worst first.", Leads: b.leads()})
	typed := section{ID: "typed", Class: "typed", Title: "Typed and never answered",
		Note: "Somebody wrote in these sessions and got no answer."}
	for _, e := range r.Typed {
		typed.Cards = append(typed.Cards, b.mention(e))
	}
	p.add(typed)
	for _, l := range r.lists() {
		s := section{ID: l.Name, Class: l.Name, Title: l.Title, Note: listNotes[l.Name]}
		if l.Name == "archive_now" || l.Name == "owners" {
			s.Empty = "None."
		}
		for i, e := range *l.Entries {
			s.Cards = append(s.Cards, b.full(e, l.Name, anchors[l.Name][i]))
		}
		p.add(s)
		if l.Name == "duplicates" {
			p.add(section{ID: "groups", Class: "duplicates", Title: "The same work in several accounts",
				Note: "A proposal, with its reason.", Groups: b.groups()})
			p.add(section{ID: "captures", Class: "finished", Title: "Captures for the same file", Note: "Several wraps " +
				"propose a change to one file: ship them as one change.", Captures: b.captures()})
		}
	}
	p.add(section{ID: "unmatched", Class: "unmatched", Title: "Other surfaces, without a job here", Others: b.others()})
	p.add(section{ID: "elsewhere", Class: "not_woken", Title: "Elsewhere: other systems' unfinished work",
		Elsewhere: b.elsewhere()})
	soon := section{ID: "expiring", Class: "unclear", Title: "Expiring within a week",
		Note: "The client deletes their transcripts by itself."}
	for _, x := range r.Expiring {
		c := b.head(x.Place, x.Short, x.Title, x.Cwd, x.Link)
		c.Points, c.Nexts = []pointView{{Text: pieces(x.Text), At: timeOf(x.At, r.AsOf)}}, nextOf(x.Next, x.Step)
		soon.Soon = append(soon.Soon, c)
	}
	p.add(soon)
	p.add(section{ID: "agents", Class: "unclear", Title: "Typed by an agent, with --as-user", Lines: allLines(r.Agents)})
	p.add(section{ID: "warnings", Class: "held", Title: "Warnings", Lines: allLines(r.Warnings)})
	p.Denominator = b.denominator()
	return p
}

// add puts a section on the page when it has something in it, or says that it is empty.
func (p *page) add(s section) {
	s.Count = len(s.Cards) + len(s.Leads) + len(s.Groups) + len(s.Captures) + len(s.Others) + len(s.Elsewhere) +
		len(s.Soon) + len(s.Lines)
	if s.Count > 0 || s.Empty != "" {
		p.Sections = append(p.Sections, s)
	}
}

func allLines(list []string) []string {
	out, _ := lines(list, len(list))
	return out
}

// anchors gives every entry of a list its anchor, before any card is made, so that cards can point at each other.
func (b *pageBuilder) anchors() map[string][]string {
	out := map[string][]string{}
	reviews := 0
	for _, l := range b.r.lists() {
		for _, e := range *l.Entries {
			id := b.ids.make("s", b.place(e.Place), e.Short)
			out[l.Name] = append(out[l.Name], id)
			if k := b.key(e.Place, e.Short); b.cards[k].ID == "" {
				b.cards[k], b.lists[k] = ref{id, cmp.Or(text.Clip(e.Title, maxTitle), "(no title)"), text.Clip(e.Short, 60)}, l.Name
			}
			if e.Review != nil {
				reviews++
			}
		}
	}
	b.replyLimit = max(minReply, min(maxReply, allReplies/max(reviews, 1)))
	return out
}

// bar counts the sessions by state. A state with one session among thousands still has its place on it.
func (p *page) bar(r *Report) {
	for _, l := range r.lists() {
		p.Bar = append(p.Bar, segment{Class: l.Name, Count: len(*l.Entries)})
	}
	p.Bar = append(p.Bar, segment{Class: "unmatched", Count: len(r.Unmatched)})
	p.Bar = slices.DeleteFunc(p.Bar, func(s segment) bool { return s.Count == 0 })
	sum := 0.0
	wide := make([]float64, len(p.Bar))
	for _, s := range p.Bar {
		p.Total += s.Count
	}
	for i, s := range p.Bar {
		wide[i] = max(float64(s.Count)/float64(p.Total), 0.012)
		sum += wide[i]
	}
	x := 0.0
	for i := range p.Bar {
		s := &p.Bar[i]
		w := wide[i] / sum * 100
		s.Title, s.Section, s.Labelled = barWords[s.Class], s.Class, w >= 2+2*float64(len(strconv.Itoa(s.Count)))
		s.Share = fmt.Sprintf("%.0f%%", 100*float64(s.Count)/float64(p.Total))
		s.X, s.Width, s.Middle = percent(x), percent(w), percent(x+w/2)
		x += w
	}
}

// summaryOf is the report in one sentence.
func summaryOf(bar []segment, total int) string {
	if total == 0 {
		return "No session is listed."
	}
	words := map[string]string{"archive_now": "to archive now", "wrapped_look_first": "wrapped, to be looked at first",
		"owners": "waiting for one go", "finished": "finished and still to be wrapped", "held": "held",
		"duplicates": "owned by another session",
		"unclear":    "unclear", "not_woken": "not woken", "live": "live", "unmatched": "on other surfaces"}
	var parts []string
	for _, s := range bar {
		parts = append(parts, fmt.Sprintf("%d %s", s.Count, words[s.Class]))
	}
	said := parts[0]
	if n := len(parts); n > 1 {
		said = strings.Join(parts[:n-1], ", ") + " and " + parts[n-1]
	}
	return text.Plural(total, "session") + ": " + said + "."
}

// The order of what matters most, the worst first.
var leadOrder = []string{FirstDefect, FirstTyped, FirstMoney, FirstPerson, FirstTwice, FirstLook}

var leadBadges = map[string]badge{FirstDefect: {"defect", "Defect"}, FirstMoney: {"money", "Money at risk"},
	FirstTyped:  {"person", "Never answered"},
	FirstPerson: {"person", "A person waits"}, FirstTwice: {"twice", "Would act twice"}, FirstLook: {"unclear",
		"Wrapped, look first"}}

// leads are what matters most, one card for each session, the worst first.
func (b *pageBuilder) leads() []card {
	first := slices.Clone(b.r.First)
	for _, d := range b.r.Defects {
		said := d.Code + ": " + d.Text
		if !slices.ContainsFunc(first, func(p Point) bool {
			return p.Code == FirstDefect && p.Place == d.Place && p.Short == d.Session && p.Text == said
		}) {
			at := d.At
			p := Point{Place: d.Place, Code: FirstDefect, SessionName: inventory.SessionName{Short: d.Session}, Text: said,
				At: &at, Next: d.Next}
			if hexID.MatchString(d.Session) {
				p.Step = standing.ForDefect(d.Session, "", d.DefectData)
				p.Next = p.Step.String()
			}
			first = append(first, p)
		}
	}
	rankOf := func(code string) int {
		if i := slices.Index(leadOrder, code); i >= 0 {
			return i
		}
		return len(leadOrder)
	}
	slices.SortStableFunc(first, func(x, y Point) int { return cmp.Compare(rankOf(x.Code), rankOf(y.Code)) })
	var out []card
	at, nexts := map[string]int{}, map[string]bool{}
	for _, p := range first {
		k := b.key(p.Place, p.Short)
		i, ok := at[k]
		if !ok || p.Short == "" {
			c := b.head(p.Place, p.Short, p.Title, p.Cwd, p.Link)
			if p.Title == "" && p.Short == "" {
				c.Title = "The whole account"
			}
			i, at[k] = len(out), len(out)
			out = append(out, c)
		}
		bd, known := leadBadges[p.Code]
		if !known {
			bd = badge{"unclear", cmp.Or(text.Clip(p.Code, 40), "Look at it")}
		}
		out[i].Points = append(out[i].Points, pointView{bd, pieces(strings.TrimPrefix(p.Text, "would act twice ")),
			timeOf(p.At, b.r.AsOf)})
		if n := k + "\x00" + p.Next; !nexts[n] {
			nexts[n] = true
			out[i].Nexts = append(out[i].Nexts, nextOf(p.Next, p.Step)...)
		}
	}
	return out
}

func (b *pageBuilder) groups() []groupView {
	var out []groupView
	for _, g := range b.r.Groups {
		v := groupView{Owner: b.head(g.Owner.Place, g.Owner.Short, g.Owner.Title, "", g.Owner.Link),
			Why: text.Clip(g.Why, maxLine), Reason: text.Clip(g.Reason, maxLine)}
		for _, m := range g.Members {
			if m.key(m.Short) != g.Owner.key(g.Owner.Short) {
				v.Duplicates = append(v.Duplicates, b.head(m.Place, m.Short, m.Title, "", m.Link))
			}
		}
		out = append(out, v)
	}
	return out
}

func (b *pageBuilder) captures() []captureView {
	var out []captureView
	for _, c := range b.r.Captures {
		v := captureView{File: text.Clip(c.File, maxLine), Repo: cmp.Or(text.Clip(c.Repo, maxLine), "no repository")}
		for _, p := range c.Proposals {
			v.Proposals = append(v.Proposals, proposalView{b.head(p.Place, p.Short, b.cards[b.key(p.Place, p.Short)].Title, "",
				p.Link), text.Clip(p.Text, maxLine)})
		}
		out = append(out, v)
	}
	return out
}

func (b *pageBuilder) others() []otherView {
	var out []otherView
	for _, u := range b.r.Unmatched {
		v := otherView{ID: b.ids.make("u", b.place(u.Place), u.ID), Title: cmp.Or(text.Clip(u.Title, maxTitle), "(no title)"),
			Kind: cmp.Or(text.Clip(u.Kind, 60), "unknown"), Place: b.place(u.Place),
			Updated: timeOf(u.UpdatedAt, b.r.AsOf), Nexts: nextOf(u.WhatToDo, standing.Next{})}
		v.Href, v.Link = thread(&u.Link)
		out = append(out, v)
	}
	return out
}

func (b *pageBuilder) elsewhere() []elsewhereView {
	classes := map[sources.Verdict]string{sources.Live: "live", sources.Safe: "archive_now", sources.Person: "person",
		sources.Time: "held", sources.Unsafe: "defect", sources.Done: "archive_now", sources.Unreadable: "unclear"}
	var out []elsewhereView
	for _, e := range b.r.Elsewhere {
		out = append(out, elsewhereView{ID: text.Clip(e.ID, maxTitle), Source: cmp.Or(text.Clip(e.Source, 60), "unknown"),
			Title: cmp.Or(text.Clip(e.Title, maxTitle), "(no title)"), State: text.Clip(e.State, 200),
			Verdict: cmp.Or(text.Clip(string(e.Verdict), 60), "unknown"), Class: cmp.Or(classes[e.Verdict], "unclear"),
			WaitsFor: text.Clip(e.WaitsFor, maxLine), Cwd: text.Clip(e.Cwd, maxLine), Place: b.place(e.Place),
			Nexts: nextOf(e.Next, standing.Next{})})
	}
	return out
}

// denominator says of how many sessions the lists were made.
func (b *pageBuilder) denominator() []string {
	out := []string{}
	for _, l := range b.r.LeftOut {
		said := fmt.Sprintf("%d %s%s", l.Count, text.Clip(l.Reason, maxLine), text.Clip(inBrackets(l.Shorts), maxLine))
		if p := b.place(l.Place); p != "" {
			said += " (" + p + ")"
		}
		out = append(out, said)
	}
	return out
}
