package message

import (
	"fmt"
	"slices"
	"strings"

	"recovery/internal/account"
	"recovery/internal/journal"
	"recovery/prompts"
	"recovery/review"
)

// Kind is which message is made.
type Kind string

// The kinds.
const (
	Prep       Kind = "prep"
	Wrap       Kind = "wrap"
	ReviewWrap Kind = "review-wrap"
	Nudge      Kind = "nudge"
)

// Kinds are all of them, as they are typed.
var Kinds = []Kind{Prep, Wrap, ReviewWrap, Nudge}

// State says whether a session is to get the message, or why it is not.
type State string

// The states.
const (
	Ready       State = "ready"
	NotPinned   State = "not-pinned"  // the text goes out once the user has pinned it
	OutOfDate   State = "out-of-date" // a person wrote in it after its review
	Offline     State = "offline"
	LiveUnknown State = "liveness-unknown"
	Archived    State = "archived"
	Unreviewed  State = "unreviewed"
	Unanswered  State = "unanswered"
	Unclear     State = "unclear"
	HasDefect   State = "defect"
	OtherOne    State = "other-message" // its review asks for another message, or for none
	Nothing     State = "nothing-to-ask"
)

// Item is one session of a message.
type Item struct {
	Short  string
	Live   account.LiveState
	Pinned bool
	State  State
	// Text is the one text to send; empty when there is none to send.
	Text string
	// SameName are the other sessions that the same text is for, since they have the same name.
	SameName []string
	Notes    []string
	Next     string
	Omitted  []Omitted
}

// sendable says whether there is a text for the session.
func (it *Item) sendable() bool {
	return it.State == Ready || it.State == NotPinned || it.State == OutOfDate && it.Live == account.Live
}

// NeedsUser says whether something about it is the user's to do before or instead of sending.
func (it *Item) NeedsUser() bool {
	return it.State != Ready || slices.ContainsFunc(it.Omitted, func(o Omitted) bool { return !o.Own || !o.Doubt })
}

func (it *Item) note(format string, args ...any) {
	it.Notes = append(it.Notes, fmt.Sprintf(format, args...))
}

func (it *Item) stop(s State, next, format string, args ...any) {
	it.State, it.Next = s, next
	it.note(format, args...)
}

// Make gives an item for each named session, with its text where it is to get one. dataFlag is what has to be typed again to give
// a wake the same data; empty for none. The error is an *prompts.ApprovalError when the user's data reads as an approval together with
// what stands beside it; no text is made then.
func (p *Plan) Make(kind Kind, shorts []string, dataFlag string) ([]Item, error) {
	items := make([]Item, 0, len(shorts))
	for _, short := range shorts {
		items = append(items, p.item(kind, short, dataFlag))
	}
	if err := p.texts(kind, items); err != nil {
		return nil, err
	}
	for i := range items {
		p.remarks(kind, &items[i], dataFlag)
	}
	return items, nil
}

