package ouroboros

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"recovery/internal/sources"
)

// Name is the source's name in rows and on the command line.
const Name = "ouroboros"

// Find reads the store of the account, and those named as roots (a home, a folder of Ouroboros, or a database file).
// Rows come with the newest activity first. A store that is not there is in Missing; one that is there and cannot be
// read is in Problems. Nothing is written, and no temporary copy is made.
func Find(m sources.Machine) sources.Found {
	f := sources.NewFound()
	var none []string
	for _, p := range places(m) {
		f.Looked = append(f.Looked, p.path)
		if p.problem != nil {
			fail(&f, p.path, *p.problem)
			continue
		}
		finished := pipelines(&f, p, m.All)
		if p.missing {
			f.Missing = append(f.Missing, p.path)
			none = append(none, "no store at "+p.path+": it was never created"+after("; its pipelines: ", finished))
		} else if s, err := readStore(m, p); err != nil {
			fail(&f, p.path, err)
		} else {
			f.Rows = append(f.Rows, s.rows...)
			maps.Copy(finished, s.finished) // a pipeline's states have names of their own
			for reason, n := range s.leftOut {
				f.LeftOut[reason] += n
			}
			why := "no session was ever started in it"
			if len(finished) > 0 {
				why = "all is finished" + after(": ", finished)
			}
			none = append(none, "nothing unfinished in "+p.path+": "+why+"; its history: "+monitor(p))
		}
		if !m.All {
			for state, n := range finished {
				f.LeftOut[state] += n
			}
		}
	}
	f.Sort()
	open := slices.ContainsFunc(f.Rows, func(r sources.Row) bool { return r.Verdict != sources.Done })
	if !open && len(f.Problems) == 0 {
		f.None = strings.Join(none, ". ")
	}
	return f
}

// after puts counts behind words; empty when there are none.
func after(words string, counts map[string]int) string {
	if len(counts) == 0 {
		return ""
	}
	return words + sources.Counted(counts)
}

// reading is what one store gives.
type reading struct {
	rows              []sources.Row
	finished, leftOut map[string]int
}

// readStore reads one store into rows.
func readStore(m sources.Machine, p place) (out reading, err error) {
	path, err := filepath.EvalSymlinks(p.path)
	if err != nil {
		if _, told := os.Stat(p.path); told != nil {
			err = told // of a loop EvalSymlinks says so in words only
		}
		return out, cause(err, p.path)
	}
	err = read(path, func(v *view) error {
		c, err := v.contents(m.All)
		if err != nil {
			return err
		}
		jobs, err := v.jobs()
		if err != nil {
			return err
		}
		out = reading{finished: c.finished, leftOut: map[string]int{}}
		var limit sources.Limit
		for _, s := range c.sessions {
			// What would be cut off later is counted here, and the rest of it need not be read.
			if reason := limit.Beyond(s.unreadable != ""); reason != "" && !m.All {
				out.leftOut[reason]++
				continue
			}
			if err := v.fill(s); err != nil {
				s.unreadable = "its events cannot be read: " + sqlCause(err).Error()
			}
			s.jobs = jobs[s.id]
			out.rows = append(out.rows, sessionRow(m, p, s))
		}
		for _, q := range c.loose {
			out.rows = append(out.rows, looseRow(p, q))
		}
		return nil
	})
	return out, err
}
