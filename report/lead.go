package report

import (
	"fmt"
	"slices"
	"strings"

	"recovery/internal/text"
	"recovery/inventory"
	"recovery/review"
	"recovery/standing"
)

// lead draws what matters most from all lists: defects with what shows and stops them, money at risk, a person never
// answered, and what would act twice. Within a code the order is that of the lists.
func (r *Report) lead() {
	entries := map[string]Entry{}
	for _, l := range r.lists() {
		for _, e := range *l.Entries {
			entries[e.Place.key(e.Short)] = e
		}
	}
	for _, d := range r.Defects {
		e, ok := entries[d.Place.key(d.Session)]
		if !ok {
			next := standing.ForDefect(d.Session, "", d.DefectData)
			e = Entry{Place: d.Place, SessionName: inventory.SessionName{Short: d.Session}, Next: next.String(), Step: next}
		}
		p := e.point(FirstDefect, d.Code+": "+d.Text)
		at := d.At
		p.At = &at
		r.First = append(r.First, p)
	}
	for _, e := range r.Typed {
		r.First = append(r.First, e.point(FirstTyped, strings.Join(e.Why, "; ")))
	}
	r.leadWith(FirstMoney, func(v *review.Verdict) string { return v.MoneyAtRisk })
	r.leadWith(FirstPerson, func(v *review.Verdict) string { return v.PersonWaiting })
	r.leadWith(FirstTwice, func(v *review.Verdict) string {
		if len(v.ActsTwiceWith) == 0 {
			return ""
		}
		return "would act twice with " + strings.Join(v.ActsTwiceWith, ", ")
	})
	r.twoOwners(entries)
	for _, e := range r.LookFirst {
		if len(e.Why) > 0 {
			r.First = append(r.First, e.point(FirstLook, "wrapped, look first: "+e.Why[0]))
		}
	}
}

func (r *Report) leadWith(code string, what func(*review.Verdict) string) {
	for _, l := range r.lists() {
		for _, e := range *l.Entries {
			if e.Verdict == nil || l.Name == "archive_now" || l.Name == "wrapped_look_first" && e.answered() {
				continue
			}
			if said := what(e.Verdict); said != "" {
				r.First = append(r.First, e.point(code, said))
			}
		}
	}
}

// twoOwners points at sessions of one group that would each act on a go, also where their reviews do not say so.
func (r *Report) twoOwners(entries map[string]Entry) {
	told := map[string]bool{}
	for _, p := range r.First {
		if p.Code == FirstTwice {
			told[p.key(p.Short)] = true
		}
	}
	waits := map[string]Entry{}
	for _, e := range r.Owners {
		waits[e.Place.key(e.Short)] = e
	}
	for _, e := range r.Owners {
		owner, ok := waits[e.Place.key(e.Owner)]
		if e.Owner == "" || !ok || told[e.Place.key(e.Short)] {
			continue
		}
		told[e.Place.key(e.Short)] = true
		r.First = append(r.First, e.twice("waits for a go on the work that %s (%s) owns and waits for a go on too",
			owner.Short, text.Line(owner.Title)))
	}
	for _, g := range r.Groups {
		var both []Member
		for _, m := range g.Members {
			if _, ok := waits[m.key(m.Short)]; ok {
				both = append(both, m)
			}
		}
		if len(both) < 2 {
			continue
		}
		for _, m := range both {
			if m.key(m.Short) == g.Owner.key(g.Owner.Short) || told[m.key(m.Short)] {
				continue
			}
			told[m.key(m.Short)] = true
			e := entries[m.key(m.Short)]
			r.First = append(r.First, e.twice("waits for a go on the work that %s of %s owns: %s", g.Owner.Short, g.Owner.Name(),
				g.Reason))
		}
	}
}

// answered says that a person wrote in the session after its review and was answered: what the review named is settled.
func (e Entry) answered() bool { return e.Review != nil && e.Review.Settled }

// twice is a point on two sessions that would each act on a go.
func (e Entry) twice(format string, args ...any) Point {
	p := e.point(FirstTwice, fmt.Sprintf(format, args...))
	p.Step = standing.Do("give one of them the go, and tell the other that it is a duplicate")
	p.Next = p.Step.String()
	return p
}

// Leader is one session that a report leads with, with all that is to be known of it.
type Leader struct {
	Point
	// Words are what it is there for, the worst first.
	Words  []string
	Points []Point
	Next   []string
	Steps  []standing.Next
}

// Leading collects what a report leads with by session, in the order of the worst that is to be said of each.
func (r Report) Leading() []Leader {
	var out []Leader
	at := map[string]int{}
	for _, p := range r.First {
		i, ok := at[p.key(p.Short)]
		if !ok || p.Short == "" {
			i = len(out)
			at[p.key(p.Short)] = i
			out = append(out, Leader{Point: p})
		}
		l := &out[i]
		l.Points = append(l.Points, p)
		if word := LeadWords[p.Code]; !slices.Contains(l.Words, word) {
			l.Words = append(l.Words, word)
		}
		if !slices.Contains(l.Next, p.Next) {
			l.Next, l.Steps = append(l.Next, p.Next), append(l.Steps, p.Step)
		}
	}
	return out
}

// key tells sessions of several accounts apart.
func (p Place) key(short string) string { return p.Account + "\x00" + p.Host + "\x00" + short }

// Name is the place as one reads it: account@host.
func (p Place) Name() string {
	if p.Host == "" {
		return p.Account
	}
	return p.Account + "@" + p.Host
}
