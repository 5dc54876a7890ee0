package account

import (
	"path/filepath"
	"strings"
)

// namesSession finds a Claude process that names the session on its command line, and gives what names it (never the
// whole argument, which can be a prompt). Remote Control processes are in no registry, so this is their only witness.
// Editors, pagers and searches that name the file are not Claude processes.
func namesSession(args []string, j *Job) (what string, ok bool) {
	if !isClaude(args) {
		return "", false
	}
	for i, arg := range args {
		for _, id := range []string{j.SessionID, j.ResumeSessionID} {
			if id == "" {
				continue
			}
			if containsFold(arg, id+".jsonl") {
				return id + ".jsonl", true
			}
			for _, flag := range []string{"--resume", "-r", "--session-id"} {
				if strings.EqualFold(arg, flag+"="+id) || (flag == "-r" && strings.EqualFold(arg, flag+id)) ||
					(arg == flag && i+1 < len(args) && strings.EqualFold(args[i+1], id)) {
					return flag + " " + id, true
				}
			}
		}
	}
	return "", false
}

func containsFold(s, sub string) bool {
	return strings.Contains(strings.ToLower(s), strings.ToLower(sub))
}

// runners run a script that is named behind them.
var runners = map[string]bool{"node": true, "nodejs": true, "bun": true, "deno": true, "sh": true, "bash": true,
	"dash": true, "zsh": true, "env": true}

// isClaude says whether a command line is the client's: its own binary, or a runtime that was given the client's
// script. The client also writes names of its own there ("claude bg-pty-host").
func isClaude(args []string) bool {
	if len(args) == 0 {
		return false
	}
	if isClient(args[0]) {
		return true
	}
	if !runners[strings.TrimPrefix(filepath.Base(args[0]), "-")] {
		return false
	}
	for _, arg := range args[1:] {
		switch {
		case arg == "run" || strings.HasPrefix(arg, "-") || strings.Contains(arg, "="):
			continue // an option, a verb or a variable before the script
		case runners[filepath.Base(arg)]:
			continue
		}
		return isClient(arg)
	}
	return false
}

// isClient knows the client's program by its path: claude, claude.exe, .../claude/versions/2.1.332, or a script of
// its package.
func isClient(path string) bool {
	return strings.HasPrefix(filepath.Base(path), "claude") || strings.Contains(path, "/claude/versions/") ||
		strings.Contains(path, "claude-code/")
}
