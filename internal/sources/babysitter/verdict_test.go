package babysitter

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"recovery/internal/sources"
	"recovery/internal/sources/files"
	"recovery/internal/text"
)

func sleepTask(at time.Time) string {
	return fmt.Sprintf(`{"kind":"sleep","sleep":{"iso":%q,"targetEpochMs":%d}}`, at.Format(time.RFC3339), at.UnixMilli())
}

// TestVerdicts goes through what a run can wait for.
func TestVerdicts(t *testing.T) {
	ask, nap, job := requested("e1", "breakpoint"), requested("e2", "sleep"), requested("e3", "agent")
	later, earlier := noon.Add(time.Hour), noon.Add(-30*time.Minute)
	for name, c := range map[string]struct {
		meta    map[string]any
		events  []ev
		files   map[string]string
		verdict sources.Verdict
		state   string
		reason  string // part of the reason
		waits   string // part of what it waits for
		iterate bool   // an iterate is among the commands
		hidden  bool   // listed only when everything is asked for
	}{
		"never started": {events: []ev{begun}, verdict: sources.Safe, state: "created", reason: "never started",
			iterate: true},
		"logged only": {events: []ev{begun, {"PROCESS_LOG", nil}}, verdict: sources.Safe, state: "created",
			reason: "asked for nothing", iterate: true},
		"no events": {verdict: sources.Person, state: "created", reason: "missing or empty"},
		"bare": {meta: map[string]any{"processId": bareRun}, events: []ev{begun}, verdict: sources.Person,
			state: "created", reason: "run:assign-process"},
		"all answered": {events: []ev{begun, job, resolved("e3", "ok")}, verdict: sources.Safe, state: "created",
			reason: "everything it asked for is answered", iterate: true},
		"cancelled": {events: []ev{begun, job, {"EFFECT_CANCELLED", map[string]any{"effectId": "e3"}}},
			verdict: sources.Safe, state: "created", iterate: true},
		"task error": {meta: map[string]any{"sdkVersion": "6.0.0"}, events: []ev{begun, job, resolved("e3", "error")},
			verdict: sources.Person, state: "created", reason: "boom) and the run was not written as failed; an iterate repeats",
			iterate: true},
		"old task error": {events: []ev{begun, job, resolved("e3", "error")}, verdict: sources.Person, state: "created",
			reason: "writes it as failed", iterate: true},
		"error, then ok": {events: []ev{begun, job, resolved("e3", "error"), ask, resolved("e1", "ok")},
			verdict: sources.Safe, state: "created", iterate: true},
		"breakpoint": {events: []ev{begun, ask}, verdict: sources.Person, state: "waiting", reason: "person's answer",
			waits: `breakpoint "label e1", asked 1 h ago`, iterate: true},
		"question": {events: []ev{begun, ask},
			files: map[string]string{"tasks/e1/task.json": `{"inputs":{"question":"Really?"},` +
				`"metadata":{"payload":{"question":"No"}}}`}, verdict: sources.Person, state: "waiting",
			waits: `"Really?" (label e1)`, iterate: true},
		"question in input": {events: []ev{begun, ask},
			files: map[string]string{"tasks/e1/input.json": `{"question":"First?"}`,
				"tasks/e1/task.json": `{"inputs":{"question":"Really?"}}`}, verdict: sources.Person, state: "waiting",
			waits: `"First?"`, iterate: true},
		"answered, unwritten": {events: []ev{begun, ask}, files: map[string]string{"tasks/e1/result.json": `{}`,
			"tasks/e1/task.json": `{}`}, verdict: sources.Person, state: "waiting",
			reason: "not recorded in the journal (e1)", iterate: true},
		"sleeps": {events: []ev{begun, nap}, files: map[string]string{"tasks/e2/task.json": sleepTask(later)},
			verdict: sources.Time, state: "waiting", reason: later.Format(time.RFC3339),
			waits: "sleep until 2026-11-29T19:00:00Z", iterate: true},
		"slept": {events: []ev{begun, nap}, files: map[string]string{"tasks/e2/task.json": sleepTask(earlier)},
			verdict: sources.Safe, state: "waiting", reason: "30 min ago", iterate: true},
		"one of two slept": {events: []ev{begun, nap, requested("e4", "sleep")},
			files:   map[string]string{"tasks/e2/task.json": sleepTask(later), "tasks/e4/task.json": sleepTask(earlier)},
			verdict: sources.Safe, state: "waiting", waits: "2 sleeps, the first until", iterate: true},
		"sleep, no time": {events: []ev{begun, nap},
			files:   map[string]string{"tasks/e2/task.json": `{"sleep":{"iso":"soon","targetEpochMs":1e300}}`},
			verdict: sources.Person, state: "waiting", waits: "unknown time", iterate: true},
		"sleep and ask": {events: []ev{begun, nap, ask}, files: map[string]string{"tasks/e2/task.json": sleepTask(later)},
			verdict: sources.Person, state: "waiting", waits: "sleep until", iterate: true},
		"task, no session": {events: []ev{begun, job}, verdict: sources.Person, state: "waiting",
			reason: "no session is recorded", waits: "pending: agent 1", iterate: true},
		"task, session": {events: []ev{{"RUN_CREATED", map[string]any{"sessionId": "S-1"}}, job}, verdict: sources.Safe,
			state: "waiting", reason: "Waking its Claude session S-1 continues the run", iterate: true},
		"other harness": {meta: map[string]any{"harness": "codex"},
			events: []ev{{"RUN_CREATED", map[string]any{"sessionId": "S-1"}}, job}, verdict: sources.Person, state: "waiting",
			reason: "has to be opened again there", iterate: true},
		"unattended": {meta: map[string]any{"nonInteractive": true}, events: []ev{begun, job, resolved("e3", "ok")},
			verdict: sources.Person, state: "created", reason: "waking it is an approval", iterate: true},
		"unattended ask": {meta: map[string]any{"nonInteractive": true}, events: []ev{begun, ask}, verdict: sources.Person,
			state: "waiting", reason: "passes the breakpoint by itself", iterate: true},
		"unattended sleep": {meta: map[string]any{"nonInteractive": true}, events: []ev{begun, nap},
			files: map[string]string{"tasks/e2/task.json": sleepTask(later)}, verdict: sources.Person, state: "waiting",
			iterate: true},
		"layout": {meta: map[string]any{"layoutVersion": "2031"}, events: []ev{begun}, verdict: sources.Person,
			state: "created", reason: "refuses its layout version 2031"},
		"completed": {events: []ev{begun, nap, {"RUN_COMPLETED", nil}}, verdict: sources.Done, state: "completed",
			reason: "still pending (sleep 1)", hidden: true},
		"sealed": {events: []ev{begun, {"RUN_COMPLETED", map[string]any{"manual_seal_reason": "enough"}}},
			verdict: sources.Done, state: "completed", reason: "by hand: enough", hidden: true},
		"begun again": {events: []ev{begun, {"RUN_COMPLETED", nil}, begun}, verdict: sources.Safe, state: "created",
			iterate: true},
		"halted": {events: []ev{begun, {"RUN_HALTED", map[string]any{"reason": "why not"}}}, verdict: sources.Done,
			state: "halted", reason: "why not", hidden: true},
		"failed": {events: []ev{begun, {"RUN_FAILED", map[string]any{"error": map[string]any{"name": "TypeError",
			"message": "no such thing"}}}}, verdict: sources.Done, state: "failed", reason: "TypeError: no such thing",
			hidden: true},
		"recoverable": {events: []ev{begun, {"PROCESS_RUNTIME_ERROR",
			map[string]any{"error": map[string]any{"message": "x"}, "recovery": map[string]any{"recoverable": true}}}},
			verdict: sources.Person, state: "failed", reason: "recoverable"},
		"not recoverable": {events: []ev{begun, {"PROCESS_RUNTIME_ERROR",
			map[string]any{"recovery": map[string]any{"recoverable": false}}}}, verdict: sources.Done, state: "failed",
			hidden: true},
		"probably false": {events: []ev{begun, {"RUN_COMPLETED", nil},
			{"RUN_FAILED", map[string]any{"error": map[string]any{"message": "Journal sequence gap detected at x"}}}},
			verdict: sources.Person, state: "failed", reason: "probably false"},
		"failed again": {events: []ev{begun, {"RUN_COMPLETED", nil}, {"RUN_FAILED", map[string]any{"error": "other"}}},
			verdict: sources.Done, state: "failed", reason: "had completed, was run again, and failed: other", hidden: true},
		"taken back": {events: []ev{begun}, files: map[string]string{"journal.process-error.bak.1795972000000/x": ""},
			verdict: sources.Safe, state: "created", reason: "taken back", iterate: true},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "runs")
			run := filepath.Join(dir, "run-1")
			makeRun(t, run, c.meta, c.events...)
			for file, text := range c.files {
				write(t, filepath.Join(run, file), text)
			}
			m := machine(dir)
			if f := Find(m); c.hidden != (len(f.Rows) == 0) || c.hidden && (f.LeftOut[c.state] != 1 || !strings.Contains(f.None,
				"1 "+c.state)) || !c.hidden && f.None != "" {
				t.Errorf("hidden %v: %+v", c.hidden, f)
			}
			m.All = true
			r := only(t, Find(m))
			if r.Verdict != c.verdict || r.State != c.state || !strings.Contains(r.Reason, c.reason) ||
				!strings.Contains(r.WaitsFor, c.waits) || hasCommand(r, "run:iterate") != c.iterate {
				t.Errorf("%s %s\nreason %s\nwaits  %s\n%v", r.Verdict, r.State, r.Reason, r.WaitsFor, r.Commands)
			}
			if terminal(r.State) && r.WaitsFor != "" || !hasCommand(r, "run:status "+run) || !hasCommand(r, "run:events") ||
				!hasCommand(r, "task:list") {
				t.Errorf("%q %v", r.WaitsFor, r.Commands)
			}
			if !c.iterate && hasCommand(r, "/babysitter:call") {
				t.Error("the form for a session is offered where no iterate is")
			}
		})
	}
}

