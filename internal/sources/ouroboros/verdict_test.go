package ouroboros

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"recovery/internal/sources"
	"recovery/internal/text"
)

func progressOf(id, when, payload string) ev {
	return ev{"session", id, progressUpdated, when, payload}
}

func words(r sources.Row) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s|%s|%s|%s", r.State, r.Verdict, r.Reason, r.WaitsFor)
	for _, d := range r.Details {
		fmt.Fprintf(&b, "|%s=%s", d.Name, d.Text)
	}
	for _, w := range r.Warnings {
		b.WriteString("|warning=" + w)
	}
	for _, c := range r.Commands {
		b.WriteString("|" + c.Command + " # " + c.Effect)
	}
	return b.String()
}

// TestVerdicts gives each state of a session its verdict, what it waits for and its commands.
func TestVerdicts(t *testing.T) {
	begun := time.Date(2026, 11, 29, 8, 0, 0, 0, time.UTC)
	processes := func(pid int) sources.Process {
		switch pid {
		case 10:
			return sources.Process{Running: true, Started: begun}
		case 11:
			return sources.Process{Running: true}
		}
		return sources.Process{}
	}
	start := startOf("s", "11:30:00")
	limited := func(more string) ev {
		return ev{"session", "s", paused, "11:40:00", `{"reason":"limit","pause_kind":"usage_limit",` +
			`"paused_at":"2026-11-29T11:40:00+00:00"` + more + `}`}
	}
	asked := ev{"hitl", "r1", "hitl.requested", "11:41:00", `{"session_id":"s","kind":"approval",` +
		`"risk_class":"destructive","question":"Drop the table?","timeout_action":"stay_waiting"}`}
	at := func(seconds float64) string { return fmt.Sprintf("10:%.3f", float64(begun.Unix())+seconds) }
	for name, c := range map[string]struct {
		events  []ev
		lease   string
		file    string // one more file: path and text, with a blank between
		env     string
		verdict sources.Verdict
		want    []string
		not     []string
	}{
		"no lease": {events: []ev{start}, verdict: sources.Unsafe,
			want: []string{"running|unsafe|no lease", "start a new attempt", "# a resume, which MARKS IT FAILED",
				"ouroboros run workflow HOME/.ouroboros/seeds/seed_1.yaml # starts a new attempt", "does not exist",
				"first start of the server of Ouroboros after 2026-11-29T12:30:00Z"}},
		"seed there": {events: []ev{start}, file: "seeds/seed_1.yaml goal: x", verdict: sources.Unsafe,
			want: []string{"--resume s HOME/.ouroboros/seeds/seed_1.yaml # a resume, which MARKS IT FAILED: its owner is gone|"},
			not:  []string{"does not exist"}},
		"alive": {events: []ev{start}, lease: at(1.9), verdict: sources.Live, want: []string{"process 10, runs",
			"is refused without harm"}, not: []string{"will be cancelled", "MARKS"}},
		"another": {events: []ev{start}, lease: at(2.1), verdict: sources.Unsafe,
			want: []string{"process 10 is another one"}},
		"drifting": {events: []ev{start}, lease: at(60), env: "WSL_DISTRO_NAME", verdict: sources.Person,
			want: []string{"may be the owner", "cannot be told"}},
		"no start":     {events: []ev{start}, lease: "10", verdict: sources.Live, want: []string{"records no start"}},
		"start unseen": {events: []ev{start}, lease: "11:1", verdict: sources.Live, want: []string{"cannot be seen"}},
		"dead":         {events: []ev{start}, lease: "12:1", verdict: sources.Unsafe, want: []string{"process 12, is gone"}},
		"malformed": {events: []ev{start}, lease: "ten", verdict: sources.Unsafe,
			want: []string{"warning=its lease is malformed"}},
		"cancel asked": {events: []ev{start}, file: `cancellations/s {"version":1,"cancelled_by":"user","reason":"enough"}`,
			verdict: sources.Unsafe, want: []string{"a cancellation was asked for by user: enough"}},
		"cancel odd": {events: []ev{start}, file: `cancellations/s {`, verdict: sources.Unsafe,
			want: []string{"a cancellation was asked for (its file cannot be read)"}},
		"old": {events: []ev{startOf("s", "10:30:00")}, verdict: sources.Unsafe,
			want: []string{"it will be cancelled at the next start"}},
		"usage limit": {events: []ev{start, limited(`,"resume_after":"2026-11-29T13:00:00+00:00"`)}, verdict: sources.Time,
			want: []string{"paused|time|it waits for a usage limit", "the usage limit, until 2026-11-29T13:00:00Z",
				"after 2026-11-29T14:00:00Z"}},
		"limit by seconds": {events: []ev{start, limited(`,"pause_seconds":3600`)}, verdict: sources.Time,
			want: []string{"until 2026-11-29T12:40:00Z"}},
		"limit by default": {events: []ev{start, limited("")}, verdict: sources.Time,
			want: []string{"until 2026-11-29T16:40:00Z"}},
		"limit over": {events: []ev{start, limited(`,"pause_seconds":60`)}, verdict: sources.Unsafe,
			want: []string{"since the usage limit ended at 2026-11-29T11:41:00Z"}},
		"limit, alive": {events: []ev{start, limited("")}, lease: at(0), verdict: sources.Live,
			want: []string{"the usage limit, until"}},
		"retry": {events: []ev{start, {"session", "s", paused, "11:40:00", `{"reason":"no tool",` +
			`"pause_kind":"resume_retry"}`}}, verdict: sources.Unsafe, want: []string{"a person to mend the runtime: no tool"}},
		"by hand": {events: []ev{start, {"session", "s", paused, "11:40:00", `{"resume_hint":null}`}},
			verdict: sources.Unsafe, want: []string{"a person's decision: paused without a reason", "pause=no kind recorded"}},
		"bad pause": {events: []ev{start, {"session", "s", paused, "11:40:00", `{`}}, verdict: sources.Unsafe,
			want: []string{"paused|", "its pause has a payload that is not JSON"}},
		"pause is over": {events: []ev{start, limited(""), progressOf("s", "11:45:00",
			`{"progress":{"runtime_status":" RUNNING "}}`)}, verdict: sources.Unsafe, want: []string{"running|"},
			not: []string{"usage limit"}},
		"pause by progress": {events: []ev{start, limited(""), progressOf("s", "11:45:00",
			`{"progress":{"runtime_status":"paused"}}`)}, verdict: sources.Time},
		"asked, alive": {events: []ev{start, asked}, lease: at(0), verdict: sources.Person,
			want: []string{"(approval, risk destructive): Drop the table?", "where it was asked"}},
		"asked, dead": {events: []ev{start, asked}, verdict: sources.Unsafe, want: []string{"Drop the table?"}},
		"answered": {events: []ev{start, asked, {"hitl", "r1", "hitl.answered", "11:42:00", "{}"}},
			verdict: sources.Unsafe, not: []string{"Drop"}},
		"criteria": {events: []ev{start, {"execution", "exec_s", workflowProgress, "11:45:00", `{"session_id":"s",` +
			`"completed_count":3,"total_count":7,"current_phase":"Deliver"}`}},
			verdict: sources.Unsafe, want: []string{"criteria=3/7 done", "phase=Deliver", "last progress=2026-11-29T11:45:00Z"}},
		"a worker's end": {events: []ev{start, {"execution", "exec_s", workflowProgress, "11:45:00",
			`{"completed_count":3,"total_count":7}`}, progressOf("s", "11:46:00", `{"runtime_status":"completed"}`)},
			verdict: sources.Unsafe, want: []string{"running|"}},
		"unknown word": {events: []ev{start, progressOf("s", "11:46:00", `{"progress":{"runtime_status":"terminating"}}`)},
			verdict: sources.Unsafe, want: []string{"running|", `says "terminating"`}},
		"bad progress": {events: []ev{start, progressOf("s", "11:46:00", `{"progress":`), progressOf("s", "11:47:00", `[1]`),
			progressOf("s", "11:48:00", `{"progress":7}`)}, verdict: sources.Unsafe,
			want: []string{"running|", "is not JSON", "no JSON object"}},
		"huge progress": {events: []ev{start, progressOf("s", "11:46:00", `{"x":"`+strings.Repeat("y", biggestPayload)+`"}`)},
			verdict: sources.Unsafe, want: []string{"too big"}},
		"workspace": {events: []ev{start, progressOf("s", "11:46:00", `{"progress":{"runtime_status":"running",`+
			`"workspace":{"worktree_path":"/w/t","branch":"b"},"runtime":{"backend":"claude","native_session_id":"uuid"}}}`)},
			verdict: sources.Unsafe, want: []string{"branch=b"}},
		"job": {events: []ev{start, {"job", "j", "mcp.job.created", "11:40:00", `{"status":"queued",` +
			`"job_type":"execute_seed","links":{"session_id":"s"},"owner_pid":10,"owner_start_time":1}`},
			{"job", "j", "mcp.job.updated", "11:41:00", `{"status":"running","message":"working"}`}}, verdict: sources.Unsafe,
			want: []string{"job=j running (execute_seed): working; process 10 has another start than its owner, which does " +
				"not prove"}},
		"no seed": {events: []ev{{"session", "s", started, "11:30:00", `{}`}}, verdict: sources.Unsafe,
			want: []string{"its seed was not recorded", "records no contract", "--resume s SEED.yaml"}},
		"future": {events: []ev{startOf("s", "13:30:00")}, verdict: sources.Unsafe, want: []string{"in the future"}},
		"no object": {events: []ev{{"session", "s", started, "11:30:00", `"text"`}}, verdict: sources.Unreadable,
			want: []string{"its start event has a payload that is no JSON object", "tui monitor"}},
		"bad start":  {events: []ev{{"session", "s", started, "11:30:00", `{"execution_id":`}}, verdict: sources.Unreadable},
		"blob start": {events: []ev{{"session", "s", started, "11:30:00", []byte{0xff, 0}}}, verdict: sources.Unreadable},
		"wrong types": {events: []ev{{"session", "s", started, "11:30:00", `{"execution_id":7,"seed_id":[],` +
			`"start_time":{},"seed_goal":null,"workspace_path":1}`}}, verdict: sources.Unsafe, want: []string{"running|"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			home := t.TempDir()
			folder := filepath.Join(home, folderName)
			store(t, filepath.Join(folder, legacyName), c.events...)
			if c.lease != "" {
				put(t, filepath.Join(folder, "locks", "s"), c.lease)
			}
			if path, text, ok := strings.Cut(c.file, " "); ok {
				put(t, filepath.Join(folder, path), text)
			}
			m := machine(home)
			m.Process = processes
			m.Getenv = func(name string) string {
				if name == c.env {
					return "x"
				}
				return ""
			}
			f := Find(m)
			if len(f.Problems) != 0 || len(f.Rows) != 1 || f.Rows[0].Verdict != c.verdict {
				t.Fatalf("%+v, want %s", f, c.verdict)
			}
			got := strings.ReplaceAll(words(f.Rows[0]), home, "HOME")
			for _, want := range c.want {
				if !strings.Contains(got, want) {
					t.Errorf("%s\nlacks %s", got, want)
				}
			}
			for _, not := range c.not {
				if strings.Contains(got, not) {
					t.Errorf("%s\nhas %s", got, not)
				}
			}
			if name == "workspace" && (f.Rows[0].Cwd != "/w/t" || f.Rows[0].ClaudeSessionID != "uuid") {
				t.Errorf("%+v", f.Rows[0])
			}
			if name == "alive" && f.Rows[0].Cwd != "/src/app" {
				t.Errorf("folder %s", f.Rows[0].Cwd)
			}
			if _, err := os.Stat(filepath.Join(folder, "locks")); c.lease == "" && err == nil {
				t.Error("the folder of leases was made")
			}
			box := Box(f.Rows[0])
			lines := strings.Split(strings.TrimSpace(box), "\n")
			if last := lines[len(lines)-1]; !strings.HasPrefix(last, cmp.Or(f.Rows[0].State, "unreadable")+" -> next: ") {
				t.Errorf("the box ends with %q", last)
			}
		})
	}
}

