package claude

import (
	"regexp"
	"strings"
)

// Author is what a marker at the beginning of a text in the user's role says of who put it there.
type Author string

// The authors.
const (
	AuthorCommand      Author = "command"      // a command of the client
	AuthorOutput       Author = "output"       // the output of a command of the client
	AuthorShell        Author = "shell"        // a command line that the user ran, and its output
	AuthorNotification Author = "notification" // a task's notification
	AuthorInjected     Author = "injected"     // a reminder of the client's
	AuthorInterrupted  Author = "interrupted"  // the client's note of an interruption
	AuthorSession      Author = "session"      // another session
	AuthorSchedule     Author = "schedule"     // a schedule
)

// markers are the beginnings of texts that the client, not a person, put into the user's role.
var markers = []struct {
	prefix string
	author Author
}{
	{"<task-notification", AuthorNotification},
	{"<cross-session-message", AuthorSession}, {"<teammate-message", AuthorSession},
	{"<scheduled-task", AuthorSchedule},
	{"<command-name", AuthorCommand}, {"<command-message", AuthorCommand},
	{"<local-command-", AuthorOutput}, {"<bash-", AuthorShell},
	{"<system-reminder>", AuthorInjected},
	{"[Request interrupted", AuthorInterrupted},
}

// MarkedBy says who put a text into the user's role, by how it begins; ok is false for a text without a marker, which
// may be a person's.
//
// A reminder of the client's can stand before what somebody else said: who said that is who is behind the text.
func MarkedBy(s string) (author Author, ok bool) {
	if rest := behindReminders(s); rest != "" {
		s = rest
	}
	s = strings.TrimLeft(s, " \t\r\n")
	for _, m := range markers {
		if strings.HasPrefix(s, m.prefix) {
			return m.author, true
		}
	}
	return "", false
}

// systemReminder is the pair of tags around a reminder of the client's; a person's words can follow the second one.
const (
	systemReminder    = "<system-reminder>"
	endSystemReminder = "</system-reminder>"
)

// behindReminders is a text without the client's reminders at its beginning.
func behindReminders(s string) string {
	s = strings.TrimSpace(s)
	for strings.HasPrefix(s, systemReminder) {
		_, rest, closed := strings.Cut(s, endSystemReminder)
		if !closed {
			return ""
		}
		s = strings.TrimSpace(rest)
	}
	return s
}

// LocalOutput says whether a text is what a command printed that the client answered by itself. The command's own
// line stands before it, and the model is asked nothing.
func LocalOutput(s string) bool {
	s = strings.TrimLeft(s, " \t\r\n")
	return strings.HasPrefix(s, "<local-command-stdout") || strings.HasPrefix(s, "<local-command-stderr")
}

// CommandLine reads the line that the client writes for a command that a person typed: its name without the slash,
// and its arguments.
func CommandLine(s string) (name, args string, ok bool) {
	if author, _ := MarkedBy(s); author != AuthorCommand {
		return "", "", false
	}
	return strings.TrimPrefix(inside(s, "command-name"), "/"), inside(s, "command-args"), true
}

// ShellLine is the command line that a person ran in the client's shell, and whether the text is one.
func ShellLine(s string) (line string, ok bool) {
	if !strings.HasPrefix(strings.TrimLeft(s, " \t\r\n"), "<bash-input") {
		return "", false
	}
	return inside(s, "bash-input"), true
}

// inside is what stands in the first pair of a tag, trimmed; empty when it is not closed.
func inside(s, tag string) string {
	_, rest, _ := strings.Cut(s, "<"+tag+">")
	inner, _, ok := strings.Cut(rest, "</"+tag+">")
	if !ok {
		return ""
	}
	return strings.TrimSpace(inner)
}

// Values of origin.kind that decide.
const (
	OriginHuman        = "human"
	OriginNotification = "task-notification"
)

// machineOrigins are the other origins that are never a person's. A channel is not among them: people write through
// channels.
var machineOrigins = map[string]Author{
	OriginNotification: AuthorNotification, "peer": AuthorSession, "coordinator": AuthorSession,
	"cron": AuthorSchedule, "loop": AuthorSchedule,
}

// MachineOrigin says who is behind a value of origin.kind that is never a person's.
func MachineOrigin(kind string) (author Author, ok bool) {
	author, ok = machineOrigins[kind]
	return author, ok
}

// Stop reasons with which the model ends its turn.
const (
	StopEndTurn   = "end_turn"
	StopSequence  = "stop_sequence"
	StopRefusal   = "refusal"
	StopMaxTokens = "max_tokens"
)

// StopReasons are the stop reasons after which a turn is over.
func StopReasons() []string { return []string{StopEndTurn, StopSequence, StopRefusal, StopMaxTokens} }

// EndsTurn says whether a turn is over after a message with this stop reason.
func EndsTurn(stop string) bool {
	switch stop {
	case StopEndTurn, StopSequence, StopRefusal, StopMaxTokens:
		return true
	}
	return false
}

// Tools that wait for a person by themselves.
const (
	ToolAsk  = "AskUserQuestion"
	ToolPlan = "ExitPlanMode"
)

// AsksPerson says whether a tool waits for a person by itself.
func AsksPerson(tool string) bool { return tool == ToolAsk || tool == ToolPlan }

// SyntheticModel is the model of a line that the client, not a model, put into the assistant's role.
const SyntheticModel = "<synthetic>"

// NoResponse is the client's own answer when a session is woken in the middle of a turn.
const NoResponse = "No response requested."

// CutCall is how the result of a call begins whose session ended before it.
const CutCall = "[Tool call interrupted: the session ended before this call's result was recorded"

// QueuedCommand is the kind of an attachment that holds a message from the queue.
const QueuedCommand = "queued_command"

// Types of lines that recovery asks for by name, besides user and assistant.
const (
	TypeQueue       = "queue-operation"
	TypeContinuedIn = "continued-in"
	TypeBridge      = "bridge-session"
)

// The operations of a line of the queue: a message went in, was handed over, was taken out, all were taken out.
const (
	QueuePut    = "enqueue"
	QueueTake   = "dequeue"
	QueueRemove = "remove"
	QueuePopAll = "popAll"
)

// isolation is how the guard of background sessions refuses a call; it writes no toolDenialKind.
const isolation = "<tool_use_error>This background session hasn't isolated its changes yet"

// Isolated says whether the result of a call is the refusal of the guard of background sessions.
func Isolated(result string) bool { return strings.HasPrefix(strings.TrimSpace(result), isolation) }

// Values of toolDenialKind.
const (
	DeniedByUser = "user-rejected"
	DeniedByRule = "permission-rule"
	DeniedByAuto = "automode-unavailable"
)

// PermissionPrompt is what a registered process says that it waits for at a permission prompt.
const PermissionPrompt = "permission prompt"

var approve = regexp.MustCompile(`^approve\b`)

// AsksApproval says whether the needs of a job's state file are those of a permission prompt ("approve Bash: touch x").
func AsksApproval(needs string) bool { return approve.MatchString(needs) }

// Options and modes with which a session asks for no permission.
const (
	SkipPermissions = "--dangerously-skip-permissions"
	BypassMode      = "bypassPermissions"
)
