package queuecheck

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"recovery/internal/account"
	"recovery/internal/journal"
	"recovery/internal/remote"
	"recovery/internal/transcript"
	"recovery/inventory"
)

func TestRowsThatBlock(t *testing.T) {
	for name, c := range map[string]struct {
		code   string
		change func(*Input)
	}{
		"live":               {"live", func(in *Input) { in.Facts.Live.State = account.Live }},
		"liveness unknown":   {"liveness-unknown", func(in *Input) { in.Facts.Live.State = account.Unknown }},
		"liveness not given": {"liveness-unknown", func(in *Input) { in.Facts.Live = account.Liveness{} }},
		"a new liveness":     {"liveness-unknown", func(in *Input) { in.Facts.Live.State = "asleep" }},
		"an exec job":        {"exec-job", func(in *Input) { in.Facts.Job.Template = "exec" }},
		"own session":        {"own-session", func(in *Input) { in.Self = Self{SessionID: testID} }},
		"own session after clear": {"own-session", func(in *Input) {
			in.Facts.Job.ResumeSessionID = "bbbb0002-1111-4111-8111-111111111111"
			in.Self = Self{SessionID: "bbbb0002-1111-4111-8111-111111111111"}
		}},
		"own job folder": {"own-session", func(in *Input) { in.Self = Self{Short: testShort} }},
		"bad state":      {"job-unreadable", func(in *Input) { in.Facts.Job.Problem = "is not valid JSON" }},
		"queued prompt": {"queued-prompt", func(in *Input) {
			in.Facts.Job.Queued, in.Facts.Job.QueuedPrompt = true,
				"yes, go ahead"
		}},
		"queued, not a text": {"queued-prompt", func(in *Input) {
			in.Facts.Job.Queued, in.Facts.Job.QueuedPrompt = true,
				`["yes"]`
		}},
		"queued without words": {"queued-prompt", func(in *Input) {
			in.Facts.Job.Queued, in.Facts.Job.QueuedPrompt = true,
				""
		}},
		"in flight":          {"in-flight-queue", func(in *Input) { in.Facts.Job.InFlightQueue = 1 }},
		"turn empty":         {"turn-empty", func(in *Input) { in.Facts.Tail.Turn = transcript.Empty }},
		"turn unknown":       {"turn-unknown", func(in *Input) { in.Facts.Tail.Turn = transcript.UnknownTurn }},
		"turn not given":     {"turn-unknown", func(in *Input) { in.Facts.Tail.Turn = "" }},
		"a new turn state":   {"turn-unknown", func(in *Input) { in.Facts.Tail.Turn = "dreaming" }},
		"transcript problem": {"transcript-problem", func(in *Input) { in.Facts.Problem = "two transcripts" }},
		"transcript unread":  {"transcript-unreadable", func(in *Input) { in.Evidence.Err = fmt.Errorf("gone") }},
		"folder gone":        {"folder-gone", func(in *Input) { in.Facts.FolderGone = true }},
		"folder unreadable":  {"folder-unreadable", func(in *Input) { in.Facts.FolderProblem = "permission denied" }},
		"continued elsewhere": {"continued-in",
			func(in *Input) { in.Facts.Tail.ContinuedIn = "cccc0003-1111-4111-8111-111111111111" }},
		"continued, by place": {"continued-in",
			func(in *Input) { in.Facts.Location.ContinuedIn = "cccc0003-1111-4111-8111-111111111111" }},
		"went on under its own other id, and this is the old file": {"continued-in", func(in *Input) {
			in.Facts.Job.ResumeSessionID = "bbbb0002-1111-4111-8111-111111111111"
			in.Facts.Tail.ContinuedIn = in.Facts.Job.ResumeSessionID
		}},
		"queued remotely": {"queued-remotely", func(in *Input) {
			in.Events = &remote.Events{AsOf: now, Items: []remote.Event{{UUID: "u", At: last.Add(time.Minute), Kind: "user",
				Person: true, Text: "yes"}}}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			in := healthy(t)
			want(t, Of(in), Pass)
			c.change(&in)
			got := Of(in)
			want(t, got, Blocked, c.code)
			if got.Reasons[0].Code != c.code && c.code != "job-unreadable" {
				t.Errorf("the first reason is %s", got.Reasons[0].Code)
			}
			// A block is not lifted by a confirmation, nor by what allows a check at best.
			in.Journal = &journal.Session{Short: testShort, ConfirmAt: now, Confirm: &journal.ConfirmData{User: "u",
				Fingerprint: print1, Reasons: append(codes(got), "gap", "self-wake")}}
			in.Hazards = []inventory.Hazard{{Code: "self-wake", Text: "x"}}
			in.Facts.Tail.Stop = "max_tokens"
			want(t, Of(in), Blocked, c.code)
		})
	}
}

