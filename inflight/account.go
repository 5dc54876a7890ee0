package inflight

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"recovery/internal/account"
	"recovery/inventory"
)

// Account is the account whose sessions are joined with the work of the other systems.
type Account struct {
	// World is the account as it was seen; nil when it could not be.
	World *inventory.World
	// Err says why it could not be seen.
	Err error
	// Dir is its .claude folder, as far as it is known.
	Dir string
}

// See looks at the account. An account that is not there, or that cannot be read, holds nothing else up.
func See(configDir, home string, look func(*account.Account) (*inventory.World, error)) Account {
	dir := configDir
	if dir == "" && home != "" {
		dir = filepath.Join(home, ".claude")
	}
	a, err := account.Open(configDir, home)
	if err != nil {
		return Account{Err: err, Dir: dir}
	}
	w, err := look(a)
	if err != nil {
		return Account{Err: err, Dir: a.Dir}
	}
	return Account{World: w, Dir: a.Dir}
}

// missing says that there is no account, as against one that cannot be read.
func (a Account) missing() bool {
	return a.Err != nil && (a.Dir == "" || errors.Is(a.Err, fs.ErrNotExist) && a.nowhere())
}

// nowhere says that the .claude folder is not there: an error from inside the folder can say "no such file" as well.
func (a Account) nowhere() bool {
	_, err := os.Stat(a.Dir)
	return errors.Is(err, fs.ErrNotExist)
}

// warning says what is lost without the account; empty when it was seen.
func (a Account) warning() string {
	lost := "so no work is joined with its sessions, and their folders are not looked at"
	switch {
	case a.Err == nil:
		return ""
	case a.missing():
		return "there is no Claude account at " + a.Dir + ", " + lost
	}
	return "the account cannot be read (" + a.Err.Error() + "), " + lost
}

// Folders are the folders that the account's jobs work in, each once, as far as they are there.
func (a Account) Folders() []string {
	if a.World == nil {
		return nil
	}
	seen := map[string]bool{}
	for _, j := range a.World.Jobs.List {
		if dir := filepath.Clean(j.Cwd); filepath.IsAbs(dir) && !seen[dir] {
			info, err := os.Stat(dir)
			seen[dir] = err == nil && info.IsDir()
		}
	}
	maps.DeleteFunc(seen, func(_ string, there bool) bool { return !there })
	return slices.Sorted(maps.Keys(seen))
}

// sessions are the account's jobs by the ids of their conversations. An id that is a job's own wins over one that
// another job resumed.
func (a Account) sessions() map[string]*account.Job {
	out := map[string]*account.Job{}
	if a.World == nil {
		return out
	}
	for _, j := range a.World.Jobs.List {
		if id := strings.ToLower(j.ResumeSessionID); id != "" && out[id] == nil {
			out[id] = j
		}
	}
	for _, j := range a.World.Jobs.List {
		if j.SessionID != "" {
			out[strings.ToLower(j.SessionID)] = j
		}
	}
	return out
}
