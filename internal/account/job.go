package account

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"path/filepath"
	"sort"
	"strings"
	"time"

	"recovery/internal/claude"

	"github.com/tidwall/gjson"
)

// Job is one background job, from jobs/<short>/state.json. State, Tempo and Needs are the client's guess at what goes
// on: they are never liveness and never the turn.
type Job struct {
	Short           string
	SessionID       string
	ResumeSessionID string
	Name            string
	Intent          string
	Cwd             string
	Template        string
	State           string
	Tempo           string
	Needs           string
	LinkScanPath    string
	// LinkScanOffset is how many bytes of that transcript the client has read: a shorter file has lost its end.
	LinkScanOffset int64
	// BridgeBody is the id of the claude.ai session without its prefix; empty for a plain job.
	BridgeBody string
	// QueuedPrompt is the message kept for the next start, byte for byte; Queued says that there is one, of whatever type.
	QueuedPrompt  string
	Queued        bool
	InFlightQueue int
	InFlightTasks int
	// Fan are the agents and shells that it started, PendingAgents how many agents its state file counts as unfinished.
	Fan           []FanItem
	PendingAgents int
	RespawnFlags  []string
	SelfWake      bool
	Routine       bool
	Archived      bool
	ForkSession   string
	ForkParent    string
	CliVersion    string
	CreatedAt     time.Time
	UpdatedAt     time.Time
	Pinned        bool
	// Fingerprint is a SHA-256 of state.json, in hex.
	Fingerprint string
	// Problem says why state.json cannot be trusted: not readable, not JSON, or damaged in a way that could hide
	// something.
	Problem string
}

// FanItem is an agent or a shell that a job started.
type FanItem struct {
	ID, Kind, Label string
	StartedAt       time.Time
	// Done says that the client saw it end.
	Done bool
}

// Jobs are the account's jobs, by short, with what was left out and why.
type Jobs struct {
	List     []*Job
	ByShort  map[string]*Job
	Warnings []string
	// Leftovers counts job folders without state.json: a normal remainder.
	Leftovers int
	// Odd counts entries of the jobs folder whose name is no short.
	Odd int
}

// jobKeys are the keys whose loss would change what may be done. A key that nearly is one of them is damage.
var jobKeys = []string{
	"queuedPrompt", "inFlight", "sessionId", "resumeSessionId", "linkScanPath", "template", "respawnFlags",
	"bridgeSessionId", "selfWake", "routine", "tempo", "state", "cwd",
}

// Jobs reads every job. Only an unreadable jobs folder is an error; an account that never ran one has no jobs.
func (a *Account) Jobs() (*Jobs, error) {
	dir := filepath.Join(a.Dir, "jobs")
	entries, err := a.ReadDir(dir)
	jobs := &Jobs{ByShort: map[string]*Job{}}
	if errors.Is(err, fs.ErrNotExist) {
		return jobs, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading the jobs of %s: %w; check who owns the folder, then run it again", a.Dir, err)
	}
	pins, warning := a.Pins()
	if warning != "" {
		jobs.Warnings = append(jobs.Warnings, warning)
	}
	for _, e := range entries {
		if e.Name() == "pins.json" {
			continue
		}
		if !claude.IsShort(e.Name()) {
			jobs.Odd++
			continue
		}
		job := a.Job(e.Name())
		if job == nil {
			jobs.Leftovers++
			continue
		}
		job.Pinned = pins[job.Short]
		if job.Problem != "" {
			jobs.Warnings = append(jobs.Warnings, fmt.Sprintf("jobs/%s/state.json: %s", job.Short, job.Problem))
		}
		jobs.List = append(jobs.List, job)
		jobs.ByShort[job.Short] = job
	}
	sort.Slice(jobs.List, func(i, j int) bool { return jobs.List[i].Short < jobs.List[j].Short })
	return jobs, nil
}

// Job reads one job; nil when its folder has no state.json.
func (a *Account) Job(short string) *Job {
	path := filepath.Join(a.Dir, "jobs", short, "state.json")
	data, err := a.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	job := &Job{Short: short}
	if err != nil {
		job.Problem = fmt.Sprintf("cannot be read: %v", err)
		return job
	}
	sum := sha256.Sum256(data)
	job.Fingerprint = hex.EncodeToString(sum[:])
	job.parse(trimBOM(data))
	return job
}