// The conversation after /clear is another id of the same job, and its first transcript may say so.
func TestContinuedInItself(t *testing.T) {
	in := healthy(t)
	next := "bbbb0002-1111-4111-8111-111111111111"
	in.Facts.Job.ResumeSessionID = next
	in.Facts.Location.Path = "/nowhere/" + next + ".jsonl"
	in.Facts.Tail.ContinuedIn = next
	want(t, Of(in), Pass)
}

func TestRowsThatAllowACheckAtBest(t *testing.T) {
	turn := func(s transcript.TurnState) func(*Input) { return func(in *Input) { in.Facts.Tail.Turn = s } }
	hazard := func(code string) func(*Input) {
		return func(in *Input) { in.Hazards = []inventory.Hazard{{Code: code, Text: "because"}} }
	}
	for name, c := range map[string]struct {
		code     string
		casualty bool
		change   func(*Input)
	}{
		"left in the queue": {"typed-not-answered", false, func(in *Input) {
			in.Evidence.Ledger.Pending = []transcript.Pending{{Text: "and the tests?", At: last, Left: true}}
		}},
		"went out and never came back": {"typed-not-answered", false, func(in *Input) {
			in.Evidence.Ledger.Pending = []transcript.Pending{{Text: "and the tests?"}}
		}},
		"typed, text not recorded": {"typed-not-answered", false,
			func(in *Input) { in.Evidence.Ledger.Pending = []transcript.Pending{{Left: true}} }},
		"mid turn":     {"casualty", true, turn(transcript.MidTurn)},
		"waiting":      {"casualty", true, turn(transcript.Waiting)},
		"error":        {"casualty", true, turn(transcript.ErrorTurn)},
		"token limit":  {"casualty", true, func(in *Input) { in.Facts.Tail.Stop = "max_tokens" }},
		"wakes itself": {"self-wake", false, hazard(inventory.HazardSelfWake)},
		"routine":      {"routine", false, hazard(inventory.HazardRoutine)},
		"tasks":        {"background-tasks", false, hazard(inventory.HazardTasks)},
		"babysitter":   {"babysitter-run", false, hazard(inventory.HazardBabysitter)},
		"no checks":    {"skips-permission-checks", false, hazard(inventory.HazardNoChecks)},
		"a cron of its own": {"session-cron", false,
			func(in *Input) { in.Evidence.Ledger.Crons = []string{"send the digest"} }},
		"a broken line": {"bad-lines", false, func(in *Input) {
			in.Evidence.Ledger.Bad,
				in.Evidence.Ledger.BadHides = 1, true
		}},
	} {
		t.Run(name, func(t *testing.T) {
			in := healthy(t)
			c.change(&in)
			got := Of(in)
			// The evidence of a retirement does not lift it, and stays visible.
			want(t, got, Check, c.code, "retirement-stamp")
			if got.Casualty != c.casualty {
				t.Errorf("casualty %v", got.Casualty)
			}
			if len(got.Open) == 0 || got.Open[0] != c.code {
				t.Errorf("open reasons %v", got.Open)
			}
			// Events that hold the last turn do not lift it either.
			in.Events = &remote.Events{AsOf: now, Items: []remote.Event{{UUID: "u", At: last, Kind: "assistant", Turn: true}}}
			in.Evidence.Known["u"], in.Evidence.LastTurn["u"] = true, true
			want(t, Of(in), Check, c.code, "events")
		})
	}
}

