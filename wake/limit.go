package wake

import (
	"fmt"
	"time"

	"recovery/internal/journal"
	"recovery/internal/text"
)

// putOff puts the next starts off until a time that the service named, and ends the run. What was sent stays sent.
func (r *Run) putOff(short, words string, until time.Time) {
	data := journal.DeferData{Until: until.UTC(), Why: text.Clip(words, 120)}
	if err := r.Journal.Append(journal.Deferred, short, data); err != nil {
		r.stop("%v", err)
		return
	}
	r.stop("the service's limit was met in %s (%s); nothing is started before %s, then run it again",
		short, text.Clip(words, 120), until.UTC().Format(time.RFC3339))
}

// waitFor says why nothing is started yet; empty when nothing was put off.
func waitFor(state *journal.State, now time.Time) string {
	if !state.DeferredUntil.After(now) {
		return ""
	}
	return fmt.Sprintf("the service's limit is over at %s; nothing is started before, then run it again; to go on all the same: recovery ack limit", state.DeferredUntil.UTC().Format(time.RFC3339))
}
