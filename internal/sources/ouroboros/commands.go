package ouroboros

import (
	"cmp"
	"strings"

	"recovery/internal/sources"
	"recovery/internal/text"
)

// inspect are the commands that only look.
func inspect(p place, execution string) []sources.Command {
	var out []sources.Command
	if execution != "" {
		words := []string{"ouroboros", "status", "execution", execution, "--events"}
		if strings.HasPrefix(execution, "-") {
			words = []string{"ouroboros", "status", "execution", "--events", "--", execution}
		}
		out = append(out, sources.Command{Command: command(words...),
			Effect: "read-only: prints what the execution recorded"})
	}
	return append(out, browse(p)...)
}

// browse is the way to look at everything that a store holds.
func browse(p place) []sources.Command {
	return []sources.Command{{Command: command("ouroboros", "tui", "monitor", "--db-path", p.path), Effect: monitorEffect}}
}

const monitorEffect = "read-only: opens the monitor on this store, its history included"

// reattach are the commands for a session that is in flight.
func reattach(r *sources.Row, p place, s *session, l lease) []sources.Command {
	out := inspect(p, s.execution)
	seed, exists := seedFile(p.folders, s.seed)
	switch {
	case exists:
	case s.seed == "":
		seed = "SEED.yaml"
		r.Warnings = append(r.Warnings, "its seed was not recorded: the file must be found by hand")
	default:
		r.Warnings = append(r.Warnings, "the file of its seed ("+bounded(cmp.Or(seed, s.seed))+
			") does not exist: the original seed must be found by hand")
		if seed == "" {
			seed = "SEED.yaml"
		}
	}
	note := ""
	if !exists {
		note = "; the file of the seed is not there, so put the original one's path in its place"
	}
	resume := sources.Command{Command: command("ouroboros", "run", "workflow", "--orchestrator", "--resume", s.id, seed),
		Acts: true}
	if strings.HasPrefix(s.id, "-") {
		resume.Command = command("ouroboros", "run", "workflow", "--orchestrator", "--resume="+s.id, seed)
	}
	anew := sources.Command{Command: command("ouroboros", "run", "workflow", seed),
		Effect: "starts a new attempt from the beginning, as a session of its own" + note, Acts: true}
	switch l.owner {
	case alive:
		resume.Effect = "a resume, which is refused without harm: another process holds the session" + note
		out = append(out, resume)
		out = append(out, cancelCommand(s.id, "asks its owner to cancel it; final"))
	case unsure:
		resume.Effect = "a resume, which is refused when its owner lives and MARKS IT FAILED when it does not" + note
		out = append(out, anew, resume)
	default:
		resume.Effect = "a resume, which MARKS IT FAILED: its owner is gone" + note
		out = append(out, anew, resume, cancelCommand(s.id, "closes it as cancelled; final"))
	}
	return out
}

func cancelCommand(id, effect string) sources.Command {
	if strings.HasPrefix(id, "-") {
		return sources.Command{Command: command("ouroboros", "cancel", "execution", "--", id), Effect: effect, Acts: true}
	}
	return sources.Command{Command: command("ouroboros", "cancel", "execution", id), Effect: effect, Acts: true}
}

// command joins words to a line for a shell, as Ouroboros itself writes one.
func command(words ...string) string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = text.ShellWordASCII(w)
	}
	return strings.Join(out, " ")
}
