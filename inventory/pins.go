package inventory

import (
	"fmt"
	"time"

	"recovery/internal/account"
)

// pinMark is how long a bridged session may be idle before the supervisor retires it; a pin is proved after that.
const pinMark = 8 * time.Hour

// Proof is whether a pin is proved to hold.
type Proof struct {
	Proved bool   `json:"proved"`
	Reason string `json:"reason"`
	// Control is the unpinned session that was retired in the same window, with its line: without it, silence proves
	// nothing.
	Control string `json:"control"`
	Line    string `json:"line"`
}

// PinProof proves a pin with a positive control: the pinned session's own last activity is over 8 h ago, there is no
// retire line for it since, and at least one unpinned session was retired after the 8 h mark. A typed reply sets the
// clock back.
func (w *World) PinProof(f Facts, pinned map[string]bool) Proof {
	not := func(format string, args ...any) Proof {
		return Proof{Reason: "not proved yet, because " + fmt.Sprintf(format, args...)}
	}
	last := f.Tail.LastEntry
	switch {
	case last.IsZero():
		return not("when it was last active is not known")
	case f.Live.State == account.Unknown:
		return not("whether it is live is not known")
	}
	if e, ok := w.Log.RetiredAfter(f.Job.Short, last); ok {
		return Proof{Reason: "the pin did not hold: it was retired after its last activity", Line: e.Line}
	}
	if f.Live.State != account.Live {
		return not("it is not live: it ended in another way (%s)", w.ended(f).Cause)
	}
	mark := last.Add(pinMark)
	if w.Now.Before(mark) {
		return not("its last activity was %s ago, and a session is retired after 8 h", w.Now.Sub(last).Round(time.Minute))
	}
	if w.Log.From.IsZero() || w.Log.From.After(last) {
		return not("the log does not reach back to its last activity")
	}
	for _, e := range w.Log.Entries {
		if e.Kind == account.LogRetired && !e.At.Before(mark) && !e.At.After(w.Now) && e.Short != f.Job.Short &&
			!pinned[e.Short] {
			return Proof{Proved: true, Control: e.Short, Line: e.Line,
				Reason: fmt.Sprintf("idle for %s without a retire line, while the unpinned %s was retired",
					w.Now.Sub(last).Round(time.Minute), e.Short)}
		}
	}
	return not("no unpinned session was retired since its 8 h mark at %s: silence alone proves nothing",
		mark.UTC().Format(time.RFC3339))
}
