package claude

import (
	"regexp"
	"strings"
)

// Lines of the supervisor's log.
var (
	logLine    = regexp.MustCompile(`^\[(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z)\] \[(bg|supervisor)\] (.*)$`)
	logSpawned = regexp.MustCompile(`^bg (?:spawned|claimed-spare) ([0-9a-f]{8}) \(([^)]*)\)$`)
	// Behind the idle time can stand ", worker 2.1.300 (daemon 2.1.332)" and a note in brackets.
	logRetire = regexp.MustCompile(`^bg retire ([0-9a-f]{8}): ([a-z-]+), idle (\d+[hm])` +
		`(?:, worker [^\[\]]+)?(?: \[[^\[\]]*\])?$`)
	logSettled  = regexp.MustCompile(`^bg settled ([0-9a-f]{8}) \((done|killed|failed|crashed)\)(?:: (.*))?$`)
	logAdopted  = regexp.MustCompile(`^bg adopt: adopted=(\d+) respawned=(\d+) dead=(\d+)(?: .*)?$`)
	logStart    = regexp.MustCompile(`^─── daemon start ─── version=`)
	logUpgrade  = regexp.MustCompile(`self-restarting for upgrade`)
	logStop     = regexp.MustCompile(`^shutdown requested via control socket`)
	logShutdown = regexp.MustCompile(`^shutting down \(cause=([^,)]*)[,)]`)
	// logGlued finds a supervisor's start behind a line that was cut off by what ended the one before.
	logGlued = regexp.MustCompile(`.(\[\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z\] ` +
		`\[supervisor\] ─── daemon start ─── version=.*)$`)
)

// LogKind is what a line of the supervisor's log says.
type LogKind string

// The kinds that recovery reads; every other line is skipped.
const (
	LogStarted    LogKind = "started"
	LogRetired    LogKind = "retired"
	LogSettled    LogKind = "settled"
	LogAdopt      LogKind = "adopt"
	LogSupervisor LogKind = "supervisor-start"
	LogUpgrade    LogKind = "upgrade"
	LogShutdown   LogKind = "shutdown"
	LogStop       LogKind = "daemon-stop"
)

// LogLine is one line of the supervisor's log.
type LogLine struct {
	// Stamp is the line's time as it is written; empty for a line without one.
	Stamp string
	// Kind is empty for a line that says nothing to recovery.
	Kind  LogKind
	Short string
	// Cause is the retirement's cause, the settlement's outcome (done, killed, failed, crashed), the start's source or
	// the shutdown's cause.
	Cause string
	// Idle is how long the session had been idle when it was retired ("8h", "61m").
	Idle string
	// Detail is what stands behind the outcome.
	Detail string
	// Text is the line as it was understood: without what a lost machine left before it.
	Text string
}

// Retirement is what a line of the log, or its text, says of how a session was retired: the cause and the idle time;
// empty when it is no retirement.
func Retirement(line string) string {
	_, text, ok := strings.Cut(line, "[bg] ")
	if !ok {
		text = line
	}
	if !logRetire.MatchString(text) {
		return ""
	}
	_, how, _ := strings.Cut(text, ": ")
	return how
}

// ParseLogLine reads one line of the supervisor's log.
func ParseLogLine(line string) LogLine {
	// A machine that lost its power leaves zeros, or half a line, and the next supervisor writes right behind them. Its
	// start must not be lost: it says that what ran before may be dead.
	line = strings.Trim(line, "\x00")
	if glued := logGlued.FindStringSubmatch(line); glued != nil {
		line = glued[1]
	}
	m := logLine.FindStringSubmatch(line)
	if m == nil {
		return LogLine{}
	}
	out := LogLine{Stamp: m[1], Text: line}
	if m[2] == "bg" {
		out.background(m[3])
		return out
	}
	body := m[3]
	switch {
	case logStart.MatchString(body):
		out.Kind = LogSupervisor
	case logUpgrade.MatchString(body):
		out.Kind = LogUpgrade
	case logStop.MatchString(body):
		out.Kind = LogStop
	default:
		if m := logShutdown.FindStringSubmatch(body); m != nil {
			out.Kind, out.Cause = LogShutdown, m[1]
		}
	}
	return out
}

func (l *LogLine) background(body string) {
	if m := logSpawned.FindStringSubmatch(body); m != nil {
		l.Kind, l.Short, l.Cause = LogStarted, m[1], m[2]
	} else if m := logRetire.FindStringSubmatch(body); m != nil {
		l.Kind, l.Short, l.Cause, l.Idle = LogRetired, m[1], m[2], m[3]
	} else if m := logSettled.FindStringSubmatch(body); m != nil {
		l.Kind, l.Short, l.Cause, l.Detail = LogSettled, m[1], m[2], m[3]
	} else if logAdopted.MatchString(body) {
		l.Kind, l.Detail = LogAdopt, body
	}
}

// Outcomes of a settlement in the log.
const (
	SettledDone    = "done"
	SettledKilled  = "killed"
	SettledFailed  = "failed"
	SettledCrashed = "crashed"
)

// Adoption is what a supervisor says of the workers that it found at its start.
func Adoption(detail string) (adopted, respawned, dead string, ok bool) {
	m := logAdopted.FindStringSubmatch(detail)
	if m == nil {
		return "", "", "", false
	}
	return m[1], m[2], m[3], true
}
