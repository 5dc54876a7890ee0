package transcript

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"recovery/fixtures"
	"recovery/internal/account"
)

const (
	idA = "0a1b2c3d-1111-4111-8111-111111111111"
	idB = "9f8e7d6c-2222-4222-8222-222222222222"
	idC = "77777777-3333-4333-8333-333333333333"
)

func TestLocate(t *testing.T) {
	stub := `{"type":"custom-title","customTitle":"x"}` + "\n"
	went := func(to string) string { return `{"type":"continued-in","continuedInSessionId":"` + to + `"}` + "\n" }
	for _, c := range []struct {
		name               string
		files              map[string]string // below projects, without .jsonl
		scan               string            // linkScanPath, likewise; "" for none
		resume             string
		path               string // "" for none
		problem, continued string
	}{
		{"nothing", nil, "", "", "", "there is no transcript", ""},
		{"by its id", map[string]string{"p/" + idA: done}, "", "", "p/" + idA, "", ""},
		{"by the client's path", map[string]string{"p/" + idA: done, "q/" + idA: done}, "q/" + idA, idA, "q/" + idA, "", ""},
		{"the client's path is gone", map[string]string{"p/" + idA: done}, "q/" + idA, idA, "p/" + idA, "", ""},
		{"the client's path is a stub", map[string]string{"p/" + idA: done, "q/" + idA: stub}, "q/" + idA, idA, "p/" + idA,
			"two", ""},
		{"two slugs", map[string]string{"p/" + idA: done, "q/" + idA: done}, "", idA, "p/" + idA,
			"two transcripts have the same session id", ""},
		{"two slugs, one a stub", map[string]string{"p/" + idA: stub, "q/" + idA: done}, "", idA, "q/" + idA, "", ""},
		{"two slugs, one empty", map[string]string{"p/" + idA: "", "q/" + idA: done}, "", idA, "q/" + idA, "", ""},
		{"after /clear", map[string]string{"p/" + idA: done, "p/" + idB: done}, "p/" + idB, idB, "p/" + idB, "", ""},
		{"after /clear, without the client's path", map[string]string{"p/" + idA: done, "p/" + idB: done}, "", idB,
			"p/" + idB, "", ""},
		// A wake goes to the resumed id, whatever else there is: seen to start a blank conversation there.
		{"after /clear, the new one gone", map[string]string{"p/" + idA: done}, "p/" + idB, idB, "p/" + idA,
			"a wake resumes session " + idB, ""},
		{"after /clear, the new one a stub", map[string]string{"p/" + idA: done, "p/" + idB: stub}, "p/" + idB, idB,
			"p/" + idA, "a wake resumes", ""},
		{"the client's path is another session's", map[string]string{"p/" + idC: done}, "p/" + idC, idA, "",
			"there is no transcript", ""},
		{"the client's path is another session's, beside its own", map[string]string{"p/" + idC: done, "p/" + idA: done},
			"p/" + idC, idA, "p/" + idA, "", ""},
		{"after /clear, the client's path is the old one", map[string]string{"p/" + idA: done, "p/" + idB: done}, "p/" + idA,
			idB, "p/" + idB, "", ""},
		{"after /clear, the client's path is the old one and the new one is gone", map[string]string{"p/" + idA: done},
			"p/" + idA, idB, "p/" + idA, "a wake resumes session " + idB, ""},
		{"only a stub", map[string]string{"p/" + idA: stub}, "p/" + idA, idA, "p/" + idA, "holds no message", ""},
		{"only an empty file", map[string]string{"p/" + idA: ""}, "p/" + idA, idA, "p/" + idA, "holds no message", ""},
		// What cannot be read is not passed over.
		{"garbage", map[string]string{"p/" + idA: "lorem\n", "q/" + idA: done}, "p/" + idA, idA, "p/" + idA, "cannot be read",
			""},
		{"zeros, and the conversation before /clear", map[string]string{"p/" + idB: strings.Repeat("\x00", 99),
			"p/" + idA: done}, "p/" + idB, idB, "p/" + idB, "cannot be read", ""},
		{"a folder", map[string]string{"p/" + idB + ".jsonl/x": "", "p/" + idA: done}, "p/" + idB, idB, "p/" + idB,
			"cannot be read", ""},
		{"one good, one garbage", map[string]string{"p/" + idA: done, "q/" + idA: "lorem\n"}, "", idA, "p/" + idA,
			"another transcript of the same session cannot be read", ""},
		{"damage behind its messages", map[string]string{"p/" + idA: done + "lorem\n"}, "p/" + idA, idA, "p/" + idA, "", ""},
		// Continued.
		{"continued", map[string]string{"p/" + idA: done + went(idC)}, "p/" + idA, idA, "p/" + idA, "", idC},
		{"a stub that was continued in what was found", map[string]string{"p/" + idA: stub + went(idB), "p/" + idB: done},
			"p/" + idA, idB, "p/" + idB, "", ""},
		{"the conversation before /clear was continued elsewhere", map[string]string{"p/" + idA: stub + went(idC),
			"p/" + idB: done}, "p/" + idA, idB, "p/" + idB, "", ""},
		{"only a stub that was continued", map[string]string{"p/" + idA: stub + went(idC)}, "p/" + idA, idA, "p/" + idA,
			"holds no message", idC},
		// Odd ids.
		{"a resumed id that is none", map[string]string{"p/" + idA: done}, "", "*", "p/" + idA, "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			home := t.TempDir()
			projects := filepath.Join(home, ".claude", "projects")
			if err := os.MkdirAll(projects, 0o755); err != nil {
				t.Fatal(err)
			}
			for name, s := range c.files {
				if !strings.Contains(name, ".jsonl") {
					name += ".jsonl"
				}
				if err := os.MkdirAll(filepath.Dir(filepath.Join(projects, name)), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(filepath.Join(projects, name), []byte(s), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			a, err := account.Open("", home)
			if err != nil {
				t.Fatal(err)
			}
			path := func(name string) string {
				if name == "" {
					return ""
				}
				return filepath.Join(a.Dir, "projects", name+".jsonl")
			}
			j := &account.Job{Short: idA[:8], SessionID: idA, ResumeSessionID: c.resume, LinkScanPath: path(c.scan)}
			got := Locate(a, j)
			// The stub and the good one have one id and the good one alone is a transcript: nothing is wrong there.
			if c.problem == "two" {
				c.problem = ""
			}
			if got.Path != path(c.path) || (got.Problem == "") != (c.problem == "") || !strings.Contains(got.Problem,
				c.problem) || got.ContinuedIn != c.continued {
				t.Errorf("%+v\nwant %s, %q, %q", got, path(c.path), c.problem, c.continued)
			}
		})
	}
}

func TestLocateLinks(t *testing.T) {
	home := t.TempDir()
	real := filepath.Join(home, ".claude", "projects", "real")
	if err := os.MkdirAll(real, 0o755); err != nil {
		t.Fatal(err)
	}
	a, err := account.Open("", home)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(real, idA+".jsonl")
	if err := os.WriteFile(file, []byte(done), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("real", filepath.Join(filepath.Dir(real), "linked")); err != nil {
		t.Fatal(err)
	}
	j := &account.Job{Short: idA[:8], SessionID: idA}
	if got := Locate(a, j); got.Path == "" || got.Problem != "" {
		t.Errorf("one file under two names: %+v", got)
	}
	for _, bad := range []string{"relative.jsonl", file + ".txt", "/etc/hostname", ""} {
		j.LinkScanPath = bad
		if got := Locate(a, j); got.Problem != "" || filepath.Base(got.Path) != idA+".jsonl" {
			t.Errorf("%s: %+v", bad, got)
		}
	}
	pipe := filepath.Join(home, "pipe.jsonl")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	j.LinkScanPath = pipe
	if got := Locate(a, j); !strings.Contains(got.Problem, "not a regular file") {
		t.Errorf("%+v", got)
	}
	j.LinkScanPath = filepath.Join(home, "dangling.jsonl")
	if err := os.Symlink("/nowhere/x.jsonl", j.LinkScanPath); err != nil {
		t.Fatal(err)
	}
	if got := Locate(a, j); got.Problem == "" {
		t.Errorf("%+v", got)
	}
}

// TestLocateFixtures: the shapes that the client leaves.
func TestLocateFixtures(t *testing.T) {
	for name, want := range map[string]string{
		"cleared": "", "two-slugs": "", "moved-transcript": "", "link-to-nowhere": "",
		"no-transcript": "there is no transcript", "stub-transcript": "holds no message",
		"all-nul": "cannot be read", "empty-transcript": "holds no message", "copy-of-another": "",
	} {
		s, ok := fixtures.Find(name)
		if !ok {
			t.Fatal(name)
		}
		sub, err := s.Build(t.TempDir(), now)
		if err != nil {
			t.Fatal(err)
		}
		a, err := account.Open(sub.Account.Claude, sub.Account.Home)
		if err != nil {
			t.Fatal(err)
		}
		got := Locate(a, a.Job(sub.Session.Short))
		if (got.Problem == "") != (want == "") || !strings.Contains(got.Problem, want) || want != "there is no transcript" &&
			got.Path != sub.Session.Transcript {
			t.Errorf("%s: %+v", name, got)
		}
		sub.Account.Close()
	}
	a, job, added := situation(t, fixtures.Session{ContinuedIn: idC})
	if got := Locate(a, job); got.ContinuedIn != idC || got.Path != added.Transcript {
		t.Errorf("%+v", got)
	}
}
