package claude

import (
	"regexp"
	"strings"
)

// ToolWakeup sets a time at which the session goes on by itself.
const ToolWakeup = "ScheduleWakeup"

// Tools that set and delete a schedule of the session's own.
const (
	ToolCronCreate = "CronCreate"
	ToolCronDelete = "CronDelete"
)

// ToolSkill runs a skill.
const ToolSkill = "Skill"

// Tools that start a subagent; Task is the old name of Agent.
const (
	ToolAgent = "Agent"
	ToolTask  = "Task"
)

// StartsAgent says whether a call starts a subagent.
func StartsAgent(tool string) bool { return tool == ToolAgent || tool == ToolTask }

// StopsTask says whether a call stops a background task; the older names are kept.
func StopsTask(tool string) bool {
	switch tool {
	case "TaskStop", "KillShell", "KillBash":
		return true
	}
	return false
}

// launchedAgent begins the result of an Agent call in a background session, which returns at once.
const launchedAgent = "Async agent launched"

// ToolMessage sends a message to a subagent, which goes on with it.
const ToolMessage = "SendMessage"

// LaunchedAgent says whether the result of a call tells that an agent was started and goes on.
func LaunchedAgent(result string) bool {
	return strings.HasPrefix(strings.TrimSpace(result), launchedAgent)
}

// ownNotes are the subtypes of system lines that the client writes by itself while nobody does anything.
var ownNotes = map[string]bool{"away_summary": true}

// OwnNote says whether a system line of this subtype is the client's own note and no activity of the session.
func OwnNote(subtype string) bool { return ownNotes[subtype] }

// Notification is what one <task-notification> tells of a task.
type Notification struct {
	TaskID, ToolUseID, Status, Summary string
	// Ended says that the client saw the task end. A task that was only found cut when its session started again may run
	// on.
	Ended bool
}

var (
	notification = regexp.MustCompile(`(?s)<task-notification\b[^>]*>(.*?)</task-notification>`)
	tagged       = regexp.MustCompile(
		`(?s)<(task-id|tool-use-id|status|summary)>(.*?)</(?:task-id|tool-use-id|status|summary)>`)
	cutEarlier = regexp.MustCompile(`(?i)didn['’]t finish before|previous session|session (?:ended|was ` +
		`restarted|restarted)`)
)

// goesOn are the statuses of a task that has not ended.
var goesOn = map[string]bool{"": true, "running": true, "pending": true, "started": true, "in_progress": true,
	"progress": true}

// Notifications reads the task notifications in a text.
func Notifications(s string) []Notification {
	if !strings.Contains(s, "<task-notification") {
		return nil
	}
	var out []Notification
	for _, m := range notification.FindAllStringSubmatch(s, -1) {
		var n Notification
		// What the task printed stands behind these, and may hold the same tags.
		for _, t := range tagged.FindAllStringSubmatch(m[1], -1) {
			at := map[string]*string{"task-id": &n.TaskID, "tool-use-id": &n.ToolUseID, "status": &n.Status,
				"summary": &n.Summary}[t[1]]
			if *at == "" {
				*at = strings.TrimSpace(t[2])
			}
		}
		n.Ended = !goesOn[strings.ToLower(n.Status)] && !cutEarlier.MatchString(n.Summary)
		out = append(out, n)
	}
	return out
}
