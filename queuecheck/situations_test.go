package queuecheck

import (
	"testing"

	"recovery/fixtures"
)

// Every situation that is known to occur, from files on disk to the verdict.
func TestSituations(t *testing.T) {
	for _, s := range fixtures.Situations() {
		if testing.Short() && s.Name == "giant-line" {
			continue // long, and nothing in it for the race detector
		}
		t.Run(s.Name, func(t *testing.T) {
			t.Parallel()
			subject, err := s.Build(t.TempDir(), now)
			if err != nil {
				t.Fatal(err)
			}
			defer subject.Account.Close()
			l := see(t, subject.Account, subject.Pages...)
			short := subject.Session.Short
			if it := l.inv.Find(short); it == nil {
				if !s.Allows("left out") {
					t.Fatalf("left out, want %s: %s; warnings %v", s.Verdict, s.Why, l.inv.Warnings)
				}
				if job := l.world.Jobs.ByShort[short]; job != nil && l.inv.Excluded(short) == "" && s.Verdict == "left out" &&
					s.Name != "not-on-the-page" {
					t.Error("left out, and nothing refuses it when it is named")
				}
				return
			}
			got := Of(l.input(t, short, subject.Events...))
			if !s.Allows(string(got.Verdict)) {
				t.Fatalf("%s, want %s: %s; reasons %+v", got.Verdict, s.Verdict, s.Why, got.Reasons)
			}
		})
	}
}

// The accounts in which nothing may be woken stay so without their pages, too.
func TestDoNotWakeWithoutPages(t *testing.T) {
	for _, s := range fixtures.DoNotWake() {
		t.Run(s.Name, func(t *testing.T) {
			t.Parallel()
			subject, err := s.Build(t.TempDir(), now)
			if err != nil {
				t.Fatal(err)
			}
			defer subject.Account.Close()
			for _, pages := range [][]string{nil, subject.Pages} {
				l := see(t, subject.Account, pages...)
				if l.world.Jobs.ByShort[subject.Session.Short] == nil {
					continue
				}
				if got := Of(l.input(t, subject.Session.Short)); got.Verdict == Pass &&
					l.inv.Excluded(subject.Session.Short) == "" {
					t.Errorf("pages %v: %+v", pages, got.Reasons)
				}
			}
		})
	}
}

func TestSessionCron(t *testing.T) {
	cron := fixtures.Tool{Name: "CronCreate", Input: map[string]any{"cron": "0 9 * * *", "prompt": "look again"}}
	a, s := make1(t, fixtures.Session{Turns: []fixtures.Turn{fixtures.Says("Look every morning.", "I will.", cron),
		fixtures.Says("Thanks.", "Welcome.")}})
	want(t, Of(see(t, a, page(t, a, fixtures.PageOptions{})).input(t, s.Short)), Check, "session-cron")
}
