//go:build e2e

package report

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/net/html"
)

// found is what the driver page, testdata/browser_driver.html, saw of a report's page in a frame.
type found struct {
	Error      string   `json:"error"`
	Background string   `json:"background"`
	Loaded     []string `json:"loaded"`
	Violations []string `json:"violations"`
	Overflow   []string `json:"overflow"`
	Contrast   []string `json:"contrast"`
	Small      []string `json:"small"`
	Dangling   []string `json:"dangling"`
	Counts     []string `json:"counts"`
	Shown      []int    `json:"shown"`
	Sections   []string `json:"sections"`
	Arrived    bool     `json:"arrived"`
	Copied     []string `json:"copied"`
	Said       []string `json:"said"`
	Ran        bool     `json:"ran"`
}

// chromium is the browser's path. The test is left out where there is none.
func chromium(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Skip("there is no Chromium here: apt-get install chromium")
	return ""
}

// browse opens an address and gives the page as it is after its scripts ran, and what the browser logged.
func browse(t *testing.T, url string, extra ...string) (dom, log string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	args := []string{"--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run",
		"--disable-background-networking", "--disable-component-update", "--disable-extensions", "--disable-sync",
		"--user-data-dir=" + t.TempDir(), "--proxy-server=http://127.0.0.1:1", "--enable-logging=stderr",
		"--virtual-time-budget=20000", "--window-size=1280,900", "--dump-dom"}
	cmd := exec.CommandContext(ctx, chromium(t), append(append(args, extra...), url)...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		t.Fatalf("the browser: %v\n%s", err, errs.String())
	}
	return out.String(), errs.String()
}

// noComplaint holds that the page's console stayed empty: no error, no broken rule of the policy.
func noComplaint(t *testing.T, log string) {
	t.Helper()
	for _, line := range strings.Split(log, "\n") {
		if strings.Contains(line, "CONSOLE") {
			t.Errorf("the console: %s", line)
		}
	}
}

// drive opens a report's page in a frame of 360 pixels and lets the driver try it.
func drive(t *testing.T, r Report, extra ...string) found {
	t.Helper()
	page := pageOf(t, r)
	driver, err := os.ReadFile("testdata/browser_driver.html")
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var asked []string
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		mu.Lock()
		asked = append(asked, req.URL.Path)
		mu.Unlock()
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		switch req.URL.Path {
		case "/driver":
			_, _ = w.Write(driver)
		case "/report":
			_, _ = w.Write(page)
		default:
			http.NotFound(w, req)
		}
	}))
	defer srv.Close()
	dom, log := browse(t, srv.URL+"/driver", extra...)
	noComplaint(t, log)
	for _, path := range asked {
		if path != "/driver" && path != "/report" && path != "/favicon.ico" {
			t.Errorf("the page asked for %s", path)
		}
	}
	root, err := html.Parse(strings.NewReader(dom))
	if err != nil {
		t.Fatal(err)
	}
	var f found
	for _, n := range elements(root, "pre") {
		if attr(n, "id") == "found" && n.FirstChild != nil {
			if err := json.Unmarshal([]byte(n.FirstChild.Data), &f); err != nil {
				t.Fatalf("%v: %s", err, n.FirstChild.Data)
			}
			if f.Error != "" {
				t.Fatalf("the driver: %s", f.Error)
			}
			return f
		}
	}
	t.Fatalf("the driver did not come to its end:\n%s\n%.2000s", log, dom)
	return f
}

func (f found) holds(t *testing.T) {
	t.Helper()
	for name, list := range map[string][]string{"loaded from elsewhere": f.Loaded, "against the policy": f.Violations,
		"wider than 360 pixels": f.Overflow, "too little contrast": f.Contrast, "too small to touch": f.Small,
		"leads nowhere": f.Dangling} {
		for _, s := range list {
			t.Errorf("%s: %s", name, s)
		}
	}
	if f.Ran {
		t.Error("a session's text ran as a script")
	}
}

