package inventory

import (
	"strings"
	"testing"
	"time"

	"recovery/fixtures"
	"recovery/internal/account"
	"recovery/internal/transcript"
)

const aShort = "aaaa0001"

func logOf(t *testing.T, lines ...string) *account.Log {
	t.Helper()
	log, err := account.ParseLog(strings.NewReader(strings.ReplaceAll(strings.Join(lines, "\n"), "SHORT", aShort)))
	if err != nil {
		t.Fatal(err)
	}
	return log
}

// after is a line of the log so long after the last entry.
func after(d time.Duration, text string) string {
	from := "bg"
	if strings.HasPrefix(text, "─") || strings.Contains(text, "upgrade") || strings.HasPrefix(text, "shut") {
		from = "supervisor"
	}
	return "[" + last.Add(d).Format("2006-01-02T15:04:05.000Z") + "] [" + from + "] " + text
}

func TestEndedByTheLog(t *testing.T) {
	start := after(-time.Hour, "bg spawned SHORT (shell)")
	h := time.Hour
	for name, c := range map[string]struct {
		log   []string
		cause Cause
		at    time.Duration // after the last entry, 0 for none
		line  string
	}{
		"retired": {[]string{start, after(8*h, "bg retire SHORT: settled, idle 8h"),
			after(8*h+1, "bg settled SHORT (done)")}, Retired, 8 * h, "bg retire"},
		"retired, low memory": {[]string{start, after(8*h, "bg retire SHORT: idle-prompt, idle 61m [low memory]")},
			Retired, 8 * h, "low memory"},
		"stopped": {[]string{start, after(h, "bg settled SHORT (killed)")}, Stopped, h, "killed"},
		"crashed": {[]string{start, after(h, "bg settled SHORT (crashed): exit 137")}, Crashed, h,
			"exit 137"},
		"failed": {[]string{start, after(h, "bg settled SHORT (failed)")}, Crashed, h, "failed"},
		"crashed for want of sign-in": {[]string{start, after(h, "bg settled SHORT (crashed): OAuth token has expired")},
			SignIn, h, "OAuth"},
		"settled, nobody says why": {[]string{start, after(h, "bg settled SHORT (done)")}, CauseNone, h, "done"},
		"started again, then killed": {[]string{start, after(h, "bg retire SHORT: settled, idle 1h"),
			after(2*h, "bg claimed-spare SHORT (fleet)"), after(3*h, "bg settled SHORT (killed)")}, Stopped, 3 * h, "killed"},
		"started again, no record": {[]string{start, after(h, "bg retire SHORT: settled, idle 1h"),
			after(2*h, "bg claimed-spare SHORT (fleet)")}, CauseNone, 0, "no record"},
		"two ends, the first counts": {[]string{start, after(h, "bg settled SHORT (crashed)"),
			after(2*h, "bg settled SHORT (killed)")}, Crashed, h, "crashed"},
		"an end from before it went on": {[]string{after(-9*h, "bg spare spawned host pid=1"), after(-8*h, "bg retire "+
			"SHORT: settled, idle 8h"), after(h, "bg settled SHORT (killed)")}, Stopped, h, "killed"},
		"only an end from before": {[]string{after(-9*h, "bg spare spawned host pid=1"), after(-8*h, "bg retire "+
			"SHORT: settled, idle 8h")}, CauseNone, 0, "no record"},
		"no record": {[]string{start}, CauseNone, 0, "no record"},
		"no record, reboot": {[]string{start, after(3*h, "─── daemon start ─── version=2.1.332 pid=9"),
			after(3*h, "bg adopt: adopted=0 respawned=0 dead=3")}, Killed, 3 * h, "dead=3"},
		"the supervisor was stopped": {[]string{start, after(h, "shutdown requested via control socket"),
			after(h+1, "bg settled SHORT (killed)")}, Killed, h, "shutdown requested"},
		"stopped long after that": {[]string{start, after(h, "shutdown requested via control socket"),
			after(2*h, "─── daemon start ─── version=2.1.332 pid=9"), after(3*h, "bg settled SHORT (killed)")}, Stopped, 3 * h,
			"killed"},
		"upgrade": {[]string{start, after(2*h, "self-restarting for upgrade"),
			after(2*h, "─── daemon start ─── version=2.1.333 pid=9"), after(2*h+1, "bg adopt: adopted=0 respawned=0 dead=1")},
			Upgrade, 2 * h, "upgrade"},
		"upgrade, nothing behind it": {[]string{start, after(2*h, "self-restarting for upgrade")}, Upgrade, 2 * h,
			"upgrade"},
		"upgrade that it survived": {[]string{start, after(2*h, "self-restarting for upgrade"),
			after(2*h+1, "bg adopt: adopted=2 respawned=0 dead=0")}, CauseNone, 0, "no record"},
		"upgrade before the entry": {[]string{start, after(-h/2, "self-restarting for upgrade")}, CauseNone, 0,
			"no record"},
		"upgrade, then retired": {[]string{start, after(2*h, "self-restarting for upgrade"),
			after(8*h, "bg retire SHORT: settled, idle 8h")}, Retired, 8 * h, "retire"},
		"another session's": {[]string{start, after(h, "bg settled bbbb0002 (killed)")}, CauseNone, 0,
			"no record"},
		"not mentioned, log covers": {[]string{after(-h, "bg spare spawned host pid=1")}, CauseNone, 0, "no record"},
		"log too short": {[]string{after(h, "bg spare spawned host pid=1")}, CauseNone, 0,
			"does not reach back"},
		"no log": {nil, CauseNone, 0, "does not reach back"},
	} {
		t.Run(name, func(t *testing.T) {
			w := &World{Log: logOf(t, c.log...), Now: now}
			got := w.ended(Facts{Job: &account.Job{Short: aShort}, Tail: transcript.Tail{Turn: transcript.Complete,
				LastEntry: last}})
			if got.Cause != c.cause || !strings.Contains(got.Line, c.line) {
				t.Fatalf("%+v, want %s with %q", got, c.cause, c.line)
			}
			if (got.At == nil) != (c.at == 0) || got.At != nil && !got.At.Equal(last.Add(c.at).Truncate(time.Millisecond)) {
				t.Errorf("at %v, want %v", got.At, last.Add(c.at))
			}
		})
	}
}

