package account

import (
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"syscall"
	"time"

	"recovery/internal/claude"
)

// LiveState is whether a session runs.
type LiveState string

// The three answers. Unknown is treated as live wherever something would be sent.
const (
	Live    LiveState = "live"
	Offline LiveState = "offline"
	Unknown LiveState = "unknown"
)

// Liveness is the answer for one job with its evidence.
type Liveness struct {
	State    LiveState
	Evidence []string
	// PID is the session's process when it is live and registered.
	PID int
	// Status and WaitingFor are what the registered process says of itself: busy, idle, waiting; "permission prompt".
	Status     string
	WaitingFor string
	// LookAgain says that the supervisor may start the worker again within seconds: a second look is owed before the
	// session is called offline.
	LookAgain bool
}

// Witnesses is everything that can say that a session lives, read at one moment.
type Witnesses struct {
	processes     Processes
	registered    []registered // rows of the registry
	rows          []registered // rows of the roster
	version       string
	supervisorUp  bool
	doubt         []string // nothing can be called offline
	Warnings      []string
	registrySeen  int
	supervisorWhy string
	// shorts are the account's job folders: a row that names one of them whole is that job's, and not a damaged other
	// one's.
	shorts map[string]bool
}

type pidStart struct {
	pid   int
	start string
}

// Witnesses reads the registry, the roster and the supervisor's own file against a process table.
func (a *Account) Witnesses(p Processes) *Witnesses {
	w := &Witnesses{processes: p, shorts: map[string]bool{}}
	if p.Problem != "" {
		w.doubt = append(w.doubt, p.Problem)
	}
	if p.OwnOnly && !a.ownedByCaller() {
		w.doubt = append(w.doubt, "the process table hides other users' processes, and the account is another user's")
	}
	jobs, _ := a.ReadDir(filepath.Join(a.Dir, "jobs")) // an unreadable one is told by Jobs
	for _, e := range jobs {
		if claude.IsShort(e.Name()) {
			w.shorts[e.Name()] = true
		}
	}
	a.readRegistry(w)
	a.readRoster(w)
	a.readSupervisor(w)
	return w
}

