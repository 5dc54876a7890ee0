//go:build e2e

package e2e

import (
	"strings"
	"testing"
	"time"
)

// reviewReply is a good answer to a review prompt: Markdown, and the verdict block at its end.
const reviewReply = "### Item\nTicket 4711.\n\n### Finished work\nThe importer was fixed.\n\n### Open\n- deploy it\n\n" +
	"### If the user says go\nIt deploys.\n\n### Flags\nnone\n\n### Recommend\nSay go.\n\n" +
	"```yaml\nverdict: OWNER\nitem: \"ticket 4711\"\nopen:\n  - \"deploy it\"\ngo: \"deploys the importer\"\n" +
	"money_at_risk: none\n" +
	"person_waiting: none\nacts_twice_with: []\nrecommend: \"say go\"\n```\n"

// TestPipeline takes one account from a backlog of stopped sessions to reviews and a wrap. The parts share the
// account, so that what one leaves behind is there for the next, as it is for a user.
func TestPipeline(t *testing.T) {
	s := newSandbox(t)
	s.rule(t, rule{Match: "RECOVERY REVIEW v1", Reply: reviewReply})
	begin := time.Now()
	var three []*session
	t.Run("three are woken in place", func(t *testing.T) { three = wokenInPlace(t, s) })
	t.Run("a live one is refused", func(t *testing.T) {
		if len(three) == 0 {
			t.Skip("there is no live session: the part before this one failed")
		}
		liveRefused(t, s, three[0])
	})
	for _, x := range three {
		x.stop(t)
	}
	t.Run("an offline owner is asked for its plan", func(t *testing.T) {
		if len(three) == 0 {
			t.Skip("there is no owner: the part before this one failed")
		}
		prepDelivered(t, s, three[1])
	})
	t.Run("a queued approval blocks", func(t *testing.T) { queuedRefused(t, s) })
	t.Run("an untrusted folder is found before the call", func(t *testing.T) { untrustedFound(t, s) })
	t.Run("the client refuses for trust and a nudge wakes", func(t *testing.T) { untrustedSaved(t, s) })
	t.Run("a missing transcript blocks", func(t *testing.T) { transcriptMissing(t, s) })
	t.Run("killed after the call it does not send twice", func(t *testing.T) { killedAfterCall(t, s) })
	t.Run("killed after the call and answered meanwhile", func(t *testing.T) { killedLongAgo(t, s) })
	t.Run("a real wrap is seen", func(t *testing.T) { wrapSeen(t, s) })
	t.Run("a review that writes is caught", func(t *testing.T) { writeCaught(t, s) })
	t.Run("nothing was copied", func(t *testing.T) { s.noCopies(t) })
	// What was done on purpose from here on is a copy: only the one that the test asked for may be there at the end.
	t.Run("a copy is caught", func(t *testing.T) { copyCaught(t, s) })
	t.Run("a copy behind a kill is caught", func(t *testing.T) { copyBehindKill(t, s) })
	t.Run("nothing else was copied", func(t *testing.T) { s.noCopies(t) })
	t.Logf("%d sessions in %s", len(s.made), time.Since(begin).Round(time.Second))
}

func wokenInPlace(t *testing.T, s *sandbox) []*session {
	three := []*session{s.offline(t, s.work, "importer"), s.offline(t, s.work, "invoices"), s.offline(t, s.work, "mailer")}
	var shorts []string
	for i, x := range three {
		shorts = append(shorts, x.short)
		x.setState(t, "bridgeSessionId", bridgeID(i))
	}

	listed := s.recovery0(t, "inventory")
	for _, x := range three {
		row := item(t, listed, x.short)
		want(t, x.name, row, map[string]string{"session_id": x.id, "live": "offline", "turn": "complete", "title": x.name,
			"cwd": x.cwd, "ended.cause": "stopped"})
	}
	checked := s.recoveryJSON(t, 3, "queue-check")
	for _, x := range three {
		want(t, x.name+" without pages", item(t, checked, x.short), map[string]string{"verdict": "check"})
	}

	// With the pages of one session's events there is proof that nothing waits in its thread.
	page := s.savePage(t, "sessions.json", sessionsPage(three))
	s.recovery0(t, "inventory", "--sessions", page)
	proven := three[2]
	events := s.savePage(t, "events.json", eventsPage(proven))
	passed := s.recovery0(t, "queue-check", proven.short, "--events", proven.short+"="+events)
	want(t, "with events", item(t, passed, proven.short), map[string]string{"verdict": "pass", "reasons.0.code": "events"})
	confirmed := s.recovery0(t, "queue-check", "--confirm", shorts[0], "--confirm", shorts[1])
	for _, x := range three[:2] {
		want(t, x.name+" confirmed", item(t, confirmed, x.short), map[string]string{"verdict": "confirmed"})
	}

	before := len(s.jobs(t))
	r := s.recover(append([]string{"resume", "--json", "--spacing", "1", "--wait", "90s"}, shorts...)...)
	res := parse(t, r, 0)
	t.Logf("resume of three: %s; %s", r.took.Round(10*time.Millisecond), s.wakeTimes(t, three))
	if now := len(s.jobs(t)); now != before {
		t.Errorf("there were %d job folders before the wake and are %d after it", before, now)
	}
	for _, x := range three {
		row := item(t, res, x.short)
		want(t, x.name, row, map[string]string{"outcome": "woken", "session_id": x.id, "prompt_saved": "false",
			"review.answered":        "true",
			"review.verdict.verdict": "OWNER", "review.verdict.item": "ticket 4711", "review.defects.#": "0"})
		if got := x.state("sessionId").Str; got != x.id {
			t.Errorf("%s: its job's session id is %s now and was %s", x.name, got, x.id)
		}
		x.onePrompt(t, s.promptID(t, x.short))
	}
	s.noCopies(t)
	read := s.recovery0(t, "read", shorts[0])
	want(t, "read", item(t, read, shorts[0]), map[string]string{"answered": "true", "verdict.verdict": "OWNER"})
	return three
}

