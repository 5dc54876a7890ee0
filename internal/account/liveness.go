package account

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
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
	registered    []registered
	rows          []registered
	supervisor    int
	version       string
	supervisorUp  bool
	doubt         []string // nothing can be called offline
	Warnings      []string
	registryRead  bool
	registrySeen  int
	supervisorWhy string
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
	kind      string
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
	w := &Witnesses{processes: p}
	if p.Problem != "" {
		w.doubt = append(w.doubt, p.Problem)
	}
	a.readRegistry(w)
	a.readRoster(w)
	a.readSupervisor(w)
	return w
}

var registryKeys = []string{"pid", "sessionId", "resumeSessionId", "jobId", "procStart", "pidDomain", "status", "kind"}

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
	w.registryRead = true
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
		row, problem := a.registryRow(filepath.Join(dir, e.Name()), filePID)
		if problem == "" {
			w.registered = append(w.registered, row)
			continue
		}
		w.Warnings = append(w.Warnings, fmt.Sprintf("sessions/%s: %s", e.Name(), problem))
		// A broken row of a process that is gone hides nothing. One of a process that runs could be any session's.
		if running, _ := w.processes.alive(filePID, ""); running {
			w.doubt = append(w.doubt, fmt.Sprintf("process %d runs and its registry file %s", filePID, problem))
		}
		if row.pid != 0 && row.pid != filePID {
			if running, _ := w.processes.alive(row.pid, ""); running {
				w.doubt = append(w.doubt, fmt.Sprintf("sessions/%s names the running process %d", e.Name(), row.pid))
			}
		}
	}
}

func (a *Account) registryRow(path string, filePID int) (registered, string) {
	data, err := a.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return registered{source: "registry", pid: filePID}, ""
	}
	if err != nil {
		return registered{}, fmt.Sprintf("cannot be read: %v", err)
	}
	if !gjson.ValidBytes(data) {
		return registered{}, "is not valid JSON"
	}
	root := gjson.ParseBytes(data)
	if !root.IsObject() {
		return registered{}, "is not a JSON object"
	}
	row := registered{source: "registry"}
	problem := ""
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
			row.ids = append(row.ids, v.String())
		case "jobId":
			row.short = v.String()
		case "pidDomain":
			row.domain = v.String()
		case "kind":
			row.kind = v.String()
		case "status":
			row.status = v.String()
		case "waitingFor":
			row.waiting = v.String()
		default:
			if meant, ok := NearMiss(key, registryKeys); ok {
				problem = fmt.Sprintf("has a key %q that looks like a damaged %s", key, meant)
			}
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

