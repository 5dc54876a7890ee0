package standing

import (
	"slices"

	"recovery/internal/journal"
	"recovery/internal/text"
	"recovery/queuecheck"
)

// Subject is the session that a way out is written for.
type Subject struct {
	Short string
	// Link is its thread; empty for a plain session.
	Link string
	// Folder is where it works; empty when that is not known.
	Folder string
	// DefaultCwd is the --default-cwd that was typed; empty for none.
	DefaultCwd string
	// Defect is its first open defect; nil when it is not known.
	Defect *journal.DefectData
	// Wake are the arguments that wake it as they were typed, such as resume --prompt prep SHORT; empty for a plain
	// resume.
	Wake []string
}

// wake are the arguments that wake the session again.
func (s Subject) wake() []string {
	if len(s.Wake) > 0 {
		return s.Wake
	}
	return []string{"resume", s.Short}
}

// trust are the arguments that accept the folder that it would be woken in.
func (s Subject) trust() []string {
	if s.DefaultCwd != "" {
		return []string{"trust", "--default-cwd", s.DefaultCwd, s.Short}
	}
	return []string{"trust", s.Short}
}

// confirm offers a confirmation with the conditions that it stands for.
func (s Subject) confirm(extras ...string) Next {
	condition := "read its thread; when nothing was typed in it after its last turn"
	for _, extra := range extras {
		if extra != "" {
			condition += ", and " + extra
		}
	}
	return Do("%s", condition).At(s.Link).Then("queue-check", "--confirm", s.Short)
}

// saveEvents makes the saved pages of its events anew.
func (s Subject) saveEvents() Next {
	return Do("save the pages of its events again, whole").At(s.Link).Then("queue-check", "--events", s.Short+"=FILE",
		s.Short)
}

// ForReason is the way out of one reason of the queue check. A code that is not known leads to the session's story:
// it never offers a confirmation.
func ForReason(code string, s Subject) Next {
	if n, ok := forBlock(code, s); ok {
		return n
	}
	if extra, ok := lookable[code]; ok {
		return s.confirm(extra)
	}
	switch code {
	case "evidence-old":
		return Do("save the page of sessions again").Then("inventory", "FILE")
	case "events-incomplete", "events-unclear", "events-too-early":
		return s.saveEvents()
	case "own-prompt-saved":
		return Run("resume", "--nudge", s.Short)
	case "confirmed", "events", "retirement-stamp", "live-then":
		return Run(s.wake()...)
	}
	return Do("look at its story").Then("why", s.Short)
}

// lookable are the reasons that a look of the user can lift, each with what has to be seen besides the thread.
var lookable = map[string]string{
	"gap": "", "stale-stamp": "", "no-remote-time": "", "no-local-time": "", "confirmation-ended": "",
	"casualty":                "you know what its last call may have done",
	"bad-lines":               "the lines that its transcript has lost hid no message",
	"typed-not-answered":      "what was typed and never answered may stay unanswered",
	"self-wake":               "what it does when it wakes by itself may happen",
	"routine":                 "what its routine does may happen",
	"session-cron":            "what its schedule does may happen",
	"background-tasks":        "its background tasks may go on",
	"background":              "the background work that a wake would start again may go on",
	"babysitter-run":          "the Babysitter run that is bound to it may go on",
	"skips-permission-checks": "its review may run without any permission check",
	"open-branch":             "you know what the open call of its other branch may have done",
	"ends-early":              "its transcript holds all that was said in it",
	"shared-thread":           "no other session of its thread is woken",
	"repeated-lines":          "you know how its last turn ended",
}

