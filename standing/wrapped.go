package standing

import (
	"cmp"
	"fmt"

	"recovery/internal/account"
	"recovery/internal/text"
	"recovery/internal/transcript"
	"recovery/queuecheck"
	"recovery/review"
	"recovery/wrap"
)

// wrapped decides for a session that was asked for its wrap.
func (j *judge) wrapped() bool {
	w := j.in.Wrap
	if last := j.in.Journal.LastSent(); last != nil && w.WrappedAt != nil && w.State != wrap.Done &&
		last.At.After(*w.WrappedAt) {
		return false // it was woken for another review since
	}
	asked := j.out.Sent || j.in.Review != nil
	switch {
	case w.State == wrap.Done:
		return j.done()
	case !asked && w.State != wrap.Running:
		// It was wrapped before this recovery: what a review would find is not known, so it may be woken for one.
		j.before()
	case w.State == wrap.Held:
		j.why("it wrapped and is held: %s", w.ClosingLine)
		j.waits("you: it wrapped and is held")
		j.remarks()
		return j.at(WrapHeld, Do("read its thread").At(j.subject.Link))
	case w.WentOn, w.ReopenedBy != "" && w.WrappedAt != nil:
		return j.wentOn()
	case w.State == wrap.Running:
		j.why("its wrap is not over: %s", w.Reason)
		if j.out.Live == account.Offline {
			j.waits("you: it went offline before its wrap was over")
			return j.at(Wrapping, j.byWake("resume", "--again"))
		}
		j.owed("its wrap: %s", w.Reason)
		return j.at(Wrapping, Run("wrap-wait", j.in.Short))
	case w.State == wrap.NotAWrap:
		j.why("it was asked for its wrap, and that is no real one: %s", w.Reason)
	}
	return false
}

// before says what an earlier wrap has come to in a session that was never reviewed.
func (j *judge) before() {
	w := j.in.Wrap
	switch {
	case w.State == wrap.Held:
		j.why("it wrapped and is held: %s", w.ClosingLine)
	case w.WentOn:
		j.why("wrapped%s, then went on: a %s wrote in it and was answered", wrappedAt(w), w.ReopenedBy)
	case w.State == wrap.NotAWrap:
		j.why("it was asked for its wrap, and that is no real one: %s", w.Reason)
	}
}

// wentOn is a session that had wrapped and in which somebody wrote afterwards.
func (j *judge) wentOn() bool {
	w := j.in.Wrap
	at := wrappedAt(w)
	switch {
	case w.State == wrap.NotAWrap:
		j.why("wrapped%s, then went on: a %s wrote in it and was answered", at, w.ReopenedBy)
	case w.WentOn:
		j.why("wrapped%s, then went on: somebody wrote in it and was answered; now: %s", at, w.Reason)
	default:
		j.why("wrapped%s, then reopened by a %s, which has no answer yet", at, w.ReopenedBy)
	}
	if w.WentOn {
		j.waits("you: it wrapped%s, then went on", at)
	} else {
		j.waits("you: it wrapped%s and was reopened by a %s", at, w.ReopenedBy)
	}
	j.remarks()
	return j.at(WentOn, Do("read what was said in it since").At(j.subject.Link).Then("last-reply", j.in.Short))
}

// wrappedAt says when it wrapped; empty when its line has no time.
func wrappedAt(w wrap.Status) string {
	if w.WrappedAt == nil {
		return ""
	}
	return " at " + stamp(*w.WrappedAt)
}

// done is a real wrap. It says that the session may be archived; whatever else is known has to agree.
func (j *judge) done() bool {
	w := j.in.Wrap
	j.why("real wrap seen%s: %s", wrappedAt(w), cmp.Or(w.ClosingLine, "its closing line"))
	against := j.against()
	if len(against) > 0 {
		j.out.Why = append(against, j.out.Why...)
		j.waits("you to look: it wrapped, and %s", against[0])
		next := archiveIt(j.subject.Link)
		next.Do = "look at what is listed here, then archive it: your click"
		if j.in.Review != nil {
			next = next.Then("read", j.in.Short)
			next.Do = "look at what is listed here before you archive it"
		}
		return j.at(LookFirst, next)
	}
	if j.in.Review == nil {
		j.why("no review of it was read: its calls were not checked")
	}
	if c := j.in.Check; c != nil {
		where := "its thread itself was not looked at"
		if hasReason(c, "events") {
			where = "nothing of a person stands in the saved pages of its events"
		}
		j.why("nothing is queued in its state and its transcript, and no background task is open; %s", where)
	}
	if f := j.in.Facts; f != nil && (f.Job.SelfWake || f.Job.Routine) {
		j.why("it wakes by itself (a routine or a timer of its own): that ends when it is archived")
	}
	return j.at(ArchiveNow, archiveIt(j.subject.Link))
}

