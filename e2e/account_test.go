//go:build e2e

package e2e

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"sort"
	"strings"
	"testing"
	"time"

	"github.com/tidwall/gjson"
	"github.com/tidwall/sjson"
)

// session is one background session that the test started.
type session struct {
	box   *sandbox
	name  string
	short string
	id    string
	cwd   string
}

var (
	colour       = regexp.MustCompile("\x1b\\[[0-9;]*m")
	backgrounded = regexp.MustCompile(`backgrounded\s*·\s*([0-9a-f]{8})`)
)

// claude runs the client in the work folder and wants it to succeed.
func (s *sandbox) claude(t *testing.T, args ...string) said {
	t.Helper()
	return s.claudeIn(t, s.work, args...)
}

func (s *sandbox) claudeIn(t *testing.T, dir string, args ...string) said {
	t.Helper()
	r := s.run(dir, 2*time.Minute, "claude", args...)
	if r.exit != 0 {
		t.Fatalf("claude %s: %s", strings.Join(args, " "), r)
	}
	return r
}

// poll waits until ok says true; what names what was waited for.
func (s *sandbox) poll(t *testing.T, limit time.Duration, what string, ok func() bool) {
	t.Helper()
	end := time.Now().Add(limit)
	for !ok() {
		s.inTime(t)
		if time.Now().After(end) {
			t.Fatalf("%s: not within %s", what, limit)
		}
		time.Sleep(100 * time.Millisecond)
	}
}

// start makes a background session and waits for its first answer.
func (s *sandbox) start(t *testing.T, dir, name, prompt string) *session {
	t.Helper()
	r := s.claudeIn(t, dir, "--bg", "-n", name, prompt)
	m := backgrounded.FindStringSubmatch(colour.ReplaceAllString(r.stdout, ""))
	if m == nil {
		t.Fatalf("starting %s: no short came back: %s", name, r)
	}
	x := &session{box: s, name: name, short: m[1], cwd: dir}
	s.poll(t, time.Minute, "the job of "+name, func() bool {
		x.id = x.state("sessionId").String()
		return x.id != ""
	})
	s.made[x.short] = x.id
	x.awaitReplies(t, 1)
	return x
}

// offline makes a session that has answered once and was stopped.
func (s *sandbox) offline(t *testing.T, dir, name string) *session {
	t.Helper()
	s.inTime(t)
	start := time.Now()
	x := s.start(t, dir, name, "Look at ticket 4711 of "+name+" and say what is open.")
	x.stop(t)
	t.Logf("%s: session %s started, answered and stopped in %s", name, x.short,
		time.Since(start).Round(10*time.Millisecond))
	return x
}

func (x *session) jobDir() string { return filepath.Join(x.box.home, ".claude", "jobs", x.short) }

func (x *session) stateFile() string { return filepath.Join(x.jobDir(), "state.json") }

func (x *session) state(key string) gjson.Result {
	data, _ := os.ReadFile(x.stateFile()) // it is replaced while it is read, or not there yet
	return gjson.GetBytes(data, key)
}

// setState puts one key into a stopped session's state.json, as the client itself would.
func (x *session) setState(t *testing.T, key string, value any) {
	t.Helper()
	data, err := os.ReadFile(x.stateFile())
	must(t, err)
	data, err = sjson.SetBytes(data, key, value)
	must(t, err)
	must(t, replace(x.stateFile(), data))
}

func replace(path string, data []byte) error {
	if err := os.WriteFile(path+".e2e", data, 0o600); err != nil {
		return err
	}
	return os.Rename(path+".e2e", path)
}

// transcript is the path of the session's transcript; empty while there is none.
func (x *session) transcript() string {
	list, _ := filepath.Glob(filepath.Join(x.box.home, ".claude", "projects", "*", x.id+".jsonl"))
	if len(list) != 1 {
		return ""
	}
	return list[0]
}

// lines are the transcript's whole lines.
func (x *session) lines() []gjson.Result {
	data, err := os.ReadFile(x.transcript())
	if err != nil {
		return nil
	}
	var out []gjson.Result
	for line := range bytes.Lines(data) {
		if bytes.HasSuffix(line, []byte("\n")) && gjson.ValidBytes(line) {
			out = append(out, gjson.ParseBytes(line))
		}
	}
	return out
}

// replies counts the turns that ended.
func (x *session) replies() int {
	ids := map[string]bool{}
	for _, l := range x.lines() {
		if l.Get("type").Str == "assistant" && l.Get("message.stop_reason").Str == "end_turn" &&
			l.Get("message.model").Str != "<synthetic>" {
			ids[l.Get("message.id").Str] = true
		}
	}
	return len(ids)
}

func (x *session) awaitReplies(t *testing.T, n int) {
	t.Helper()
	x.box.poll(t, 90*time.Second, fmt.Sprintf("%d replies of %s (%s)", n, x.name, x.short),
		func() bool { return x.replies() >= n })
}

