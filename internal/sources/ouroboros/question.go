package ouroboros

import (
	"cmp"
	"errors"
	"fmt"
	"sort"

	"github.com/tidwall/gjson"
)

// question is a request to a person that nothing has closed.
type question struct {
	id, when, session         string
	text, kind, risk, timeout string
	bad                       string // why it cannot be read; the rest is empty then
}

const questionEvents = "'hitl.requested','hitl.answered','hitl.timed_out','hitl.cancelled'"

// questions finds the open ones, oldest first: the newest event about a request is the request itself.
func (v *view) questions() ([]question, error) {
	last := map[string]event{}
	err := v.aggregates(questionEvents, func(about string, e event) {
		if old, ok := last[about]; !ok || old.before(e) {
			last[about] = e
		}
	})
	if err != nil {
		return nil, err
	}
	var out []question
	for about, e := range last {
		if e.kind != "hitl.requested" {
			continue
		}
		q := question{id: about, when: e.when}
		p, err := v.payload(e.row)
		if wrong := (payloadError{}); errors.As(err, &wrong) {
			q.bad = wrong.what
		} else if err != nil {
			return nil, err
		}
		q.session = p.Get("session_id").String()
		q.text, q.kind, q.risk, q.timeout = str(p, "question"), str(p, "kind"), str(p, "risk_class"), str(p, "timeout_action")
		if q.text == "" {
			q.text = str(p, "title")
		}
		out = append(out, q)
	}
	sort.Slice(out, func(i, j int) bool {
		if out[i].when != out[j].when {
			return out[i].when < out[j].when
		}
		return out[i].id < out[j].id
	})
	return out, nil
}

// words are the question as a person reads it.
func (q question) words() string {
	if q.bad != "" {
		return "a question that cannot be read: its request " + q.bad
	}
	text := q.text
	if text == "" {
		text = "(a question without a text)"
	}
	return fmt.Sprintf("a person's answer (%s, risk %s): %s", cmp.Or(q.kind, "kind not recorded"),
		cmp.Or(q.risk, "not recorded"), text)
}

// job is a background job of a session.
type job struct {
	id, kind, status, message string
	pid                       int
	start                     float64
	identity                  bool // a record that tells the owner for certain, which an epoch start alone does not
}

const jobEvents = "'mcp.job.created','mcp.job.updated','mcp.job.completed','mcp.job.failed','mcp.job.cancelled','mcp.job.interrupted'"

// biggestJobs bounds how many jobs are looked at, the newest first.
const biggestJobs = 2000

// jobs finds the unfinished background jobs by the session that they are linked to.
func (v *view) jobs() (map[string][]job, error) {
	created, last := map[string]event{}, map[string]event{}
	err := v.aggregates(jobEvents, func(about string, e event) {
		if e.kind == "mcp.job.created" {
			created[about] = e
		}
		if old, ok := last[about]; !ok || old.before(e) {
			last[about] = e
		}
	})
	if err != nil {
		return nil, err
	}
	var open []string
	for about, e := range last {
		if _, ok := created[about]; ok && (e.kind == "mcp.job.created" || e.kind == "mcp.job.updated") {
			open = append(open, about)
		}
	}
	sort.Slice(open, func(i, k int) bool { return last[open[k]].before(last[open[i]]) })
	out := map[string][]job{}
	for _, about := range open[:min(len(open), biggestJobs)] {
		p, err := v.readable(created[about].row)
		if err != nil {
			return nil, err
		}
		session := p.Get("links.session_id").String()
		if session == "" {
			continue
		}
		now, err := v.readable(last[about].row)
		if err != nil {
			return nil, err
		}
		j := job{id: about, kind: str(p, "job_type"), status: cmp.Or(str(now, "status"), "unknown"),
			message: str(now, "message"),
			start:   p.Get("owner_start_time").Float(), identity: p.Get("owner_identity").IsObject()}
		if n := p.Get("owner_pid"); n.Type == gjson.Number && n.Num > 0 && n.Num < 1<<31 {
			j.pid = int(n.Num)
		}
		switch j.status {
		case "completed", "failed", "cancelled", "interrupted":
			continue
		}
		out[session] = append(out[session], j)
	}
	return out, nil
}

// readable is a payload, empty when it cannot be read.
func (v *view) readable(row int64) (gjson.Result, error) {
	p, err := v.payload(row)
	if wrong := (payloadError{}); errors.As(err, &wrong) {
		return gjson.Result{}, nil
	}
	return p, err
}

// str is a text of a payload, bounded; empty when it is not there or no text.
func str(p gjson.Result, path string) string {
	if r := p.Get(path); r.Type == gjson.String {
		return bounded(r.Str)
	}
	return ""
}
