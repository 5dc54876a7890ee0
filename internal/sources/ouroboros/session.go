package ouroboros

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/tidwall/gjson"
)

// session is one session of a store with what its events say.
type session struct {
	key   any // the id as the store holds it
	id    string
	start event // row 0 when there is none
	end   event // the terminal event; row 0 when there is none
	first gjson.Result
	at    time.Time // the newest event's time that can be read; zero when none can
	status
	// unreadable is why the session cannot be told; the rest may be empty then.
	unreadable string

	execution, seed string
	lastProgress    time.Time // of its execution
	pauseBody       gjson.Result
	ending          string // what its terminal event says
	detail          progress
	questions       []question
	jobs            []job
}

// progress is what the newest progress events say beside the status.
type progress struct {
	folder, branch, runtime, native, phase, activity string
	messages                                         int64
}

// content is everything that one store gives.
type content struct {
	sessions []*session // in flight or unreadable, newest first; finished ones too when all are wanted
	finished map[string]int
	loose    []question // open questions of no session that the store knows
}

// contents reads a store. finishedToo keeps finished sessions in the list.
func (v *view) contents(finishedToo bool) (*content, error) {
	ends, starts := map[string]event{}, map[string]event{}
	if err := v.aggregates(first(ends), completed, failed, cancelled); err != nil {
		return nil, err
	}
	if err := v.aggregates(first(starts), started); err != nil {
		return nil, err
	}
	keys, err := v.keys("session")
	if err != nil {
		return nil, err
	}
	executions, err := v.keys("execution")
	if err != nil {
		return nil, err
	}
	known := set(keys)
	v.known["session"], v.known["execution"] = known, set(executions)
	c := &content{finished: map[string]int{}}
	for _, key := range keys {
		s := &session{key: key, id: keyText(key), start: starts[keyText(key)], status: status{done: -1, total: -1}}
		// What ended needs no look at its other events, unless it is to be listed.
		if end, ended := ends[s.id]; ended && !finishedToo {
			s.finish(end)
		} else if err := v.see(s, ends); err != nil {
			// One damaged page belongs to one session, or to the store: the next session will tell.
			s.unreadable = "its events cannot be read: " + sqlCause(err).Error()
		}
		if s.unreadable == "" && terminal(s.state) {
			c.finished[s.state]++
			if !finishedToo {
				continue
			}
		}
		c.sessions = append(c.sessions, s)
	}
	slices.SortStableFunc(c.sessions, func(a, b *session) int {
		return cmp.Or(b.at.Compare(a.at), strings.Compare(a.id, b.id))
	})
	open, err := v.questions()
	if err != nil {
		return nil, err
	}
	at := map[string]*session{}
	for _, s := range c.sessions {
		at[s.id] = s
	}
	for _, q := range open {
		if s := at[q.session]; s != nil {
			s.questions = append(s.questions, q)
		} else if !known[q.session] {
			c.loose = append(c.loose, q)
		}
	}
	return c, nil
}

func set(keys []any) map[string]bool {
	out := make(map[string]bool, len(keys))
	for _, k := range keys {
		out[keyText(k)] = true
	}
	return out
}

// see works out a session's status and the time of its newest event.
func (v *view) see(s *session, ends map[string]event) error {
	times, err := v.newest("session", s.key, 1)
	if err != nil {
		return err
	}
	if len(times) > 0 {
		if s.at = parseTime(times[0]); s.at.IsZero() {
			s.bad = append(s.bad, "its newest event has a time that cannot be read ("+bounded(times[0])+"), so its age is "+
				"that of the newest one that can; Ouroboros lists nothing of such a store")
			if times, err = v.newest("session", s.key, 100); err != nil {
				return err
			}
			for i := 0; i < len(times) && s.at.IsZero(); i++ {
				s.at = parseTime(times[i])
			}
		}
	}
	end, ended := ends[s.id]
	if ended {
		s.finish(end)
	}
	bad := ""
	if s.start.row == 0 {
		bad = "it has no start event, so Ouroboros does not list it"
	} else if s.first, bad, err = v.payload(s.start.row); err != nil {
		return err
	} else if bad != "" {
		bad = "its start event " + bad
	}
	if bad != "" {
		if !ended {
			s.unreadable = bad
		}
		return nil
	}
	s.execution, s.seed = whole(s.first, "execution_id"), whole(s.first, "seed_id")
	if e, ok := ends[s.execution]; ok && s.execution != "" && e.when >= s.start.when && (!ended || e.before(end)) {
		s.finish(e)
		ended = true
	}
	if ended {
		return nil
	}
	odd := s.bad
	if s.status, err = v.replay(s.key, s.execution, s.start); err != nil {
		return err
	}
	s.bad = append(odd, s.bad...)
	return nil
}

