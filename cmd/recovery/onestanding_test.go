package main

import (
	"encoding/json"
	"strings"
	"testing"

	"recovery/fixtures"
	"recovery/internal/journal"
	"recovery/prompts"
)

// said is what one command says of a session.
type said struct {
	Short, Place, Next, Outcome, State, Text, Live string
	// Verdict is a word of the queue check, and an object of a review.
	Verdict any
}

// says runs a command and gives what it says of each session. Whatever the exit status, it prints one object.
func (b *bench) says(list string, args ...string) map[string]said {
	b.t.Helper()
	_, out, errs := b.run(append([]string{"--json"}, args...)...)
	var object map[string]json.RawMessage
	if err := json.Unmarshal([]byte(out), &object); err != nil {
		b.t.Fatalf("%v: %v\n%s%s", args, err, out, errs)
	}
	found := map[string]said{}
	take := func(raw json.RawMessage) {
		var items []said
		if err := json.Unmarshal(raw, &items); err != nil {
			b.t.Fatalf("%v: %v", args, err)
		}
		for _, it := range items {
			if before, twice := found[it.Short]; twice {
				b.t.Errorf("%v: %s stands twice: %+v and %+v", args, it.Short, before, it)
			}
			found[it.Short] = it
		}
	}
	for _, key := range strings.Fields(list) {
		if raw, ok := object[key]; ok { // not where the command knows no job of that name
			take(raw)
		}
	}
	return found
}

// handedOver is what the hand-over says of each session, in the status that it carries.
func (b *bench) handedOver() map[string]said {
	b.t.Helper()
	_, out, _ := b.run("--json", "handoff", "-o", "-")
	var h struct{ Status struct{ Items []said } }
	if err := json.Unmarshal([]byte(out), &h); err != nil {
		b.t.Fatalf("%v\n%s", err, out)
	}
	found := map[string]said{}
	for _, it := range h.Status.Items {
		found[it.Short] = it
	}
	return found
}

const allLists = "archive_now wrapped_look_first owners finished held duplicates unclear not_woken live"

// holdOneStanding compares what the commands say of each session: one place and one next, wherever it is shown.
func holdOneStanding(t *testing.T, b *bench, shorts ...string) {
	t.Helper()
	status, rep, hand := b.says("items", "status"), b.says(allLists, "report"), b.handedOver()
	checks := b.says("items", append([]string{"queue-check"}, shorts...)...)
	dry := b.says("items", append([]string{"resume", "--dry-run"}, shorts...)...)
	for _, short := range shorts {
		entry, listed := rep[short]
		if st, ok := status[short]; ok {
			if !listed || st.Place != entry.Place || st.Next != entry.Next {
				t.Errorf("%s: status says %s %q, report %s %q", short, st.Place, st.Next, entry.Place, entry.Next)
			}
			if h := hand[short]; h.Place != st.Place || h.Next != st.Next {
				t.Errorf("%s: status says %s %q, hand-over %s %q", short, st.Place, st.Next, h.Place, h.Next)
			}
		}
		if !listed {
			continue // archived, or in no list of the inventory
		}
		if c := checks[short]; c.Place != entry.Place || c.Next != entry.Next {
			t.Errorf("%s: report says %s %q, queue-check %s %q", short, entry.Place, entry.Next, c.Place, c.Next)
		}
		for _, kind := range []string{"prep", "wrap", "nudge"} {
			m := b.says("items", "message", kind, short)[short]
			if m.Place != entry.Place || m.Text == "" && m.Next != entry.Next {
				t.Errorf("%s: report says %s %q, message %s %s %q", short, entry.Place, entry.Next, kind, m.Place, m.Next)
			}
		}
		holdWake(t, short, entry, checks[short], dry[short])
	}
}

// holdWake compares where a session stands with what the queue check and a wake say of it.
func holdWake(t *testing.T, short string, entry, check, dry said) {
	t.Helper()
	switch entry.Place {
	case "pass", "confirmed":
		if dry.Outcome != "planned" || check.Verdict != entry.Place || dry.Next != "recovery resume "+short ||
			entry.Next != dry.Next {
			t.Errorf("%s: it stands at %s, next %q; queue check %s, dry run %s, next %q", short, entry.Place, entry.Next,
				check.Verdict, dry.Outcome, dry.Next)
		}
	case "check", "blocked":
		if dry.Outcome == "planned" || check.Verdict != entry.Place || dry.Next != entry.Next {
			t.Errorf("%s: it stands at %s, next %q; queue check %s, dry run %s, next %q", short, entry.Place, entry.Next,
				check.Verdict, dry.Outcome, dry.Next)
		}
	case "live", "archive-now":
		if dry.Outcome == "planned" || check.Verdict != "blocked" || dry.Next != entry.Next {
			t.Errorf("%s: it stands at %s, next %q; queue check %s, dry run %s, next %q", short, entry.Place, entry.Next,
				check.Verdict, dry.Outcome, dry.Next)
		}
	default:
		if dry.Outcome == "refused" && dry.Next != entry.Next {
			t.Errorf("%s: it stands at %s, next %q; dry run next %q", short, entry.Place, entry.Next, dry.Next)
		}
		if dry.Outcome == "planned" && entry.Place != "out-of-date" && entry.Place != "not-sent" {
			t.Errorf("%s: it stands at %s, and a wake is planned", short, entry.Place)
		}
	}
}

