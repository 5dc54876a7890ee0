package account

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Process is one row of the process table.
type Process struct {
	PID int
	// Start is field 22 of /proc/<pid>/stat as a decimal string (clock ticks since boot): the same pid with another start
	// is another process. Empty when /proc does not let this process read it.
	Start string
	// Started is when that was; zero when the boot time is not known.
	Started time.Time
	// Args is the command line; empty for kernel threads and zombies.
	Args []string
	// Zombie is a process that has ended and was not waited for.
	Zombie bool
}

// Processes is the process table as it was at one moment. It is a value, so a test can put its own there.
type Processes struct {
	ByPID map[int]Process
	// Domain is this machine's and process namespace's name as the client writes it in pidDomain; empty when not known.
	Domain string
	Boot   time.Time
	// OwnOnly says that other users' processes are not shown (/proc mounted with hidepid).
	OwnOnly bool
	// Exists says whether a process is there now: one that is in no row may have been born after the table was read. It
	// may be nil.
	Exists func(pid int) bool
	// Problem says why the table cannot be relied on; then nothing is provably offline.
	Problem string
}

// clockTicks is USER_HZ, which is 100 on every Linux architecture that the client runs on.
const clockTicks = 100

// ReadProcesses reads /proc.
func ReadProcesses() Processes {
	p := Processes{ByPID: map[int]Process{}}
	if runtime.GOOS != "linux" {
		p.Problem = "processes can be told apart on Linux only (this is " + runtime.GOOS + ")"
		return p
	}
	p.Exists = func(pid int) bool {
		_, err := os.Stat(filepath.Join("/proc", strconv.Itoa(pid)))
		return err == nil
	}
	p.Boot = bootTime()
	p.Domain = pidDomain()
	entries, err := os.ReadDir("/proc")
	if err != nil {
		p.Problem = fmt.Sprintf("the process table cannot be read: %v", err)
		return p
	}
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		row, ok := readProcess(pid, p.Boot)
		if ok {
			p.ByPID[pid] = row
		}
	}
	_, first := p.ByPID[1] // every process namespace has one
	p.OwnOnly = !first && os.Geteuid() != 0
	if len(p.ByPID) == 0 {
		p.Problem = "the process table is empty: /proc is not mounted"
	} else if _, ok := p.ByPID[os.Getpid()]; !ok {
		p.Problem = "the process table does not show this process: /proc is of another namespace"
	}
	return p
}

// readProcess reads one row. ok is false when the process is gone.
func readProcess(pid int, boot time.Time) (Process, bool) {
	dir := filepath.Join("/proc", strconv.Itoa(pid))
	row := Process{PID: pid}
	stat, err := os.ReadFile(filepath.Join(dir, "stat"))
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ESRCH) {
		return row, false
	}
	if err != nil {
		// It is there and cannot be looked at (/proc mounted with hidepid): that is not the same as gone.
		return row, true
	}
	// The command name stands in brackets and may itself hold brackets and blanks.
	s := string(stat)
	fields := strings.Fields(s[strings.LastIndexByte(s, ')')+1:])
	if len(fields) > 19 {
		row.Zombie = fields[0] == "Z" || fields[0] == "X"
		row.Start = fields[19]
		if ticks, err := strconv.ParseInt(row.Start, 10, 64); err == nil && !boot.IsZero() {
			row.Started = boot.Add(time.Duration(ticks) * (time.Second / clockTicks))
		}
	}
	if cmd, err := os.ReadFile(filepath.Join(dir, "cmdline")); err == nil {
		row.Args = strings.Split(strings.TrimRight(string(cmd), "\x00"), "\x00")
	}
	return row, true
}

func bootTime() time.Time {
	data, err := os.ReadFile("/proc/stat")
	if err != nil {
		return time.Time{}
	}
	for line := range strings.Lines(string(data)) {
		if rest, ok := strings.CutPrefix(line, "btime "); ok {
			if n, err := strconv.ParseInt(strings.TrimSpace(rest), 10, 64); err == nil {
				return time.Unix(n, 0).UTC()
			}
		}
	}
	return time.Time{}
}

// pidDomain builds what the client 2.1.332 writes on Linux: linux:<machine id>:<pid namespace>.
func pidDomain() string {
	id, err := os.ReadFile("/etc/machine-id")
	if err != nil {
		return ""
	}
	ns, err := os.Readlink("/proc/self/ns/pid")
	if err != nil {
		return ""
	}
	return "linux:" + strings.TrimSpace(string(id)) + ":" + ns
}

// alive says whether pid runs, and whether it can be the process that started at start: it is proved only when both
// starts are known.
func (p Processes) alive(pid int, start string) (running, same bool) {
	row, ok := p.ByPID[pid]
	if !ok || row.Zombie {
		return false, false
	}
	return true, start == "" || row.Start == "" || row.Start == start
}
