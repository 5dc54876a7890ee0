package babysitter

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"time"

	"recovery/internal/sources"
	"recovery/internal/sources/files"
	"recovery/internal/text"
)

// judge says what continuing the run would mean, and why, in words.
func (r *run) judge(now time.Time) (sources.Verdict, string) {
	if why := r.unreadable(); why != "" {
		if r.beyond() {
			return sources.Unreadable, "it is beyond what is read here: " + why + r.lockNote()
		}
		return sources.Unreadable, "run:status ends with an error: " + why + r.lockNote()
	}
	switch r.lock.kind {
	case "live":
		return sources.Live, "a writer works on it right now: the lock is " + r.lock.text() +
			". Leave it alone; an iterate would wait ten seconds and fail."
	case "corrupt", "reused":
		if !r.finished() {
			_, why := r.calm(now)
			return sources.Person, "the lock is in the way (" + r.lock.text() +
				"), and a person has to make sure that nothing runs first. Without it: " + why
		}
	}
	verdict, why := r.calm(now)
	if verdict != sources.Safe && verdict != sources.Time || r.finished() {
		return verdict, why
	}
	switch {
	case r.bare():
		return sources.Person, "it has no process yet: run:assign-process gives it one. " + why
	case r.importPath() == "":
		return sources.Person, "its run.json names no process file, so an iterate fails. " + why
	case r.layout != "" && r.layout != layout:
		return sources.Person, "an iterate refuses its layout version " + text.Cut(r.layout, 60) + ". " + why
	case r.unattended:
		return sources.Person, "it is non-interactive: an iterate passes every breakpoint by itself, so waking it is an " +
			"approval. " + why
	case r.code == "changed":
		return sources.Person, "the process code changed since the run recorded it, so the replay may not fit the journal. " +
			why
	case r.code == "missing":
		why += "; but its process file is not there, so an iterate fails until it is"
	}
	return verdict, why + r.lockNote()
}

func (r *run) lockNote() string {
	if r.lock.kind == "none" {
		return ""
	}
	return "; the lock is " + r.lock.text()
}

// calm is the verdict when nothing but the journal counts.
func (r *run) calm(now time.Time) (sources.Verdict, string) {
	j := r.journal
	switch r.state {
	case "completed":
		why := "it is completed"
		if j.sealReason != "" {
			why = "it was sealed as completed by hand: " + text.Cut(j.sealReason, 200)
		}
		if kinds := kinds(j.pendingByKind()); kinds != "" {
			why += "; what is still pending (" + kinds + ") is never resolved in a completed run"
		}
		return sources.Done, why
	case "halted":
		return sources.Done, "it halted itself: " + text.Cut(cmp.Or(j.haltReason, "no reason is recorded"), 300)
	case "failed":
		return r.failed()
	case "waiting":
		return r.waiting(now)
	}
	verdict, why := r.begun()
	if verdict == sources.Safe {
		why += r.wake()
	}
	return verdict, why
}

func (r *run) failed() (sources.Verdict, string) {
	j := r.journal
	said := text.Cut(cmp.Or(j.errorText, "no message"), 300)
	if j.errorName != "" && j.errorName != "Error" {
		said = text.Cut(j.errorName, 60) + ": " + said
	}
	switch {
	case j.falseFailure:
		return sources.Person, "the failure is probably false: it had completed before, and then two events collided (" +
			said +
			"). Look at the output; an iterate would not help."
	case j.recoverable:
		return sources.Person, "its process stopped with an error (" + said + "), which is recoverable: mend the " +
			"process, then run:recover-process-error takes the error back"
	case j.sealReason != "":
		return sources.Done, "it was sealed as failed by hand: " + text.Cut(j.sealReason, 200)
	case j.completions > 0:
		return sources.Done, "it had completed, was run again, and failed: " + said
	}
	return sources.Done, "it failed: " + said
}

