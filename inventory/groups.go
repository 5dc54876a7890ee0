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
	var found []*account.Job
	for _, j := range jobs.List {
		if j.SessionID == want || j.ResumeSessionID == want {
			return j, nil
		}
		if len(want) >= 4 && (strings.HasPrefix(j.Short, want) || strings.HasPrefix(j.SessionID, want)) {
			found = append(found, j)
		}
	}
	switch {
	case len(found) == 1:
		return found[0], nil
	case len(found) > 1:
		shorts := make([]string, len(found))
		for i, j := range found {
			shorts[i] = j.Short
		}
		return nil, fmt.Errorf("%q fits several sessions: %s; give more digits", typed, strings.Join(shorts, ", "))
	}
	return nil, fmt.Errorf("no session %q in this account's jobs; `recovery inventory` lists them", typed)
}
