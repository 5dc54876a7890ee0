package report

import (
	"cmp"
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"recovery/internal/text"
	"recovery/standing"
)

// LeadWords are the codes of what a report leads with, as a person reads them.
var LeadWords = map[string]string{FirstDefect: "DEFECT", FirstTyped: "NEVER ANSWERED", FirstMoney: "MONEY AT RISK",
	FirstPerson: "A PERSON WAITS", FirstTwice: "WOULD ACT TWICE", FirstLook: "WRAPPED, LOOK FIRST"}

// Markdown is the report as one pastes it into a chat. Text from sessions is escaped.
func (r Report) Markdown() string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	places := make([]string, len(r.Places))
	for i, p := range r.Places {
		places[i] = md(p.Name())
	}
	line("# Session recovery, %s", stamp(r.AsOf))
	line("\n%s. %s", strings.Join(places, ", "), r.summary())
	if len(r.First) > 0 {
		line("\n## What matters most (%d)\n", len(r.Leading()))
		for _, c := range r.Leading() {
			line("- **%s**: %s", strings.Join(c.Words, ", "), r.name(c.Place, c.Title, c.Short, c.Link))
			if c.Cwd != "" {
				line("  - folder: %s", md(c.Cwd))
			}
			for _, p := range c.Points {
				line("  - %s: %s", strings.ToLower(LeadWords[p.Code]), md(p.Text))
			}
			for _, next := range c.Next {
				line("  - next: %s", md(next))
			}
		}
	}
	r.section(line, "Typed and never answered", r.Typed, false)
	for _, l := range r.lists() {
		r.section(line, l.Title, *l.Entries, l.Name == "archive_now" || l.Name == "owners")
		if l.Name == "duplicates" {
			r.groups(line)
			r.captures(line)
		}
	}
	if len(r.Unmatched) > 0 {
		line("\n## Other surfaces, without a job here (%d)\n", len(r.Unmatched))
		for _, u := range r.Unmatched {
			line("- %s (%s): %s%s", md(u.Title), md(u.Kind), md(u.Link), r.where(u.Place))
			line("  - %s", md(u.WhatToDo))
		}
	}
	if len(r.Elsewhere) > 0 {
		line("\n## Elsewhere: other systems' unfinished work (%d)\n", len(r.Elsewhere))
		for _, e := range r.Elsewhere {
			line("- %s `%s` %s: %s, %s%s", md(e.Source), md(e.ID), md(cmp.Or(e.Title, "(no title)")),
				md(cmp.Or(e.State, "no state")), md(string(e.Verdict)), r.where(e.Place))
			for _, f := range []struct{ name, value string }{{"folder", e.Cwd}, {"waits for", e.WaitsFor}, {"next", e.Next}} {
				if f.value != "" {
					line("  - %s: %s", f.name, md(f.value))
				}
			}
		}
	}
	if len(r.Expiring) > 0 {
		line("\n## Expiring within a week (%d)\n", len(r.Expiring))
		for _, p := range r.Expiring {
			line("- %s: %s", r.name(p.Place, p.Title, p.Short, p.Link), md(p.Text))
		}
	}
	if len(r.Agents) > 0 {
		line("\n## Typed by an agent, with --as-user (%d)\n", len(r.Agents))
		for _, a := range r.Agents {
			line("- %s", md(a))
		}
	}
	for _, w := range r.Warnings {
		line("\nWarning: %s.", md(strings.TrimSuffix(w, ".")))
	}
	line("\n%s", r.denominator())
	if !r.Complete {
		line("The pages were not complete: there are more sessions than these.")
	}
	return b.String()
}

// summary is the report in one sentence.
func (r Report) summary() string {
	var parts []string
	for _, c := range r.Counts {
		if c.Count > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", c.Count, strings.ReplaceAll(c.List, "_", " ")))
		}
	}
	if len(parts) == 0 {
		return "Nothing is listed."
	}
	return "In short: " + strings.Join(parts, ", ") + "."
}

// denominator says of how many sessions the lists were made.
func (r Report) denominator() string {
	left := []string{}
	for _, l := range r.LeftOut {
		left = append(left, fmt.Sprintf("%d %s%s%s", l.Count, md(l.Reason), md(inBrackets(l.Shorts)), r.where(l.Place)))
	}
	if len(left) == 0 {
		left = append(left, "nothing")
	}
	return fmt.Sprintf("Found %d; left out: %s.", r.Found, strings.Join(left, ", "))
}

// maxNames is how many sessions are named of those that were left out.
const maxNames = 20

// inBrackets are the sessions behind a count; empty where there are none to name.
func inBrackets(shorts []string) string {
	switch n := len(shorts); {
	case n == 0:
		return ""
	case n > maxNames:
		return fmt.Sprintf(" (%s and %d more)", strings.Join(shorts[:maxNames], " "), n-maxNames)
	}
	return " (" + strings.Join(shorts, " ") + ")"
}

// where names the place of a row, where there are several.
func (r Report) where(p Place) string {
	if len(r.Places) < 2 {
		return ""
	}
	return " (" + md(p.Name()) + ")"
}

func (r Report) name(p Place, title, short string, link *string) string {
	to := ""
	if link != nil {
		to = " " + md(*link)
	}
	return fmt.Sprintf("%s `%s`%s%s", md(cmp.Or(title, "(no title)")), md(short), to, r.where(p))
}

func (r Report) section(line func(string, ...any), title string, list []Entry, always bool) {
	if len(list) == 0 && !always {
		return
	}
	line("\n## %s (%d)\n", title, len(list))
	if len(list) == 0 {
		line("None.")
	}
	for _, same := range causes(list) {
		if len(same) == 1 {
			r.entry(line, same[0])
			continue
		}
		r.together(line, same)
	}
}

