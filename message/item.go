package message

import (
	"fmt"
	"slices"
	"strings"

	"recovery/internal/account"
	"recovery/prompts"
	"recovery/review"
	"recovery/standing"
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
	Place  standing.Place
	Live   account.LiveState
	Pinned bool
	State  State
	// Text is the one text to send; empty when there is none to send.
	Text string
	// SameName are the other sessions that the same text is for, since they have the same name.
	SameName []string
	Notes    []string
	// Next is what to do: with the text, or, where there is none, what the session's standing says.
	Next    standing.Next
	Omitted []Omitted
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

// stop says why there is no text. What is next is the session's own.
func (it *Item) stop(s State, format string, args ...any) {
	it.State = s
	it.note(format, args...)
}

// Make gives an item for each named session, with its text where it is to get one. dataFile is the file whose data a
// wake is to get too; empty for none. The error is an *prompts.ApprovalError when the user's data reads as an
// approval together with what stands beside it; no text is made then.
func (p *Plan) Make(kind Kind, shorts []string, dataFile string) ([]Item, error) {
	items := make([]Item, 0, len(shorts))
	for _, short := range shorts {
		items = append(items, p.item(kind, short))
	}
	if err := p.texts(kind, items); err != nil {
		return nil, err
	}
	for i := range items {
		p.remarks(kind, &items[i], dataFile)
	}
	return items, nil
}

func (p *Plan) item(kind Kind, short string) Item {
	st := p.in.Standing(short)
	it := Item{Short: short, Place: st.Place, Live: st.Live, Pinned: st.Pinned, State: Ready, Next: st.Next}
	r := p.Of(short)
	switch {
	case st.Place == standing.Archived:
		it.stop(Archived, "it is archived: nothing is sent to it")
	case st.Place == standing.HasDefect:
		it.stop(HasDefect, "an open defect stands: %s", strings.Join(st.Why, "; "))
	case it.Live == account.Unknown:
		it.stop(LiveUnknown, "whether it runs cannot be told: %s", strings.Join(p.in.World.Liveness(r.Job).Evidence, "; "))
	case r.Err != nil:
		it.stop(Unclear, "its review cannot be read: %v", r.Err)
	case !r.Woken && it.Live == account.Live:
		it.stop(Unreviewed, "no review of it is on record, and a live session is not woken with one: ask in its thread "+
			"what is open")
	case !r.Woken:
		it.stop(Unreviewed, "it is offline, and no review of it is on record")
	case st.Place == standing.Saved && it.Live == account.Offline:
		it.stop(Offline, "it is offline with its prompt saved: a wake with a nudge delivers both")
	case !r.Last.Answered:
		p.unanswered(kind, &it)
	case kind == Nudge:
		it.stop(Nothing, "its prompt is answered: there is nothing to nudge")
	case p.over(short):
		it.stop(Nothing, "it has its real wrap already")
	case r.Unclear() != "":
		it.stop(Unclear, "its verdict is unclear: %s", r.Unclear())
	default:
		p.byVerdict(kind, &it, r)
	}
	if it.State == Ready && it.Live == account.Offline {
		p.offline(kind, &it, r)
	}
	if it.State == Ready && (kind == Wrap || kind == ReviewWrap) && !it.Pinned {
		it.stop(NotPinned, "it is not pinned and may be retired while it wraps: the user pins it first, with Ctrl+T on "+
			"its row in "+
			"the interactive `claude agents` view")
	}
	return it
}

// unanswered is a session whose prompt went out and has no reply. A nudge asks a live one for it.
func (p *Plan) unanswered(kind Kind, it *Item) {
	r := p.Of(it.Short)
	what := "review"
	if r.Last.Plan {
		what = "prep"
	}
	switch {
	case r.Last.Asks():
		it.stop(Unanswered, "its %s waits: %s", what, r.Last.Waiting)
	case it.Live == account.Offline:
		it.stop(Unanswered, "it is offline and its %s has no reply", what)
	case kind != Nudge:
		it.stop(Unanswered, "its %s has no reply yet; when none comes: recovery message nudge %s", what, it.Short)
	case !r.Last.Started:
		it.stop(Unanswered, "its %s is not in its transcript yet: a nudge would stand alone", what)
	}
}

// byVerdict says whether the review's verdict is one for this message.
func (p *Plan) byVerdict(kind Kind, it *Item, r *Reviewed) {
	verdict, after := r.Verdict(), r.UserAfter()
	switch {
	case kind == Prep && verdict == review.VerdictOwner && after:
		it.stop(OutOfDate, "somebody wrote in it after its review: the plan may be out of date")
	case kind == Prep && verdict == review.VerdictOwner:
	case kind == Prep && verdict != review.VerdictHeld:
		it.stop(OtherOne, "its review says %s: there is no plan to wait for", verdict)
	case kind == ReviewWrap && after && verdict != review.VerdictHeld:
		it.stop(OtherOne, "somebody wrote in it after its review: it was not woken only for its review any more; "+
			"`recovery message wrap %s` is its message", it.Short)
	case verdict == review.VerdictDone, verdict == review.VerdictDuplicate:
	case kind == Wrap && after:
		it.note("its review said %s, and somebody wrote in it since: make sure that its work is finished", verdict)
	case verdict == review.VerdictOwner:
		it.stop(OtherOne, "its review says OWNER: open items wait for one go, so it is not finished; `recovery message "+
			"prep %s` is its message", it.Short)
	default:
		it.stop(OtherOne, "its review says HELD: it waits for something that no message gives")
	}
}

// offline is a session that a message does not reach.
func (p *Plan) offline(kind Kind, it *Item, r *Reviewed) {
	switch {
	case kind == Prep && r.Last.Plan:
		it.stop(Offline, "it is offline, and a prep was delivered to it after its review: recovery read %s", it.Short)
	case kind == Prep:
		it.stop(Offline, "it is offline: a message does not reach it, and what is typed in its thread waits there and "+
			"blocks a wake; a wake delivers the PREP text, for reading only, and is audited like a review")
	default:
		it.stop(Offline, "it is offline, and a WRAP goes to live, pinned sessions only: it is no wake prompt. Wake it "+
			"first, pin it, then make the message again")
	}
}

// remarks says what else there is to know, and what comes next.
func (p *Plan) remarks(kind Kind, it *Item, dataFile string) {
	r := p.Of(it.Short)
	for _, o := range it.Omitted {
		if o.Own {
			it.note("left out of the text: words of session %s, %q (%s); its own review has them: if they matter, say them "+
				"in its thread as a plain fact", o.Short, o.Text, o.Reason)
			continue
		}
		it.note("left out of the text: words of session %s, %q (%s); read them there, and tell this session in its "+
			"thread, in words of your own, what it needs of them", o.Short, o.Text, o.Reason)
	}
	if kind == Prep && it.sendable() {
		p.remarksOnPlan(it, r, dataFile)
	}
	if kind == Wrap && it.sendable() && r.Verdict() == review.VerdictDuplicate {
		it.note("it is a duplicate: send it when its owner has what it lacks")
	}
	if it.State == Ready || it.State == NotPinned {
		it.Next = withText(kind, it)
	} else {
		it.Next = withData(it.Next, dataFile)
	}
}

// remarksOnPlan says what else there is to know of a session that gets a prep.
func (p *Plan) remarksOnPlan(it *Item, r *Reviewed, dataFile string) {
	for _, other := range p.shared[it.Short] {
		args := []string{"message", "prep"}
		if dataFile != "" {
			args = append(args, "--data", dataFile)
		}
		it.note("session %s has an item that this one lists too: it needs its own prep: %s", other,
			standing.Run(append(args, other)...).Command())
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
		it.note("ask the user to pin it if it will wait for the go: Ctrl+T on its row in the interactive " +
			"`claude agents` view")
	}
}

// withText is what to do with a session's text.
func withText(kind Kind, it *Item) standing.Next {
	send := "send the text"
	if it.State == NotPinned {
		send = "pin it, send the text"
	}
	switch kind {
	case Wrap, ReviewWrap:
		return standing.Do("%s", send).Then("wrap-wait", "--mark", prompts.WrapMark, it.Short)
	case Nudge:
		return standing.Do("%s", send).Then("read", "--wait", "10m", it.Short)
	}
	return standing.Do("send the text, read the plan (recovery last-reply %s), then type go in its thread", it.Short)
}

// withData gives a wake for a plan the data that was named for its message.
func withData(n standing.Next, dataFile string) standing.Next {
	if dataFile == "" || len(n.Run) < 3 || !slices.Equal(n.Run[:3], []string{"resume", "--prompt", "prep"}) {
		return n
	}
	n.Run = slices.Insert(slices.Clone(n.Run), 3, "--data", dataFile)
	return n
}
