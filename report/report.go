package report

import (
	"fmt"
	"sort"
	"strings"
	"time"

	"recovery/internal/journal"
	"recovery/internal/text"
	"recovery/inventory"
	"recovery/review"
	"recovery/wrap"
)

// Entry is one session of a list.
type Entry struct {
	Short     string  `json:"short"`
	SessionID string  `json:"session_id"`
	Link      *string `json:"link"`
	Title     string  `json:"title"`
	Cwd       string  `json:"cwd"`
	// Why is the evidence for the list that it stands in.
	Why     []string        `json:"why"`
	Verdict *review.Verdict `json:"verdict"`
	Next    string          `json:"next"`
}

// Report is what the user reads. Every session of the inventory stands in exactly one of the lists.
type Report struct {
	AsOf    time.Time            `json:"as_of"`
	Defects []journal.OpenDefect `json:"defects"`
	// ArchiveNow are real wraps; Finished are reviews that say DONE and still want their wrap.
	ArchiveNow []Entry `json:"archive_now"`
	Owners     []Entry `json:"owners"`
	Finished   []Entry `json:"finished"`
	// Typed are sessions in which somebody typed something that was never answered, with the texts.
	Typed      []Entry             `json:"typed_not_answered"`
	Duplicates []Entry             `json:"duplicates"`
	Held       []Entry             `json:"held"`
	Unclear    []Entry             `json:"unclear"`
	NotWoken   []Entry             `json:"not_woken"`
	Unmatched  []inventory.NoJob   `json:"unmatched"`
	Found      int                 `json:"found"`
	LeftOut    []inventory.LeftOut `json:"left_out"`
	Complete   bool                `json:"complete"`
	// Agents are the acts that only the user may say and that an agent typed.
	Agents []string `json:"typed_by_agent"`
}

// Input is what a report is made of.
type Input struct {
	Inventory *inventory.Inventory
	State     *journal.State
	// Review gives a session's review, and whether there is one.
	Review func(short string) (review.Review, bool)
	Look   *Look
	Now    time.Time
}

// Build makes the report.
func Build(in Input) Report {
	r := Report{AsOf: in.Now, Defects: append([]journal.OpenDefect{}, in.State.Defects...), ArchiveNow: []Entry{}, Owners: []Entry{}, Finished: []Entry{},
		Duplicates: []Entry{}, Held: []Entry{}, Unclear: []Entry{}, NotWoken: []Entry{}, Unmatched: in.Inventory.Unmatched, Found: in.Inventory.Found,
		LeftOut: in.Inventory.LeftOut, Complete: in.Inventory.Complete, Typed: []Entry{}, Agents: append([]string{}, in.State.Agents...)}
	seen := map[string]bool{}
	for _, it := range in.Inventory.Items {
		seen[it.Short] = true
		r.add(in, Entry{Short: it.Short, SessionID: it.SessionID, Link: it.Link, Title: it.Title, Cwd: it.Cwd})
	}
	var others []string
	for short, s := range in.State.Sessions {
		if !seen[short] && s.LastSent() != nil {
			others = append(others, short)
		}
	}
	sort.Strings(others)
	for _, short := range others {
		last := in.State.Sessions[short].LastSent()
		e := Entry{Short: short, SessionID: last.SessionID, Title: last.Title, Cwd: last.Cwd}
		if last.Link != "" {
			e.Link = &last.Link
		}
		r.add(in, e)
	}
	for _, list := range [][]Entry{r.Owners, r.Held, r.Unclear} {
		sort.SliceStable(list, func(i, j int) bool { return rank(list[i]) < rank(list[j]) })
	}
	return r
}

// rank puts money at risk first, then a person never answered, then what would act twice.
func rank(e Entry) int {
	switch v := e.Verdict; {
	case v == nil:
		return 3
	case v.MoneyAtRisk != "":
		return 0
	case v.PersonWaiting != "":
		return 1
	case len(v.ActsTwiceWith) > 0:
		return 2
	}
	return 3
}