func TestTypedAndNeverAnsweredIsShown(t *testing.T) {
	in := healthy(t)
	in.Evidence.Ledger.Pending = []transcript.Pending{{Text: "and the \x1b[2Jtests?", At: last, Left: true}, {}}
	got := Of(in)
	if len(got.Pending) != 2 || !strings.Contains(got.Pending[0], "tests?") {
		t.Errorf("pending %q", got.Pending)
	}
	if strings.Contains(got.Reasons[0].Text, "\x1b") || !strings.Contains(got.Reasons[0].Text, "2026-09-03T02:00:00Z") {
		t.Errorf("reason %q", got.Reasons[0].Text)
	}
}

func TestRetirementStamp(t *testing.T) {
	old := line(last.Add(-24*time.Hour), "bg spare spawned host pid=1")
	at := func(d time.Duration) time.Time { return last.Add(d) }
	retire := func(d time.Duration) []string { return []string{line(at(d), retired), line(at(d), settled)} }
	for name, c := range map[string]struct {
		log     []string
		updated time.Duration // after the last entry
		verdict Verdict
		code    string
	}{
		"120 s after the line": {retire(8 * time.Hour), 8*time.Hour + 120*time.Second, Pass,
			"retirement-stamp"},
		"121 s after the line": {retire(8 * time.Hour), 8*time.Hour + 121*time.Second, Check, "gap"},
		"120 s before the line": {retire(8 * time.Hour), 8*time.Hour - 120*time.Second, Pass,
			"retirement-stamp"},
		"121 s before the line": {retire(8 * time.Hour), 8*time.Hour - 121*time.Second, Check, "gap"},
		"a millisecond too late": {retire(8 * time.Hour), 8*time.Hour + 120*time.Second + time.Millisecond,
			Check, "gap"},
		"a plain session's hour": {[]string{line(at(61*time.Minute), "bg retire SHORT: idle-prompt, idle 61m")},
			61*time.Minute + 2*time.Second, Pass, "retirement-stamp"},
		"low memory": {[]string{line(at(3*time.Hour), "bg retire SHORT: abandoned-stale, idle "+
			"3h [low memory]")}, 3 * time.Hour, Pass, "retirement-stamp"},
		"another session's line": {[]string{line(at(8*time.Hour), "bg retire bbbb0002: settled, idle 8h")},
			8 * time.Hour, Check, "gap"},
		"a line before the last entry": {retire(-30 * time.Second), 20 * time.Second, Check, "gap"},
		"a line at the last entry":     {retire(0), 20 * time.Second, Pass, "retirement-stamp"},
		"two lines, the first fits": {append(retire(2*time.Hour), retire(9*time.Hour)...), 2*time.Hour +
			5*time.Second, Pass, "retirement-stamp"},
		"two lines, the second fits": {append(retire(2*time.Hour), retire(9*time.Hour)...), 9*time.Hour +
			5*time.Second, Pass, "retirement-stamp"},
		"two lines, none fits": {append(retire(2*time.Hour), retire(9*time.Hour)...), 5 * time.Hour, Check,
			"gap"},
		"an early line too, the late fits": {append(retire(-3*time.Hour), retire(8*time.Hour)...), 8 * time.Hour, Pass,
			"retirement-stamp"},
		"started again behind it": {append(retire(2*time.Hour), line(at(3*time.Hour), "bg claimed-spare "+
			"SHORT (fleet)")), 2*time.Hour + time.Second, Pass, "retirement-stamp"},
		"only settled, no retirement":          {[]string{line(at(8*time.Hour), settled)}, 8 * time.Hour, Check, "gap"},
		"8 h, the log shows no retirement":     {nil, 8 * time.Hour, Check, "gap"},
		"before the last entry":                {retire(8 * time.Hour), -time.Second, Check, "stale-stamp"},
		"long before the last entry":           {retire(8 * time.Hour), -3 * time.Hour, Check, "stale-stamp"},
		"at the last entry, end not on record": {[]string{line(at(-time.Hour), started)}, 0, Check, "gap"},
	} {
		t.Run(name, func(t *testing.T) {
			in := healthy(t)
			in.Log = logOf(t, append([]string{old}, c.log...)...)
			in.Remote = stamped(last.Add(c.updated))
			got := Of(in)
			want(t, got, c.verdict, c.code)
			if got.GapSeconds == nil || *got.GapSeconds != int64(c.updated/time.Second) {
				t.Errorf("gap %v", got.GapSeconds)
			}
			if got.AsOf == nil || !got.AsOf.Equal(now) {
				t.Errorf("as of %v", got.AsOf)
			}
		})
	}
}

