package account

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"recovery/fixtures"
	"recovery/internal/claude"
)

// job reads a job whose state.json is text.
func job(t *testing.T, text string) *Job {
	t.Helper()
	return folder(t, map[string]string{"jobs/" + short1 + "/state.json": text}).Job(short1)
}

// state is a state.json with what every job has, and more.
func state(more string) string {
	return `{"sessionId":"` + id1 + `"` + more + `}`
}

func TestJobEveryKey(t *testing.T) {
	got := job(t, `{"state":"blocked","detail":"d","tempo":"idle","inFlight":{"tasks":2,"queued":1,"kinds":["bash"],"drainableMonitors":0},"tokens":15,
		"needs":"a go","output":null,"children":null,"linkScanOffset":12,"linkScanPath":"/p/x.jsonl","template":"bg","respawnFlags":["-n","x"],
		"providerEnv":{"TOKEN":"t"},"intent":"do it","name":"nam\u0065","nameSource":"user","sessionId":"`+id1+`","resumeSessionId":"`+id2+`",
		"daemonShort":"0a1b2c3d","cliVersion":"2.1.332","cwd":"/w","backend":"daemon","createdAt":"2026-09-01T10:00:00.000Z",
		"updatedAt":"2026-09-01T12:00:00.5+02:00","firstTerminalAt":null,"lastTerminalAt":"x","queuedPrompt":" yes \n","bridgeSessionId":"cse_B1",
		"bridgeSessionSeq":3,"originCwd":"/w","worktreePath":"/w","routine":"nightly","archived":true,"agent":"a","block":{"questions":[]},
		"suggestedReply":"ok","initialPrompt":"p","fan":[{"id":"a1","kind":"agent","label":"look","startedAt":1796096809553},{"id":"b2","kind":"shell","label":"make","startedAt":"2026-09-01T10:00:00Z","doneAt":1796096872734}],"pendingBackgroundAgentCount":2,"selfWake":{"at":1},"forkSessionId":"f","forkParentSessionId":"g","replayOwed":true}`)
	got.Fingerprint = ""
	want := &Job{
		Fan: []FanItem{{ID: "a1", Kind: "agent", Label: "look", StartedAt: time.UnixMilli(1796096809553).UTC()},
			{ID: "b2", Kind: "shell", Label: "make", StartedAt: time.Date(2026, 9, 1, 10, 0, 0, 0, time.UTC), Done: true}},
		PendingAgents: 2,
		Short:         short1, SessionID: id1, ResumeSessionID: id2, Name: "name", Intent: "do it", Cwd: "/w", Template: "bg",
		State: "blocked", Tempo: "idle",
		Needs: "a go", LinkScanPath: "/p/x.jsonl", LinkScanOffset: 12, BridgeBody: "B1", QueuedPrompt: " yes \n",
		Queued: true, InFlightQueue: 1,
		InFlightTasks: 2, RespawnFlags: []string{"-n", "x"}, SelfWake: true, Routine: true, Archived: true, ForkSession: "f",
		ForkParent: "g",
		CliVersion: "2.1.332", CreatedAt: at("10:00:00"), UpdatedAt: at("10:00:00").Add(time.Second / 2),
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestJobProblems(t *testing.T) {
	for _, c := range []struct{ name, text, says string }{
		{"plain", state(``), ""},
		{"byte order mark", "\ufeff" + state(``), ""},
		{"blanks", "\n\t " + state(``) + " \r\n", ""},
		{"nulls", state(`,"queuedPrompt":null,"inFlight":null,"respawnFlags":null,"bridgeSessionId":null,` +
			`"resumeSessionId":null,"name":null,"cwd":null`), ""},
		{"keys of tomorrow", state(`,"hologram":{"sessionId":"x","queuedPrompu":1},"cmd":"ls","temp":1,"cwd":"/w",` +
			`"tempo":"idle"`), ""},
		{"lone surrogate", state(`,"name":"\ud83d"`), ""},
		{"invalid UTF-8 in a text", state(",\"name\":\"\xff\xfe\""), ""},
		{"empty", ``, "not valid JSON"},
		{"cut", `{"sessionId":"`, "not valid JSON"},
		{"zeros", strings.Repeat("\x00", 100), "not valid JSON"},
		{"two objects", state(``) + state(``), "not valid JSON"},
		{"brackets", strings.Repeat("[", 8<<20), "not valid JSON"},
		{"list", `[]`, "not a JSON object"},
		{"text", `"x"`, "not a JSON object"},
		{"null", `null`, "not a JSON object"},
		{"no id", `{}`, "sessionId is not a full session id"},
		{"short id", `{"sessionId":"0a1b2c3d"}`, "not a full session id"},
		{"upper case id", `{"sessionId":"` + strings.ToUpper(id1) + `"}`, "not a full session id"},
		{"another's id", `{"sessionId":"` + id2 + `"}`, "does not begin with"},
		{"number as id", `{"sessionId":5}`, "sessionId is not a text"},
		{"bad resumed id", state(`,"resumeSessionId":"x"`), "resumeSessionId is not"},
		{"key twice", state(`,"queuedPrompt":"yes","queuedPrompt":""`), `key "queuedPrompt" twice`},
		{"unknown key twice", state(`,"x":1,"x":2`), "twice"},
		{"near miss", state(`,"queuedPrompu":"yes"`), "damaged queuedPrompt"},
		{"other case", state(`,"queuedprompt":"yes"`), "damaged queuedPrompt"},
		{"swallowed letter", state(`,"queued\rompt":"yes"`), "damaged queuedPrompt"},
		{"damaged short key", state(`,"rout\ne":"yes"`), "damaged key"},
		{"near bridge", state(`,"bridgeSessionIe":"cse_x"`), "damaged bridgeSessionId"},
		{"queued of another type", state(`,"queuedPrompt":["yes"]`), ""},
		{"wrong types", state(`,"state":1,"cwd":{},"linkScanPath":[],"respawnFlags":"-n","inFlight":3,"tempo":true,` +
			`"template":1`),
			"state is not a text; cwd is not a text; linkScanPath is not a text; respawnFlags is not a list; inFlight is not " +
				"an object; tempo is not a text; template is not a text"},
		{"count as text", state(`,"inFlight":{"queued":"1"}`), "inFlight.queued is not a count"},
		{"half a message", state(`,"inFlight":{"queued":0.5}`), "inFlight.queued is not a count"},
		{"endless messages", state(`,"inFlight":{"queued":1e400}`), "inFlight.queued is not a count"},
		{"too many messages", state(`,"inFlight":{"queued":9223372036854775808}`), "inFlight.queued is not a count"},
		{"fewer than none", state(`,"inFlight":{"tasks":-1}`), "inFlight.tasks is not a count"},
		{"count twice", state(`,"inFlight":{"queued":1,"queued":0}`), "inFlight has the key"},
		{"near count", state(`,"inFlight":{"queuec":1}`), "damaged queued"},
	} {
		t.Run(c.name, func(t *testing.T) {
			j := job(t, c.text)
			if (j.Problem == "") != (c.says == "") || !strings.Contains(j.Problem, c.says) {
				t.Errorf("problem %q, want %q", j.Problem, c.says)
			}
			if j.Short != short1 || len(j.Fingerprint) != 64 {
				t.Errorf("%+v", j)
			}
		})
	}
}

func TestJobQueued(t *testing.T) {
	for text, want := range map[string]struct {
		queued bool
		prompt string
	}{
		``:                      {false, ""},
		`,"queuedPrompt":null`:  {false, ""},
		`,"queuedPrompt":""`:    {false, ""},
		`,"queuedPrompt":" "`:   {true, " "},
		`,"queuedPrompt":"a\n"`: {true, "a\n"},
		`,"queuedPrompt":false`: {true, "false"},
		`,"queuedPrompt":{}`:    {true, "{}"},
		`,"queuedPrompt":0`:     {true, "0"},
	} {
		if j := job(t, state(text)); j.Queued != want.queued || j.QueuedPrompt != want.prompt {
			t.Errorf("%s: %v %q", text, j.Queued, j.QueuedPrompt)
		}
	}
}

func TestJobWords(t *testing.T) {
	for text, want := range map[string][3]bool{ // self wake, routine, terminal
		`,"state":"done"`:                    {false, false, true},
		`,"state":"failed","selfWake":false`: {false, false, true},
		`,"state":"stopped","routine":""`:    {false, false, true},
		`,"state":"crashed","selfWake":0`:    {false, false, false},
		`,"state":"working","selfWake":"x"`:  {true, false, false},
		`,"state":"hologram","selfWake":{}`:  {true, false, false},
		`,"routine":{"id":1},"selfWake":1`:   {true, true, false},
	} {
		j := job(t, state(text))
		if got := [3]bool{j.SelfWake, j.Routine, j.Terminal()}; got != want {
			t.Errorf("%s: %v", text, got)
		}
	}
	for id, link := range map[string]string{"": "", "cse_X": "https://claude.ai/code/session_X",
		"session_X": "https://claude.ai/code/session_X"} {
		if j := job(t, state(`,"bridgeSessionId":"`+id+`"`)); claude.Link(j.BridgeBody) != link {
			t.Errorf("%s: %s", id, claude.Link(j.BridgeBody))
		}
	}
	if j := job(t, state(`,"intent":"first words"`)); j.Title() != "first words" {
		t.Error(j.Title())
	}
	if j := job(t, state(`,"intent":"first words","name":"n"`)); j.Title() != "n" {
		t.Error(j.Title())
	}
}

// TestInvariant10OneBrokenFileIsOneWarning: what cannot be read is told once, on its own row, and hides no other job.
func TestInvariant10OneBrokenFileIsOneWarning(t *testing.T) {
	broken := map[string]func(path string) error{
		"cut":     func(p string) error { return os.WriteFile(p, []byte(`{"state":"do`), 0o600) },
		"empty":   func(p string) error { return os.WriteFile(p, nil, 0o600) },
		"huge":    func(p string) error { return os.WriteFile(p, make([]byte, maxSmallFile+1), 0o600) },
		"deep":    func(p string) error { return os.WriteFile(p, []byte(strings.Repeat("[", 15<<20)), 0o600) },
		"pipe":    func(p string) error { return syscall.Mkfifo(p, 0o600) },
		"folder":  func(p string) error { return os.Mkdir(p, 0o755) },
		"nowhere": func(p string) error { return os.Symlink("/nowhere/state.json", p) },
		"loop":    func(p string) error { return os.Symlink(p, p) },
	}
	for name, damage := range broken {
		t.Run(name, func(t *testing.T) {
			a := folder(t, map[string]string{"jobs/" + short2 + "/state.json": `{"sessionId":"` + id2 + `"}`, "jobs/" + short1 +
				"/timeline.jsonl": ""})
			if err := damage(filepath.Join(a.Dir, "jobs", short1, "state.json")); err != nil {
				t.Fatal(err)
			}
			jobs, err := a.Jobs()
			if err != nil {
				t.Fatal(err)
			}
			if len(jobs.List) != 2 || jobs.Leftovers != 0 || jobs.ByShort[short2].Problem != "" {
				t.Errorf("%d jobs, %d leftovers", len(jobs.List), jobs.Leftovers)
			}
			if j := jobs.ByShort[short1]; j == nil || j.Problem == "" {
				t.Errorf("the broken job: %+v", j)
			}
			if len(jobs.Warnings) != 1 || !strings.Contains(jobs.Warnings[0], short1) {
				t.Errorf("warnings %q", jobs.Warnings)
			}
			// It cannot be called offline: nobody knows which session it is.
			if l := a.Witnesses(Processes{}).Of(jobs.ByShort[short1], nil); l.State != Unknown {
				t.Error(l)
			}
			if l := a.Witnesses(Processes{}).Of(jobs.ByShort[short2], nil); l.State != Offline {
				t.Error(l)
			}
		})
	}
}

func TestJobs(t *testing.T) {
	t.Run("no jobs", func(t *testing.T) {
		jobs, err := folder(t, nil).Jobs()
		if err != nil || len(jobs.List) != 0 || len(jobs.Warnings) != 0 {
			t.Error(jobs, err)
		}
	})
	t.Run("a file in the folder's place", func(t *testing.T) {
		if _, err := folder(t, map[string]string{"jobs": ""}).Jobs(); err == nil || !strings.Contains(err.Error(),
			"reading the jobs") {
			t.Error(err)
		}
	})
	t.Run("a link to nothing", func(t *testing.T) {
		a := folder(t, nil)
		if err := os.Symlink("/nowhere/jobs", filepath.Join(a.Dir, "jobs")); err != nil {
			t.Fatal(err)
		}
		if _, err := a.Jobs(); err == nil {
			t.Error("no error")
		}
	})
	t.Run("names", func(t *testing.T) {
		text := map[string]string{"jobs/pins.json": `["` + short1 + `","ffffffff"]`}
		for _, name := range []string{short2, short1, "0A1B2C3D", "0a1b2c3", "0a1b2c3d4", "tmp", ".hidden", "0a1b2c3g"} {
			text["jobs/"+name+"/state.json"] = `{"sessionId":"` + name + `-1111-4111-8111-111111111111"}`
		}
		text["jobs/12345678/timeline.jsonl"] = ""
		text["jobs/87654321/x/state.json"] = ""
		jobs, err := folder(t, text).Jobs()
		if err != nil {
			t.Fatal(err)
		}
		got := fmt.Sprint(len(jobs.List), jobs.List[0].Short, jobs.List[0].Pinned, jobs.List[1].Short, jobs.List[1].Pinned,
			jobs.Odd, jobs.Leftovers, jobs.Warnings)
		if got != "2"+short1+"true"+short2+"false 6 2 []" {
			t.Error(got)
		}
	})
	t.Run("bad pins", func(t *testing.T) {
		jobs, err := folder(t, map[string]string{"jobs/pins.json": `[`, "jobs/" + short1 + "/state.json": state("")}).Jobs()
		if err != nil || len(jobs.List) != 1 || len(jobs.Warnings) != 1 {
			t.Error(jobs, err)
		}
	})
	t.Run("as the client writes it", func(t *testing.T) {
		f := fixture(t)
		words := "yes\x1b[2J \u202e"
		s := add(t, f, fixtures.Session{Name: "a \x07 name", QueuedPrompt: &words, Pinned: true, InFlightQueued: 2,
			BridgePrefix: "session_", SelfWake: true})
		jobs, err := open(t, f).Jobs()
		if err != nil {
			t.Fatal(err)
		}
		j := jobs.ByShort[s.Short]
		if j.Problem != "" || j.QueuedPrompt != words || !j.Pinned || j.InFlightQueue != 2 ||
			claude.Link(j.BridgeBody) != s.Link || !j.SelfWake || j.Name != s.Name ||
			!j.UpdatedAt.Equal(s.UpdatedAt) || j.LinkScanPath != s.Transcript || j.SessionID != s.SessionID {
			t.Errorf("%+v", j)
		}
	})
}