func (j *Job) parse(data []byte) {
	root, problem := object(data)
	if problem != "" {
		j.Problem = problem
		return
	}
	var problems []string
	note := func(format string, args ...any) { problems = append(problems, fmt.Sprintf(format, args...)) }
	text := func(key string, v gjson.Result) string {
		if v.Type == gjson.Null {
			return ""
		}
		if v.Type != gjson.String {
			note("%s is not a text", key)
		}
		return v.String()
	}
	checkKeys(root, "", jobKeys, note)
	root.ForEach(func(k, v gjson.Result) bool {
		switch key := k.String(); key {
		case "sessionId":
			j.SessionID = text(key, v)
		case "resumeSessionId":
			j.ResumeSessionID = text(key, v)
		case "name":
			j.Name = v.String()
		case "intent":
			j.Intent = v.String()
		case "cwd":
			j.Cwd = text(key, v)
		case "template":
			j.Template = text(key, v)
		case "state":
			j.State = text(key, v)
		case "tempo":
			j.Tempo = text(key, v)
		case "needs":
			j.Needs = v.String()
		case "linkScanPath":
			j.LinkScanPath = text(key, v)
		case "linkScanOffset":
			j.LinkScanOffset = v.Int()
		case "bridgeSessionId":
			j.BridgeBody = claude.Body(text(key, v))
		case "queuedPrompt":
			j.Queued = v.Type != gjson.Null && (v.Type != gjson.String || v.Str != "")
			j.QueuedPrompt = v.String()
		case "inFlight":
			j.parseInFlight(v, note)
		case "fan":
			j.parseFan(v, note)
		case "pendingBackgroundAgentCount":
			if v.Type != gjson.Null {
				j.PendingAgents = count(v, key, note)
			}
		case "respawnFlags":
			if v.Type != gjson.Null && !v.IsArray() {
				note("respawnFlags is not a list")
			}
			for _, f := range v.Array() {
				j.RespawnFlags = append(j.RespawnFlags, f.String())
			}
		case "selfWake":
			j.SelfWake = truthy(v)
		case "routine":
			j.Routine = truthy(v)
		case "archived":
			j.Archived = truthy(v)
		case "forkSessionId":
			j.ForkSession = v.String()
		case "forkParentSessionId":
			j.ForkParent = v.String()
		case "cliVersion":
			j.CliVersion = v.String()
		case "createdAt":
			j.CreatedAt = parseTime(v.String())
		case "updatedAt":
			j.UpdatedAt = parseTime(v.String())
		}
		return true
	})
	switch {
	case !claude.IsUUID(j.SessionID):
		note("sessionId is not a full session id")
	case !strings.HasPrefix(j.SessionID, j.Short):
		note("sessionId %s does not begin with the folder's name", j.SessionID)
	}
	if j.ResumeSessionID != "" && !claude.IsUUID(j.ResumeSessionID) {
		note("resumeSessionId is not a full session id")
	}
	j.Problem = strings.Join(problems, "; ")
}

func (j *Job) parseInFlight(v gjson.Result, note func(string, ...any)) {
	if v.Type == gjson.Null {
		return
	}
	if !v.IsObject() {
		note("inFlight is not an object")
		return
	}
	checkKeys(v, "inFlight", []string{claude.InFlightQueued, claude.InFlightTasks}, note)
	v.ForEach(func(k, n gjson.Result) bool {
		switch key := k.String(); key {
		case claude.InFlightQueued:
			j.InFlightQueue = count(n, "inFlight."+key, note)
		case claude.InFlightTasks:
			j.InFlightTasks = count(n, "inFlight."+key, note)
		}
		return true
	})
}

// parseFan reads the work that the job started; what is no list of objects may hide some.
func (j *Job) parseFan(v gjson.Result, note func(string, ...any)) {
	if v.Type == gjson.Null {
		return
	}
	if !v.IsArray() {
		note("fan is not a list")
		return
	}
	v.ForEach(func(_, f gjson.Result) bool {
		if !f.IsObject() {
			note("fan has an entry that is no object")
			return true
		}
		item := FanItem{ID: f.Get("id").String(), Kind: f.Get("kind").String(), Label: f.Get("label").String(),
			StartedAt: clientTime(f.Get("startedAt"))}
		item.Done = f.Get("doneAt").Type != gjson.Null && f.Get("doneAt").Exists()
		j.Fan = append(j.Fan, item)
		return true
	})
}

// clientTime is a time as the client writes it in state files: RFC 3339, or milliseconds since 1970.
func clientTime(v gjson.Result) time.Time {
	if v.Type == gjson.Number {
		return time.UnixMilli(v.Int()).UTC()
	}
	return parseTime(v.String())
}

// maxCount is more than any count of the client's; a number beyond it is damage and must not turn over into a small
// one.
const maxCount = 1 << 30

func count(n gjson.Result, key string, note func(string, ...any)) int {
	if n.Type != gjson.Number || n.Num < 0 || n.Num > maxCount || n.Num != math.Trunc(n.Num) {
		note("%s is not a count", key)
		return 0
	}
	return int(n.Num)
}

// checkKeys notes the keys of an object that are damaged: a key that stands twice, that holds what no key of the
// client's holds, or that nearly is a known one which is not there.
func checkKeys(object gjson.Result, subject string, known []string, note func(string, ...any)) {
	if subject != "" {
		subject += " "
	}
	seen := map[string]bool{}
	var keys []string
	object.ForEach(func(k, _ gjson.Result) bool {
		key := k.String()
		if seen[key] {
			note("%shas the key %q twice", subject, key)
		} else {
			keys = append(keys, key)
		}
		seen[key] = true
		return true
	})
	for _, key := range keys {
		switch meant, ok := NearMiss(key, known); {
		case ok && !seen[meant]:
			note("%shas a key %q that looks like a damaged %s", subject, key, meant)
		case !Plain(key):
			note("%shas a damaged key %q", subject, key)
		}
	}
}

// truthy is JavaScript's: the client writes these keys as objects, texts or booleans.
func truthy(v gjson.Result) bool {
	switch v.Type {
	case gjson.Null, gjson.False:
		return false
	case gjson.String:
		return v.Str != ""
	case gjson.Number:
		return v.Num != 0
	}
	return true
}

func parseTime(s string) time.Time {
	t, err := time.Parse(time.RFC3339Nano, s)
	if err != nil {
		return time.Time{}
	}
	return t.UTC()
}

// Terminal says whether the supervisor has nothing more to start for this job.
func (j *Job) Terminal() bool { return claude.Terminal(j.State) }

// OtherIDs are the session ids by which the conversation may know itself beside the job's own: after /clear it has a
// new one.
func (j *Job) OtherIDs() []string {
	if claude.IsUUID(j.ResumeSessionID) && j.ResumeSessionID != j.SessionID {
		return []string{j.ResumeSessionID}
	}
	return nil
}

// Title is the job's title, falling back to its first prompt.
func (j *Job) Title() string {
	if j.Name != "" {
		return j.Name
	}
	return j.Intent
}
