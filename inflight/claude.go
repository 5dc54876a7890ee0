package inflight

import (
	"cmp"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"recovery/internal/account"
	"recovery/internal/sources"
	"recovery/internal/sources/files"
	"recovery/internal/text"
	"recovery/internal/transcript"
	"recovery/inventory"
)

// Claude is the name of the source that is the account itself.
const Claude = "claude"

// maxTitle bounds a title, in characters: a job without a name is called by its first prompt.
const maxTitle = 200

// find lists the account's own jobs as a source like the others. Whether a message may be sent to one is the queue
// check's question and not answered here: an offline one waits for a person, who asks it.
func (a Account) find(m sources.Machine) sources.Found {
	f := sources.NewFound()
	jobs := filepath.Join(a.Dir, "jobs")
	if a.missing() {
		f.NotThere(jobs)
		f.None = "there is no account here; run it as the user who owns the sessions: sudo -iu USER"
		return f
	}
	f.Looked = append(f.Looked, jobs)
	if a.Err != nil {
		f.Fail(Claude, a.Dir, "the account cannot be read: "+a.Err.Error(), sources.LookAtFolder)
		return f
	}
	if _, err := os.Stat(jobs); files.Absent(err) {
		f.Missing = append(f.Missing, jobs)
	}
	w := a.World
	if n := w.Jobs.Leftovers; n > 0 {
		f.LeftOut["a job folder without state.json"] = n
	}
	var chosen []*account.Job
	ended, open := map[string]int{}, 0
	for _, j := range w.Jobs.List {
		if j.Archived && w.Liveness(j).State != account.Live {
			ended["archived"]++
			if !m.All {
				continue
			}
		}
		chosen = append(chosen, j)
	}
	for _, facts := range w.All(chosen) {
		row := a.row(facts)
		if row.Verdict != sources.Done {
			open++
		} else if !facts.Job.Archived {
			ended["went on in another session"]++
			if !m.All {
				continue
			}
		}
		f.Rows = append(f.Rows, row)
	}
	if !m.All {
		maps.Copy(f.LeftOut, ended)
	}
	switch {
	case open > 0:
	case len(ended) == 0:
		f.None = "no background session was ever started in this account"
	default:
		f.None = "every background session is finished: " + sources.Counted(ended)
	}
	return f
}

// row makes the row of one job.
func (a Account) row(f inventory.Facts) sources.Row {
	j, story := f.Job, a.World.Story(f)
	r := sources.NewRow(Claude, cmp.Or(j.SessionID, j.Short), filepath.Join(a.Dir, "jobs", j.Short))
	r.Title, r.State, r.UpdatedAt = text.Cut(j.Title(), maxTitle), state(f, story), updated(f)
	r.Cwd, r.ClaudeSessionID = j.Cwd, j.SessionID
	judge(&r, f, story)
	add := func(name, value string) { r.Add(name, text.Cut(value, 600)) }
	add("short", j.Short)
	add("thread", f.Link())
	add("last turn", story.Turn+": "+story.TurnWhy)
	if f.Live.State != account.Live {
		add("ended", string(story.Ended.Cause)+": "+story.Ended.Line)
	}
	add("liveness", strings.Join(f.Live.Evidence, "; "))
	if story.ExpiresAt != nil {
		add("transcript kept until", story.ExpiresAt.UTC().Format(time.RFC3339))
	}
	if j.Pinned {
		add("pinned", "yes")
	}
	for _, h := range a.World.Hazards(j) {
		r.Warnings = append(r.Warnings, h.Text)
	}
	if j.Queued {
		r.Warn("a message waits for its next start and would run with its rights")
	}
	if f.FolderGone {
		r.Warn("its folder is gone: %s", f.Folder)
	}
	if r.Verdict == sources.Person {
		r.Look(queueCheck+j.Short, checkEffect)
	}
	r.Look("recovery last-reply "+j.Short, "prints its latest reply; changes nothing")
	r.Look("recovery why "+j.Short, "tells from the log why it went offline; changes nothing")
	return r
}

const checkEffect = "says whether the session may be woken, with the evidence; sends nothing"

// state is what the transcript and the log say of it: how its last turn ended, and why it is offline.
func state(f inventory.Facts, s inventory.Story) string {
	if f.Live.State == account.Live {
		if f.Live.Status != "" {
			return "live, " + f.Live.Status
		}
		return "live"
	}
	return s.Turn + ", " + string(s.Ended.Cause)
}

func updated(f inventory.Facts) time.Time {
	switch {
	case !f.Tail.LastEntry.IsZero():
		return f.Tail.LastEntry
	case !f.Job.UpdatedAt.IsZero():
		return f.Job.UpdatedAt
	}
	return f.Modified
}

// judge gives the verdict with its reason, and what the session waits for.
func judge(r *sources.Row, f inventory.Facts, s inventory.Story) {
	switch {
	case f.Live.State == account.Live:
		r.Verdict, r.Reason, r.WaitsFor = sources.Live, "it runs: message it in its own thread", f.Live.WaitingFor
	case f.Job.Problem != "":
		r.Verdict, r.Reason = sources.Unreadable, "state.json "+f.Job.Problem
	case f.Tail.Turn == transcript.UnknownTurn:
		r.Verdict, r.Reason = sources.Unreadable, s.TurnWhy
	case f.Live.State != account.Offline:
		r.Verdict, r.Reason = sources.Person, "whether it lives cannot be told, so leave it alone until it can: "+
			strings.Join(f.Live.Evidence, "; ")
	case f.Job.Archived:
		r.Verdict, r.Reason = sources.Done, "it is archived"
	case f.Location.ContinuedIn != "":
		r.Verdict, r.Reason = sources.Done, "its conversation went on in the session "+f.Location.ContinuedIn
	default:
		r.Verdict, r.Reason = sources.Person, "it is offline, and whether it may be woken is the queue check's question"
		switch {
		case f.Tail.Turn == transcript.Waiting:
			r.WaitsFor = s.TurnWhy
		case slices.Contains([]inventory.Cause{inventory.Limit, inventory.SignIn}, s.Ended.Cause):
			r.WaitsFor = string(s.Ended.Cause) + ": " + text.Cut(s.Ended.Line, maxTitle)
		}
	}
}
