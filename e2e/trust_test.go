//go:build e2e

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// distrust takes the trust of a folder away and makes sure that no running client put it back.
func (s *sandbox) distrust(t *testing.T, folder string) {
	t.Helper()
	s.trust(t, folder, false)
	quiet := time.Now()
	s.poll(t, 20*time.Second, "the folder's trust to stay away", func() bool {
		if s.trusted(t, folder) {
			s.trust(t, folder, false)
			quiet = time.Now()
		}
		return time.Since(quiet) > time.Second
	})
}

// folder makes a trusted repository of its own, so that its trust can be changed without touching the others.
func (s *sandbox) folder(t *testing.T, name string) string {
	t.Helper()
	dir := filepath.Join(s.dir, name)
	must(t, os.MkdirAll(dir, 0o755))
	must(t, hostIn(dir, "git", "init", "-q"))
	s.trust(t, dir, true)
	return dir
}

func untrustedFound(t *testing.T, s *sandbox) {
	dir := s.folder(t, "untrusted")
	x := s.offline(t, dir, "untrusted")
	s.ready(t, x)
	s.distrust(t, dir)
	jobs, lines := s.jobs(t), len(x.prompts())
	res := s.recoveryJSON(t, 3, "resume", x.short)
	want(t, "an untrusted folder", item(t, res, x.short), map[string]string{"outcome": "untrusted",
		"prompt_saved": "false"})
	has(t, "what is next", item(t, res, x.short).Get("next").Str, "recovery trust "+x.short)
	unchanged(t, s, x, jobs, lines)
	if x.state("queuedPrompt").Exists() {
		t.Errorf("the client was called: a prompt is saved: %s", x.state("queuedPrompt").Raw)
	}
	trusted := s.recovery0(t, "trust", x.short)
	want(t, "trust", item(t, trusted, x.short), map[string]string{"outcome": "accepted", "key": dir})
	if !s.trusted(t, dir) {
		t.Fatalf("the trust key of %s is not set", dir)
	}
	woken := s.recovery0(t, "resume", "--wait", "90s", x.short)
	want(t, "after trust", item(t, woken, x.short), map[string]string{"outcome": "woken", "review.answered": "true"})
	x.onePrompt(t, s.promptID(t, x.short))
	x.stop(t)
}

// untrustedSaved has the trust go away between recovery's look and the client's own, as when the user changes it
// meanwhile: the client refuses and keeps the prompt.
func untrustedSaved(t *testing.T, s *sandbox) {
	dir := s.folder(t, "saved")
	x := s.offline(t, dir, "saved")
	s.ready(t, x)
	self, err := os.Executable()
	must(t, err)
	wrapper := s.script(t, "untrusting", fmt.Sprintf("[ \"$1\" = --bg ] && { %s=untrust %s=%s %s || exit 70; }\nexec "+
		"claude \"$@\"\n", modeVar, folderVar, dir, self))
	lines := len(x.prompts())
	if !s.refusesUntrusted() {
		woken := s.recovery0(t, "resume", "--wait", "90s", "--client", wrapper, x.short)
		want(t, "a client that asks for no trust", item(t, woken, x.short), map[string]string{"outcome": "woken",
			"review.answered": "true"})
		x.onePrompt(t, s.promptID(t, x.short))
		x.stop(t)
		return
	}
	res := s.recoveryJSON(t, 3, "resume", "--client", wrapper, x.short)
	row := item(t, res, x.short)
	want(t, "the client's refusal", row, map[string]string{"outcome": "untrusted", "prompt_saved": "true"})
	has(t, "what is next", row.Get("next").Str, "recovery trust "+x.short)
	saved := x.state("queuedPrompt").Str
	first := s.promptID(t, x.short)
	has(t, "the saved prompt", saved, first)
	if n := len(x.prompts()); n != lines {
		t.Errorf("%d prompts were delivered by a refused start", n-lines)
	}
	t.Logf("%s", row.Get("reason").Str)

	s.recovery0(t, "trust", x.short)
	// More than recovery's own words there would go out with them.
	x.setState(t, "queuedPrompt", saved+"\n\nyes")
	for _, flags := range [][]string{{"resume", x.short}, {"resume", "--nudge", x.short}} {
		row := item(t, s.recoveryJSON(t, 3, flags...), x.short)
		want(t, "recovery's own prompt and a yes", row, map[string]string{"outcome": "refused", "queue_check": "blocked"})
	}
	x.setState(t, "queuedPrompt", saved)
	// The saved prompt changed the job, which ends the confirmation that was given before it.
	s.recovery0(t, "queue-check", "--confirm", x.short)
	again := s.recoveryJSON(t, 3, "resume", x.short)
	want(t, "a plain resume", item(t, again, x.short), map[string]string{"outcome": "saved", "prompt_saved": "true"})
	r := s.recover("resume", "--json", "--nudge", "--wait", "90s", x.short)
	woken := parse(t, r, 0)
	want(t, "after the nudge", item(t, woken, x.short), map[string]string{"outcome": "woken", "review.answered": "true",
		"review.verdict.verdict": "OWNER"})
	nudge := s.intent(t, x.short).Get("prompt").Str
	said := x.onePrompt(t, first)
	if said != saved+"\n\n"+nudge {
		t.Errorf("the line is not the saved prompt, a blank line and the nudge:\n%s", said)
	}
	if x.state("queuedPrompt").Exists() {
		t.Errorf("a prompt is still saved: %s", x.state("queuedPrompt").Raw)
	}
	t.Logf("nudge: %s", r.took.Round(10*time.Millisecond))
	x.stop(t)
}
