package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"recovery/fixtures"
	"recovery/internal/journal"
)

// defectsOf records a defect of each session.
func (b *bench) defectsOf(sessions ...fixtures.Added) *journal.Journal {
	b.t.Helper()
	record := journal.At(b.work(""), now)
	for _, s := range sessions {
		if err := record.Append(journal.Defect, s.Short, journal.NewDefect(s.Short, "write", "write:"+s.Short,
			"it wrote a file", "look at its thread")); err != nil {
			b.t.Fatal(err)
		}
	}
	return record
}

func TestAckClosesByName(t *testing.T) {
	oneThread(t)
	t.Parallel()
	b := newBench(t, testAccount(t))
	one, two, clean := b.add(fixtures.Session{}), b.add(fixtures.Session{}), b.add(fixtures.Session{})
	b.inventory()
	b.defectsOf(one, two)
	for args, says := range map[string]string{
		"ack":                                  "open are those of: ",
		"ack " + clean.Short:                   "session " + clean.Short + " has no open defect",
		"ack " + one.Short + " " + clean.Short: "nothing was closed",
		"ack ffffffff":                         "ffffffff",
		"ack limit":                            "no limit holds now",
	} {
		if status, _, errs := b.run(strings.Fields(args)...); status != exitUsage || !strings.Contains(errs, says) {
			t.Errorf("%s: %d %s, want one that says %q", args, status, errs, says)
		}
	}
	status := b.object(exitNeedsUser, "status")
	for _, d := range status["defects"].([]any) {
		d := d.(map[string]any)
		if want := "look at its thread, then: recovery ack " + d["session"].(string); d["next"] != want {
			t.Errorf("next is %q, want %q", d["next"], want)
		}
	}
	// Neither another inventory nor a second review closes one.
	b.inventory()
	b.run("resume", "--again", "--spacing", "0", "--wait", "0", clean.Short)
	if n := len(b.wakes()); n != 0 {
		t.Errorf("%d sessions were woken with an open defect", n)
	}
	v := b.object(exitOK, "ack", "--why", "only a log file", one.Short)
	closed := items(v)[0]["closed"].([]any)
	if len(closed) != 1 || v["open"].([]any)[0] != two.Short || v["limit_until"] != nil {
		t.Errorf("%v", v)
	}
	b.must(exitUsage, "ack", one.Short)
	// A job that is gone leaves its defect.
	if err := os.RemoveAll(filepath.Dir(two.StatePath)); err != nil {
		t.Fatal(err)
	}
	if out := b.must(exitOK, "ack", two.Short); !strings.Contains(out, two.Short+"  closed: write: it wrote a file") {
		t.Error(out)
	}
	events := b.object(exitOK, "events", "--type", "acknowledged")
	data := items(events)[0]["data"].(map[string]any)
	if data["user"] != "tester" || data["why"] != "only a log file" || data["what"] != "defect" || data["agent"] != false {
		t.Errorf("%v", data)
	}
	if left := b.object(exitNeedsUser, "status")["defects"].([]any); len(left) != 0 {
		t.Errorf("%v", left)
	}
}

func TestAckIsTheUsers(t *testing.T) {
	oneThread(t)
	t.Parallel()
	b := newBench(t, testAccount(t))
	s := b.add(fixtures.Session{})
	b.inventory()
	b.defectsOf(s)
	b.sys.environ = append(b.sys.environ, "CLAUDECODE=1")
	if status, _, errs := b.run("ack", s.Short); status != exitNeedsUser || !strings.Contains(errs, "--as-user") {
		t.Errorf("%d %s", status, errs)
	}
	b.must(exitOK, "ack", "--as-user", s.Short)
	events, err := journal.At(b.work(""), now).Read()
	if err != nil {
		t.Fatal(err)
	}
	if agents := journal.Replay(events).Agents; !slices.ContainsFunc(agents,
		func(s string) bool { return strings.Contains(s, "acknowledge an open defect") }) {
		t.Errorf("%q", agents)
	}
}

// TestALimitIsWaitedOutOrLifted: --again does not lift it.
func TestALimitIsWaitedOutOrLifted(t *testing.T) {
	oneThread(t)
	t.Parallel()
	b := newBench(t, testAccount(t))
	s := b.add(fixtures.Session{})
	b.inventory()
	until := now().UTC().Add(time.Hour).Truncate(time.Second)
	if err := journal.At(b.work(""), now).Append(journal.Deferred, "", journal.DeferData{Until: until,
		Why: "the weekly limit"}); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{s.Short}, {"--again", s.Short}} {
		if v := b.resume(exitNeedsUser, args...); !strings.Contains(v["stopped"].(string), "recovery ack limit") {
			t.Errorf("%v: %v", args, v["stopped"])
		}
	}
	if v := b.object(exitOK, "ack", "limit"); v["limit_until"] != until.Format(time.RFC3339) || len(items(v)) != 0 {
		t.Errorf("%v", v)
	}
	b.resume(exitOK, s.Short)
}

// holdAcks has defects closed by the user, of sessions with and without a job, and a limit that is taken to be over.
func holdAcks(t *testing.T, h *holder) {
	b := hasty(t, testAccount(t))
	s, plain, left := b.add(fixtures.Session{}), b.add(fixtures.Session{Plain: true}), b.add(fixtures.Session{})
	b.inventory()
	record := b.defectsOf(s, plain, left)
	if err := record.Append(journal.Deferred, "", journal.DeferData{Until: now().UTC().Add(time.Hour),
		Why: "the weekly limit"}); err != nil {
		t.Fatal(err)
	}
	h.run(b, "ack", "--why", "looked at", s.Short, plain.Short)
	h.run(b, "ack", "limit")
	h.run(b, "ack", left.Short)
	h.run(b, "events")
}
