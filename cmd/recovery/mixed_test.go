package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"recovery/fixtures"
	"recovery/fixtures/long"
	"recovery/internal/journal"
	"recovery/prompts"
	"recovery/review"
)

// act is one thing that happens to a session in the course of a recovery.
type act func(b *bench, s fixtures.Added, r *rand.Rand)

// pick takes one of several.
func pick[T any](r *rand.Rand, of ...T) T { return of[r.IntN(len(of))] }

// answers are what a session may say to its review.
var answers = []fixtures.Review{
	{Verdict: "OWNER", Item: "x", Open: []string{"pay"}, Go: "pays"}, {Verdict: "DONE", Item: "x"},
	{Verdict: "HELD", Item: "x"}, {Verdict: "HELD", Item: "x", MoneyAtRisk: "40 EUR"}, {Verdict: "DUPLICATE", Item: "x"},
	{Verdict: "nothing of the kind"},
}

// acts are what may come in any order: what recovery does and records, what the client and the session do, what
// people do. Some of it is recorded without what it speaks of, as after a lost transcript or by an older version.
var acts = map[string]act{
	"woken": func(b *bench, s fixtures.Added, r *rand.Rand) {
		b.script(s.Short, fixtures.Script{
			Reply: pick(r, answers...).Text(), Wrap: pick(r, "done", "held", "typed"), Background: pick(r, "", "", "it ended"),
			Outcome: pick(r, "", "", "", fixtures.OutcomeCrash, fixtures.OutcomeCrashLate, fixtures.OutcomeUntrusted,
				fixtures.OutcomeSignIn),
		})
		flag := pick(r, nil, []string{"--again"}, []string{"--nudge"})
		b.run(append([]string{"resume", "--spacing", "0", "--wait", "0", s.Short}, flag...)...)
	},
	"planned": func(b *bench, s fixtures.Added, _ *rand.Rand) {
		b.run("resume", "--spacing", "0", "--wait", "0", "--prompt", "prep", s.Short)
	},
	"read":      func(b *bench, s fixtures.Added, _ *rand.Rand) { b.run("read", "--wait", "0", s.Short) },
	"checked":   func(b *bench, s fixtures.Added, _ *rand.Rand) { b.run("queue-check", s.Short) },
	"confirmed": func(b *bench, s fixtures.Added, _ *rand.Rand) { b.run("queue-check", "--confirm", s.Short) },
	"waited":    func(b *bench, s fixtures.Added, _ *rand.Rand) { b.run("wrap-wait", "--wait", "0", s.Short) },
	"acked":     func(b *bench, s fixtures.Added, _ *rand.Rand) { b.run("ack", s.Short) },
	"trusted":   func(b *bench, s fixtures.Added, _ *rand.Rand) { b.run("trust", s.Short) },
	"listed":    func(b *bench, _ fixtures.Added, _ *rand.Rand) { b.inventory() },
	"intended": func(b *bench, s fixtures.Added, r *rand.Rand) {
		intends(b, s, newUUID(), pick(r, journal.KindReview, journal.KindPrep))
	},
	"concluded": func(b *bench, s fixtures.Added, r *rand.Rand) {
		id := newUUID()
		outcome := pick(r, journal.Woken, journal.Uncertain, journal.Saved, journal.NotStarted, journal.Copy,
			journal.Replayed)
		intends(b, s, id, journal.KindReview)
		appended(journal.Concluded, journal.OutcomeData{PromptID: id, Outcome: outcome, Sent: outcome != journal.NotStarted,
			Reason: "it was so"})(b, s)
	},
	"reviewed": func(b *bench, s fixtures.Added, r *rand.Rand) {
		appended(journal.Reviewed, journal.ReviewData{Answered: pick(r, true, false),
			Verdict: pick(r, review.VerdictOwner, review.VerdictDone, review.VerdictHeld)})(b, s)
	},
	"wrapped": func(b *bench, s fixtures.Added, r *rand.Rand) {
		state := pick(r, "DONE", "HELD", "RUNNING", "NOT-A-WRAP")
		appended(journal.Wrapped, journal.WrapData{State: state, Mark: prompts.WrapMark})(b, s)
	},
	"defect": func(b *bench, s fixtures.Added, _ *rand.Rand) { b.defectsOf(s) },
	"refused": func(b *bench, s fixtures.Added, r *rand.Rand) {
		appended(journal.TurnedAway, journal.RefusedData{Outcome: pick(r, journal.Refused, journal.Untrusted),
			Reason: "blocked: it was so", Next: "recovery why"})(b, s)
	},
	"asked for its wrap": func(b *bench, s fixtures.Added, _ *rand.Rand) {
		text, err := prompts.RenderWrap(prompts.Wrap{Short: s.Short})
		delivers(b, s, text, err)
	},
	"told to go": func(b *bench, s fixtures.Added, _ *rand.Rand) { delivers(b, s, "go", nil) },
	"typed, not answered": func(b *bench, s fixtures.Added, _ *rand.Rand) {
		if _, gone := os.Stat(s.Transcript); gone == nil {
			appendLine(b.t, s.Transcript, userLine(s, "one more thing", now()))
		}
	},
	"queued":   func(b *bench, s fixtures.Added, _ *rand.Rand) { setState(b, s, "queuedPrompt", "yes, go ahead") },
	"unqueued": func(b *bench, s fixtures.Added, _ *rand.Rand) { setState(b, s, "queuedPrompt", nil) },
	"archived": func(b *bench, s fixtures.Added, r *rand.Rand) { setState(b, s, "archived", pick(r, true, false)) },
	"with a task": func(b *bench, s fixtures.Added, r *rand.Rand) {
		setState(b, s, "inFlight", map[string]any{"tasks": r.IntN(2), "queued": 0})
	},
	"pinned":     func(b *bench, s fixtures.Added, _ *rand.Rand) { must(b, b.a.Pin(s.Short)) },
	"distrusted": func(b *bench, s fixtures.Added, _ *rand.Rand) { must(b, b.a.Distrust(s.Cwd)) },
	"moved":      func(b *bench, s fixtures.Added, _ *rand.Rand) { _ = os.RemoveAll(s.Cwd) },
	"written to": func(b *bench, s fixtures.Added, r *rand.Rand) {
		path, err := b.a.SaveEvents(s.Short, "events.json", fixtures.EventOptions{At: now().Add(30 * time.Second),
			Extra: []fixtures.Event{{At: now(), Kind: pick(r, "user", "result"), Text: "yes, pay it"}}})
		must(b, err)
		b.run("queue-check", "--events", s.Short+"="+path, s.Short)
	},
	"lost": func(b *bench, s fixtures.Added, r *rand.Rand) {
		if r.IntN(3) == 0 {
			_ = os.Remove(s.Transcript)
		}
	},
}

