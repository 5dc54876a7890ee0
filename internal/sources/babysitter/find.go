package babysitter

import (
	"fmt"
	"maps"
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
	found := sources.Found{Rows: []sources.Row{}, Problems: []sources.Problem{}, Looked: []string{}, Missing: []string{},
		LeftOut: map[string]int{}}
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
			row := r.row(m.Now)
			out.row, out.second = &row, files.Absent(r.metaErr)
		})

	ends := map[string]int{}
	open := 0
	readable := map[string]string{}
	for _, out := range results {
		if out.row != nil && out.row.Verdict != sources.Unreadable {
			if first := readable[out.row.ID]; first != "" {
				out.row.Warnings = append(out.row.Warnings, "Another folder holds a run of the same id: "+first+
					". Name the folder in commands.")
			} else {
				readable[out.row.ID] = out.row.Store
			}
		}
	}
	for _, out := range results {
		if out.finished != "" {
			ends[out.finished]++
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
	slices.SortStableFunc(found.Rows, func(a, b sources.Row) int {
		if c := b.UpdatedAt.Compare(a.UpdatedAt); c != 0 {
			return c
		}
		return strings.Compare(a.Store, b.Store)
	})
	if open == 0 {
		found.None = none(ends, found.LeftOut[stray], len(found.Problems))
	}
	return found
}

// none says why nothing is unfinished.
func none(ends map[string]int, strays, problems int) string {
	var parts []string
	for _, end := range slices.Sorted(maps.Keys(ends)) {
		parts = append(parts, fmt.Sprintf("%d %s", ends[end], end))
	}
	s := "no run was ever made in the places that were looked at"
	switch {
	case len(parts) > 0:
		s = "every run is finished: " + strings.Join(parts, ", ")
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
	found.Looked, found.Missing = append(found.Looked, p.others...), append(found.Missing, p.others...)
	for _, place := range p.runs {
		found.Looked = append(found.Looked, place)
		entries, more, err := files.List(place, maxRuns)
		switch {
		case files.Nothing(place, err):
			found.Missing = append(found.Missing, place)
			continue
		case err != nil:
			found.Problems = append(found.Problems, sources.Problem{Source: Name, Store: place, Cause: "the runs folder " +
				files.Cause(err),
				Next: "look at the folder and its permissions, then run this again"})
			continue
		case more:
			found.Problems = append(found.Problems, sources.Problem{Source: Name, Store: place,
				Cause: fmt.Sprintf("more than %d entries: the rest was not looked at", maxRuns),
				Next:  "name single runs as roots"})
		}
		base := files.Real(place)
		slices.SortFunc(entries, func(a, b os.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
		for _, e := range entries {
			dir := filepath.Join(base, e.Name())
			folder := e.IsDir()
			if e.Type()&os.ModeSymlink != 0 {
				info, err := os.Stat(dir)
				if err != nil && !files.Absent(err) {
					add(dir) // a loop, or a folder that may not be looked into: it gets its row
					continue
				}
				folder = err == nil && info.IsDir()
				if folder {
					dir = files.Real(dir)
				}
			}
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
