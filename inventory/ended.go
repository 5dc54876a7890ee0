package inventory

import (
	"fmt"
	"time"

	"recovery/internal/account"
	"recovery/internal/claude"
	"recovery/internal/transcript"
)

// Cause is why a session went offline.
type Cause string

// The causes.
const (
	Retired   Cause = "retired"
	Stopped   Cause = "stopped"
	Crashed   Cause = "crashed"
	Killed    Cause = "killed"
	Upgrade   Cause = "upgrade"
	Limit     Cause = "limit"
	SignIn    Cause = "sign-in"
	APIError  Cause = "api-error"
	CauseNone Cause = "unknown"
)

// Ended is why and when a session went offline, with the line that says so.
type Ended struct {
	Cause Cause      `json:"cause"`
	At    *time.Time `json:"at"`
	Line  string     `json:"line"`
}

// ended tells from the end of the transcript, then from the supervisor's log. A crash, a kill -9 and a reboot leave no
// line: what is not on record is not called killed.
func (w *World) ended(f Facts) Ended {
	if f.Tail.Turn == transcript.ErrorTurn {
		return Ended{Cause: causeOf(f.Tail.ErrorText), At: timeOrNil(f.Tail.LastEntry), Line: f.Tail.ErrorText}
	}
	entries := w.Log.Of(f.Job.Short)
	start := -1
	for i, e := range entries {
		if e.Kind == account.LogStarted {
			start = i
		}
	}
	// A retirement is followed by a settlement, so the first end after the last start is the cause. One from before its
	// last entry is not how it ended: it went on after that.
	for _, e := range entries[start+1:] {
		if e.At.Before(f.Tail.LastEntry.Add(-endSlack)) {
			continue
		}
		out := Ended{At: timeOrNil(e.At), Line: e.Line}
		switch {
		case e.Kind == account.LogRetired:
			out.Cause = Retired
		case e.Cause == claude.SettledKilled:
			out.Cause = Stopped
			if stop, ok := w.daemonStop(e.At); ok {
				// All of the supervisor's sessions ended with it; nobody stopped this one.
				out.Cause, out.Line = Killed, stop+"; "+e.Line
			}
		case e.Cause == claude.SettledFailed || e.Cause == claude.SettledCrashed:
			out.Cause = Crashed
			if claude.KnownError(e.Detail) == claude.KindSignIn {
				out.Cause = SignIn
			}
		default:
			out.Cause = CauseNone
		}
		return out
	}
	var since time.Time
	if start >= 0 {
		since = entries[start].At
	} else if !f.Tail.LastEntry.IsZero() && !w.Log.From.IsZero() && w.Log.From.Before(f.Tail.LastEntry) {
		since = f.Tail.LastEntry
	} else {
		return Ended{Cause: CauseNone, Line: "the supervisor's log does not reach back to its last entry"}
	}
	for i, e := range w.Log.Entries {
		if e.Kind == account.LogUpgrade && e.At.After(since) && e.At.After(f.Tail.LastEntry) &&
			!survived(w.Log.Entries[i+1:]) {
			return Ended{Cause: Upgrade, At: timeOrNil(e.At), Line: e.Line}
		}
	}
	for _, e := range w.Log.Entries {
		// A supervisor that finds dead workers at its start: those from before it are among them.
		_, _, dead, ok := claude.Adoption(e.Detail)
		if e.Kind == account.LogAdopt && ok && dead != "0" && e.At.After(since) && e.At.After(f.Tail.LastEntry) {
			return Ended{Cause: Killed, At: timeOrNil(e.At), Line: e.Line}
		}
	}
	if !w.Boot.IsZero() && w.Boot.After(since) && w.Boot.After(f.Tail.LastEntry) {
		return Ended{Cause: CauseNone, Line: fmt.Sprintf("%s; the machine was started at %s, after its last entry",
			noRecord, w.Boot.UTC().Format(time.RFC3339))}
	}
	return Ended{Cause: CauseNone, Line: noRecord}
}

// noRecord is said of a session whose end is in no log: a crash, a kill -9 and a reboot leave none.
const noRecord = "no record: crash, kill or reboot"

// daemonStop gives the line that asked the supervisor to stop, when that was what ended a session at a time.
func (w *World) daemonStop(at time.Time) (line string, ok bool) {
	for _, e := range w.Log.Entries {
		switch {
		case e.At.After(at):
			return line, ok
		case e.Kind == account.LogStop && at.Sub(e.At) <= endSlack:
			line, ok = e.Line, true
		case e.Kind == account.LogSupervisor:
			line, ok = "", false
		}
	}
	return line, ok
}

// causeOf is why a session ended whose last turn met an error.
func causeOf(errorText string) Cause {
	switch claude.ErrorKind(errorText) {
	case claude.KindLimit:
		return Limit
	case claude.KindSignIn:
		return SignIn
	}
	return APIError
}

// endSlack is how far the last line of a transcript may be behind the supervisor's note that its session has ended.
const endSlack = time.Minute

// survived says that the supervisor took its workers over after an upgrade: then the upgrade ended none of them.
func survived(after []account.LogEntry) bool {
	for _, e := range after {
		switch e.Kind {
		case account.LogAdopt:
			adopted, _, dead, ok := claude.Adoption(e.Detail)
			return ok && adopted != "0" && dead == "0"
		case account.LogUpgrade, account.LogShutdown:
			return false
		}
	}
	return false
}

func timeOrNil(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	u := t.UTC()
	return &u
}