func liveRefused(t *testing.T, s *sandbox, x *session) {
	jobs, lines := s.jobs(t), len(x.prompts())
	r := s.recover("resume", "--json", x.short)
	res := parse(t, r, 3)
	want(t, "a live session", item(t, res, x.short), map[string]string{"outcome": "refused"})
	has(t, "its reason", item(t, res, x.short).Get("reason").Str, "it is live")
	unchanged(t, s, x, jobs, lines)
	t.Logf("refused in %s: %s", r.took.Round(10*time.Millisecond), item(t, res, x.short).Get("reason").Str)
}

func queuedRefused(t *testing.T, s *sandbox) {
	x := s.offline(t, s.work, "queued")
	s.ready(t, x)
	x.setState(t, "queuedPrompt", "yes, go ahead")
	jobs, lines := s.jobs(t), len(x.prompts())
	checked := s.recoveryJSON(t, 3, "queue-check", x.short)
	want(t, "queue check", item(t, checked, x.short), map[string]string{"verdict": "blocked",
		"reasons.0.code": "queued-prompt"})
	res := s.recoveryJSON(t, 3, "resume", x.short)
	want(t, "a queued approval", item(t, res, x.short), map[string]string{"outcome": "refused"})
	reason := item(t, res, x.short).Get("reason").Str
	has(t, "its reason", reason, "yes, go ahead")
	has(t, "its reason", reason, "jobs/"+x.short+"/state.json")
	unchanged(t, s, x, jobs, lines)
	if got := x.state("queuedPrompt").Str; got != "yes, go ahead" {
		t.Errorf("the queued prompt is %q now", got)
	}
	t.Log(reason)
}

func transcriptMissing(t *testing.T, s *sandbox) {
	x := s.offline(t, s.work, "expired")
	s.ready(t, x)
	must(t, moveAway(x.transcript(), s.dir))
	jobs := s.jobs(t)
	checked := s.recoveryJSON(t, 3, "queue-check", x.short)
	want(t, "queue check", item(t, checked, x.short), map[string]string{"verdict": "blocked",
		"reasons.0.code": "no-transcript"})
	res := s.recoveryJSON(t, 3, "resume", x.short)
	want(t, "a missing transcript", item(t, res, x.short), map[string]string{"outcome": "refused"})
	reason := item(t, res, x.short).Get("reason").Str
	has(t, "its reason", reason, "blocked")
	if x.transcript() != "" || strings.Join(jobs, " ") != strings.Join(s.jobs(t), " ") {
		t.Error("the client was called: there is a new transcript or a new job")
	}
	t.Log(reason)
}

func writeCaught(t *testing.T, s *sandbox) {
	x := s.offline(t, s.work, "writer")
	s.ready(t, x)
	s.rule(t, rule{Match: "RECOVERY REVIEW v1.*for session " + x.short, Reply: reviewReply,
		Tools: []toolCall{{"Bash", []byte(`{"command":"git status && touch zz","description":"look and make a file"}`)}}})
	r := s.recover("resume", "--json", "--wait", "90s", x.short)
	res := parse(t, r, 5)
	row := item(t, res, x.short)
	want(t, "a review that writes", row, map[string]string{"outcome": "woken", "review.tools.#": "1",
		"review.tools.0.class":  "write",
		"review.tools.0.result": "done", "review.defects.0.code": "write"})
	read := s.recoveryJSON(t, 5, "read", x.short)
	tool := item(t, read, x.short).Get("tools.0")
	want(t, "read", tool, map[string]string{"name": "Bash", "class": "write", "result": "done"})
	if s.namesChangedFiles() {
		has(t, "changed files", tool.Get("changed_files").Raw, "/zz\"")
	}
	t.Logf("caught in %s: %s", r.took.Round(10*time.Millisecond), tool.Raw)
	x.stop(t)
	held := s.recoveryJSON(t, 5, "resume", "--again", x.short)
	has(t, "a run while the defect is open", held.Get("stopped").Str, "recovery ack")
	s.acknowledge(t, x)
}
