package queuecheck

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"time"

	"recovery/internal/account"
	"recovery/internal/remote"
	"recovery/internal/text"
	"recovery/internal/transcript"
	"recovery/inventory"
	"recovery/prompts"
)

// Evidence is what one pass over a session's whole transcript gives.
type Evidence struct {
	Ledger transcript.Ledger
	// Known are the uuids of Wanted that stand in the transcript.
	Known map[string]bool
	// LastTurn are the uuids of the last turn's lines: from the last message in the user's role that is no tool's on.
	LastTurn map[string]bool
	// TurnStart is when the last turn began; zero when it is not known.
	TurnStart   time.Time
	Fingerprint string
	Err         error
}

// Gather reads a session's transcript whole. events may be nil; its uuids are looked up in the transcript.
func Gather(a *account.Account, f inventory.Facts, events *remote.Events) Evidence {
	ev := Evidence{Known: map[string]bool{}, LastTurn: map[string]bool{}}
	if f.Location.Path == "" {
		return ev
	}
	t, err := transcript.Open(a.Door, f.Location.Path)
	if err != nil {
		ev.Err = err
		return ev
	}
	defer func() { _ = t.Close() }()
	if ev.Ledger, ev.Err = t.Ledger(prompts.IsOwn); ev.Err != nil {
		return ev
	}
	fingerprint, err := t.Fingerprint()
	if err != nil {
		ev.Err = err
		return ev
	}
	sum := sha256.Sum256([]byte(f.Job.Fingerprint + "\n" + f.Location.Path + "\n" + fingerprint))
	ev.Fingerprint = hex.EncodeToString(sum[:])
	if events != nil {
		ev.Err = ev.lookUp(t, events)
	}
	return ev
}

func (ev *Evidence) lookUp(t *transcript.File, events *remote.Events) error {
	wanted := map[string]bool{}
	for _, e := range events.Items {
		if e.UUID != "" {
			wanted[e.UUID] = true
		}
	}
	return t.Walk(0, func(e *transcript.Entry) bool {
		if e.Type == "user" && !e.Sidechain && e.Speaker() != transcript.Tool && e.Speaker() != transcript.Injected {
			clear(ev.LastTurn)
		}
		for _, id := range []string{e.UUID, e.Get("attachment.source_uuid").String(), e.Get("commandUuid").String()} {
			if id == "" || !wanted[id] {
				continue
			}
			// A line that only stands in the queue was not delivered.
			if e.Type != "queue-operation" {
				ev.Known[id] = true
				ev.LastTurn[id] = true
			}
		}
		return true
	})
}

// events looks for a person's message that came after the last turn.
func (t *table) events() {
	if t.in.Events == nil {
		return
	}
	last := t.in.Facts.Tail.LastTurn
	for _, e := range t.in.Events.Items {
		if !e.Person || e.UUID != "" && t.in.Evidence.Known[e.UUID] {
			continue
		}
		if e.At.IsZero() || e.At.After(last.Add(-entrySlack)) {
			t.block("queued-remotely", "a person's message%s came after its last turn and is not in its transcript: %q", at(e.At), text.Clip(e.Text, 300))
		}
	}
}

// evidence applies the rows that can pass: each says why nothing of a person waits.
func (t *table) evidence() {
	if t.eventsPass() || t.stampPass() {
		return
	}
	t.check = append(t.check, t.eventsWhy...)
}

// stampPass is the rows of updated_at; it leaves a reason to check when none of them explains it.
func (t *table) stampPass() bool {
	r := t.in.Remote
	if r == nil || r.UpdatedAt == nil {
		why := "there is no remote time"
		if r != nil && r.TimeProblem != "" {
			why += " (" + r.TimeProblem + ")"
		}
		t.atBest("no-remote-time", "%s: whether a message waits in its thread cannot be told; read the thread, then confirm it", why)
		return false
	}
	asOf := r.AsOf.UTC()
	if t.out.AsOf == nil {
		t.out.AsOf = &asOf
	}
	last := t.in.Facts.Tail.LastEntry
	if last.IsZero() {
		t.atBest("no-local-time", "no line of its transcript has a time")
		return false
	}
	gap := r.UpdatedAt.Sub(last)
	seconds := int64(gap / time.Second)
	t.out.GapSeconds = &seconds
	if age := t.in.Now.Sub(asOf); age > t.in.MaxAge {
		t.atBest("evidence-old", "the saved page is %s old (more than %s): save it again", age.Round(time.Second), t.in.MaxAge)
		return false
	}
	code, why, ok := t.stamp(*r.UpdatedAt, last)
	if ok {
		t.pass = append(t.pass, Reason{code, why})
		return true
	}
	if r.UpdatedAt.Before(last) {
		t.atBest("stale-stamp", "stale stamp: updated_at %s is before its last entry %s; read the thread, then confirm it",
			r.UpdatedAt.UTC().Format(time.RFC3339), last.UTC().Format(time.RFC3339))
		return false
	}
	t.atBest("gap", "updated_at is %d s after its last entry and no retirement explains it; read the thread, then confirm it", seconds)
	return false
}

// eventsPass is the row of the events pages: they hold the last local turn itself, and nothing of a person after it.
func (t *table) eventsPass() bool {
	ev := t.in.Events
	if ev == nil {
		return false
	}
	asOf := ev.AsOf.UTC()
	t.out.AsOf = &asOf
	switch {
	case len(t.in.Evidence.LastTurn) == 0:
		t.eventsDoubt("events-incomplete", "the events pages do not hold its last turn; page back further with before_id=%s", text.Line(ev.FirstID))
		return false
	case len(ev.Warnings) > 0:
		t.eventsDoubt("events-unclear", "the events pages are not whole: %s", text.Clip(ev.Warnings[0], 200))
		return false
	}
	if age := t.in.Now.Sub(asOf); age > t.in.MaxAge {
		t.eventsDoubt("evidence-old", "the events pages are %s old (more than %s): save them again", age.Round(time.Second), t.in.MaxAge)
		return false
	}
	t.pass = append(t.pass, Reason{"events", "the events pages hold its last turn and nothing of a person after it"})
	return true
}

func (t *table) eventsDoubt(code, format string, args ...any) {
	t.eventsWhy = append(t.eventsWhy, Reason{code, fmt.Sprintf(format, args...)})
}

// stamp says whether updated_at is explained without a message: by a retirement, or because the session was live.
func (t *table) stamp(updated, last time.Time) (code, why string, ok bool) {
	short := t.in.Facts.Job.Short
	for _, e := range t.in.Log.Of(short) {
		if e.Kind == account.LogRetired && !e.At.Before(last) && absolute(updated.Sub(e.At)) <= retireSlack {
			return "retirement-stamp", "retirement stamp: updated_at is that of " + e.Line, true
		}
	}
	gap := updated.Sub(last)
	reaches := !t.in.Log.From.IsZero() && !t.in.Log.From.After(last)
	if !reaches && absolute(gap-retireAfter) <= retireSpread {
		return "retirement-stamp", "retirement stamp: updated_at is 8 h after its last entry, and the log does not reach back that far", true
	}
	if absolute(gap) <= entrySlack {
		until := last.Add(entrySlack)
		if updated.After(last) {
			until = updated.Add(entrySlack)
		}
		if t.in.Log.LiveThrough(short, last, until) {
			return "live-then", "updated_at is its last entry's, and the log shows it live for longer than that", true
		}
	}
	return "", "", false
}

func absolute(d time.Duration) time.Duration {
	if d < 0 {
		return -d
	}
	return d
}
