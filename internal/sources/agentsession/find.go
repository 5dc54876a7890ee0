package agentsession

import (
	"io/fs"
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
	w := &walk{m: m, found: sources.NewFound(), seen: map[string]bool{}, finished: map[string]int{}}
	for _, dir := range append([]string{m.Cwd}, m.Folders...) {
		if dir != "" {
			w.store(storeIn(m.Abs(dir)))
		}
	}
	for _, dir := range m.Roots {
		w.root(m.Abs(dir))
	}
	w.found.Sort()
	switch {
	case w.open > 0:
	case len(w.finished) > 0:
		w.found.None = "every session has nothing left to do: " + sources.Counted(w.finished)
	case len(w.found.Problems) > 0:
		w.found.None = "no session could be read"
	default:
		w.found.None = "no session was ever checkpointed in the places that were looked at"
	}
	return w.found
}

func storeIn(dir string) string { return filepath.Join(dir, ".os", "sessions") }

// walk goes through the stores.
type walk struct {
	m        sources.Machine
	found    sources.Found
	seen     map[string]bool
	open     int
	finished map[string]int
}

// root takes a folder that the user named: a project, a store or something in it, or a folder with projects below it.
func (w *walk) root(dir string) {
	if store, rest, ok := inStore(dir); ok {
		parts := strings.SplitN(rest, string(filepath.Separator), 3)
		named := filepath.Join(store, filepath.Join(parts[:min(len(parts), 2)]...))
		if rest == "" {
			w.store(store)
			return
		}
		if !files.Exists(named) {
			w.found.NotThere(named)
			return
		}
		w.found.Looked = append(w.found.Looked, named)
		if len(parts) == 1 {
			w.agent(store, parts[0])
		} else {
			w.session(store, parts[0], parts[1])
		}
		return
	}
	if filepath.Base(dir) == ".os" {
		dir = filepath.Dir(dir)
	}
	if store := storeIn(dir); files.Exists(store) || !w.search(dir) {
		w.store(store)
	}
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
		if store := storeIn(dir); files.Exists(store) {
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

// store goes through one .os/sessions.
func (w *walk) store(dir string) {
	if !w.first("store " + files.Real(dir)) {
		return
	}
	agents := files.ListStore(&w.found, Name, dir, "the folder of sessions", maxAgents, "agents",
		"name single agents' folders as roots")
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
		files.TooMany(&w.found, Name, dir, maxSessions, "sessions", "name single sessions as roots")
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
	state := settled(r.State)
	if state != "active" && state != "sleeping" && state != "shutting-down" {
		state = "of another status"
	}
	w.finished[state]++
	if w.m.All {
		w.found.Rows = append(w.found.Rows, r)
	} else {
		w.found.LeftOut[state+", nothing left to do"]++
	}
}
