package ouroboros

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"recovery/internal/sources"
)

// question is a request to a person that nothing has closed.
type question struct {
	id, when, session string
	text, kind, risk  string
	bad               string // why it cannot be read; the rest is empty then
}

// questions finds the open ones, oldest first: the newest event about a request is the request itself.
func (v *view) questions() ([]question, error) {
	newest := map[string]event{}
	err := v.aggregates(last(newest), "hitl.requested", "hitl.answered", "hitl.timed_out", "hitl.cancelled")
	if err != nil {
		return nil, err
	}
	var out []question
	for about, e := range newest {
		if e.kind != "hitl.requested" {
			continue
		}
		p, bad, err := v.payload(e.row)
		if err != nil {
			return nil, err
		}
		out = append(out, question{id: about, when: e.when, bad: bad, session: p.Get("session_id").String(),
			text: cmp.Or(str(p, "question"), str(p, "title")), kind: str(p, "kind"), risk: str(p, "risk_class")})
	}
	slices.SortFunc(out, func(a, b question) int {
		return cmp.Or(strings.Compare(a.when, b.when), strings.Compare(a.id, b.id))
	})
	return out, nil
}

// words are the question as a person reads it.
func (q question) words() string {
	if q.bad != "" {
		return "a question that cannot be read: its request " + q.bad
	}
	return fmt.Sprintf("a person's answer (%s, risk %s): %s", cmp.Or(q.kind, "kind not recorded"),
		cmp.Or(q.risk, "not recorded"), cmp.Or(q.text, "(a question without a text)"))
}

// looseRow is the row of a question whose session the store does not know, such as an interview's.
func looseRow(p place, q question) sources.Row {
	r := sources.NewRow(Name, q.id, p.path)
	r.Title, r.WaitsFor, r.UpdatedAt = q.text, q.words(), parseTime(q.when)
	r.State, r.Verdict, r.Reason = "requested", sources.Person, "nobody has answered it"
	if q.bad != "" {
		r.State, r.Verdict, r.Reason = "", sources.Unreadable, "the request for a person's answer "+q.bad
	}
	r.Add("kind", "question to a person")
	r.Add("session", bounded(q.session))
	inspect(&r, p, "")
	return r
}