func (p *Plan) item(kind Kind, short, dataFlag string) Item {
	job := p.in.World.Jobs.ByShort[short]
	it := Item{Short: short, Live: p.in.World.Liveness(job).State, Pinned: job.Pinned, State: Ready}
	r, s := p.Of(short), p.in.State.Session(short)
	thread := "its thread"
	if link := job.Link(); link != "" {
		thread += " at " + link
	}
	wakeAgain := fmt.Sprintf("recovery queue-check %s, then (--again is the user's): recovery resume --again %s", short, short)
	switch {
	case p.archived(job):
		it.stop(Archived, "recovery inventory with a page saved anew, if it is not archived any more", "it is archived: nothing is sent to it")
	case p.defect(short) != "":
		it.stop(HasDefect, "recovery events --session "+short+"; when the user has looked at it: recovery ack "+short, "an open defect stands: %s", p.defect(short))
	case it.Live == account.Unknown:
		it.stop(LiveUnknown, "recovery why "+short, "whether it runs cannot be told: %s", strings.Join(p.in.World.Liveness(job).Evidence, "; "))
	case r.Err != nil:
		it.stop(Unclear, "recovery read "+short, "its review cannot be read: %v", r.Err)
	case !r.Woken && it.Live == account.Live:
		it.stop(Unreviewed, "ask in "+thread+" what is open; when it is offline: recovery queue-check "+short, "no review of it is on record, and a live session is not woken with one")
	case !r.Woken:
		it.stop(Unreviewed, "recovery queue-check "+short+", then: recovery resume "+short, "it is offline, and no review of it is on record")
	case s.SavedPrompt() != "" && job.QueuedPrompt == s.SavedPrompt() && it.Live == account.Offline:
		it.stop(Offline, "recovery resume --nudge "+short, "it is offline with its prompt saved: a wake with a nudge delivers both")
	case !r.Last.Answered:
		p.unanswered(kind, &it, s, wakeAgain)
	case kind == Nudge:
		it.stop(Nothing, "recovery read "+short, "its prompt is answered: there is nothing to nudge")
	case p.wrapped(short):
		it.stop(Nothing, "recovery wrap-wait --wait 0 "+short, "it has its real wrap already")
	case r.Unclear() != "":
		it.stop(Unclear, "recovery read "+short, "its verdict is unclear: %s", r.Unclear())
	default:
		p.byVerdict(kind, &it, r, thread)
	}
	if it.State == Ready && it.Live == account.Offline {
		p.offline(kind, &it, r, dataFlag, wakeAgain)
	}
	if it.State == Ready && (kind == Wrap || kind == ReviewWrap) && !it.Pinned {
		it.stop(NotPinned, "", "it is not pinned and may be retired while it wraps: the user pins it first, with Ctrl+T on its row in the interactive `claude agents` view")
	}
	return it
}

// unanswered is a session whose prompt went out and has no reply.
func (p *Plan) unanswered(kind Kind, it *Item, s *journal.Session, wakeAgain string) {
	r := p.Of(it.Short)
	what := "review"
	if r.Last.Plan {
		what = "prep"
		wakeAgain = strings.Replace(wakeAgain, "recovery resume --again", "recovery resume --prompt prep --again", 1)
	}
	switch {
	case r.Last.Waiting != "":
		it.stop(Unanswered, "answer it in its thread, or stop it: claude stop "+it.Short, "its %s waits: %s", what, r.Last.Waiting)
	case it.Live == account.Offline && s.SavedPrompt() == "":
		it.stop(Unanswered, wakeAgain, "it is offline and its %s has no reply", what)
	case kind != Nudge:
		it.stop(Unanswered, "recovery read --wait 10m "+it.Short+"; when no reply comes: recovery message nudge "+it.Short, "its %s has no reply yet", what)
	case !r.Last.Started:
		it.stop(Unanswered, "recovery read --wait 10m "+it.Short, "its %s is not in its transcript yet: a nudge would stand alone", what)
	}
}

// byVerdict says whether the review's verdict is one for this message.
func (p *Plan) byVerdict(kind Kind, it *Item, r *Reviewed, thread string) {
	verdict, after := r.Verdict(), r.UserAfter()
	short := it.Short
	prep, wraps := "recovery message prep "+short, "recovery message review-wrap "+short
	if after {
		wraps = "recovery message wrap " + short
	}
	switch {
	case kind == Prep && verdict == review.VerdictOwner && after:
		next := "recovery last-reply " + short
		if it.Live == account.Offline {
			next = "recovery queue-check " + short + ", then a new review: recovery resume " + short
		}
		it.stop(OutOfDate, next, "somebody wrote in it after its review: the plan may be out of date")
	case kind == Prep && verdict == review.VerdictOwner:
	case kind == Prep && verdict != review.VerdictHeld:
		it.stop(OtherOne, wraps, "its review says %s: there is no plan to wait for", verdict)
	case kind == ReviewWrap && after && verdict != review.VerdictHeld:
		it.stop(OtherOne, "recovery message wrap "+short, "somebody wrote in it after its review: it was not woken only for its review any more")
	case verdict == review.VerdictDone, verdict == review.VerdictDuplicate:
	case kind == Wrap && after:
		it.note("its review said %s, and somebody wrote in it since: make sure that its work is finished", verdict)
	case verdict == review.VerdictOwner:
		it.stop(OtherOne, prep, "its review says OWNER: open items wait for one go, so it is not finished")
	default:
		it.stop(OtherOne, "read "+thread, "its review says HELD: it waits for something that no message gives")
	}
}

