package babysitter

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"recovery/internal/sources"
	"recovery/internal/sources/files"
)

// The bounds of the search for runs folders below a folder.
const (
	maxDepth   = 6
	maxFolders = 5_000
	rootDepth  = 3
)

// places are the folders to look at.
type places struct {
	runs   []string // runs folders
	single []string // runs that the user named
	states []string // folders of session state files
	// others are what the user named and has nothing of Babysitter: roots are named for all sources together.
	others []string
	seen   map[string]bool
}

// findPlaces lists where runs may be. 0.0.x keeps them in <current folder>/.a5c/runs, 6.x in <global root>/runs and,
// by scope, in <repo root>/.a5c/runs; BABYSITTER_RUNS_DIR moves them, relative to the current folder, the repo root
// or the global root, and BABYSITTER_GLOBAL_STATE_DIR moves the global root. What BABYSITTER_RUNS_SCOPE says decides
// where new runs go and not where old ones are, so both are looked at.
func findPlaces(m sources.Machine) *places {
	p := &places{seen: map[string]bool{}}
	env := func(name string) string { return strings.TrimSpace(m.Getenv(name)) }
	var globals []string
	if dir := env("BABYSITTER_GLOBAL_STATE_DIR"); dir != "" {
		globals = append(globals, m.Abs(dir))
	}
	if m.Home != "" {
		globals = append(globals, filepath.Join(m.Home, ".a5c"))
	}
	if dir := env("BABYSITTER_STATE_DIR"); dir != "" {
		p.state(m.Abs(dir))
	}
	if dir := env("BABYSITTER_RUNS_DIR"); dir != "" {
		p.add(m.Abs(dir))
		if !filepath.IsAbs(dir) {
			p.addIf(filepath.Join(repoRoot(m.Cwd), dir))
			for _, g := range globals {
				p.addIf(filepath.Join(g, dir))
			}
		}
	}
	for _, g := range globals {
		p.add(filepath.Join(g, "runs"))
		p.observed(filepath.Join(g, "observer.json"), m.Home)
	}
	if m.Cwd != "" {
		p.project(m.Cwd)
	}
	for _, dir := range m.Folders {
		p.project(dir)
	}
	for _, dir := range m.Roots {
		p.root(m.Abs(dir), m.Home)
	}
	return p
}

// add takes a runs folder, whether it is there or not.
func (p *places) add(dir string) {
	dir = filepath.Clean(dir)
	if p.seen[files.Real(dir)] {
		return
	}
	p.seen[files.Real(dir)] = true
	p.runs = append(p.runs, dir)
	p.statesBeside(dir)
}

// statesBeside adds the places beside a runs folder where session state files may be: 6.x and later 0.0.x put them into
// state/, an older session:resume into the folder itself (their issue #138).
func (p *places) statesBeside(runs string) {
	p.state(filepath.Join(filepath.Dir(runs), "state"))
	p.state(filepath.Dir(runs))
}

func (p *places) addIf(dir string) bool {
	if !files.Exists(dir) {
		return false
	}
	p.add(dir)
	return true
}

func (p *places) state(dir string) {
	if key := "state " + files.Real(dir); !p.seen[key] {
		p.seen[key] = true
		p.states = append(p.states, dir)
	}
}

// project adds the places of one project folder. The doubled one is what a relative runs folder came to (their issue
// #48).
func (p *places) project(dir string) {
	p.add(filepath.Join(dir, ".a5c", "runs"))
	p.addIf(filepath.Join(dir, ".a5c", ".a5c", "runs"))
	p.addIf(filepath.Join(repoRoot(dir), ".a5c", "runs"))
}

// repoRoot is the nearest folder upwards with .git or .a5c, else the folder itself.
func repoRoot(dir string) string {
	for at := filepath.Clean(dir); ; at = filepath.Dir(at) {
		for _, mark := range []string{".git", ".a5c"} {
			if files.Exists(filepath.Join(at, mark)) {
				return at
			}
		}
		if at == filepath.Dir(at) {
			return filepath.Clean(dir)
		}
	}
}

// observed adds the folders that the dashboard watches: a source of depth 0 is a runs folder, any other is searched.
func (p *places) observed(file, home string) {
	o, _ := files.ReadObject(file)
	list := o["sources"]
	if !list.IsArray() {
		return
	}
	for _, source := range list.Array() {
		o := files.ObjectOf(source)
		path := o.Text("path")
		if rest, ok := strings.CutPrefix(path, "~/"); ok {
			path = filepath.Join(home, rest)
		}
		depth := o["depth"]
		switch {
		case !filepath.IsAbs(path):
		case depth.Type == gjson.Number && depth.Num > 0:
			p.search(path, int(min(depth.Num, maxDepth)))
		default:
			p.add(path)
		}
	}
}

// root takes a folder that the user named: one run, a project or a home, a global root, a runs folder, or a folder
// above those.
func (p *places) root(dir, home string) {
	own := filepath.Join(dir, ".a5c")
	if !files.IsDir(own) && namedRun(dir) {
		p.single = append(p.single, dir)
		p.statesBeside(filepath.Dir(dir))
		return
	}
	taken := true
	switch {
	case files.IsDir(own):
		p.add(filepath.Join(own, "runs"))
		p.addIf(filepath.Join(own, ".a5c", "runs"))
		p.observed(filepath.Join(own, "observer.json"), home)
	case filepath.Base(dir) == ".a5c", holdsRuns(filepath.Join(dir, "runs")):
		p.add(filepath.Join(dir, "runs"))
		p.observed(filepath.Join(dir, "observer.json"), home)
	default:
		taken = false
	}
	switch {
	case holdsRuns(dir):
		p.add(dir)
	case taken || p.search(dir, rootDepth):
	case anothers(dir):
		p.others = append(p.others, dir)
	default:
		p.add(dir)
	}
}

// anothers says that a path without a run in it is no store that cannot be read: it is a file, or a folder that opens.
func anothers(path string) bool {
	info, err := os.Stat(path)
	if err != nil || info.Mode().IsRegular() {
		return err == nil
	}
	entries, more, err := files.List(path, 500)
	return err == nil && !more && len(entries) > 0
}

// namedRun is isRun for a folder that may be anything: a project can have a folder journal of its own.
func namedRun(dir string) bool {
	if described(dir) {
		return true
	}
	entries, _, err := files.List(filepath.Join(dir, "journal"), 500)
	return err == nil && slices.ContainsFunc(entries, func(e os.DirEntry) bool {
		_, _, ok := eventName(e.Name())
		return ok && strings.HasSuffix(e.Name(), ".json")
	})
}

// search looks for .a5c/runs below a folder, as the dashboard does.
func (p *places) search(dir string, depth int) (found bool) {
	files.Search(dir, depth, maxFolders, func(dir string) {
		found = p.addIf(filepath.Join(dir, ".a5c", "runs")) || found
	})
	return found
}

// isRun says that a folder is a run: it has a run.json or a journal.
func isRun(dir string) bool { return described(dir) || files.Exists(filepath.Join(dir, "journal")) }

// described says that a folder has a run.json; one that may not be looked into is taken for a run.
func described(dir string) bool {
	_, err := os.Lstat(filepath.Join(dir, "run.json"))
	return err == nil || !files.Absent(err)
}

// holdsRuns says that a run is among the first folders of this one.
func holdsRuns(dir string) bool {
	entries, _, err := files.List(dir, 500)
	return err == nil && slices.ContainsFunc(entries, func(e os.DirEntry) bool {
		return e.IsDir() && isRun(filepath.Join(dir, e.Name()))
	})
}
