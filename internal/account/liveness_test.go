package account

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"recovery/fixtures"
)

// table is a process table: process 100 lives since 5000000, 200 since 6000000; 300 is another program, 1 the first
// of all.
func table() Processes {
	return Processes{Domain: "linux:m:pid:[1]", Boot: now.Add(-100 * time.Hour), ByPID: map[int]Process{
		1: {PID: 1, Start: "3", Args: []string{"/sbin/init"}}, 100: {PID: 100, Start: "5000000", Args: []string{"claude"},
			Started: now.Add(-time.Hour)},
		200: {PID: 200, Start: "6000000", Args: []string{"claude bg-pty-host"}}, 300: {PID: 300, Start: "7000000",
			Args: []string{"vim"}},
		400: {PID: 400, Args: []string{"claude"}}, // cannot be looked at
		500: {PID: 500, Start: "8000000", Zombie: true},
	}}
}

func row(pid int, more string) string {
	return fmt.Sprintf(`{"pid":%d,"kind":"bg"%s}`, pid, more)
}

func worker(short, more string) string {
	return `{"proto":1,"supervisorPid":4,"workers":{"` + short + `":{"rvAuth":"s3cret","dispatch":{"env":{"A":"s3cret"}}` +
		more + `}}}`
}

func TestLiveness(t *testing.T) {
	const start = `,"procStart":"5000000"`
	byID := `,"sessionId":"` + id1 + `"`
	other := `,"sessionId":"` + id2 + `"`
	for _, c := range []struct {
		name  string
		files map[string]string
		job   Job // Short and SessionID are filled in
		want  LiveState
		says  string
	}{
		{"nothing", nil, Job{}, Offline, "no registered process (0 looked at)"},
		{"others only", map[string]string{"sessions/100.json": row(100, start+other)}, Job{}, Offline, "(1 looked at)"},
		{"by session id", map[string]string{"sessions/100.json": row(100, start+byID)}, Job{}, Live,
			"process 100 runs, started as registered"},
		{"by resumed id", map[string]string{"sessions/100.json": row(100, start+other)}, Job{ResumeSessionID: id2}, Live,
			"process 100 runs"},
		{"by the row's resumed id", map[string]string{"sessions/100.json": row(100, start+other+`,"resumeSessionId":"`+id1+
			`"`)}, Job{}, Live, "100"},
		{"by job id", map[string]string{"sessions/100.json": row(100, start+other+`,"jobId":"`+short1+`"`)}, Job{}, Live,
			"100"},
		{"by the beginning of its id", map[string]string{"sessions/100.json": row(100, start+`,"sessionId":"`+short1+
			`-9999-4999-8999-999999999999"`)}, Job{}, Live, "100"},
		{"with a byte order mark", map[string]string{"sessions/100.json": "\ufeff" + row(100, start+byID)}, Job{}, Live,
			"100"},
		{"start as a number", map[string]string{"sessions/100.json": row(100, `,"procStart":5000000`+byID)}, Job{}, Live,
			"100"},
		{"own domain", map[string]string{"sessions/100.json": row(100, start+byID+`,"pidDomain":"linux:m:pid:[1]"`)}, Job{},
			Live, "100"},
		{"stale: gone", map[string]string{"sessions/999.json": row(999, start+byID)}, Job{}, Offline, "process 999 is gone"},
		{"stale: another start", map[string]string{"sessions/100.json": row(100, `,"procStart":"123"`+byID)}, Job{}, Offline,
			"started at another time"},
		{"nearly its start", map[string]string{"sessions/100.json": row(100, `,"procStart":"5000010"`+byID)}, Job{}, Unknown,
			"nearly the right one"},
		{"start missing", map[string]string{"sessions/100.json": row(100, byID)}, Job{}, Unknown, "start is missing"},
		{"start cannot be read", map[string]string{"sessions/400.json": row(400, start+byID)}, Job{}, Unknown,
			"cannot be read"},
		{"started when it says", map[string]string{"sessions/100.json": row(100, fmt.Sprintf(`,"procStart":"123",`+
			`"startedAt":%d`, now.Add(-time.Hour+3*time.Second).UnixMilli())+byID)},
			Job{}, Unknown, "started when the registered one did"},
		{"another domain", map[string]string{"sessions/999.json": row(999, start+byID+`,"pidDomain":"linux:n:pid:[1]"`)},
			Job{}, Unknown, "another machine or container"},
		{"another domain, of another", map[string]string{"sessions/999.json": row(999, start+other+
			`,"pidDomain":"linux:n:pid:[1]"`)}, Job{}, Offline, ""},
		{"nearly its id", map[string]string{"sessions/100.json": row(100, start+`,"sessionId":"0a1b2cx`+id1[7:]+`"`)}, Job{},
			Unknown, "nearly this session's"},
		{"nearly its id, gone", map[string]string{"sessions/999.json": row(999, start+`,"sessionId":"0a1b2cx`+id1[7:]+`"`)},
			Job{}, Offline, ""},
		{"nearly its id, upper case", map[string]string{"sessions/100.json": row(100, start+`,"sessionId":"`+
			strings.ToUpper(id1)+`"`)}, Job{}, Unknown, "nearly"},
		{"a neighbour with a job of its own", map[string]string{"sessions/100.json": row(100,
			start+`,"sessionId":"0a1b2c3e-1111-4111-8111-111111111111"`), "jobs/0a1b2c3e/state.json": "{}"}, Job{}, Offline, ""},
		{"a neighbour whose names fit", map[string]string{"sessions/100.json": row(100,
			start+`,"sessionId":"0a1b2c3e-1111-4111-8111-111111111111","jobId":"0a1b2c3e"`)}, Job{}, Offline, ""},
		// Broken rows: of a process that runs they could be anybody's, of one that is gone they hide nothing.
		{"cut, running", map[string]string{"sessions/100.json": `{"pid":100,"sess`}, Job{}, Unknown,
			"process 100 runs and its registry file is not valid JSON"},
		{"cut, gone", map[string]string{"sessions/999.json": `{"pid":999,"sess`}, Job{}, Offline, ""},
		{"empty, running", map[string]string{"sessions/100.json": ``}, Job{}, Unknown, "not valid JSON"},
		{"a list, running", map[string]string{"sessions/100.json": `[]`}, Job{}, Unknown, "not a JSON object"},
		{"a folder, running", map[string]string{"sessions/100.json/x": ``}, Job{}, Unknown, "cannot be read"},
		{"brackets, running", map[string]string{"sessions/100.json": strings.Repeat("[", 4<<20)}, Job{}, Unknown,
			"not valid JSON"},
		{"no session, running", map[string]string{"sessions/100.json": row(100, start)}, Job{}, Unknown, "names no session"},
		{"null session, running", map[string]string{"sessions/100.json": row(100, start+`,"sessionId":null,"jobId":null`)},
			Job{}, Unknown, "names no session"},
		{"session of another type", map[string]string{"sessions/100.json": row(100, start+`,"sessionId":{}`)}, Job{}, Unknown,
			"damaged sessionId"},
		{"damaged key, running", map[string]string{"sessions/100.json": row(100, start+`,"sessionIe":"`+id1+`"`)}, Job{},
			Unknown, "damaged sessionId"},
		{"damaged key, another domain", map[string]string{"sessions/999.json": row(999, start+`,"sessionIe":"`+id1+
			`","pidDomain":"x"`)}, Job{}, Unknown, "another machine"},
		{"a key like another that is there", map[string]string{"sessions/100.json": row(100, start+other+`,"ppid":4,`+
			`"jobIds":[],"jobId":"`+short2+`"`)}, Job{}, Offline, ""},
		{"key twice, running", map[string]string{"sessions/100.json": row(100, start+other+byID)}, Job{}, Unknown, "twice"},
		{"another pid inside, file's runs", map[string]string{"sessions/100.json": row(999, start+byID)}, Job{}, Unknown,
			"names process 999"},
		{"another pid inside, that one runs", map[string]string{"sessions/999.json": row(100, start+byID)}, Job{}, Unknown,
			"names the running process 100"},
		{"no number as name", map[string]string{"sessions/x.json": row(100, start+byID)}, Job{}, Offline, ""},
		// The roster.
		{"roster by short", map[string]string{"daemon/roster.json": worker(short1, `,"replPid":100,`+
			`"replProcStart":"5000000","sessionId":"x"`)}, Job{}, Live, "roster: process 100"},
		{"roster by id", map[string]string{"daemon/roster.json": worker("ffffffff",
			`,"replPid":100,"replProcStart":"5000000"`+byID)}, Job{}, Live, "roster"},
		{"roster by resumed id", map[string]string{"daemon/roster.json": worker("ffffffff", `,"replPid":100,`+
			`"replProcStart":"5000000"`+other)}, Job{ResumeSessionID: id2}, Live, "roster"},
		{"roster by its host", map[string]string{"daemon/roster.json": worker(short1, `,"pid":200,"procStart":"6000000",`+
			`"replPid":999,"replProcStart":"1"`)}, Job{}, Live, "process 200"},
		{"roster stale", map[string]string{"daemon/roster.json": worker(short1, `,"pid":200,"procStart":"1","replPid":999,`+
			`"replProcStart":"1"`)}, Job{}, Offline, "gone"},
		{"roster without starts", map[string]string{"daemon/roster.json": worker(short1, `,"pid":200`)}, Job{}, Unknown,
			"start is missing"},
		{"roster of another", map[string]string{"daemon/roster.json": worker(short2, `,"replPid":100,`+
			`"replProcStart":"5000000"`+other)}, Job{}, Offline, ""},
		{"its own roster row without a pid", map[string]string{"daemon/roster.json": worker(short1, ``)}, Job{}, Unknown,
			"names no process"},
		{"another's roster row without a pid", map[string]string{"daemon/roster.json": worker(short2, ``)}, Job{}, Offline,
			""},
		{"its own roster row is null", map[string]string{"daemon/roster.json": `{"workers":{"` + short1 + `":null}}`}, Job{},
			Unknown, "names no process"},
		{"a spare that names no session", map[string]string{"daemon/roster.json": `{"workers":{"spare-1":{"pid":200,` +
			`"procStart":"5000000"}}}`}, Job{}, Offline, ""},
		{"roster cut", map[string]string{"daemon/roster.json": `{"workers":{`}, Job{}, Unknown, "roster is not valid JSON"},
		{"roster empty", map[string]string{"daemon/roster.json": ``}, Job{}, Unknown, "roster"},
		{"roster a list", map[string]string{"daemon/roster.json": `[]`}, Job{}, Unknown, "not a JSON object"},
		{"roster a folder", map[string]string{"daemon/roster.json/x": ``}, Job{}, Unknown, "cannot be read"},
		{"roster with a list of workers", map[string]string{"daemon/roster.json": `{"workers":[]}`}, Job{}, Unknown,
			"no table of workers"},
		{"roster with null", map[string]string{"daemon/roster.json": `{"workers":null}`}, Job{}, Offline, ""},
		{"roster without workers", map[string]string{"daemon/roster.json": `{"proto":1}`}, Job{}, Offline, ""},
		{"roster with a damaged key", map[string]string{"daemon/roster.json": `{"workerz":{}}`}, Job{}, Unknown,
			"roster is damaged"},
		{"roster with two tables", map[string]string{"daemon/roster.json": `{"workers":{},"workers":{}}`}, Job{}, Unknown,
			"roster is damaged"},
		{"roster with a byte order mark", map[string]string{"daemon/roster.json": "\ufeff" + `{"workers":{}}`}, Job{},
			Offline, ""},
		// A process that ended and was not waited for: the client takes it for running, and its wake would make a copy.
		{"ended, not waited for", map[string]string{"sessions/500.json": row(500, `,"procStart":"8000000"`+byID)}, Job{},
			Unknown,
			"process 500 has ended"},
		{"ended, not waited for, on the roster", map[string]string{"daemon/roster.json": worker(short1, `,"pid":500,`+
			`"procStart":"8000000"`)},
			Job{}, Offline, "is gone"},
		{"ended, not waited for, of another start", map[string]string{"sessions/500.json": row(500, start+byID)}, Job{},
			Offline, "gone"},
		{"ended, not waited for, of another session", map[string]string{"sessions/500.json": row(500,
			`,"procStart":"8000000"`+other)},
			Job{}, Offline, ""},
		// The job itself.
		{"a broken job", nil, Job{Problem: "is not valid JSON"}, Unknown, "state.json is not valid JSON"},
		{"live and broken", map[string]string{"sessions/100.json": row(100, start+byID)}, Job{Problem: "x"}, Live, "100"},
		{"live beside doubt", map[string]string{"sessions/100.json": row(100, start+byID), "daemon/roster.json": ``}, Job{},
			Live, "100"},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := folder(t, c.files)
			j := c.job
			j.Short, j.SessionID = short1, id1
			if j.State == "" {
				j.State = "done"
			}
			l := a.Witnesses(table()).Of(&j, nil)
			if l.State != c.want || !strings.Contains(strings.Join(l.Evidence, "\n"), c.says) {
				t.Errorf("%s: %q, want %s with %q", l.State, l.Evidence, c.want, c.says)
			}
			if l.LookAgain || len(l.Evidence) == 0 || strings.Contains(fmt.Sprint(l), "s3cret") {
				t.Error(l)
			}
		})
	}
}