// ownedByCaller says whether the account's folder belongs to the user that this process runs as.
func (a *Account) ownedByCaller() bool {
	info, err := a.Stat(a.Dir)
	if err != nil {
		return false
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Geteuid()
}

// Of answers for one job. log may be nil; with it, a start that never ended while the supervisor lives is a witness
// too.
func (w *Witnesses) Of(j *Job, log *Log) Liveness {
	out := Liveness{State: Offline}
	live := func(format string, args ...any) {
		out.State = Live
		out.Evidence = append(out.Evidence, fmt.Sprintf(format, args...))
	}
	unknown := func(format string, args ...any) {
		if out.State == Offline {
			out.State = Unknown
		}
		out.Evidence = append(out.Evidence, fmt.Sprintf(format, args...))
	}
	stale := 0
	for _, row := range append(append([]registered{}, w.registered...), w.rows...) {
		mine, nearly := w.names(row, j)
		if !mine && !nearly {
			continue
		}
		verdict, why := w.judge(row)
		switch {
		case nearly && verdict != Offline:
			unknown("a running process has a %s row whose id is nearly this session's: %s", row.source, why)
		case nearly:
		case verdict == Live:
			live("%s", why)
			if row.source == registrySource {
				out.PID, out.Status, out.WaitingFor = row.pid, row.status, row.waiting
			}
		case verdict == Unknown:
			unknown("%s", why)
		default:
			stale++
			out.Evidence = append(out.Evidence, why)
		}
	}
	for _, pid := range w.sortedPIDs() {
		if what, ok := namesSession(w.processes.ByPID[pid].Args, j); ok {
			live("process %d has %q on its command line", pid, what)
		}
	}
	if j.Problem != "" {
		unknown("state.json %s", j.Problem)
	}
	for _, d := range w.doubt {
		unknown("%s", d)
	}
	if out.State == Offline && w.supervisorUp && !j.Terminal() && !ended(log, j.Short) {
		out.LookAgain = true
		out.Evidence = append(out.Evidence, fmt.Sprintf("%s and the job's state is %q: a lost worker may be started again",
			w.supervisorWhy, j.State))
	}
	if out.State == Offline && stale == 0 {
		out.Evidence = append(out.Evidence, fmt.Sprintf("no registered process (%d looked at), no roster row, no command "+
			"line names it", w.registrySeen))
	}
	return out
}

// ended says whether the log's last word on the session is an end that was meant: a worker that crashed may be
// started again.
func ended(log *Log, short string) bool {
	if log == nil {
		return false
	}
	last, ok := log.Last(short)
	return ok && last.Kind != LogStarted && last.Cause != "crashed"
}

// names says whether the row is the job's: by session id, resumed id or short; nearly says that it differs in at most
// two letters, which is damage and not another session.
func (w *Witnesses) names(r registered, j *Job) (mine, nearly bool) {
	if r.short != "" && r.short == j.Short {
		return true, false
	}
	whole := w.shorts[r.short]
	for _, id := range r.ids {
		if id != "" && (id == j.SessionID || id == j.ResumeSessionID || strings.HasPrefix(id, j.Short+"-")) {
			return true, false
		}
		// One damaged place cannot make two names that fit each other, or the name of another job.
		whole = whole || r.short != "" && strings.HasPrefix(id, r.short+"-") || len(id) > 8 && id[:8] != j.Short &&
			w.shorts[id[:8]]
	}
	if whole {
		return false, false
	}
	for _, id := range append([]string{r.short}, r.ids...) {
		for _, want := range []string{j.Short, j.SessionID, j.ResumeSessionID} {
			if id != "" && want != "" && near(id, want) {
				return false, true
			}
		}
	}
	return false, false
}

// startSlack is how far a registered start may lie from the process's own start and still mean the same process.
const startSlack = 10 * time.Second

// judge says whether the process of a row runs. A process of another container or machine cannot be judged.
func (w *Witnesses) judge(r registered) (LiveState, string) {
	if r.domain != "" && (w.processes.Domain == "" || r.domain != w.processes.Domain) {
		return Unknown, fmt.Sprintf(
			"%s: process %d belongs to another machine or container and cannot be looked at from here", r.source, r.pid)
	}
	if r.damaged {
		return Unknown, fmt.Sprintf("%s: its row names no process", r.source)
	}
	reused := false
	for _, p := range append([]pidStart{{r.pid, r.start}}, r.other...) {
		if p.pid == 0 {
			continue
		}
		running, same := w.processes.alive(p.pid, p.start)
		actual := w.processes.ByPID[p.pid]
		switch {
		case r.source == registrySource && actual.Zombie && (p.start == "" || actual.Start == "" || actual.Start == p.start):
			// After a kill -9 of everything, process 1 takes its time, or never does it in a container. Seen on 2.1.332,
			// which made a copy with an empty roster too: it goes by the registry. A stop takes the row out of it.
			return Unknown, fmt.Sprintf("%s: process %d has ended and its parent has not waited for it yet: the client "+
				"takes it for running, and a wake would make a copy", r.source, p.pid)
		case running && same && p.start == "":
			return Unknown, fmt.Sprintf("%s: process %d runs and its registered start is missing", r.source, p.pid)
		case running && same && actual.Start == "":
			return Unknown, fmt.Sprintf("%s: process %d runs and when it started cannot be read", r.source, p.pid)
		case running && same:
			return Live, fmt.Sprintf("%s: process %d runs, started as registered", r.source, p.pid)
		case running && nearStart(actual.Start, p.start):
			return Unknown, fmt.Sprintf("%s: process %d runs and its registered start is nearly the right one", r.source, p.pid)
		case running && !r.startedAt.IsZero() && !actual.Started.IsZero() &&
			absDuration(actual.Started.Sub(r.startedAt)) < startSlack:
			return Unknown, fmt.Sprintf("%s: process %d runs and started when the registered one did", r.source, p.pid)
		case running:
			reused = true
		case actual.PID == 0 && w.processes.Exists != nil && w.processes.Exists(p.pid):
			return Unknown, fmt.Sprintf("%s: process %d came up while it was looked at", r.source, p.pid)
		}
	}
	if reused {
		return Offline, fmt.Sprintf("%s: process %d is gone; what has that number now started at another time", r.source,
			r.pid)
	}
	return Offline, fmt.Sprintf("%s: process %d is gone", r.source, r.pid)
}

// nearStart says that two starts are as long as each other and nearly the same: a damaged digit, not another process.
func nearStart(a, b string) bool { return len(a) == len(b) && near(a, b) }

func absDuration(d time.Duration) time.Duration {
	if d < 0 {
		return -d
	}
	return d
}

func (w *Witnesses) sortedPIDs() []int {
	pids := make([]int, 0, len(w.processes.ByPID))
	for pid := range w.processes.ByPID {
		pids = append(pids, pid)
	}
	sort.Ints(pids)
	return pids
}
