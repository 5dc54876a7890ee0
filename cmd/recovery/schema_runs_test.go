package main

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"recovery/fixtures"
	"recovery/internal/account"
	"recovery/internal/journal"
	"recovery/prompts"
)

// hasty is a bench whose program never rests for long.
func hasty(t *testing.T, a *fixtures.Account) *bench {
	b := newBench(t, a)
	b.sys.sleep = func(ctx context.Context, d time.Duration) { sleep(ctx, min(d, 2*time.Millisecond)) }
	b.sys.timing.Proof, b.sys.timing.Retry = 150*time.Millisecond, time.Millisecond
	b.sys.processes = sync.OnceValue(account.ReadProcesses) // none is started later
	return b
}

// TestJSONHoldsToItsSchemas runs every command in many situations and holds each object to its schema. Behind them it
// wants to have seen everything that the schemas allow: what the program never prints does not belong there.
func TestJSONHoldsToItsSchemas(t *testing.T) {
	oneThread(t)
	t.Parallel()
	h := &holder{schemas: readSchemas(t), seen: map[string]bool{}, open: map[string]bool{}}
	groups := []struct {
		name string
		run  func(*testing.T, *holder)
	}{
		{"situations", holdSituations}, {"reasons", holdReasons}, {"outcomes", holdOutcomes}, {"demo", holdDemo},
		{"pages", holdPages},
		{"wraps", holdWraps}, {"reviews", holdReviews},
		{"agents", holdAgents}, {"acks", holdAcks}, {"tools", holdTools}, {"pins", holdPins}, {"trust", holdTrust},
		{"records", holdRecords}, {"reports", holdReports}, {"checks", holdChecks}, {"errors", holdErrors},
		{"messages", holdMessages}, {"inflight", holdInflight}, {"places", holdPlaces},
	}
	ran := 0
	t.Run("of", func(t *testing.T) {
		for _, g := range groups {
			t.Run(g.name, func(t *testing.T) {
				ran++
				g.run(t, h)
			})
		}
	})
	if ran < len(groups) || t.Failed() {
		return
	}
	for name, doc := range h.raw {
		if name != "common" {
			h.walk(node{name, doc, name}, absent{}, func(place string) {
				if !h.seen[place] {
					h.seen[place] = true
					t.Errorf("never printed here: %s", place)
				}
			})
		}
	}
	for what := range gaps {
		if !h.open[what] {
			t.Errorf("take it off the list of gaps, it is closed: %s", what)
		}
	}
}

// holdReasons shows every reason of the queue check, so that a new one needs no run of its own here.
func holdReasons(t *testing.T, h *holder) {
	for _, code := range slices.Sorted(maps.Keys(reasonSituations)) {
		t.Run(code, func(t *testing.T) { h.run(reasonSituations[code](t).bench, "queue-check") })
	}
}

// situations that take long and show nothing that the others do not.
var slowSituations = []string{"giant-line"}

func holdSituations(t *testing.T, h *holder) {
	for i, s := range fixtures.Situations() {
		if slices.Contains(slowSituations, s.Name) {
			continue
		}
		t.Run(s.Name, func(t *testing.T) {
			sub, err := s.Build(t.TempDir(), now())
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(sub.Account.Close)
			b, short := hasty(t, sub.Account), sub.Session.Short
			h.run(b, append([]string{"inventory"}, sub.Pages...)...)
			check := []string{"queue-check"}
			for _, f := range sub.Events {
				check = append(check, "--events", short+"="+f)
			}
			for _, args := range [][]string{check, {"queue-check", short}, {"why", short}, {"last-reply", short},
				{"wrap-wait", "--wait", "0", short}, {"status"}, {"events"}} {
				h.run(b, args...)
			}
			// What reads the audit's rules or writes a prompt takes ten times as long: some of the situations are enough.
			if i%16 == 0 {
				for _, args := range [][]string{{"resume", "--all"}, {"audit", short}, {"report"}, {"handoff"}, {"pins"}} {
					h.run(b, args...)
				}
			}
		})
	}
}