func TestLivenessOfTheTable(t *testing.T) {
	a := folder(t, map[string]string{"sessions/100.json": row(100, `,"procStart":"5000000","status":"waiting",`+
		`"waitingFor":"permission prompt","sessionId":"`+id1+`"`)})
	l := a.Witnesses(table()).Of(&Job{Short: short1, SessionID: id1}, nil)
	if l.PID != 100 || l.Status != "waiting" || l.WaitingFor != "permission prompt" {
		t.Errorf("%+v", l)
	}
	broken := Processes{Problem: "the process table cannot be read: no"}
	if l := a.Witnesses(broken).Of(&Job{Short: short2, SessionID: id2}, nil); l.State != Unknown ||
		!strings.Contains(l.Evidence[0], "process table") {
		t.Error(l)
	}
	// With /proc showing own processes only, the sessions of one's own account are all there.
	own := table()
	own.OwnOnly = true
	if l := a.Witnesses(own).Of(&Job{Short: short2, SessionID: id2, State: "done"}, nil); l.State != Offline {
		t.Error(l)
	}
	if os.Geteuid() == 0 {
		if err := os.Chown(a.Dir, 12345, -1); err != nil {
			t.Fatal(err)
		}
		if l := a.Witnesses(own).Of(&Job{Short: short2, SessionID: id2, State: "done"}, nil); l.State != Unknown {
			t.Error(l)
		}
	}
	odd := folder(t, map[string]string{"sessions": ""})
	if l := odd.Witnesses(table()).Of(&Job{Short: short2, SessionID: id2, State: "done"}, nil); l.State != Unknown {
		t.Error(l)
	}
	pipe := folder(t, map[string]string{"sessions/x": ""})
	if err := syscall.Mkfifo(filepath.Join(pipe.Dir, "sessions", "100.json"), 0o600); err != nil {
		t.Fatal(err)
	}
	w := pipe.Witnesses(table())
	if l := w.Of(&Job{Short: short2, SessionID: id2, State: "done"}, nil); l.State != Unknown || len(w.Warnings) != 1 {
		t.Error(l, w.Warnings)
	}
}

