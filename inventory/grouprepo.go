package inventory

import (
	"path/filepath"

	"recovery/internal/account"
)

// Repositories gives a function that tells the repository of a folder: the main checkout of a worktree, else the root
// of the git repository, else the folder itself. What it found is kept: many sessions share their folder.
func (w *World) Repositories() func(folder string) string {
	known := map[string]string{}
	// Only the folder's place is asked for, not its trust: without a config file the account does not read one each time.
	a := *w.Account
	a.ConfigFile = filepath.Join(a.Dir, "no-such-file-is-read")
	return func(folder string) string {
		if folder == "" || !filepath.IsAbs(folder) {
			return ""
		}
		repo, ok := known[folder]
		if !ok {
			rest := standing(&a, folder)
			repo = a.Trust(rest).Key
			// Of a folder that is gone, only the repository that held it is taken for its place.
			if _, err := a.Stat(filepath.Join(repo, ".git")); rest != filepath.Clean(folder) && err != nil {
				repo = filepath.Clean(folder)
			}
			known[folder] = repo
		}
		return repo
	}
}

// standing is the folder, or the nearest one above it that is still there: a worktree is removed when its work is done.
func standing(a *account.Account, folder string) string {
	for dir := filepath.Clean(folder); ; dir = filepath.Dir(dir) {
		if _, err := a.Stat(dir); err == nil || dir == filepath.Dir(dir) {
			return dir
		}
	}
}
