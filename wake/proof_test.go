package wake

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"recovery/fixtures"
	"recovery/internal/claude"
	"recovery/internal/journal"
)

// proving is the proof of one call of the client, made the way a run makes it.
func (b *bench) proving(s *fixtures.Added, said Said) *proof {
	return &proof{run: b.run, short: s.Short, intent: b.intended(s), said: said, called: b.now,
		before: map[string]bool{s.Short: true}}
}

// TestWhatBecameOfACall: every outcome of a call, from the words of the client and from what stands in the account.
func TestWhatBecameOfACall(t *testing.T) {
	const id = "00000000-0000-4000-8000-0000000000aa"
	woke := func(s *fixtures.Added) string {
		return "note: woke session " + s.Short + " with its saved options (-n).\nbackgrounded · " + s.Short + " · x"
	}
	exit1 := func(words string) func(*fixtures.Added) Said {
		return func(*fixtures.Added) Said { return Said{Stderr: words, Exit: 1} }
	}
	ok := func(s *fixtures.Added) Said { return Said{Stdout: woke(s)} }
	for name, c := range map[string]struct {
		said    func(s *fixtures.Added) Said
		happens func(b *bench, s *fixtures.Added, p *proof)
		want    journal.Outcome
		sent    bool
		saved   bool
		reason  string
		kind    claude.Kind
		to      time.Duration // it is known by then
	}{
		"delivered": {ok, func(b *bench, s *fixtures.Added, p *proof) {
			b.at(9*time.Second, func() { b.lines(s.Transcript, person(p.intent.Prompt)) })
		}, journal.Woken, true, false, "own transcript", "", 10 * time.Second},
		"delivered as a queued message": {ok, func(b *bench, s *fixtures.Added, p *proof) {
			b.lines(s.Transcript, map[string]any{"type": "attachment", "attachment": map[string]any{"type": "queued_command",
				"prompt": p.intent.Prompt}})
		}, journal.Woken, true, false, "own transcript", "", 0},
		"delivered although the client was silent": {exit1(""), func(b *bench, s *fixtures.Added, p *proof) {
			b.at(20*time.Second, func() { b.lines(s.Transcript, person(p.intent.Prompt)) })
		}, journal.Woken, true, false, "own transcript", "", 21 * time.Second},
		"delivered in a new file": {ok, func(b *bench, s *fixtures.Added, p *proof) {
			path := filepath.Join(filepath.Dir(s.Transcript), "22222222-2222-4222-8222-222222222222.jsonl")
			b.lines(path, person(p.intent.Prompt))
			b.state(s, "linkScanPath", path)
		}, journal.Woken, true, false, "own transcript", "", 0},
		"written twice": {ok, func(b *bench, s *fixtures.Added, p *proof) {
			for range 3 {
				l := person(p.intent.Prompt)
				l["uuid"] = "33333333-3333-4333-8333-333333333333"
				b.lines(s.Transcript, l)
			}
		}, journal.Woken, true, false, "own transcript", "", 0},
		"an old line written again": {ok, func(b *bench, s *fixtures.Added, p *proof) {
			b.lines(s.Transcript, b.old, person(p.intent.Prompt))
		}, journal.Woken, true, false, "own transcript", "", 0},
		"joined": {ok, func(b *bench, s *fixtures.Added, p *proof) {
			b.lines(s.Transcript, person("yes, go ahead\n\n"+p.intent.Prompt))
		}, journal.Joined, true, false, "yes, go ahead", "", 0},
		"replayed": {ok, func(b *bench, s *fixtures.Added, p *proof) {
			b.lines(s.Transcript, person("the first brief"))
		}, journal.Replayed, true, false, "the first brief", "", 0},
		"a notification came first": {ok, func(b *bench, s *fixtures.Added, p *proof) {
			b.lines(s.Transcript, person("<task-notification>done</task-notification>"), person(p.intent.Prompt))
		}, journal.Woken, true, false, "own transcript", "", 0},
		"a copy by its answer": {func(*fixtures.Added) Said { return Said{Stdout: "backgrounded · 0e30a1f7 · x"} }, nil,
			journal.Copy, true, false, "claude stop 0e30a1f7", "", 0},
		"a copy without its short": {func(*fixtures.Added) Said {
			return Said{Stderr: "note: another background session already uses the id x, so this started a copy as -"}
		}, nil, journal.Copy, true, false, "started a copy", "", 0},
		"a copy that nobody told of": {ok, func(b *bench, s *fixtures.Added, p *proof) {
			b.at(5*time.Second, func() {
				b.write(filepath.Join(b.a.Claude, "jobs", "0e30a1f7", "state.json"), map[string]any{
					"sessionId": "0e30a1f7-1111-4111-8111-111111111111", "state": "working", "intent": p.intent.Prompt})
			})
		}, journal.Copy, true, false, "claude stop 0e30a1f7", "", 6 * time.Second},
		"not trusted, saved": {exit1("Workspace not trusted. Run `claude` in /w once. Your message is saved and will be " +
			"delivered when session x next starts."),
			func(b *bench, s *fixtures.Added, p *proof) {
				b.at(time.Second, func() { b.queuedPrompt(s, p.intent.Prompt) })
			}, journal.Untrusted, true, true, "exit status 1", "", 2 * time.Second},
		"not trusted, and nothing is saved": {exit1("Workspace not trusted. Run `claude` in /w once and accept the trust " +
			"prompt, then retry."), nil,
			journal.Untrusted, false, false, "Workspace not trusted", "", 3 * time.Second},
		"its folder is gone": {exit1("Workspace not trusted. /w could not be resolved on disk."), nil,
			journal.MissingCwd, false, false, "could not be resolved", "", 3 * time.Second},
		"not signed in": {exit1("Not logged in · Please run /login"), nil, journal.NotStarted, false, false, "Not logged in",
			claude.KindSignIn, 3 * time.Second},
		"a limit": {exit1("You've hit your session limit · resets 3pm (UTC)"), nil, journal.NotStarted, false, false,
			"session limit", claude.KindLimit, 3 * time.Second},
		"the conversation cannot be resumed": {exit1("Failed to resume the conversation"), nil,
			journal.NotStarted, false, false, `"Failed to resume the conversation", exit status 1`, "", 3 * time.Second},
		"the service cannot be reached": {exit1("Couldn't reach the background service (ECONNREFUSED)"), nil,
			journal.NotStarted, false, false, "Couldn't reach", claude.KindConnection, 3 * time.Second},
		"refused in words, and delivered": {exit1("Failed to resume the conversation"), func(b *bench, s *fixtures.Added,
			p *proof) {
			b.at(time.Second, func() { b.lines(s.Transcript, person(p.intent.Prompt)) })
		}, journal.Woken, true, false, "own transcript", "", 2 * time.Second},
		"refused in words, and in another transcript": {exit1("Failed to resume the conversation"),
			func(b *bench, s *fixtures.Added, p *proof) {
				b.lines(filepath.Join(filepath.Dir(s.Transcript), "44444444-4444-4444-8444-444444444444.jsonl"),
					person(p.intent.Prompt))
			}, journal.Copy, true, false, "claude stop 44444444", "", 3 * time.Second},
		"a text that nobody knows": {exit1("panic: out of cheese"), nil, journal.Uncertain, true, false,
			`"panic: out of cheese", exit status 1`, "", 30 * time.Second},
		"silent": {exit1(""), nil, journal.Uncertain, true, false, "said nothing, exit status 1", "",
			30 * time.Second},
		"it says that it woke it": {ok, nil, journal.Uncertain, true, false, "woke session", "", 30 * time.Second},
		"it never ended": {func(*fixtures.Added) Said { return Said{TimedOut: true} }, nil, journal.Uncertain, true,
			false, "had not ended", "", 30 * time.Second},
		"a refusal with exit 0": {func(*fixtures.Added) Said { return Said{Stderr: "Failed to resume the conversation"} },
			nil, journal.Uncertain, true, false, "Failed to resume", "", 30 * time.Second},
		"died at its start": {ok, func(b *bench, s *fixtures.Added, p *proof) {
			b.at(8*time.Second, func() { b.log("bg settled " + s.Short + " (crashed): OAuth token has expired") })
		}, journal.Uncertain, true, false, "OAuth token has expired", claude.KindSignIn, 9 * time.Second},
		"died at its start, saved": {ok, func(b *bench, s *fixtures.Added, p *proof) {
			b.queuedPrompt(s, p.intent.Prompt)
			b.at(8*time.Second, func() { b.log("bg settled " + s.Short + " (crashed): No LLM gateway") })
		}, journal.Saved, true, true, "No LLM gateway", "", 9 * time.Second},
		"saved in the end": {exit1(""), func(b *bench, s *fixtures.Added, p *proof) {
			b.queuedPrompt(s, p.intent.Prompt)
		}, journal.Saved, true, true, "exit status 1", "", 30 * time.Second},
		"it could not be run": {func(*fixtures.Added) Said { return Said{Err: errors.New("no such file")} }, nil,
			journal.NotStarted, false, false, "no such file", "", 0},
	} {
		t.Run(name, func(t *testing.T) {
			s := &fixtures.Added{}
			b := newBench(t, s)
			b.old = person("an old word of the user")
			b.old["uuid"] = "55555555-5555-4555-8555-555555555555"
			b.lines(s.Transcript, b.old)
			p := b.proving(s, c.said(s))
			if c.happens != nil {
				c.happens(b, s, p)
			}
			out := p.find(context.Background())
			if out.Outcome != c.want || out.Sent != c.sent || out.PromptSaved != c.saved || out.PromptID != id {
				t.Errorf("%+v, want %s", out, c.want)
			}
			if !strings.Contains(out.Reason, c.reason) {
				t.Errorf("the reason %q lacks %q", out.Reason, c.reason)
			}
			if p.kind != c.kind {
				t.Errorf("it is about %q, want %q", p.kind, c.kind)
			}
			if b.slept > c.to || p.unproven {
				t.Errorf("known after %s, want %s", b.slept, c.to)
			}
		})
	}
}