// finish takes a terminal lifecycle event, which is final.
func (s *session) finish(e event) {
	s.end = e
	s.state = states[e.kind]
}

// detailBudget bounds how many events are walked for what is nice to know.
const detailBudget = 200

// fill reads the rest of what a listed session's row shows.
func (v *view) fill(s *session) error {
	if s.unreadable != "" {
		return nil
	}
	if s.end.row != 0 {
		p, err := v.readable(s.end.row)
		if err != nil {
			return err
		}
		s.ending = cmp.Or(str(p, "error"), str(p, "reason"))
		if by := str(p, "cancelled_by"); by != "" {
			s.ending += " (cancelled by " + by + ")"
		}
		if why := str(p, "error_details.resume_blocked"); why != "" {
			s.ending += " (" + why + ")"
		}
	}
	if s.pause.row != 0 {
		p, bad, err := v.payload(s.pause.row)
		if err != nil {
			return err
		}
		if s.pauseBody = p; bad != "" {
			s.bad = append(s.bad, "its pause "+bad+", so its kind and its time are not known")
		}
	}
	if s.execution != "" {
		times, err := v.newest("execution", s.execution, 1)
		if err != nil {
			return err
		}
		if len(times) > 0 {
			s.lastProgress = parseTime(times[0])
		}
	}
	h := v.history(s.key, s.execution, s.start)
	for range detailBudget {
		e, ok, err := h.next()
		if err != nil || !ok {
			return err
		}
		if lifecycle(e.kind) {
			continue
		}
		p, err := v.readable(e.row)
		if err != nil {
			return err
		}
		if s.detail.add(p) {
			return nil
		}
	}
	return nil
}

// add takes what an older event says and a newer one did not; true when nothing is left to find.
func (d *progress) add(p gjson.Result) bool {
	set := func(to *string, paths ...string) {
		for _, path := range paths {
			if *to == "" {
				*to = strings.TrimSpace(str(p, path))
			}
		}
	}
	set(&d.folder, "progress.workspace.worktree_path", "progress.workspace.effective_cwd",
		"progress.workspace.original_cwd", "progress.runtime.cwd")
	set(&d.branch, "progress.workspace.branch")
	set(&d.phase, "current_phase")
	set(&d.activity, "activity_detail", "activity")
	if d.native == "" && d.runtime == "" {
		set(&d.runtime, "progress.runtime.backend")
		set(&d.native, "progress.runtime.native_session_id")
	}
	for _, path := range []string{"progress.messages_processed", "messages_count"} {
		if n := p.Get(path); d.messages == 0 && n.Type == gjson.Number {
			d.messages = n.Int()
			break
		}
	}
	return d.folder != "" && d.branch != "" && d.phase != "" && d.native != "" && d.messages != 0
}

// parseTime reads a time as the store writes it (UTC, without offset) or as payloads do (RFC 3339 and its relatives);
// zero for anything else.
func parseTime(s string) time.Time {
	s = strings.TrimSpace(s)
	for _, layout := range []string{"2006-01-02 15:04:05.999999999", "2006-01-02T15:04:05.999999999Z07:00",
		"2006-01-02 15:04:05.999999999Z07:00", "2006-01-02T15:04:05.999999999", "2006-01-02T15:04:05.999999999Z0700"} {
		if t, err := time.Parse(layout, s); err == nil && t.Year() > 0 {
			return t.UTC()
		}
	}
	return time.Time{}
}
