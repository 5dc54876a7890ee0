package account

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/tidwall/gjson"
)

// Trust is whether the client will start a session in a folder without asking.
type Trust struct {
	Accepted bool
	// Key is the folder whose key in .claude.json decides: the main checkout of a worktree, else the root of the git
	// repository, else the folder itself.
	Key string
	// Problem says why the answer is not known; then Accepted is false.
	Problem string
}

// Trust looks the folder up in .claude.json. Ancestors count, but a git repository inside a trusted folder does not
// inherit, and a worktree needs the key of its main checkout.
func (a *Account) Trust(folder string) Trust {
	if !filepath.IsAbs(folder) {
		return Trust{Key: folder, Problem: fmt.Sprintf("the folder %q is not an absolute path", folder)}
	}
	real, err := filepath.EvalSymlinks(folder)
	if err != nil {
		return Trust{Key: folder, Problem: fmt.Sprintf("the folder cannot be resolved: %v", err)}
	}
	key, candidates := a.trustKeys(real)
	out := Trust{Key: key}
	data, err := a.ReadFile(a.ConfigFile)
	if errors.Is(err, fs.ErrNotExist) {
		return out
	}
	if err != nil {
		out.Problem = fmt.Sprintf("%s cannot be read: %v", filepath.Base(a.ConfigFile), err)
		return out
	}
	root, problem := object(data)
	if problem != "" {
		out.Problem = filepath.Base(a.ConfigFile) + " " + problem
		return out
	}
	projects := last(root, "projects")
	if projects.Exists() && projects.Type != gjson.Null && !projects.IsObject() {
		out.Problem = filepath.Base(a.ConfigFile) + ": its projects are no object"
		return out
	}
	accepted := map[string]bool{}
	projects.ForEach(func(k, v gjson.Result) bool {
		accepted[k.String()] = last(v, "hasTrustDialogAccepted").Type == gjson.True
		return true
	})
	for _, c := range candidates {
		if accepted[c] {
			out.Accepted = true
		}
	}
	return out
}

// trustKeys gives the folder to write the key for, and every folder whose key counts.
func (a *Account) trustKeys(folder string) (key string, candidates []string) {
	root, worktree := a.gitRoot(folder)
	switch {
	case worktree != "":
		return worktree, []string{worktree}
	case root != "":
		for dir := folder; ; dir = filepath.Dir(dir) {
			candidates = append(candidates, dir)
			if dir == root || dir == filepath.Dir(dir) {
				return root, candidates
			}
		}
	}
	for dir := folder; ; dir = filepath.Dir(dir) {
		candidates = append(candidates, dir)
		if dir == filepath.Dir(dir) {
			return folder, candidates
		}
	}
}

// gitRoot finds the root of the repository that holds folder, and for a linked worktree the root of its main checkout.
func (a *Account) gitRoot(folder string) (root, mainCheckout string) {
	for dir := folder; ; dir = filepath.Dir(dir) {
		dotGit := filepath.Join(dir, ".git")
		info, err := a.Stat(dotGit)
		if err == nil {
			if info.IsDir() {
				return dir, ""
			}
			return dir, a.mainCheckout(dir, dotGit)
		}
		if dir == filepath.Dir(dir) {
			return "", ""
		}
	}
}

// mainCheckout follows a worktree's .git file: "gitdir: <main>/.git/worktrees/<name>", whose commondir file leads to the
// main checkout's .git. A submodule's .git file leads to modules/<name> and has no commondir: it is a repository of its own.
func (a *Account) mainCheckout(dir, dotGit string) string {
	data, err := a.ReadFile(dotGit)
	if err != nil {
		return ""
	}
	gitdir, ok := strings.CutPrefix(strings.TrimSpace(string(data)), "gitdir:")
	if !ok {
		return ""
	}
	gitdir = strings.TrimSpace(gitdir)
	if !filepath.IsAbs(gitdir) {
		gitdir = filepath.Join(dir, gitdir)
	}
	common, err := a.ReadFile(filepath.Join(gitdir, "commondir"))
	if err != nil {
		return ""
	}
	path := strings.TrimSpace(string(common))
	if !filepath.IsAbs(path) {
		path = filepath.Join(gitdir, path)
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	if filepath.Base(path) != ".git" {
		return path // a bare repository is its own key
	}
	return filepath.Dir(path)
}
