package inflight

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"recovery/internal/account"
	"recovery/internal/sources"
	"recovery/inventory"
)

var noon = time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)

// row is one of a made-up source, so many hours old.
func row(source, id string, verdict sources.Verdict, hours int) sources.Row {
	return sources.Row{Source: source, ID: id, Verdict: verdict, Reason: "so it is", Store: "/stores/" + id,
		UpdatedAt: noon.Add(-time.Duration(hours) * time.Hour),
		Commands: []sources.Command{{Command: "look " + id, Effect: "changes nothing"},
			{Command: "go " + id, Effect: "continues it", Acts: true}}}
}

func source(name string, f sources.Found) sources.Source {
	return sources.Source{Name: name, Find: func(sources.Machine) sources.Found { return f }}
}

func ids(l List) string {
	var out []string
	for _, r := range l.Rows {
		out = append(out, r.ID)
	}
	return strings.Join(out, " ")
}

func nobody(t *testing.T) Account {
	t.Helper()
	return See("", t.TempDir(), nil)
}

func TestFindMergesAndCounts(t *testing.T) {
	t.Parallel()
	undated := row("b", "undated", sources.Person, 0)
	undated.UpdatedAt = time.Time{}
	l := Find(sources.Machine{}, nobody(t), []sources.Source{
		source("a", sources.Found{Rows: []sources.Row{row("a", "a3", sources.Safe, 3), row("a", "a1", sources.Person, 1)},
			LeftOut: map[string]int{"finished": 4, "nothing": 0},
			Looked:  []string{"/x", "/y"}, Missing: []string{"/y"}}),
		source("b", sources.Found{Rows: []sources.Row{undated, row("b", "b2", sources.Unreadable, 2)},
			Problems: []sources.Problem{{Source: "b", Store: "/z", Cause: "torn", Next: "mend it"}}}),
		source("c", sources.Found{None: "never begun"}),
		// What cannot be read is never "nothing there".
		source("d", sources.Found{None: "all is finished", Problems: []sources.Problem{{Source: "d", Store: "/w",
			Cause: "locked", Next: "wait"}}}),
	})
	if got := ids(l); got != "a1 b2 a3 undated" || l.Found != 8 || !l.Unreadable() || len(l.Problems) != 2 {
		t.Errorf("%s, found %d, %v", got, l.Found, l.Problems)
	}
	if len(l.LeftOut) != 1 || l.LeftOut[0] != (LeftOut{"a", "finished", 4}) {
		t.Errorf("%v", l.LeftOut)
	}
	if !slices.Equal(l.Looked, []Place{{"a", "/x", false}, {"a", "/y", true}}) || len(l.None) != 1 ||
		l.None[0].Why != "never begun" {
		t.Errorf("%v %v", l.Looked, l.None)
	}
	if len(l.Warnings) != 1 || !strings.Contains(l.Warnings[0], "no Claude account") {
		t.Errorf("%v", l.Warnings)
	}
}

// TestABrokenSourceHidesNoOther: what goes wrong in one source is that one's problem.
func TestABrokenSourceHidesNoOther(t *testing.T) {
	t.Parallel()
	broken := sources.Source{Name: "broken", Find: func(sources.Machine) sources.Found { panic("a fault") }}
	l := Find(sources.Machine{}, nobody(t), []sources.Source{broken,
		source("a", sources.Found{Rows: []sources.Row{row("a", "a1", sources.Safe, 1)}})})
	if ids(l) != "a1" || len(l.Problems) != 1 || l.Problems[0].Source != "broken" || !strings.Contains(l.Problems[0].Cause,
		"a fault") {
		t.Errorf("%s %v", ids(l), l.Problems)
	}
}

func TestTheLimitCountsForEachSource(t *testing.T) {
	t.Parallel()
	var busy []sources.Row
	for i := range 30 {
		busy = append(busy, row("busy", fmt.Sprint("g", i), sources.Person, i), row("busy", fmt.Sprint("u", i),
			sources.Unreadable, i))
	}
	calm := source("calm", sources.Found{Rows: []sources.Row{row("calm", "old", sources.Safe, 1000)}})
	for all, want := range map[bool]int{false: 41, true: 61} {
		l := Find(sources.Machine{All: all}, nobody(t),
			[]sources.Source{source("busy", sources.Found{Rows: slices.Clone(busy)}), calm})
		if len(l.Rows) != want || l.Found != 61 || l.Rows[len(l.Rows)-1].ID != "old" {
			t.Errorf("all %v: %d listed of %d", all, len(l.Rows), l.Found)
		}
	}
}