func TestEightHoursWhenTheLogDoesNotReachBack(t *testing.T) {
	short := []string{line(last.Add(9*time.Hour), "bg spare spawned host pid=1")}
	for name, c := range map[string]struct {
		log     []string
		updated time.Duration
		verdict Verdict
	}{
		"28800 s":       {short, 28800 * time.Second, Pass},
		"29100 s":       {short, 29100 * time.Second, Pass},
		"29101 s":       {short, 29101 * time.Second, Check},
		"28500 s":       {short, 28500 * time.Second, Pass},
		"28499 s":       {short, 28499 * time.Second, Check},
		"no log at all": {nil, 28800 * time.Second, Pass},
		"the log begins at the last entry": {[]string{line(last, "bg spare spawned host pid=1")}, 28800 * time.Second,
			Check},
		"the log begins before the entry": {[]string{line(last.Add(-time.Second), "bg spare spawned host pid=1")},
			28800 * time.Second, Check},
		"an hour is no retirement by itself": {short, 3660 * time.Second, Check},
		"minus eight hours":                  {short, -28800 * time.Second, Check},
	} {
		t.Run(name, func(t *testing.T) {
			in := healthy(t)
			in.Log = logOf(t, c.log...)
			in.Remote = stamped(last.Add(c.updated))
			want(t, Of(in), c.verdict)
		})
	}
	t.Run("no log given", func(t *testing.T) {
		in := healthy(t)
		in.Log, in.Remote = nil, stamped(last.Add(28800*time.Second))
		want(t, Of(in), Pass, "retirement-stamp")
	})
}

func TestLiveForLongerThanTheGap(t *testing.T) {
	at := func(d time.Duration) time.Time { return last.Add(d) }
	killed := "bg settled SHORT (killed)"
	for name, c := range map[string]struct {
		log     []string
		updated time.Duration
		verdict Verdict
	}{
		"60 s": {[]string{line(at(-time.Hour), started), line(at(2*time.Hour), killed)},
			60 * time.Second, Pass},
		"61 s": {[]string{line(at(-time.Hour), started), line(at(2*time.Hour), killed)},
			61 * time.Second, Check},
		"60 s before": {[]string{line(at(-time.Hour), started), line(at(2*time.Hour), killed)},
			-60 * time.Second, Pass},
		"61 s before": {[]string{line(at(-time.Hour), started), line(at(2*time.Hour), killed)},
			-61 * time.Second, Check},
		"ended after 61 s": {[]string{line(at(-time.Hour), started), line(at(61*time.Second), killed)},
			20 * time.Second, Pass},
		"ended after 60 s": {[]string{line(at(-time.Hour), started), line(at(60*time.Second), killed)},
			20 * time.Second, Check},
		"ended after 10 s": {[]string{line(at(-time.Hour), started), line(at(10*time.Second), killed)},
			20 * time.Second, Check},
		"ended before the last entry": {[]string{line(at(-time.Hour), started), line(at(-time.Minute), killed)}, 0,
			Check},
		"no start on record": {[]string{line(at(-2*time.Hour), "bg spare spawned host pid=1"),
			line(at(2*time.Hour), killed)}, 0, Check},
		"started after the last entry": {[]string{line(at(5*time.Second), started), line(at(2*time.Hour), killed)}, 0,
			Check},
		"no end on record": {[]string{line(at(-time.Hour), started)}, 0, Check},
		"supervisor died in between": {[]string{line(at(-time.Hour), started), line(at(20*time.Second), "─── daemon "+
			"start ─── version=2.1.332 pid=9"), line(at(2*time.Hour), killed)}, 0, Check},
		"ended and was started in between": {[]string{line(at(-time.Hour), started), line(at(10*time.Second), killed),
			line(at(20*time.Second), started), line(at(time.Hour), killed)}, 0, Check},
		"a crash hours later": {[]string{line(at(-time.Hour), started), line(at(3*time.Hour), "bg settled "+
			"SHORT (crashed): exit 137")}, 5 * time.Second, Pass},
	} {
		t.Run(name, func(t *testing.T) {
			in := healthy(t)
			in.Log = logOf(t, c.log...)
			in.Remote = stamped(last.Add(c.updated))
			want(t, Of(in), c.verdict)
		})
	}
}