// TestDetails: what else is known of a run is told beside it.
func TestDetails(t *testing.T) {
	run := filepath.Join(t.TempDir(), "runs", "r")
	makeRun(t, run, map[string]any{"processRevision": "v7", "nested": map[string]any{"parentRunId": "mother"},
		"sdkVersion": "6.0.0", "harness": "claude-code", "cwd": "/srv/project"},
		begun, ev{"RUN_COMPLETED", nil}, ev{"PROCESS_CODE_HASH_CHANGED", nil}, ev{"RUN_COMPLETED", nil})
	m := machine(run)
	m.All = true
	r := only(t, Find(m))
	for name, want := range map[string]string{"process revision": "v7", "part of run": "mother", "SDK": "6.0.0",
		"harness": "claude-code", "completions": "2", "code changes": "1 noted",
		"process": "demo/process", "created": "2026-11-29T12:00:00Z", "events": "4, the last is RUN_COMPLETED"} {
		if !strings.HasPrefix(r.Detail(name), want) {
			t.Errorf("%s: %q, want %q", name, r.Detail(name), want)
		}
	}
	if r.Cwd != "/srv/project" || r.Source != Name || r.Store != files.Real(run) ||
		!r.UpdatedAt.Equal(noon.Add(-time.Hour)) {
		t.Errorf("%+v", r)
	}
	for d, want := range map[time.Duration]string{time.Second: "1 s", 59 * time.Minute: "59 min", 47 * time.Hour: "47 h",
		49 * time.Hour: "2 days"} {
		if got := text.Age(d, time.Hour); got != want {
			t.Errorf("%s: %s", d, got)
		}
	}
}

