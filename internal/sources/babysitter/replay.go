package babysitter

import (
	"fmt"
	"regexp"
	"slices"
	"time"

	"github.com/tidwall/gjson"
)

// event is one entry of a journal.
type event struct {
	name string
	kind string
	at   time.Time // zero when it cannot be read
	data gjson.Result
}

// effect is something that a run asked for: a task, a breakpoint, a sleep.
type effect struct {
	id, kind, label, taskID string
	asked                   time.Time
	status                  string // requested, ok, error, cancelled
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

// state is run:status' word: the last lifecycle event decides, then whether anything is pending.
func (r *replay) state() string {
	switch r.lifecycle {
	case "RUN_COMPLETED":
		return "completed"
	case "RUN_HALTED":
		return "halted"
	case "RUN_FAILED", "PROCESS_RUNTIME_ERROR":
		return "failed"
	}
	if len(r.pending()) > 0 {
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
	m := pick(e.data, "sessionId", "harness", "completionProof", "processCodeHash", "error", "reason",
		"manual_seal_reason", "recovery")
	if id := str(m[0]); id != "" {
		r.sessionID = id
	}
	if h := str(m[1]); h != "" {
		r.harness = h
	}
	if proof := str(m[2]); proof != "" {
		r.secrets = append(r.secrets, proof)
	}
	switch e.kind {
	case "RUN_CREATED":
		r.lifecycle, r.startHash = e.kind, str(m[3])
	case "PROCESS_ASSIGNED":
		r.startHash = str(m[3])
	case "PROCESS_CODE_HASH_CHANGED":
		r.codeChanges++
	case "RUN_COMPLETED":
		r.lifecycle, r.sealReason = e.kind, str(m[6])
		r.completions++
	case "RUN_HALTED":
		r.lifecycle, r.haltReason = e.kind, m[5].String()
	case "RUN_FAILED", "PROCESS_RUNTIME_ERROR":
		r.lifecycle, r.sealReason = e.kind, str(m[6])
		r.errorName, r.errorText = errorOf(m[4])
		r.falseFailure = e.kind == "RUN_FAILED" && r.completions > 0 && sequenceGap.MatchString(r.errorText)
		// Older events of that kind do not say it, and the command exists for them all.
		r.recoverable = e.kind == "PROCESS_RUNTIME_ERROR" && member(m[7], "recoverable").Type != gjson.False
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
	m := pick(v, "name", "message")
	return str(m[0]), str(m[1])
}

func (r *replay) requested(e event) {
	m := pick(e.data, "effectId", "invocationKey", "stepId", "taskId", "taskDefRef", "inputsRef", "labels", "kind",
		"label")
	for i, name := range []string{"effectId", "invocationKey", "stepId", "taskId", "taskDefRef"} {
		if m[i].Type != gjson.String || m[i].Str == "" {
			r.damage("Malformed journal event missing %s: %s", name, e.name)
			return
		}
	}
	if m[5].Exists() && (m[5].Type != gjson.String || m[5].Str == "") {
		r.damage("Malformed journal event inputsRef: %s", e.name)
		return
	}
	if m[6].Exists() && !texts(m[6]) {
		r.damage("Malformed EFFECT_REQUESTED labels payload: %s", e.name)
		return
	}
	id, key := m[0].Str, m[1].Str
	if r.byID[id] != nil {
		r.damage("Duplicate effectId detected: %s in %s", id, e.name)
		return
	}
	if r.byKey[key] {
		r.damage("Duplicate invocation key detected: %s in %s", key, e.name)
		return
	}
	f := &effect{id: id, kind: "unknown", label: str(m[8]), taskID: m[3].Str, asked: e.at, status: "requested"}
	if given(m[7]) {
		f.kind = m[7].String()
	}
	r.effects = append(r.effects, f)
	r.byID[id], r.byKey[key] = f, true
}

func texts(v gjson.Result) bool {
	return v.IsArray() && !slices.ContainsFunc(v.Array(), func(m gjson.Result) bool { return m.Type != gjson.String })
}

func (r *replay) resolved(e event) {
	m := pick(e.data, "status", "resultRef", "stdoutRef", "stderrRef", "error")
	status := m[0].String()
	if m[0].Type != gjson.String || status != "ok" && status != "error" {
		r.damage("Unknown EFFECT_RESOLVED status '%s' in %s", status, e.name)
		return
	}
	for i, name := range []string{"resultRef", "stdoutRef", "stderrRef"} {
		if ref := m[i+1]; truthy(ref) && ref.Type != gjson.String {
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
		_, r.taskError = errorOf(m[4])
	}
}

// open finds the effect that an event is about; it has to be pending.
func (r *replay) open(e event) *effect {
	id := member(e.data, "effectId")
	if id.Type != gjson.String || id.Str == "" {
		r.damage("Malformed journal event missing effectId: %s", e.name)
		return nil
	}
	f := r.byID[id.Str]
	if f == nil {
		r.damage("%s references unknown effectId %s in %s", e.kind, id.Str, e.name)
		return nil
	}
	if f.status != "requested" {
		r.damage("Effect %s is no longer open at %s", id.Str, e.name)
		return nil
	}
	return f
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
