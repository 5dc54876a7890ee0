package inventory

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"recovery/internal/account"
)

// Hazard is something that wakes a session, goes on by itself, or lets it act without being asked.
type Hazard struct {
	Code string
	Text string
}

// The codes of hazards.
const (
	HazardSelfWake   = "self-wake"
	HazardRoutine    = "routine"
	HazardTasks      = "background-tasks"
	HazardNoChecks   = "skips-permission-checks"
	HazardBabysitter = "babysitter-run"
	HazardCron       = "session-cron"
)

// Hazards are those that the job itself shows.
func (w *World) Hazards(j *account.Job) []Hazard {
	var out []Hazard
	add := func(code, format string, args ...any) {
		out = append(out, Hazard{Code: code, Text: fmt.Sprintf(format, args...)})
	}
	if j.SelfWake {
		add(HazardSelfWake, "it wakes itself (selfWake is set)")
	}
	if j.Routine {
		add(HazardRoutine, "it belongs to a routine")
	}
	if j.InFlightTasks > 0 {
		add(HazardTasks, "%d background tasks were running", j.InFlightTasks)
	}
	if flag := skipsChecks(j.RespawnFlags); flag != "" {
		add(HazardNoChecks, "its saved options skip permission checks (%s): a review would run with no check at all", flag)
	}
	if path := w.babysitterState(j); path != "" {
		add(HazardBabysitter, "a Babysitter run is bound to it (%s) and goes on when it wakes", path)
	}
	return out
}

// skipsChecks finds the saved option that turns permission checks off. acceptEdits lets edits pass without a question,
// so it counts too.
func skipsChecks(flags []string) string {
	for i, f := range flags {
		name, value, joined := strings.Cut(f, "=")
		if !joined && i+1 < len(flags) {
			value = flags[i+1]
		}
		switch name {
		case "--dangerously-skip-permissions", "--allow-dangerously-skip-permissions", "--yolo":
			return f
		case "--permission-mode":
			switch value {
			case "bypassPermissions", "acceptEdits", "dontAsk":
				return name + " " + value
			}
		case "--permission-prompt-tool":
			return name + " " + value
		}
	}
	return ""
}

// babysitterState finds the state file that binds a Babysitter run to the session: waking it fires its stop hook, which
// goes on with the run.
func (w *World) babysitterState(j *account.Job) string {
	dirs := []string{w.BabysitterDir, filepath.Join(w.Account.Home, ".a5c", "state")}
	if j.Cwd != "" {
		dirs = append(dirs, filepath.Join(j.Cwd, ".a5c", "state"), filepath.Join(j.Cwd, ".a5c"))
	}
	for _, dir := range dirs {
		if !filepath.IsAbs(dir) {
			continue
		}
		for _, id := range []string{j.SessionID, j.ResumeSessionID} {
			if !account.IsUUID(id) {
				continue
			}
			path := filepath.Join(dir, id+".md")
			data, err := w.Account.ReadFile(path)
			if err != nil {
				if !os.IsNotExist(err) {
					return path + ", which cannot be read"
				}
				continue
			}
			if !inactive(string(data)) {
				return path
			}
		}
	}
	return ""
}

// inactive reads the flat header of a Babysitter state file.
func inactive(data string) bool {
	for line := range strings.Lines(data) {
		key, value, ok := strings.Cut(line, ":")
		if ok && strings.TrimSpace(key) == "active" {
			return strings.Trim(strings.TrimSpace(value), `"'`) == "false"
		}
	}
	return false
}
