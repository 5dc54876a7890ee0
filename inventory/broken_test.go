package inventory

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"recovery/fixtures"
	"recovery/internal/account"
	"recovery/internal/transcript"
)

// Each way to break one file of one session is one warning, and every other session is listed as before.
func TestInvariant10OneBrokenFileIsOneWarning(t *testing.T) {
	write := func(path string, data string) func(t *testing.T) {
		return func(t *testing.T) {
			t.Helper()
			if err := os.WriteFile(path, []byte(data), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	folder := func(path string) func(t *testing.T) {
		return func(t *testing.T) {
			t.Helper()
			if err := os.RemoveAll(path); err != nil {
				t.Fatal(err)
			}
			if err := os.MkdirAll(path, 0o755); err != nil {
				t.Fatal(err)
			}
		}
	}
	type hit struct {
		damage func(a *fixtures.Account, s fixtures.Added) func(*testing.T)
		row    bool // the warning is on the session's row too
		turn   transcript.TurnState
		live   account.LiveState
	}
	for name, c := range map[string]hit{
		"state cut": {func(a *fixtures.Account, s fixtures.Added) func(*testing.T) {
			return write(s.StatePath, `{"state":"done","sess`)
		}, true, "", account.Unknown},
		"state empty": {func(a *fixtures.Account, s fixtures.Added) func(*testing.T) { return write(s.StatePath, "") },
			true, "", account.Unknown},
		"state no object": {func(a *fixtures.Account, s fixtures.Added) func(*testing.T) {
			return write(s.StatePath,
				"[]")
		}, true, "", account.Unknown},
		"state a folder": {func(a *fixtures.Account, s fixtures.Added) func(*testing.T) { return folder(s.StatePath) },
			true, "", account.Unknown},
		"transcript folder": {func(a *fixtures.Account, s fixtures.Added) func(*testing.T) { return folder(s.Transcript) },
			true, transcript.UnknownTurn, account.Offline},
		"transcript noise": {func(a *fixtures.Account, s fixtures.Added) func(*testing.T) {
			return write(s.Transcript, "lorem ipsum\n")
		}, true, "", account.Offline},
		"pins": {func(a *fixtures.Account, s fixtures.Added) func(*testing.T) {
			return write(filepath.Join(a.Claude, "jobs", "pins.json"), "[")
		}, false, transcript.Complete, account.Offline},
		"settings": {func(a *fixtures.Account, s fixtures.Added) func(*testing.T) {
			return write(filepath.Join(a.Claude, "settings.json"), "[")
		}, false, transcript.Complete, account.Offline},
		"log": {func(a *fixtures.Account, s fixtures.Added) func(*testing.T) {
			return folder(filepath.Join(a.Claude, "daemon.log"))
		}, false, transcript.Complete, account.Offline},
		"registry of a process that is gone": {func(a *fixtures.Account, s fixtures.Added) func(*testing.T) {
			return write(filepath.Join(a.Claude, "sessions", "4242.json"), "{")
		}, false, transcript.Complete, account.Offline},
	} {
		t.Run(name, func(t *testing.T) {
			a := newAccount(t)
			one := add(t, a, fixtures.Session{Name: "one"})
			two := add(t, a, fixtures.Session{Name: "two"})
			before := Build(world(t, a, machine()), nil)
			c.damage(a, one)(t)
			inv := Build(world(t, a, machine()), nil)
			balanced(t, inv)
			if len(inv.Items) != 2 || len(before.Warnings) != 0 {
				t.Fatalf("items %v, warnings before %v", shorts(inv), before.Warnings)
			}
			hit, other := inv.Find(one.Short), inv.Find(two.Short)
			if len(other.Warnings) != 0 || other.Live != account.Offline || other.Turn != string(transcript.Complete) {
				t.Errorf("the other session: %+v", other)
			}
			if c.row && len(hit.Warnings) != 1 || !c.row && len(hit.Warnings) != 0 {
				t.Errorf("warnings on its row: %q", hit.Warnings)
			}
			if len(inv.Warnings) > 1 || !c.row && len(inv.Warnings) != 1 {
				t.Errorf("warnings: %q", inv.Warnings)
			}
			if c.turn != "" && hit.Turn != string(c.turn) || hit.Turn == string(transcript.Complete) && c.turn == "" {
				t.Errorf("turn %s (%s)", hit.Turn, hit.TurnEvidence)
			}
			if hit.Live != c.live {
				t.Errorf("live %s: %v", hit.Live, hit.LiveEvidence)
			}
		})
	}
}

// What cannot be read is unknown; only what is not there is empty.
func TestTranscriptThatCannotBeRead(t *testing.T) {
	for name, c := range map[string]struct {
		break1 func(t *testing.T, a *fixtures.Account, s fixtures.Added) error
		turn   transcript.TurnState
	}{
		"gone": {func(_ *testing.T, _ *fixtures.Account, s fixtures.Added) error { return os.Remove(s.Transcript) },
			transcript.Empty},
		"a folder in its place": {func(_ *testing.T, _ *fixtures.Account, s fixtures.Added) error {
			return join(os.Remove(s.Transcript), os.Mkdir(s.Transcript, 0o755))
		}, transcript.UnknownTurn},
		"a link to itself": {func(_ *testing.T, _ *fixtures.Account, s fixtures.Added) error {
			return join(os.Remove(s.Transcript), os.Symlink(s.Transcript, s.Transcript))
		}, transcript.UnknownTurn},
		"projects is a file": {func(_ *testing.T, a *fixtures.Account, s fixtures.Added) error {
			dir := filepath.Join(a.Claude, "projects")
			return join(os.RemoveAll(dir), os.WriteFile(dir, []byte("x"), 0o600))
		}, transcript.UnknownTurn},
		"all zeros": {func(_ *testing.T, _ *fixtures.Account, s fixtures.Added) error {
			return os.WriteFile(s.Transcript, make([]byte, 1000), 0o600)
		}, transcript.UnknownTurn},
		"no bytes": {func(_ *testing.T, _ *fixtures.Account, s fixtures.Added) error {
			return os.WriteFile(s.Transcript, nil, 0o600)
		}, transcript.Empty},
	} {
		t.Run(name, func(t *testing.T) {
			a := newAccount(t)
			s := add(t, a, fixtures.Session{})
			if err := c.break1(t, a, s); err != nil {
				t.Fatal(err)
			}
			inv := Build(world(t, a, machine()), nil)
			it := inv.Find(s.Short)
			if it == nil || it.Turn != string(c.turn) || len(it.Warnings) == 0 {
				t.Fatalf("%+v", it)
			}
			if c.turn == transcript.UnknownTurn && it.Live != account.Unknown && strings.Contains(it.TurnEvidence, "deleted") {
				t.Errorf("unread, and called deleted: %s", it.TurnEvidence)
			}
		})
	}
}

// The conversation after /clear is gone and the one before is still there: a wake would start a blank one.
func TestOnlyTheConversationBeforeClearIsLeft(t *testing.T) {
	for _, linked := range []bool{true, false} {
		a := newAccount(t)
		s := add(t, a, fixtures.Session{ResumeSessionID: "bbbb0002-1111-4111-8111-111111111111", NoLinkScanPath: !linked,
			Cleared: []fixtures.Turn{fixtures.Says("Old matter.", "Done with that.")}, Turns: []fixtures.Turn{fixtures.Cleared(),
				fixtures.Says("New.", "Done.")}})
		if it := find1(t, a, s.Short); it.Turn != string(transcript.Complete) || len(it.Warnings) > 0 {
			t.Fatalf("whole: %+v", it)
		}
		if err := os.Remove(s.Transcript); err != nil {
			t.Fatal(err)
		}
		if it := find1(t, a, s.Short); len(it.Warnings) != 1 {
			t.Errorf("linked %v: the old conversation passes for the new one: %+v", linked, it)
		}
	}
}

func find1(t *testing.T, a *fixtures.Account, short string) *Item {
	t.Helper()
	inv := Build(world(t, a, machine()), nil)
	it := inv.Find(short)
	if it == nil {
		t.Fatal("not listed")
	}
	return it
}

func join(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

func TestFolders(t *testing.T) {
	a := newAccount(t)
	for name, c := range map[string]struct {
		cwd  string
		make func(path string) error
		gone bool
		odd  bool
	}{
		"there":  {"there", nil, false, false},
		"gone":   {"gone", os.RemoveAll, true, false},
		"a file": {"file", func(p string) error { return join(os.RemoveAll(p), os.WriteFile(p, nil, 0o600)) }, true, true},
		"below a file": {"below/a", func(p string) error {
			return join(os.RemoveAll(filepath.Dir(p)), os.WriteFile(filepath.Dir(p), nil, 0o600))
		}, false, true},
		"a link to itself": {"loop", func(p string) error { return join(os.RemoveAll(p), os.Symlink(p, p)) }, false, true},
	} {
		s := add(t, a, fixtures.Session{Name: name, Cwd: c.cwd})
		if c.make != nil {
			if err := c.make(s.Cwd); err != nil {
				t.Fatal(err)
			}
		}
		w := world(t, a, machine())
		f := w.Facts(w.Jobs.ByShort[s.Short])
		if f.FolderGone != c.gone || (f.FolderProblem != "") != c.odd {
			t.Errorf("%s: gone %v, problem %q", name, f.FolderGone, f.FolderProblem)
		}
	}
	w := world(t, a, machine())
	j := *w.Jobs.List[0]
	for cwd, odd := range map[string]bool{"": false, "relative": true, ".": true} {
		j.Cwd = cwd
		if f := w.Facts(&j); (f.FolderProblem != "") != odd || f.FolderGone {
			t.Errorf("%q: gone %v, problem %q", cwd, f.FolderGone, f.FolderProblem)
		}
	}
}
