package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"recovery/fixtures"
	"recovery/fixtures/long"
	"recovery/internal/journal"
	"recovery/prompts"
)

// child runs the program in a process of its own on an account.
func (b *bench) child(env []string, client string, args ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], append([]string{"--client", client}, args...)...)
	cmd.Env = append(append(os.Environ(), b.a.Env()...), "CLAUDECODE=", "CLAUDE_CODE_SESSION_ID=", "CLAUDE_JOB_DIR=",
		programEnv+"=1")
	cmd.Env = append(cmd.Env, env...)
	return cmd
}

// TestCrashCampaign kills the program with SIGKILL at every point around a journal write and around the client call,
// for every outcome of the simulated client, starts it again and lets it finish. Over all points, no session receives
// more than one prompt, and every prompt that was received is known. Without -long it is a quarter of the points of
// each outcome, and other ones for the next outcome, so that each kind of point has its turn.
func TestCrashCampaign(t *testing.T) {
	outcomes := []string{
		"", fixtures.OutcomeCopy, fixtures.OutcomeUntrusted, fixtures.OutcomeGone, fixtures.OutcomeSilent,
		fixtures.OutcomeCrash, fixtures.OutcomeCrashLate,
		fixtures.OutcomeReplay, fixtures.OutcomeJoin, fixtures.OutcomeNoLine, fixtures.OutcomeExitError,
		fixtures.OutcomeSignIn, fixtures.OutcomeNotSignedIn,
		fixtures.OutcomeOverloaded, fixtures.OutcomeLimit,
	}
	if testing.Short() {
		outcomes = outcomes[:1]
	}
	var mu sync.Mutex
	points := 0
	t.Run("outcomes", func(t *testing.T) {
		for i, outcome := range outcomes {
			t.Run("outcome "+outcome, func(t *testing.T) {
				t.Parallel()
				n := campaign(t, outcome, i)
				mu.Lock()
				points += n
				mu.Unlock()
			})
		}
	})
	t.Logf("%d crash points over %d outcomes", points, len(outcomes))
	if points < 8*len(outcomes) {
		t.Errorf("only %d points: the probes are gone", points)
	}
}

// campaign goes through the points of one outcome and gives their number. The outcome's place in the list says where
// a small campaign begins.
func campaign(t *testing.T, outcome string, place int) int {
	step := long.Of(4, 1)
	for n := 1 + place%step; ; n += step {
		b := newBench(t, testAccount(t))
		s := b.add(fixtures.Session{})
		b.script(s.Short, fixtures.Script{Outcome: outcome})
		b.inventory()
		var errs bytes.Buffer
		cmd := b.child([]string{fmt.Sprintf("%s=%d", killEnv, n)}, b.client, "resume", "--spacing", "0", "--wait", "0",
			s.Short)
		cmd.Stderr = &errs
		killed := cmd.Run() != nil && cmd.ProcessState.ExitCode() == -1
		// The run after a crash settles it; every other time one more run shows that a second settling changes nothing.
		for range 1 + n%2 {
			finish := b.child([]string{killEnv + "=0"}, b.client, "resume", "--spacing", "0", "--wait", "0", s.Short)
			if out, err := finish.CombinedOutput(); err != nil && finish.ProcessState.ExitCode() < 0 {
				t.Fatalf("point %d: the run after the crash did not end: %v\n%s", n, err, out)
			}
		}
		checkOnce(t, b, s.Short, fmt.Sprintf("outcome %q, point %d (%s)", outcome, n, lastLine(errs.String())))
		b.a.Close()
		if !killed {
			return n - 1
		}
	}
}

func lastLine(s string) string {
	lines := strings.Split(strings.TrimSpace(s), "\n")
	return lines[len(lines)-1]
}

// checkOnce wants at most one prompt in all sessions together, each of them known to the journal as sent.
func checkOnce(t *testing.T, b *bench, short, where string) {
	t.Helper()
	all, err := b.a.AllReceived()
	if err != nil {
		t.Fatal(err)
	}
	events, err := journal.At(b.work(""), now).Read()
	if err != nil {
		t.Errorf("%s: %v", where, err)
		return
	}
	known := map[string]bool{}
	for _, w := range journal.Replay(events).Session(short).Wakes {
		if w.Sent() && !w.Open() {
			known[w.PromptID] = true
		}
	}
	got := 0
	for to, texts := range all {
		for _, text := range texts {
			for _, id := range prompts.FindPromptID(text) {
				got++
				if !known[id] {
					t.Errorf("%s: %s received a prompt that the journal does not know", where, to)
				}
			}
		}
	}
	if got > 1 {
		t.Errorf("%s: %d prompts were received", where, got)
	}
	if n := len(b.wakes()); n > 1 && got > 0 {
		t.Errorf("%s: %d client calls after a prompt was received", where, n)
	}
}

