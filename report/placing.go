package report

import (
	"fmt"
	"strings"
	"time"

	"recovery/internal/audit"
	"recovery/internal/journal"
	"recovery/inventory"
	"recovery/review"
	"recovery/wrap"
)

// add puts a session into the one list that it belongs to, with why and what to do next.
func (b *builder) add(e Entry, it *inventory.Item) {
	e = b.prepared(e, it)
	r := b.report
	s, ok := b.State.Sessions[e.Short]
	if !ok {
		s = &journal.Session{Short: e.Short}
	}
	rev, reviewed := b.Review(e.Short)
	if reviewed {
		e.Verdict, e.Review = rev.Verdict, &rev
		b.unrecorded(e, &rev)
	}
	if s.Check != nil && len(s.Check.Pending) > 0 {
		typed := e
		typed.Why = []string{}
		for _, t := range s.Check.Pending {
			typed.Why = append(typed.Why, "typed and never answered: "+or(t, "(its text was not recorded)"))
		}
		typed.Next = "answer it in its thread"
		r.Typed = append(r.Typed, typed)
	}
	clean := reviewed && len(rev.Defects) == 0
	wrapped := wrap.Status{State: wrap.NotSent}
	if reviewed || s.Wrap != nil {
		wrapped = b.Look.wrapNow(e.Short, s)
	}
	if wrapped.State == wrap.Done || wrapped.State == wrap.Held {
		if f, ok := b.Facts[e.Short]; ok {
			b.wraps = append(b.wraps, wrapOf{e, b.repo(f.Folder), f.Tail.Reply})
		}
	}
	if wrapped.State == wrap.Done && !reviewed {
		e.Why = append(e.Why, "it wrapped ("+wrapped.ClosingLine+"), and no review of it was read: its calls were not checked")
	}
	switch busy := b.Look.busy(e.Short); {
	case wrapped.State == wrap.Done && clean && rev.Answered && rev.Unjudged() == 0 && busy == "":
		b.archive(e, rev, wrapped)
	case wrapped.State == wrap.Done && clean:
		if busy != "" {
			e.Why = append(e.Why, "it wrapped, and something goes on or waits in it: "+busy)
		}
		if !rev.Answered {
			e.Why = append(e.Why, "it wrapped, and its review was not read to an end: what it did was not checked")
		}
		e.Why = append(e.Why, unclear(rev)...)
		e.Next = "recovery read " + e.Short
		r.Unclear = append(r.Unclear, e)
	case wrapped.State == wrap.Held:
		e.Why = append(append(e.Why, "it wrapped and is held: "+wrapped.ClosingLine), unclear(rev)...)
		e.Next = "read its thread"
		r.Held = append(r.Held, e)
	case wrapped.State == wrap.Running:
		e.Why = append(e.Why, "its wrap is not over: "+wrapped.Reason)
		e.Next = "recovery wrap-wait " + e.Short
		r.Unclear = append(r.Unclear, e)
	case s.LastSent() == nil && !reviewed && b.Look.live(e.Short):
		e.Why, e.Next = append(e.Why, "it runs now"), "message it in its thread"
		r.Live = append(r.Live, e)
	case s.LastSent() == nil && !reviewed:
		why, next := notWoken(s, e)
		e.Why, e.Next = append(e.Why, why...), next
		if b.gone(e.Short) {
			e.Why, e.Next = append(e.Why, jobGone), nextGone
		}
		r.NotWoken = append(r.NotWoken, e)
	case !reviewed || !rev.Answered:
		e.Why = append(e.Why, "its review is not answered yet")
		if rev.Waiting != "" {
			e.Why = append(e.Why, "it waits: "+rev.Waiting)
		}
		if rev.Error != "" {
			e.Why = append(e.Why, "its turn ended in an error: "+rev.Error)
		}
		e.Next = "recovery read --wait 10m " + e.Short
		r.Unclear = append(r.Unclear, b.unanswered(e))
	case rev.Unclear != "" || rev.Verdict == nil || !clean || rev.Unjudged() > 0 && rev.Verdict.Verdict == review.VerdictDone:
		e.Why = append(e.Why, unclear(rev)...)
		e.Next = "recovery read " + e.Short
		r.Unclear = append(r.Unclear, e)
	case rev.UserAfter && wrapped.State == wrap.NotSent:
		e.Why = append(e.Why, "somebody wrote in it after its review: the review may be out of date")
		e.Next = "recovery last-reply " + e.Short
		r.Unclear = append(r.Unclear, e)
	default:
		e.Why = append(e.Why, unclear(rev)...)
		if wrapped.State == wrap.NotAWrap {
			e.Why = append(e.Why, "it was asked for its wrap, and that is no real one: "+wrapped.Reason)
		}
		b.byVerdict(e, rev)
	}
}

// What is to be said of a session whose job was deleted.
const (
	jobGone  = "it has no job in this account any more: nothing more can be read of it"
	nextGone = "look at its thread, and make the inventory anew: recovery inventory"
)

func (b *builder) gone(short string) bool {
	return b.Look != nil && b.Look.Jobs != nil && b.Look.job(short) == nil
}

// unanswered says what a session without an answer waits for, where that is not the answer itself.
func (b *builder) unanswered(e Entry) Entry {
	if b.gone(e.Short) {
		e.Why, e.Next = append(e.Why, jobGone), nextGone
		return e
	}
	switch st := b.Look.standing(b.State, Standing{Short: e.Short}); st.Step {
	case StepIntended, StepSaved, StepUncertain, StepDefect:
		for _, why := range []string{st.Owed, st.WaitsFor} {
			if why != "" {
				e.Why = append(e.Why, "open: "+why)
			}
		}
		e.Next = or(st.Next, e.Next)
	}
	return e
}

