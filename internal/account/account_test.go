package account

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestOpen(t *testing.T) {
	home := t.TempDir()
	home, err := filepath.EvalSymlinks(home)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(home, ".claude")
	link := filepath.Join(home, "link")
	file := filepath.Join(home, "file")
	put(t, filepath.Join(dir, "settings.json"), "{}")
	put(t, file, "")
	if err := os.Symlink(dir, link); err != nil {
		t.Fatal(err)
	}
	nowhere := filepath.Join(home, "nowhere")
	if err := os.Symlink(filepath.Join(home, "gone"), nowhere); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, configDir, home string
		dir, config           string // of the account; empty for an error
		says                  string
	}{
		{"below home", "", home, dir, filepath.Join(home, ".claude.json"), ""},
		{"the config folder", dir, home, dir, filepath.Join(dir, ".claude.json"), ""},
		{"the config folder without a home", dir, "", dir, filepath.Join(dir, ".claude.json"), ""},
		{"the config folder as a link", link, home, dir, filepath.Join(dir, ".claude.json"), ""},
		{"a slash behind", dir + "/", home, dir, filepath.Join(dir, ".claude.json"), ""},
		{"no account", "", t.TempDir(), "", "", "no Claude account at"},
		{"no config folder", filepath.Join(home, "none"), home, "", "", "sudo -iu"},
		{"a file", file, home, "", "", "is not a folder"},
		{"a link to nothing", nowhere, home, "", "", "no Claude account at"},
		{"nothing known", "", "", "", "", "home folder is not known"},
	} {
		t.Run(c.name, func(t *testing.T) {
			a, err := Open(c.configDir, c.home)
			if c.dir == "" {
				var none *NoAccountError
				if !errors.As(err, &none) || !strings.Contains(err.Error(), c.says) {
					t.Fatalf("error %v, want one that says %q", err, c.says)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if a.Dir != c.dir || a.ConfigFile != c.config || a.Home != c.home {
				t.Errorf("%+v, want %s and %s", a, c.dir, c.config)
			}
		})
	}
	t.Run("no account is a missing file", func(t *testing.T) {
		if _, err := Open("", t.TempDir()); !errors.Is(err, fs.ErrNotExist) {
			t.Error(err)
		}
	})
	t.Run("home as a link", func(t *testing.T) {
		linked := filepath.Join(t.TempDir(), "home")
		if err := os.Symlink(home, linked); err != nil {
			t.Fatal(err)
		}
		a, err := Open("", linked)
		if err != nil || a.Dir != dir || a.ConfigFile != filepath.Join(linked, ".claude.json") {
			t.Error(a, err)
		}
	})
	t.Run("the account as a link keeps its trust file beside it", func(t *testing.T) {
		h := t.TempDir()
		if err := os.Symlink(dir, filepath.Join(h, ".claude")); err != nil {
			t.Fatal(err)
		}
		a, err := Open("", h)
		if err != nil || a.Dir != dir || a.ConfigFile != filepath.Join(h, ".claude.json") {
			t.Error(a, err)
		}
	})
	t.Run("a relative home", func(t *testing.T) {
		t.Chdir(home)
		a, err := Open("", ".")
		if err != nil || !filepath.IsAbs(a.ConfigFile) || !filepath.IsAbs(a.Home) {
			t.Error(a, err)
		}
	})
}

func TestCleanupDays(t *testing.T) {
	for _, c := range []struct {
		text string
		days int
		warn string
	}{
		{`{}`, 30, ""},
		{`{"cleanupPeriodDays":7}`, 7, ""},
		{"\ufeff" + `{"cleanupPeriodDays":7}`, 7, ""},
		{`{"cleanupPeriodDays":0}`, 0, ""},
		{`{"cleanupPeriodDays":7,"cleanupPeriodDays":9}`, 9, ""},
		{`{"cleanupPeriodDays":99999}`, 99999, ""},
		{`{"cleanupPeriodDays":1e300}`, maxCleanupDays, ""},
		{`{"cleanupPeriodDays":-1}`, 30, "not a number of days"},
		{`{"cleanupPeriodDays":"7"}`, 30, "not a number of days"},
		{`{"cleanupPeriodDays":null}`, 30, "not a number of days"},
		{`{"cleanupPeriodDays":7`, 30, "not valid JSON"},
		{``, 30, "not valid JSON"},
		{`[7]`, 30, "not a JSON object"},
		{strings.Repeat(`[`, 1<<20), 30, "not valid JSON"},
	} {
		a := folder(t, map[string]string{"settings.json": c.text})
		days, warn := a.CleanupDays()
		if days != c.days || (warn == "") != (c.warn == "") || !strings.Contains(warn, c.warn) {
			t.Errorf("%.40s: %d days, %q", c.text, days, warn)
		}
	}
	if days, warn := folder(t, nil).CleanupDays(); days != 30 || warn != "" {
		t.Error("no settings:", days, warn)
	}
	if days, warn := folder(t, map[string]string{"settings.json/x": ""}).CleanupDays(); days != 30 ||
		!strings.Contains(warn, "cannot be read") {
		t.Error("a folder:", days, warn)
	}
}

func TestPins(t *testing.T) {
	for _, c := range []struct {
		text string
		pins int
		warn string
	}{
		{`[]`, 0, ""},
		{`["0a1b2c3d"]`, 1, ""},
		{"\ufeff" + `["0a1b2c3d"]`, 1, ""},
		{`["0a1b2c3d","9f8e7d6c","0a1b2c3d"]`, 2, ""},
		{`["0a1b2c3d",7,null,{}]`, 1, ""},
		{`{"0a1b2c3d":true}`, 0, ""},
		{`null`, 0, ""},
		{`["0a1b2c3d"`, 0, "not valid JSON"},
		{``, 0, "not valid JSON"},
		{strings.Repeat(`[`, 1<<20), 0, "not valid JSON"},
	} {
		pins, warn := folder(t, map[string]string{"jobs/pins.json": c.text}).Pins()
		if len(pins) != c.pins || (warn == "") != (c.warn == "") || !strings.Contains(warn, c.warn) {
			t.Errorf("%.40s: %v, %q", c.text, pins, warn)
		}
		if c.pins > 0 && !pins[short1] {
			t.Errorf("%s: %v", c.text, pins)
		}
	}
	if pins, warn := folder(t, nil).Pins(); len(pins) != 0 || warn != "" {
		t.Error(pins, warn)
	}
}

func TestDoor(t *testing.T) {
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	for _, name := range []string{"a.json", "x.key", "Y.KEY", "z.key.tmp.0a1b", ".credentials.json"} {
		put(t, path(name), "{}")
	}
	for name, to := range map[string]string{"link-to-key.json": "x.key", "link-to-link.json": "link-to-key.json",
		"link.json": "a.json", "dangling.json": "gone"} {
		if err := os.Symlink(path(to), path(name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := syscall.Mkfifo(path("pipe.json"), 0o600); err != nil {
		t.Fatal(err)
	}
	put(t, path("folder/file"), "")
	f, err := os.Create(path("huge.json"))
	if err == nil {
		err = errors.Join(f.Truncate(maxSmallFile+1), f.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, says string
		missing    bool
	}{
		{"a.json", "", false},
		{"link.json", "", false},
		{"x.key", "holds a secret", false},
		{"Y.KEY", "holds a secret", false},
		{"z.key.tmp.0a1b", "holds a secret", false},
		{".credentials.json", "holds a secret", false},
		{"link-to-key.json", "holds a secret", false},
		{"link-to-link.json", "holds a secret", false},
		{"dangling.json", "link to a file that is not there", false},
		{"gone.json", "no such file", true},
		{"pipe.json", "not a regular file", false},
		{"folder", "not a regular file", false},
		{"huge.json", "larger than 16 MiB", false},
	} {
		_, err := Door{}.ReadFile(path(c.name))
		switch {
		case c.says == "" && err != nil, c.says != "" && (err == nil || !strings.Contains(err.Error(), c.says)):
			t.Errorf("%s: %v, want %q", c.name, err, c.says)
		case errors.Is(err, fs.ErrNotExist) != c.missing:
			t.Errorf("%s: missing is %v: %v", c.name, !c.missing, err)
		}
	}
	if _, err := (Door{}).ReadDir(path("dangling.json")); err == nil || errors.Is(err, fs.ErrNotExist) {
		t.Error("a dangling folder:", err)
	}
	if _, err := (Door{}).ReadDir(path("gone")); !errors.Is(err, fs.ErrNotExist) {
		t.Error("no folder:", err)
	}
	if _, err := (Door{}).Lstat(path("dangling.json")); err != nil {
		t.Error("the name of a link that leads to nothing:", err)
	}
}

func TestValidJSON(t *testing.T) {
	for text, want := range map[string]bool{
		`{}`: true, `[]`: true, `"a"`: true, `{"a":[{"b":1}]}`: true, ``: false, `{`: false, `{} {}`: false,
		strings.Repeat(`[`, 900) + strings.Repeat(`]`, 900):     true,
		strings.Repeat(`[`, 1<<20) + strings.Repeat(`]`, 1<<20): false,
		strings.Repeat(`{"a":`, 1<<20):                          false,
		`["` + strings.Repeat(`[`, 1<<20) + `"]`:                true,
		`["\"` + strings.Repeat(`[`, 1<<20) + `"]`:              true,
		`[` + strings.Repeat(`[],`, 1<<20) + `1]`:               true,
	} {
		if got := ValidJSON([]byte(text)); got != want {
			t.Errorf("%.30s (%d bytes): %v", text, len(text), got)
		}
	}
}

func TestNearMiss(t *testing.T) {
	known := []string{"queuedPrompt", "inFlight", "state", "cwd"}
	for key, meant := range map[string]string{
		"queuedPrompt": "", "queuedPrompu": "queuedPrompt", "Queuedprompt": "queuedPrompt", "queuedPromp": "queuedPrompt",
		"queuedPrompts": "queuedPrompt",
		"qeuedPrompt":   "queuedPrompt", "queued\rompt": "queuedPrompt", "queuedProm\t": "queuedPrompt", "initialPrompt": "",
		"inFligh": "inFlight",
		"stat":    "state", "statf": "state", "stbtf": "", "cwe": "cwd", "pid": "", "": "", "unknown": "",
	} {
		got, ok := NearMiss(key, known)
		if got != meant || ok != (meant != "") {
			t.Errorf("%q: %q, want %q", key, got, meant)
		}
	}
}