func (r *Report) add(in Input, e Entry) {
	s, ok := in.State.Sessions[e.Short]
	if !ok {
		s = &journal.Session{Short: e.Short}
	}
	rev, reviewed := in.Review(e.Short)
	if reviewed {
		e.Verdict = rev.Verdict
	}
	if e.Title == "" {
		if j := in.Look.job(e.Short); j != nil {
			e.Title = j.Title()
		}
	}
	if s.Check != nil && len(s.Check.Pending) > 0 {
		typed := e
		for _, t := range s.Check.Pending {
			typed.Why = append(typed.Why, "typed and never answered: "+or(t, "(its text was not recorded)"))
		}
		typed.Next = "answer it in its thread"
		r.Typed = append(r.Typed, typed)
	}
	clean := reviewed && len(rev.Defects) == 0
	wrapped := wrap.Status{State: wrap.NotSent}
	if reviewed || s.Wrap != nil {
		wrapped = in.Look.wrapNow(e.Short, s)
	}
	switch busy := in.Look.busy(e.Short); {
	case wrapped.State == wrap.Done && clean && rev.Unjudged() == 0 && busy == "":
		if wrapped.WrappedAt != nil {
			e.Why = append(e.Why, "real wrap seen at "+wrapped.WrappedAt.UTC().Format(time.RFC3339))
		}
		e.Why = append(e.Why, fmt.Sprintf("%s, all only read", calls(len(rev.Tools))))
		e.Next = "archive it: your click"
		r.ArchiveNow = append(r.ArchiveNow, e)
	case wrapped.State == wrap.Done && clean:
		if busy != "" {
			e.Why = append(e.Why, "it wrapped, and something goes on or waits in it: "+busy)
		}
		e.Why = append(e.Why, unclear(rev)...)
		e.Next = "recovery read " + e.Short
		r.Unclear = append(r.Unclear, e)
	case wrapped.State == wrap.Held:
		e.Why = append(e.Why, "it wrapped and is held: "+wrapped.ClosingLine)
		e.Next = "read its thread"
		r.Held = append(r.Held, e)
	case wrapped.State == wrap.Running:
		e.Why = append(e.Why, "its wrap is not over: "+wrapped.Reason)
		e.Next = "recovery wrap-wait " + e.Short
		r.Unclear = append(r.Unclear, e)
	case s.LastSent() == nil && !reviewed:
		e.Why = append(e.Why, notWoken(s))
		e.Next = "recovery queue-check " + e.Short
		r.NotWoken = append(r.NotWoken, e)
	case !reviewed || !rev.Answered:
		e.Why = append(e.Why, "its review is not answered yet")
		if rev.Waiting != "" {
			e.Why = append(e.Why, "it waits: "+rev.Waiting)
		}
		e.Next = "recovery read --wait 10m " + e.Short
		r.Unclear = append(r.Unclear, e)
	case rev.Unclear != "" || rev.Verdict == nil || !clean || rev.Unjudged() > 0 && rev.Verdict.Verdict == review.VerdictDone:
		e.Why = append(e.Why, unclear(rev)...)
		e.Next = "recovery read " + e.Short
		r.Unclear = append(r.Unclear, e)
	case rev.UserAfter && wrapped.State == wrap.NotSent:
		e.Why = append(e.Why, "somebody wrote in it after its review: the review may be out of date")
		e.Next = "recovery last-reply " + e.Short
		r.Unclear = append(r.Unclear, e)
	default:
		e.Why = append(e.Why, unclear(rev)...)
		r.byVerdict(e, rev)
	}
}

func (r *Report) byVerdict(e Entry, rev review.Review) {
	switch rev.Verdict.Verdict {
	case review.VerdictDone:
		e.Why = append(e.Why, "its review says DONE; a real wrap is still owed")
		e.Next = "pin it, send the WRAP message, then: recovery wrap-wait " + e.Short
		r.Finished = append(r.Finished, e)
	case review.VerdictOwner:
		e.Next = "read its plan, then type your go in its thread"
		r.Owners = append(r.Owners, e)
	case review.VerdictDuplicate:
		e.Next = "when its owner has what it lacks: pin it, send the WRAP message, then: recovery wrap-wait " + e.Short
		r.Duplicates = append(r.Duplicates, e)
	default:
		e.Next = "read its thread"
		r.Held = append(r.Held, e)
	}
}