// waitCodes are the reasons of the queue check that speak against an archive: something waits in the session, goes
// on, or cannot be read.
var waitCodes = map[string]bool{
	"in-flight-queue": true, "background-tasks": true, "background": true, "job-unreadable": true,
	"transcript-problem":    true,
	"transcript-unreadable": true, "events-unreadable": true, "bad-lines": true,
}

// against is what speaks against archiving a session that wrapped, the worst first.
func (j *judge) against() []string {
	out := append([]string{}, j.out.Typed...)
	if c := j.in.Check; c != nil {
		for _, r := range c.Reasons {
			if waitCodes[r.Code] {
				out = append(out, "something goes on, waits or is damaged in it: "+r.Text)
			}
		}
	}
	out = append(out, j.busy()...)
	out = append(out, j.unsettled()...)
	if f := j.in.Facts; f != nil {
		out = append(out, j.unreadable()...)
	}
	if j.in.ReviewErr != nil {
		return append(out, "what it did in its review cannot be read: "+j.in.ReviewErr.Error())
	}
	if r := j.in.Review; r != nil {
		if !r.Answered {
			out = append(out, "its review was not read to an end: what it did was not checked")
		}
		out = append(out, doubts(r)...)
	}
	return out
}

// busy is what the job itself says of work and messages, where no queue check was worked out.
func (j *judge) busy() []string {
	f := j.in.Facts
	if f == nil || j.in.Check != nil {
		return nil
	}
	var out []string
	if n := f.Job.InFlightTasks; n > 0 {
		out = append(out, fmt.Sprintf("something goes on in it: background tasks: %d", n))
	}
	if n := f.Job.InFlightQueue; n > 0 {
		out = append(out, fmt.Sprintf("something waits in it: queued messages: %d", n))
	}
	if f.Job.Problem != "" {
		out = append(out, "state.json "+f.Job.Problem)
	}
	return out
}

// unsettled is what the last verdict names and no later message of the user settled.
func (j *judge) unsettled() []string {
	r := j.in.Review
	if r == nil || r.Verdict == nil || r.Settled {
		return nil
	}
	v := r.Verdict
	var out []string
	add := func(what, value string) {
		if value != "" {
			out = append(out, what+": "+value)
		}
	}
	add("its review says that money is at risk", v.MoneyAtRisk)
	add("its review says that a person waits", v.PersonWaiting)
	add("its review lists open items", joined(v.Open))
	// A duplicate names its owner there: to archive it is what settles that.
	if v.Verdict != review.VerdictDuplicate {
		add("its review says that it would act twice with", joined(v.ActsTwiceWith))
	}
	if len(out) == 0 && (v.Verdict == review.VerdictOwner || v.Verdict == review.VerdictHeld) {
		out = append(out, "its review says "+v.Verdict+", and nobody wrote in it since")
	}
	return out
}

// unreadable says why its last reply cannot be relied on.
func (j *judge) unreadable() []string {
	f := j.in.Facts
	switch {
	case f.Problem != "":
		return []string{"its transcript cannot be relied on: " + f.Problem}
	case f.Tail.Turn != transcript.Complete:
		return []string{fmt.Sprintf("its last turn is %s: %s", f.Tail.Turn, f.Tail.Why)}
	case f.Tail.Reply == "":
		return []string{"its last reply cannot be read"}
	}
	return nil
}

// doubts are what an answered review leaves to be looked at.
func doubts(r *review.Review) []string {
	var why []string
	if r.Unclear != "" {
		why = append(why, "verdict unclear: "+r.Unclear)
	}
	for _, d := range r.Defects {
		why = append(why, "defect "+d.Code+": "+d.Text)
	}
	if said := r.Acted(); said != "" {
		why = append(why, said)
	}
	if n := r.Unjudged(); n > 0 {
		why = append(why, fmt.Sprintf("%s cannot be judged: look at them with `recovery read`", text.Plural(n, "tool call")))
	}
	return why
}

// remarks adds what its review leaves to be looked at.
func (j *judge) remarks() {
	if r := j.in.Review; r != nil {
		j.out.Why = append(j.out.Why, doubts(r)...)
	}
}

// passes says that the queue check lets it be woken now.
func passes(c *queuecheck.Result) bool {
	return c != nil && (c.Verdict == queuecheck.Pass || c.Verdict == queuecheck.Confirmed)
}
