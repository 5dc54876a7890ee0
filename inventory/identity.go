package inventory

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"recovery/internal/account"
	"recovery/internal/claude"
	"recovery/internal/transcript"
)

// identity finds which conversation and which threads are the session's own, and what else may be.
func (f *Facts) identity(w *World) {
	j := f.Job
	f.Threads = w.Threads(j)
	f.SharedWith = w.SharedWith(j, f.Threads)
	if f.Location.Missing {
		f.Elsewhere = transcript.Elsewhere(w.Account, j, f.Location)
	}
	f.LastUse = lastUse(w.Log, j.Short, f.Tail.LastEntry)
}

// Threads are the bodies of the ids of a job's threads that are known so far, the newest last.
func (w *World) Threads(j *account.Job) []string {
	threads := slices.Clone(w.found[j.Short])
	if j.BridgeBody != "" && !slices.Contains(threads, j.BridgeBody) {
		threads = append(threads, j.BridgeBody)
	}
	return threads
}

// Link is where a job's newest thread is read; empty for a plain job.
func (w *World) Link(j *account.Job) string { return newestLink(w.Threads(j)) }

// Link is where its newest thread is read; empty for a plain job.
func (f *Facts) Link() string { return newestLink(f.Threads) }

func newestLink(threads []string) string {
	if len(threads) == 0 {
		return ""
	}
	return claude.Link(threads[len(threads)-1])
}

// SharedWith are the other jobs that have one of a job's threads, or that a wake would resume the same session of.
func (w *World) SharedWith(j *account.Job, threads []string) []string {
	var out []string
	add := func(shorts []string) {
		for _, short := range shorts {
			if short != j.Short && !slices.Contains(out, short) {
				out = append(out, short)
			}
		}
	}
	for _, body := range threads {
		add(w.threads[body])
	}
	add(w.resumed[resumed(j)])
	slices.Sort(out)
	return out
}

// Know takes over the threads that an inventory found, which are in no state.json; inv may be nil.
func (w *World) Know(inv *Inventory) {
	if inv == nil {
		return
	}
	for i := range inv.Items {
		it := &inv.Items[i]
		if w.Jobs.ByShort[it.Short] == nil || len(w.found[it.Short]) > 0 {
			continue
		}
		w.found[it.Short] = it.Threads
		for _, body := range it.Threads {
			if !slices.Contains(w.threads[body], it.Short) {
				w.threads[body] = append(w.threads[body], it.Short)
			}
		}
	}
}

// resumed is the session that a wake of a job goes on with.
func resumed(j *account.Job) string {
	if claude.IsUUID(j.ResumeSessionID) {
		return j.ResumeSessionID
	}
	return j.SessionID
}

// lastUse is when a session was last in use: its last retirement less the idle time that the line tells. The idle
// time also begins anew with a process of its own or a new supervisor, so a start in between explains it and nothing
// is told.
func lastUse(log *account.Log, short string, lastEntry time.Time) time.Time {
	if log == nil || lastEntry.IsZero() {
		return time.Time{}
	}
	e, ok := log.RetiredAfter(short, lastEntry)
	if !ok {
		return time.Time{}
	}
	idle, err := time.ParseDuration(e.Idle)
	if err != nil {
		return time.Time{}
	}
	// The line gives whole hours, or whole minutes: it may have been idle for up to one more.
	round := time.Minute
	if strings.HasSuffix(e.Idle, "h") {
		round = time.Hour
	}
	use := e.At.Add(-idle - round)
	for _, s := range log.Entries {
		own := s.Kind == account.LogStarted && s.Short == short
		if (own || s.Kind == account.LogSupervisor || s.Kind == account.LogUpgrade) && s.At.After(lastEntry) &&
			!s.At.After(e.At.Add(-idle+round)) &&
			!s.At.Before(use.Add(-round)) {
			return time.Time{}
		}
	}
	return use
}

// findThreads looks for threads that no state.json names: in the transcripts of the jobs, which name every thread
// that a session had, and in state files that cannot be read as a whole. It gives the jobs of each body.
func (w *World) findThreads(bodies []string) map[string][]*account.Job {
	out := map[string][]*account.Job{}
	if len(bodies) == 0 {
		return out
	}
	for _, j := range w.Jobs.List {
		for _, body := range w.namedIn(j, bodies) {
			out[body] = append(out[body], j)
			if !slices.Contains(w.found[j.Short], body) {
				w.found[j.Short] = append(w.found[j.Short], body)
				w.threads[body] = append(w.threads[body], j.Short)
			}
		}
	}
	return out
}

// newerThread says whether one thread of a job is newer than another, by the order in which its transcripts name them;
// known is false where these do not name both.
func (w *World) newerThread(j *account.Job, a, b string) (newer, known bool) {
	at, than := slices.Index(w.named[j.Short], a), slices.Index(w.named[j.Short], b)
	return at > than, at >= 0 && than >= 0
}

// namedIn are those of the bodies that a job's files name.
func (w *World) namedIn(j *account.Job, bodies []string) []string {
	named := map[string]bool{}
	if j.Problem != "" {
		data, _ := w.Account.ReadFile(filepath.Join(w.Account.Dir, "jobs", j.Short, "state.json"))
		for _, body := range bodies {
			named[body] = named[body] || bytes.Contains(data, []byte(claude.BridgePrefix+body)) ||
				bytes.Contains(data, []byte(claude.ThreadPrefix+body))
		}
	}
	for _, path := range transcript.FilesOf(w.Account, j) {
		t, err := transcript.Open(w.Account.Door, path)
		if err != nil {
			continue // told on the row itself
		}
		threads, _ := t.Threads()
		_ = t.Close()
		for _, body := range threads {
			named[body] = true
			known := slices.DeleteFunc(w.named[j.Short], func(b string) bool { return b == body })
			w.named[j.Short] = append(known, body)
		}
	}
	return slices.DeleteFunc(slices.Clone(bodies), func(b string) bool { return !named[b] })
}