// TestLock tells what a lock means from its process.
func TestLock(t *testing.T) {
	at := noon.Add(-time.Hour)
	text := fmt.Sprintf(`{"pid":77,"owner":"runtime:orchestrateIteration","acquiredAt":%q}`, at.Format(time.RFC3339))
	alive := func(started time.Time) func(int) sources.Process {
		return func(pid int) sources.Process { return sources.Process{Running: pid == 77, Started: started} }
	}
	for name, c := range map[string]struct {
		lock    string
		process func(int) sources.Process
		verdict sources.Verdict
		detail  string
		iterate bool
	}{
		"live": {text, alive(at.Add(-time.Second)), sources.Live, "held by process 77 " +
			"(runtime:orchestrateIteration), since", false},
		"within slack": {text, alive(at.Add(time.Second)), sources.Live, "held by", false},
		"no start":     {text, alive(time.Time{}), sources.Live, "held by", false},
		"no table":     {text, nil, sources.Live, "held by", false},
		"dead": {text, func(int) sources.Process { return sources.Process{} }, sources.Safe,
			"is gone; the next writer removes it", true},
		"reused":   {text, alive(at.Add(time.Minute)), sources.Person, "another process has that number now", false},
		"no time":  {`{"pid":77,"owner":"x"}`, alive(at), sources.Live, "a writer of another name", false},
		"empty":    {"", alive(at), sources.Person, "every writer fails", false},
		"no pid":   {`{"owner":"x"}`, alive(at), sources.Person, "has no process id", false},
		"pid 0":    {`{"pid":0}`, alive(at), sources.Person, "has no process id", false},
		"pid -1":   {`{"pid":-1}`, alive(at), sources.Person, "has no process id", false},
		"pid 1.5":  {`{"pid":1.5}`, alive(at), sources.Person, "has no process id", false},
		"huge pid": {`{"pid":1e30}`, alive(at), sources.Person, "has no process id", false},
		"a list":   {`[77]`, alive(at), sources.Person, "no object", false},
	} {
		run := filepath.Join(t.TempDir(), "runs", "r")
		makeRun(t, run, nil, begun)
		write(t, filepath.Join(run, "run.lock"), c.lock)
		m := machine(run)
		m.Process = c.process
		if r := only(t, Find(m)); r.Verdict != c.verdict || !strings.Contains(r.Detail("lock"), c.detail) ||
			hasCommand(r, "run:iterate") != c.iterate {
			t.Errorf("%s: %s %q %v", name, r.Verdict, r.Detail("lock"), r.Commands)
		}
		makeRun(t, run, nil, begun, ev{"RUN_COMPLETED", nil})
		if r := Find(m).Rows; (len(r) == 1) != (c.verdict == sources.Live) {
			t.Errorf("%s, completed: %+v", name, r)
		}
	}
}

