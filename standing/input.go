package standing

import (
	"time"

	"recovery/internal/account"
	"recovery/internal/journal"
	"recovery/inventory"
	"recovery/queuecheck"
	"recovery/review"
	"recovery/wrap"
)

// Input is all that is known of one session now.
type Input struct {
	Short string
	// Seen says that the account was looked at: a session without facts then has no job any more.
	Seen  bool
	Facts *inventory.Facts
	// Check is the queue check worked out now, with every reason; nil when nobody asked.
	Check *queuecheck.Result
	// Journal is what was done with it so far; nil for nothing.
	Journal *journal.Session
	// Defects are those of it that nobody closed.
	Defects []journal.DefectData
	// Review is what it did since its last prompt, as its transcript tells; nil when none was sent. ReviewErr says why it
	// cannot be read.
	Review    *review.Review
	ReviewErr error
	// Deferred is when a limit of the service is over that was met; zero when none holds.
	Deferred time.Time
	// Wrap is its wrap as it stands now.
	Wrap wrap.Status
	// Page is why the saved pages exclude it: archived, or the word of its connection; empty when they do not.
	Page string
	// Listed says that the inventory lists it; TakenAt is when that was made.
	Listed  bool
	TakenAt time.Time
}

// Standing is where one session stands.
type Standing struct {
	Short string
	Place Place
	// Why is the evidence for the place, one sentence each.
	Why []string
	// Owed is what recovery still owes it, WaitsFor what waits for the user; either may be empty.
	Owed, WaitsFor string
	Next           Next
	// Live is empty when the account was not looked at, or has no job of it.
	Live   account.LiveState
	Pinned bool
	// Since is when its last prompt was intended, or the outcome recorded; zero before that.
	Since time.Time
	// Typed are the messages in it that nobody answered, with who saw them.
	Typed []string
	// Checked says that a queue check of it is on record.
	Checked bool
	// Sent says that a prompt went out to it, or counts as sent.
	Sent bool
	// Refused is why the last run turned it away; empty when it did not.
	Refused string
	// Link is its thread; Folder is where it works.
	Link, Folder string
	// Review, Wrap and Check are what the place was made of.
	Review *review.Review
	Wrap   wrap.Status
	Check  *queuecheck.Result
}

// Offline says that it is known not to run.
func (s *Standing) Offline() bool { return s.Live == account.Offline }

// Open says that something is owed to it, or waits for the user.
func (s *Standing) Open() bool { return s.Owed != "" || s.WaitsFor != "" }