func TestRemoteTimeThatProvesNothing(t *testing.T) {
	zero := time.Time{}
	for name, c := range map[string]struct {
		code   string
		change func(*Input)
	}{
		"no page": {"no-remote-time", func(in *Input) { in.Remote = nil }},
		"no time": {"no-remote-time", func(in *Input) {
			in.Remote.UpdatedAt, in.Remote.TimeProblem = nil,
				"neither is set"
		}},
		"zero time":            {"no-remote-time", func(in *Input) { in.Remote.UpdatedAt = &zero }},
		"page too old":         {"evidence-old", func(in *Input) { in.Remote.AsOf = now.Add(-time.Hour - time.Second) }},
		"page of unknown age":  {"evidence-old", func(in *Input) { in.Remote.AsOf = zero }},
		"page from the future": {"evidence-old", func(in *Input) { in.Remote.AsOf = now.Add(2 * time.Minute) }},
		"no local time":        {"no-local-time", func(in *Input) { in.Facts.Tail.LastEntry = zero }},
		"page before the entry": {"evidence-old", func(in *Input) {
			in.Facts.Tail.LastEntry, in.Remote.AsOf = now,
				now.Add(-time.Minute)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			in := healthy(t)
			c.change(&in)
			want(t, Of(in), Check, c.code)
		})
	}
	t.Run("as old as allowed", func(t *testing.T) {
		in := healthy(t)
		in.Remote.AsOf = now.Add(-time.Hour)
		want(t, Of(in), Pass)
	})
	t.Run("a clock that is a little off", func(t *testing.T) {
		in := healthy(t)
		in.Remote.AsOf = now.Add(30 * time.Second)
		want(t, Of(in), Pass)
	})
}

