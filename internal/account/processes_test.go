package account

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// child starts a program under a name of its own, as a script with that file name.
func child(t *testing.T, name string, args ...string) *exec.Cmd {
	t.Helper()
	program, err := exec.LookPath("sleep")
	if err != nil {
		t.Skip("there is no sleep")
	}
	data, err := os.ReadFile(program)
	if err != nil {
		t.Skip(err)
	}
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, data, 0o755); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path, args...)
	if err := cmd.Start(); err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	return cmd
}

func TestReadProcesses(t *testing.T) {
	if _, err := os.Stat("/proc/self/stat"); err != nil {
		t.Skip("there is no /proc")
	}
	// The kernel shows the first 15 letters of the file's name in brackets.
	for _, name := range []string{"plain", "a) S 1 (b", ") Z 1 2 3", "((", "a b c\nd"} {
		cmd := child(t, name, "600")
		p := ReadProcesses()
		if p.Problem != "" || p.Domain == "" && fileThere("/etc/machine-id") || p.Boot.IsZero() || p.OwnOnly &&
			fileThere("/proc/1/stat") {
			t.Fatalf("%+v", p.Problem)
		}
		row, ok := p.ByPID[cmd.Process.Pid]
		if !ok || row.Zombie || row.PID != cmd.Process.Pid {
			t.Fatalf("%q: %+v", name, row)
		}
		if n, err := strconv.ParseInt(row.Start, 10, 64); err != nil || n <= 0 {
			t.Errorf("%q: start %q", name, row.Start)
		}
		if d := time.Since(row.Started); d < -time.Minute || d > time.Hour {
			t.Errorf("%q started %v ago", name, d)
		}
		if len(row.Args) != 2 || !strings.HasSuffix(row.Args[0], name) || row.Args[1] != "600" {
			t.Errorf("%q: args %q", name, row.Args)
		}
		if running, same := p.alive(row.PID, row.Start); !running || !same {
			t.Error("it is not alive")
		}
		if running, same := p.alive(row.PID, row.Start+"0"); !running || same {
			t.Error("another start is the same")
		}
		// Killed and not waited for: a zombie is no life.
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		for {
			row, ok := readProcess(cmd.Process.Pid, p.Boot)
			if ok && !row.Zombie {
				continue
			}
			after := Processes{ByPID: map[int]Process{row.PID: row}}
			if running, _ := after.alive(row.PID, row.Start); running {
				t.Error("a zombie lives")
			}
			break
		}
		_ = cmd.Wait()
		if _, ok := readProcess(cmd.Process.Pid, p.Boot); ok {
			t.Error("a process that is gone has a row")
		}
	}
}

func fileThere(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func TestAlive(t *testing.T) {
	p := Processes{ByPID: map[int]Process{5: {PID: 5, Start: "100"}, 6: {PID: 6}, 7: {PID: 7, Start: "100", Zombie: true}}}
	for _, c := range []struct {
		pid           int
		start         string
		running, same bool
	}{
		{5, "100", true, true}, {5, "101", true, false}, {5, "", true, true}, {6, "100", true, true}, {6, "", true, true},
		{7, "100", false, false}, {8, "100", false, false}, {0, "", false, false}, {-1, "", false, false},
	} {
		if running, same := p.alive(c.pid, c.start); running != c.running || same != c.same {
			t.Errorf("%d %q: %v %v", c.pid, c.start, running, same)
		}
	}
}
