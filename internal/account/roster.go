package account

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"recovery/internal/claude"

	"github.com/tidwall/gjson"
)

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
			// Only what the row can be about is in doubt: the session that it names.
			row.damaged = true
			w.Warnings = append(w.Warnings, "the supervisor's roster has a row without a process id: whether session "+
				rosterName(row.short)+" runs cannot be told")
		}
		w.rows = append(w.rows, row)
		return true
	})
}

// readSupervisor learns whether the supervisor lives, from both of its files. It leaves after seconds without work,
// so "not running" is normal; a file that cannot be read means that it may live.
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

// rosterName is the key of a row; one that is no short may stand where a token stood, and is not repeated.
func rosterName(key string) string {
	if claude.IsShort(key) {
		return key
	}
	return "(its name is damaged)"
}