// TestAnInterruptedProofStaysOpen: the next run settles it from the evidence.
func TestAnInterruptedProofStaysOpen(t *testing.T) {
	for name, c := range map[string]struct {
		happens func(b *bench, s *fixtures.Added)
		want    journal.Outcome
	}{
		"delivered after the run had ended": {func(b *bench, s *fixtures.Added) {
			b.lines(s.Transcript, person(prompt(b)))
		}, journal.Woken},
		"delivered while the next run looks": {func(b *bench, s *fixtures.Added) {
			b.at(b.slept+10*time.Second, func() { b.lines(s.Transcript, person(prompt(b))) })
		}, journal.Woken},
		"together with a yes": {func(b *bench, s *fixtures.Added) {
			b.lines(s.Transcript,
				person("yes\n\n"+prompt(b)))
		}, journal.Joined},
		"saved":   {func(b *bench, s *fixtures.Added) { b.queuedPrompt(s, prompt(b)) }, journal.Saved},
		"nowhere": {func(*bench, *fixtures.Added) {}, journal.Uncertain},
		"a later word is no replay": {func(b *bench, s *fixtures.Added) { b.lines(s.Transcript, person("good morning")) },
			journal.Uncertain},
		"in a copy": {func(b *bench, s *fixtures.Added) {
			b.lines(filepath.Join(filepath.Dir(s.Transcript), "44444444-4444-4444-8444-444444444444.jsonl"), person(prompt(b)))
		}, journal.Copy},
		"in a transcript that was written anew": {func(b *bench, s *fixtures.Added) {
			if err := os.Truncate(s.Transcript, 0); err != nil {
				b.t.Fatal(err)
			}
			b.lines(s.Transcript, person("hello"), person(prompt(b)))
		}, journal.Woken},
	} {
		t.Run(name, func(t *testing.T) {
			s := &fixtures.Added{}
			b := newBench(t, s)
			ctx, cancel := context.WithCancel(context.Background())
			b.says(Said{Stdout: "backgrounded · " + s.Short})
			b.at(8*time.Second, func() {})
			client := b.run.Client
			b.run.Client = func(_ context.Context, call Call) Said {
				if call.Args[0] != "--version" {
					cancel()
				}
				return client(ctx, call)
			}
			res, err := b.run.Do(ctx, []string{s.Short})
			if err != nil || !res.Interrupted || res.Items[0].Outcome != journal.Uncertain ||
				!strings.Contains(res.Items[0].Reason, "interrupted") {
				t.Fatalf("%+v %v", res, err)
			}
			if b.events(journal.Concluded) != 0 || b.events(journal.Intended) != 1 {
				t.Fatal("an outcome is on record")
			}
			c.happens(b, s)
			b.says(Said{Exit: 1, Stderr: "error: unknown option '--bg'"})
			b.run.versionDone = true
			state, err := b.run.settle(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			w := state.Session(s.Short).Wakes[0]
			if w.Open() || w.Result.Outcome != c.want || !w.Result.Sent {
				t.Errorf("settled as %+v, want %s", w.Result, c.want)
			}
			if b.calls != 1 {
				t.Errorf("%d calls", b.calls)
			}
		})
	}
}

// prompt is the one that was intended last.
func prompt(b *bench) string {
	b.t.Helper()
	state, err := b.run.state()
	if err != nil {
		b.t.Fatal(err)
	}
	for _, s := range state.Sessions {
		if len(s.Wakes) > 0 {
			return s.Wakes[len(s.Wakes)-1].Prompt
		}
	}
	b.t.Fatal("nothing was intended")
	return ""
}

// TestSettlingIsInterruptedToo: what is not known then stays open.
func TestSettlingIsInterruptedToo(t *testing.T) {
	s := &fixtures.Added{}
	b := newBench(t, s)
	b.intended(s)
	ctx, cancel := context.WithCancel(context.Background())
	b.at(5*time.Second, cancel)
	state, err := b.run.settle(ctx)
	if err != nil || state.Session(s.Short).OpenWake() == nil || b.events(journal.Settled) != 0 {
		t.Errorf("%v, %d settled", err, b.events(journal.Settled))
	}
}
