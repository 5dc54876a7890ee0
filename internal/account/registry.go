package account

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/tidwall/gjson"
)

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
	// damaged says that the row names no process.
	damaged bool
}

// registrySource is what evidence calls the registry.
const registrySource = "registry"

// registryKeys are the keys whose loss would change what a row says of a session. Without its pid a row is broken
// anyway.
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
		w.doubt = append(w.doubt, fmt.Sprintf("sessions/%s %s, and its process belongs to another machine or container", file,
			problem))
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
	row.source = registrySource
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