func (a *Account) readRoster(w *Witnesses) {
	data, err := a.ReadFile(filepath.Join(a.Dir, "daemon", "roster.json"))
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	if err != nil {
		w.doubt = append(w.doubt, fmt.Sprintf("the supervisor's roster cannot be read: %v", err))
		return
	}
	if !gjson.ValidBytes(data) {
		w.doubt = append(w.doubt, "the supervisor's roster is not valid JSON")
		return
	}
	root := gjson.ParseBytes(data)
	workers := root.Get("workers")
	if !workers.Exists() {
		root.ForEach(func(k, _ gjson.Result) bool {
			if _, ok := NearMiss(k.String(), []string{"workers"}); ok {
				w.doubt = append(w.doubt, "the supervisor's roster is damaged")
			}
			return true
		})
		return
	}
	if !workers.IsObject() {
		if workers.Type != gjson.Null {
			w.doubt = append(w.doubt, "the supervisor's roster has no table of workers")
		}
		return
	}
	workers.ForEach(func(k, v gjson.Result) bool {
		row := registered{source: "roster", short: k.String(), kind: "bg"}
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

// readSupervisor learns whether the supervisor lives. It leaves after seconds without work, so "not running" is normal;
// a file that cannot be read means that it may live.
func (a *Account) readSupervisor(w *Witnesses) {
	data, err := a.ReadFile(filepath.Join(a.Dir, "daemon.lock"))
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	if err != nil || !gjson.ValidBytes(data) || gjson.GetBytes(data, "pid").Type != gjson.Number {
		w.supervisorUp, w.supervisorWhy = true, "daemon.lock cannot be read: the supervisor may live"
		return
	}
	w.supervisor = int(gjson.GetBytes(data, "pid").Int())
	w.version = gjson.GetBytes(data, "version").String()
	running, same := w.processes.alive(w.supervisor, gjson.GetBytes(data, "procStart").String())
	if running && same {
		w.supervisorUp, w.supervisorWhy = true, fmt.Sprintf("the supervisor (process %d) lives", w.supervisor)
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
		mine, nearly := row.names(j)
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
		if arg, ok := namesSession(w.processes.ByPID[pid].Args, j); ok {
			live("process %d has %q on its command line", pid, arg)
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

// ended says whether the log's last word on the session is its end.
func ended(log *Log, short string) bool {
	if log == nil {
		return false
	}
	last, ok := log.Last(short)
	return ok && last.Kind != LogStarted
}

// names says whether the row is the job's: by session id, resumed id or short; nearly says that it differs in at most two
// letters, which is damage and not another session.
func (r registered) names(j *Job) (mine, nearly bool) {
	if r.short != "" && r.short == j.Short {
		return true, false
	}
	for _, id := range r.ids {
		if id != "" && (id == j.SessionID || id == j.ResumeSessionID || strings.HasPrefix(id, j.Short+"-")) {
			return true, false
		}
	}
	for _, id := range append([]string{r.short}, r.ids...) {
		for _, want := range []string{j.Short, j.SessionID, j.ResumeSessionID} {
			if id != "" && want != "" && len(id) == len(want) && near(id, want) {
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
	for _, p := range append([]pidStart{{r.pid, r.start}}, r.other...) {
		if p.pid == 0 {
			continue
		}
		running, same := w.processes.alive(p.pid, p.start)
		switch {
		case running && same && p.start != "":
			return Live, fmt.Sprintf("%s: process %d runs, started as registered", r.source, p.pid)
		case running && same:
			return Unknown, fmt.Sprintf("%s: process %d runs and its registered start is missing", r.source, p.pid)
		case running:
			actual := w.processes.ByPID[p.pid]
			if len(actual.Start) == len(p.start) && near(actual.Start, p.start) {
				return Unknown, fmt.Sprintf("%s: process %d runs and its registered start is nearly the right one", r.source, p.pid)
			}
			if !r.startedAt.IsZero() && !actual.Started.IsZero() && absDuration(actual.Started.Sub(r.startedAt)) < startSlack {
				return Unknown, fmt.Sprintf("%s: process %d runs and started when the registered one did", r.source, p.pid)
			}
		}
	}
	return Offline, fmt.Sprintf("%s: process %d is gone", r.source, r.pid)
}

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

// namesSession finds a Claude process that names the session on its command line. Remote Control processes are in no
// registry, so this is their only witness. Editors, pagers and searches that name the file are not Claude processes.
func namesSession(args []string, j *Job) (string, bool) {
	if len(args) == 0 || !isClaude(args) {
		return "", false
	}
	for i, arg := range args {
		for _, id := range []string{j.SessionID, j.ResumeSessionID} {
			if id == "" {
				continue
			}
			if strings.Contains(arg, id+".jsonl") {
				return arg, true
			}
			for _, flag := range []string{"--resume", "-r", "--session-id"} {
				if arg == flag+"="+id || (arg == flag && i+1 < len(args) && args[i+1] == id) {
					return flag + " " + id, true
				}
			}
		}
	}
	return "", false
}

// isClaude says whether a command line is the client's: its own binary, or a runtime that was given the client's script.
func isClaude(args []string) bool {
	for i, arg := range args {
		if i > 2 {
			return false
		}
		base := filepath.Base(arg)
		if strings.HasPrefix(base, "claude") || strings.Contains(arg, "claude-code") {
			return true
		}
	}
	return false
}