// every runs commands that take no session, and those that take one, on an account as it is now.
func (h *holder) every(b *bench, shorts ...string) {
	b.t.Helper()
	for _, args := range [][]string{{"queue-check"}, {"status"}, {"report"}, {"events"}, {"handoff"}, {"pins"}} {
		h.run(b, args...)
	}
	for _, name := range []string{"read", "why", "wrap-wait"} {
		args := []string{name}
		if name != "why" {
			args = append(args, "--wait", "0")
		}
		h.run(b, append(args, shorts...)...)
	}
	for _, short := range shorts {
		h.run(b, "last-reply", short)
		h.run(b, "audit", short)
	}
}

func holdOutcomes(t *testing.T, h *holder) {
	for _, outcome := range []string{
		"", fixtures.OutcomeCopy, fixtures.OutcomeUntrusted, fixtures.OutcomeGone, fixtures.OutcomeSilent,
		fixtures.OutcomeCrash, fixtures.OutcomeCrashLate, fixtures.OutcomeReplay,
		fixtures.OutcomeJoin, fixtures.OutcomeNoLine, fixtures.OutcomeExitError, fixtures.OutcomeSignIn,
		fixtures.OutcomeNotSignedIn, fixtures.OutcomeOverloaded, fixtures.OutcomeLimit,
	} {
		t.Run("outcome "+outcome, func(t *testing.T) {
			b := hasty(t, testAccount(t))
			s, later := b.add(fixtures.Session{}), b.add(fixtures.Session{Plain: true, Name: "a plain one"})
			b.script(s.Short, fixtures.Script{Outcome: outcome})
			b.inventory()
			h.run(b, "resume", "--spacing", "0", "--wait", "0", s.Short, later.Short)
			h.run(b, "status")
			if outcome == fixtures.OutcomeReplay {
				h.run(b, "report")
			}
			h.run(b, "queue-check", "--confirm", later.Short)
			h.run(b, "resume", "--spacing", "0", "--wait", "0", "--nudge", s.Short)
			h.run(b, "resume", "--spacing", "0", "--wait", "0", "--again", s.Short)
			h.every(b, s.Short)
		})
	}
}

func holdDemo(t *testing.T, h *holder) {
	d, err := fixtures.Demo(t.TempDir(), now())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(d.Close)
	b := newBench(t, d.Account)
	b.sys.timing = demoTiming
	b.sys.sleep = func(ctx context.Context, d time.Duration) { sleep(ctx, min(d, 20*time.Millisecond)) }
	short := func(part string) string { return d.Parts[part].Short }
	h.run(b, append([]string{"inventory", "--sessions"}, d.Pages...)...)
	h.run(b, "queue-check", "--events", short(fixtures.DemoMigration)+"="+d.Events[0])
	h.run(b, "queue-check", "--confirm", short(fixtures.DemoMigration))
	h.run(b, "resume", "--all")
	h.run(b, "resume", "--all", "--yes", "--dupes", d.Dupes, "--spacing", "0", "--wait", "20")
	h.run(b, "trust", short(fixtures.DemoWorktree))
	h.run(b, "resume", "--wait", "20", short(fixtures.DemoWorktree))
	h.every(b, short(fixtures.DemoImporter), short(fixtures.DemoRefund), short(fixtures.DemoLive))
}

