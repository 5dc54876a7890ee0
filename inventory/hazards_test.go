package inventory

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"recovery/fixtures"
	"recovery/internal/account"
)

func writeFile(t *testing.T, path, data string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(data), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestSkipsChecks(t *testing.T) {
	for _, flags := range [][]string{
		{"--dangerously-skip-permissions"}, {"-n", "x", "--dangerously-skip-permissions"},
		{"--dangerously-skip-permissions=true"}, {"--dangerouslySkipPermissions"},
		{"--DANGEROUSLY-SKIP-PERMISSIONS"}, {"--dangerously_skip_permissions"}, {"--allow-dangerously-skip-permissions"},
		{"--yolo"},
		{"--permission-mode", "bypassPermissions"}, {"--permission-mode=bypassPermissions"},
		{"--permission-mode bypassPermissions"}, {"--permission-mode", "BypassPermissions"},
		{"--permission-mode", "bypass-permissions"}, {"--permission-mode", `"bypassPermissions"`},
		{"--permission-mode=acceptEdits"}, {"--permission-mode", "dontAsk"},
		{"--permissionMode", "bypassPermissions"}, {"--permission-mode", "plan", "--permission-mode", "bypassPermissions"},
		{"--permission-prompt-tool", "mcp__x__yes"}, {"--permission-prompt-tool=mcp__x__yes"},
		{"--settings", `{"permissions":{"defaultMode":"bypassPermissions"}}`},
		{"--allowedTools", "Bash"}, {"--allowed-tools", "Read", "Bash(git status:*)"}, {"--allowedTools=Read,Edit"},
		{"--allowedTools", "*"}, {"--allowedTools", "Read Write"},
	} {
		if skipsChecks(flags) == "" {
			t.Errorf("%q is let through", flags)
		}
	}
	for _, flags := range [][]string{
		nil, {}, {"-n", "tidy"}, {"--permission-mode", "plan"}, {"--permission-mode=default"}, {"--permission-mode", "auto"},
		{"--permission-mode"},
		{"-n", "bypassPermissions"}, {"-n", "permission-mode bypassPermissions"}, {"--model", "opus"},
		{"--allowedTools", "Read"}, {"--allowedTools", "Read,Grep", "Glob", "-n", "Bash"},
		{"--allowedTools=Read", "-n", "x"}, {"--settings", "/etc/settings.json"}, {"--disallowedTools", "Bash"},
		{"--name", "yolo"}, {"yolo"}, {""},
	} {
		if got := skipsChecks(flags); got != "" {
			t.Errorf("%q: %s", flags, got)
		}
	}
}

func codesOf(list []Hazard) []string {
	out := []string{}
	for _, h := range list {
		out = append(out, h.Code)
	}
	return out
}

func TestHazardsOfTheJob(t *testing.T) {
	a := newAccount(t)
	for name, c := range map[string]struct {
		session fixtures.Session
		want    []string
	}{
		"none":     {fixtures.Session{}, []string{}},
		"selfWake": {fixtures.Session{SelfWake: true}, []string{HazardSelfWake}},
		"selfWake object": {fixtures.Session{Extra: map[string]string{"selfWake": `{"at":"2026-09-04T00:00:00Z"}`}},
			[]string{HazardSelfWake}},
		"selfWake false": {fixtures.Session{Extra: map[string]string{"selfWake": `false`}}, []string{}},
		"selfWake null":  {fixtures.Session{Extra: map[string]string{"selfWake": `null`}}, []string{}},
		"routine":        {fixtures.Session{Routine: "nightly"}, []string{HazardRoutine}},
		"routine object": {fixtures.Session{Extra: map[string]string{"routine": `{"id":"r1"}`}}, []string{HazardRoutine}},
		"tasks":          {fixtures.Session{InFlightTasks: 1}, []string{HazardTasks}},
		"no checks": {fixtures.Session{RespawnFlags: []string{"--dangerously-skip-permissions"}},
			[]string{HazardNoChecks}},
		"all": {fixtures.Session{SelfWake: true, Routine: "r", InFlightTasks: 2,
			RespawnFlags: []string{"--permission-mode=bypassPermissions"}}, []string{HazardSelfWake, HazardRoutine, HazardTasks,
			HazardNoChecks}},
	} {
		c.session.Name = name
		s := add(t, a, c.session)
		w := world(t, a, machine())
		if got := codesOf(w.Hazards(w.Jobs.ByShort[s.Short])); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

// A Babysitter run is bound to a session by a state file that bears its id.
func TestBabysitterRun(t *testing.T) {
	const active = "---\nactive: true\nrun_id: r1\n---\n"
	for name, c := range map[string]struct {
		path  func(a *fixtures.Account, s fixtures.Added, env string) string
		data  string
		bound bool
	}{
		"by the environment": {func(_ *fixtures.Account, s fixtures.Added, env string) string {
			return env + "/" +
				s.SessionID + ".md"
		}, active, true},
		"in the home folder": {func(a *fixtures.Account, s fixtures.Added, _ string) string {
			return a.Home + "/.a5c/state/" + s.SessionID + ".md"
		}, active, true},
		"in the session's folder": {func(_ *fixtures.Account, s fixtures.Added, _ string) string {
			return s.Cwd + "/.a5c/state/" + s.SessionID + ".md"
		}, active, true},
		"where older ones wrote": {func(_ *fixtures.Account, s fixtures.Added, _ string) string {
			return s.Cwd + "/.a5c/" + s.SessionID + ".md"
		}, active, true},
		"by the resumed id": {func(_ *fixtures.Account, s fixtures.Added, _ string) string {
			return s.Cwd + "/.a5c/state/" + s.ResumeSessionID + ".md"
		}, active, true},
		"inactive": {func(_ *fixtures.Account, s fixtures.Added, _ string) string {
			return s.Cwd + "/.a5c/state/" + s.SessionID + ".md"
		}, "---\nactive: false\n---\n", false},
		"inactive, quoted": {func(_ *fixtures.Account, s fixtures.Added, _ string) string {
			return s.Cwd + "/.a5c/state/" + s.SessionID + ".md"
		}, "active: \"false\"\r\n", false},
		"does not say": {func(_ *fixtures.Account, s fixtures.Added, _ string) string {
			return s.Cwd + "/.a5c/state/" + s.SessionID + ".md"
		}, "", true},
		"another session's": {func(_ *fixtures.Account, s fixtures.Added, _ string) string {
			return s.Cwd + "/.a5c/state/cccc0003-1111-4111-8111-111111111111.md"
		}, active, false},
		"a folder in its place": {func(_ *fixtures.Account, s fixtures.Added, _ string) string {
			return s.Cwd + "/.a5c/state/" + s.SessionID + ".md/x"
		}, active, true},
		"a file in the folder's place": {func(_ *fixtures.Account, s fixtures.Added, _ string) string {
			return s.Cwd +
				"/.a5c"
		}, active, false},
	} {
		t.Run(name, func(t *testing.T) {
			a := newAccount(t)
			env := t.TempDir()
			s := add(t, a, fixtures.Session{ResumeSessionID: "bbbb0002-1111-4111-8111-111111111111"})
			writeFile(t, c.path(a, s, env), c.data)
			w := world(t, a, machine())
			w.BabysitterDir = env
			got := codesOf(w.Hazards(w.Jobs.ByShort[s.Short]))
			if slices.Contains(got, HazardBabysitter) != c.bound {
				t.Errorf("%v", got)
			}
		})
	}
	t.Run("an id that is none opens nothing", func(t *testing.T) {
		a := newAccount(t)
		w := world(t, a, machine())
		writeFile(t, a.Home+"/.a5c/secret.md", active)
		if got := w.Hazards(&account.Job{SessionID: "../secret", Cwd: "relative"}); len(got) > 0 {
			t.Errorf("%v", got)
		}
	})
}
