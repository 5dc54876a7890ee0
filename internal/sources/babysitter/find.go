package babysitter

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/sourcegraph/conc/iter"

	"recovery/internal/sources"
	"recovery/internal/sources/files"
)

// Name is the name of this source.
const Name = "babysitter"

// maxRuns bounds the entries of one runs folder that are looked at.
const maxRuns = 200_000

// stray is the reason under which folders that are no runs are counted.
const stray = "not a run: neither run.json nor journal"

// Find lists the unfinished runs of the project, of the account and of the folders that the user named, newest
// activity first; with Machine.All the finished ones too. State is the word that `babysitter run:status` prints; it
// is empty for a run of which run:status would end with an error. A run that is reached on two ways is told once.
// Finished runs are counted in LeftOut.
func Find(m sources.Machine) sources.Found {
	found := sources.NewFound()
	p := findPlaces(m)
	candidates := collect(p, &found)
	bindings := readBindings(p.states)
	known := &hashes{}

	// One run is one goroutine's work and leaves a row or a word behind; its files are let go before the next.
	type result struct {
		row      *sources.Row
		finished string
		second   bool // not readable for want of a run.json
	}
	results := make([]result, len(candidates))
	iter.Iterator[result]{MaxGoroutines: max(2, min(8, 2*runtime.GOMAXPROCS(0)))}.ForEachIdx(results,
		func(i int, out *result) {
			r := readRun(candidates[i], m.Process)
			if r.finished() {
				out.finished = r.state
				if !m.All {
					return
				}
			}
			r.bind(bindings)
			r.readWaits(m.Now)
			if out.finished == "" {
				r.checkCode(known)
			}
			r.fill(m.Now)
			out.row, out.second = &r.row, files.Absent(r.metaErr)
		})

	ended, open := map[string]int{}, 0
	readable := map[string]string{}
	for _, out := range results {
		if out.row != nil && out.row.Verdict != sources.Unreadable {
			if first := readable[out.row.ID]; first != "" {
				out.row.Warn("Another folder holds a run of the same id: %s. Name the folder in commands.", first)
			} else {
				readable[out.row.ID] = out.row.Store
			}
		}
	}
	for _, out := range results {
		if out.finished != "" {
			ended[out.finished]++
			if !m.All {
				found.LeftOut[out.finished]++
			}
		}
		switch {
		case out.row == nil:
			continue
		case out.second && readable[out.row.ID] != "":
			found.LeftOut["a second folder of a listed run, without run.json"]++
			continue
		case out.finished == "":
			open++
		}
		found.Rows = append(found.Rows, *out.row)
	}
	found.Sort()
	if open == 0 {
		found.None = none(ended, found.LeftOut[stray], len(found.Problems))
	}
	return found
}

// none says why nothing is unfinished.
func none(ended map[string]int, strays, problems int) string {
	s := "no run was ever made in the places that were looked at"
	switch {
	case len(ended) > 0:
		s = "every run is finished: " + sources.Counted(ended)
	case problems > 0:
		s = "no run could be read"
	}
	if strays > 0 {
		s += fmt.Sprintf(" (%d folders are no runs)", strays)
	}
	return s
}

// collect lists the run folders of the places by their real paths, each once.
func collect(p *places, found *sources.Found) []string {
	var out []string
	seen := map[string]bool{}
	add := func(dir string) {
		if !seen[dir] {
			seen[dir] = true
			out = append(out, dir)
		}
	}
	for _, dir := range p.single {
		found.Looked = append(found.Looked, dir)
		add(files.Real(dir))
	}
	for _, other := range p.others {
		found.NotThere(other)
	}
	for _, place := range p.runs {
		entries := files.ListStore(found, Name, place, "the runs folder", maxRuns, "entries", "name single runs as roots")
		slices.SortFunc(entries, func(a, b os.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
		base := files.Real(place)
		for _, e := range entries {
			dir, folder := runFolder(filepath.Join(base, e.Name()), e)
			switch {
			case !folder && e.Type().IsRegular() && strings.HasPrefix(e.Name(), "."):
			case folder && isRun(dir):
				add(dir)
			default:
				found.LeftOut[stray]++
			}
		}
	}
	return out
}

// runFolder follows a link to its folder; folder is false for anything else. A loop, or a folder that may not be looked
// into, is a run that gets its row.
func runFolder(path string, e os.DirEntry) (dir string, folder bool) {
	if e.Type()&os.ModeSymlink == 0 {
		return path, e.IsDir()
	}
	info, err := os.Stat(path)
	switch {
	case err == nil && info.IsDir():
		return files.Real(path), true
	case err != nil && !files.Absent(err):
		return path, true
	}
	return path, false
}
