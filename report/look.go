package report

import (
	"fmt"
	"strings"

	"recovery/internal/account"
	"recovery/internal/journal"
	"recovery/prompts"
	"recovery/wrap"
)

// Look is the account as it is now: what the journal says of a session was true when it was written.
type Look struct {
	Account *account.Account
	Jobs    *account.Jobs
	// Live says whether a job runs now.
	Live func(*account.Job) account.LiveState
}

// job is a session's job; nil when it is gone, or when there is no look at all.
func (l *Look) job(short string) *account.Job {
	if l == nil || l.Jobs == nil {
		return nil
	}
	return l.Jobs.ByShort[short]
}

// wrapNow reads a session's wrap anew: a message after it reopens it. Without a look it is what the journal says.
func (l *Look) wrapNow(short string, s *journal.Session) wrap.Status {
	job := l.job(short)
	if job == nil {
		if s.Wrap == nil {
			return wrap.Status{State: wrap.NotSent}
		}
		return wrap.Status{State: wrap.State(s.Wrap.State), ClosingLine: s.Wrap.ClosingLine, Reason: s.Wrap.Reason}
	}
	mark := prompts.WrapMark
	if s.Wrap != nil && s.Wrap.Mark != "" {
		mark = s.Wrap.Mark
	}
	return wrap.Look(l.Account, job, mark)
}

// busy says what still goes on or waits in a session; empty when nothing does.
func (l *Look) busy(short string) string {
	j := l.job(short)
	if j == nil {
		return ""
	}
	var what []string
	if j.InFlightTasks > 0 {
		what = append(what, fmt.Sprintf("background tasks: %d", j.InFlightTasks))
	}
	if j.InFlightQueue > 0 {
		what = append(what, fmt.Sprintf("queued messages: %d", j.InFlightQueue))
	}
	if j.Queued {
		what = append(what, "a message waits for its next start")
	}
	if j.Problem != "" {
		what = append(what, "state.json "+j.Problem)
	}
	return strings.Join(what, ", ")
}

func (l *Look) live(short string) bool {
	j := l.job(short)
	return j != nil && l.Live != nil && l.Live(j) == account.Live
}
