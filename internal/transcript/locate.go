package transcript

import (
	"fmt"
	"path/filepath"
	"strings"

	"recovery/internal/account"
)

// Location is where a job's conversation stands.
type Location struct {
	Path string
	// ContinuedIn is set when another session went on with the conversation.
	ContinuedIn string
	// Problem says why there is no transcript to rely on; Path may still name the stub that was found.
	Problem string
}

// Locate finds a job's transcript: the path that the client itself scans, when it holds messages, then the resumed
// session's, then the first session's, in whichever project folder they stand. A stub without messages is passed over
// while there is another candidate.
func Locate(a *account.Account, j *account.Job) Location {
	var loc Location
	var stub string
	for _, group := range candidates(a, j) {
		var full []string
		for _, path := range group {
			t, err := Open(a.Door, path)
			if err != nil {
				continue
			}
			tail, err := t.Tail()
			_ = t.Close()
			if err != nil || !tail.Messages {
				if stub == "" {
					stub = path
				}
				continue
			}
			full = append(full, path)
			if tail.ContinuedIn != "" && loc.ContinuedIn == "" {
				loc.ContinuedIn = tail.ContinuedIn
			}
		}
		if len(full) == 0 {
			continue
		}
		loc.Path = full[0]
		if len(full) > 1 {
			loc.Problem = fmt.Sprintf("two transcripts have the same session id: %s", strings.Join(full, " and "))
		}
		return loc
	}
	loc.Path = stub
	if stub == "" {
		loc.Problem = "there is no transcript: it was deleted, or never written"
	} else {
		loc.Problem = "the transcript holds no message"
	}
	return loc
}

// candidates are groups of paths, best first; the paths of one group are equally good.
func candidates(a *account.Account, j *account.Job) [][]string {
	var groups [][]string
	if p := j.LinkScanPath; filepath.IsAbs(p) && strings.HasSuffix(p, ".jsonl") {
		groups = append(groups, []string{p})
	}
	projects := filepath.Join(a.Dir, "projects")
	for _, id := range []string{j.ResumeSessionID, j.SessionID} {
		if account.IsUUID(id) {
			groups = append(groups, a.Glob(projects, "*/"+id+".jsonl"))
		}
	}
	return groups
}
