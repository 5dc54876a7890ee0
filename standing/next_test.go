package standing

import (
	"slices"
	"strings"
	"testing"
	"time"

	"recovery/internal/account"
	"recovery/internal/transcript"
	"recovery/inventory"
	"recovery/prompts"
	"recovery/queuecheck"
	"recovery/review"
)

func TestNextInProse(t *testing.T) {
	at := time.Date(2026, 5, 3, 12, 0, 0, 0, time.UTC)
	const link = "https://claude.ai/code/session_01"
	for _, c := range []struct {
		next Next
		want string
	}{
		{Next{}, ""},
		{Run("resume", "1a2b3c4d"), "recovery resume 1a2b3c4d"},
		{Run("resume", "--default-cwd", "/a b", "1a2b3c4d"), "recovery resume --default-cwd '/a b' 1a2b3c4d"},
		{Do("read its thread"), "read its thread"},
		{Do("read its thread").At(link), "read its thread (" + link + ")"},
		{Do("make it").Then("resume", "1a2b3c4d"), "make it, then: recovery resume 1a2b3c4d"},
		{Next{After: at, Run: []string{"resume", "--all"}}, "not before 2026-05-03T12:00:00Z: recovery resume --all"},
		{Next{Link: link}, "open " + link},
	} {
		if got := c.next.String(); got != c.want {
			t.Errorf("%+v: %q, want %q", c.next, got, c.want)
		}
	}
}

// TestEachReasonHasItsOwnWayOut: a confirmation is offered for what a look can lift, and never for a block.
func TestEachReasonHasItsOwnWayOut(t *testing.T) {
	s := Subject{Short: "1a2b3c4d", Link: "https://claude.ai/code/session_01", Folder: "/home/u/a b"}
	blocks := []string{"live", "liveness-unknown", "connected", "thread-awake", "defect-open", "archived", "finished",
		"job-gone", "job-unreadable", "exec-job",
		"own-session", "folder-gone", "folder-unreadable", "untrusted", "queued-prompt", "in-flight-queue", "queued-remotely",
		"no-transcript", "turn-empty", "turn-unknown", "transcript-problem", "transcript-unreadable", "events-unreadable",
		"continued-in", "reviewed",
		"not-settled", "no-such-code"}
	for _, code := range blocks {
		n := ForReason(code, s)
		if n.IsZero() {
			t.Errorf("%s has no way out", code)
		}
		if confirms(n) {
			t.Errorf("%s offers a confirmation: %s", code, n)
		}
	}
	for code := range lookable {
		if n := ForReason(code, s); !confirms(n) || n.Do == "" || n.Link == "" {
			t.Errorf("%s wants a confirmation with its condition and its thread, not %s", code, n)
		}
	}
	if got, want := ForReason("folder-gone", s).Do, "make the folder again: mkdir -p '/home/u/a b'"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	s.DefaultCwd = "/srv"
	if got, want := ForReason("untrusted", s).Command(), "recovery trust --default-cwd /srv 1a2b3c4d"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func confirms(n Next) bool {
	for _, w := range n.Run {
		if w == "--confirm" {
			return true
		}
	}
	return false
}

// TestAPrepThatWasSentByHandIsNotAskedForAgain: a PREP message stands in the transcript alone; a second one needs
// --again.
func TestAPrepThatWasSentByHandIsNotAskedForAgain(t *testing.T) {
	const asked = "to have its plan prepared"
	for _, c := range []struct {
		name   string
		live   account.LiveState
		prepAt int64
		reply  string
		place  Place
		run    []string
		asks   bool
	}{
		{"no prep, live", account.Live, -1, "x", Owner, nil, true},
		{"no prep, offline", account.Offline, -1, "x", Owner, []string{"resume", "--prompt", "prep", "1a2b3c4d"}, false},
		{"its plan is posted, live", account.Live, 20, "1. Pay.\n\n" + prompts.GoLine, OwnerPlanned, nil, false},
		{"its plan is posted, offline", account.Offline, 20, "1. Pay.\n\n" + prompts.GoLine, OwnerPlanned,
			[]string{"resume", "--prompt", "prep", "--again", "1a2b3c4d"}, false},
		{"no plan yet, live", account.Live, 20, "Wait.", Owner, nil, false},
		{"no plan, offline", account.Offline, 20, "Wait.", Owner, []string{"resume", "--prompt", "prep", "--again",
			"1a2b3c4d"}, false},
		{"a prep before its review", account.Live, 3, "x", Owner, nil, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := inventory.Facts{Job: &account.Job{Short: "1a2b3c4d"}, Live: account.Liveness{State: c.live},
				Tail: transcript.Tail{Turn: transcript.Complete, Reply: c.reply}}
			s := Of(Input{Short: "1a2b3c4d", Seen: true, Facts: &f, Check: &queuecheck.Result{Verdict: queuecheck.Blocked,
				Blocked: []string{"reviewed"}, ReviewAt: 10, PrepAt: c.prepAt},
				Review: &review.Review{Answered: true, Started: true, Verdict: &review.Verdict{Verdict: review.VerdictOwner}}})
			if s.Place != c.place || !slices.Equal(s.Next.Run, c.run) {
				t.Errorf("%s, %s", s.Place, s.Next)
			}
			if strings.Contains(strings.Join(s.Why, "\n"), asked) != c.asks {
				t.Errorf("why %q", s.Why)
			}
		})
	}
}