func TestEventsRow(t *testing.T) {
	mine := remote.Event{UUID: "mine", At: last, Kind: "assistant", Turn: true}
	for name, c := range map[string]struct {
		verdict Verdict
		code    string
		change  func(*Input)
	}{
		"whole":             {Pass, "events", func(in *Input) {}},
		"no page of it":     {Pass, "events", func(in *Input) { in.Remote = nil }},
		"stamp says stale":  {Pass, "events", func(in *Input) { in.Remote = stamped(last.Add(-time.Hour)) }},
		"not the last turn": {Check, "events-incomplete", func(in *Input) { in.Evidence.LastTurn = map[string]bool{} }},
		"odd entries": {Check, "events-unclear", func(in *Input) {
			in.Events.Warnings = []string{"row 2: the kind " +
				"cannot be told"}
		}},
		"too old":         {Check, "evidence-old", func(in *Input) { in.Events.AsOf = now.Add(-time.Hour - time.Second) }},
		"from the future": {Check, "evidence-old", func(in *Input) { in.Events.AsOf = now.Add(2 * time.Minute) }},
		"age not known":   {Check, "evidence-old", func(in *Input) { in.Events.AsOf = time.Time{} }},
		"saved before the last turn ended": {Check, "evidence-old", func(in *Input) {
			in.Remote = nil
			in.Facts.Tail.LastEntry, in.Facts.Tail.LastTurn = now, now
			in.Events.AsOf = now.Add(-10 * time.Minute)
		}},
		"an older page, which ends in the last turn": {Check, "events-too-early",
			func(in *Input) { in.Events.Items[0].At = last.Add(-5 * time.Minute) }},
		"questions only, the last long before the reply": {Pass, "events", func(in *Input) {
			in.Events.Items[0].At, in.Events.Items[0].Kind = last.Add(-5*time.Minute), "user"
		}},
		"later, and nothing explains it": {Pass, "events", func(in *Input) { in.Remote = stamped(last.Add(2 * time.Hour)) }},
		"later, and retired":             {Pass, "events", func(in *Input) { in.Remote = stamped(last.Add(8 * time.Hour)) }},
		"too old, but the stamp of the retirement is not": {Pass, "retirement-stamp", func(in *Input) {
			in.Events.AsOf = now.Add(-2 * time.Hour)
			in.Remote = stamped(last.Add(8 * time.Hour))
		}},
	} {
		t.Run(name, func(t *testing.T) {
			in := healthy(t)
			in.Remote = stamped(last.Add(200 * time.Second))
			in.Events = &remote.Events{AsOf: now.Add(-time.Minute), Items: []remote.Event{mine}}
			in.Evidence.Known["mine"], in.Evidence.LastTurn["mine"] = true, true
			c.change(&in)
			got := Of(in)
			want(t, got, c.verdict, c.code)
			if c.code == "events" && !got.AsOf.Equal(in.Events.AsOf) || c.code == "retirement-stamp" && !got.AsOf.Equal(now) {
				t.Errorf("as of %v, which is not that of the evidence that decided", got.AsOf)
			}
			if in.Remote != nil && (got.GapSeconds == nil ||
				*got.GapSeconds != int64(in.Remote.UpdatedAt.Sub(in.Facts.Tail.LastEntry)/time.Second)) {
				t.Errorf("gap %v", got.GapSeconds)
			}
			if in.Remote == nil && got.GapSeconds != nil {
				t.Errorf("gap %d without a remote time", *got.GapSeconds)
			}
		})
	}
}

func TestEventsThatBlock(t *testing.T) {
	turnStart := last.Add(-20 * time.Minute)
	for name, c := range map[string]struct {
		event   remote.Event
		known   bool
		blocked bool
	}{
		"after the last turn": {remote.Event{UUID: "p", At: last.Add(time.Hour), Person: true, Text: "yes"},
			false, true},
		"a second after it":               {remote.Event{UUID: "p", At: last.Add(time.Second), Person: true}, false, true},
		"in the transcript":               {remote.Event{UUID: "p", At: last.Add(time.Hour), Person: true}, true, false},
		"without uuid":                    {remote.Event{At: last.Add(time.Hour), Person: true}, false, true},
		"without time":                    {remote.Event{UUID: "p", Person: true}, false, true},
		"without time, in the transcript": {remote.Event{UUID: "p", Person: true}, true, false},
		"without uuid and time":           {remote.Event{Person: true}, false, true},
		"while the last turn ran": {remote.Event{UUID: "p", At: last.Add(-10 * time.Minute), Person: true}, false,
			true},
		"before the last turn": {remote.Event{UUID: "p", At: turnStart.Add(-time.Hour), Person: true}, false,
			false},
		"nobody's, after the last turn": {remote.Event{UUID: "p", At: last.Add(time.Hour), Why: "synthetic"}, false,
			false},
		"other kinds after the last turn":   {remote.Event{UUID: "p", At: last.Add(time.Hour), Kind: "result"}, false, false},
		"a person, the uuid in upper case":  {remote.Event{UUID: "P", At: last.Add(time.Hour), Person: true}, true, false},
		"before the last turn without uuid": {remote.Event{At: turnStart.Add(-time.Hour), Person: true}, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			in := healthy(t)
			in.Evidence.TurnStart = turnStart
			in.Events = &remote.Events{AsOf: now, Items: []remote.Event{c.event}}
			if c.known {
				in.Evidence.Known["p"] = true
			}
			got := Of(in)
			if (got.Verdict == Blocked) != c.blocked {
				t.Fatalf("%s: %+v", got.Verdict, got.Reasons)
			}
		})
	}
}

