package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"recovery/internal/account"
	"recovery/internal/claude"
	"recovery/internal/journal"
	"recovery/internal/text"

	"github.com/google/renameio/v2"
)

// gitLimit bounds how long one folder may hold a report up.
const gitLimit = 10 * time.Second

// gitState says the state of a folder's working tree in words, or why git cannot tell. Git takes no lock, writes no
// index, and runs none of the repository's own programs that can be switched off: a report only looks.
func gitState(ctx context.Context, environ []string, dir string) string {
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return "it is gone"
	case err != nil || !info.IsDir():
		return "it cannot be looked at"
	}
	ctx, cancel := context.WithTimeout(ctx, gitLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, "git", "--no-optional-locks", "-C", dir, "-c", "core.fsmonitor=false", "-c",
		"core.hooksPath=/dev/null",
		"status", "--porcelain=v2", "--branch", "--ignore-submodules=all", "-z")
	for _, kv := range environ {
		if !strings.HasPrefix(kv, "GIT_") {
			cmd.Env = append(cmd.Env, kv)
		}
	}
	cmd.Env = append(cmd.Env, "GIT_OPTIONAL_LOCKS=0", "LC_ALL=C")
	cmd.WaitDelay = time.Second
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	switch {
	case ctx.Err() != nil:
		return "git did not answer"
	case err != nil && strings.Contains(errs.String(), "not a git repository"):
		return "no git repository"
	case err != nil:
		return "git cannot tell: " + text.Clip(gitProblem(errs.String(), err), 200)
	}
	return gitWords(string(out))
}

// gitProblem is the first line that git wrote about what went wrong.
func gitProblem(said string, err error) string {
	first, _, _ := strings.Cut(strings.TrimSpace(said), "\n")
	if first = strings.TrimPrefix(first, "fatal: "); first == "" {
		return err.Error()
	}
	return first
}

// gitWords reads what `git status --porcelain=v2 --branch -z` prints.
func gitWords(out string) string {
	branch, ahead, behind, upstream := "", 0, 0, false
	changed, fresh := 0, 0
	fields := strings.Split(out, "\x00")
	for i := 0; i < len(fields); i++ {
		f := fields[i]
		switch {
		case strings.HasPrefix(f, "# branch.head "):
			branch = strings.TrimPrefix(f, "# branch.head ")
		case strings.HasPrefix(f, "# branch.ab "):
			upstream = true
			if n := strings.Fields(f); len(n) == 4 {
				ahead, _ = strconv.Atoi(strings.TrimPrefix(n[2], "+"))
				behind, _ = strconv.Atoi(strings.TrimPrefix(n[3], "-"))
			}
		case strings.HasPrefix(f, "2 "):
			changed++
			i++ // a renamed file is followed by the name that it had
		case strings.HasPrefix(f, "1 "), strings.HasPrefix(f, "u "):
			changed++
		case strings.HasPrefix(f, "? "):
			fresh++
		}
	}
	words := "clean"
	if changed+fresh > 0 {
		words = fmt.Sprintf("%d changed and %d new files", changed, fresh)
	}
	if branch != "" {
		words += " on " + branch
	}
	switch {
	case ahead > 0 || behind > 0:
		words += fmt.Sprintf(", %d commits ahead of and %d behind its upstream", ahead, behind)
	case !upstream && branch != "(detached)" && branch != "":
		words += ", without an upstream"
	}
	return words
}

// outputPath is where a file that the user named is written. Inside the .claude folder only the work folder is
// recovery's.
func (x *command) outputPath(name string, work string) (string, error) {
	path, err := realPath(name)
	if err != nil {
		return "", failf("", "the file %s: %w", name, err)
	}
	claude := x.env(claude.EnvConfigDir)
	if claude == "" {
		claude = filepath.Join(x.home(), ".claude")
	}
	if claude, err = realPath(claude); err == nil && within(claude, path) && !within(work, path) &&
		!within(filepath.Join(claude, journal.WorkDir), path) {
		return "", usagef("%s lies inside %s, where recovery writes only its work folder; name another file", name, claude)
	}
	for _, dir := range []string{work, filepath.Join(claude, journal.WorkDir)} {
		if dir == "" {
			continue // the usual one, which is the other
		}
		if dir, err := realPath(dir); err == nil && ownFile(dir, path) {
			return "", usagef("%s is a file that recovery keeps its own record in; name another file", name)
		}
	}
	if uid, ok := account.Owner(claude); ok && uid != x.uid && within(claude, path) {
		return "", usagef("%s lies inside %s, which is another user's; name another file", name, claude)
	}
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return "", usagef("%s is no file that can be written; name another one", name)
	}
	return path, nil
}

// ownFile says whether a path is one of those that recovery keeps in its work folder: the record of what was sent
// must not be lost.
func ownFile(work, path string) bool {
	rel, err := filepath.Rel(work, path)
	if err != nil {
		return false
	}
	first, _, _ := strings.Cut(rel, string(filepath.Separator))
	return journal.IsOwn(first)
}

// saveOutput writes a file that the user named, as outputPath gave it.
func saveOutput(path string, data []byte) error {
	err := os.MkdirAll(filepath.Dir(path), 0o700)
	if err == nil {
		err = renameio.WriteFile(path, data, 0o600)
	}
	if err != nil {
		return failf("", "writing %s: %w; name another file", path, err)
	}
	return nil
}

func within(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return dir != "" && err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}
