package babysitter

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"recovery/internal/claude"
	"recovery/internal/sources"
	"recovery/internal/sources/files"
	"recovery/internal/text"
)

// maxTitle bounds a title, in characters.
const maxTitle = 200

// ahead is by how much a time may lie in the future before it is worth a warning.
const ahead = 5 * time.Minute

// row makes the row of a run.
func (r *run) row(now time.Time) sources.Row {
	verdict, reason := r.judge(now)
	row := sources.Row{
		Source: Name, ID: text.Cut(r.id, 200), Title: text.Cut(cmp.Or(cmp.Or(r.prompt, r.process), r.id), maxTitle),
		State:   r.state,
		Verdict: verdict, Reason: reason, UpdatedAt: r.updated(), Cwd: text.Cut(r.cwd, 4096), Store: r.dir,
		Details: r.details(), Warnings: r.warnings, Commands: r.commands(now),
	}
	if verdict == sources.Unreadable {
		// run:status says nothing of such a run.
		row.State, row.ID = "", filepath.Base(r.dir)
		row.Warnings = append(r.damageNotes(), row.Warnings...)
	} else if !r.finished() {
		row.WaitsFor = r.waits.text()
	}
	if r.claude() {
		row.ClaudeSessionID = text.Cut(r.session, 200)
	}
	if row.UpdatedAt.After(now.Add(ahead)) {
		row.Warnings = append(row.Warnings, "Its newest time is in the future: "+row.UpdatedAt.Format(time.RFC3339)+".")
	}
	if row.Warnings == nil {
		row.Warnings = []string{}
	}
	withhold(&row, r.cut)
	return row
}

// damageNotes tells everything that is wrong with the journal; the reason holds the first of it only.
func (r *run) damageNotes() []string {
	var out []string
	for _, d := range r.journal.damages {
		out = append(out, "The journal is damaged: "+text.Cut(d, 400)+".")
	}
	if r.journal.moreBad > 0 {
		out = append(out, fmt.Sprintf("%d more such damages.", r.journal.moreBad))
	}
	if r.metaErr != nil {
		out = append(out, text.Cut("The run's description, run.json, "+files.Cause(r.metaErr), 400)+".")
	}
	return out
}

// updated is the newest activity: the newest event, else when the run was made, else when its folder changed.
func (r *run) updated() time.Time {
	if !r.journal.lastAt.IsZero() {
		return r.journal.lastAt
	}
	if !r.created.IsZero() {
		return r.created
	}
	if info, err := os.Stat(r.dir); err == nil {
		return info.ModTime().UTC()
	}
	return time.Time{}
}

func (r *run) details() []sources.Detail {
	out := []sources.Detail{}
	add := func(name, value string) {
		if value != "" {
			out = append(out, sources.Detail{Name: name, Text: text.Cut(value, 600)})
		}
	}
	j := r.journal
	add("process", r.process)
	if !r.created.IsZero() {
		add("created", r.created.Format(time.RFC3339))
	}
	add("events", fmt.Sprintf("%d, the last is %s", j.files, cmp.Or(j.lastKind, "none")))
	add("effects", fmt.Sprintf("%d, of which %d are pending", len(j.effects), len(j.pending())))
	add("pending", kinds(j.pendingByKind()))
	add("pending effects", r.pendingNames())
	if !r.waits.oldest.IsZero() {
		add("pending since", r.waits.oldest.Format(time.RFC3339))
	}
	if r.state == "failed" {
		add("error", strings.TrimPrefix(j.errorName+": "+j.errorText, ": "))
	}
	if r.state == "halted" {
		add("halt reason", j.haltReason)
	}
	if j.completions > 1 {
		add("completions", fmt.Sprintf("%d: an iterate of 0.0.x on a finished run executes it again", j.completions))
	}
	if r.lock.kind != "none" {
		add("lock", r.lock.text())
	}
	if r.session != "" {
		add("session", r.sessionNote())
	}
	add("harness", r.harness)
	add("process code", map[string]string{
		"same":       "unchanged since the start",
		"changed":    "changed since the run recorded it",
		"taken-over": "changed since the start, and an iterate has noted it",
		"missing":    "unknown: the process file is not there",
		"unknown":    "unknown: the process file cannot be read",
	}[r.code])
	add("process revision", r.revision)
	if j.codeChanges > 0 {
		add("code changes", fmt.Sprintf("%d noted in the journal", j.codeChanges))
	}
	if r.unattended {
		add("non-interactive", "an iterate passes breakpoints by itself")
	}
	add("part of run", r.parent)
	add("SDK", r.sdk)
	return out
}

// pendingNames names what is pending: task:post wants the id.
func (r *run) pendingNames() string {
	var out []string
	for _, e := range r.journal.pending() {
		out = append(out, text.Cut(e.id, 80)+" ("+text.Cut(e.kind, 60)+")")
	}
	return some(out)
}

