package account

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/tidwall/gjson"
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
	// shorts are the account's job folders: a row that names one of them whole is that job's, and not a damaged other one's.
	shorts map[string]bool
}

// registered is one row of sessions/<pid>.json or of the roster: named keys only, both files hold secrets.
type registered struct {
	source    string
	pid       int
	start     string
	startedAt time.Time
	ids       []string // sessionId, resumeSessionId
	short     string   // jobId, or the roster's key
	domain    string
	status    string
	waiting   string
	other     []pidStart
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
		if shortPattern.MatchString(e.Name()) {
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

// registryKeys are the keys whose loss would change what a row says of a session. Without its pid a row is broken anyway.
var registryKeys = []string{"sessionId", "resumeSessionId", "jobId", "procStart", "pidDomain"}

func (a *Account) readRegistry(w *Witnesses) {
	dir := filepath.Join(a.Dir, "sessions")
	entries, err := a.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	if err != nil {
		w.doubt = append(w.doubt, fmt.Sprintf("the registry of processes cannot be read: %v", err))
		return
	}
	for _, e := range entries {
		name, ok := strings.CutSuffix(e.Name(), ".json")
		if !ok {
			continue
		}
		w.registrySeen++
		filePID, err := strconv.Atoi(name)
		if err != nil {
			w.Warnings = append(w.Warnings, fmt.Sprintf("sessions/%s: its name is no process id", e.Name()))
			continue
		}
		data, err := a.ReadFile(filepath.Join(dir, e.Name()))
		if errors.Is(err, fs.ErrNotExist) {
			continue // the process has just ended
		}
		row, problem := registered{}, ""
		if err != nil {
			problem = fmt.Sprintf("cannot be read: %v", err)
		} else {
			row, problem = registryRow(data, filePID)
		}
		w.addRow(e.Name(), filePID, row, problem)
	}
}

func (w *Witnesses) addRow(file string, filePID int, row registered, problem string) {
	if problem == "" {
		w.registered = append(w.registered, row)
		return
	}
	w.Warnings = append(w.Warnings, fmt.Sprintf("sessions/%s: %s", file, problem))
	// A broken row of a process that is gone hides nothing. One of a process that runs could be any session's.
	if running, _ := w.processes.alive(filePID, ""); running {
		w.doubt = append(w.doubt, fmt.Sprintf("process %d runs and its registry file %s", filePID, problem))
	}
	if row.domain != "" && row.domain != w.processes.Domain {
		w.doubt = append(w.doubt, fmt.Sprintf("sessions/%s %s, and its process belongs to another machine or container", file, problem))
	}
	if row.pid != 0 && row.pid != filePID {
		if running, _ := w.processes.alive(row.pid, ""); running {
			w.doubt = append(w.doubt, fmt.Sprintf("sessions/%s names the running process %d", file, row.pid))
		}
	}
}

// registryRow reads the row in a process's registry file; problem says why it cannot be relied on.
func registryRow(data []byte, filePID int) (row registered, problem string) {
	root, problem := object(data)
	if problem != "" {
		return registered{}, problem
	}
	row.source = "registry"
	note := func(format string, args ...any) { problem = fmt.Sprintf(format, args...) }
	checkKeys(root, "", registryKeys, note)
	root.ForEach(func(k, v gjson.Result) bool {
		switch key := k.String(); key {
		case "pid":
			row.pid = int(v.Int())
		case "procStart":
			row.start = v.String()
		case "startedAt":
			if v.Type == gjson.Number {
				row.startedAt = time.UnixMilli(v.Int())
			}
		case "sessionId", "resumeSessionId":
			if id := name(v, key, note); id != "" {
				row.ids = append(row.ids, id)
			}
		case "jobId":
			row.short = name(v, key, note)
		case "pidDomain":
			row.domain = v.String()
		case "status":
			row.status = v.String()
		case "waitingFor":
			row.waiting = v.String()
		}
		return true
	})
	switch {
	case problem != "":
	case row.pid != filePID:
		problem = fmt.Sprintf("names process %d", row.pid)
	case len(row.ids) == 0 && row.short == "":
		problem = "names no session"
	}
	return row, problem
}

// name is a session's or job's name in a row: a text, or null for none.
func name(v gjson.Result, key string, note func(string, ...any)) string {
	switch {
	case v.Type == gjson.Null:
	case v.Type != gjson.String || !Plain(v.Str):
		note("has a damaged %s", key)
	}
	return v.String()
}

func (a *Account) readRoster(w *Witnesses) {
	data, err := a.ReadFile(filepath.Join(a.Dir, "daemon", "roster.json"))
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	if err != nil {
		w.doubt = append(w.doubt, fmt.Sprintf("the supervisor's roster cannot be read: %v", err))
		return
	}
	w.addRoster(data)
}

func (w *Witnesses) addRoster(data []byte) {
	root, problem := object(data)
	if problem != "" {
		w.doubt = append(w.doubt, "the supervisor's roster "+problem)
		return
	}
	// What is wrong is not repeated: a damaged key may stand where a token stood.
	damaged := false
	checkKeys(root, "", []string{"workers"}, func(string, ...any) { damaged = true })
	if damaged {
		w.doubt = append(w.doubt, "the supervisor's roster is damaged")
	}
	root.ForEach(func(k, workers gjson.Result) bool {
		switch {
		case k.String() != "workers" || workers.Type == gjson.Null:
		case !workers.IsObject():
			w.doubt = append(w.doubt, "the supervisor's roster has no table of workers")
		default:
			w.readWorkers(workers)
		}
		return true
	})
}

func (w *Witnesses) readWorkers(workers gjson.Result) {
	workers.ForEach(func(k, v gjson.Result) bool {
		row := registered{source: "roster", short: k.String()}
		row.pid = int(v.Get("replPid").Int())
		row.start = v.Get("replProcStart").String()
		row.ids = []string{v.Get("sessionId").String()}
		row.other = []pidStart{{int(v.Get("pid").Int()), v.Get("procStart").String()}}
		if row.pid == 0 && row.other[0].pid == 0 {
			w.doubt = append(w.doubt, "the supervisor's roster has a worker without a process id")
		}
		w.rows = append(w.rows, row)
		return true
	})
}

// readSupervisor learns whether the supervisor lives, from both of its files. It leaves after seconds without work, so "not
// running" is normal; a file that cannot be read means that it may live.
func (a *Account) readSupervisor(w *Witnesses) {
	for _, f := range []struct{ file, pid, start string }{
		{"daemon.lock", "pid", "procStart"},
		{"daemon.status.json", "supervisorPid", "supervisorProcStart"},
	} {
		data, err := a.ReadFile(filepath.Join(a.Dir, f.file))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		var root gjson.Result
		problem := ""
		if err == nil {
			root, problem = object(data)
		}
		pid := last(root, f.pid)
		if err != nil || problem != "" || pid.Type != gjson.Number {
			w.supervisorUp, w.supervisorWhy = true, f.file+" cannot be read: the supervisor may live"
			continue
		}
		if v := last(root, "version").String(); w.version == "" {
			w.version = v
		}
		start := last(root, f.start).String()
		running, same := w.processes.alive(int(pid.Int()), start)
		if running && (same || nearStart(w.processes.ByPID[int(pid.Int())].Start, start)) {
			w.supervisorUp, w.supervisorWhy = true, fmt.Sprintf("the supervisor (process %d) lives", pid.Int())
		}
	}
}

// SupervisorVersion says whether the supervisor of this account runs, and its version as its own file gives it.
func (w *Witnesses) SupervisorVersion() (up bool, version string) { return w.supervisorUp, w.version }

// Of answers for one job. log may be nil; with it, a start that never ended while the supervisor lives is a witness too.
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
			if row.source == "registry" {
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
		out.Evidence = append(out.Evidence, fmt.Sprintf("%s and the job's state is %q: a lost worker may be started again", w.supervisorWhy, j.State))
	}
	if out.State == Offline && stale == 0 {
		out.Evidence = append(out.Evidence, fmt.Sprintf("no registered process (%d looked at), no roster row, no command line names it", w.registrySeen))
	}
	return out
}

// ended says whether the log's last word on the session is an end that was meant: a worker that crashed may be started again.
func ended(log *Log, short string) bool {
	if log == nil {
		return false
	}
	last, ok := log.Last(short)
	return ok && last.Kind != LogStarted && last.Cause != "crashed"
}

// names says whether the row is the job's: by session id, resumed id or short; nearly says that it differs in at most two
// letters, which is damage and not another session.
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
		whole = whole || r.short != "" && strings.HasPrefix(id, r.short+"-") || len(id) > 8 && id[:8] != j.Short && w.shorts[id[:8]]
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
		return Unknown, fmt.Sprintf("%s: process %d belongs to another machine or container and cannot be looked at from here", r.source, r.pid)
	}
	reused := false
	for _, p := range append([]pidStart{{r.pid, r.start}}, r.other...) {
		if p.pid == 0 {
			continue
		}
		running, same := w.processes.alive(p.pid, p.start)
		actual := w.processes.ByPID[p.pid]
		switch {
		case running && same && p.start == "":
			return Unknown, fmt.Sprintf("%s: process %d runs and its registered start is missing", r.source, p.pid)
		case running && same && actual.Start == "":
			return Unknown, fmt.Sprintf("%s: process %d runs and when it started cannot be read", r.source, p.pid)
		case running && same:
			return Live, fmt.Sprintf("%s: process %d runs, started as registered", r.source, p.pid)
		case running && nearStart(actual.Start, p.start):
			return Unknown, fmt.Sprintf("%s: process %d runs and its registered start is nearly the right one", r.source, p.pid)
		case running && !r.startedAt.IsZero() && !actual.Started.IsZero() && absDuration(actual.Started.Sub(r.startedAt)) < startSlack:
			return Unknown, fmt.Sprintf("%s: process %d runs and started when the registered one did", r.source, p.pid)
		case running:
			reused = true
		case actual.PID == 0 && w.processes.Exists != nil && w.processes.Exists(p.pid):
			return Unknown, fmt.Sprintf("%s: process %d came up while it was looked at", r.source, p.pid)
		}
	}
	if reused {
		return Offline, fmt.Sprintf("%s: process %d is gone; what has that number now started at another time", r.source, r.pid)
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

// namesSession finds a Claude process that names the session on its command line, and gives what names it (never the whole
// argument, which can be a prompt). Remote Control processes are in no registry, so this is their only witness. Editors,
// pagers and searches that name the file are not Claude processes.
func namesSession(args []string, j *Job) (what string, ok bool) {
	if !isClaude(args) {
		return "", false
	}
	for i, arg := range args {
		for _, id := range []string{j.SessionID, j.ResumeSessionID} {
			if id == "" {
				continue
			}
			if containsFold(arg, id+".jsonl") {
				return id + ".jsonl", true
			}
			for _, flag := range []string{"--resume", "-r", "--session-id"} {
				if strings.EqualFold(arg, flag+"="+id) || (flag == "-r" && strings.EqualFold(arg, flag+id)) ||
					(arg == flag && i+1 < len(args) && strings.EqualFold(args[i+1], id)) {
					return flag + " " + id, true
				}
			}
		}
	}
	return "", false
}

func containsFold(s, sub string) bool {
	return strings.Contains(strings.ToLower(s), strings.ToLower(sub))
}

// runners run a script that is named behind them.
var runners = map[string]bool{"node": true, "nodejs": true, "bun": true, "deno": true, "sh": true, "bash": true, "dash": true, "zsh": true, "env": true}

// isClaude says whether a command line is the client's: its own binary, or a runtime that was given the client's script. The
// client also writes names of its own there ("claude bg-pty-host").
func isClaude(args []string) bool {
	if len(args) == 0 {
		return false
	}
	if isClient(args[0]) {
		return true
	}
	if !runners[strings.TrimPrefix(filepath.Base(args[0]), "-")] {
		return false
	}
	for _, arg := range args[1:] {
		switch {
		case arg == "run" || strings.HasPrefix(arg, "-") || strings.Contains(arg, "="):
			continue // an option, a verb or a variable before the script
		case runners[filepath.Base(arg)]:
			continue
		}
		return isClient(arg)
	}
	return false
}

// isClient knows the client's program by its path: claude, claude.exe, .../claude/versions/2.1.332, or a script of its package.
func isClient(path string) bool {
	return strings.HasPrefix(filepath.Base(path), "claude") || strings.Contains(path, "/claude/versions/") || strings.Contains(path, "claude-code/")
}
