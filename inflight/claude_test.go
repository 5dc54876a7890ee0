package inflight

import (
	"strings"
	"testing"
	"time"

	"recovery/fixtures"
	"recovery/internal/account"
	"recovery/internal/sources"
	"recovery/inventory"
)

func TestMain(m *testing.M) { fixtures.Main(); m.Run() }

// TestClaudeRows: the account's jobs as rows. Whether one may be woken is not answered here.
func TestClaudeRows(t *testing.T) {
	t.Parallel()
	a, err := fixtures.New(t.TempDir(), time.Now())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(a.Close)
	want := map[string]struct {
		verdict sources.Verdict
		state   string
	}{}
	add := func(s fixtures.Session, v sources.Verdict, state string) fixtures.Added {
		added, err := a.Add(s)
		if err != nil {
			t.Fatal(err)
		}
		want[added.Short] = struct {
			verdict sources.Verdict
			state   string
		}{v, state}
		return added
	}
	first := add(fixtures.Session{Name: "retired"}, sources.Person, "complete, retired")
	add(fixtures.Session{Name: "a message waits", QueuedPrompt: new("yes")}, sources.Person, "complete, retired")
	add(fixtures.Session{Name: "no record of its end", NoLog: true, Plain: true}, sources.Person, "complete, unknown")
	add(fixtures.Session{Name: "live", Live: true, Status: "waiting", WaitingFor: "permission prompt"}, sources.Live,
		"live, waiting")
	add(fixtures.Session{Name: "archived", Extra: map[string]string{"archived": "true"}}, sources.Done,
		"complete, retired")
	add(fixtures.Session{Name: "went on", ContinuedIn: first.SessionID}, sources.Done, "complete, retired")
	add(fixtures.Session{Name: "damaged", BadState: []byte(`{"sessionId":`)}, sources.Unreadable, "unknown, retired")
	add(fixtures.Session{Name: "no conversation", NoTranscript: true}, sources.Person, "empty, retired")
	see := func() Account {
		return See(a.Claude, a.Home, func(acc *account.Account) (*inventory.World, error) {
			return inventory.See(acc, account.ReadProcesses(), time.Now().UTC())
		})
	}
	acc := see()
	if acc.Err != nil {
		t.Fatal(acc.Err)
	}
	found := acc.find(sources.Machine{All: true})
	if len(found.Rows) != len(want) || found.None != "" {
		t.Errorf("%d rows of %d, none: %q", len(found.Rows), len(want), found.None)
	}
	for _, r := range found.Rows {
		short := Row{Row: r}.Short()
		w := want[short]
		if r.Verdict != w.verdict || r.State != w.state || r.Reason == "" || len(r.Commands) < 2 {
			t.Errorf("%s: %s %q (%s), want %s %q", r.Title, r.Verdict, r.State, r.Reason, w.verdict, w.state)
		}
		if asks := r.Commands[0].Command == "recovery queue-check "+short; asks != (w.verdict == sources.Person) {
			t.Errorf("%s: %v", r.Title, r.Commands)
		}
		if waits := r.WaitsFor == "permission prompt"; waits != (r.Title == "live") {
			t.Errorf("%s waits for %q", r.Title, r.WaitsFor)
		}
		warned := strings.Contains(strings.Join(r.Warnings, "\n"), "a message waits")
		if warned != (r.Title == "a message waits") {
			t.Errorf("%s: %v", r.Title, r.Warnings)
		}
	}
	few := acc.find(sources.Machine{})
	if len(few.Rows) != len(want)-2 || few.LeftOut["archived"] != 1 || few.LeftOut["went on in another session"] != 1 {
		t.Errorf("%d rows, left out %v", len(few.Rows), few.LeftOut)
	}
	if dirs := acc.Folders(); len(dirs) != 1 || dirs[0] != first.Cwd {
		t.Errorf("%v", dirs)
	}
	if s := newJoiner(acc).session(strings.ToUpper(first.SessionID)); s == nil || s.Short != first.Short ||
		s.Title != "retired" || s.Live != account.Offline {
		t.Errorf("%+v", s)
	}
}

// TestTheSameWorkIsToldOnce: a job that another system's open work names is not listed again. One that only finished
// or unreadable work names is.
func TestTheSameWorkIsToldOnce(t *testing.T) {
	t.Parallel()
	a, err := fixtures.New(t.TempDir(), time.Now())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(a.Close)
	job, err := a.Add(fixtures.Session{Name: "retired"})
	if err != nil {
		t.Fatal(err)
	}
	acc := See(a.Claude, a.Home, func(acc *account.Account) (*inventory.World, error) {
		return inventory.See(acc, account.ReadProcesses(), time.Now().UTC())
	})
	for verdict, want := range map[sources.Verdict]int{sources.Person: 1, sources.Unsafe: 1, sources.Done: 2,
		sources.Unreadable: 2} {
		other := row("a", "a1", verdict, 2)
		other.ClaudeSessionID = job.SessionID
		l := Find(sources.Machine{}, acc, []sources.Source{{Name: Claude, Find: acc.find},
			source("a", sources.Found{Rows: []sources.Row{other}})})
		if len(l.Rows) != want || l.Found != 2 {
			t.Errorf("%s: %s, found %d", verdict, ids(l), l.Found)
		}
		for _, r := range l.Rows {
			if r.Claude == nil || r.Claude.Short != job.Short {
				t.Errorf("%s: %s has no session", verdict, r.ID)
			}
		}
	}
}
