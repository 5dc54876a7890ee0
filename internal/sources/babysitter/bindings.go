package babysitter

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"recovery/internal/sources/files"
	"recovery/internal/text"
)

// maxStates bounds the state files that are looked at in one folder, maxHeader the bytes of one that are read.
const (
	maxStates = 20_000
	maxHeader = 64 << 10
)

// binding is a session's state file: which run a session drives. Its name is the session's id.
type binding struct {
	session string
	run     string
	runDir  string // 6.x, sometimes
	active  bool
	at      time.Time // of its last iteration
	file    string
}

// readBindings reads every <state dir>/<session id>.md of the folders, by run id.
func readBindings(dirs []string) map[string][]binding {
	out := map[string][]binding{}
	for _, dir := range dirs {
		entries, _, err := files.List(dir, maxStates)
		if err != nil {
			continue // no state folder is the usual case; the journal's own session id is the other way
		}
		for _, e := range entries {
			name, ok := strings.CutSuffix(e.Name(), ".md")
			if !ok || name == "" {
				continue
			}
			if b, ok := readBinding(filepath.Join(dir, e.Name()), name); ok {
				out[b.run] = append(out[b.run], b)
			}
		}
	}
	for _, list := range out {
		slices.SortStableFunc(list, func(a, b binding) int {
			return cmp.Or(order(b.active)-order(a.active), b.at.Compare(a.at), strings.Compare(a.file, b.file))
		})
	}
	return out
}

func order(active bool) int {
	if active {
		return 1
	}
	return 0
}

// readBinding reads the header of a state file: flat `key: value` lines between two lines of dashes, quotes optional.
func readBinding(path, session string) (binding, bool) {
	f, _, err := files.Open(path)
	if err != nil {
		return binding{}, false
	}
	defer func() { _ = f.Close() }()
	in := bufio.NewReader(io.LimitReader(f, maxHeader))
	if first, _ := in.ReadString('\n'); strings.TrimSpace(first) != "---" {
		return binding{}, false
	}
	b := binding{session: session, file: path, active: true}
	for {
		line, err := in.ReadString('\n')
		line = strings.TrimSpace(line)
		if line == "---" {
			break
		}
		key, value, _ := strings.Cut(line, ":")
		value = strings.Trim(strings.TrimSpace(value), `"'`)
		switch key {
		case "run_id":
			b.run = value
		case "run_dir":
			b.runDir = value
		case "active":
			b.active = value != "false"
		case "last_iteration_at":
			b.at = files.Time(value)
		}
		if err != nil {
			break
		}
	}
	return b, b.run != ""
}

// bind finds the session behind a run: a state file that names it, else the session id that 6.x writes into the
// journal.
func (r *run) bind(all map[string][]binding) {
	var fit []binding
	for _, b := range all[r.id] {
		switch {
		case b.runDir != "" && files.Real(b.runDir) == r.dir:
			fit = append([]binding{b}, fit...)
		case b.runDir == "" || !files.IsDir(b.runDir):
			fit = append(fit, b) // the folder may have been moved
		}
	}
	if len(fit) > 0 {
		r.session, r.sessionFrom, r.sessionActive = fit[0].session, fit[0].file, fit[0].active
		seen := map[string]bool{fit[0].session: true}
		for _, b := range fit[1:] {
			if !seen[b.session] {
				seen[b.session] = true
				r.row.Warn("The session %s says as well that it drives this run (%s).", text.Cut(b.session, 80), b.file)
			}
		}
		return
	}
	if r.journal.sessionID != "" {
		r.session, r.sessionFrom, r.sessionActive = r.journal.sessionID, "the journal", true
	}
}

// claude says whether the session is one of Claude Code: other harnesses have ids of their own.
func (r *run) claude() bool {
	return r.harness == "" || strings.HasPrefix(r.harness, "claude")
}

// note says in words which session it is.
func (r *run) sessionNote() string {
	switch {
	case r.session == "":
		return "no session is recorded"
	case !r.sessionActive:
		return fmt.Sprintf("%s, no longer active (%s)", r.session, r.sessionFrom)
	}
	return fmt.Sprintf("%s (%s)", r.session, r.sessionFrom)
}