// TestJoin: work whose session lives, or may, is never safe to start a second time.
func TestJoin(t *testing.T) {
	t.Parallel()
	const id = "0f0f0f0f-0000-4000-8000-000000000001"
	verdicts := []sources.Verdict{sources.Live, sources.Safe, sources.Person, sources.Time, sources.Unsafe, sources.Done,
		sources.Unreadable}
	for _, live := range []account.LiveState{account.Live, account.Offline, account.Unknown} {
		for _, v := range verdicts {
			n := &joiner{known: map[string]*Session{id: {Short: "0f0f0f0f", Title: "it", Live: live,
				Waiting: "permission prompt"}}}
			r := Row{Row: row("a", "a1", v, 1)}
			r.ClaudeSessionID = strings.ToUpper(id)
			before := slices.Clone(r.Commands)
			commands := r.Commands
			n.join(&r)
			want := v
			if v == sources.Safe && live != account.Offline {
				want = map[account.LiveState]sources.Verdict{account.Live: sources.Live, account.Unknown: sources.Person}[live]
			}
			open := v != sources.Done && v != sources.Unreadable
			held := slices.ContainsFunc(r.Commands, func(c sources.Command) bool {
				return strings.HasPrefix(c.Effect, "NOT NOW") != (c.Acts && live != account.Offline)
			})
			asks := slices.ContainsFunc(r.Commands, func(c sources.Command) bool {
				return c.Command == "recovery queue-check "+
					"0f0f0f0f"
			})
			if r.Claude == nil || r.Verdict != want || open && held || asks != (open && live == account.Offline) ||
				strings.Contains(r.Reason, "second time") != (open && live != account.Offline) {
				t.Errorf("%s, its session %s: %s, %q, %v", v, live, r.Verdict, r.Reason, r.Commands)
			}
			if waits := strings.Contains(r.Reason, "is live and waits (permission prompt)"); waits != (open &&
				live == account.Live) {
				t.Errorf("%s, its session %s: %q", v, live, r.Reason)
			}
			if !slices.Equal(commands, before) {
				t.Errorf("the source's own commands were changed: %v", commands)
			}
			if c, ok := r.Main(); !ok || c.Acts && r.Verdict != sources.Safe {
				t.Errorf("%s: the main command is %v", r.Verdict, c)
			}
		}
	}
	// What opens a job's conversation again waits for the queue check; what does not is left as it is.
	n := &joiner{known: map[string]*Session{id: {Short: "0f0f0f0f", Title: "it", Live: account.Offline}}}
	r := Row{Row: row("a", "a1", sources.Safe, 1)}
	r.ClaudeSessionID = id
	r.Commands = append(r.Commands, sources.Command{Command: "cd -- /w && claude --resume " + id, Effect: "opens it",
		Acts: true})
	n.join(&r)
	if first := r.Commands[1].Effect; first != "continues it" {
		t.Errorf("%q", first)
	}
	if opens := r.Commands[2].Effect; opens != "only when `recovery queue-check 0f0f0f0f` lets it pass: opens it" {
		t.Errorf("%q", opens)
	}
	if c, _ := r.Main(); c.Command != "go a1" {
		t.Errorf("%v", c)
	}
	r.Commands = append(r.Commands[:1], r.Commands[2:]...) // what opens the conversation is the first that acts
	if c, _ := r.Main(); c.Command != "recovery queue-check 0f0f0f0f" || r.Next() != "unknown -> next: continue it "+
		"when its session may be woken: recovery queue-check 0f0f0f0f" {
		t.Errorf("%v, %s", c, r.Next())
	}
	broken := &joiner{a: Account{Err: errors.New("no"), Dir: t.TempDir()}, known: map[string]*Session{}}
	if s := broken.session(id); s == nil || s.Live != account.Unknown {
		t.Errorf("of an account that cannot be read: %v", s)
	}
	if s := newJoiner(nobody(t)).session(id); s != nil {
		t.Errorf("without an account: %v", s)
	}
}