// TestBox prints the box of a session whose owner is gone.
func TestBox(t *testing.T) {
	home := t.TempDir()
	store(t, filepath.Join(home, folderName, legacyName), startOf("orch_1", "10:00:00"),
		ev{"execution", "exec_orch_1", workflowProgress, "10:05:00", `{"completed_count":1,"total_count":3}`})
	put(t, filepath.Join(home, folderName, "seeds", "seed_1.yaml"), "goal: x\n")
	got := strings.ReplaceAll(Box(Find(machine(home)).Rows[0]), home, "/home/u")
	if os.Getenv("UPDATE") != "" {
		put(t, "testdata/box.txt", got)
	}
	want, err := os.ReadFile("testdata/box.txt")
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s", got)
	}
}

// TestBoxHoldsAll: what is known of a row is in its box, whatever its name.
func TestBoxHoldsAll(t *testing.T) {
	const session = "0f0f0f0f-0000-4000-8000-000000000001"
	home := t.TempDir()
	store(t, filepath.Join(home, folderName, legacyName), startOf("orch_1", "10:00:00"),
		ev{"session", "orch_1", progressUpdated, "10:01:00", `{"progress":{"runtime":{"backend":"claude",` +
			`"native_session_id":"` + session + `"},"workspace":{"branch":"feat/x"}}}`},
		ev{"execution", "exec_orch_1", workflowProgress, "10:05:00", `{"completed_count":1,"total_count":3,` +
			`"current_phase":"Deliver","activity":"builds"}`},
		ev{"session", "orch_1", paused, "10:06:00", `{"reason":"worn out","pause_kind":"resume_retry","resume_hint":"mend ` +
			`it"}`},
		ev{"hitl", "h1", "hitl.requested", "10:07:00", `{"session_id":"orch_1","question":"First?","kind":"approval",` +
			`"risk_class":"low"}`},
		ev{"hitl", "h2", "hitl.requested", "10:08:00", `{"session_id":"orch_1","question":"Second?","kind":"approval",` +
			`"risk_class":"low"}`},
		startOf("orch_2", "10:00:00"), ev{"session", "orch_2", failed, "10:01:00", `{"error":"boom"}`})
	put(t, filepath.Join(home, folderName, "cancellations", "orch_1"), `{"version":1,"reason":"enough",`+
		`"cancelled_by":"user"}`)
	m := machine(home)
	m.All = true
	rows := Find(m).Rows
	if len(rows) != 2 {
		t.Fatalf("%v", rows)
	}
	for _, r := range rows {
		box := Box(r)
		for _, d := range r.Details {
			if !strings.Contains(box, text.Line(d.Text)) {
				t.Errorf("%s: the box does not tell the %s, %q:\n%s", r.ID, d.Name, d.Text, box)
			}
		}
		if r.ClaudeSessionID != "" && !strings.Contains(box, r.ClaudeSessionID) {
			t.Errorf("%s: the box does not name the session:\n%s", r.ID, box)
		}
	}
	box := Box(find(t, rows, "orch_1"))
	for _, part := range []string{session, "Second?", "worn out", "mend it", "enough", "Deliver", "feat/x"} {
		if !strings.Contains(box, part) {
			t.Errorf("%q is not in the box:\n%s", part, box)
		}
	}
}

// TestLeaseNames hashes an id that is no plain name, so that no id leads out of the folder.
func TestLeaseNames(t *testing.T) {
	for _, id := range []string{"", "../x", ".hidden", "a/b", "a b", strings.Repeat("a", 129), "a\n"} {
		if want := fmt.Sprintf("__invalid_session_id__%x", sha256.Sum256([]byte(id))); fileName(id) != want {
			t.Errorf("%q: %s", id, fileName(id))
		}
	}
	for _, id := range []string{"orch_1", "A.b-c", strings.Repeat("a", 128)} {
		if fileName(id) != id {
			t.Errorf("%q: %s", id, fileName(id))
		}
	}
}
