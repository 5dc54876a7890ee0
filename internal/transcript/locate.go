package transcript

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"recovery/internal/account"
	"recovery/internal/claude"
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
// session's, then the first session's, in whichever project folders they stand. A stub without messages is passed over
// while there is another candidate; a file that cannot be read is not.
func Locate(a *account.Account, j *account.Job) Location {
	stub, stubContinued := "", ""
	for _, group := range candidates(a, j) {
		g := lookAt(a, group)
		if stub == "" {
			stub = g.stub
		}
		stubContinued = firstText(stubContinued, g.stubContinued)
		switch {
		case len(g.full) > 0:
			loc := Location{Path: g.full[0], ContinuedIn: g.continuedIn}
			if loc.ContinuedIn == "" && stubContinued != sessionOf(loc.Path) {
				loc.ContinuedIn = stubContinued
			}
			switch {
			case len(g.broken) > 0:
				loc.Problem = fmt.Sprintf("another transcript of the same session cannot be read: %s", strings.Join(g.broken, "; "))
			case len(g.full) > 1:
				loc.Problem = fmt.Sprintf("two transcripts have the same session id: %s", strings.Join(g.full, " and "))
			default:
				loc.Problem = otherConversation(a, j, loc.Path)
			}
			return loc
		case len(g.broken) > 0:
			return Location{Path: g.brokenPath, ContinuedIn: stubContinued, Problem: "the transcript cannot be read: " + strings.Join(g.broken, "; ")}
		}
	}
	loc := Location{Path: stub, ContinuedIn: stubContinued, Problem: "the transcript holds no message"}
	if stub == "" {
		loc.Problem = "there is no transcript: it was deleted, or never written"
	}
	return loc
}

// found is what the paths of one group are.
type found struct {
	full                []string
	continuedIn         string
	stub, stubContinued string
	broken              []string
	brokenPath          string
}

func lookAt(a *account.Account, group []string) found {
	var g found
	var seen []fs.FileInfo
	for _, path := range group {
		if info, err := a.Stat(path); err == nil {
			same := func(other fs.FileInfo) bool { return os.SameFile(info, other) }
			if slices.ContainsFunc(seen, same) {
				continue // one file under two names: a project folder that is a link
			}
			seen = append(seen, info)
		}
		tail, err := tailOf(a, path)
		if err == nil && !tail.Messages && len(tail.Bad) > 0 {
			err = fmt.Errorf("%s: %s", path, tail.Why)
		}
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			g.broken = append(g.broken, err.Error())
			g.brokenPath = firstText(g.brokenPath, path)
		case !tail.Messages:
			g.stub, g.stubContinued = firstText(g.stub, path), firstText(g.stubContinued, tail.ContinuedIn)
		default:
			g.full, g.continuedIn = append(g.full, path), firstText(g.continuedIn, tail.ContinuedIn)
		}
	}
	return g
}

func tailOf(a *account.Account, path string) (Tail, error) {
	t, err := Open(a.Door, path)
	if err != nil {
		return Tail{}, err
	}
	defer func() { _ = t.Close() }()
	return t.Tail()
}

// otherConversation says that the transcript which was found is not the one that a wake would go on with: the client resumes
// the resumed session's, and without that file it starts a blank conversation under its id, whatever else there is.
func otherConversation(a *account.Account, j *account.Job, path string) string {
	resumed := firstText(j.ResumeSessionID, j.SessionID)
	id := sessionOf(path)
	if id == resumed || !claude.IsUUID(id) || !claude.IsUUID(resumed) {
		return ""
	}
	for _, other := range bySession(a, resumed) {
		if tail, err := tailOf(a, other); err == nil && tail.Messages {
			return ""
		}
	}
	return fmt.Sprintf("a wake resumes session %s, which has no transcript with messages; this one is of %s", resumed, id)
}

// sessionOf is the session whose name a transcript bears.
func sessionOf(path string) string { return strings.TrimSuffix(filepath.Base(path), ".jsonl") }

// bySession asks each project folder for the one name: to list them would read every name of a large account for every session.
func bySession(a *account.Account, id string) []string {
	projects := filepath.Join(a.Dir, "projects")
	folders, _ := a.ReadDir(projects)
	var out []string
	for _, f := range folders {
		path := filepath.Join(projects, f.Name(), id+".jsonl")
		if _, err := a.Lstat(path); err == nil {
			out = append(out, path)
		}
	}
	return out
}

// candidates are groups of paths, best first; the paths of one group are equally good.
func candidates(a *account.Account, j *account.Job) [][]string {
	var groups [][]string
	if p := j.LinkScanPath; filepath.IsAbs(p) && strings.HasSuffix(p, ".jsonl") {
		groups = append(groups, []string{p})
	}
	for _, id := range []string{j.ResumeSessionID, j.SessionID} {
		if claude.IsUUID(id) {
			groups = append(groups, bySession(a, id))
		}
	}
	return groups
}
