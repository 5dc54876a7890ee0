package inventory

import (
	"fmt"
	"time"

	"recovery/internal/account"
	"recovery/internal/claude"
)

// StoryLine is one thing that happened to a session, as the supervisor's log tells it.
type StoryLine struct {
	At   time.Time `json:"at"`
	What string    `json:"what"`
	Line string    `json:"line"`
}

// Story is a session's life in order, how it ended, and until when its transcript is kept.
type Story struct {
	Lines       []StoryLine `json:"lines"`
	Ended       Ended       `json:"ended"`
	Live        string      `json:"live"`
	Turn        string      `json:"turn"`
	TurnWhy     string      `json:"turn_evidence"`
	LastEntryAt *time.Time  `json:"last_entry_at"`
	ExpiresAt   *time.Time  `json:"expires_at"`
	// LogFrom is how far the log reaches back; before it, it can tell nothing.
	LogFrom *time.Time `json:"log_from"`
}

// Story tells a session's story from the log and the end of its transcript. What happened to the supervisor is told
// while the session was running.
func (w *World) Story(f Facts) Story {
	s := Story{Lines: []StoryLine{}, Ended: w.ended(f), Live: string(f.Live.State), Turn: string(f.Tail.Turn),
		TurnWhy:     f.Tail.Why,
		LastEntryAt: timeOrNil(f.Tail.LastEntry), ExpiresAt: timeOrNil(w.ExpiresAt(f)), LogFrom: timeOrNil(w.Log.From)}
	if f.Live.State == account.Live {
		s.Ended = Ended{Cause: CauseNone, Line: "it is live"}
	}
	up := false
	for _, e := range w.Log.Entries {
		if e.Short == f.Job.Short {
			up = e.Kind == account.LogStarted
		} else if e.Short != "" || !up {
			continue
		}
		s.Lines = append(s.Lines, StoryLine{At: e.At, What: w.told(e), Line: e.Line})
	}
	return s
}

// told says a line of the log in words.
func (w *World) told(e account.LogEntry) string {
	switch e.Kind {
	case account.LogStarted:
		source := map[string]string{"shell": "on the command line", "fleet": "woken", "slash": "by a slash command"}[e.Cause]
		if source == "" {
			source = "source " + e.Cause
		}
		return "started, " + source
	case account.LogRetired:
		return fmt.Sprintf("retired for idleness (%s) after %s without activity", e.Cause, e.Idle)
	case account.LogSettled:
		return w.settled(e)
	case account.LogAdopt:
		return "a new supervisor took over: " + e.Detail
	case account.LogUpgrade:
		return "the supervisor restarted for an upgrade of the client"
	case account.LogShutdown:
		return "the supervisor left (" + e.Cause + ")"
	case account.LogStop:
		return "the supervisor was asked to stop"
	}
	return "a supervisor started"
}

// settled says how a worker ended. One that ended with its supervisor was stopped by nobody.
func (w *World) settled(e account.LogEntry) string {
	words := map[string]string{
		claude.SettledDone: "its worker ended", claude.SettledKilled: "stopped by the user",
		claude.SettledFailed: "its worker failed", claude.SettledCrashed: "its worker crashed",
	}[e.Cause]
	if _, ok := w.daemonStop(e.At); ok && e.Cause == claude.SettledKilled {
		words = "ended when the supervisor was stopped"
	}
	if e.Detail != "" {
		words += ": " + e.Detail
	}
	return words
}
