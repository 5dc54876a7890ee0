package account

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strings"
	"time"

	"recovery/internal/claude"
)

// LogKind is what a line of the supervisor's log says.
type LogKind = claude.LogKind

// The kinds that recovery reads; every other line is skipped.
const (
	LogStarted    = claude.LogStarted
	LogRetired    = claude.LogRetired
	LogSettled    = claude.LogSettled
	LogAdopt      = claude.LogAdopt
	LogSupervisor = claude.LogSupervisor
	LogUpgrade    = claude.LogUpgrade
	LogShutdown   = claude.LogShutdown
	LogStop       = claude.LogStop
)

// LogEntry is one understood line.
type LogEntry struct {
	At    time.Time
	Kind  LogKind
	Short string
	// Cause is the retirement's cause, the settlement's outcome (done, killed, failed, crashed) or the start's source.
	Cause string
	// Idle is how long the session had been idle when it was retired, as the log says it ("8h", "61m").
	Idle string
	// Detail is what stands behind the outcome.
	Detail string
	Line   string
}

// Log is the supervisor's log, oldest entry first.
type Log struct {
	Entries  []LogEntry
	Warnings []string
	// From is the time of the first stamped line: what was before it, the log cannot tell. Zero for an empty log.
	From time.Time
	// To is the time of the last stamped line.
	To      time.Time
	byShort map[string][]int
}

// maxLogLine is where a line of the log is given up; real ones are under a kilobyte.
const maxLogLine = 1 << 20

// Log reads daemon.log.1, then daemon.log. A missing log is an empty one: "no record".
func (a *Account) Log() *Log {
	log := &Log{byShort: map[string][]int{}}
	for _, name := range []string{"daemon.log.1", "daemon.log"} {
		f, err := a.Open(filepath.Join(a.Dir, name))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			log.Warnings = append(log.Warnings, fmt.Sprintf("%s cannot be read: %v", name, err))
			continue
		}
		if err := log.read(f); err != nil {
			log.Warnings = append(log.Warnings, fmt.Sprintf("%s was read in part: %v", name, err))
		}
		_ = f.Close()
	}
	return log
}

// ParseLog reads a log from r: the text of one or both files, in order.
func ParseLog(r io.Reader) (*Log, error) {
	log := &Log{byShort: map[string][]int{}}
	err := log.read(r)
	return log, err
}

func (l *Log) read(r io.Reader) error {
	in := bufio.NewReaderSize(r, 64<<10)
	for {
		line, err := readLogLine(in)
		if len(line) > 0 {
			l.add(line)
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// readLogLine reads one line and drops what goes past maxLogLine.
func readLogLine(in *bufio.Reader) (string, error) {
	var b strings.Builder
	for {
		part, err := in.ReadSlice('\n')
		if b.Len() < maxLogLine {
			b.Write(part)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return strings.TrimRight(b.String(), "\r\n"), err
		}
	}
}

func (l *Log) add(line string) {
	said := claude.ParseLogLine(line)
	at := parseTime(said.Stamp)
	if at.IsZero() {
		return
	}
	if l.From.IsZero() || at.Before(l.From) {
		l.From = at
	}
	if at.After(l.To) {
		l.To = at
	}
	if said.Kind == "" {
		return
	}
	e := LogEntry{At: at, Kind: said.Kind, Short: said.Short, Cause: said.Cause, Idle: said.Idle, Detail: said.Detail,
		Line: said.Text}
	l.Entries = append(l.Entries, e)
	if e.Short != "" {
		l.byShort[e.Short] = append(l.byShort[e.Short], len(l.Entries)-1)
	}
}

// Of are the entries of one session, in the order of the log.
func (l *Log) Of(short string) []LogEntry {
	out := make([]LogEntry, 0, len(l.byShort[short]))
	for _, i := range l.byShort[short] {
		out = append(out, l.Entries[i])
	}
	return out
}

// Last is the last entry of one session.
func (l *Log) Last(short string) (LogEntry, bool) {
	idx := l.byShort[short]
	if len(idx) == 0 {
		return LogEntry{}, false
	}
	return l.Entries[idx[len(idx)-1]], true
}

// RetiredAfter finds the last retirement of a session that is not before t.
func (l *Log) RetiredAfter(short string, t time.Time) (LogEntry, bool) {
	idx := l.byShort[short]
	for i := len(idx) - 1; i >= 0; i-- {
		e := l.Entries[idx[i]]
		if e.Kind == LogRetired && !e.At.Before(t) {
			return e, true
		}
	}
	return LogEntry{}, false
}

// LiveThrough says whether the log shows the session running for all of from..to: started before from, its end
// recorded after to, nothing of it in between, and no start of a supervisor in between (a start may mean that
// everything died). A start between to and that end is the same doubt, unless the supervisor says that it lost and
// respawned nothing.
func (l *Log) LiveThrough(short string, from, to time.Time) bool {
	up, doubt := false, false
	unsaid := false // a supervisor started and did not say yet what became of the workers
	for _, e := range l.Entries {
		switch {
		case e.Kind == LogSupervisor && e.At.After(to):
			doubt, unsaid = doubt || unsaid, true
		case e.Kind == LogSupervisor && e.At.After(from):
			return false
		case e.Kind == LogAdopt && unsaid:
			_, respawned, dead, ok := claude.Adoption(e.Detail)
			doubt, unsaid = doubt || !ok || respawned != "0" || dead != "0", false
		}
		if e.Short != short {
			continue
		}
		switch {
		case !e.At.After(from):
			up = e.Kind == LogStarted
		case e.At.After(to):
			return up && !doubt && !unsaid && e.Kind != LogStarted
		default:
			return false
		}
	}
	return false
}
