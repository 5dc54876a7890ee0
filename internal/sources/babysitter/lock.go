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
	o, err := files.ReadObject(path)
	if files.Nothing(path, err) {
		return lock{kind: "none"}
	}
	if err != nil {
		return lock{kind: "corrupt", cause: files.Cause(err)}
	}
	l := lock{kind: "live", owner: "a writer of another name", at: files.Time(o.Text("acquiredAt"))}
	if owner := o.Text("owner"); slices.Contains(lockOwners, owner) {
		l.owner = owner
	}
	pid := o["pid"]
	if pid.Type != gjson.Number || pid.Num < 1 || pid.Num > 1<<31-1 || pid.Num != float64(int(pid.Num)) {
		return lock{kind: "corrupt", cause: "has no process id"}
	}
	l.pid = int(pid.Num)
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
	owner := fmt.Sprintf("process %d (%s)", l.pid, l.owner)
	if !l.at.IsZero() {
		owner += ", since " + l.at.Format(time.RFC3339)
	}
	switch l.kind {
	case "live":
		return "held by " + owner
	case "stale":
		return "left behind by " + owner + ", which is gone; the next writer removes it"
	case "reused":
		return "left behind by " + owner + "; another process has that number now, so writers will take the lock for held " +
			"until somebody deletes it"
	case "corrupt":
		return "run.lock " + l.cause + "; every writer fails until somebody deletes it"
	}
	return "none"
}
