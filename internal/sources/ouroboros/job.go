package ouroboros

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/tidwall/gjson"

	"recovery/internal/sources"
)

// job is a background job of a session.
type job struct {
	id, kind, status, message string
	pid                       int
	start                     float64
	identity                  bool // a record that tells the owner for certain, which an epoch start alone does not
}

// jobEvents are those of a job that goes on, and then those that end it.
var jobEvents = []string{"mcp.job.created", "mcp.job.updated",
	"mcp.job.completed", "mcp.job.failed", "mcp.job.cancelled", "mcp.job.interrupted"}

// biggestJobs bounds how many jobs are looked at, the newest first.
const biggestJobs = 2000

// jobs finds the unfinished background jobs by the session that they are linked to.
func (v *view) jobs() (map[string][]job, error) {
	created, newest := map[string]event{}, map[string]event{}
	err := v.aggregates(func(about string, e event) {
		if e.kind == "mcp.job.created" {
			created[about] = e
		}
		last(newest)(about, e)
	}, jobEvents...)
	if err != nil {
		return nil, err
	}
	var open []string
	for about, e := range newest {
		if _, ok := created[about]; ok && slices.Contains(jobEvents[:2], e.kind) {
			open = append(open, about)
		}
	}
	slices.SortFunc(open, func(a, b string) int { return newest[b].compare(newest[a]) })
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
		now, err := v.readable(newest[about].row)
		if err != nil {
			return nil, err
		}
		j := job{id: about, kind: str(p, "job_type"), status: cmp.Or(str(now, "status"), "unknown"),
			message: str(now, "message"), start: p.Get("owner_start_time").Float(),
			identity: p.Get("owner_identity").IsObject()}
		if n := p.Get("owner_pid"); n.Type == gjson.Number && n.Num > 0 && n.Num < 1<<31 {
			j.pid = int(n.Num)
		}
		if !slices.Contains([]string{"completed", "failed", "cancelled", "interrupted"}, j.status) {
			out[session] = append(out[session], j)
		}
	}
	return out, nil
}

// words are a job with its owner.
func (j job) words(m sources.Machine) string {
	owner := "its owner is not recorded"
	if j.pid > 0 {
		switch p := m.Process(j.pid); {
		case !p.Running:
			owner = fmt.Sprintf("its owner, process %d, is gone", j.pid)
		case j.start > 0 && !p.Started.IsZero() && !near(p.Started, j.start):
			owner = fmt.Sprintf("process %d has another start than its owner", j.pid)
			if !j.identity {
				owner += ", which does not prove that the owner is gone"
			}
		default:
			owner = fmt.Sprintf("its owner, process %d, runs", j.pid)
		}
	}
	words := bounded(j.id) + " " + j.status
	if j.kind != "" {
		words += " (" + j.kind + ")"
	}
	if j.message != "" {
		words += ": " + j.message
	}
	return words + "; " + owner
}

func near(t time.Time, seconds float64) bool {
	d := float64(t.UnixNano())/1e9 - seconds
	return d <= drift.Seconds() && d >= -drift.Seconds()
}