// TestEndedByAReboot: a reboot leaves no record of a session's end, so it is named beside "no record" and is not
// called killed.
func TestEndedByAReboot(t *testing.T) {
	w := &World{Log: logOf(t, after(-time.Hour, "bg spawned SHORT (shell)")), Boot: last.Add(2 * time.Hour), Now: now}
	f := Facts{Job: &account.Job{Short: aShort}, Tail: transcript.Tail{Turn: transcript.Complete, LastEntry: last}}
	if got := w.ended(f); got.Cause != CauseNone || !strings.Contains(got.Line, "no record") ||
		!strings.Contains(got.Line, "started at "+w.Boot.UTC().Format(time.RFC3339)) {
		t.Errorf("%+v", got)
	}
	w.Boot = last.Add(-2 * time.Hour)
	if got := w.ended(f); got.Cause != CauseNone || got.At != nil {
		t.Errorf("a boot long before: %+v", got)
	}
}

func TestEndedByAnError(t *testing.T) {
	for text, want := range map[string]Cause{
		"Login expired · Please run /login":                        SignIn,
		"Invalid API key · Please run /login":                      SignIn,
		"Please log in again":                                      SignIn,
		"You are signed out":                                       SignIn,
		`API Error: 401 {"error":{"type":"authentication_error"}}`: SignIn,
		"OAuth token has expired":                                  SignIn,
		"You've hit your session limit · resets 3:40pm (UTC)":      Limit,
		"You've hit your limit · resets 7pm":                       Limit,
		"You've reached your Opus weekly limit":                    Limit,
		"Claude usage limit reached. Your limit will reset at 7pm": Limit,
		"5-hour limit reached ∙ resets 3pm":                        Limit,
		`API Error: 429 {"error":{"type":"rate_limit_error"}}`:     Limit,
		"API Error: Too many requests":                             Limit,
		"You're out of extra usage · resets 3pm":                   Limit,
		"API Error: 500 internal error":                            APIError,
		`API Error: 529 {"error":{"type":"overloaded_error"}}`:     APIError,
		"Prompt is too long":                                       APIError,
		"Context limit reached · /compact or /clear to continue":   APIError,
		"API Error: the request is over the size limit of 32 MB":   APIError,
		"API Error: error while assigning a worker":                APIError,
		"API Error: the design in question is too large":           APIError,
		"": APIError,
		"API Error: Claude's response exceeded the 32000 output token limit": APIError,
	} {
		w := &World{Log: logOf(t, after(8*time.Hour, "bg retire SHORT: settled, idle 8h")), Now: now}
		got := w.ended(Facts{Job: &account.Job{Short: aShort}, Tail: transcript.Tail{Turn: transcript.ErrorTurn,
			ErrorText: text, LastEntry: last}})
		if got.Cause != want || got.At == nil || !got.At.Equal(last) {
			t.Errorf("%q: %+v, want %s", text, got, want)
		}
	}
}

