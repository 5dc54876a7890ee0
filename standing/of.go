package standing

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"recovery/internal/account"
	"recovery/internal/journal"
	"recovery/internal/text"
	"recovery/inventory"
	"recovery/queuecheck"
	"recovery/wrap"
)

// judge makes one standing.
type judge struct {
	in  Input
	out Standing
	// subject is the session as a way out names it.
	subject Subject
	// looks says that its answered review decided: what it did behind the reply comes before what the reply asks for.
	looks bool
}

// Of says where a session stands. It is a pure function: the first of its questions that has an answer decides.
func Of(in Input) Standing {
	if in.Journal == nil {
		in.Journal = &journal.Session{Short: in.Short}
	}
	if in.Wrap.State == "" {
		in.Wrap.State = wrap.NotSent
	}
	j := &judge{in: in, out: Standing{Short: in.Short, Why: []string{}, Typed: []string{}, Review: in.Review,
		Wrap: in.Wrap, Check: in.Check}}
	j.known()
	j.typed()
	for _, decide := range []func() bool{
		j.archived, j.gone, j.defect, j.intended, j.sent, j.wrapped, j.reviewed, j.untouched,
	} {
		if decide() {
			break
		}
	}
	j.acted()
	j.goesOn()
	j.lead()
	return j.out
}

// known fills what is true wherever the session stands.
func (j *judge) known() {
	s := j.in.Journal
	j.subject = Subject{Short: j.in.Short}
	if f := j.in.Facts; f != nil {
		j.out.Live, j.out.Pinned = f.Live.State, f.Job.Pinned
		j.subject.Link, j.subject.Folder = f.Link(), f.Folder
	}
	if last := s.LastSent(); last != nil {
		j.out.Sent, j.out.Since = true, last.ResultAt
		if last.Open() {
			j.out.Since = last.At
		}
		if j.in.Facts == nil {
			j.subject.Link = last.Link
		}
	}
	j.out.Link, j.out.Folder = j.subject.Link, j.subject.Folder
	j.out.Checked = s.Check != nil
	if s.Refused != nil {
		j.out.Refused = s.Refused.Reason
	}
}

// typed collects what was written in the session and not answered, whoever saw it.
func (j *judge) typed() {
	add := func(format string, args ...any) { j.out.Typed = append(j.out.Typed, fmt.Sprintf(format, args...)) }
	pending := func(list []string) {
		for _, t := range list {
			if t == "" {
				t = "(its text was not recorded)"
			}
			add("typed and never answered: %s", text.Clip(t, 300))
		}
	}
	if c := j.in.Check; c != nil {
		pending(c.Pending)
		for _, r := range c.Reasons {
			if r.Code == "queued-prompt" || r.Code == "queued-remotely" {
				add("%s", r.Text)
			}
		}
		return
	}
	if c := j.in.Journal.Check; c != nil {
		pending(c.Pending)
	}
	if f := j.in.Facts; f != nil && f.Job.Queued && f.Job.QueuedPrompt != j.in.Journal.SavedPrompt() {
		add("a message waits for its next start: %q", text.Clip(f.Job.QueuedPrompt, 300))
	}
}

// acted tells, with whatever is owed or waits, that the session went on acting after its review.
func (j *judge) acted() {
	if j.in.Review == nil || j.out.Place == Archived || j.out.Place == Gone {
		return
	}
	said := j.in.Review.Acted()
	if said == "" {
		return
	}
	if !slices.Contains(j.out.Why, said) {
		j.why("%s", said)
	}
	switch {
	case j.looks && j.out.WaitsFor != "":
		j.waits("you to look: %s; %s", said, j.out.WaitsFor)
	case j.out.WaitsFor != "":
		j.out.WaitsFor += "; " + said
	case j.out.Owed != "":
		j.out.Owed += "; " + said
	}
}

// goesOnCodes are the reasons of the queue check that name work besides the conversation: it runs, or a wake starts
// it again.
var goesOnCodes = map[string]bool{"background": true, "background-tasks": true}

// goesOn tells such work in every command, wherever the session stands: a review that says DONE does not end it.
func (j *judge) goesOn() {
	if j.in.Check == nil || j.out.Place == Archived || j.out.Place == Gone {
		return
	}
	for _, r := range j.in.Check.Reasons {
		told := func(why string) bool { return strings.Contains(why, r.Text) }
		if goesOnCodes[r.Code] && !slices.ContainsFunc(j.out.Why, told) {
			j.why("%s", r.Text)
		}
	}
}

