package babysitter

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"recovery/internal/sources/files"
)

// TestPlaces makes one run in a place and looks whether it is found from there.
func TestPlaces(t *testing.T) {
	for name, c := range map[string]struct {
		place   string // of the runs folder, below the test's folder
		env     map[string]string
		cwd     string
		folders []string
		roots   []string
		files   map[string]string
		missing bool
	}{
		"account": {place: "home/.a5c/runs"},
		"project": {place: "work/.a5c/runs", cwd: "work"},
		"repo root by .git": {place: "work/.a5c/runs", cwd: "work/sub/folder",
			files: map[string]string{"work/.git/HEAD": ""}},
		"repo root by .a5c": {place: "work/.a5c/runs", cwd: "work/sub/folder"},
		"old: the folder, no repo": {place: "work/sub/.a5c/runs", cwd: "work/sub",
			files: map[string]string{"work/.git/HEAD": ""}},
		"doubled":            {place: "work/.a5c/.a5c/runs", cwd: "work"},
		"job folder":         {place: "job/.a5c/runs", folders: []string{"job"}},
		"job below a repo":   {place: "job/.a5c/runs", folders: []string{"job/sub"}},
		"elsewhere":          {place: "other/.a5c/runs", cwd: "work", missing: true},
		"runs dir, absolute": {place: "deep/er", env: map[string]string{"BABYSITTER_RUNS_DIR": "$T/deep/er"}},
		"runs dir, to the folder": {place: "work/my-runs", cwd: "work",
			env: map[string]string{"BABYSITTER_RUNS_DIR": "my-runs"}},
		"runs dir, to the repo": {place: "work/my-runs", cwd: "work/sub",
			files: map[string]string{"work/.git/HEAD": ""}, env: map[string]string{"BABYSITTER_RUNS_DIR": "my-runs"}},
		"runs dir, to the root": {place: "home/.a5c/my-runs", cwd: "work",
			env: map[string]string{"BABYSITTER_RUNS_DIR": "my-runs"}},
		"runs dir, to a moved root": {place: "global/my-runs", cwd: "work",
			env: map[string]string{"BABYSITTER_RUNS_DIR": "my-runs", "BABYSITTER_GLOBAL_STATE_DIR": "$T/global"}},
		"moved root": {place: "global/runs",
			env: map[string]string{"BABYSITTER_GLOBAL_STATE_DIR": " $T/global "}},
		"moved root, relative": {place: "work/global/runs", cwd: "work",
			env: map[string]string{"BABYSITTER_GLOBAL_STATE_DIR": "global"}},
		"old root beside moved": {place: "home/.a5c/runs",
			env: map[string]string{"BABYSITTER_GLOBAL_STATE_DIR": "$T/global"}},
		"scope changes nothing": {place: "home/.a5c/runs", cwd: "work",
			env: map[string]string{"BABYSITTER_RUNS_SCOPE": "repo"}},
		"variable of the docs": {place: "deep/er", env: map[string]string{"RUNS_DIR": "$T/deep/er"}, missing: true},
		"watched, runs folder": {place: "w/runs",
			files: map[string]string{"home/.a5c/observer.json": `{"sources":[{"path":"$T/w/runs","depth":0}]}`}},
		"watched, no depth": {place: "w/runs",
			files: map[string]string{"home/.a5c/observer.json": `{"sources":[{"path":"$T/w/runs"}]}`}},
		"watched, searched": {place: "w/a/b/.a5c/runs",
			files: map[string]string{"home/.a5c/observer.json": `{"sources":[{"path":"$T/w","depth":2}]}`}},
		"watched, too deep": {place: "w/a/b/.a5c/runs",
			files: map[string]string{"home/.a5c/observer.json": `{"sources":[{"path":"$T/w","depth":1}]}`}, missing: true},
		"watched, in home": {place: "home/w/.a5c/runs",
			files: map[string]string{"home/.a5c/observer.json": `{"sources":[{"path":"~/w","depth":1}]}`}},
		"watched, skips": {place: "w/node_modules/b/.a5c/runs",
			files: map[string]string{"home/.a5c/observer.json": `{"sources":[{"path":"$T/w","depth":4}]}`}, missing: true},
		"watched, dot folder": {place: "w/.b/.a5c/runs",
			files: map[string]string{"home/.a5c/observer.json": `{"sources":[{"path":"$T/w","depth":4}]}`}, missing: true},
		"watched, moved root": {place: "w/runs", env: map[string]string{"BABYSITTER_GLOBAL_STATE_DIR": "$T/global"},
			files: map[string]string{"global/observer.json": `{"sources":[{"path":"$T/w/runs","depth":0}]}`}},
		"watched, nonsense": {place: "w/runs",
			files: map[string]string{"home/.a5c/observer.json": `{"sources":[5,{"path":7},{"path":"rel"},{"path":"$T/gone",` +
				`"depth":1e9}]}`}, missing: true},
		"watched, no list": {place: "w/runs",
			files: map[string]string{"home/.a5c/observer.json": `{"sources":"$T/w/runs"}`}, missing: true},
		"root: one run":     {place: "w/runs", roots: []string{"w/runs/run-1"}},
		"root: runs folder": {place: "w/anything", roots: []string{"w/anything"}},
		"root: project":     {place: "w/.a5c/runs", roots: []string{"w"}},
		"root: home": {place: "w2/runs", roots: []string{"h2"},
			files: map[string]string{"h2/.a5c/observer.json": `{"sources":[{"path":"$T/w2/runs"}]}`, "h2/.a5c/runs/.keep": ""}},
		"root: .a5c itself":      {place: "w/.a5c/runs", roots: []string{"w/.a5c"}},
		"root: folder with runs": {place: "w/runs", roots: []string{"w"}},
		"root: above projects":   {place: "w/a/b/.a5c/runs", roots: []string{"w"}},
		"root: relative":         {place: "work/w/.a5c/runs", cwd: "work/x", roots: []string{"../w"}},
		"root: gone":             {place: "w/runs", roots: []string{"gone"}, missing: true},
		"root: project with runs/": {place: "w/.a5c/runs", roots: []string{"w"},
			files: map[string]string{"w/runs/exp1/metrics.csv": ""}},
		"root: home without runs": {place: "w2/runs", roots: []string{"h2"},
			files: map[string]string{"h2/.a5c/observer.json": `{"sources":[{"path":"$T/w2/runs"}]}`}},
		"root: project with journal/": {place: "w/.a5c/runs", roots: []string{"w"},
			files: map[string]string{"w/journal/monday.md": ""}},
		"root: above, with journal/": {place: "w/x/.a5c/runs", roots: []string{"w"},
			files: map[string]string{"w/journal/monday.md": ""}},
		"root: runs inside runs": {place: "w/runs", roots: []string{"w/runs"},
			files: map[string]string{"w/runs/.a5c/runs/.keep": ""}},
		"root: trailing slash": {place: "w/.a5c/runs", roots: []string{"w/"}},
		"same run by several routes": {place: "home/.a5c/runs", cwd: "home", folders: []string{"home", "home/sub"},
			roots: []string{"home", "home/.a5c/runs", "home/.a5c/runs/run-1"}},
	} {
		t.Run(name, func(t *testing.T) {
			top := t.TempDir()
			in := func(s string) string { return strings.ReplaceAll(s, "$T", top) }
			for file, text := range c.files {
				write(t, filepath.Join(top, file), in(text))
			}
			makeRun(t, filepath.Join(top, c.place, "run-1"), nil, begun)
			m := machine()
			m.Home = filepath.Join(top, "home")
			m.Getenv = func(name string) string { return in(c.env[name]) }
			if c.cwd != "" {
				m.Cwd = filepath.Join(top, c.cwd)
				mkdir(t, m.Cwd)
			}
			for _, f := range c.folders {
				m.Folders = append(m.Folders, filepath.Join(top, f))
			}
			for _, r := range c.roots {
				if !strings.HasPrefix(r, "..") {
					r = top + "/" + r
				}
				m.Roots = append(m.Roots, r)
			}
			f := Find(m)
			if n := len(f.Rows); c.missing && n != 0 || !c.missing && n != 1 {
				t.Fatalf("%d rows; looked at %v, missing %v", n, f.Looked, f.Missing)
			}
			for _, missing := range f.Missing {
				if !slices.Contains(f.Looked, missing) {
					t.Errorf("%s is missing and was not looked at", missing)
				}
			}
		})
	}
}

