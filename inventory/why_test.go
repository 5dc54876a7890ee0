package inventory

import (
	"strings"
	"testing"
	"time"

	"recovery/internal/account"
	"recovery/internal/transcript"
)

// storyLog is two days of a supervisor, over a rotation: an upgrade, a retirement for low memory, and two sessions
// whose shorts share a prefix.
const storyLog = `[2026-11-27T08:00:00.000Z] [bg] bg spawned 1a2b3c4d (shell)
[2026-11-27T08:00:01.000Z] [bg] bg spawned 1a2b3c4e (shell)
[2026-11-27T09:00:00.000Z] [supervisor] self-restarting for upgrade
[2026-11-27T09:00:02.000Z] [supervisor] ─── daemon start ─── version=2.1.332 pid=7
[2026-11-27T09:00:02.100Z] [bg] bg adopt: adopted=2 respawned=0 dead=0
[2026-11-27T18:00:00.000Z] [bg] bg retire 1a2b3c4d: settled, idle 8h [low memory]
[2026-11-27T18:00:00.200Z] [bg] bg settled 1a2b3c4d (done)
[2026-11-28T10:00:00.000Z] [bg] bg claimed-spare 1a2b3c4d (fleet)
[2026-11-28T11:01:00.000Z] [bg] bg retire 1a2b3c4d: idle-prompt, idle 61m
[2026-11-28T11:01:00.200Z] [bg] bg settled 1a2b3c4d (done)
[2026-11-28T12:00:00.000Z] [bg] bg settled 1a2b3c4e (killed)
`

func at(s string) time.Time {
	t, err := time.Parse(time.RFC3339, s)
	if err != nil {
		panic(err)
	}
	return t
}

func storyWorld(t *testing.T, now string) *World {
	t.Helper()
	log, err := account.ParseLog(strings.NewReader(storyLog))
	if err != nil {
		t.Fatal(err)
	}
	return &World{Log: log, Now: at(now), CleanupDays: 30}
}

func TestStory(t *testing.T) {
	w := storyWorld(t, "2026-11-29T10:00:00Z")
	f := Facts{Job: &account.Job{Short: "1a2b3c4d"}, Live: account.Liveness{State: account.Offline},
		Tail:     transcript.Tail{Turn: transcript.Complete, LastEntry: at("2026-11-28T10:00:30Z")},
		Modified: at("2026-11-28T10:00:30Z")}
	s := w.Story(f)
	var got []string
	for _, l := range s.Lines {
		got = append(got, l.What)
		if strings.Contains(l.Line, "1a2b3c4e") {
			t.Errorf("another session's line is told: %s", l.Line)
		}
	}
	want := []string{"started, on the command line", "the supervisor restarted for an upgrade of the client",
		"a supervisor started",
		"a new supervisor took over: bg adopt: adopted=2 respawned=0 dead=0",
		"retired for idleness (settled) after 8h without activity", "its worker ended",
		"started, woken", "retired for idleness (idle-prompt) after 61m without activity", "its worker ended"}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("told:\n%s", strings.Join(got, "\n"))
	}
	if s.Ended.Cause != Retired || s.ExpiresAt == nil || !s.ExpiresAt.Equal(at("2026-12-28T10:00:30Z")) {
		t.Errorf("%+v", s)
	}
	f.Job = &account.Job{Short: "1a2b3c4e"}
	if s := w.Story(f); s.Ended.Cause != Stopped {
		t.Errorf("%+v", s.Ended)
	}
	f.Job = &account.Job{Short: "00000000"}
	if s := w.Story(f); len(s.Lines) != 0 || !strings.Contains(s.Ended.Line, "no record") {
		t.Errorf("without a line: %+v", s)
	}
}

// TestAStopOfTheSupervisorIsNobodysStopOfASession: the story says so too, and calls a stop no start.
func TestAStopOfTheSupervisorIsNobodysStopOfASession(t *testing.T) {
	const lines = `[2026-11-28T10:00:00.000Z] [bg] bg spawned 1a2b3c4d (shell)
[2026-11-28T11:00:00.000Z] [supervisor] shutdown requested via control socket
[2026-11-28T11:00:00.200Z] [bg] bg settled 1a2b3c4d (killed)
`
	log, err := account.ParseLog(strings.NewReader(lines))
	if err != nil {
		t.Fatal(err)
	}
	w := &World{Log: log, Now: at("2026-11-29T10:00:00Z"), CleanupDays: 30}
	var got []string
	for _, l := range w.Story(Facts{Job: &account.Job{Short: "1a2b3c4d"}}).Lines {
		got = append(got, l.What)
	}
	want := "started, on the command line\nthe supervisor was asked to stop\nended when the supervisor was stopped"
	if strings.Join(got, "\n") != want {
		t.Errorf("told:\n%s\nwant:\n%s", strings.Join(got, "\n"), want)
	}
}

// TestPinProof: a pin is proved only with a positive control.
func TestPinProof(t *testing.T) {
	live := account.Liveness{State: account.Live}
	for _, c := range []struct {
		name, last, now string
		pinned          []string
		live            account.Liveness
		proved          bool
		reason          string
	}{
		{"an unpinned one was retired after its mark", "2026-11-27T09:30:00Z", "2026-11-28T00:00:00Z", nil, live, true,
			"1a2b3c4d"},
		{"the one retired is pinned too", "2026-11-27T09:30:00Z", "2026-11-28T00:00:00Z", []string{"1a2b3c4d"}, live, false,
			"silence alone proves nothing"},
		{"retired before its mark", "2026-11-27T12:00:00Z", "2026-11-27T20:30:00Z", nil, live, false, "silence alone"},
		{"too early", "2026-11-27T17:00:00Z", "2026-11-27T20:00:00Z", nil, live, false, "3h0m0s ago"},
		{"not live", "2026-11-27T09:30:00Z", "2026-11-28T00:00:00Z", nil, account.Liveness{State: account.Offline}, false,
			"not live"},
		{"liveness unknown", "2026-11-27T09:30:00Z", "2026-11-28T00:00:00Z", nil, account.Liveness{State: account.Unknown},
			false, "not known"},
		{"the log is too short", "2026-11-26T09:30:00Z", "2026-11-28T00:00:00Z", nil, live, false, "does not reach back"},
	} {
		w := storyWorld(t, c.now)
		pinned := map[string]bool{"0a0a0a0a": true}
		for _, p := range c.pinned {
			pinned[p] = true
		}
		got := w.PinProof(Facts{Job: &account.Job{Short: "0a0a0a0a"}, Live: c.live,
			Tail: transcript.Tail{LastEntry: at(c.last)}}, pinned)
		if got.Proved != c.proved || !strings.Contains(got.Reason, c.reason) {
			t.Errorf("%s: %+v", c.name, got)
		}
	}
	w := storyWorld(t, "2026-11-29T10:00:00Z")
	got := w.PinProof(Facts{Job: &account.Job{Short: "1a2b3c4d"}, Live: live,
		Tail: transcript.Tail{LastEntry: at("2026-11-28T10:00:30Z")}}, map[string]bool{"1a2b3c4d": true})
	if got.Proved || !strings.Contains(got.Reason, "did not hold") {
		t.Errorf("a pinned one that was retired: %+v", got)
	}
}