func TestCommandLines(t *testing.T) {
	path := "/home/u/.claude/projects/-w/" + id1 + ".jsonl"
	for _, c := range []struct {
		args []string
		want bool
	}{
		{[]string{"claude", "--resume", id1}, true},
		{[]string{"claude", "--resume=" + id1}, true},
		{[]string{"claude", "-r", id1}, true},
		{[]string{"claude", "-r" + id1}, true},
		{[]string{"/usr/local/bin/claude", "--session-id", id1, "hello"}, true},
		{[]string{"/home/u/.local/share/claude/versions/2.1.332", "--session-id", id1}, true},
		{[]string{"/x/node_modules/@anthropic-ai/claude-code-linux-x64/claude", "--session-id", id1}, true},
		{[]string{"claude bg-pty-host", "--bg-pty-host", "/s", "200", "50", "--", "/x/claude", "--session-id", id1}, true},
		{[]string{"claude", "--remote-control", "x", "--resume", id1}, true},
		{[]string{"claude", "--resume", strings.ToUpper(id1)}, true},
		{[]string{"claude", "--resume", path}, true},
		{[]string{"claude", "--resume", id2}, true}, // the resumed id
		{[]string{"node", "/usr/lib/node_modules/@anthropic-ai/claude-code/cli.js", "--resume", id1}, true},
		{[]string{"node", "--max-old-space-size=4096", "/usr/lib/node_modules/@anthropic-ai/claude-code/cli.js", "--resume",
			id1}, true},
		{[]string{"/usr/bin/env", "A=b", "node", "/usr/local/bin/claude", "--resume", id1}, true},
		{[]string{"bun", "run", "/opt/claude-code/cli.js", "--resume", id1}, true},
		{[]string{"/bin/sh", "/usr/local/bin/claude", "--resume", id1}, true},
		{[]string{"-bash", "/usr/local/bin/claude", "--resume", id1}, true},
		// Nobody of these is the session.
		{nil, false},
		{[]string{""}, false},
		{[]string{"claude"}, false},
		{[]string{"claude", "--resume"}, false},
		{[]string{"claude", "--resume", "9f8e7d6c-3333-4333-8333-333333333333"}, false},
		{[]string{"claude", "--resume", short1}, false},
		{[]string{"claude", "tell me about " + id1}, false},
		{[]string{"vim", path}, false},
		{[]string{"less", "+F", path}, false},
		{[]string{"vim", "/home/u/claude.txt", path}, false},
		{[]string{"tail", "-f", "/home/u/.claude/projects/-work-claude-code/" + id1 + ".jsonl"}, false},
		{[]string{"grep", "claude", path}, false},
		{[]string{"python3", "/home/u/claude-code/watch.py", path}, false},
		{[]string{"node", "/home/u/viewer.js", path}, false},
		{[]string{"bash", "-c", "less " + path}, false},
		{[]string{"/opt/editor/code", "--folder", "/srv/claude-code/", path}, false},
	} {
		_, ok := namesSession(c.args, &Job{Short: short1, SessionID: id1, ResumeSessionID: id2})
		if ok != c.want {
			t.Errorf("%q: %v", c.args, ok)
		}
	}
	p := table()
	p.ByPID[500] = Process{PID: 500, Start: "1", Args: []string{"claude", "--resume", id1, "--settings", "s3cret " + id1 +
		".jsonl"}}
	l := folder(t, nil).Witnesses(p).Of(&Job{Short: short1, SessionID: id1}, nil)
	if l.State != Live || strings.Contains(fmt.Sprint(l), "s3cret") {
		t.Error(l)
	}
}

