package agentsession

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"recovery/internal/sources"
	"recovery/internal/sources/files"
)

// Name is the name of this source.
const Name = "agentsession"

// The bounds of what is looked at.
const (
	maxAgents   = 10_000
	maxSessions = 100_000 // in one store
	maxFolders  = 2_000   // in the search below a folder that the user named
	rootDepth   = 3
)

// stray is the reason under which entries are counted that are no folders.
const stray = "not a session folder"

// Find lists the unfinished sessions below the work folder, the job folders and the folders that the user named,
// newest checkpoint first; with Machine.All also those with nothing left to do. State is the checkpoint's own word.
// Every row says that the format is inferred.
func Find(m sources.Machine) sources.Found {
	found := sources.Found{Rows: []sources.Row{}, Problems: []sources.Problem{}, Looked: []string{}, Missing: []string{},
		LeftOut: map[string]int{}}
	w := &walk{m: m, found: &found, seen: map[string]bool{}}
	for _, dir := range append([]string{m.Cwd}, m.Folders...) {
		if dir != "" {
			w.store(filepath.Join(within(m.Cwd, dir), ".os", "sessions"))
		}
	}
	for _, dir := range m.Roots {
		w.root(within(m.Cwd, dir))
	}
	slices.SortStableFunc(found.Rows, func(a, b sources.Row) int {
		if c := b.UpdatedAt.Compare(a.UpdatedAt); c != 0 {
			return c
		}
		return strings.Compare(a.Store, b.Store)
	})
	if w.open == 0 {
		found.None = w.none()
	}
	return found
}

// within makes a path absolute against the work folder.
func within(base, path string) string {
	if filepath.IsAbs(path) || base == "" {
		return filepath.Clean(path)
	}
	return filepath.Join(base, path)
}

// walk goes through the stores.
type walk struct {
	m        sources.Machine
	found    *sources.Found
	seen     map[string]bool
	open     int
	finished map[string]int
}

func (w *walk) none() string {
	var parts []string
	for _, state := range slices.Sorted(maps.Keys(w.finished)) {
		parts = append(parts, fmt.Sprintf("%d %s", w.finished[state], state))
	}
	switch {
	case len(parts) > 0:
		return "every session has nothing left to do: " + strings.Join(parts, ", ")
	case len(w.found.Problems) > 0:
		return "no session could be read"
	}
	return "no session was ever checkpointed in the places that were looked at"
}