// TestProcessCode compares the process file with what the run recorded.
func TestProcessCode(t *testing.T) {
	sum := func(s string) string { h := sha256.Sum256([]byte(s)); return hex.EncodeToString(h[:]) }
	now := sum("exports.process = 1\n")
	for name, c := range map[string]struct {
		recorded, start string
		prepare         func(path string)
		verdict         sources.Verdict
		detail          string
	}{
		"same":       {now, now, nil, sources.Safe, "unchanged"},
		"upper case": {strings.ToUpper(now), "", nil, sources.Safe, "unchanged"},
		"changed":    {sum("x"), sum("x"), nil, sources.Person, "changed since the run recorded it"},
		"noted":      {now, sum("x"), nil, sources.Safe, "changed since the start, and an iterate has noted it"},
		"start only": {"", sum("x"), nil, sources.Safe, "changed since the start"},
		"no hash":    {"", "", nil, sources.Safe, ""},
		"gone":       {now, now, func(p string) { _ = os.Remove(p) }, sources.Safe, "unknown: the process file is not there"},
		"a folder": {now, now, func(p string) { _ = os.Remove(p); _ = os.Mkdir(p, 0o755) }, sources.Safe,
			"unknown: the process file cannot be read"},
	} {
		run := filepath.Join(t.TempDir(), "runs", "r")
		makeRun(t, run, map[string]any{"processCodeHash": c.recorded},
			ev{"RUN_CREATED", map[string]any{"processCodeHash": c.start}})
		if c.prepare != nil {
			c.prepare(filepath.Join(run, "process.js"))
		}
		if r := only(t, Find(machine(run))); r.Verdict != c.verdict || !strings.Contains(r.Detail("process code"),
			c.detail) || (c.detail == "") != (r.Detail("process code") == "") {
			t.Errorf("%s: %s %q %s", name, r.Verdict, r.Detail("process code"), r.Reason)
		}
	}
}

