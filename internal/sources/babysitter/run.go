package babysitter

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"recovery/internal/sources"
	"recovery/internal/sources/files"
	"recovery/internal/text"
)

// layout is the one version of the folder's layout that exists; an iterate refuses any other.
const layout = "2026.01-storage-preview"

// bareRun is what stands for the process of a run to which none was assigned yet (6.x).
const bareRun = "bare-run"

// maxCode bounds the process file that is hashed, in bytes.
const maxCode = 64 << 20

// run is one run's folder as it is read.
type run struct {
	dir     string // its real path
	id      string
	meta    files.Object
	metaErr error

	process, prompt, harness, sdk, cwd string
	revision                           string
	created                            time.Time
	unattended                         bool // nonInteractive
	layout                             string
	parent                             string // the run that this one is nested in

	journal *replay
	state   string
	lock    lock
	waits   waits

	session, sessionFrom string
	sessionActive        bool

	code string // same, changed, taken-over, missing, unknown; "" when no hash was recorded

	cut func(string) string // takes the run's secrets out of a text
	row sources.Row         // as it grows
}

// readRun reads a run's description, journal and lock.
func readRun(dir string, process func(int) sources.Process) *run {
	r := &run{dir: dir, id: filepath.Base(dir), journal: readJournal(dir), lock: readLock(dir, process)}
	r.meta, r.metaErr = readDescription(filepath.Join(dir, "run.json"))
	r.state = r.journal.state()
	r.row = sources.NewRow(Name, "", dir)
	r.row.Warnings = append(r.row.Warnings, r.journal.warnings...)
	if r.metaErr == nil {
		r.describe()
	}
	r.hide()
	return r
}

// readDescription reads a run.json. run:status takes any JSON for one that JavaScript counts as something; of what is
// no object, no member is there.
func readDescription(path string) (files.Object, error) {
	v, err := files.JSON(path)
	if err == nil && !truthy(v) {
		err = files.ErrNoObject
	}
	return files.ObjectOf(v), err
}

// describe takes what run.json says.
func (r *run) describe() {
	o := r.meta
	if id := o.Text("runId"); id != "" {
		if id != r.id {
			r.row.Warn("The run calls itself %s and its folder is named %s: name the folder in commands.", text.Cut(id, 120),
				text.Cut(r.id, 120))
		}
		r.id = id
	}
	r.process, r.prompt, r.revision = o.Text("processId"), o.Text("prompt"), o.Text("processRevision")
	r.harness = cmp.Or(o.Text("harness"), r.journal.harness)
	r.sdk = cmp.Or(o.Text("sdkVersion"), r.journal.sdk)
	r.cwd = cmp.Or(o.Text("cwd"), projectOf(r.dir))
	r.created, r.unattended, r.layout = files.Time(o.Text("createdAt")), truthy(o["nonInteractive"]),
		o.Text("layoutVersion")
	r.parent = o.Object("nested").Text("parentRunId")
	if proof := o.Text("completionProof"); proof != "" {
		r.journal.secrets = append(r.journal.secrets, proof)
	}
}

// projectOf is the folder that a run of 0.0.x works in, which does not record it: its runs are in <folder>/.a5c/runs.
func projectOf(dir string) string {
	runs := filepath.Dir(dir)
	if filepath.Base(runs) != "runs" || filepath.Base(filepath.Dir(runs)) != ".a5c" {
		return ""
	}
	project := filepath.Dir(filepath.Dir(runs))
	if filepath.Base(project) == ".a5c" {
		return filepath.Dir(project) // the doubled place of their issue #48
	}
	return project
}

// unreadable says why run:status would end with exit 1; empty when it would not.
func (r *run) unreadable() string {
	switch {
	case files.Nothing(filepath.Join(r.dir, "run.json"), r.metaErr):
		return "there is no run.json"
	case r.metaErr != nil:
		return "run.json " + strings.TrimPrefix(files.Cause(r.metaErr), "run.json ")
	case len(r.journal.damages) > 0:
		return r.journal.damages[0]
	}
	return ""
}

// beyond says that the run is unreadable for a limit of recovery's own, which run:status does not have.
func (r *run) beyond() bool {
	if r.metaErr != nil {
		return tooBig(r.metaErr)
	}
	return r.journal.beyond
}

func tooBig(err error) bool { return strings.HasPrefix(files.Cause(err), "is larger than") }

// finished says that nothing continues the run. A process error can be taken back, and a failure that came after the
// completion is probably false, so neither is the end.
func (r *run) finished() bool {
	if r.unreadable() != "" || r.lock.kind == "live" || r.state == "failed" && (r.journal.recoverable ||
		r.journal.falseFailure) {
		return false
	}
	return terminal(r.state)
}

// bare says that no process was assigned yet.
func (r *run) bare() bool {
	return r.process == bareRun || r.importPath() == bareRun
}

// importPath is the process file as run.json names it; empty when it names none, so that an iterate fails.
func (r *run) importPath() string {
	return r.meta.Object("entrypoint").Text("importPath")
}

// hashes remembers the hash of a process file, since many runs share one.
type hashes struct{ m sync.Map }

// checkCode compares the process file with the hash in run.json, as an iterate does: SHA-256 of the file at
// entrypoint.importPath, which is relative to the run's folder. An iterate that finds another one notes it and writes
// the new hash into run.json; what the journal's first event says is then the only trace of the old one.
func (r *run) checkCode(known *hashes) {
	path := r.importPath()
	if path == "" || path == bareRun {
		return
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(r.dir, path)
	}
	now := known.of(path)
	recorded := strings.ToLower(r.meta.Text("processCodeHash"))
	start := strings.ToLower(r.journal.startHash)
	switch {
	case now == "missing":
		r.code = "missing"
		r.row.Warn("The process file %s is not there: an iterate fails, and changes nothing, until it is.",
			text.Cut(path, 300))
	case recorded == "" && start == "":
	case now == "":
		r.code = "unknown"
	case recorded != "" && recorded != now:
		r.code = "changed"
	case start != "" && start != now:
		r.code = "taken-over"
	default:
		r.code = "same"
	}
}

// of is the file's hash in hex, "missing" when there is no such file, "" when it cannot be read.
func (h *hashes) of(path string) string {
	if known, ok := h.m.Load(path); ok {
		return known.(string)
	}
	sum := hashFile(path)
	h.m.Store(path, sum)
	return sum
}

func hashFile(path string) string {
	f, info, err := files.Open(path)
	if files.Absent(err) {
		return "missing"
	}
	if err != nil {
		return ""
	}
	defer func() { _ = f.Close() }()
	if info.Size() > maxCode {
		return ""
	}
	sum := sha256.New()
	if n, err := io.Copy(sum, io.LimitReader(f, maxCode+1)); err != nil || n > maxCode {
		return ""
	}
	return hex.EncodeToString(sum.Sum(nil))
}