// TestSameRunTwice: by its real path a run is told once; two folders of one id are two runs, unless one has no
// description.
func TestSameRunTwice(t *testing.T) {
	top := t.TempDir()
	makeRun(t, filepath.Join(top, "a", "runs", "r1"), nil, begun)
	makeRun(t, filepath.Join(top, "b", "runs", "r1"), nil, begun)
	makeRun(t, filepath.Join(top, "c", "runs", "r1"), nil, begun)
	if err := os.Remove(filepath.Join(top, "c", "runs", "r1", "run.json")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("a", filepath.Join(top, "link")); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(top, "link")
	if f := Find(machine(filepath.Join(top, "a"), link, filepath.Join(link, "runs", "r1"))); len(f.Rows) != 1 {
		t.Errorf("%+v", f.Rows)
	}
	f := Find(machine(filepath.Join(top, "a"), filepath.Join(top, "b"), filepath.Join(top, "c")))
	warned := 0
	for _, r := range f.Rows {
		if hasWarning(r, "Another folder holds a run of the same id") {
			warned++
		}
	}
	if len(f.Rows) != 2 || warned != 1 || len(f.LeftOut) != 1 {
		t.Errorf("%d rows, %d warned, %v", len(f.Rows), warned, f.LeftOut)
	}
	if f := Find(machine(filepath.Join(top, "c"))); len(f.Rows) != 1 || f.Rows[0].ID != "r1" {
		t.Errorf("%+v", f)
	}
}

// TestOrder: newest activity first, the same each time.
func TestOrder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "runs")
	for i := range 40 {
		makeRun(t, filepath.Join(dir, fmt.Sprintf("r%02d", i)), nil, slices.Repeat([]ev{begun}, i%7+1)...)
		write(t, eventPath(filepath.Join(dir, fmt.Sprintf("r%02d", i)), i%7+1), eventFile(begun, noon.AddDate(0, 0, -i%11)))
	}
	var first []string
	for range 3 {
		var ids []string
		f := Find(machine(dir))
		for i, r := range f.Rows {
			ids = append(ids, r.ID)
			if i > 0 && r.UpdatedAt.After(f.Rows[i-1].UpdatedAt) {
				t.Errorf("%s after %s", r.ID, f.Rows[i-1].ID)
			}
		}
		if first == nil {
			first = ids
		}
		if len(ids) != 40 || !slices.Equal(ids, first) {
			t.Errorf("%v", ids)
		}
	}
}