// unrecorded lists the defects of a review that nobody has read yet.
func (b *builder) unrecorded(e Entry, rev *review.Review) {
	if b.Unrecorded == nil {
		return
	}
	at := b.Now
	if rev.LastAt != nil {
		at = *rev.LastAt
	}
	for _, d := range b.Unrecorded(e.Short, rev) {
		b.report.Defects = append(b.report.Defects, Defect{b.Place, journal.OpenDefect{DefectData: d, Session: e.Short, At: at}})
	}
}

// archive lists a real wrap with each piece of its evidence.
func (b *builder) archive(e Entry, rev review.Review, wrapped wrap.Status) {
	seen := "real wrap seen"
	if wrapped.WrappedAt != nil {
		seen += " at " + stamp(*wrapped.WrappedAt)
	}
	e.Why = append(e.Why, seen+": "+or(wrapped.ClosingLine, "its closing line"), readOnly(rev))
	if j := b.Look.job(e.Short); j != nil {
		e.Why = append(e.Why, "nothing is queued, and no background task is open")
		if j.SelfWake || j.Routine {
			e.Why = append(e.Why, "it wakes by itself (a routine or a timer of its own): that ends when it is archived")
		}
	}
	if f, ok := b.Facts[e.Short]; ok && f.Tail.Why != "" {
		e.Why = append(e.Why, fmt.Sprintf("its last turn is %s: %s", f.Tail.Turn, f.Tail.Why))
	}
	if e = b.folder(e); e.Folder != "" {
		e.Why = append(e.Why, "its folder: "+e.Folder)
	}
	e.Next = "archive it: your click"
	b.report.ArchiveNow = append(b.report.ArchiveNow, e)
}

func (b *builder) folder(e Entry) Entry {
	if b.Folder == nil || e.Cwd == "" {
		return e
	}
	said, known := b.folders[e.Cwd]
	if !known {
		said = b.Input.Folder(e.Cwd)
		b.folders[e.Cwd] = said
	}
	e.Folder = said
	return e
}

func (b *builder) byVerdict(e Entry, rev review.Review) {
	r := b.report
	switch rev.Verdict.Verdict {
	case review.VerdictDone:
		e = b.folder(e)
		e.Why = append(e.Why, "its review says DONE; a real wrap is still owed")
		e.Next = "pin it, send the WRAP message (recovery message wrap " + e.Short + "), then: recovery wrap-wait " + e.Short
		r.Finished = append(r.Finished, e)
	case review.VerdictOwner:
		e.Next = "read its plan, then type your go in its thread; to have it prepared for a bare go first: recovery message prep " + e.Short
		if rev.Plan {
			e.Why = append(e.Why, "its final plan is posted")
			e.Next = "read its final plan, then type your go in its thread"
		}
		r.Owners = append(r.Owners, e)
	case review.VerdictDuplicate:
		e.Next = "when its owner has what it lacks: pin it, send the WRAP message (recovery message review-wrap " + e.Short + "), then: recovery wrap-wait " + e.Short
		r.Duplicates = append(r.Duplicates, e)
	default:
		e.Next = "read its thread"
		r.Held = append(r.Held, e)
	}
}

// notWoken says why a session was not woken, and what to do.
func notWoken(s *journal.Session, e Entry) (why []string, next string) {
	if s.Refused != nil {
		return []string{"not woken: " + s.Refused.Reason}, or(s.Refused.Next, "recovery queue-check "+e.Short)
	}
	if s.Check == nil {
		return []string{"not woken: not checked yet"}, "recovery queue-check " + e.Short
	}
	why = []string{fmt.Sprintf("not woken: queue check %s (%s)", s.Check.Verdict, strings.Join(s.Check.Codes, ", "))}
	switch s.Check.Verdict {
	case "pass", "confirmed":
		return why, "recovery resume " + e.Short
	case "check":
		return why, "read its thread; when nothing was typed in it after its last turn: recovery queue-check --confirm " + e.Short
	}
	return why, "recovery queue-check " + e.Short
}

// readOnly says what a clean review did.
func readOnly(rev review.Review) string {
	denied := 0
	for _, t := range rev.Tools {
		if t.Class != audit.Read && t.Result == review.Denied {
			denied++
		}
	}
	switch {
	case len(rev.Tools) == 0:
		return "no tool call in its review"
	case denied > 0:
		return fmt.Sprintf("%s in its review, of which %d that would write or cannot be judged were denied, and the rest only read", calls(len(rev.Tools)), denied)
	}
	return calls(len(rev.Tools)) + " in its review, all only read"
}

func calls(n int) string {
	if n == 1 {
		return "1 tool call"
	}
	return fmt.Sprintf("%d tool calls", n)
}

func unclear(rev review.Review) []string {
	var why []string
	if rev.Unclear != "" {
		why = append(why, "verdict unclear: "+rev.Unclear)
	}
	for _, d := range rev.Defects {
		why = append(why, "defect "+d.Code+": "+d.Text)
	}
	if n := rev.Unjudged(); n > 0 {
		why = append(why, fmt.Sprintf("%s cannot be judged: look at them with `recovery read`", calls(n)))
	}
	return why
}

func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }
