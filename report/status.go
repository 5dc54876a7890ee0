package report

import (
	"sort"
	"time"

	"recovery/internal/account"
	"recovery/internal/journal"
	"recovery/inventory"
	"recovery/standing"
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

var steps = []Step{StepLive, StepListed, StepChecked, StepConfirmed, StepIntended, StepNotSent, StepSaved,
	StepUncertain, StepDefect,
	StepWoken, StepReviewed, StepWrapped}

// stepOf is how far the session of each place has come.
var stepOf = map[standing.Place]Step{
	standing.Live: StepLive, standing.Listed: StepListed, standing.Pass: StepChecked, standing.Check: StepChecked,
	standing.Blocked: StepChecked, standing.Confirmed: StepConfirmed, standing.Intended: StepIntended,
	standing.NotSent: StepNotSent,
	standing.Saved:   StepSaved, standing.Uncertain: StepUncertain, standing.HasDefect: StepDefect,
	standing.Unanswered: StepWoken,
	standing.Waiting:    StepWoken, standing.Error: StepWoken, standing.Died: StepWoken, standing.Owner: StepReviewed,
	standing.OwnerPlanned: StepReviewed, standing.Finished: StepReviewed, standing.Duplicate: StepReviewed,
	standing.Held:    StepReviewed,
	standing.Unclear: StepReviewed, standing.OutOfDate: StepReviewed, standing.WentOn: StepReviewed,
	standing.Wrapping: StepReviewed,
	standing.WrapHeld: StepWrapped, standing.LookFirst: StepWrapped, standing.ArchiveNow: StepWrapped,
	standing.Archived: StepWrapped,
	standing.Gone:     StepListed,
}

// stepFor is the step of one standing. What was never checked on record is only listed; a session that is gone has
// come as far as its record says.
func stepFor(st standing.Standing) Step {
	step := stepOf[st.Place]
	switch {
	case step == StepChecked && !st.Checked && st.Refused == "":
		return StepListed
	case st.Place == standing.Gone && st.Sent && !st.Open():
		return StepWrapped
	case st.Place == standing.Gone && st.Sent:
		return StepWoken
	}
	return step
}

// Row is where one session stands, as status shows it.
type Row struct {
	inventory.SessionName
	Step  Step           `json:"step"`
	Place standing.Place `json:"place"`
	// Live is empty when the session has no job in the account.
	Live   string     `json:"live"`
	Pinned bool       `json:"pinned"`
	Since  *time.Time `json:"since"`
	// Owed is what recovery still owes it; WaitsFor is what waits for the user. Either may be empty.
	Owed     string        `json:"owed"`
	WaitsFor string        `json:"waits_for"`
	Why      []string      `json:"why"`
	Next     string        `json:"next"`
	Do       standing.Next `json:"next_step"`
}

// Status is a recovery's own state.
type Status struct {
	Items   []Row                `json:"items"`
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
	// Next is the one next of the whole recovery.
	Next string        `json:"next"`
	Do   standing.Next `json:"next_step"`
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

// Listed are the sessions of an inventory and those of the journal that were woken, in the order in which they are
// shown. inv may be nil.
func Listed(inv *inventory.Inventory, state *journal.State) []string {
	var out, others []string
	seen := map[string]bool{}
	if inv != nil {
		for _, it := range inv.Items {
			seen[it.Short] = true
			out = append(out, it.Short)
		}
	}
	for short, x := range state.Sessions {
		if !seen[short] && len(x.Wakes) > 0 {
			others = append(others, short)
		}
	}
	sort.Strings(others)
	return append(out, others...)
}

// StatusOf makes the status from the journal, the inventory and where each session stands; inv may be nil.
func StatusOf(inv *inventory.Inventory, state *journal.State, where func(short string) standing.Standing,
	now time.Time) Status {
	s := Status{Items: []Row{}, Defects: append([]journal.OpenDefect{}, state.Defects...), Causes: map[string]int{},
		Cut:    map[string]int{},
		Events: state.Events, NewerEvents: state.Unknown}
	if !state.First.IsZero() {
		s.Since, s.Last = &state.First, &state.Last
	}
	var deferred time.Time
	if state.DeferredUntil.After(now) {
		deferred = state.DeferredUntil
		s.DeferredUntil = &deferred
	}
	var all []standing.Standing
	for _, short := range Listed(inv, state) {
		st := where(short)
		if st.Place == standing.Archived {
			continue
		}
		all = append(all, st)
		row := Row{SessionName: inventory.SessionName{Short: short}}
		if it := find(inv, short); it != nil {
			row.SessionName = it.SessionName
			s.count(it, st)
		} else {
			wakes := state.Sessions[short].Wakes
			last := wakes[len(wakes)-1]
			row.SessionName = inventory.NameOnRecord(short, last.SessionID, last.Link, last.Title)
		}
		row.stands(st)
		s.Items = append(s.Items, row)
	}
	s.Do = standing.Whole(all, deferred)
	if len(s.Items) == 0 && len(s.Defects) == 0 {
		s.Do = standing.Run("inventory")
	}
	if len(s.Items) > 0 && s.Do.IsZero() {
		s.Do = standing.Do("nothing is left to do here")
	}
	s.Next = s.Do.String()
	return s
}

func find(inv *inventory.Inventory, short string) *inventory.Item {
	if inv == nil {
		return nil
	}
	return inv.Find(short)
}

func (r *Row) stands(st standing.Standing) {
	r.Step, r.Place, r.Live, r.Pinned = stepFor(st), st.Place, string(st.Live), st.Pinned
	if !st.Since.IsZero() {
		r.Since = &st.Since
	}
	r.Owed, r.WaitsFor, r.Why = st.Owed, st.WaitsFor, append([]string{}, st.Why...)
	r.Next, r.Do = st.Next.String(), st.Next
}

// state is the row's step and how its session runs.
func (r Row) state() string {
	words := string(r.Step)
	if r.Live != "" {
		words += ", " + r.Live
	}
	if r.Pinned {
		words += ", pinned"
	}
	return words
}

// count adds a session to the causes. One that runs did not go offline for a reason that nobody knows.
func (s *Status) count(it *inventory.Item, st standing.Standing) {
	runs := it.Live == account.Live || st.Live == account.Live && it.Ended.Cause == inventory.CauseNone
	if !runs {
		s.Causes[string(it.Ended.Cause)]++
	}
	switch {
	case it.Turn == "mid-turn" || it.Turn == "waiting" || it.Turn == "error":
		s.Cut[it.Turn]++
	case it.Stop == "max_tokens":
		s.Cut["max_tokens"]++
	}
}

// Finished says whether a recovery is over: something was woken, every session of it is ready to be archived or
// archived, and no defect is open. Sessions that were never woken keep it open. Only then is its journal closed.
func Finished(inv *inventory.Inventory, state *journal.State, where func(short string) standing.Standing) bool {
	if len(state.Defects) > 0 {
		return false
	}
	woken := false
	for _, short := range Listed(inv, state) {
		st := where(short)
		over := st.Place == standing.ArchiveNow || st.Place == standing.Archived || st.Place == standing.Gone ||
			st.Place == standing.Live
		if !over || st.Open() {
			return false
		}
		woken = woken || st.Sent
	}
	return woken
}
