package report

import (
	"time"

	"recovery/internal/sources"
	"recovery/inventory"
	"recovery/review"
	"recovery/standing"
)

// Place says whose session something is: the account's name and the machine's. Reports of several accounts are told
// apart by it.
type Place struct {
	Account string `json:"account"`
	Host    string `json:"host"`
}

// Entry is one session of a list.
type Entry struct {
	Place
	inventory.SessionName
	Cwd string `json:"cwd"`
	// Why is the evidence for the list that it stands in.
	Why     []string        `json:"why"`
	Verdict *review.Verdict `json:"verdict"`
	// Next is what to do in prose, Step the same for a program.
	Next string        `json:"next"`
	Step standing.Next `json:"next_step"`
	// Standing is where the session stands; Live is empty when the account was not looked at.
	Standing standing.Place `json:"place"`
	Live     string         `json:"live"`
	Pinned   bool           `json:"pinned"`
	// Role is owner, duplicate or single; Owner is the short of the session that owns a duplicate's work.
	Role  string `json:"role"`
	Owner string `json:"owner"`
	// Folder is the git state of its folder in words; empty when it was not looked at.
	Folder string `json:"folder_state"`
	// Review is what its review did and said; nil when it has none.
	Review *review.Review `json:"review"`
	// Message is what the user may send it next; nil when nothing is to be sent.
	Message *Message `json:"message"`
	// Story is its life in order.
	Story []Moment `json:"story"`
	// ExpiresAt is when the client deletes its transcript; nil when that is not known.
	ExpiresAt *time.Time `json:"expires_at"`
	// AlsoIn are the other places whose reports tell of the same conversation.
	AlsoIn []Place `json:"also_in"`
}

// Message is a text for the user to send.
type Message struct {
	Kind string `json:"kind"`
	Text string `json:"text"`
	// Before is what has to be done first.
	Before string `json:"before"`
}

// The kinds of moments in a session's story.
const (
	MomentCreated  = "created"
	MomentActive   = "active" // its last own turn ended
	MomentEnded    = "ended"  // it went offline; the text says how
	MomentWoken    = "woken"
	MomentReviewed = "reviewed"
	MomentWrapped  = "wrapped"
)

// Moment is one point of a session's story.
type Moment struct {
	At   time.Time `json:"at"`
	Kind string    `json:"kind"`
	Text string    `json:"text"`
}

// The codes of what a report leads with, in their order.
const (
	FirstDefect = "defect"
	FirstTyped  = "typed-not-answered"
	FirstMoney  = "money-at-risk"
	FirstPerson = "person-waiting"
	FirstTwice  = "acts-twice"
	FirstLook   = "wrapped-look-first"
)

// Point is one thing that the user has to know of a session, with what to do about it.
type Point struct {
	Place
	Code string `json:"code"`
	inventory.SessionName
	Cwd  string     `json:"cwd"`
	Text string     `json:"text"`
	At   *time.Time `json:"at"`
	// Next is what to do in prose, Step the same for a program.
	Next string        `json:"next"`
	Step standing.Next `json:"next_step"`
}

// point is one thing to know of the entry's session; what to do about it is the session's own next.
func (e Entry) point(code, text string) Point {
	return Point{Place: e.Place, Code: code, SessionName: e.SessionName, Cwd: e.Cwd, Text: text,
		Next: e.Next, Step: e.Step}
}

// Capture is a file that several wraps propose a change for: one change is shipped for all of them.
type Capture struct {
	File      string     `json:"file"`
	Repo      string     `json:"repo"`
	Proposals []Proposal `json:"proposals"`
}

// Proposal is one session's part of a capture.
type Proposal struct {
	Place
	Short string  `json:"short"`
	Link  *string `json:"link"`
	Text  string  `json:"text"`
}

// Elsewhere is one piece of unfinished work of another system.
type Elsewhere struct {
	Place
	Source   string          `json:"source"`
	ID       string          `json:"id"`
	Title    string          `json:"title"`
	State    string          `json:"state"`
	Verdict  sources.Verdict `json:"verdict"`
	WaitsFor string          `json:"waits_for"`
	Cwd      string          `json:"cwd"`
	// Next is its state and the next step in one line.
	Next string `json:"next"`
}
