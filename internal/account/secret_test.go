package account

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"recovery/fixtures"
)

// TestInvariant9NoSecretIsRead: no key file is opened, and no secret is in anything that is given out, whatever is
// broken.
func TestInvariant9NoSecretIsRead(t *testing.T) {
	f := fixture(t)
	s := add(t, f, fixtures.Session{Live: true, Outlives: true})
	stale := add(t, f, fixtures.Session{Name: "stale", StaleRegistry: true})
	a := open(t, f)
	// Key files that nobody could read without being noticed: whoever opens one blocks, or says so in a warning.
	keys, err := filepath.Glob(filepath.Join(a.Dir, "sessions", "*.key"))
	if err != nil || len(keys) < 2 {
		t.Fatal(keys, err)
	}
	for _, key := range append(keys, filepath.Join(a.Dir, "daemon", "control.key")) {
		if _, err := a.ReadFile(key); err == nil || strings.Contains(err.Error(), fixtures.Secret) {
			t.Errorf("%s: %v", key, err)
		}
		if err := os.Remove(key); err != nil {
			t.Fatal(err)
		}
		if err := os.Mkdir(key, 0o000); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(keys[0], filepath.Join(a.Dir, "sessions", "77.json")); err != nil {
		t.Fatal(err)
	}
	roster := filepath.Join(a.Dir, "daemon", "roster.json")
	whole, err := os.ReadFile(roster)
	if err != nil || !bytes.Contains(whole, []byte(fixtures.Secret)) {
		t.Fatal(err)
	}
	secret := []byte(fixtures.Secret)
	for name, data := range map[string][]byte{
		"whole":                  whole,
		"cut":                    whole[:len(whole)/2],
		"beheaded":               whole[len(whole)/2:],
		"secrets as shorts":      bytes.ReplaceAll(whole, []byte(`"`+s.Short+`"`), []byte(`"`+fixtures.Secret+`"`)),
		"secrets as sessions":    bytes.ReplaceAll(whole, []byte(s.SessionID), secret),
		"secrets as starts":      bytes.ReplaceAll(whole, []byte(s.Worker.Start), secret),
		"secrets as keys":        bytes.ReplaceAll(whole, []byte(`"workers"`), []byte(`"`+fixtures.Secret+`\u0000"`)),
		"a secret beside it all": append([]byte(`{"`+fixtures.Secret+`":1,`), whole[1:]...),
	} {
		t.Run(name, func(t *testing.T) {
			put(t, roster, string(data))
			jobs, err := a.Jobs()
			if err != nil {
				t.Fatal(err)
			}
			w := a.Witnesses(ReadProcesses())
			var out strings.Builder
			for _, short := range []string{s.Short, stale.Short} {
				j := jobs.ByShort[short]
				text, err := json.Marshal([]any{j, w.Of(j, a.Log()), w.Warnings, jobs.Warnings, a.Trust(j.Cwd)})
				if err != nil {
					t.Fatal(err)
				}
				fmt.Fprintf(&out, "%s\n%+v\n%+v\n", text, *j, w.Of(j, nil))
			}
			fmt.Fprintf(&out, "%v %v", w.doubt, w.supervisorWhy)
			if strings.Contains(out.String(), fixtures.Secret) {
				t.Error(out.String())
			}
			if strings.Contains(out.String(), ".key") {
				t.Error("a key file was opened:", out.String())
			}
		})
	}
}