// causes puts sessions together that were not woken for one and the same reason, in the order of the first of each.
func causes(list []Entry) [][]Entry {
	var out [][]Entry
	at := map[string]int{}
	for _, e := range list {
		key := strings.Join(append([]string{string(e.Standing), e.Step.Do}, e.Why...), "\x00")
		i, ok := at[key]
		if !ok || e.Verdict != nil || e.Review != nil || len(e.AlsoIn) > 0 || e.Standing == "" {
			at[key], i = len(out), len(out)
			out = append(out, nil)
		}
		out[i] = append(out[i], e)
	}
	return out
}

// together is one reason with the sessions that it holds for.
func (r Report) together(line func(string, ...any), same []Entry) {
	line("- %d sessions, for one reason:", len(same))
	for _, w := range same[0].Why {
		line("  - %s", md(w))
	}
	steps := make(map[string]standing.Next, len(same))
	shorts := make([]string, len(same))
	for i, e := range same {
		shorts[i], steps[e.Short] = e.Short, e.Step
	}
	one, shared := standing.Shared(same[0].Standing, shorts, steps)
	if shared {
		line("  - next: %s", md(one.String()))
	}
	for _, e := range same {
		more := ""
		if e.Cwd != "" {
			more += ", folder: " + md(e.Cwd)
		}
		if e.Owner != "" {
			more += ", duplicate of: `" + md(e.Owner) + "`"
		}
		if !shared {
			more += ", next: " + md(e.Next)
		}
		line("  - %s%s%s", r.name(e.Place, e.Title, e.Short, e.Link), running(e), more)
	}
}

// running says how an entry's session runs, for the end of its line; empty when nobody looked.
func running(e Entry) string {
	if s := e.state(); s != "" {
		return " (" + md(s) + ")"
	}
	return ""
}

func (r Report) entry(line func(string, ...any), e Entry) {
	link := "no thread (a plain session)"
	if e.Link != nil {
		link = md(*e.Link)
	}
	line("- **%s** `%s` %s%s%s", md(cmp.Or(e.Title, "(no title)")), md(e.Short), link, r.where(e.Place), running(e))
	if e.Cwd != "" {
		line("  - folder: %s", md(e.Cwd))
	}
	if e.Owner != "" {
		line("  - duplicate of: `%s`", md(e.Owner))
	}
	for _, p := range e.AlsoIn {
		line("  - the same conversation is told by %s", md(p.Name()))
	}
	if v := e.Verdict; v != nil {
		for _, f := range []struct{ name, value string }{
			{"money at risk", v.MoneyAtRisk}, {"a person waits", v.PersonWaiting}, {"would act twice with",
				strings.Join(v.ActsTwiceWith, ", ")},
			{"item", v.Item}, {"open", strings.Join(v.Open, "; ")}, {"one go would", nothingIsNone(v.Go)},
			{"Recommend", v.Recommend},
		} {
			if f.value != "" {
				line("  - %s: %s", f.name, md(f.value))
			}
		}
	}
	for _, w := range e.Why {
		line("  - %s", md(w))
	}
	line("  - next: %s", md(e.Next))
}

// nothingIsNone drops a go that would do nothing: the session says it in words.
func nothingIsNone(s string) string {
	switch strings.ToLower(strings.Trim(s, " .-—")) {
	case "nothing", "none", "n/a", "no":
		return ""
	}
	return s
}

func (r Report) groups(line func(string, ...any)) {
	if len(r.Groups) == 0 {
		return
	}
	line("\n## The same work in several accounts (%d)\n", len(r.Groups))
	for _, g := range r.Groups {
		line("- owner %s: %s", r.name(g.Owner.Place, g.Owner.Title, g.Owner.Short, g.Owner.Link), md(g.Why))
		for _, m := range g.Members {
			if m.key(m.Short) != g.Owner.key(g.Owner.Short) {
				line("  - duplicate: %s", r.name(m.Place, m.Title, m.Short, m.Link))
			}
		}
		line("  - %s", md(g.Reason))
	}
}

func (r Report) captures(line func(string, ...any)) {
	if len(r.Captures) == 0 {
		return
	}
	line("\n## Captures for the same file, to ship as one change (%d)\n", len(r.Captures))
	for _, c := range r.Captures {
		line("- **%s** in %s", md(c.File), md(cmp.Or(c.Repo, "no repository")))
		for _, p := range c.Proposals {
			line("  - `%s`%s: %s", md(p.Short), r.where(p.Place), md(p.Text))
		}
	}
}

var mdMarks = strings.NewReplacer("*", `\*`, "`", "'", "[", `\[`, "]", `\]`, "<", "&lt;", "|", `\|`, "#", `\#`, "~",
	`\~`)

// ownEscape are backslashes that Markdown would take as its own: in front of a mark, of one another, or at the end.
var ownEscape = regexp.MustCompile(`(\\+)([!-/:-@\[\]-` + "`" + `{-~]|$)|(\\{2,})`)

// md makes a text safe inside a line of Markdown. An underscore inside a word is no mark there, and links have to
// stay whole.
func md(s string) string {
	s = mdMarks.Replace(ownEscape.ReplaceAllString(text.Line(s), `$1$1$3$3$2`))
	var b strings.Builder
	before := ' '
	for i, r := range s {
		if r == '_' {
			after, _ := utf8.DecodeRuneInString(s[i+1:])
			if !wordRune(before) || !wordRune(after) {
				b.WriteByte('\\')
			}
		}
		b.WriteRune(r)
		before = r
	}
	return b.String()
}

func wordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
