package claude

import "strings"

// Names of the variables that recovery reads by name.
const (
	EnvConfigDir = "CLAUDE_CONFIG_DIR"      // the account's folder when it is not ~/.claude
	EnvSessionID = "CLAUDE_CODE_SESSION_ID" // the session that a program runs in
	EnvJobDir    = "CLAUDE_JOB_DIR"         // the job folder of that session
)

// sessionVars are what a surrounding Claude session, or its supervisor, puts into the environment of its children. Some
// of them make a child write no transcript at all. Sign-in, provider, gateway and config variables are not among them
// and stay.
var sessionVars = map[string]bool{
	"CLAUDECODE": true, "AI_AGENT": true, "TRACEPARENT": true, "CLAUDE_PID": true, "CLAUDE_EFFORT": true, EnvJobDir: true,
	"CLAUDE_ENV_FILE": true, "CLAUDE_PROJECT_DIR": true, "CLAUDE_AGENT": true, "CLAUDE_CODE_AGENT": true,
	"CLAUDE_CODE_ENTRYPOINT": true, "CLAUDE_CODE_EXECPATH": true, "CLAUDE_CODE_SSE_PORT": true, "CLAUDE_CODE_TMPDIR": true,
	"CLAUDE_CODE_TASK_LIST_ID": true, "CLAUDE_CODE_CHILD_SESSION": true, "CLAUDE_CODE_CHILD_NOTES_DIR": true,
	"CLAUDE_CODE_LAUNCHED_BY_SESSION_IDS": true, "CLAUDE_CODE_STARTER_MAY_HOLD_CONNECTOR_FILE": true,
	"CLAUDE_CODE_INVOKED_SKILLS": true, "CLAUDE_CODE_CHROME_MCP_ORG_DENIED": true, "CLAUDE_CHROME_TAB_GROUP_KEY": true,
	"CLAUDE_CODE_SHOWN_PLUGINS_DIR": true, "CLAUDE_CODE_COORDINATOR_MODE": true, "CLAUDE_CODE_HOST_CHECKED_FOLDER": true,
	"CLAUDE_CODE_CONTAINER_ID": true, "CLAUDE_CODE_SYNC_SESSION_REFS": true, "CLAUDE_CODE_ENVIRONMENT_KIND": true,
	"CLAUDE_CODE_HOST_SCHEDULED_RUN": true, "CLAUDE_CODE_ACTION": true, "CLAUDE_CODE_TEAM_NAME": true,
	"CLAUDE_CODE_TEAMMATE_COMMAND": true, "CLAUDE_CODE_PLAN_MODE_REQUIRED": true, "CLAUDE_CODE_PARENT_SESSION_ID": true,
}

// sessionPrefixes are families of such variables.
var sessionPrefixes = []string{
	"CLAUDE_BG_", "CLAUDE_CODE_SESSION_", "CLAUDE_CODE_BRIDGE_", "CLAUDE_CODE_REMOTE_", "CLAUDE_CODE_RESUME_",
	"CLAUDE_CODE_SDK_",
	"CLAUDE_CODE_MESSAGING_", "CLAUDE_CODE_WORKER_", "CLAUDE_CODE_STREAM_EVENT_", "CLAUDE_AGENT_SDK_",
}

// CleanEnv is the environment for a client call.
func CleanEnv(environ []string) []string {
	out := make([]string, 0, len(environ))
	for _, kv := range environ {
		name, _, _ := strings.Cut(kv, "=")
		if sessionVars[name] || name == "CLAUDE_CODE_REMOTE" || hasPrefix(name) {
			continue
		}
		out = append(out, kv)
	}
	return out
}

func hasPrefix(name string) bool {
	for _, p := range sessionPrefixes {
		if strings.HasPrefix(name, p) {
			return true
		}
	}
	return false
}

// inSession are the variables that a Claude session gives its children and that nobody sets for other reasons.
var inSession = []string{"CLAUDECODE", EnvSessionID, EnvJobDir, "CLAUDE_CODE_CHILD_SESSION", "CLAUDE_CODE_ENTRYPOINT",
	"CLAUDE_CODE_EXECPATH", "CLAUDE_PID", "AI_AGENT", "CLAUDE_CODE_SESSION_KIND", "CLAUDE_CODE_SESSION_ATTENDED",
	"CLAUDE_BG_BACKEND"}

// InSession says whether an environment is that of a program which a Claude session started.
func InSession(environ []string) bool {
	set := map[string]string{}
	for _, kv := range environ {
		name, value, _ := strings.Cut(kv, "=")
		set[name] = value
	}
	for _, name := range inSession {
		if set[name] != "" {
			return true
		}
	}
	return false
}
