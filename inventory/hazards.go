package inventory

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"

	"recovery/internal/account"
	"recovery/internal/claude"
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

// skipsChecks finds the saved option that turns permission checks off, wholly or for tools that can write: a review
// would run these without a question.
func skipsChecks(flags []string) string {
	for i, f := range flags {
		name, value, joined := strings.Cut(strings.TrimSpace(f), "=")
		if !joined {
			// A flag and its value can stand in one word, too.
			name, value, joined = strings.Cut(name, " ")
		}
		if !joined && i+1 < len(flags) {
			value = flags[i+1]
		}
		if !strings.HasPrefix(name, "-") {
			continue
		}
		shown := strings.TrimSpace(name + " " + value)
		switch plain := plainWord(name); {
		case strings.Contains(plain, "skippermission"), plain == "yolo":
			return name
		case plain == "permissionmode" && skippingModes[plainWord(value)]:
			return shown
		case plain == "permissionprompttool":
			return shown
		case plain == "settings" && strings.Contains(plainWord(value), "bypasspermissions"):
			return shown
		case plain == "allowedtools" && writes(flags[i+1:], value):
			return shown
		}
	}
	return ""
}

// skippingModes are the permission modes that let calls pass without a question. acceptEdits lets edits pass, so it
// counts.
var skippingModes = map[string]bool{"bypasspermissions": true, "bypass": true, "acceptedits": true, "dontask": true}

// plainWord is a word without its case, dashes and quotes: the client takes several spellings of its options.
func plainWord(s string) string {
	return strings.ToLower(strings.NewReplacer("-", "", "_", "", `"`, "", "'", "", " ", "").Replace(s))
}

var readingTools = regexp.MustCompile(`(?i)^(read|grep|glob|ls|notebookread|websearch|webfetch|todowrite|taskoutput)\b`)

// writes says that a list of tools which need no question holds one that can write. It goes on to the next option.
func writes(rest []string, first string) bool {
	tools := []string{first}
	for _, r := range rest {
		if strings.HasPrefix(r, "-") {
			break
		}
		tools = append(tools, r)
	}
	for _, t := range strings.FieldsFunc(strings.Join(tools, ","), func(r rune) bool { return r == ',' || r == ' ' }) {
		if !readingTools.MatchString(t) {
			return true
		}
	}
	return false
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
			if !claude.IsUUID(id) {
				continue
			}
			path := filepath.Join(dir, id+".md")
			data, err := w.Account.ReadFile(path)
			if err != nil {
				if !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR) {
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
