package ouroboros

import (
	"cmp"
	"strings"

	"recovery/internal/sources"
)

// Box is the re-attach box of one row, as Ouroboros' own users know it.
func Box(r sources.Row) string {
	b := sources.NewBox(13)
	if r.Detail("kind") != "" {
		b.Line("ID", r.ID)
	} else {
		b.Line("Session ID", r.ID)
		b.Line("Execution ID", cmp.Or(r.Detail("execution"), "<unknown>"))
		b.Line("Seed ID", cmp.Or(r.Detail("seed"), "<not recorded>"))
	}
	b.State(r)
	b.Line("Criteria", r.Detail("criteria"))
	b.Line("Folder", r.Cwd)
	b.Line("Store", r.Store)
	if r.Detail("Claude session") == "" {
		b.Line("Claude session", r.ClaudeSessionID)
	}
	b.Line("Note", r.Detail("note"))
	b.Line("Waits for", r.WaitsFor)
	b.Line("Verdict", string(r.Verdict)+": "+r.Reason)
	return b.End(r, action(r), "execution", "seed", "criteria", "note")
}

var actions = map[sources.Verdict]string{
	sources.Live:       "leave it alone, or watch it in the monitor",
	sources.Safe:       "continue it",
	sources.Person:     "look at it, then decide",
	sources.Time:       "wait until its time has come, then start a new attempt",
	sources.Unsafe:     "start a new attempt; do not resume",
	sources.Done:       "nothing; look at it in the monitor",
	sources.Unreadable: "look at it in the monitor",
}

// action is what the last line of the box says to do. The monitor shows nothing of a pipeline.
func action(r sources.Row) string {
	pipeline := r.Detail("kind") == pipelineKind
	switch {
	case r.Verdict == sources.Person && strings.HasPrefix(r.WaitsFor, "a person's answer"):
		return "answer its question"
	case pipeline && r.Verdict == sources.Done:
		return "nothing"
	case pipeline && r.Verdict == sources.Unreadable:
		return "look at its file"
	}
	return actions[r.Verdict]
}