func notWoken(s *journal.Session) string {
	if s.Check != nil {
		return fmt.Sprintf("not woken: queue check %s (%s)", s.Check.Verdict, strings.Join(s.Check.Codes, ", "))
	}
	return "not woken: not checked yet"
}

func calls(n int) string {
	if n == 1 {
		return "1 tool call"
	}
	return fmt.Sprintf("%d tool calls", n)
}

func unclear(rev review.Review) []string {
	var why []string
	if rev.Unclear != "" {
		why = append(why, "verdict unclear: "+rev.Unclear)
	}
	for _, d := range rev.Defects {
		why = append(why, "defect "+d.Code+": "+d.Text)
	}
	if n := rev.Unjudged(); n > 0 {
		why = append(why, fmt.Sprintf("%s cannot be judged: look at them with `recovery read`", calls(n)))
	}
	return why
}

// Markdown is the report as one pastes it into a chat. Text from sessions is escaped.
func (r Report) Markdown() string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("# Session recovery, %s", r.AsOf.UTC().Format(time.RFC3339))
	if len(r.Defects) > 0 {
		line("\n## Defects\n")
		for _, d := range r.Defects {
			line("- **%s** in `%s`: %s. %s", d.Code, d.Session, md(d.Text), md(d.Next))
		}
	}
	for _, l := range []struct {
		title string
		list  []Entry
	}{
		{"Typed and never answered", r.Typed}, {"Archive now", r.ArchiveNow}, {"Owners that wait for one go", r.Owners}, {"Finished by their review, real wrap owed", r.Finished},
		{"Held", r.Held}, {"Duplicates", r.Duplicates}, {"Unclear or unanswered", r.Unclear}, {"Not woken", r.NotWoken},
	} {
		if len(l.list) == 0 && l.title != "Archive now" && l.title != "Owners that wait for one go" {
			continue
		}
		line("\n## %s (%d)\n", l.title, len(l.list))
		for _, e := range l.list {
			r.entry(line, e)
		}
	}
	if len(r.Unmatched) > 0 {
		line("\n## Without a job here (%d)\n", len(r.Unmatched))
		for _, u := range r.Unmatched {
			line("- %s (%s): %s\n  %s", md(u.Title), u.Kind, u.Link, md(u.WhatToDo))
		}
	}
	if len(r.Agents) > 0 {
		line("\n## Typed by an agent, with --as-user (%d)\n", len(r.Agents))
		for _, a := range r.Agents {
			line("- %s", md(a))
		}
	}
	left := []string{}
	for _, l := range r.LeftOut {
		left = append(left, fmt.Sprintf("%d %s", l.Count, md(l.Reason)))
	}
	if len(left) == 0 {
		left = append(left, "nothing")
	}
	line("\nFound %d; left out: %s.", r.Found, strings.Join(left, ", "))
	if !r.Complete {
		line("The pages were not complete: there are more sessions than these.")
	}
	return b.String()
}

func (r Report) entry(line func(string, ...any), e Entry) {
	link := "no thread (a plain session)"
	if e.Link != nil {
		link = *e.Link
	}
	line("- **%s** `%s` %s", md(e.Title), e.Short, link)
	if e.Cwd != "" {
		line("  - folder: %s", md(e.Cwd))
	}
	if v := e.Verdict; v != nil {
		for _, f := range []struct{ name, value string }{
			{"money at risk", v.MoneyAtRisk}, {"a person waits", v.PersonWaiting}, {"would act twice with", strings.Join(v.ActsTwiceWith, ", ")},
			{"item", v.Item}, {"open", strings.Join(v.Open, "; ")}, {"one go would", v.Go}, {"recommended", v.Recommend},
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

// md makes a text safe inside a line of Markdown.
func md(s string) string {
	return strings.NewReplacer("*", `\*`, "_", `\_`, "`", "'", "[", `\[`, "]", `\]`, "<", "&lt;", "|", `\|`, "#", `\#`).Replace(text.Line(s))
}