func TestSeeTwice(t *testing.T) {
	for name, c := range map[string]struct {
		state     string
		lock      bool // a supervisor that lives
		log       []fixtures.LogLine
		sleeps    int
		comesBack bool
		live      account.LiveState
	}{
		"no supervisor":             {"working", false, []fixtures.LogLine{}, 0, false, account.Offline},
		"a terminal state":          {"done", true, []fixtures.LogLine{}, 0, false, account.Offline},
		"its end is on record":      {"working", true, fixtures.Killed(last.Add(time.Minute)), 0, false, account.Offline},
		"it may be started again":   {"working", true, []fixtures.LogLine{}, 1, false, account.Offline},
		"and it is":                 {"working", true, []fixtures.LogLine{}, 1, true, account.Live},
		"a state that nobody knows": {"pondering", true, []fixtures.LogLine{}, 1, false, account.Offline},
	} {
		t.Run(name, func(t *testing.T) {
			a := newAccount(t)
			s := add(t, a, fixtures.Session{State: c.state, Log: c.log})
			p := machine()
			if c.lock {
				p.ByPID[7] = account.Process{PID: 7, Start: "1", Args: []string{"claude", "daemon"}}
				writeFile(t, a.Claude+"/daemon.lock", `{"pid":7,"procStart":"1","version":"2.1.332"}`)
			}
			at, looks, sleeps := now, 0, 0
			w, err := SeeTwice(func() (*World, error) {
				looks++
				if looks == 2 && c.comesBack {
					p = liveAs(t, a, s)
				}
				w := world(t, a, p)
				w.Now = at
				return w, nil
			}, func(d time.Duration) {
				sleeps++
				if d < 15*time.Second {
					t.Errorf("looked again after %s", d)
				}
				at = at.Add(d)
			})
			if err != nil {
				t.Fatal(err)
			}
			if sleeps != c.sleeps || looks != sleeps+1 {
				t.Errorf("%d sleeps, %d looks", sleeps, looks)
			}
			got := w.Facts(w.Jobs.ByShort[s.Short]).Live
			if got.State != c.live {
				t.Errorf("%+v", got)
			}
		})
	}
}

// One look is not enough, and neither are two that were not far enough apart.
func TestOneLookIsNotEnough(t *testing.T) {
	a := newAccount(t)
	s := add(t, a, fixtures.Session{State: "working", Log: []fixtures.LogLine{}})
	p := machine(account.Process{PID: 7, Start: "1", Args: []string{"claude", "daemon"}})
	writeFile(t, a.Claude+"/daemon.lock", `{"pid":7,"procStart":"1","version":"2.1.332"}`)
	w := world(t, a, p)
	if got := w.Facts(w.Jobs.ByShort[s.Short]).Live; got.State != account.Unknown {
		t.Errorf("one look: %+v", got)
	}
	// The sleep was cut short by an interrupt.
	w, err := SeeTwice(func() (*World, error) { return world(t, a, p), nil }, func(time.Duration) {})
	if err != nil {
		t.Fatal(err)
	}
	if got := w.Facts(w.Jobs.ByShort[s.Short]).Live; got.State != account.Unknown {
		t.Errorf("two looks at once: %+v", got)
	}
}
