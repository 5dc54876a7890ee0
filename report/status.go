package report

import (
	"fmt"
	"sort"
	"time"

	"recovery/internal/journal"
	"recovery/inventory"
	"recovery/review"
	"recovery/wrap"
)

// Step is how far a session has come in a recovery.
type Step string

// The steps, in their order.
const (
	StepLive      Step = "live"
	StepListed    Step = "listed"
	StepChecked   Step = "checked"
	StepConfirmed Step = "confirmed"
	StepIntended  Step = "intended" // the intention is open: what became of it is not known yet
	StepNotSent   Step = "not-sent"
	StepSaved     Step = "saved" // the prompt waits in the session for its next start
	StepUncertain Step = "unknown"
	StepDefect    Step = "defect"
	StepWoken     Step = "woken"
	StepReviewed  Step = "reviewed"
	StepWrapped   Step = "wrapped"
)

var steps = []Step{StepLive, StepListed, StepChecked, StepConfirmed, StepIntended, StepNotSent, StepSaved, StepUncertain, StepDefect, StepWoken, StepReviewed, StepWrapped}

// Standing is where one session stands.
type Standing struct {
	Short     string     `json:"short"`
	SessionID string     `json:"session_id"`
	Link      *string    `json:"link"`
	Title     string     `json:"title"`
	Step      Step       `json:"step"`
	Since     *time.Time `json:"since"`
	// Owed is what recovery still owes it; WaitsFor is what waits for the user. Either may be empty.
	Owed     string `json:"owed"`
	WaitsFor string `json:"waits_for"`
	Next     string `json:"next"`
}

// Status is a recovery's own state.
type Status struct {
	Items   []Standing           `json:"items"`
	Defects []journal.OpenDefect `json:"defects"`
	// Causes counts the listed sessions by why they went offline; Cut counts those whose last turn was cut, by how.
	Causes map[string]int `json:"causes"`
	Cut    map[string]int `json:"cut"`
	Events int            `json:"events"`
	// NewerEvents counts events that a newer recovery wrote and this one does not know.
	NewerEvents int        `json:"newer_events"`
	Since       *time.Time `json:"since"`
	Last        *time.Time `json:"last"`
	// DeferredUntil is when the service's limit is over, while it is not.
	DeferredUntil *time.Time `json:"deferred_until"`
}

// Open says whether something is owed or waits for the user.
func (s Status) Open() bool {
	if len(s.Defects) > 0 {
		return true
	}
	for _, it := range s.Items {
		if it.Owed != "" || it.WaitsFor != "" {
			return true
		}
	}
	return false
}

// StatusOf makes the status from the journal, the inventory and the account as it is now; inv and look may be nil.
func StatusOf(inv *inventory.Inventory, state *journal.State, look *Look, now time.Time) Status {
	s := Status{Items: []Standing{}, Defects: append([]journal.OpenDefect{}, state.Defects...), Causes: map[string]int{}, Cut: map[string]int{},
		Events: state.Events, NewerEvents: state.Unknown}
	if !state.First.IsZero() {
		s.Since, s.Last = &state.First, &state.Last
	}
	if state.DeferredUntil.After(now) {
		s.DeferredUntil = &state.DeferredUntil
	}
	seen := map[string]bool{}
	if inv != nil {
		for _, it := range inv.Items {
			seen[it.Short] = true
			s.Causes[string(it.Ended.Cause)]++
			switch {
			case it.Turn == "mid-turn" || it.Turn == "waiting" || it.Turn == "error":
				s.Cut[it.Turn]++
			case it.Stop == "max_tokens":
				s.Cut["max_tokens"]++
			}
			s.Items = append(s.Items, look.standing(state, Standing{Short: it.Short, SessionID: it.SessionID, Link: it.Link, Title: it.Title}))
		}
	}
	var others []string
	for short, x := range state.Sessions {
		if !seen[short] && len(x.Wakes) > 0 {
			others = append(others, short)
		}
	}
	sort.Strings(others)
	for _, short := range others {
		last := state.Sessions[short].Wakes[len(state.Sessions[short].Wakes)-1]
		it := Standing{Short: short, SessionID: last.SessionID, Title: last.Title}
		if last.Link != "" {
			it.Link = &last.Link
		}
		s.Items = append(s.Items, look.standing(state, it))
	}
	return s
}