// intends leaves an open intention.
func intends(b *bench, s fixtures.Added, id, kind string) {
	b.t.Helper()
	intent := journal.Intent{PromptID: id, SessionID: s.SessionID, Kind: kind, Prompt: "x", Expected: "x",
		Transcript: s.Transcript}
	if info, err := os.Stat(s.Transcript); err == nil {
		intent.Size = info.Size()
	}
	appended(journal.Intended, intent)(b, s)
}

func must(b *bench, err error) {
	b.t.Helper()
	if err != nil {
		b.t.Fatal(err)
	}
}

// delivers lets a person's text arrive; a session that lost its transcript takes none.
func delivers(b *bench, s fixtures.Added, text string, err error) {
	b.t.Helper()
	must(b, err)
	if _, gone := os.Stat(s.Transcript); gone == nil {
		must(b, b.a.Deliver(s.Short, text))
	}
}

// setState changes one key of a job's state file; nil takes it out.
func setState(b *bench, s fixtures.Added, key string, value any) {
	b.t.Helper()
	data, err := os.ReadFile(s.StatePath)
	v := map[string]any{}
	err = errors.Join(err, json.Unmarshal(data, &v))
	if v[key] = value; value == nil {
		delete(v, key)
	}
	v["updatedAt"] = now().UTC().Format(time.RFC3339Nano)
	data, bad := json.Marshal(v)
	must(b, errors.Join(err, bad, os.WriteFile(s.StatePath, data, 0o600)))
}

// TestInvariant14OneStandingAndOneNext lets things happen to sessions in any order and holds every command to one
// place and one next for each of them. A seed gives the same story each time.
func TestInvariant14OneStandingAndOneNext(t *testing.T) {
	oneThread(t)
	names := slices.Sorted(maps.Keys(acts))
	for seed := range long.Of(40, 300) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(uint64(seed), 14))
			b := hasty(t, testAccount(t))
			wrapped := []fixtures.Turn{fixtures.Says("a", "b"), fixtures.WrapTurn(pick(r, "done", "held"))}
			sessions := []fixtures.Added{
				b.add(fixtures.Session{Name: "one"}),
				b.add(fixtures.Session{Name: "two", RemoteUpdatedAt: gap()}),
				b.add(fixtures.Session{Name: "three", Turns: wrapped}),
			}
			b.inventory()
			var story, shorts []string
			for _, s := range sessions {
				shorts = append(shorts, s.Short)
				for range r.IntN(6) {
					name := pick(r, names...)
					story = append(story, s.Name+" "+name)
					acts[name](b, s, r)
				}
			}
			holdOneStanding(t, b, shorts...)
			if t.Failed() {
				t.Logf("what happened: %s", strings.Join(story, ", "))
			}
		})
	}
}
