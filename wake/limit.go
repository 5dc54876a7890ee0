package wake

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"recovery/internal/claude"
	"recovery/internal/journal"
	"recovery/internal/text"
	"recovery/review"
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

// NoteLimit writes down a limit of the service that a review met after the run that sent it had ended, for the next
// run to keep to. until is zero where none holds. Each limit of a prompt is written once: what a person said to be
// over stays over.
func NoteLimit(j *journal.Journal, short string, rev *review.Review, now time.Time) (until time.Time, err error) {
	if rev.Answered || rev.Error == "" {
		return time.Time{}, nil
	}
	at := now
	if rev.LastAt != nil {
		at = *rev.LastAt
	}
	until, limited := claude.Deferral(rev.Error, at)
	if !limited || !until.After(now) {
		return time.Time{}, nil
	}
	data := journal.DeferData{Until: until.UTC(), Why: text.Clip(rev.Error, 120)}
	known := false
	err = j.AppendIf(journal.Deferred, short, data, func(events []journal.Event) bool {
		known = noted(events, short, data.Why)
		return known
	})
	if known || err != nil {
		return time.Time{}, err
	}
	return until, nil
}

// noted says that a limit in these words is on record since the last prompt of the session.
func noted(events []journal.Event, short, why string) bool {
	for _, e := range slices.Backward(events) {
		if e.Session != short {
			continue
		}
		switch e.Type {
		case journal.Intended:
			return false
		case journal.Deferred:
			var d journal.DeferData
			if json.Unmarshal(e.Data, &d) == nil && d.Why == why {
				return true
			}
		}
	}
	return false
}

// waitFor says why nothing is started yet; empty when nothing was put off.
func waitFor(state *journal.State, now time.Time) string {
	if !state.DeferredUntil.After(now) {
		return ""
	}
	return fmt.Sprintf("the service's limit is over at %s; nothing is started before, then run it again; to go on all "+
		"the same: recovery ack limit", state.DeferredUntil.UTC().Format(time.RFC3339))
}