// TestTwoAtOnce starts two runs at the same moment, again and again: one works, the other is turned away and told by
// whom.
func TestTwoAtOnce(t *testing.T) {
	t.Parallel()
	for range long.Of(5, 50) {
		b := newBench(t, testAccount(t))
		s := b.add(fixtures.Session{})
		b.inventory()
		// The one that works waits in its client call until the other one has ended.
		gate := filepath.Join(b.a.Root, "gate")
		gated := filepath.Join(b.a.Root, "gated")
		script := fmt.Sprintf("#!/bin/sh\nwhile [ ! -e '%s' ]; do sleep 0.01; done\nexec '%s' \"$@\"\n", gate, b.client)
		if err := os.WriteFile(gated, []byte(script), 0o700); err != nil {
			t.Fatal(err)
		}
		type ended struct {
			status int
			errs   string
		}
		done := make(chan ended, 2)
		for range 2 {
			var errs bytes.Buffer
			cmd := b.child(nil, gated, "resume", "--spacing", "0", "--wait", "5", s.Short)
			cmd.Stderr = &errs
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			go func() {
				_ = cmd.Wait()
				done <- ended{cmd.ProcessState.ExitCode(), errs.String()}
			}()
		}
		away := <-done
		if away.status != exitFailed || !strings.Contains(away.errs, "locked by `recovery resume`") ||
			!strings.Contains(away.errs, "since ") {
			t.Errorf("the one turned away ended with %d: %s", away.status, away.errs)
		}
		if err := os.WriteFile(gate, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if worked := <-done; worked.status != exitOK {
			t.Errorf("the one that works ended with %d: %s", worked.status, worked.errs)
		}
		if got := b.received(s.Short); len(got) != 1 {
			t.Errorf("%d prompts", len(got))
		}
		b.a.Close()
	}
}

// TestReadBesideResume reads and records while another process resumes: the journal's sequence stays whole.
func TestReadBesideResume(t *testing.T) {
	b := newBench(t, testAccount(t))
	var shorts []string
	for range 6 {
		shorts = append(shorts, b.add(fixtures.Session{}).Short)
	}
	b.inventory()
	resume := b.child(nil, b.client, append([]string{"resume", "--spacing", "0", "--wait", "5"}, shorts...)...)
	if err := resume.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- resume.Wait() }()
	for running := true; running; {
		select {
		case err := <-ended:
			if err != nil {
				t.Errorf("resume: %v", err)
			}
			running = false
		default:
			b.run("read", "--wait", "0")
			b.run("queue-check", shorts[0])
		}
	}
	b.must(exitOK, "read")
	events, err := journal.At(b.work(""), now).Read()
	if err != nil {
		t.Fatal(err)
	}
	if n := len(b.wakes()); n != len(shorts) {
		t.Errorf("%d wakes for %d sessions, %d events", n, len(shorts), len(events))
	}
}

// TestInterrupted: after a signal nothing more is started, what runs is waited for and journalled, one line says what
// is owed, and the status is 130.
func TestInterrupted(t *testing.T) {
	for _, name := range []string{"INT", "TERM", "HUP"} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, testAccount(t))
			first := b.add(fixtures.Session{})
			second := b.add(fixtures.Session{})
			b.inventory()
			// The client itself sends the signal to the program that called it, and answers all the same.
			signaller := filepath.Join(b.a.Root, "signaller")
			script := fmt.Sprintf("#!/bin/sh\ncase \"$*\" in *--resume*) kill -%s $PPID;; esac\nexec '%s' \"$@\"\n", name,
				b.client)
			if err := os.WriteFile(signaller, []byte(script), 0o700); err != nil {
				t.Fatal(err)
			}
			var errs bytes.Buffer
			cmd := b.child(nil, signaller, "resume", "--spacing", "0", "--wait", "60", first.Short, second.Short)
			cmd.Stderr = &errs
			_ = cmd.Run()
			if got := cmd.ProcessState.ExitCode(); got != exitInterrupted {
				t.Errorf("ended with %d", got)
			}
			if !strings.Contains(errs.String(), "interrupted; reviews to be read: ") || !strings.Contains(errs.String(),
				"not started: "+second.Short) {
				t.Errorf("it says:\n%s", errs.String())
			}
			if w := wakeOf(t, b, first.Short); w.Open() || w.Result.Outcome != "woken" {
				t.Errorf("the call that was made is not on record: %+v", w.Result)
			}
			if got := b.received(second.Short); len(got) != 0 {
				t.Errorf("the second session was started after the signal")
			}
			b.run("resume", "--spacing", "0", first.Short, second.Short)
			if one, two := len(b.received(first.Short)), len(b.received(second.Short)); one != 1 || two != 1 {
				t.Errorf("after going on: %d and %d prompts", one, two)
			}
		})
	}
}
