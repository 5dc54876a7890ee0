package report

import (
	"fmt"

	"recovery/internal/audit"
	"recovery/internal/journal"
	"recovery/internal/text"
	"recovery/inventory"
	"recovery/review"
	"recovery/standing"
	"recovery/wrap"
)

// listOf is the list of each place that a report lists.
var listOf = map[standing.Place]string{
	standing.ArchiveNow: "archive_now", standing.LookFirst: "wrapped_look_first", standing.Owner: "owners",
	standing.OwnerPlanned: "owners",
	standing.Finished:     "finished", standing.Held: "held", standing.WrapHeld: "held", standing.Duplicate: "duplicates",
	standing.HasDefect: "unclear", standing.WentOn: "unclear", standing.Wrapping: "unclear", standing.Unclear: "unclear",
	standing.OutOfDate: "unclear", standing.Waiting: "unclear", standing.Error: "unclear", standing.Died: "unclear",
	standing.Unanswered: "unclear", standing.Intended: "unclear", standing.Saved: "unclear", standing.Uncertain: "unclear",
	standing.Gone: "not_woken", standing.NotSent: "not_woken", standing.Pass: "not_woken", standing.Confirmed: "not_woken",
	standing.Check: "not_woken", standing.Blocked: "not_woken", standing.Listed: "not_woken", standing.Live: "live",
}

// list is the report's list for a standing. A session that was woken is never among those that were not.
func (r *Report) list(st standing.Standing) *[]Entry {
	name := listOf[st.Place]
	if st.Place == standing.Gone && st.Sent {
		name = "unclear"
	}
	for _, l := range r.lists() {
		if l.Name == name {
			return l.Entries
		}
	}
	return &r.Unclear
}

// add puts a session into the one list that it belongs to, with why and what to do next.
func (b *builder) add(e Entry, it *inventory.Item) {
	st := b.Standing(e.Short)
	b.listed[e.Short] = true
	if st.Place == standing.Archived {
		if it != nil {
			b.archived++
		}
		return
	}
	e = b.prepared(e, it)
	e.stands(st)
	b.unrecorded(e, st)
	if len(st.Typed) > 0 {
		typed := e
		typed.Why = append([]string{}, st.Typed...)
		b.report.Typed = append(b.report.Typed, typed)
	}
	if st.Wrap.State == wrap.Done || st.Wrap.State == wrap.Held {
		if f, ok := b.Facts[e.Short]; ok {
			b.wraps = append(b.wraps, wrapOf{e, b.repo(f.Folder), f.Tail.Reply})
		}
	}
	switch st.Place {
	case standing.ArchiveNow, standing.LookFirst:
		e = b.folder(e)
		if st.Review != nil {
			e.Why = append(e.Why, readOnly(*st.Review))
		}
		if e.Folder != "" {
			e.Why = append(e.Why, "its folder: "+e.Folder)
		}
	case standing.Finished:
		e = b.folder(e)
	}
	list := b.report.list(st)
	*list = append(*list, e)
}

// stands fills an entry with where its session stands.
func (e *Entry) stands(st standing.Standing) {
	e.Standing, e.Live, e.Pinned = st.Place, string(st.Live), st.Pinned
	e.Why = append(e.Why, st.Why...)
	e.Next, e.Step = st.Next.String(), st.Next
	if r := st.Review; r != nil {
		e.Verdict, e.Review = r.Verdict, r
	}
}

// unrecorded lists the defects of a review that nobody has read yet.
func (b *builder) unrecorded(e Entry, st standing.Standing) {
	if b.Unrecorded == nil || st.Review == nil {
		return
	}
	at := b.Now
	if st.Review.LastAt != nil {
		at = *st.Review.LastAt
	}
	for _, d := range b.Unrecorded(e.Short) {
		b.report.Defects = append(b.report.Defects, Defect{b.Place, journal.OpenDefect{DefectData: d, Session: e.Short,
			At: at}})
	}
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

// readOnly says what a review did.
func readOnly(rev review.Review) string {
	denied := 0
	for _, t := range rev.Tools {
		if t.Class != audit.Read && t.Result == review.Denied {
			denied++
		}
	}
	switch {
	case rev.Writes() > 0:
		return fmt.Sprintf("%s in its review, of which %d wrote", text.Plural(len(rev.Tools), "tool call"), rev.Writes())
	case rev.Unjudged() > 0:
		return fmt.Sprintf("%s in its review, of which %d cannot be judged", text.Plural(len(rev.Tools), "tool call"),
			rev.Unjudged())
	case !rev.Answered:
		return text.Plural(len(rev.Tools), "tool call") + " in its review, which has no end"
	case len(rev.Tools) == 0:
		return "no tool call in its review"
	case denied > 0:
		return fmt.Sprintf("%s in its review, of which %d that would write or cannot be judged were denied, and the rest "+
			"only read",
			text.Plural(len(rev.Tools), "tool call"), denied)
	}
	return text.Plural(len(rev.Tools), "tool call") + " in its review, all only read"
}

// state is how an entry's session runs, in words; empty when nobody looked.
func (e Entry) state() string {
	words := text.Line(e.Live)
	if words != "" && e.Pinned {
		words += ", pinned"
	}
	return words
}
