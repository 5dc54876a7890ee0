package account

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"recovery/fixtures"
)

func TestMain(m *testing.M) {
	fixtures.Main()
	os.Exit(m.Run())
}

// now is far from the machine's clock on purpose: nothing may depend on it.
var now = time.Date(2026, 9, 3, 12, 0, 0, 0, time.UTC)

const (
	id1    = "0a1b2c3d-1111-4111-8111-111111111111"
	id2    = "9f8e7d6c-2222-4222-8222-222222222222"
	short1 = "0a1b2c3d"
	short2 = "9f8e7d6c"
)

// folder makes an account of plain files, by their paths below .claude.
func folder(t *testing.T, files map[string]string) *Account {
	t.Helper()
	home := t.TempDir()
	dir := filepath.Join(home, ".claude")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		put(t, filepath.Join(dir, name), text)
	}
	a, err := Open("", home)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func put(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func fixture(t *testing.T) *fixtures.Account {
	t.Helper()
	f, err := fixtures.New(t.TempDir(), now)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(f.Close)
	return f
}

func add(t *testing.T, f *fixtures.Account, s fixtures.Session) fixtures.Added {
	t.Helper()
	out, err := f.Add(s)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func open(t *testing.T, f *fixtures.Account) *Account {
	t.Helper()
	a, err := Open(f.Claude, f.Home)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func at(clock string) time.Time {
	v, err := time.Parse(time.RFC3339, "2026-09-01T"+clock+"Z")
	if err != nil {
		panic(err)
	}
	return v
}
