package ouroboros

import (
	"cmp"
	"strings"

	"recovery/internal/sources"
	"recovery/internal/text"
)

// command joins words to a line for a shell, as Ouroboros itself writes one.
func command(words ...string) string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = text.ShellWordASCII(w)
	}
	return strings.Join(out, " ")
}

// dashed says that an id would be taken for an option.
func dashed(id string) bool { return strings.HasPrefix(id, "-") }

// monitor is the way to look at everything that a store holds.
func monitor(p place) string { return command("ouroboros", "tui", "monitor", "--db-path", p.path) }

// inspect adds the commands that only look.
func inspect(r *sources.Row, p place, execution string) {
	if execution != "" {
		line := command("ouroboros", "status", "execution", execution, "--events")
		if dashed(execution) {
			line = command("ouroboros", "status", "execution", "--events", "--", execution)
		}
		r.Look(line, "read-only: prints what the execution recorded")
	}
	r.Look(monitor(p), "read-only: opens the monitor on this store, its history included")
}

// reattach adds the commands for a session that is in flight.
func reattach(r *sources.Row, p place, s *session, l lease) {
	inspect(r, p, s.execution)
	note := ""
	seed, exists := seedFile(p.folders, s.seed)
	if !exists {
		note = "; the file of the seed is not there, so put the original one's path in its place"
		if s.seed == "" {
			r.Warn("its seed was not recorded: the file must be found by hand")
		} else {
			r.Warn("the file of its seed (%s) does not exist: the original seed must be found by hand",
				bounded(cmp.Or(seed, s.seed)))
		}
		seed = cmp.Or(seed, "SEED.yaml")
	}
	resume := command("ouroboros", "run", "workflow", "--orchestrator", "--resume", s.id, seed)
	if dashed(s.id) {
		resume = command("ouroboros", "run", "workflow", "--orchestrator", "--resume="+s.id, seed)
	}
	cancel := command("ouroboros", "cancel", "execution", s.id)
	if dashed(s.id) {
		cancel = command("ouroboros", "cancel", "execution", "--", s.id)
	}
	if l.owner != alive {
		r.Act(command("ouroboros", "run", "workflow", seed),
			"starts a new attempt from the beginning, as a session of its own"+note)
	}
	switch l.owner {
	case alive:
		r.Act(resume, "a resume, which is refused without harm: another process holds the session"+note)
		r.Act(cancel, "asks its owner to cancel it; final")
	case unsure:
		r.Act(resume, "a resume, which is refused when its owner lives and MARKS IT FAILED when it does not"+note)
	default:
		r.Act(resume, "a resume, which MARKS IT FAILED: its owner is gone"+note)
		r.Act(cancel, "closes it as cancelled; final")
	}
}
