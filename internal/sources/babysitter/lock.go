package babysitter

import (
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/tidwall/gjson"

	"recovery/internal/sources"
	"recovery/internal/sources/files"
)

// lockOwners are the writers that take a run's lock. Any other text in that place is not shown: it may be anything.
var lockOwners = []string{"runtime:createRun", "runtime:orchestrateIteration", "runtime:commitEffectResult",
	"runtime:commitEffectCancellation", "run:create:adopt", "run:assign-process"}

// lockSlack is by how much a process may seem to begin after the lock that it took: the lock's time is a wall clock's.
const lockSlack = 2 * time.Second

// lock is what run.lock says. It is there only while a writer holds it, so none means "between iterations" and not
// "dead".
type lock struct {
	kind  string // none, live, stale, reused, corrupt
	pid   int
	owner string
	at    time.Time
	cause string // why it is corrupt
}

// readLock reads run.lock. The file has no start time of the process, so a process id that was given to another
// process looks alive to Babysitter's writers; comparing the process's start with acquiredAt tells it.
func readLock(run string, process func(int) sources.Process) lock {
	path := filepath.Join(run, "run.lock")
	v, err := readObject(path)
	if files.Nothing(path, err) {
		return lock{kind: "none"}
	}
	if err != nil {
		return lock{kind: "corrupt", cause: files.Cause(err)}
	}
	m := pick(v, "pid", "owner", "acquiredAt")
	l := lock{kind: "live", owner: "a writer of another name", at: readTime(str(m[2]))}
	if slices.Contains(lockOwners, str(m[1])) {
		l.owner = str(m[1])
	}
	if m[0].Type != gjson.Number || m[0].Num < 1 || m[0].Num > 1<<31-1 || m[0].Num != float64(int(m[0].Num)) {
		return lock{kind: "corrupt", cause: "has no process id"}
	}
	l.pid = int(m[0].Num)
	if process == nil {
		return l
	}
	switch p := process(l.pid); {
	case !p.Running:
		l.kind = "stale"
	case !p.Started.IsZero() && !l.at.IsZero() && p.Started.After(l.at.Add(lockSlack)):
		l.kind = "reused"
	}
	return l
}

// text says in words what the lock means.
func (l lock) text() string {
	since := ""
	if !l.at.IsZero() {
		since = ", since " + l.at.Format(time.RFC3339)
	}
	switch l.kind {
	case "live":
		return fmt.Sprintf("held by process %d (%s)%s", l.pid, l.owner, since)
	case "stale":
		return fmt.Sprintf("left behind by process %d (%s)%s, which is gone; the next writer removes it", l.pid, l.owner,
			since)
	case "reused":
		return fmt.Sprintf("left behind by process %d (%s)%s; another process has that number now, so writers will take "+
			"the lock for held until somebody deletes it", l.pid, l.owner, since)
	case "corrupt":
		return "run.lock " + l.cause + "; every writer fails until somebody deletes it"
	}
	return "none"
}
