package journal

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"time"
)

// Close moves a finished recovery's journal to closed/<time>.jsonl, when finished says of its events that nothing is
// open. It gives the new path, or "" when there was nothing to close. With an open defect or an open intention a
// recovery is never finished, whatever finished says.
func (j *Journal) Close(finished func([]Event) bool) (string, error) {
	if _, err := os.Stat(j.Path()); errors.Is(err, os.ErrNotExist) || j.barred != nil {
		return "", nil
	}
	unlock, err := j.lockMoment()
	if err != nil {
		return "", fmt.Errorf("closing the finished recovery: %w", err)
	}
	defer unlock()
	events, err := j.Read()
	if err != nil {
		return "", err
	}
	if len(events) == 0 || len(Replay(events).OpenSessions()) > 0 || !finished(events) {
		return "", nil
	}
	dir := filepath.Join(j.dir, closedDir)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fmt.Errorf("closing the finished recovery: %w", err)
	}
	name := events[0].At.UTC().Format(stamp)
	path := filepath.Join(dir, name+".jsonl")
	for n := 2; exists(path); n++ {
		path = filepath.Join(dir, fmt.Sprintf("%s-%d.jsonl", name, n))
	}
	if err := os.Rename(j.Path(), path); err != nil {
		return "", fmt.Errorf("closing the finished recovery: %w", err)
	}
	j.forget()
	return path, errors.Join(syncDir(dir), syncDir(j.dir))
}

// ClosedRecovery is one that was finished and is kept.
type ClosedRecovery struct {
	Path   string    `json:"path"`
	From   time.Time `json:"from"`
	To     time.Time `json:"to"`
	Events int       `json:"events"`
	// Problem says why it cannot be read; it is still listed.
	Problem string `json:"problem"`
	State   *State `json:"-"`
}

// Closed lists the finished recoveries, oldest first.
func (j *Journal) Closed() []ClosedRecovery {
	paths, _ := filepath.Glob(filepath.Join(globQuote(j.dir), closedDir, "*.jsonl"))
	sort.Strings(paths)
	out := make([]ClosedRecovery, 0, len(paths))
	for _, path := range paths {
		c := ClosedRecovery{Path: path}
		data, err := os.ReadFile(path)
		if err == nil {
			var events []Event
			if events, _, err = Parse(path, data); err == nil {
				c.Events, c.State = len(events), Replay(events)
				c.From, c.To = c.State.First, c.State.Last
			}
		}
		if err != nil {
			c.Problem = err.Error()
		}
		out = append(out, c)
	}
	return out
}

func globQuote(s string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(s)
}