// long is a report with everything in it that could push a page apart.
func long() Report {
	r := invented(40)
	e := &r.Owners[0]
	e.Title, e.Cwd, e.Next = strings.Repeat("Donaudampfschiff", 30), "/srv/"+strings.Repeat("deep-", 80),
		"recovery queue-check --confirm "+e.Short+" "+strings.Repeat("x", 300)
	e.Review.Reply = strings.Repeat("0123456789", 200) + "\n\u05e9\u05dc\u05d5\u05dd\n" + strings.Repeat("a b ", 400)
	e.Review.Tools[1].Summary, e.Review.Tools[1].ChangedFiles = strings.Repeat("y", 500),
		[]string{"/srv/" + strings.Repeat("z", 200)}
	e.Verdict.Open = append(e.Verdict.Open, strings.Repeat("open", 100), "\u0627\u0644\u0639\u0631\u0628\u064a\u0629 (x)")
	e.AlsoIn = []Place{{"claude-2", strings.Repeat("host", 50)}}
	r.Warnings, r.Agents = []string{strings.Repeat("warning", 80)}, []string{"resume --yes"}
	r.Places = append(r.Places, Place{"claude-2", "mini"})
	r.finish(time.Time{})
	return r
}

func TestPageInABrowser(t *testing.T) {
	r := long()
	seen := map[string]bool{}
	for scheme, setting := range map[string]string{"dark": "0", "light": "1"} {
		t.Run(scheme, func(t *testing.T) {
			f := drive(t, r, "--blink-settings=preferredColorScheme="+setting)
			f.holds(t)
			seen[f.Background] = true
			if got := strings.Join(f.Counts, "; "); got != "41 sessions; 5 of 41 sessions shown; 1 of 41 sessions shown; 0 "+
				"of 41 sessions shown; 41 sessions" {
				t.Errorf("counts: %s", got)
			}
			if len(f.Shown) != 3 || f.Shown[0] != 5 || f.Shown[1] != 1 || f.Shown[2] != 0 || len(f.Sections) == 0 || !f.Arrived {
				t.Errorf("shown %v, sections %v, arrived %v", f.Shown, f.Sections, f.Arrived)
			}
			for i, want := range []string{"IF YOU ARE " + r.Finished[0].Short, "IF YOU ARE " + r.Finished[0].Short,
				"recovery "} {
				if i >= len(f.Copied) || !strings.Contains(f.Copied[i], want) {
					t.Errorf("copied %q, want %q", f.Copied, want)
				}
			}
			if strings.Join(f.Said, "; ") != "Copied.; Copied.; Copied." {
				t.Errorf("said %q", f.Said)
			}
		})
	}
	if len(seen) != 2 {
		t.Errorf("light and dark look alike: %v", seen)
	}
}

func TestHostilePageInABrowser(t *testing.T) {
	var all []string
	for _, bad := range hostile {
		all = append(all, bad)
	}
	run := `<img src=/x onerror="parent.ran=1"><script>parent.ran=1</script><svg onload="parent.ran=1"><a ` +
		`href="javascript:parent.ran=1">` + strings.Join(all, " ")
	f := drive(t, filled(func(string) string { return run }))
	f.holds(t)
}

// TestFileWithoutScript is what most people open: a file, perhaps with scripts turned off.
func TestFileWithoutScript(t *testing.T) {
	r := invented(40)
	name := filepath.Join(t.TempDir(), "report.html")
	if err := os.WriteFile(name, pageOf(t, r), 0o600); err != nil {
		t.Fatal(err)
	}
	for scripts, want := range map[string]bool{"true": true, "false": false} {
		dom, log := browse(t, "file://"+name, "--blink-settings=scriptEnabled="+scripts)
		noComplaint(t, log)
		root, err := html.Parse(strings.NewReader(dom))
		if err != nil {
			t.Fatal(err)
		}
		if got := attr(elements(root, "html")[0], "class") == "js"; got != want {
			t.Errorf("scripts %s: the page's own ran: %v", scripts, got)
		}
		for _, n := range elements(root, "") {
			hidden := false
			for _, a := range n.Attr {
				hidden = hidden || a.Key == "hidden"
			}
			if id := attr(n, "id"); id == "filter" && hidden == want || n.Data == "article" && hidden {
				t.Errorf("scripts %s: <%s id=%q> hidden: %v", scripts, n.Data, id, hidden)
			}
		}
	}
}