// root takes a folder that the user named: a project, a store or something in it, or a folder with projects below it.
func (w *walk) root(dir string) {
	if store, rest, ok := inStore(dir); ok {
		parts := strings.SplitN(rest, string(filepath.Separator), 3)
		switch named := filepath.Join(store, filepath.Join(parts[:min(len(parts), 2)]...)); {
		case rest == "":
			w.store(store)
		case !exists(named):
			w.look(named)
			w.found.Missing = append(w.found.Missing, named)
		case len(parts) == 1:
			w.look(named)
			w.agent(store, parts[0])
		default:
			w.look(named)
			w.session(store, parts[0], parts[1])
		}
		return
	}
	if filepath.Base(dir) == ".os" {
		dir = filepath.Dir(dir)
	}
	if store := filepath.Join(dir, ".os", "sessions"); exists(store) || !w.search(dir) {
		w.store(store)
	}
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// inStore splits a path at its .os/sessions.
func inStore(dir string) (store, rest string, ok bool) {
	sep := string(filepath.Separator)
	mark := sep + ".os" + sep + "sessions"
	i := strings.LastIndex(dir+sep, mark+sep)
	if i < 0 {
		return "", "", false
	}
	return dir[:i+len(mark)], strings.Trim(dir[i+len(mark):], sep), true
}

// search looks for stores below a folder.
func (w *walk) search(dir string) (found bool) {
	files.Search(dir, rootDepth, maxFolders, func(dir string) {
		if store := filepath.Join(dir, ".os", "sessions"); exists(store) {
			w.store(store)
			found = true
		}
	})
	return found
}

// first says whether something is met for the first time.
func (w *walk) first(key string) bool {
	again := w.seen[key]
	w.seen[key] = true
	return !again
}

func (w *walk) look(dir string) { w.found.Looked = append(w.found.Looked, dir) }

// store goes through one .os/sessions.
func (w *walk) store(dir string) {
	if !w.first("store " + files.Real(dir)) {
		return
	}
	w.look(dir)
	agents, more, err := files.List(dir, maxAgents)
	switch {
	case err != nil && files.Nothing(dir, err):
		w.found.Missing = append(w.found.Missing, dir)
		return
	case err != nil:
		w.found.Problems = append(w.found.Problems, sources.Problem{Source: Name, Store: dir,
			Cause: "the folder of sessions " + files.Cause(err),
			Next:  "look at the folder and its permissions, then run this again"})
		return
	case more:
		w.found.Problems = append(w.found.Problems, sources.Problem{Source: Name, Store: dir,
			Cause: fmt.Sprintf("more than %d agents: the rest was not looked at", maxAgents),
			Next:  "name single agents' folders as roots"})
	}
	for _, name := range w.folders(dir, agents) {
		w.agent(dir, name)
	}
}

// folders names the entries that are folders, or links to one, or cannot be told; the rest is counted.
func (w *walk) folders(dir string, entries []fs.DirEntry) []string {
	var out []string
	for _, e := range entries {
		is := e.IsDir()
		if e.Type()&fs.ModeSymlink != 0 {
			info, err := os.Stat(filepath.Join(dir, e.Name()))
			is = err != nil || info.IsDir()
		}
		switch {
		case is:
			out = append(out, e.Name())
		case !strings.HasPrefix(e.Name(), "."):
			w.found.LeftOut[stray]++
		}
	}
	slices.Sort(out)
	return out
}

// agent goes through one agent's sessions.
func (w *walk) agent(store, agent string) {
	dir := filepath.Join(store, agent)
	entries, more, err := files.List(dir, maxSessions)
	if err != nil {
		w.add(unreadable(agent, agent, dir, store, "the agent's folder "+files.Cause(err)))
		return
	}
	if more {
		w.found.Problems = append(w.found.Problems, sources.Problem{Source: Name, Store: dir,
			Cause: fmt.Sprintf("more than %d sessions: the rest was not looked at", maxSessions),
			Next:  "name single sessions as roots"})
	}
	for _, name := range w.folders(dir, entries) {
		w.session(store, agent, name)
	}
}

// session reads one session's folder, once however it is reached.
func (w *walk) session(store, agent, id string) {
	dir := filepath.Join(store, agent, id)
	if !w.first(files.Real(dir)) {
		return
	}
	if _, _, err := files.List(dir, 1); err != nil {
		w.add(unreadable(agent, id, dir, store, "the session's folder "+files.Cause(err)))
		return
	}
	path := filepath.Join(dir, "checkpoint.json")
	data, info, err := files.Read(path)
	switch {
	case err != nil && files.Nothing(path, err):
		w.add(scratch(agent, id, dir, store))
		return
	case err != nil:
		w.add(unreadable(agent, id, path, store, "checkpoint.json "+files.Cause(err)))
		return
	}
	c, err := parse(data)
	if err != nil {
		w.add(unreadable(agent, id, path, store, "checkpoint.json "+err.Error()))
		return
	}
	w.add(row(c, agent, id, path, store, info.ModTime().UTC(), w.m.Now))
}

// add takes a row; one that is done is only counted unless everything is asked for.
func (w *walk) add(r sources.Row) {
	if r.Verdict != sources.Done {
		w.open++
		w.found.Rows = append(w.found.Rows, r)
		return
	}
	if w.finished == nil {
		w.finished = map[string]int{}
	}
	state := settled(r.State)
	if state != "active" && state != "sleeping" && state != "shutting-down" {
		state = "of another status"
	}
	w.finished[state]++
	if w.m.All {
		w.found.Rows = append(w.found.Rows, r)
		return
	}
	w.found.LeftOut[state+", nothing left to do"]++
}