// TestOneStandingInEverySituation runs the commands on every situation and holds them to one place and one next.
func TestOneStandingInEverySituation(t *testing.T) {
	for i, s := range fixtures.Situations() {
		if testing.Short() && i%10 != 0 || s.Name == "giant-line" {
			continue
		}
		t.Run(s.Name, func(t *testing.T) {
			t.Parallel()
			sub, err := s.Build(t.TempDir(), now())
			if err != nil {
				t.Fatal(err)
			}
			defer sub.Account.Close()
			b := newBench(t, sub.Account)
			b.run(append([]string{"inventory"}, sub.Pages...)...)
			for _, f := range sub.Events {
				b.run("queue-check", "--events", sub.Session.Short+"="+f)
			}
			holdOneStanding(t, b, sub.Session.Short)
		})
	}
}

// TestOneStandingAfterAWake does the same with sessions that were woken, and came to every kind of end.
func TestOneStandingAfterAWake(t *testing.T) {
	oneThread(t)
	for name, c := range map[string]struct {
		script fixtures.Script
		after  string
	}{
		"owner":     {script: fixtures.Script{Reply: owner("x", "pay").Text()}},
		"done":      {script: fixtures.Script{Reply: fixtures.Review{Verdict: "DONE", Item: "x"}.Text()}},
		"duplicate": {script: fixtures.Script{Reply: fixtures.Review{Verdict: "DUPLICATE", Item: "x"}.Text()}},
		"held":      {script: fixtures.Script{Reply: fixtures.Review{Verdict: "HELD", Item: "x"}.Text()}},
		"unclear":   {script: fixtures.Script{Reply: "I looked at it."}},
		"writes":    {script: fixtures.Script{Tools: []fixtures.Tool{fixtures.Bash("touch report.txt", "")}}},
		"asks": {script: fixtures.Script{Tools: []fixtures.Tool{fixtures.Bash("touch report.txt", "")},
			PermissionPrompt: true}},
		"died":      {script: fixtures.Script{Outcome: fixtures.OutcomeCrashLate}},
		"silent":    {script: fixtures.Script{Outcome: fixtures.OutcomeSilent}},
		"copy":      {script: fixtures.Script{Outcome: fixtures.OutcomeCopy}},
		"untrusted": {script: fixtures.Script{Outcome: fixtures.OutcomeUntrusted}},
		"crash":     {script: fixtures.Script{Outcome: fixtures.OutcomeCrash}},
		"wrapped": {script: fixtures.Script{Reply: fixtures.Review{Verdict: "DONE", Item: "x"}.Text(), Wrap: "done"},
			after: fixtures.WrapPrompt},
		"money": {script: fixtures.Script{Reply: fixtures.Review{Verdict: "HELD", Item: "x", MoneyAtRisk: "9 EUR"}.Text(),
			Wrap: "done"}, after: fixtures.WrapPrompt},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, testAccount(t))
			b.brief()
			s, other := b.add(fixtures.Session{}), b.add(fixtures.Session{Name: "another"})
			b.script(s.Short, c.script)
			b.inventory()
			b.run("resume", "--spacing", "0", "--wait", "0", s.Short)
			if c.after != "" {
				if err := b.a.Deliver(s.Short, c.after); err != nil {
					t.Fatal(err)
				}
			}
			holdOneStanding(t, b, s.Short, other.Short)
			b.inventory()
			holdOneStanding(t, b, s.Short, other.Short)
		})
	}
}

// TestAWrapDoesNotBeatWhatIsKnown: money in the last verdict, or a message that waits, and it is looked at first and
// leads the report.
func TestAWrapDoesNotBeatWhatIsKnown(t *testing.T) {
	oneThread(t)
	t.Parallel()
	b := newBench(t, testAccount(t))
	s := b.add(fixtures.Session{})
	b.script(s.Short, fixtures.Script{Reply: fixtures.Review{Verdict: "HELD", Item: "x", MoneyAtRisk: "40 EUR"}.Text(),
		Wrap: "done"})
	b.inventory()
	b.run("resume", "--spacing", "0", "--wait", "3", s.Short)
	text, err := prompts.RenderWrap(prompts.Wrap{Short: s.Short})
	if err != nil {
		t.Fatal(err)
	}
	if err := b.a.Deliver(s.Short, text); err != nil {
		t.Fatal(err)
	}
	md := b.must(exitOK, "report")
	if !strings.Contains(section(md, "Wrapped, look first (1)"), s.Short) ||
		!strings.Contains(section(md, "What matters most"), "40 EUR") {
		t.Errorf("a wrap hides the money:\n%s", md)
	}
}

// TestNeverWokenSessionsKeepTheRecovery: the next inventory does not close a recovery of which one session was never
// woken.
func TestNeverWokenSessionsKeepTheRecovery(t *testing.T) {
	oneThread(t)
	t.Parallel()
	b := newBench(t, testAccount(t))
	b.add(fixtures.Session{Name: "never woken"})
	wrapIt(t, b)
	b.inventory()
	events, err := journal.At(b.work(""), now).Read()
	if err != nil {
		t.Fatal(err)
	}
	if len(events) < 3 {
		t.Errorf("it was closed: %d events are left", len(events))
	}
}