// TestSession joins a run with the session that drives it.
func TestSession(t *testing.T) {
	root := t.TempDir()
	run := filepath.Join(root, "runs", "r1")
	makeRun(t, run, nil, ev{"RUN_CREATED", map[string]any{"sessionId": "from-journal"}}, requested("e", "agent"))
	state := func(name, text string) { write(t, filepath.Join(root, "state", name), text) }
	check := func(step, session, reason string) {
		t.Helper()
		if r := only(t, Find(machine(root))); r.ClaudeSessionID != session || !strings.Contains(r.Reason, reason) ||
			reason == "" {
			t.Errorf("%s: %q %s", step, r.ClaudeSessionID, r.Reason)
		}
	}
	check("journal", "from-journal", "Waking its Claude session from-journal")
	state("broken.md", "run_id: r1\n")
	state("other.md", "---\nrun_id: r2\nrun_ids: r1\n---\n")
	state("body.md", "---\nactive: true\n---\nrun_id: r1\n")
	state("notes.txt", "---\nrun_id: r1\n---\n")
	check("no state file names it", "from-journal", "Waking")
	state("idle.md", "---\nactive: false\nrun_id: 'r1'\nlast_iteration_at: 2026-11-29T17:00:00Z\n---\n")
	check("inactive", "idle", "no longer active")
	state("busy.md", "---\nactive: true\nrun_id: \"r1\"\nlast_iteration_at: \"2026-11-29T10:00:00Z\"\n---\n")
	check("an active one", "busy", "Waking its Claude session busy")
	state("newer.md", "---\r\nactive: true\r\nrun_id: r1\r\nlast_iteration_at: 2026-11-29T11:00:00Z\r\n---\r\n")
	check("a newer one", "newer", "Waking its Claude session newer")
	write(t, filepath.Join(root, "r1", "x"), "")
	state("elsewhere.md", "---\nactive: true\nrun_id: r1\nrun_dir: "+filepath.Join(root, "r1")+
		"\nlast_iteration_at: 2026-11-29T12:00:00Z\n---\n")
	check("one of another run of that id", "newer", "Waking")
	state("exact.md", "---\nactive: false\nrun_id: r1\nrun_dir: "+run+"\n---\n")
	check("the folder itself", "exact", "no longer active")
	if r := only(t, Find(machine(root))); !hasWarning(r, "busy") ||
		!hasCommand(r, "claude '/babysitter:call resume --run-id r1'") {
		t.Errorf("%v %v", r.Warnings, r.Commands)
	}
}

// TestHandedOutTasks: what was handed out to a session is continued by that session. An iterate would list it again
// and not do it.
func TestHandedOutTasks(t *testing.T) {
	const session = "11111111-2222-4333-8444-555555555555"
	from := ev{"STOP_HOOK_INVOKED", map[string]any{"sessionId": session}}
	acting := func(r sources.Row) (out []string) {
		for _, c := range r.Commands {
			if c.Acts {
				out = append(out, c.Command)
			}
		}
		return out
	}
	dir := t.TempDir()
	makeRun(t, filepath.Join(dir, "claude"), map[string]any{"harness": "claude-code", "cwd": "/my work"}, begun,
		requested("e1", "agent"), from)
	makeRun(t, filepath.Join(dir, "codex"), map[string]any{"harness": "codex", "cwd": "/w"}, begun,
		requested("e1", "agent"), from)
	if got := projectOf("/p/.a5c/.a5c/runs/r"); got != "/p" { // their issue #48
		t.Errorf("the folder of a doubled place is %s", got)
	}
	makeRun(t, filepath.Join(dir, "breakpoint"), map[string]any{"harness": "claude-code", "cwd": "/w"}, begun,
		requested("e1", "breakpoint"), from)
	// The hook of a session that is no longer active does not go on with the run: another session takes it over.
	inactive := filepath.Join(dir, "p", ".a5c", "runs", "inactive")
	makeRun(t, inactive, map[string]any{"harness": "claude-code", "cwd": "/w"}, begun, requested("e1", "agent"))
	write(t, filepath.Join(dir, "p", ".a5c", "state", session+".md"), "---\nactive: false\nrun_id: inactive\n---\n")
	if r := only(t, Find(machine(filepath.Join(dir, "p")))); r.ClaudeSessionID != session || len(acting(r)) == 0 ||
		!strings.Contains(acting(r)[0], "/babysitter:call resume") || hasCommand(r, "claude --resume") {
		t.Errorf("%s %v", r.ClaudeSessionID, r.Commands)
	}
	rows := byFolder(Find(machine(dir)))
	if r := rows["claude"]; r.Verdict != sources.Safe || len(acting(r)) == 0 ||
		acting(r)[0] != "cd -- '/my work' && claude --resume "+session || !hasCommand(r, "run:iterate") {
		t.Errorf("%s %v", r.Verdict, acting(r))
	}
	if r := rows["codex"]; r.Verdict != sources.Person || hasCommand(r, "claude --resume") || !strings.Contains(r.Reason,
		session) {
		t.Errorf("%s %s %v", r.Verdict, r.Reason, acting(r))
	}
	if r := rows["breakpoint"]; len(acting(r)) == 0 || !strings.Contains(acting(r)[0], "run:iterate") {
		t.Errorf("%v", acting(r))
	}
	for name, want := range map[string]string{"claude": "e1 (agent)", "breakpoint": "e1 (breakpoint)"} {
		if got := rows[name].Detail("pending effects"); got != want {
			t.Errorf("%s: pending effects %q, want %q", name, got, want)
		}
	}
}

