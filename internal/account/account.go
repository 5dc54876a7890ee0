package account

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/tidwall/gjson"
)

// Account is one account's folder. Its fields are absolute, real paths.
type Account struct {
	Door
	// Dir is the .claude folder.
	Dir string
	// ConfigFile is .claude.json: inside Dir when CLAUDE_CONFIG_DIR is set, else beside it.
	ConfigFile string
	// Home is the owner's home folder, where a job without a folder is woken.
	Home string
}

// NoAccountError says that there is no account where one was looked for.
type NoAccountError struct {
	Dir string
	Err error
}

func (e *NoAccountError) Error() string {
	msg := "no Claude account at " + e.Dir
	if e.Err != nil && !errors.Is(e.Err, fs.ErrNotExist) {
		msg += " (" + e.Err.Error() + ")"
	}
	return msg + "; run it as the user who owns the sessions: sudo -iu USER"
}

func (e *NoAccountError) Unwrap() error { return e.Err }

// Open finds the account: configDir is the value of CLAUDE_CONFIG_DIR, or empty for ~/.claude under home.
func Open(configDir, home string) (*Account, error) {
	if home != "" {
		if abs, err := filepath.Abs(home); err == nil {
			home = abs
		}
	}
	dir, config := configDir, ""
	if dir == "" {
		if home == "" {
			return nil, &NoAccountError{Dir: "~/.claude", Err: errors.New("the home folder is not known")}
		}
		dir = filepath.Join(home, ".claude")
		config = filepath.Join(home, ".claude.json")
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, &NoAccountError{Dir: dir, Err: err}
	}
	real, err := filepath.EvalSymlinks(abs)
	if err != nil {
		return nil, &NoAccountError{Dir: dir, Err: err}
	}
	info, err := os.Stat(real)
	if err != nil {
		return nil, &NoAccountError{Dir: dir, Err: err}
	}
	if !info.IsDir() {
		return nil, &NoAccountError{Dir: dir, Err: errors.New("is not a folder")}
	}
	if _, err := os.ReadDir(real); err != nil {
		return nil, &NoAccountError{Dir: dir, Err: err}
	}
	if config == "" {
		config = filepath.Join(real, ".claude.json")
	}
	return &Account{Dir: real, ConfigFile: config, Home: home}, nil
}

// defaultCleanupDays is what the client takes when settings.json does not say. A number above maxCleanupDays means
// "never", and would not fit into a duration.
const (
	defaultCleanupDays = 30
	maxCleanupDays     = 100_000
)

// CleanupDays is after how many days of rest a transcript is deleted (settings.json, cleanupPeriodDays).
func (a *Account) CleanupDays() (days int, warning string) {
	path := filepath.Join(a.Dir, "settings.json")
	data, err := a.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return defaultCleanupDays, ""
	}
	if err != nil {
		return defaultCleanupDays, fmt.Sprintf("settings.json cannot be read (%v): transcripts are taken to be kept for "+
			"%d days", err, defaultCleanupDays)
	}
	root, problem := object(data)
	if problem != "" {
		return defaultCleanupDays, fmt.Sprintf("settings.json %s: transcripts are taken to be kept for %d days", problem,
			defaultCleanupDays)
	}
	v := last(root, "cleanupPeriodDays")
	if !v.Exists() {
		return defaultCleanupDays, ""
	}
	if v.Type != gjson.Number || v.Num < 0 {
		return defaultCleanupDays, fmt.Sprintf("settings.json: cleanupPeriodDays is not a number of days: transcripts are "+
			"taken to be kept for %d days", defaultCleanupDays)
	}
	return int(min(v.Num, maxCleanupDays)), ""
}

// Pins are the pinned shorts (jobs/pins.json, written by Ctrl+T in the agents view). Anything but an array means no
// pins.
func (a *Account) Pins() (pins map[string]bool, warning string) {
	data, err := a.ReadFile(filepath.Join(a.Dir, "jobs", "pins.json"))
	if errors.Is(err, fs.ErrNotExist) {
		return map[string]bool{}, ""
	}
	if err != nil {
		return map[string]bool{}, fmt.Sprintf("jobs/pins.json cannot be read: %v", err)
	}
	pins = map[string]bool{}
	data = trimBOM(data)
	if !ValidJSON(data) {
		return pins, "jobs/pins.json is not valid JSON: taken as no pins"
	}
	root := gjson.ParseBytes(data)
	if !root.IsArray() {
		return pins, ""
	}
	for _, v := range root.Array() {
		if v.Type == gjson.String {
			pins[v.Str] = true
		}
	}
	return pins, ""
}
