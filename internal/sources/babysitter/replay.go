package babysitter

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"time"

	"github.com/tidwall/gjson"

	"recovery/internal/sources/files"
)

// event is one entry of a journal.
type event struct {
	name string
	kind string
	at   time.Time // zero when it cannot be read
	data files.Object
}

// effect is something that a run asked for: a task, a breakpoint, a sleep.
type effect struct {
	id, kind, label string
	asked           time.Time
	status          string // requested, ok, error, cancelled
}

// replay is what a journal tells.
type replay struct {
	missing    bool // there is no journal folder
	files      int
	seq, shift int
	ulid       string

	effects []*effect
	byID    map[string]*effect
	byKey   map[string]bool

	lifecycle    string // the last lifecycle event
	completions  int
	others       int    // events that are neither lifecycle nor effects
	lastResolved string // ok or error
	errorName    string
	errorText    string
	taskError    string // of the last effect that was resolved with an error
	falseFailure bool
	recoverable  bool
	haltReason   string
	sealReason   string
	startHash    string // the process code's hash when the process was assigned
	codeChanges  int
	sessionID    string
	harness      string
	sdk          string

	lastKind string
	lastAt   time.Time // the newest time of any event

	damages  []string // what ends run:status with exit 1
	beyond   bool     // the first of them is a limit of recovery's own
	moreBad  int
	warnings []string
	badSums  []string
	noSums   int
	badTimes int
	secrets  []string
}

func newReplay() *replay {
	return &replay{byID: map[string]*effect{}, byKey: map[string]bool{}}
}

// limit is a damage that is none for run:status.
func (r *replay) limit(format string, args ...any) {
	r.beyond = r.beyond || len(r.damages) == 0
	r.damage(format, args...)
}

func (r *replay) damage(format string, args ...any) {
	if len(r.damages) >= maxShown {
		r.moreBad++
		return
	}
	r.damages = append(r.damages, fmt.Sprintf(format, args...))
}

func (r *replay) warn(is bool, format string, args ...any) {
	if is {
		r.warnings = append(r.warnings, fmt.Sprintf(format, args...))
	}
}

// ends are run:status' words for the lifecycle events that end a run.
var ends = map[string]string{"RUN_COMPLETED": "completed", "RUN_HALTED": "halted", "RUN_FAILED": "failed",
	"PROCESS_RUNTIME_ERROR": "failed"}

// state is run:status' word: the last lifecycle event decides, then whether anything is pending.
func (r *replay) state() string {
	switch end := ends[r.lifecycle]; {
	case end != "":
		return end
	case len(r.pending()) > 0:
		return "waiting"
	}
	return "created"
}

// pending lists what was asked for and is neither resolved nor cancelled, oldest first.
func (r *replay) pending() []*effect {
	var out []*effect
	for _, e := range r.effects {
		if e.status == "requested" {
			out = append(out, e)
		}
	}
	return out
}

// pendingByKind counts what is pending, as run:status does.
func (r *replay) pendingByKind() map[string]int {
	out := map[string]int{}
	for _, e := range r.pending() {
		out[e.kind]++
	}
	return out
}

func (r *replay) apply(e event) {
	r.lastKind = e.kind
	if e.at.After(r.lastAt) {
		r.lastAt = e.at
	}
	d := e.data
	r.sessionID, r.harness = cmp.Or(d.Text("sessionId"), r.sessionID), cmp.Or(d.Text("harness"), r.harness)
	if proof := d.Text("completionProof"); proof != "" {
		r.secrets = append(r.secrets, proof)
	}
	switch e.kind {
	case "RUN_CREATED":
		r.lifecycle, r.startHash = e.kind, d.Text("processCodeHash")
	case "PROCESS_ASSIGNED":
		r.startHash = d.Text("processCodeHash")
	case "PROCESS_CODE_HASH_CHANGED":
		r.codeChanges++
	case "RUN_COMPLETED":
		r.lifecycle, r.sealReason = e.kind, d.Text("manual_seal_reason")
		r.completions++
	case "RUN_HALTED":
		r.lifecycle, r.haltReason = e.kind, d["reason"].String()
	case "RUN_FAILED", "PROCESS_RUNTIME_ERROR":
		r.lifecycle, r.sealReason = e.kind, d.Text("manual_seal_reason")
		r.errorName, r.errorText = errorOf(d["error"])
		r.falseFailure = e.kind == "RUN_FAILED" && r.completions > 0 && sequenceGap.MatchString(r.errorText)
		// Older events of that kind do not say it, and the command exists for them all.
		r.recoverable = e.kind == "PROCESS_RUNTIME_ERROR" && d.Object("recovery")["recoverable"].Type != gjson.False
	case "EFFECT_REQUESTED":
		r.requested(e)
	case "EFFECT_RESOLVED":
		r.resolved(e)
	case "EFFECT_CANCELLED":
		if f := r.open(e); f != nil {
			f.status = "cancelled"
		}
	default:
		r.others++
	}
}

