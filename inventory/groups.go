package inventory

import (
	"errors"
	"fmt"
	"strings"

	"recovery/internal/account"
)

// Find is a job by what the user typed: its short, its full id (the session's or the resumed one's), or a unique prefix
// of at least four digits.
func Find(jobs *account.Jobs, typed string) (*account.Job, error) {
	want := strings.ToLower(strings.TrimSpace(typed))
	if want == "" {
		return nil, errors.New("a session's short is empty; `recovery inventory` lists the sessions")
	}
	if j, ok := jobs.ByShort[want]; ok {
		return j, nil
	}
	var found, full []*account.Job
	for _, j := range jobs.List {
		if j.SessionID == want || j.ResumeSessionID == want {
			full = append(full, j)
		}
		if len(want) >= 4 && (strings.HasPrefix(j.Short, want) || strings.HasPrefix(j.SessionID, want)) {
			found = append(found, j)
		}
	}
	switch {
	case len(full) == 1:
		return full[0], nil
	case len(full) > 1:
		// Two jobs may resume one session, and no digit more tells them apart.
		return nil, fmt.Errorf("%q is the id of several sessions: %s; give the short of one of them", typed, shortsOf(full))
	case len(found) == 1:
		return found[0], nil
	case len(found) > 1:
		return nil, fmt.Errorf("%q fits several sessions: %s; give more digits", typed, shortsOf(found))
	}
	return nil, fmt.Errorf("no session %q in this account's jobs; `recovery inventory` lists them", typed)
}

func shortsOf(jobs []*account.Job) string {
	shorts := make([]string, len(jobs))
	for i, j := range jobs {
		shorts[i] = j.Short
	}
	return strings.Join(shorts, ", ")
}
