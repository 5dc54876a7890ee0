package account

import (
	"cmp"
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
	// Key is the folder whose key in .claude.json is to be set: the main checkout of a worktree, else the root of the git
	// repository, else the folder itself.
	Key string
	// Problem says why the answer is not known; then Accepted is false.
	Problem string
}

// WakeFolder is the folder that a session is woken from: its job's own, else the default one, else the owner's home.
func (a *Account) WakeFolder(j *Job, defaultDir string) string {
	return cmp.Or(j.Cwd, defaultDir, a.Home)
}

// TrustArgs are the arguments of the command that accepts the key of the folder that a session is woken from. A job
// without a folder of its own is woken from the default one, so the command names it.
func (a *Account) TrustArgs(j *Job, defaultDir string) []string {
	if j.Cwd != "" {
		return []string{"trust", j.Short}
	}
	return []string{"trust", "--default-cwd", a.WakeFolder(j, defaultDir), j.Short}
}

// Trust looks the folder up in .claude.json. Ancestors count, but a git repository inside a trusted folder does not
// inherit. For a worktree its own key counts, and that of its main checkout [seen: either is enough for a wake].
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
	root, mainCheckout := a.gitRoot(folder)
	if root != "" {
		for dir := folder; ; dir = filepath.Dir(dir) {
			candidates = append(candidates, dir)
			if dir == root || dir == filepath.Dir(dir) {
				break
			}
		}
		if mainCheckout != "" {
			return mainCheckout, append(candidates, mainCheckout)
		}
		return root, candidates
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

// mainCheckout follows a worktree's .git file: "gitdir: <main>/.git/worktrees/<name>", whose commondir file leads to
// the main checkout's .git. A submodule's .git file leads to modules/<name> and has no commondir: it is a repository
// of its own.
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