func (r *run) waiting(now time.Time) (sources.Verdict, string) {
	w := r.waits
	switch {
	case len(w.answered) > 0:
		return sources.Person, fmt.Sprintf("the result of %d pending tasks is written and not recorded in the "+
			"journal (%s): whoever wrote it was cut off. Look at tasks/<id>/result.json and post it again.", len(w.answered),
			text.Cut(some(w.answered), 200))
	case len(w.breakpoints) > 0 && r.unattended:
		return sources.Person, "a breakpoint is open and the run is non-interactive: an iterate passes the " +
			"breakpoint by itself, which is an approval"
	case len(w.breakpoints) > 0:
		return sources.Person, "it waits for a person's answer, and nothing reminds anybody; after the answer an " +
			"iterate goes on" + r.wake()
	case w.tasks > 0 && r.session == "":
		return sources.Person, "tasks were handed out (" + w.kinds + ") and no session is recorded that knows how " +
			"far they got; an iterate only lists the same tasks again"
	case w.tasks > 0 && !r.claude():
		return sources.Person, "tasks were handed out (" + w.kinds + ") to the session " + text.Cut(r.session, 80) +
			" of " + text.Cut(r.harness, 60) + ", which has to be opened again there; an iterate only lists them again"
	case w.tasks > 0:
		return sources.Safe, "tasks were handed out (" + w.kinds + ") and their session stopped before it " +
			"reported; an iterate only lists them again" + r.wake()
	case len(w.sleeps) > 0 && !w.sleeps[0].After(now):
		return sources.Safe, fmt.Sprintf("its sleep ended %s ago: ready for an iterate%s",
			text.Age(now.Sub(w.sleeps[0]), time.Hour), r.wake())
	case len(w.sleeps) > 0:
		return sources.Time, "nothing is to be done before " + w.sleeps[0].Format(time.RFC3339) +
			"; then an iterate goes on" + r.wake()
	}
	return sources.Person, "it sleeps until a time that cannot be read: run:iterate tells it, but would also go " +
		"on if the time has come"
}

// wake is the sentence about the session behind the run.
func (r *run) wake() string {
	if r.session == "" || !r.claude() {
		return ""
	}
	s := ". Waking its Claude session " + text.Cut(r.session, 80) + " continues the run, by that session's stop hook"
	if !r.sessionActive {
		s += ", if the session is bound to it again (its state file says that it is no longer active)"
	}
	return s
}

// begun tells the cases apart that run:status calls created.
func (r *run) begun() (sources.Verdict, string) {
	j := r.journal
	switch {
	case j.missing || j.files == 0:
		return sources.Person, "created: its journal is missing or empty. Its creation was cut off, or the journal " +
			"was lost; in the second case an iterate does everything again"
	case len(j.effects) == 0 && r.bare():
		return sources.Person, "created without a process: run:assign-process gives it one"
	case r.recovered():
		return sources.Safe, "created: a process error was taken back, and nothing has run since; an iterate runs " +
			"the process again"
	case j.lastResolved == "error":
		why := "created: its last task failed (" + text.Cut(cmp.Or(j.taskError, "no message"), 300) +
			") and the run was not written as failed; an iterate "
		if strings.HasPrefix(r.sdk, "0.") || r.sdk == "" {
			return sources.Person, why + "writes it as failed unless the process handles the error"
		}
		return sources.Person, why + "repeats the failure and writes nothing unless the process handles the error"
	case r.lock.kind == "stale":
		return sources.Safe, "created: cut off in the middle of an iteration; what was recorded is not done again, " +
			"code outside of tasks is"
	case len(j.effects) == 0 && j.others > 0:
		return sources.Safe, "created: an iteration began and asked for nothing before it was cut off; an iterate " +
			"begins again"
	case len(j.effects) == 0:
		return sources.Safe, "created: never started; an iterate starts it"
	}
	return sources.Safe, "created: everything it asked for is answered, ready for the next iterate"
}

// recoveredPrefix begins the name under which run:recover-process-error keeps the old journal; a time in milliseconds
// follows.
const recoveredPrefix = "journal.process-error.bak."

// recovered says that run:recover-process-error was the last thing done.
func (r *run) recovered() bool {
	entries, _, err := files.List(r.dir, maxRuns)
	if err != nil || r.journal.lastResolved == "error" {
		return false
	}
	for _, e := range entries {
		ms, ok := strings.CutPrefix(e.Name(), recoveredPrefix)
		if n, err := strconv.ParseInt(ms, 10, 64); ok && err == nil && !r.journal.lastAt.After(time.UnixMilli(n)) {
			return true
		}
	}
	return false
}
