package inflight

import (
	"fmt"
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
	f := sources.Found{Rows: []sources.Row{}, LeftOut: map[string]int{}}
	jobs := filepath.Join(a.Dir, "jobs")
	f.Looked = append(f.Looked, jobs)
	switch {
	case a.missing():
		f.Missing, f.None = append(f.Missing, jobs),
			"there is no account here; run it as the user who owns the sessions: sudo -iu USER"
		return f
	case a.Err != nil:
		f.Problems = append(f.Problems, sources.Problem{Source: Claude, Store: a.Dir, Cause: "the account cannot be read: " +
			a.Err.Error(),
			Next: "look at the folder and its permissions, then run this again"})
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
	archived, open := 0, 0
	for _, j := range w.Jobs.List {
		if j.Archived && w.Liveness(j).State != account.Live {
			if archived++; !m.All {
				f.LeftOut["archived"]++
				continue
			}
		}
		chosen = append(chosen, j)
	}
	elsewhere := 0
	for _, facts := range w.All(chosen) {
		row := a.row(facts)
		if row.Verdict != sources.Done {
			open++
		} else if !facts.Job.Archived {
			if elsewhere++; !m.All {
				f.LeftOut[wentOn]++
				continue
			}
		}
		f.Rows = append(f.Rows, row)
	}
	if open == 0 {
		f.None = noJobs(archived, elsewhere)
	}
	return f
}

const wentOn = "went on in another session"

func noJobs(archived, elsewhere int) string {
	var parts []string
	if archived > 0 {
		parts = append(parts, fmt.Sprintf("%d archived", archived))
	}
	if elsewhere > 0 {
		parts = append(parts, fmt.Sprintf("%d %s", elsewhere, wentOn))
	}
	if len(parts) == 0 {
		return "no background session was ever started in this account"
	}
	return "every background session is finished: " + strings.Join(parts, ", ")
}

// row makes the row of one job.
func (a Account) row(f inventory.Facts) sources.Row {
	j, story := f.Job, a.World.Story(f)
	r := sources.Row{
		Source: Claude, ID: j.SessionID, Title: text.Cut(j.Title(), maxTitle), State: state(f, story), UpdatedAt: updated(f),
		Cwd: j.Cwd, ClaudeSessionID: j.SessionID,
		Store: filepath.Join(a.Dir, "jobs", j.Short), Details: []sources.Detail{}, Warnings: []string{},
		Commands: []sources.Command{},
	}
	if r.ID == "" {
		r.ID = j.Short
	}
	judge(&r, f, story)
	add := func(name, value string) {
		if value != "" {
			r.Details = append(r.Details, sources.Detail{Name: name, Text: text.Cut(value, 600)})
		}
	}
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
		r.Warnings = append(r.Warnings, "a message waits for its next start and would run with its rights")
	}
	if f.FolderGone {
		r.Warnings = append(r.Warnings, "its folder is gone: "+f.Folder)
	}
	command := func(command, effect string) {
		r.Commands = append(r.Commands, sources.Command{Command: command + j.Short, Effect: effect})
	}
	if r.Verdict == sources.Person {
		command("recovery queue-check ", checkEffect)
	}
	command("recovery last-reply ", "prints its latest reply; changes nothing")
	command("recovery why ", "tells from the log why it went offline; changes nothing")
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