// forBlock is the way out of a reason that no confirmation lifts.
func forBlock(code string, s Subject) (Next, bool) {
	switch code {
	case "live":
		return Do("message it in its thread").At(s.Link), true
	case "liveness-unknown":
		return Do("see what runs: it has to be known to be offline").Then("why", s.Short), true
	case "connected":
		return Do("message it in its thread; when it is offline by now, save the page of sessions again").At(s.Link).
			Then("inventory", "FILE"), true
	case "thread-awake":
		return Do("go on in the session of its thread that runs, or stop that one first").At(s.Link).Then("queue-check",
			s.Short), true
	case "archived":
		return Do("leave it, or take it out of the archive and save the page of sessions again").At(s.Link).
			Then("inventory", "FILE"), true
	case "finished":
		return archiveIt(s.Link), true
	case "job-gone":
		return Do("look at its thread, and make the inventory again").At(s.Link).Then("inventory"), true
	case "job-unreadable":
		return Do("go on in its thread by hand, or repair jobs/%s/state.json while the supervisor is stopped",
			s.Short).At(s.Link).
			Then("queue-check", s.Short), true
	case "exec-job":
		return Do("leave it: an exec job holds no conversation"), true
	case "own-session":
		return Do("leave it: recovery runs inside this session"), true
	case "folder-gone":
		return s.makeFolder(), true
	case "folder-unreadable":
		return Do("give this user access to its folder %s", text.ShellWord(s.Folder)).Then(s.wake()...), true
	case "untrusted":
		return Run(s.trust()...), true
	}
	return forConversation(code, s)
}

// forConversation is the way out where the conversation itself, or what waits in it, is in the way.
func forConversation(code string, s Subject) (Next, bool) {
	switch code {
	case "queued-prompt":
		return Do("decide on the message that waits in it: it runs when the session is started by hand (claude attach "+
			"%s); if it must not "+
			"run, leave the session alone", s.Short).At(s.Link).Then("queue-check", s.Short), true
	case "in-flight-queue":
		return Do("attach to it (claude attach %s) and see what waits in its own queue", s.Short).At(s.Link).Then(
			"queue-check", s.Short), true
	case "queued-remotely":
		return Do("a person's message waits in its thread: it is answered when the session is started by hand (claude "+
			"attach %s)", s.Short).
			At(s.Link).Then("queue-check", s.Short), true
	case "no-transcript", "turn-empty":
		return Do("leave it: there is no conversation to wake; look where it may have gone").Then("why", s.Short), true
	case "turn-unknown", "transcript-problem", "transcript-unreadable":
		return Do("go on in its thread by hand: its transcript is damaged and a wake would not know its end").At(s.Link).
			Then("last-reply", s.Short), true
	case "events-unreadable":
		return s.saveEvents(), true
	case "continued-in":
		return Do("go on in the session that has the conversation now").Then("why", s.Short), true
	case "defect-open":
		if s.Defect == nil {
			return ForDefect(s.Short, s.Link, journal.DefectData{}), true
		}
		return ForDefect(s.Short, s.Link, *s.Defect), true
	case "reviewed":
		return Run("read", s.Short), true
	case "not-settled":
		return Run("read", "--wait", "10m", s.Short), true
	}
	return Next{}, false
}

func (s Subject) makeFolder() Next {
	if s.Folder == "" {
		return Do("make its folder again").Then(s.wake()...)
	}
	return Do("make the folder again: mkdir -p %s", text.ShellWord(s.Folder)).Then(s.wake()...)
}

// archiveIt is the end of a session: the user's own click.
func archiveIt(link string) Next { return Do("archive it: your click").At(link) }

// ForResult is the way out of a whole verdict: of its first reason that no confirmation lifts, else the one
// confirmation with the condition of every open reason, else the wake.
func ForResult(r queuecheck.Result, s Subject) Next {
	switch r.Verdict {
	case queuecheck.Pass, queuecheck.Confirmed:
		if slices.ContainsFunc(r.Reasons, func(x queuecheck.Reason) bool { return x.Code == "own-prompt-saved" }) {
			return ForReason("own-prompt-saved", s)
		}
		return Run(s.wake()...)
	case queuecheck.Blocked:
		for _, x := range r.Reasons {
			if n, ok := forBlock(x.Code, s); ok {
				return n
			}
		}
		return Do("look at its story").Then("why", s.Short)
	}
	return forCheck(r, s)
}

// forCheck is the way out of a verdict that wants a look. Evidence that is only old is saved again.
func forCheck(r queuecheck.Result, s Subject) Next {
	var extras []string
	looks := false
	for _, code := range r.Open {
		extra, ok := lookable[code]
		looks = looks || ok
		if extra != "" && !slices.Contains(extras, extra) {
			extras = append(extras, extra)
		}
	}
	if !looks && len(r.Open) > 0 {
		return ForReason(r.Open[0], s)
	}
	return s.confirm(extras...)
}