func TestSupervisor(t *testing.T) {
	lock := func(pid int, start string) string {
		return fmt.Sprintf(`{"pid":%d,"version":"2.1.332","procStart":"%s","spawnedBy":{"pid":999}}`, pid, start)
	}
	log := func(text string) string { return line("10:00:00", "bg", text) }
	for _, c := range []struct {
		name  string
		files map[string]string
		state string
		log   string
		again bool
	}{
		{"none", nil, "working", "", false},
		{"lives, working", map[string]string{"daemon.lock": lock(200, "6000000")}, "working", "", true},
		{"lives, resuming", map[string]string{"daemon.lock": lock(200, "6000000")}, "resuming", "", true},
		{"lives, blocked", map[string]string{"daemon.lock": lock(200, "6000000")}, "blocked", "", true},
		{"lives, crashed and respawning", map[string]string{"daemon.lock": lock(200, "6000000")}, "crashed", "", true},
		{"lives, a state of tomorrow", map[string]string{"daemon.lock": lock(200, "6000000")}, "hologram", "", true},
		{"lives, no state", map[string]string{"daemon.lock": lock(200, "6000000")}, "", "", true},
		{"lives, done", map[string]string{"daemon.lock": lock(200, "6000000")}, "done", "", false},
		{"lives, failed", map[string]string{"daemon.lock": lock(200, "6000000")}, "failed", "", false},
		{"lives, stopped", map[string]string{"daemon.lock": lock(200, "6000000")}, "stopped", "", false},
		{"lives, the log knows its end", map[string]string{"daemon.lock": lock(200, "6000000")}, "working",
			log("bg settled 0a1b2c3d (killed)"), false},
		{"lives, the log knows a crash", map[string]string{"daemon.lock": lock(200, "6000000")}, "working",
			log("bg settled 0a1b2c3d (crashed)"), true},
		{"lives, the log knows a start", map[string]string{"daemon.lock": lock(200, "6000000")}, "working",
			log("bg settled 0a1b2c3d (done)") + log("bg spawned 0a1b2c3d (fleet)"), true},
		{"gone", map[string]string{"daemon.lock": lock(999, "6000000")}, "working", "", false},
		{"another start", map[string]string{"daemon.lock": lock(200, "123")}, "working", "", false},
		{"nearly its start", map[string]string{"daemon.lock": lock(200, "6000001")}, "working", "", true},
		{"no start", map[string]string{"daemon.lock": `{"pid":200}`}, "working", "", true},
		{"unreadable", map[string]string{"daemon.lock": `{"pid":`}, "working", "", true},
		{"empty", map[string]string{"daemon.lock": ``}, "working", "", true},
		{"pid of another type", map[string]string{"daemon.lock": `{"pid":"200"}`}, "working", "", true},
		{"a folder", map[string]string{"daemon.lock/x": ``}, "working", "", true},
		{"its status file alone", map[string]string{"daemon.status.json": `{"supervisorPid":200,` +
			`"supervisorProcStart":"6000000","workers":{}}`}, "working", "", true},
		{"its status file, gone", map[string]string{"daemon.status.json": `{"supervisorPid":999,` +
			`"supervisorProcStart":"6000000"}`}, "working", "", false},
		{"a dead lock, a live status", map[string]string{"daemon.lock": lock(999, "1"),
			"daemon.status.json": `{"supervisorPid":200,"supervisorProcStart":"6000000"}`}, "working", "", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := folder(t, c.files).Witnesses(table())
			l := w.Of(&Job{Short: short1, SessionID: id1, State: c.state}, parsed(t, c.log))
			if l.State != Offline || l.LookAgain != c.again {
				t.Errorf("%+v", l)
			}
			if again := w.Of(&Job{Short: short1, SessionID: id1, State: c.state}, nil).LookAgain; c.log == "" &&
				again != c.again {
				t.Error("without a log:", again)
			}
		})
	}
	w := folder(t, map[string]string{"daemon.lock": lock(200, "6000000"), "sessions/100.json": row(100,
		`,"procStart":"5000000","sessionId":"`+id1+`"`)}).Witnesses(table())
	if l := w.Of(&Job{Short: short1, SessionID: id1, State: "working"}, nil); l.State != Live || l.LookAgain {
		t.Error("a live session needs no second look:", l)
	}
	if up, version := w.SupervisorVersion(); !up || version != "2.1.332" {
		t.Error(up, version)
	}
}