// TestCommandsQuoted: a folder with odd characters is one word of the shell.
func TestCommandsQuoted(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "it's $(here) & \x1b", ".a5c", "runs")
	makeRun(t, filepath.Join(dir, "r 1"), nil, begun)
	makeRun(t, filepath.Join(dir, "r2"), nil, begun)
	rows := byFolder(Find(machine(dir)))
	for name, r := range rows {
		if len(r.Commands) < 4 || hasCommand(r, "claude") != (name == "r2") {
			t.Errorf("%s: %v", name, r.Commands)
		}
		for _, c := range r.Commands {
			if strings.ContainsRune(c.Command, 0x1b) || strings.Contains(c.Command, " $(here)") && !strings.Contains(c.Command,
				`'`) {
				t.Errorf("%q", c.Command)
			}
		}
	}
	if !hasCommand(rows["r2"], "cd -- ") || rows["r2"].Cwd != filepath.Dir(filepath.Dir(files.Real(dir))) {
		t.Errorf("%q %v", rows["r2"].Cwd, rows["r2"].Commands)
	}
}

// TestARootOfAnotherSystem: roots are named for all sources together, so what has nothing of Babysitter is missing
// and no problem.
func TestARootOfAnotherSystem(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "store.db"), "a database")
	write(t, filepath.Join(dir, "project", "readme"), "")
	for _, root := range []string{filepath.Join(dir, "store.db"), filepath.Join(dir, "project")} {
		f := Find(machine(root))
		if len(f.Rows)+len(f.Problems)+len(f.LeftOut) != 0 || !slices.Equal(f.Looked, []string{root}) ||
			!slices.Equal(f.Missing, f.Looked) {
			t.Errorf("%s: %+v", root, f)
		}
	}
}
