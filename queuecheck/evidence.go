package queuecheck

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"time"

	"recovery/internal/account"
	"recovery/internal/claude"
	"recovery/internal/remote"
	"recovery/internal/text"
	"recovery/internal/transcript"
	"recovery/inventory"
	"recovery/prompts"
)

// Evidence is what one pass over a session's whole transcript gives.
type Evidence struct {
	Ledger transcript.Ledger
	// Known are the uuids of the events, in lower case, that stand in the transcript.
	Known map[string]bool
	// LastTurn are the uuids of the last turn's lines: from the last message in the user's role that is no tool's on.
	LastTurn map[string]bool
	// TurnStart is when the last turn began; zero when it is not known.
	TurnStart   time.Time
	Fingerprint string
	// WrapAsked says that a text in the user's role asks for a wrap.
	WrapAsked bool
	Err       error
}

// Gather reads a session's transcript whole. events may be nil; its uuids are looked up in the transcript.
func Gather(a *account.Account, f inventory.Facts, events *remote.Events) Evidence {
	ev := Evidence{Ledger: transcript.Ledger{LastPerson: -1}, Known: map[string]bool{}, LastTurn: map[string]bool{}}
	if f.Location.Path == "" {
		return ev
	}
	t, err := transcript.Open(a.Door, f.Location.Path)
	if err != nil {
		ev.Err = err
		return ev
	}
	defer func() { _ = t.Close() }()
	if f.Bytes != 0 && t.Size != f.Bytes {
		ev.Err = fmt.Errorf("the transcript had %d bytes and has %d a moment later: somebody writes to it; look again",
			f.Bytes, t.Size)
		return ev
	}
	// A WRAP is a text of recovery's, whoever passed it on: it makes no second review.
	wraps := func(s string) bool { return strings.Contains(s, wrapMark(nil)) }
	own := func(s string) bool {
		ev.WrapAsked = ev.WrapAsked || wraps(s)
		return prompts.IsOwn(s)
	}
	if ev.Ledger, ev.Err = t.LedgerBeside(own, prompts.IsOurs); ev.Err != nil {
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

// lookUp finds the events' uuids in the transcript, and which of them belong to the last turn.
func (ev *Evidence) lookUp(t *transcript.File, events *remote.Events) error {
	wanted := map[string]bool{}
	for _, e := range events.Items {
		if e.UUID != "" {
			wanted[strings.ToLower(e.UUID)] = true
		}
	}
	turns := turns{ev: ev}
	return t.Walk(0, func(e *transcript.Entry) bool {
		turns.add(e)
		for _, id := range e.IDs() {
			id = strings.ToLower(id)
			// A line that only stands in the queue was not delivered.
			if wanted[id] && e.Type != claude.TypeQueue {
				ev.Known[id], ev.LastTurn[id] = true, true
			}
		}
		return true
	})
}

// turns notes where the last turn begins.
type turns struct {
	transcript.Turns
	ev *Evidence
	// before is the turn before a command of which is not known yet whether the client or the model answers it.
	before      map[string]bool
	beforeStart time.Time
}

func (s *turns) add(e *transcript.Entry) {
	switch step := s.Add(e); step {
	case transcript.Undone:
		s.ev.LastTurn, s.ev.TurnStart = s.before, s.beforeStart
	case transcript.Begun, transcript.ByCommand:
		s.before, s.beforeStart = s.ev.LastTurn, s.ev.TurnStart
		s.ev.LastTurn, s.ev.TurnStart = map[string]bool{}, e.At
	}
}

// events looks for a person's message that came after the last turn began and is not in the transcript. One that was
// typed while that turn ran waits as well.
func (t *table) events() {
	if t.in.EventsErr != nil {
		t.block("events-unreadable", "whether a message waits cannot be told: %v", t.in.EventsErr)
	}
	if t.in.Events == nil {
		return
	}
	since := t.in.Facts.Tail.LastTurn
	if start := t.in.Evidence.TurnStart; !start.IsZero() && start.Before(since) {
		since = start
	}
	for _, e := range t.in.Events.Items {
		if !e.Person || e.UUID != "" && t.in.Evidence.Known[strings.ToLower(e.UUID)] {
			continue
		}
		if e.At.IsZero() || e.At.After(since.Add(-entrySlack)) {
			t.block("queued-remotely", "a person's message%s came after its last turn and is not in its transcript: %q",
				at(e.At), text.Clip(e.Text, 300))
		}
	}
}

// evidence applies the rows that can pass: each says why nothing of a person waits.
func (t *table) evidence() {
	if updated, last := t.updated(), t.in.Facts.Tail.LastEntry; !updated.IsZero() && !last.IsZero() {
		seconds := int64(updated.Sub(last) / time.Second)
		t.out.GapSeconds = &seconds
	}
	if t.eventsPass() || t.stampPass() {
		return
	}
	t.check = append(t.check, t.eventsWhy...)
}

// updated is the page's time of the session; zero when there is none.
func (t *table) updated() time.Time {
	if r := t.in.Remote; r != nil && r.UpdatedAt != nil {
		return *r.UpdatedAt
	}
	return time.Time{}
}

// stale says why evidence that was saved at asOf tells nothing of the session as it is now; empty when it does.
func (t *table) stale(what string, asOf time.Time) string {
	age := t.in.Now.Sub(asOf)
	switch {
	case asOf.IsZero():
		return "how old " + what + " is cannot be told; save it again"
	case age > t.in.MaxAge:
		return fmt.Sprintf("%s is %s old (more than %s); save it again", what, age.Round(time.Second), t.in.MaxAge)
	case age < -clockSlack:
		return fmt.Sprintf("%s has a time in the future (%s), so its age cannot be told; save it again", what,
			asOf.UTC().Format(time.RFC3339))
	case asOf.Before(t.in.Facts.Tail.LastEntry):
		return fmt.Sprintf("%s was saved at %s, before its last entry; save it again", what, asOf.UTC().Format(time.RFC3339))
	}
	return ""
}

// asOf notes how old the evidence is that the verdict rests on.
func (t *table) asOf(at time.Time) {
	at = at.UTC()
	t.out.AsOf = &at
}

// stampPass is the rows of updated_at; it leaves a reason to check when none of them explains it.
func (t *table) stampPass() bool {
	updated, last := t.updated(), t.in.Facts.Tail.LastEntry
	if updated.IsZero() {
		why := "there is no remote time"
		if r := t.in.Remote; r != nil && r.TimeProblem != "" {
			why += " (" + r.TimeProblem + ")"
		}
		t.atBest("no-remote-time", "%s: whether a message waits in its thread cannot be told", why)
		return false
	}
	t.asOf(t.in.Remote.AsOf)
	if last.IsZero() {
		t.atBest("no-local-time", "no line of its transcript has a time")
		return false
	}
	if why := t.stale("the saved page", t.in.Remote.AsOf); why != "" {
		t.atBest("evidence-old", "%s", why)
		return false
	}
	code, why, ok := t.stamp(updated, last)
	if ok {
		t.pass = append(t.pass, Reason{code, why})
		return true
	}
	if updated.Before(last) {
		t.atBest("stale-stamp", "stale stamp: updated_at %s is before its last entry %s",
			updated.UTC().Format(time.RFC3339), last.UTC().Format(time.RFC3339))
		return false
	}
	t.atBest("gap", "updated_at is %d s after its last entry and no retirement explains it", *t.out.GapSeconds)
	return false
}

// eventsPass is the row of the events pages: they hold the last local turn itself, and nothing of a person after it.
func (t *table) eventsPass() bool {
	ev := t.in.Events
	if ev == nil {
		return false
	}
	t.asOf(ev.AsOf)
	switch {
	case len(t.in.Evidence.LastTurn) == 0:
		next := "; page back further"
		if ev.FirstID != "" {
			next += " with before_id=" + text.Line(ev.FirstID)
		}
		t.eventsDoubt("events-incomplete", "the events pages do not hold its last turn%s", next)
		return false
	case len(ev.Warnings) > 0:
		t.eventsDoubt("events-unclear", "the events pages are not whole: %s", text.Clip(ev.Warnings[0], 200))
		return false
	}
	if why := t.stale("the events page", ev.AsOf); why != "" {
		t.eventsDoubt("evidence-old", "%s", why)
		return false
	}
	// updated_at is no witness here: it moves without a message, and to look into that is what the pages are for.
	if newest := cutShort(ev, t.in.Facts.Tail); !newest.IsZero() {
		t.eventsDoubt("events-too-early", "the events pages end at %s, in the middle of its last turn: save the newest "+
			"page too", newest.UTC().Format(time.RFC3339))
		return false
	}
	t.pass = append(t.pass, Reason{"events", "the events pages hold its last turn and nothing of a person after it"})
	return true
}

// cutShort gives the time at which pages from further back end: they hold the last turn's question, but neither its
// reply nor what came later. Pages of questions alone look like that too, and are told apart by having no reply at
// all.
func cutShort(ev *remote.Events, tail transcript.Tail) time.Time {
	newest, replies := time.Time{}, false
	for _, e := range ev.Items {
		replies = replies || e.Kind == "assistant" || e.Kind == "result"
		if e.At.After(newest) {
			newest = e.At
		}
	}
	if replies && tail.Turn == transcript.Complete && newest.Before(tail.LastTurn.Add(-entrySlack)) {
		return newest
	}
	return time.Time{}
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
	// A log that cannot be read is not one that begins later: what it holds could speak against the stamp.
	reaches := len(t.in.Log.Warnings) > 0 || !t.in.Log.From.IsZero() && !t.in.Log.From.After(last)
	if !reaches && absolute(gap-retireAfter) <= retireSpread {
		return "retirement-stamp", "retirement stamp: updated_at is 8 h after its last entry, and the log does not reach " +
			"back that far", true
	}
	if absolute(gap) <= entrySlack {
		if t.in.Log.LiveThrough(short, last, last.Add(entrySlack)) {
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