// lead puts what somebody wrote in front of everything else: it waits for the user wherever the session stands.
func (j *judge) lead() {
	if len(j.out.Typed) == 0 || j.out.Place == Archived || j.out.Place == LookFirst {
		return
	}
	rest := slices.DeleteFunc(j.out.Why, func(w string) bool { return slices.Contains(j.out.Typed, w) })
	j.out.Why = append(slices.Clone(j.out.Typed), rest...)
	if j.out.WaitsFor == "" {
		j.out.WaitsFor = "you: somebody wrote in it and was not answered"
	}
}

func (j *judge) why(format string, args ...any) {
	j.out.Why = append(j.out.Why, fmt.Sprintf(format, args...))
}

// at decides the place, with what is owed or waits and what is next.
func (j *judge) at(p Place, next Next) bool {
	j.out.Place, j.out.Next = p, next
	return true
}

func (j *judge) owed(format string, args ...any) { j.out.Owed = fmt.Sprintf(format, args...) }

func (j *judge) waits(format string, args ...any) { j.out.WaitsFor = fmt.Sprintf(format, args...) }

// byWake is the way to one more wake of the session: what stands against it first, as the queue check says now.
func (j *judge) byWake(args ...string) Next {
	s := j.subject
	s.Wake = append(append([]string{}, args...), s.Short)
	if j.in.Check == nil {
		return Run(s.wake()...)
	}
	r := afterReview(*j.in.Check)
	next := ForResult(r, s)
	if r.Verdict != queuecheck.Check {
		return next
	}
	// What lifts the check is a step on the way, and the wake stays the aim.
	if slices.Contains(next.Run, "--confirm") {
		next.Do += ", confirm it"
	}
	next.Do += fmt.Sprintf(" (%s)", strings.Join(next.Run, " "))
	return next.Then(s.Wake...)
}

// afterReview leaves out of a verdict that the session was reviewed: a wake with --again, and a prep, go behind a
// review.
func afterReview(r queuecheck.Result) queuecheck.Result {
	if r.OnlyReviewed() {
		switch {
		case len(r.Open) == 0:
			r.Verdict = queuecheck.Pass
		case r.Lifted:
			r.Verdict = queuecheck.Confirmed
		default:
			r.Verdict = queuecheck.Check
		}
	}
	r.Reasons = slices.DeleteFunc(slices.Clone(r.Reasons), func(x queuecheck.Reason) bool { return x.Code == "reviewed" })
	return r
}

func (j *judge) archived() bool {
	f := j.in.Facts
	// Without a queue check, a mark from before the inventory that lists the session says nothing.
	archived := j.in.Page == string(inventory.PageArchived) ||
		f != nil && f.Job.Archived && (!j.in.Listed || f.Job.UpdatedAt.After(j.in.TakenAt))
	if j.in.Check != nil {
		archived = hasReason(j.in.Check, "archived")
	}
	if !archived {
		return false
	}
	if j.out.Live == account.Live {
		return false
	}
	j.why("it is archived")
	return j.at(Archived, ForReason("archived", j.subject))
}

func (j *judge) gone() bool {
	if !j.in.Seen || j.in.Facts != nil {
		return false
	}
	j.why("it has no job in this account any more: nothing more can be read of it")
	if w := j.in.Journal.Wrap; j.out.Sent && (w == nil || w.State != string(wrap.Done)) {
		j.waits("you to look: its job is gone")
	}
	return j.at(Gone, ForReason("job-gone", j.subject))
}

// defect comes before everything that the session says of itself, until the user closes it by name.
func (j *judge) defect() bool {
	if len(j.in.Defects) == 0 {
		return false
	}
	for _, d := range j.in.Defects {
		j.why("defect %s: %s", d.Code, d.Text)
	}
	// What it did besides reading hides nothing of how its review stands.
	if r := j.in.Review; r != nil && !r.Answered {
		j.standsAt()
	}
	d := j.in.Defects[0]
	j.waits("you to look: %s", d.Text)
	return j.at(HasDefect, ForDefect(j.in.Short, j.subject.Link, d))
}

// ForDefect is what the user does about an open defect: look, stop what acts, and close it by name.
func ForDefect(short, link string, d journal.DefectData) Next {
	do := cmp.Or(d.Do, d.Next, "stop it if it acts: claude stop "+short)
	return Do("%s; see what it did (read and audit show it); when it is settled, close it by name",
		do).At(link).Then(journal.AckArgs(short)...)
}

// intended is a prompt of which nobody knows yet what became of it: the next run settles it from the evidence.
func (j *judge) intended() bool {
	w := j.in.Journal.OpenWake()
	if w == nil {
		return false
	}
	j.out.Since = w.At
	j.owed("its open intention is settled by the next run")
	j.why("open: %s", j.out.Owed)
	args := []string{"resume"}
	if w.IsPrep() {
		args = append(args, "--prompt", "prep")
	}
	return j.at(Intended, Run(append(args, j.in.Short)...))
}

func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }

func joined(list []string) string { return strings.Join(list, "; ") }