// prompts are the texts that were delivered to the session in the user's role, tool results left out.
func (x *session) prompts() []string {
	var out []string
	for _, l := range x.lines() {
		if l.Get("type").Str != "user" || l.Get("isMeta").Bool() || l.Get("toolUseResult").Exists() {
			continue
		}
		content := l.Get("message.content")
		if content.IsArray() {
			var parts []string
			for _, b := range content.Array() {
				if b.Get("type").Str == "text" {
					parts = append(parts, b.Get("text").Str)
				}
			}
			out = append(out, strings.Join(parts, "\n"))
			continue
		}
		out = append(out, content.String())
	}
	return out
}

// holding are those prompts that hold a text.
func (x *session) holding(part string) []string {
	var out []string
	for _, p := range x.prompts() {
		if strings.Contains(p, part) {
			out = append(out, p)
		}
	}
	return out
}

// stop ends the session as a user does, and waits until its process and its worker are gone.
func (x *session) stop(t *testing.T) {
	t.Helper()
	before := x.settled()
	x.box.claudeIn(t, x.cwd, "stop", x.short)
	x.box.poll(t, time.Minute, "the end of "+x.name, func() bool { return x.settled() > before && !x.registered() })
}

// settled counts the ends of the session's worker in the supervisor's log.
func (x *session) settled() int {
	data, _ := os.ReadFile(filepath.Join(x.box.home, ".claude", "daemon.log"))
	return bytes.Count(data, []byte("bg settled "+x.short+" "))
}

// registered says whether a running process of the session is in the client's registry. A session that is stopped
// while it starts leaves its file behind.
func (x *session) registered() bool {
	list, _ := filepath.Glob(filepath.Join(x.box.home, ".claude", "sessions", "*.json"))
	for _, path := range list {
		data, _ := os.ReadFile(path)
		if gjson.GetBytes(data, "jobId").Str != x.short && gjson.GetBytes(data, "sessionId").Str != x.id {
			continue
		}
		if exists(filepath.Join("/proc", strings.TrimSuffix(filepath.Base(path), ".json"))) {
			return true
		}
	}
	return false
}

// anyRegistered says whether a process that is in the client's registry still has its number.
func (s *sandbox) anyRegistered() bool {
	list, _ := filepath.Glob(filepath.Join(s.home, ".claude", "sessions", "*.json"))
	for _, path := range list {
		if exists(filepath.Join("/proc", strings.TrimSuffix(filepath.Base(path), ".json"))) {
			return true
		}
	}
	return false
}

// jobs are the names of all job folders.
func (s *sandbox) jobs(t *testing.T) []string {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(s.home, ".claude", "jobs"))
	must(t, err)
	var out []string
	for _, e := range entries {
		if e.IsDir() {
			out = append(out, e.Name())
		}
	}
	sort.Strings(out)
	return out
}

// noCopies fails the test when there is a job that the test did not start.
func (s *sandbox) noCopies(t *testing.T) {
	t.Helper()
	for _, short := range s.jobs(t) {
		if s.made[short] == "" {
			t.Errorf("job folder %s is none of the sessions that the test started: a copy", short)
		}
	}
	for short, id := range s.made {
		data, err := os.ReadFile(filepath.Join(s.home, ".claude", "jobs", short, "state.json"))
		if err != nil {
			t.Errorf("the job of %s: %v", short, err)
		} else if got := gjson.GetBytes(data, "sessionId").Str; got != id {
			t.Errorf("job %s has the session id %s, and was started as %s", short, got, id)
		}
	}
}

// trust sets or takes away the trust key of a folder.
func (s *sandbox) trust(t *testing.T, folder string, accepted bool) {
	t.Helper()
	must(t, setTrust(filepath.Join(s.home, ".claude.json"), folder, accepted))
}

func (s *sandbox) trusted(t *testing.T, folder string) bool {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(s.home, ".claude.json"))
	must(t, err)
	var config struct {
		Projects map[string]struct {
			Accepted bool `json:"hasTrustDialogAccepted"`
		} `json:"projects"`
	}
	must(t, json.Unmarshal(data, &config))
	return config.Projects[folder].Accepted
}

func setTrust(path, folder string, accepted bool) error {
	data, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	config := map[string]any{}
	if err := json.Unmarshal(data, &config); err != nil {
		return err
	}
	projects, _ := config["projects"].(map[string]any)
	if projects == nil {
		projects = map[string]any{}
		config["projects"] = projects
	}
	entry, _ := projects[folder].(map[string]any)
	if entry == nil {
		entry = map[string]any{}
		projects[folder] = entry
	}
	if accepted {
		entry["hasTrustDialogAccepted"] = true
	} else {
		delete(entry, "hasTrustDialogAccepted")
	}
	if data, err = json.Marshal(config); err != nil {
		return err
	}
	return replace(path, data)
}

// rule makes the stub answer from now on; a later rule goes before the earlier ones.
func (s *sandbox) rule(t *testing.T, r rule) {
	t.Helper()
	s.ruled = append([]rule{r}, s.ruled...)
	data, err := json.Marshal(s.ruled)
	must(t, err)
	must(t, replace(s.rules, data))
}