// offline is a session that a message does not reach.
func (p *Plan) offline(kind Kind, it *Item, r *Reviewed, dataFlag, wakeAgain string) {
	switch {
	case kind == Prep && r.Last.Plan:
		it.stop(Offline, "recovery read "+it.Short+"; for another plan (--again is the user's): recovery resume --prompt prep --again "+dataFlag+it.Short,
			"it is offline, and a prep was delivered to it after its review")
	case kind == Prep:
		it.stop(Offline, "recovery resume --prompt prep "+dataFlag+it.Short, "it is offline: a message does not reach it, and what is typed in its thread waits there and blocks a wake; a wake delivers the PREP text, for reading only, and is audited like a review")
	default:
		it.stop(Offline, wakeAgain+"; then pin it and make the message again", "it is offline, and a WRAP goes to live, pinned sessions only: it is no wake prompt. Wake it first")
	}
}

// remarks says what else there is to know, and what comes next.
func (p *Plan) remarks(kind Kind, it *Item, dataFlag string) {
	r := p.Of(it.Short)
	for _, o := range it.Omitted {
		if o.Own {
			it.note("left out of the text: words of session %s, %q (%s); its own review has them: if they matter, say them in its thread as a plain fact", o.Short, o.Text, o.Reason)
			continue
		}
		it.note("left out of the text: words of session %s, %q (%s); read them there, and tell this session in its thread, in words of your own, what it needs of them", o.Short, o.Text, o.Reason)
	}
	if kind == Prep && it.sendable() {
		for _, other := range p.shared[it.Short] {
			it.note("session %s has an item that this one lists too: it needs its own prep: recovery message prep %s%s", other, dataFlag, other)
		}
		if n := r.Review.Unjudged() + len(r.Review.Defects); n > 0 {
			it.note("its review has %d calls or defects to look at: recovery read %s", n, it.Short)
		}
		switch {
		case r.Last.Plan && r.Last.Unclear != "":
			it.note("a plan was asked for already and its reply is unclear: %s", r.Last.Unclear)
		case r.Last.Plan:
			it.note("it posted a plan already: recovery read %s", it.Short)
		}
		if !it.Pinned {
			it.note("ask the user to pin it if it will wait for the go: Ctrl+T on its row in the interactive `claude agents` view")
		}
	}
	if kind == Wrap && it.sendable() && r.Verdict() == review.VerdictDuplicate {
		it.note("it is a duplicate: send it when its owner has what it lacks")
	}
	if it.Next != "" {
		return
	}
	switch {
	case it.State == NotPinned:
		it.Next = fmt.Sprintf("pin it, send the text, then: recovery wrap-wait --mark %q %s", prompts.WrapMark, it.Short)
	case kind == Wrap || kind == ReviewWrap:
		it.Next = fmt.Sprintf("send the text, then: recovery wrap-wait --mark %q %s", prompts.WrapMark, it.Short)
	case kind == Nudge:
		it.Next = "send the text, then: recovery read --wait 10m " + it.Short
	default:
		it.Next = "send the text, read the plan (recovery last-reply " + it.Short + "), then type go in its thread"
	}
}

func (p *Plan) defect(short string) string {
	for _, d := range p.in.State.Defects {
		if d.Session == short {
			return d.Code + ": " + d.Text
		}
	}
	return ""
}