// sequenceGap is the error of a run whose events collided after it had completed (their issues #120 and #191).
var sequenceGap = regexp.MustCompile(`(?i)sequence (gap|regression)|seq mismatch|ULID order`)

func errorOf(v gjson.Result) (name, message string) {
	if v.Type == gjson.String {
		return "", v.Str
	}
	o := files.ObjectOf(v)
	return o.Text("name"), o.Text("message")
}

func (r *replay) requested(e event) {
	d := e.data
	for _, name := range []string{"effectId", "invocationKey", "stepId", "taskId", "taskDefRef"} {
		if !filled(d[name]) {
			r.damage("Malformed journal event missing %s: %s", name, e.name)
			return
		}
	}
	id, key := d["effectId"].Str, d["invocationKey"].Str
	switch inputs, labels := d["inputsRef"], d["labels"]; {
	case inputs.Exists() && !filled(inputs):
		r.damage("Malformed journal event inputsRef: %s", e.name)
	case labels.Exists() && !texts(labels):
		r.damage("Malformed EFFECT_REQUESTED labels payload: %s", e.name)
	case r.byID[id] != nil:
		r.damage("Duplicate effectId detected: %s in %s", id, e.name)
	case r.byKey[key]:
		r.damage("Duplicate invocation key detected: %s in %s", key, e.name)
	default:
		f := &effect{id: id, kind: wordOr(d["kind"], "unknown"), label: d.Text("label"), asked: e.at, status: "requested"}
		r.effects = append(r.effects, f)
		r.byID[id], r.byKey[key] = f, true
	}
}

// wordOr is a value as a word, or another where it is missing or null.
func wordOr(v gjson.Result, other string) string {
	if !v.Exists() || v.Type == gjson.Null {
		return other
	}
	return v.String()
}

// filled says that a value is a text, and not an empty one.
func filled(v gjson.Result) bool { return v.Type == gjson.String && v.Str != "" }

func texts(v gjson.Result) bool {
	return v.IsArray() && !slices.ContainsFunc(v.Array(), func(m gjson.Result) bool { return m.Type != gjson.String })
}

func (r *replay) resolved(e event) {
	d := e.data
	status := d["status"].String()
	if d["status"].Type != gjson.String || status != "ok" && status != "error" {
		r.damage("Unknown EFFECT_RESOLVED status '%s' in %s", status, e.name)
		return
	}
	for _, name := range []string{"resultRef", "stdoutRef", "stderrRef"} {
		if ref := d[name]; truthy(ref) && ref.Type != gjson.String {
			r.damage("Malformed EFFECT_RESOLVED %s in %s", name, e.name)
			return
		}
	}
	f := r.open(e)
	if f == nil {
		return
	}
	f.status, r.lastResolved, r.taskError = status, status, ""
	if status == "error" {
		_, r.taskError = errorOf(d["error"])
	}
}

// open finds the effect that an event is about; it has to be pending.
func (r *replay) open(e event) *effect {
	id := e.data["effectId"]
	f := r.byID[id.Str]
	switch {
	case !filled(id):
		r.damage("Malformed journal event missing effectId: %s", e.name)
	case f == nil:
		r.damage("%s references unknown effectId %s in %s", e.kind, id.Str, e.name)
	case f.status != "requested":
		r.damage("Effect %s is no longer open at %s", id.Str, e.name)
	default:
		return f
	}
	return nil
}

// truthy is JavaScript's idea of a value that counts.
func truthy(v gjson.Result) bool {
	switch v.Type {
	case gjson.Null, gjson.False:
		return false
	case gjson.Number:
		return v.Num != 0
	case gjson.String:
		return v.Str != ""
	}
	return v.Exists()
}