func holdPages(t *testing.T, h *holder) {
	b := hasty(t, testAccount(t))
	at := b.a.Now.Add(-3 * time.Hour)
	odd := fixtures.CloudRow("", at)
	odd.UpdatedRaw = "yesterday"
	unsaid := fixtures.ServerRow("whether it is connected is not told", at)
	unsaid.Connection = "-"
	ide := fixtures.IDERow("in an editor", at)
	ide.Tags = []string{"vscode"}
	nobody := fixtures.IDERow("of nobody", at)
	nobody.Environment, nobody.Origin, nobody.Tags = "", "", nil
	b.a.AddRow(fixtures.CloudRow("in the cloud", at), fixtures.ServerRow("of a server", at),
		fixtures.DesktopRow("on a desk", at), ide, nobody, odd, unsaid)
	b.add(fixtures.Session{Archived: true})
	b.add(fixtures.Session{RemoteConnection: "connected"})
	b.add(fixtures.Session{Turns: []fixtures.Turn{fixtures.Ends("a", "b", "stop_sequence")}, Pinned: true})
	old := b.add(fixtures.Session{LastEntry: b.a.Now.Add(-29 * 24 * time.Hour)})
	if _, _, err := b.a.Duplicates(); err != nil {
		t.Fatal(err)
	}
	rows := b.a.Rows()
	for i := range rows {
		if strings.HasSuffix(rows[i].ID, old.Bridge) {
			rows[i].UpdatedRaw = "soon"
		}
	}
	for _, o := range []fixtures.PageOptions{{}, {HasMore: true}, {Shape: fixtures.ShapeB, HasMore: true},
		{Shape: fixtures.ShapeC, HasMore: true}, {Shape: fixtures.ShapeC}, {Rows: rows}} {
		page, err := b.a.SavePage("sessions.json", o)
		if err != nil {
			t.Fatal(err)
		}
		h.run(b, "inventory", page)
		h.run(b, "report")
		h.run(b, "status")
		h.run(b, "queue-check")
	}
	h.run(b, "queue-check", old.Short)
	h.run(b, "inventory")
}