func (l *Look) standing(state *journal.State, it Standing) Standing {
	x, ok := state.Sessions[it.Short]
	if (!ok || len(x.Wakes) == 0) && l.live(it.Short) {
		// Nothing is owed to a session that runs: it is messaged in its thread.
		it.Step, it.Next = StepLive, "message it in its thread"
		return it
	}
	if !ok {
		it.Step, it.Owed, it.Next = StepListed, "a queue check", "recovery queue-check "+it.Short
		return it
	}
	if w := x.OpenWake(); w != nil {
		it.Step, it.Since, it.Owed = StepIntended, &w.At, "its open intention is settled by the next run"
		it.Next = "recovery resume " + it.Short
		return it
	}
	last := x.LastSent()
	if last == nil {
		return unsent(it, x)
	}
	it.Since = &last.ResultAt
	switch last.Result.Outcome {
	case journal.Copy, journal.Joined, journal.Replayed:
		it.Step, it.WaitsFor, it.Next = StepDefect, "you to look: "+last.Result.Reason, "recovery events --session "+it.Short
	case journal.Saved, journal.Untrusted, journal.MissingCwd, journal.NotStarted:
		it.Step, it.Owed, it.Next = StepSaved, "its prompt waits in it for its next start", "recovery resume --nudge "+it.Short
		if last.Result.Outcome == journal.Untrusted {
			it.WaitsFor, it.Next = "you to trust its folder", "recovery trust "+it.Short+", then: recovery resume --nudge "+it.Short
		}
	case journal.Uncertain:
		if x.Review == nil || !x.Review.Answered {
			it.Step, it.Owed, it.Next = StepUncertain, "a look: whether it received its prompt is not known", "recovery read --wait 10m "+it.Short
			break
		}
		it = l.reviewed(it, x)
	default:
		it = l.reviewed(it, x)
	}
	return it
}

// unsent is a session to which nothing went out.
func unsent(it Standing, x *journal.Session) Standing {
	it.Step, it.Next = StepListed, "recovery queue-check "+it.Short
	switch {
	case x.Refused != nil:
		it.Step, it.WaitsFor, it.Next = StepChecked, "you: it was turned away: "+x.Refused.Reason, x.Refused.Next
	case len(x.Wakes) > 0:
		it.Step, it.Owed, it.Next = StepNotSent, "its start failed and nothing was sent", "recovery resume "+it.Short
	case x.Check == nil:
		it.Owed = "a queue check"
	case x.Check.Verdict == "pass":
		it.Step, it.Owed, it.Next = StepChecked, "its wake", "recovery resume "+it.Short
	case x.Check.Verdict == "confirmed":
		it.Step, it.Owed, it.Next = StepConfirmed, "its wake", "recovery resume "+it.Short
	case x.Check.Verdict == "check":
		it.Step, it.WaitsFor, it.Next = StepChecked, "you to read its thread and confirm it", "recovery queue-check --confirm "+it.Short
	default:
		it.Step, it.WaitsFor = StepChecked, "you: it is blocked"
	}
	return it
}

func (l *Look) reviewed(it Standing, x *journal.Session) Standing {
	r := x.Review
	now, busy := l.wrapNow(it.Short, x), l.busy(it.Short)
	switch {
	case now.State == wrap.Done && busy == "" && r != nil && r.Unknown == 0:
		it.Step, it.Next = StepWrapped, "archive it: your click"
		return it
	case now.State == wrap.Done && busy != "":
		it.Step, it.WaitsFor, it.Next = StepWrapped, "you to look: it wrapped, and something goes on or waits in it: "+busy, "recovery read "+it.Short
		return it
	case now.State == wrap.Held:
		it.Step, it.WaitsFor, it.Next = StepWrapped, "you: it wrapped and is held", "read its thread"
		return it
	case now.State == wrap.Running:
		it.Step, it.Owed, it.Next = StepReviewed, "its wrap: "+now.Reason, "recovery wrap-wait "+it.Short
		return it
	case r == nil || !r.Answered:
		it.Step, it.Owed, it.Next = StepWoken, "its review is to be read", "recovery read --wait 10m "+it.Short
		return it
	}
	it.Step = StepReviewed
	if r.Unknown > 0 {
		it.WaitsFor = fmt.Sprintf("you to look at %s that cannot be judged", calls(r.Unknown))
		it.Next = "recovery read " + it.Short
		return it
	}
	if r.UserAfter && now.State == wrap.NotSent {
		it.WaitsFor, it.Next = "you: somebody wrote in it after its review", "recovery last-reply "+it.Short
		return it
	}
	switch r.Verdict {
	case review.VerdictOwner:
		it.WaitsFor, it.Next = "your go, typed in its thread", "read its plan"
	case review.VerdictDone, review.VerdictDuplicate:
		it.WaitsFor, it.Next = "you to pin it and send the WRAP message", "recovery wrap-wait "+it.Short
	case review.VerdictHeld:
		it.WaitsFor, it.Next = "you: its review says HELD", "read its thread"
	default:
		it.WaitsFor, it.Next = "you to read its review: its verdict is unclear", "recovery read "+it.Short
	}
	return it
}

// Finished says whether a recovery is over: something was woken, every session that was has a real wrap as it stands now,
// with nothing going on or waiting in it and every call judged, and no intention and no defect is open. Only then is its
// journal closed.
func Finished(state *journal.State, look *Look) bool {
	if len(state.Defects) > 0 {
		return false
	}
	woken := false
	for short, x := range state.Sessions {
		if x.OpenWake() != nil {
			return false
		}
		if x.LastSent() == nil {
			continue
		}
		it := look.standing(state, Standing{Short: short})
		if it.Step != StepWrapped || it.Owed != "" || it.WaitsFor != "" {
			return false
		}
		woken = true
	}
	return woken
}
