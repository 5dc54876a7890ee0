package message

import (
	"recovery/internal/account"
	"recovery/review"
)

// Reviewed is a session with what its last review says.
type Reviewed struct {
	Job *account.Job
	// Review is the last review; Last is what came after it, too: the plan that a prep asked for.
	Review review.Review
	Last   review.Review
	// Woken says that a prompt was sent to it; Err says why what it did cannot be read.
	Woken bool
	Err   error
}

// Verdict is the review's, when it can be relied on; empty otherwise.
func (r *Reviewed) Verdict() string {
	if r.Unclear() != "" || !r.Review.Answered || r.Review.Verdict == nil {
		return ""
	}
	return r.Review.Verdict.Verdict
}

// Unclear says why an answered review cannot be relied on; empty when it can.
func (r *Reviewed) Unclear() string {
	switch {
	case r.Err != nil:
		return r.Err.Error()
	case r.Review.Answered && r.Review.Unclear != "":
		return r.Review.Unclear
	case r.Review.Answered && r.Review.Verdict == nil:
		return "its reply holds no verdict"
	case r.Review.BadLines > 0:
		return "lines of its transcript cannot be read"
	}
	return ""
}

// UserAfter says that a person wrote after the review, or after the plan.
func (r *Reviewed) UserAfter() bool { return r.Review.UserAfter || r.Last.UserAfter }