func holdWraps(t *testing.T, h *holder) {
	b := hasty(t, testAccount(t))
	s := wrapIt(t, b)
	h.every(b, s.Short)
	h.run(b, "inventory")
	if err := os.WriteFile(b.work("closed/20200101T000000Z.jsonl"), []byte("no event\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	h.run(b, "status", "--all")
	reopened := b.add(fixtures.Session{Turns: []fixtures.Turn{fixtures.WrapTurn("done"),
		fixtures.Told("peer", "<cross-session-message from=\"other\">what is the state?</cross-session-message>",
			"All is well.")}})
	h.run(b, "wrap-wait", "--wait", "0", reopened.Short)
}

func holdReviews(t *testing.T, h *holder) {
	for _, c := range []struct {
		name   string
		script fixtures.Script
		after  string // what a person sends behind the review
	}{
		{name: "writes", script: fixtures.Script{Tools: []fixtures.Tool{fixtures.Bash("touch report.txt", ""),
			{Name: "Bash", Input: map[string]any{"command": "rm x"}, Denial: fixtures.DeniedByRule}}}},
		{name: "asks", script: fixtures.Script{Tools: []fixtures.Tool{fixtures.Bash("touch report.txt", "")},
			PermissionPrompt: true}},
		{name: "cannot be judged", script: fixtures.Script{Tools: []fixtures.Tool{fixtures.Bash("./look.sh", "")}}},
		{name: "unclear", script: fixtures.Script{Reply: "I looked at it."}},
		{name: "done", script: fixtures.Script{Reply: fixtures.Review{Verdict: "DONE", Item: "x"}.Text()}},
		{name: "held", script: fixtures.Script{Reply: fixtures.Review{Verdict: "HELD", Item: "x"}.Text()}},
		{name: "owner", script: fixtures.Script{Reply: fixtures.Review{Verdict: "OWNER", Item: "x", Open: []string{"pay"},
			MoneyAtRisk: "yes", ActsTwice: []string{"00000000"}}.Text()}},
		{name: "duplicate", script: fixtures.Script{Reply: fixtures.Review{Verdict: "DUPLICATE", Item: "x"}.Text()}},
		{name: "answered", after: "go", script: fixtures.Script{Answers: []fixtures.Answer{{Match: "^go$",
			Reply: "I paid the refund."}}}},
		{name: "wrapped", after: fixtures.WrapPrompt, script: fixtures.Script{Wrap: "held"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := hasty(t, testAccount(t))
			s, other := b.add(fixtures.Session{}), b.add(fixtures.Session{Name: "another"})
			b.script(s.Short, c.script)
			b.inventory()
			h.run(b, "resume", "--spacing", "0", "--wait", "0", "--batch", "1", s.Short, other.Short)
			if c.after != "" {
				if err := b.a.Deliver(s.Short, c.after); err != nil {
					t.Fatal(err)
				}
			}
			h.every(b, s.Short)
		})
	}
}

// holdRecords is about reviews and a journal in bad order: a prompt that stands there twice, a person's message that
// comes while the review runs, events of a newer recovery, an open intention, and a transcript and a job that are
// gone.
func holdRecords(t *testing.T, h *holder) {
	b := hasty(t, testAccount(t))
	s, plain := b.add(fixtures.Session{}), b.add(fixtures.Session{Plain: true, Name: "a plain one"})
	b.script(s.Short, fixtures.Script{Outcome: fixtures.OutcomeNoLine})
	h.run(b, "status")
	h.run(b, "handoff")
	h.run(b, "events")
	b.inventory()
	h.run(b, "resume", "--spacing", "0", "--wait", "0", s.Short)
	for range 2 {
		appendLine(t, s.Transcript, userLine(s, wakeOf(t, b, s.Short).Expected, now()))
	}
	appendLine(t, s.Transcript, userLine(s, "yes, pay it", now()))
	appendText(t, s.Transcript, "no line\n")
	h.every(b, s.Short)
	record := journal.At(b.work(""), now)
	for _, e := range []struct {
		typ     journal.Type
		session string
		data    any
	}{
		{"of-tomorrow", s.Short, map[string]any{"hologram": true}},
		{journal.Deferred, s.Short, journal.DeferData{Until: now().UTC().Add(time.Hour), Why: "the weekly limit"}},
		{journal.Intended, plain.Short, journal.Intent{PromptID: "99999999-0000-4000-8000-000000000001",
			SessionID: plain.SessionID, Kind: "review", Title: plain.Name, Prompt: "look", Expected: "look",
			Transcript: plain.Transcript, Size: 10, Cwd: plain.Cwd, Batch: 1, Attempt: 1}},
	} {
		if err := record.Append(e.typ, e.session, e.data); err != nil {
			t.Fatal(err)
		}
	}
	h.every(b, s.Short)
	h.run(b, "events", "--reverse", "--limit", "3")
	h.run(b, "resume", "--again", "--spacing", "0", "--wait", "0", plain.Short)
	h.every(b, s.Short, plain.Short)
	if err := os.Remove(s.Transcript); err != nil {
		t.Fatal(err)
	}
	h.every(b, s.Short)
	if err := os.RemoveAll(filepath.Dir(s.StatePath)); err != nil {
		t.Fatal(err)
	}
	h.run(b, "read")
	h.run(b, "report")
	h.run(b, "queue-check")
	h.run(b, "status")
	appendText(t, b.work("journal.jsonl"), "no event\n")
	for _, name := range []string{"status", "events", "handoff", "report", "read", "queue-check"} {
		h.run(b, name)
	}
}

func appendText(t *testing.T, path, text string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	_, err = f.WriteString(text)
	if err := errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
}

func holdAgents(t *testing.T, h *holder) {
	b := hasty(t, testAccount(t))
	s := b.add(fixtures.Session{RemoteUpdatedAt: now(), Untrusted: true})
	b.inventory()
	b.sys.environ = append(b.sys.environ, "CLAUDECODE=1")
	for _, args := range [][]string{
		{"inventory"}, {"queue-check", "--confirm", s.Short}, {"trust", s.Short}, {"resume", "--all", "--yes"},
		{"queue-check", "--as-user", "--confirm", s.Short}, {"trust", "--as-user", s.Short},
		{"resume", "--all", "--yes", "--again", "--as-user", "--spacing", "0", "--wait", "0"},
	} {
		h.run(b, args...)
	}
	h.every(b, s.Short)
}

// holdTools has calls of every class and result, those of subagents, and lines that cannot be read.
func holdTools(t *testing.T, h *holder) {
	b := hasty(t, testAccount(t))
	s := b.add(fixtures.Session{Turns: []fixtures.Turn{fixtures.Says("Try everything.", "I tried.",
		fixtures.Bash("curl https://example.com/", "ok"), fixtures.Bash("./unknown", ""),
		fixtures.Tool{Name: "Bash", Input: map[string]any{"command": "false"}, Result: "Exit code 1", IsError: true},
		fixtures.Tool{Name: "Bash", Input: map[string]any{"command": "true"}, ChangedFiles: []string{"/nowhere/a"}}),
		fixtures.Unfinished("And again.", fixtures.Tool{Name: "Read", Input: map[string]any{"file_path": "/x"},
			Pending: true})}})
	dir := filepath.Join(strings.TrimSuffix(s.Transcript, ".jsonl"), "subagents")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	agent := filepath.Join(dir, "agent-1.jsonl")
	if err := os.WriteFile(agent, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	appendLine(t, agent, map[string]any{"type": "assistant", "isSidechain": true,
		"timestamp": now().UTC().Format(time.RFC3339Nano),
		"message": map[string]any{"role": "assistant", "content": []any{map[string]any{"type": "tool_use", "id": "t1",
			"name": "Bash", "input": map[string]any{"command": "ls"}}}}})
	appendText(t, s.Transcript, "no line\n")
	h.run(b, "audit", s.Short)
	h.run(b, "audit", s.Transcript)
	h.run(b, "audit", b.add(fixtures.Session{Plain: true, Name: "a plain one"}).Short)
	// A reply whose line has no time, and one in another zone.
	for _, stamp := range []string{"", "2026-01-02T03:04:05+02:00"} {
		appendLine(t, s.Transcript, doneLine(stamp))
		b.inventory()
		h.every(b, s.Short)
	}
}

// doneLine is a reply that ends a turn; without a stamp its line has no time.
func doneLine(stamp string) map[string]any {
	line := map[string]any{"type": "assistant", "uuid": "aaaaaaaa-0000-4000-8000-000000000001",
		"message": map[string]any{"id": "m1", "role": "assistant", "model": "claude-x", "stop_reason": "end_turn",
			"content": []any{map[string]any{"type": "text", "text": "Done."}}}}
	if stamp != "" {
		line["timestamp"] = stamp
	}
	return line
}

func holdPins(t *testing.T, h *holder) {
	b := hasty(t, testAccount(t))
	b.add(fixtures.Session{Name: "retired", LastEntry: b.a.Now.Add(-9 * time.Hour)})
	b.add(fixtures.Session{Name: "pinned and alive", Live: true, Pinned: true, LastEntry: b.a.Now.Add(-10 * time.Hour),
		Log: []fixtures.LogLine{fixtures.Started("fleet", b.a.Now.Add(-12*time.Hour))}})
	b.add(fixtures.Session{Name: "pinned and gone", Pinned: true, NoTranscript: true})
	if err := b.a.Pin("00000000"); err != nil {
		t.Fatal(err)
	}
	h.run(b, "pins")
	b.sys.memory = func() (int64, error) { return 0, errors.New("no meminfo") }
	h.run(b, "pins")
}

func holdTrust(t *testing.T, h *holder) {
	b := hasty(t, testAccount(t))
	s, gone, plain := b.add(fixtures.Session{Untrusted: true}), b.add(fixtures.Session{NoFolder: true, Cwd: "gone"}),
		b.add(fixtures.Session{Plain: true, Cwd: "other", Untrusted: true})
	h.run(b, "trust", s.Short, gone.Short)
	h.run(b, "trust", s.Short)
	b.inventory()
	h.run(b, "resume", "--spacing", "0", "--wait", "0", s.Short, gone.Short, plain.Short)
	h.run(b, "queue-check", "--confirm", plain.Short)
	h.run(b, "resume", "--spacing", "0", "--wait", "0", plain.Short)
	h.run(b, "trust", plain.Short)
	h.every(b, s.Short)
	// A job without a folder is woken from home, which is gone too.
	homeless := b.add(fixtures.Session{Name: "homeless", Extra: map[string]string{"cwd": `""`}})
	b.inventory()
	b.sys.environ = append(b.sys.environ, "CLAUDE_CONFIG_DIR="+b.a.Claude, "HOME="+filepath.Join(b.a.Root, "gone"))
	h.run(b, "trust", homeless.Short)
	h.run(b, "resume", "--spacing", "0", "--wait", "0", homeless.Short)
	h.run(b, "events", "--type", "refused")
}

// holdChecks makes what the queue check finds only in accounts that no situation describes.
func holdChecks(t *testing.T, h *holder) {
	b := hasty(t, testAccount(t))
	own, gone, dir := b.add(fixtures.Session{Name: "own"}), b.add(fixtures.Session{Name: "gone"}),
		b.add(fixtures.Session{Name: "a folder"})
	cron := b.add(fixtures.Session{Name: "cron", Turns: []fixtures.Turn{fixtures.Says("Look every hour.", "I will.",
		fixtures.Tool{Name: "CronCreate", Input: map[string]any{"cron": "0 * * * *"}})}})
	bound := b.add(fixtures.Session{Name: "bound"})
	relative := b.add(fixtures.Session{Name: "relative", Extra: map[string]string{"cwd": `"somewhere"`}})
	confirmed := b.add(fixtures.Session{Name: "confirmed", RemoteUpdatedAt: now()})
	state := filepath.Join(bound.Cwd, ".a5c", "state")
	if err := os.MkdirAll(state, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(state, bound.SessionID+".md"), []byte("active: true\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	early := b.add(fixtures.Session{Name: "early", RemoteUpdatedAt: now()})
	appendLine(t, early.Transcript, userLine(early, "And one more thing.", early.LastEntry.Add(time.Minute)))
	before, err := b.a.SaveEvents(early.Short, "early.json", fixtures.EventOptions{})
	if err != nil {
		t.Fatal(err)
	}
	appendLine(t, early.Transcript, doneLine(early.LastEntry.Add(10*time.Minute).UTC().Format(time.RFC3339Nano)))
	b.sys.user = ""
	h.run(b, "inventory")
	b.sys.user = "tester"
	h.run(b, "events")
	b.inventory()
	h.run(b, "queue-check", "--events", early.Short+"="+before)
	page, err := os.ReadFile(before)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(before, bytes.Replace(page, []byte(`"data":[`), []byte(`"data":[7,`), 1), 0o600); err != nil {
		t.Fatal(err)
	}
	h.run(b, "queue-check", "--events", early.Short+"="+before)
	if err := os.WriteFile(b.work("events/"+early.Short+".json"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	h.run(b, "queue-check", early.Short)
	beside := b.add(fixtures.Session{Name: "beside", Bridge: own.Bridge, Live: true, NoRemote: true})
	h.run(b, "queue-check", own.Short)
	if err := os.RemoveAll(filepath.Dir(beside.StatePath)); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.RemoveAll(filepath.Dir(gone.StatePath)), os.Remove(dir.Transcript), os.Mkdir(dir.Transcript,
		0o700)); err != nil {
		t.Fatal(err)
	}
	b.sys.environ = append(b.sys.environ, "CLAUDE_CODE_SESSION_ID="+own.SessionID)
	h.run(b, "queue-check")
	b.sys.environ = b.sys.environ[:len(b.sys.environ)-1]
	h.run(b, "queue-check", "--confirm", confirmed.Short)
	h.run(b, "queue-check", "--confirm", confirmed.Short)
	h.run(b, "queue-check", "--max-age", "0", confirmed.Short)
	h.every(b, cron.Short, relative.Short)
	logs, err := filepath.Glob(filepath.Join(b.a.Claude, "daemon.log*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range logs {
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
	h.run(b, "why", cron.Short)
}

// holdPlaces makes the places of a session that come between two runs, or from a transcript that no situation
// describes.
func holdPlaces(t *testing.T, h *holder) {
	b := hasty(t, testAccount(t))
	// An open intention, as a crash leaves it behind.
	open := b.add(fixtures.Session{Name: "open"})
	b.inventory()
	killedRun(t, b, open, true)
	h.run(b, "queue-check", open.Short)
	h.run(b, "status")

	b = hasty(t, testAccount(t))
	fan := b.add(fixtures.Session{Name: "an agent", Extra: map[string]string{
		"fan": `[{"id":"a1","kind":"agent","label":"look at the logs","startedAt":1796098060790}]`}})
	shortened := b.add(fixtures.Session{Name: "cut short", LastEntry: b.a.Now.Add(-12 * time.Hour),
		Log: []fixtures.LogLine{
			{At: b.a.Now.Add(-time.Hour), Text: "bg retire SHORT: settled, idle 8h"}}})
	repeated := b.add(fixtures.Session{Name: "repeated", Turns: []fixtures.Turn{fixtures.Says("a", "b"),
		fixtures.Says("c", "d")}})
	repeatALine(t, repeated)
	b.inventory()
	h.run(b, "queue-check", fan.Short, shortened.Short, repeated.Short)

	asks := b.add(fixtures.Session{Name: "asks"})
	b.script(asks.Short, fixtures.Script{Tools: []fixtures.Tool{fixtures.Bash("git log", "")}, PermissionPrompt: true,
		Process: fixtures.Bool(true)})
	slow := b.add(fixtures.Session{Name: "slow"})
	b.script(slow.Short, fixtures.Script{DelayMS: 600_000, Process: fixtures.Bool(true)})
	owner := b.add(fixtures.Session{Name: "owner"})
	b.script(owner.Short, fixtures.Script{Reply: fixtures.Review{Verdict: "OWNER", Item: "x", Open: []string{"pay"},
		MoneyAtRisk: "9 EUR"}.Text()})
	b.sys.processes = account.ReadProcesses
	b.sys.timing.Proof = testTiming.Proof // each prompt arrives, on a loaded machine too
	b.inventory()
	// The processes of the sessions may come late on a loaded machine; the proof ends with the line that it waits for.
	b.sys.timing.Proof = time.Minute
	h.run(b, "resume", "--spacing", "0", "--wait", "0", asks.Short, slow.Short, owner.Short)
	h.run(b, "status")
	b.confirmed(owner.Short)
	// The simulated client takes a session for a starting one in the second after its wake.
	if err := os.RemoveAll(filepath.Join(b.a.Simulated, "woken")); err != nil {
		t.Fatal(err)
	}
	h.run(b, "resume", "--prompt", "prep", "--spacing", "0", "--wait", "0", owner.Short)
	h.run(b, "status")
	// An agent's turn behind the reply.
	on := b.add(fixtures.Session{Name: "goes on"})

	b.inventory()
	h.run(b, "resume", "--spacing", "0", "--wait", "0", on.Short)
	appendNotified(t, on)
	h.run(b, "read", on.Short)
	// A wrap behind a verdict with money at risk.
	wrapped := b.add(fixtures.Session{Name: "wrapped"})
	b.script(wrapped.Short, fixtures.Script{Reply: fixtures.Review{Verdict: "OWNER", Item: "y", Open: []string{"pay"},
		MoneyAtRisk: "9 EUR"}.Text(), Wrap: "done"})
	b.inventory()
	h.run(b, "resume", "--spacing", "0", "--wait", "0", wrapped.Short)
	text, err := prompts.RenderWrap(prompts.Wrap{Short: wrapped.Short})
	if err != nil {
		t.Fatal(err)
	}
	if err := b.a.Deliver(wrapped.Short, text); err != nil {
		t.Fatal(err)
	}
	h.run(b, "wrap-wait", "--wait", "5", wrapped.Short)
	h.run(b, "report")
	h.run(b, "status")
}

// appendNotified writes a turn that a task notification began and that made a call.
func appendNotified(t *testing.T, s fixtures.Added) {
	t.Helper()
	at := time.Now().Add(time.Second)
	line := userLine(s, "<task-notification>\n<task-id>a1</task-id>\n<status>completed</status>\n</task-notification>", at)
	appendLine(t, s.Transcript, line)
	call := doneLine(at.Add(time.Second).UTC().Format(time.RFC3339Nano))
	call["message"].(map[string]any)["content"] = []any{map[string]any{"type": "tool_use", "id": "toolu_on",
		"name": "Bash", "input": map[string]any{"command": "git status"}}}
	appendLine(t, s.Transcript, call)
}

// repeatALine writes an earlier line of a transcript behind its end once more.
func repeatALine(t *testing.T, s fixtures.Added) {
	t.Helper()
	data, err := os.ReadFile(s.Transcript)
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(data) {
		if bytes.Contains(line, []byte(`"type":"assistant"`)) {
			f, err := os.OpenFile(s.Transcript, os.O_APPEND|os.O_WRONLY, 0)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := f.Write(line); err != nil {
				t.Fatal(err)
			}
			if err := f.Close(); err != nil {
				t.Fatal(err)
			}
			return
		}
	}
	t.Fatal("no reply in the transcript")
}

func holdErrors(t *testing.T, h *holder) {
	b := hasty(t, testAccount(t))
	s := b.add(fixtures.Session{})
	h.run(b, "queue-check")
	h.run(b, "report")
	h.run(b, "read")
	b.inventory()
	for _, args := range [][]string{
		{"inventory", "no-such-page.json"}, {"queue-check", "ffffffff"}, {"queue-check", "--events", "x"},
		{"queue-check", "--max-age", "soon"}, {"resume"}, {"resume", "--all", s.Short},
		{"resume", "--batch", "0", s.Short}, {"resume", "--batch", "many", s.Short}, {"resume", "--no-such-flag"},
		{"read", "--wait"}, {"last-reply"}, {"audit", "no-such.jsonl"}, {"audit", "--rules", "none", s.Short},
		{"wrap-wait"}, {"wrap-wait", "--mark", " ", s.Short}, {"trust"}, {"report", "--format", "html"}, {"why"},
		{"pins", s.Short}, {"events", "--limit", "-1"}, {"events", "--session", "ffff"},
		{"handoff", "x"}, {"handoff", "-o", filepath.Join(s.StatePath, "no-folder", "x.md")}, {"no-such-command"},
	} {
		status, v := h.run(b, args...)
		if v != nil && v["error"] == nil || status != exitFailed && status != exitUsage {
			t.Errorf("%v ended with %d: %v", args, status, v)
		}
	}
	release, err := journal.WorkIn(b.work("")).Lock(journal.Holder{PID: 1, User: "x", Command: "resume", Since: now()})
	if err != nil {
		t.Fatal(err)
	}
	h.run(b, "resume", s.Short)
	h.run(b, "trust", s.Short)
	release()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, args := range [][]string{{"resume", s.Short}, {"read"}, {"wrap-wait", s.Short}} {
		h.runIn(b, ctx, args...)
	}
	if err := os.WriteFile(b.work(journal.InventoryFile), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"report", "status", "resume"} {
		h.run(b, name)
	}
}