func TestBoxEndsWithTheNextStep(t *testing.T) {
	t.Parallel()
	for verdict, want := range map[sources.Verdict]string{
		sources.Live: "leave it alone", sources.Safe: "continue it: go a1",
		sources.Person: "look at it (look a1), then decide", sources.Time: "wait until its time has come",
		sources.Unsafe: "look at it (look a1); do not continue it", sources.Done: "nothing",
		sources.Unreadable: "look at it (look a1)",
	} {
		r := Row{Row: row("a", "a1", verdict, 1)}
		r.Title, r.Details = "a\x1b[2J\nb", []sources.Detail{{Name: "n\x07", Text: "t\u202e"}}
		box := r.Box()
		if r.Next() != map[bool]string{true: "unreadable", false: "unknown"}[verdict == sources.Unreadable]+" -> next: "+
			want || !strings.HasSuffix(box, r.Next()+"\n") {
			t.Errorf("%s: %s", verdict, box)
		}
		if strings.ContainsAny(box, "\x1b\x07\u202e") || !strings.Contains(box, "\n    go a1\n") {
			t.Errorf("%q", box)
		}
	}
	// Safe, and no command continues it.
	r := Row{Row: row("a", "a1", sources.Safe, 1)}
	r.Commands = r.Commands[:1]
	if got := r.Next(); got != "unknown -> next: continue it in its own system; look at it (look a1)" {
		t.Errorf("%q", got)
	}
	// A box of the source's own tells of the session as well, by the account's job.
	told := Row{Row: row("a", "a1", sources.Safe, 1), Claude: &Session{Short: "0f0f0f0f", Title: "it",
		Live: account.Offline},
		box: func(r sources.Row) string { return fmt.Sprint(r.Details) }}
	if got := told.Box(); !strings.Contains(got, "Claude session") || !strings.Contains(got, "0f0f0f0f (it), offline") ||
		len(told.Details) != 0 {
		t.Errorf("%q", got)
	}
	own := Row{Row: row("a", "a1", sources.Safe, 1), box: func(r sources.Row) string { return "mine\n\nx -> next: y\n" }}
	if own.Box() != "mine\n\nx -> next: y\n" || own.Next() != "x -> next: y" {
		t.Errorf("%q", own.Next())
	}
}

func TestSourcesHaveNames(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, s := range Sources(Account{}) {
		if s.Name == "" || s.Find == nil || seen[s.Name] {
			t.Errorf("%+v", s)
		}
		seen[s.Name] = true
	}
}

// TestSee tells an account that is not there from one that cannot be read.
func TestSee(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	if a := See("", home, nil); a.Err == nil || !a.missing() || a.Dir != filepath.Join(home, ".claude") ||
		a.Folders() != nil {
		t.Errorf("%+v", a)
	}
	if a := See("", "", nil); !a.missing() {
		t.Errorf("%+v", a)
	}
	if err := os.WriteFile(filepath.Join(home, ".claude"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if a := See("", home, nil); a.Err == nil || a.missing() {
		t.Errorf("%+v", a)
	}
}

// TestSessionsByAnySpelling: a job's own id wins over one that another job resumed, and the first of those over the
// next.
func TestSessionsByAnySpelling(t *testing.T) {
	t.Parallel()
	const resumed = "0F0F0F0F-0000-4000-8000-000000000001"
	jobs := []*account.Job{{Short: "1", ResumeSessionID: resumed}, {Short: "2", ResumeSessionID: resumed}}
	a := Account{World: &inventory.World{Jobs: &account.Jobs{List: jobs}}}
	if j := a.sessions()[strings.ToLower(resumed)]; j != jobs[0] {
		t.Errorf("%v", j)
	}
	a.World.Jobs.List = append(jobs, &account.Job{Short: "3", SessionID: resumed})
	if j := a.sessions()[strings.ToLower(resumed)]; j == nil || j.Short != "3" {
		t.Errorf("%v", j)
	}
}
