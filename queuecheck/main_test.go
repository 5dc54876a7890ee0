package queuecheck

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"recovery/fixtures"
	"recovery/internal/account"
	"recovery/internal/journal"
	"recovery/internal/remote"
	"recovery/internal/transcript"
	"recovery/inventory"
)

func TestMain(m *testing.M) {
	fixtures.Main()
	os.Exit(m.Run())
}

// now is far from the machine's clock on purpose: nothing may depend on it.
var now = time.Date(2026, 9, 3, 12, 0, 0, 0, time.UTC)

const (
	testShort = "aaaa0001"
	testID    = "aaaa0001-1111-4111-8111-111111111111"
	print1    = "fingerprint one"
)

// last is the last entry of every session that is made here.
var last = now.Add(-10 * time.Hour)

// logOf parses a log; SHORT stands for the session's short, and a line without a bracket gets the time in front of it.
func logOf(t testing.TB, lines ...string) *account.Log {
	t.Helper()
	log, err := account.ParseLog(strings.NewReader(strings.ReplaceAll(strings.Join(lines, "\n"), "SHORT", testShort)))
	if err != nil {
		t.Fatal(err)
	}
	return log
}

func line(at time.Time, text string) string {
	from := "bg"
	if strings.HasPrefix(text, "─") {
		from = "supervisor"
	}
	return "[" + at.UTC().Format("2006-01-02T15:04:05.000Z") + "] [" + from + "] " + text
}

const started, retired, settled = "bg spawned SHORT (shell)", "bg retire SHORT: settled, idle 8h",
	"bg settled SHORT (done)"

// healthy is a session that passes: retired eight hours after its last entry, with the remote time of the retirement.
func healthy(t testing.TB) Input {
	retiredAt := last.Add(8 * time.Hour)
	return Input{
		Facts: inventory.Facts{
			Job: &account.Job{Short: testShort, SessionID: testID, ResumeSessionID: testID, Template: "bg", State: "done",
				Fingerprint: "job one"},
			Live:     account.Liveness{State: account.Offline, Evidence: []string{"no process"}},
			Location: transcript.Location{Path: "/nowhere/" + testID + ".jsonl"},
			Tail: transcript.Tail{Turn: transcript.Complete, Stop: "end_turn", Why: "it ended", Messages: true,
				LastEntry: last, LastTurn: last},
			Folder: "/nowhere/project",
		},
		Log: logOf(t, line(last.Add(-24*time.Hour), "bg spare spawned host pid=1"), line(last.Add(-time.Hour), started),
			line(retiredAt, retired), line(retiredAt, settled)),
		Evidence: Evidence{Fingerprint: print1, Ledger: transcript.Ledger{LastPerson: 10}, Known: map[string]bool{},
			LastTurn: map[string]bool{}},
		Remote:  stamped(retiredAt.Add(time.Second)),
		Journal: &journal.Session{Short: testShort},
		Now:     now,
		MaxAge:  time.Hour,
	}
}

// stamped is a page's row, saved just now.
func stamped(updated time.Time) *inventory.Remote {
	return &inventory.Remote{ID: "session_x", UpdatedAt: &updated, Status: "idle", Connection: "disconnected",
		TimeField: "updated_at", AsOf: now}
}

// gapped is a session that nothing explains: check.
func gapped(t testing.TB) Input {
	in := healthy(t)
	in.Remote = stamped(last.Add(3 * time.Hour))
	return in
}

func codes(r Result) []string {
	out := []string{}
	for _, x := range r.Reasons {
		out = append(out, x.Code)
	}
	return out
}

// want compares a verdict and the codes that must be among its reasons.
func want(t *testing.T, got Result, verdict Verdict, reasons ...string) {
	t.Helper()
	if got.Verdict != verdict {
		t.Fatalf("verdict %s, want %s: %+v", got.Verdict, verdict, got.Reasons)
	}
	for _, code := range reasons {
		if !slices.Contains(codes(got), code) {
			t.Errorf("reasons %v lack %s", codes(got), code)
		}
	}
	if len(got.Reasons) == 0 {
		t.Error("a verdict without evidence")
	}
	for _, r := range got.Reasons {
		if r.Code == "" || strings.TrimSpace(r.Text) == "" {
			t.Errorf("an empty reason: %+v", got.Reasons)
		}
	}
}

// saved reads files as the command line does.
func saved(t testing.TB, paths ...string) []remote.File {
	t.Helper()
	var out []remote.File
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, remote.File{Name: filepath.Base(path), Data: data, ModTime: info.ModTime()})
	}
	return out
}

// look is an account as a run sees it.
type look struct {
	account *account.Account
	world   *inventory.World
	inv     inventory.Inventory
}

// see looks at a fixture account, with pages when there are some. A second look costs no time: the clock is turned on.
func see(t testing.TB, a *fixtures.Account, pages ...string) look {
	t.Helper()
	acc, err := account.Open(a.Claude, a.Home)
	if err != nil {
		t.Fatal(err)
	}
	at := a.Now
	w, err := inventory.SeeTwice(func() (*inventory.World, error) {
		return inventory.See(acc, account.ReadProcesses(),
			at)
	},
		func(d time.Duration) { at = at.Add(d) })
	if err != nil {
		t.Fatal(err)
	}
	var rows *remote.Sessions
	if len(pages) > 0 {
		got, err := remote.ReadSessions(saved(t, pages...)...)
		if err != nil {
			t.Fatal(err)
		}
		rows = &got
	}
	return look{acc, w, inventory.Build(w, rows)}
}

// input puts together what a run does for one session.
func (l look) input(t testing.TB, short string, events ...string) Input {
	t.Helper()
	job := l.world.Jobs.ByShort[short]
	if job == nil {
		t.Fatalf("no job %s", short)
	}
	f := l.world.Facts(job)
	var ev *remote.Events
	if len(events) > 0 {
		got, err := remote.ReadEvents(saved(t, events...)...)
		if err != nil {
			t.Fatal(err)
		}
		ev = &got
	}
	in := Input{Facts: f, Hazards: l.world.Hazards(job), Log: l.world.Log, Evidence: Gather(l.account, f, ev), Events: ev,
		Journal: &journal.Session{Short: short}, Now: l.world.Now, MaxAge: time.Hour}
	if it := l.inv.Find(short); it != nil {
		in.Remote = it.Remote
	}
	in.Excluded = l.inv.Excluded(short)
	in.SharedWith = f.SharedWith
	return in
}

// make1 is an account with one session.
func make1(t testing.TB, s fixtures.Session) (*fixtures.Account, fixtures.Added) {
	t.Helper()
	a, err := fixtures.New(t.TempDir(), now)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(a.Close)
	added, err := a.Add(s)
	if err != nil {
		t.Fatal(err)
	}
	return a, added
}

func page(t testing.TB, a *fixtures.Account, o fixtures.PageOptions) string {
	t.Helper()
	path, err := a.SavePage("sessions.json", o)
	if err != nil {
		t.Fatal(err)
	}
	return path
}
