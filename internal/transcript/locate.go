package transcript

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
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
	// Missing says that the problem is that no conversation was found: there is no file, or one without a message.
	Missing bool
	// Note says what of state.json was not followed; it is no problem.
	Note string
}

// Locate finds a job's transcript: that of the session which a wake resumes (resumeSessionId, seen on the real
// client), in whichever project folder it stands; linkScanPath only decides between files of that one id. Where it
// has none, the conversation before /clear is named, with the problem that a wake would not go on with it. A stub
// without messages is passed over while there is another candidate; a file that cannot be read is not.
func Locate(a *account.Account, j *account.Job) Location {
	groups, note := candidates(a, j)
	loc := locate(a, j, groups)
	loc.Note = note
	return loc
}

func locate(a *account.Account, j *account.Job, groups [][]string) Location {
	stub, stubContinued := "", ""
	for _, group := range groups {
		g := lookAt(a, group)
		if stub == "" {
			stub = g.stub
		}
		stubContinued = cmp.Or(stubContinued, g.stubContinued)
		switch {
		case len(g.full) > 0:
			return g.location(a, j, stubContinued)
		case len(g.broken) > 0:
			return Location{Path: g.brokenPath, ContinuedIn: stubContinued, Problem: "the transcript cannot be read: " +
				strings.Join(g.broken, "; ")}
		}
	}
	loc := Location{Path: stub, ContinuedIn: stubContinued, Problem: "the transcript holds no message", Missing: true}
	if stub == "" {
		loc.Problem = "there is no transcript: it was deleted, or never written"
	}
	return loc
}

// location is where the conversation stands when one of the paths holds it.
func (g found) location(a *account.Account, j *account.Job, stubContinued string) Location {
	loc := Location{Path: g.full[0], ContinuedIn: g.continuedIn}
	if loc.ContinuedIn == "" && stubContinued != SessionOf(loc.Path) {
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
			g.brokenPath = cmp.Or(g.brokenPath, path)
		case !tail.Messages:
			g.stub, g.stubContinued = cmp.Or(g.stub, path), cmp.Or(g.stubContinued, tail.ContinuedIn)
		default:
			g.full, g.continuedIn = append(g.full, path), cmp.Or(g.continuedIn, tail.ContinuedIn)
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

// otherConversation says that the transcript which was found is not the one that a wake would go on with: the client
// resumes the resumed session's, and without that file it starts a blank conversation under its id, whatever else
// there is.
func otherConversation(a *account.Account, j *account.Job, path string) string {
	resumed := cmp.Or(j.ResumeSessionID, j.SessionID)
	id := SessionOf(path)
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

// SessionOf is the session whose name a transcript bears.
func SessionOf(path string) string { return strings.TrimSuffix(filepath.Base(path), ".jsonl") }

// bySession asks each project folder for the one name: to list them would read every name of a large account for
// every session.
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

// candidates are groups of paths, best first; the paths of one group are equally good. The note says what of
// state.json is not followed.
func candidates(a *account.Account, j *account.Job) (groups [][]string, note string) {
	link := j.LinkScanPath
	usable := filepath.IsAbs(link) && strings.HasSuffix(link, ".jsonl")
	first := cmp.Or(j.ResumeSessionID, j.SessionID)
	if !claude.IsUUID(first) {
		first = j.SessionID
	}
	switch id := SessionOf(link); {
	case !usable:
		usable = false
	case claude.IsUUID(id) && id != first && id != j.SessionID:
		note = fmt.Sprintf("state.json names the transcript of another session, %s, which no wake goes on with: it is not "+
			"read", id)
		usable = false
	case claude.IsUUID(id) && id != first:
		note = fmt.Sprintf("state.json still names the transcript of %s; a wake goes on with %s", id, first)
		usable = false
	}
	if usable {
		groups = append(groups, []string{link})
	}
	for _, id := range []string{first, j.SessionID} {
		if claude.IsUUID(id) {
			groups = append(groups, bySession(a, id))
		}
	}
	return groups, note
}

// orphaned is what the client puts behind the name of a transcript that it set aside.
const orphaned = ".orphaned-"

// Elsewhere finds what else may hold the conversation of a job whose own transcript does not: files that were set
// aside, a transcript that says that it went on in this session, and one in the same project folder that begins with
// the job's own first prompt. It gives their paths, those that say so outright first.
func Elsewhere(a *account.Account, j *account.Job, loc Location) []string {
	own := map[string]bool{}
	dirs := map[string]bool{}
	for _, id := range []string{j.ResumeSessionID, j.SessionID} {
		own[id] = true
		for _, path := range bySession(a, id) {
			dirs[filepath.Dir(path)] = true
		}
	}
	for _, path := range []string{loc.Path, j.LinkScanPath} {
		if filepath.IsAbs(path) {
			dirs[filepath.Dir(path)] = true
		}
	}
	if j.Cwd != "" {
		dirs[filepath.Join(a.Dir, "projects", claude.Slug(j.Cwd))] = true
	}
	var said, alike []string
	for _, dir := range slices.Sorted(maps.Keys(dirs)) {
		entries, _ := a.ReadDir(dir)
		for _, e := range entries {
			path := filepath.Join(dir, e.Name())
			name, _, aside := strings.Cut(e.Name(), ".jsonl"+orphaned)
			switch {
			case aside && own[name]:
				said = append(said, path)
			case !aside && strings.HasSuffix(e.Name(), ".jsonl") && !own[SessionOf(path)]:
				switch begins, continued := looksLike(a, path, j.Intent); {
				case own[continued]:
					said = append(said, path)
				case begins:
					alike = append(alike, path)
				}
			}
		}
	}
	return append(said, alike...)
}

// looksLike says whether a transcript begins with a prompt, and in which session it says that it went on.
func looksLike(a *account.Account, path, prompt string) (begins bool, continuedIn string) {
	t, err := Open(a.Door, path)
	if err != nil {
		return false, ""
	}
	defer func() { _ = t.Close() }()
	tail, err := t.Tail()
	if err != nil {
		return false, ""
	}
	head, err := t.Head()
	return err == nil && strings.TrimSpace(prompt) != "" && strings.TrimSpace(head.First) == strings.TrimSpace(prompt),
		tail.ContinuedIn
}

// FilesOf are the transcripts that bear one of a job's ids, before and after /clear.
func FilesOf(a *account.Account, j *account.Job) []string {
	var out []string
	for _, id := range []string{j.SessionID, j.ResumeSessionID} {
		if !claude.IsUUID(id) {
			continue
		}
		for _, path := range bySession(a, id) {
			if !slices.Contains(out, path) {
				out = append(out, path)
			}
		}
	}
	return out
}