// TestLiveFixtures asks about real processes.
func TestLiveFixtures(t *testing.T) {
	for _, name := range []string{"live", "live-busy", "live-waiting", "live-by-command-line", "stale-registry",
		"reused-pid", "other-pid-domain", "bad-registry", "bad-roster"} {
		t.Run(name, func(t *testing.T) {
			s, ok := fixtures.Find(name)
			if !ok {
				t.Fatal("no such situation")
			}
			sub, err := s.Build(t.TempDir(), now)
			if err != nil {
				t.Fatal(err)
			}
			defer sub.Account.Close()
			a := open(t, sub.Account)
			jobs, err := a.Jobs()
			if err != nil {
				t.Fatal(err)
			}
			l := a.Witnesses(ReadProcesses()).Of(jobs.ByShort[sub.Session.Short], a.Log())
			if string(l.State) != s.Live {
				t.Errorf("%s, want %s: %q", l.State, s.Live, l.Evidence)
			}
			if l.State == Live && name != "live-by-command-line" && (l.PID != sub.Session.Worker.Pid ||
				l.Status != sub.Session.Status || l.WaitingFor != sub.Session.WaitingFor) {
				t.Errorf("%+v", l)
			}
			sub.Account.Close()
			if l := a.Witnesses(ReadProcesses()).Of(jobs.ByShort[sub.Session.Short], a.Log()); l.State == Live {
				t.Errorf("after its process ended: %q", l.Evidence)
			}
		})
	}
}
