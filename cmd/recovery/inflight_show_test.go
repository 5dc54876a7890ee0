package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"recovery/fixtures"
	"recovery/internal/account"
	"recovery/internal/sources"
)

// TestInflightShowsForeignTextAsText: titles and questions of other systems move nothing on a terminal.
func TestInflightShowsForeignTextAsText(t *testing.T) {
	t.Parallel()
	b := inflightBench(t)
	hostile := "\x1b[2J\x07\u202eevil\nnext: rm -rf ~\ttab\u009b"
	quoted := strings.NewReplacer("\x1b", `\u001b`, "\x07", `\u0007`, "\n", `\n`, "\t", `\t`).Replace(hostile)
	job := b.add(fixtures.Session{Name: hostile, Plain: true})
	writeFile(t, filepath.Join(job.Cwd, ".os", "sessions", "a\x1b[1m", "s\u202e1", "checkpoint.json"),
		`{"status":"active","current_task":"`+quoted+`","reason":"`+quoted+`"}`)
	writeFile(t, filepath.Join(b.a.Home, ".a5c", "runs", "r\x1b]0;x\x07", "run.json"), `{"runId":"`+quoted+
		`","processId":"`+quoted+`"}`)
	for _, terminal := range []bool{false, true} {
		b.sys.terminal, b.sys.width = terminal, 100
		for _, args := range [][]string{{"inflight"}, {"inflight", "--json"}, {"inflight", "--pick", "1"},
			{"inflight", "--pick", "2"}, {"inflight", "--pick", "3"}} {
			_, out, errs := b.run(args...)
			for _, bad := range []string{"\x1b[2J", "\x1b]", "\x1b[1m", "\x07", "\u202e", "\u009b", "\nnext: rm"} {
				if strings.Contains(out+errs, bad) {
					t.Errorf("%v lets %q through:\n%q", args, bad, out+errs)
				}
			}
		}
	}
	out := b.must(exitOK, "inflight")
	for _, want := range []string{"SOURCE", "format inferred", "recovery queue-check " + job.Short} {
		if !strings.Contains(out, want) {
			t.Errorf("the table lacks %q:\n%s", want, out)
		}
	}
}

// TestInflightLimit: 20 a source, those that cannot be read for themselves, and all that was cut is counted.
func TestInflightLimit(t *testing.T) {
	t.Parallel()
	b := inflightBench(t)
	for i := range 25 {
		at := inflightNow.Add(-time.Duration(i+1) * time.Hour).Format(time.RFC3339)
		writeFile(t, filepath.Join(b.a.Work, ".os", "sessions", "a", fmt.Sprintf("good%02d", i), "checkpoint.json"),
			`{"status":"active","current_task":"t","timestamp":"`+at+`"}`)
		writeFile(t, filepath.Join(b.a.Work, ".os", "sessions", "a", fmt.Sprintf("torn%02d", i), "checkpoint.json"), `{`)
	}
	v := b.object(exitNeedsUser, "inflight", "--root", b.a.Work)
	left := countedOut(v)
	if len(items(v)) != 40 || left["agentsession: older than the newest 20"] != 5 ||
		left["agentsession: unreadable, beyond the first 20"] != 5 || v["found"].(float64) != 50 {
		t.Errorf("%d listed, found %v, left out %v", len(items(v)), v["found"], left)
	}
	if v := b.object(exitNeedsUser, "inflight", "--root", b.a.Work, "-a"); len(items(v)) != 50 {
		t.Errorf("%d of 50 listed", len(items(v)))
	}
}

func TestProcessOf(t *testing.T) {
	t.Parallel()
	if processOf(account.Processes{Problem: "no /proc"}) != nil {
		t.Error("without a table nothing can be looked up")
	}
	started := inflightNow
	look := processOf(account.Processes{
		ByPID:  map[int]account.Process{1: {PID: 1, Started: started}, 2: {PID: 2, Zombie: true, Started: started}},
		Exists: func(pid int) bool { return pid == 3 },
	})
	for pid, want := range map[int]sources.Process{1: {Running: true, Started: started}, 2: {Started: started},
		3: {Running: true}, 4: {}} {
		if got := look(pid); got != want {
			t.Errorf("%d: %+v, want %+v", pid, got, want)
		}
	}
	own := processOf(account.ReadProcesses())(os.Getpid())
	if age := time.Since(own.Started); !own.Running || age < -2*time.Second || age > 2*time.Hour {
		t.Errorf("this process: %+v", own)
	}
}

// TestInflightOpensNothingForWriting watches the program's calls of the system.
func TestInflightOpensNothingForWriting(t *testing.T) {
	oneThread(t)
	t.Parallel()
	strace, err := exec.LookPath("strace")
	if err != nil {
		t.Skip("strace is not installed")
	}
	b := inflightBench(t)
	everySource(t, b)
	trace := filepath.Join(t.TempDir(), "trace")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(strace, "-f", "-qq", "-e", "trace=%file,%desc", "-e", "signal=none", "-o", trace, self, "inflight",
		"--all", "--root", b.a.Root)
	cmd.Env = append(b.a.Env(), programEnv+"=1", "PATH="+os.Getenv("PATH"))
	cmd.Dir = b.a.Work
	if out, err := cmd.CombinedOutput(); cmd.ProcessState == nil || cmd.ProcessState.ExitCode() != exitNeedsUser {
		t.Skipf("strace cannot watch here: %v\n%s", err, out)
	}
	data, err := os.ReadFile(trace)
	if err != nil {
		t.Fatal(err)
	}
	opened := 0
	for _, line := range splitLines(string(data)) {
		if !strings.Contains(line, b.a.Root) {
			continue
		}
		if strings.Contains(line, "open") {
			opened++
		}
		for _, writes := range []string{"O_WRONLY", "O_RDWR", "O_CREAT", "O_TRUNC", "mkdir", "mknod", "unlink", "rmdir",
			"rename", "truncate", "chmod", "chown", "utime", "symlink", " link", "setxattr"} {
			if strings.Contains(line, writes) {
				t.Errorf("%s", line)
			}
		}
	}
	if opened < 50 {
		t.Errorf("only %d files were opened: the trace shows too little", opened)
	}
}