func TestOwnSavedPrompt(t *testing.T) {
	own := "RECOVERY REVIEW v1\n\n…\n\nrecovery-prompt-id: 1"
	savedBy := func(saved string) *journal.Session {
		return &journal.Session{Short: testShort, Wakes: []*journal.Wake{{Intent: journal.Intent{Expected: saved},
			Result: &journal.OutcomeData{Outcome: "untrusted", Sent: true, PromptSaved: true, Saved: saved}}}}
	}
	for name, c := range map[string]struct {
		queued  string
		journal *journal.Session
		verdict Verdict
	}{
		"byte for byte":          {own, savedBy(own), Pass},
		"a yes behind it":        {own + "\n\nyes", savedBy(own), Blocked},
		"a yes in front":         {"yes\n\n" + own, savedBy(own), Blocked},
		"a newline more":         {own + "\n", savedBy(own), Blocked},
		"cut":                    {own[:len(own)-1], savedBy(own), Blocked},
		"twice":                  {own + "\n\n" + own, savedBy(own), Blocked},
		"twice, and so recorded": {own + "\n\n" + own, savedBy(own + "\n\n" + own), Pass},
		"the journal knows none": {own, &journal.Session{Short: testShort}, Blocked},
		"no journal":             {own, nil, Blocked},
		"it was delivered since": {own, &journal.Session{Wakes: append(savedBy(own).Wakes,
			&journal.Wake{Result: &journal.OutcomeData{Outcome: "woken", Sent: true}})}, Blocked},
		"nothing saved by ours": {"", savedBy(""), Blocked},
		"open intention": {own, &journal.Session{Wakes: []*journal.Wake{{Intent: journal.Intent{Prompt: own}}}},
			Blocked},
		"a failed try behind it": {own, &journal.Session{Wakes: append(savedBy(own).Wakes,
			&journal.Wake{Result: &journal.OutcomeData{Outcome: "not-started"}})}, Pass},
	} {
		t.Run(name, func(t *testing.T) {
			in := healthy(t)
			in.Facts.Job.Queued, in.Facts.Job.QueuedPrompt, in.Journal = true, c.queued, c.journal
			got := Of(in)
			want(t, got, c.verdict)
			if c.verdict == Pass {
				want(t, got, Pass, "own-prompt-saved")
			}
		})
	}
	t.Run("in flight all the same", func(t *testing.T) {
		in := healthy(t)
		in.Facts.Job.Queued, in.Facts.Job.QueuedPrompt, in.Journal, in.Facts.Job.InFlightQueue = true, own, savedBy(own), 1
		want(t, Of(in), Blocked, "in-flight-queue")
	})
	t.Run("nothing else explains it", func(t *testing.T) {
		in := gapped(t)
		in.Facts.Job.Queued, in.Facts.Job.QueuedPrompt, in.Journal = true, own, savedBy(own)
		want(t, Of(in), Check, "gap", "own-prompt-saved")
	})
}

// A verdict is never nothing, and lists are lists in JSON.
func TestZeroInput(t *testing.T) {
	got := Of(Input{Facts: inventory.Facts{Job: &account.Job{}}})
	if got.Verdict != Blocked || got.Reasons == nil || got.Pending == nil {
		t.Fatalf("%+v", got)
	}
}