// commands are what a person may type. A run is named by its folder: an id is looked up in the places of the current
// folder.
func (r *run) commands(now time.Time) []sources.Command {
	out := []sources.Command{}
	if !text.Typable(r.dir) {
		return out
	}
	dir := text.ShellWord(r.dir)
	add := func(command, effect string) { out = append(out, sources.Command{Command: command, Effect: effect}) }
	status := "prints the state; changes nothing"
	if r.state == "completed" {
		status += ". Of a completed run it prints the completion proof too, which is a secret"
	}
	add("babysitter run:status "+dir+" --json", status)
	add("babysitter run:events "+dir+" --limit 10 --reverse", "prints the newest events; changes nothing")
	if r.unreadable() != "" {
		add("babysitter run:repair-journal "+dir+" --dry-run", "says which events a repair would drop; changes nothing")
		return out
	}
	if r.journal.falseFailure {
		add("babysitter run:repair-journal "+dir+" --dry-run", "says which events a repair would drop; changes nothing")
	}
	add("babysitter task:list "+dir+" --pending", "lists what it waits for; changes nothing")
	if r.state == "failed" && r.journal.recoverable && r.lock.kind != "live" {
		add("babysitter run:recover-process-error "+dir+" --dry-run", "says what taking the process error back would do "+
			"(6.x); changes nothing")
	}
	if terminal(r.state) || r.lock.kind == "live" {
		return out
	}
	effect := r.iterateEffect(now)
	if effect == "" {
		return out
	}
	acts := func(command, effect string) {
		out = append(out, sources.Command{Command: command, Effect: effect, Acts: true})
	}
	if cmd, ok := r.wakeCommand(); ok {
		effect := "opens the Claude session behind it again, whose stop hook goes on with the run"
		if r.unattended {
			effect += ", passing every breakpoint"
		}
		acts(cmd, effect+". Make sure that no process has its conversation open")
	}
	iterate := func() { acts("babysitter run:iterate "+dir+" --json", effect) }
	if r.waits.tasks == 0 {
		iterate()
	}
	if cmd, ok := r.inSession(); ok {
		effect := "starts a Claude session that takes the run over and goes on with it"
		if r.unattended {
			effect += ", passing every breakpoint"
		}
		if r.session != "" && r.claude() && r.sessionActive {
			effect += "; it takes the run away from session " + text.Cut(r.session, 80) + ", so rather wake that one"
		}
		acts(cmd, effect)
	}
	if r.waits.tasks > 0 {
		iterate() // it does not do what was handed out
	}
	return out
}

// terminal says that an iterate is never the answer: 0.0.x would execute a finished process again.
func terminal(state string) bool {
	return state == "completed" || state == "halted" || state == "failed"
}

// iterateEffect is what one iterate would do; empty where it must not be suggested.
func (r *run) iterateEffect(now time.Time) string {
	const runs = "runs the user's process code up to the next thing that it waits for"
	w := r.waits
	switch {
	case r.lock.kind == "corrupt" || r.lock.kind == "reused" || r.layout != "" && r.layout != layout ||
		r.journal.files == 0 || r.bare() || r.importPath() == "":
		return ""
	case r.code == "missing":
		return "fails, and changes nothing, until the process file is there"
	case r.unattended:
		return runs + ", and passes every breakpoint by itself: that is an approval"
	case len(w.breakpoints) > 0:
		return "answers nothing; after the breakpoint was answered it " + runs
	case w.tasks > 0:
		return "lists the same pending tasks again; it does not do them"
	case len(w.sleeps) > 0 && w.sleeps[0].After(now):
		return "does nothing new before " + w.sleeps[0].Format(time.RFC3339)
	case r.state == "created" && r.journal.lastResolved == "error":
		return "meets the failed task again"
	}
	return runs
}

// wakeCommand opens the session again to which tasks were handed out; they are done there and not by an iterate. The
// hook of a session that is no longer active does not go on with the run.
func (r *run) wakeCommand() (string, bool) {
	if r.waits.tasks == 0 || !r.claude() || !r.sessionActive || r.cwd == "" || !claude.IsUUID(strings.ToLower(r.session)) {
		return "", false
	}
	return "cd -- " + text.ShellWord(r.cwd) + " && claude --resume " + r.session, text.Typable(r.cwd)
}

// inSession is the form for Claude Code. An id that is more than a plain name would be words to a model, so there is
// none then.
func (r *run) inSession() (string, bool) {
	if r.id == "" || len(r.id) > 200 || r.id[0] == '-' || strings.ContainsFunc(r.id,
		func(c rune) bool { return !strings.ContainsRune(idLetters, c) }) {
		return "", false
	}
	cmd := "claude '/babysitter:call resume --run-id " + r.id + "'"
	if r.cwd != "" {
		if !text.Typable(r.cwd) {
			return "", false
		}
		cmd = "cd -- " + text.ShellWord(r.cwd) + " && " + cmd
	}
	return cmd, true
}

const idLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-"
