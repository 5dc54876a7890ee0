package inflight

import (
	"strconv"
	"strings"

	"recovery/internal/account"
	"recovery/internal/claude"
	"recovery/internal/sources"
	"recovery/internal/text"
)

// Session is the Claude Code session behind a row.
type Session struct {
	// Short names the account's job; empty when no job of the account has that id, as for a session of a terminal.
	Short, Title string
	Live         account.LiveState
	// Waiting is what its process says that it waits for, such as a permission prompt; empty when nothing.
	Waiting string
}

// joiner finds the sessions behind rows. Each id is looked up once: thousands of runs can belong to one session.
type joiner struct {
	a     Account
	jobs  map[string]*account.Job
	known map[string]*Session
}

func newJoiner(a Account) *joiner {
	return &joiner{a: a, jobs: a.sessions(), known: map[string]*Session{}}
}

// session is the one with that id; nil when there is no id, or no account that could have it. Of an account that
// cannot be read, every session may live.
func (n *joiner) session(id string) *Session {
	id = strings.ToLower(id)
	if s, ok := n.known[id]; ok || id == "" || n.a.missing() {
		return s
	}
	var s *Session
	if n.a.World == nil {
		s = &Session{Live: account.Unknown}
	} else if j := n.jobs[id]; j != nil {
		l := n.a.World.Liveness(j)
		s = &Session{Short: j.Short, Title: text.Cut(j.Title(), maxTitle), Live: l.State, Waiting: l.WaitingFor}
	} else if claude.IsUUID(id) {
		// No job, but a session of a terminal registers its process too. Such a one is never started again by the supervisor.
		l := n.a.World.Liveness(&account.Job{Short: id[:8], SessionID: id, State: "done"})
		s = &Session{Live: l.State, Waiting: l.WaitingFor}
	}
	n.known[id] = s
	return s
}

// join puts the session behind a row of another system on it. While that session runs, or may, the work must not be
// started a second time, whatever its own store says.
func (n *joiner) join(r *Row) {
	r.Claude = n.session(r.ClaudeSessionID)
	s := r.Claude
	if s == nil || r.Source == Claude || r.Verdict == sources.Done || r.Verdict == sources.Unreadable {
		return
	}
	name := "its Claude session"
	if s.Short != "" {
		name += " " + s.Short
	}
	switch s.Live {
	case account.Offline:
		if s.Short != "" {
			r.mark("only when `"+queueCheck+s.Short+"` lets it pass: ", r.Reopens)
			r.Look(queueCheck+s.Short, "of its Claude session, "+strconv.Quote(text.Cut(s.Title, 80))+": "+checkEffect)
		}
		return
	case account.Live:
		if r.Verdict == sources.Safe {
			r.Verdict = sources.Live
		}
		doing := ""
		if s.Waiting != "" {
			doing = " and waits (" + s.Waiting + ")"
		}
		r.Reason = name + " is live" + doing +
			", so it must not be started a second time: go on there; by its store alone: " + r.Reason
		r.mark("NOT NOW, "+name+" is live: ", nil)
	default:
		if r.Verdict == sources.Safe {
			r.Verdict = sources.Person
		}
		r.Reason = "whether " + name + " lives cannot be told, so make sure before it is started a second time; by its " +
			"store alone: " + r.Reason
		r.mark("NOT NOW, "+name+" may be live: ", nil)
	}
}

const queueCheck = "recovery queue-check "

// mark puts words before the effects of the commands that do something, of those that fit when fits is given.
func (r *Row) mark(words string, fits func(sources.Command) bool) {
	r.Commands = append([]sources.Command{}, r.Commands...)
	for i := range r.Commands {
		if c := &r.Commands[i]; c.Acts && (fits == nil || fits(*c)) {
			c.Effect = words + c.Effect
		}
	}
}