// TestNotSafe: an iterate that fails, or is not offered, continues nothing.
func TestNotSafe(t *testing.T) {
	dir := t.TempDir()
	asked := []ev{begun, requested("e1", "agent"), resolved("e1", "error")}
	makeRun(t, filepath.Join(dir, "failed-task"), map[string]any{"sdkVersion": "6.0.0"}, asked...)
	write(t, filepath.Join(dir, "failed-task", "run.lock"), `{"pid":7,"owner":"runtime:orchestrateIteration",`+
		`"acquiredAt":"2026-11-29T12:00:00Z"}`)
	bare := map[string]any{"processId": bareRun, "entrypoint": map[string]any{"importPath": bareRun}}
	makeRun(t, filepath.Join(dir, "bare"), bare, begun, requested("e1", "agent"), resolved("e1", "ok"))
	makeRun(t, filepath.Join(dir, "bare-sleep"), bare, begun, ev{"EFFECT_REQUESTED", map[string]any{"effectId": "e1",
		"invocationKey": "k", "stepId": "S1", "taskId": "t",
		"kind": "sleep", "label": "sleep:2026-11-29T12:00:00Z", "taskDefRef": "x"}})
	makeRun(t, filepath.Join(dir, "file-gone"), nil, begun)
	if err := os.Remove(filepath.Join(dir, "file-gone", "process.js")); err != nil {
		t.Fatal(err)
	}
	if r := byFolder(Find(machine(dir)))["file-gone"]; !slices.ContainsFunc(r.Commands, func(c sources.Command) bool {
		return strings.Contains(c.Command, "run:iterate") && strings.HasPrefix(c.Effect, "fails, and changes nothing")
	}) || !strings.Contains(r.Reason, "its process file is not there") {
		t.Errorf("%s %v", r.Reason, r.Commands)
	}
	makeRun(t, filepath.Join(dir, "no-process"), map[string]any{"entrypoint": nil}, begun)
	for name, part := range map[string]string{"failed-task": "its last task failed", "bare": "run:assign-process",
		"bare-sleep": "run:assign-process", "no-process": "names no process"} {
		if r := byFolder(Find(machine(dir)))[name]; r.Verdict != sources.Person || !strings.Contains(r.Reason, part) {
			t.Errorf("%s: %s %s", name, r.Verdict, r.Reason)
		}
	}
}

// TestOddDescription: run:status takes any JSON that JavaScript counts as something for a run.json.
func TestOddDescription(t *testing.T) {
	dir := t.TempDir()
	for text, readable := range map[string]bool{"[]": true, "5": true, `"x"`: true, "true": true, "{}": true,
		"null": false, "0": false, `""`: false, "false": false, "{": false} {
		makeRun(t, filepath.Join(dir, "r"), nil, begun)
		write(t, filepath.Join(dir, "r", "run.json"), text)
		r := only(t, Find(machine(dir)))
		if readable && (r.State != "created" || r.Verdict != sources.Person || hasCommand(r, "run:iterate")) || !readable &&
			(r.State != "" || r.Verdict != sources.Unreadable) {
			t.Errorf("%s: %q %s %s", text, r.State, r.Verdict, r.Reason)
		}
		if err := os.RemoveAll(filepath.Join(dir, "r")); err != nil {
			t.Fatal(err)
		}
	}
}

// TestOwnLimits: that a file is bigger than what is read here says nothing of what run:status does.
func TestOwnLimits(t *testing.T) {
	big := `{"a":"` + strings.Repeat("x", 17<<20) + `"}`
	for name, path := range map[string]func(string) string{
		"description": func(run string) string { return filepath.Join(run, "run.json") },
		"event":       func(run string) string { return eventPath(run, 1) },
	} {
		dir := t.TempDir()
		makeRun(t, filepath.Join(dir, "r"), nil, begun)
		write(t, path(filepath.Join(dir, "r")), big)
		if r := only(t, Find(machine(dir))); r.Verdict != sources.Unreadable || strings.Contains(r.Reason, "run:status") ||
			!strings.Contains(r.Reason, "is larger than 16 MiB") {
			t.Errorf("%s: %s %s", name, r.Verdict, r.Reason)
		}
	}
}
