package inventory

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"recovery/fixtures"
	"recovery/internal/account"
	"recovery/internal/remote"
)

func TestMain(m *testing.M) {
	fixtures.Main()
	os.Exit(m.Run())
}

// now is far from the machine's clock on purpose: nothing may depend on it.
var now = time.Date(2026, 9, 3, 12, 0, 0, 0, time.UTC)

// last is the last entry of a session that says nothing else.
var last = now.Add(-10 * time.Hour)

// tester is what a test and a property have in common.
type tester interface {
	Helper()
	Errorf(format string, args ...any)
	Fatal(args ...any)
}

func newAccount(t testing.TB) *fixtures.Account {
	t.Helper()
	a, err := fixtures.New(t.TempDir(), now)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(a.Close)
	return a
}

func add(t testing.TB, a *fixtures.Account, s fixtures.Session) fixtures.Added {
	t.Helper()
	out, err := a.Add(s)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// machine is a process table with nothing in it but what a test puts there.
func machine(of ...account.Process) account.Processes {
	p := account.Processes{ByPID: map[int]account.Process{}, Domain: fixtures.PidDomain()}
	for _, x := range of {
		p.ByPID[x.PID] = x
	}
	return p
}

func world(t tester, a *fixtures.Account, p account.Processes) *World {
	t.Helper()
	acc, err := account.Open(a.Claude, a.Home)
	if err != nil {
		t.Fatal(err)
	}
	w, err := See(acc, p, a.Now)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// pagesOf reads saved pages as the command line does.
func pagesOf(t tester, paths ...string) *remote.Sessions {
	t.Helper()
	var files []remote.File
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, remote.File{Name: filepath.Base(path), Data: data, ModTime: info.ModTime()})
	}
	got, err := remote.ReadSessions(files...)
	if err != nil {
		t.Fatal(err)
	}
	return &got
}

func savePage(t testing.TB, a *fixtures.Account, o fixtures.PageOptions) string {
	t.Helper()
	path, err := a.SavePage("page.json", o)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// balanced is the denominator: what was found is listed, without a job, or left out for a reason.
func balanced(t tester, inv Inventory) {
	t.Helper()
	n := len(inv.Items) + len(inv.Unmatched)
	for _, l := range inv.LeftOut {
		if l.Count <= 0 || strings.TrimSpace(l.Reason) == "" {
			t.Errorf("left out %+v", l)
		}
		n += l.Count
	}
	if inv.Found != n {
		t.Errorf("found %d, accounted for %d: %d items, %d unmatched, left out %v", inv.Found, n, len(inv.Items),
			len(inv.Unmatched), inv.LeftOut)
	}
}

func leftOut(inv Inventory, reason string) int {
	for _, l := range inv.LeftOut {
		if l.Reason == reason {
			return l.Count
		}
	}
	return 0
}

func shorts(inv Inventory) []string {
	out := []string{}
	for _, it := range inv.Items {
		out = append(out, it.Short)
	}
	return out
}
