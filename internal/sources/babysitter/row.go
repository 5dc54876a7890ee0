package babysitter

import (
	"cmp"
	"fmt"
	"path/filepath"
	"regexp"
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

// fill makes the row of a run.
func (r *run) fill(now time.Time) {
	row := &r.row
	row.ID, row.Title = text.Cut(r.id, 200), text.Cut(cmp.Or(r.prompt, r.process, r.id), maxTitle)
	row.State, row.UpdatedAt, row.Cwd = r.state, r.updated(), text.Cut(r.cwd, 4096)
	row.Verdict, row.Reason = r.judge(now)
	r.details()
	r.commands(now)
	if row.Verdict == sources.Unreadable {
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
		row.Warn("Its newest time is in the future: %s.", row.UpdatedAt.Format(time.RFC3339))
	}
	withhold(row, r.cut)
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
	switch {
	case !r.journal.lastAt.IsZero():
		return r.journal.lastAt
	case !r.created.IsZero():
		return r.created
	}
	return files.Modified(r.dir)
}

// codes are the words for what became of the process code.
var codes = map[string]string{
	"same":       "unchanged since the start",
	"changed":    "changed since the run recorded it",
	"taken-over": "changed since the start, and an iterate has noted it",
	"missing":    "unknown: the process file is not there",
	"unknown":    "unknown: the process file cannot be read",
}

func (r *run) details() {
	add := func(name, value string) { r.row.Add(name, text.Cut(value, 600)) }
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
	add("process code", codes[r.code])
	add("process revision", r.revision)
	if j.codeChanges > 0 {
		add("code changes", fmt.Sprintf("%d noted in the journal", j.codeChanges))
	}
	if r.unattended {
		add("non-interactive", "an iterate passes breakpoints by itself")
	}
	add("part of run", r.parent)
	add("SDK", r.sdk)
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
func (r *run) commands(now time.Time) {
	if !text.Typable(r.dir) {
		return
	}
	dir := text.ShellWord(r.dir)
	status := "prints the state; changes nothing"
	if r.state == "completed" {
		status += ". Of a completed run it prints the completion proof too, which is a secret"
	}
	r.row.Look("babysitter run:status "+dir+" --json", status)
	r.row.Look("babysitter run:events "+dir+" --limit 10 --reverse", "prints the newest events; changes nothing")
	if r.unreadable() != "" || r.journal.falseFailure {
		r.row.Look("babysitter run:repair-journal "+dir+" --dry-run",
			"says which events a repair would drop; changes nothing")
	}
	if r.unreadable() != "" {
		return
	}
	r.row.Look("babysitter task:list "+dir+" --pending", "lists what it waits for; changes nothing")
	if r.state == "failed" && r.journal.recoverable && r.lock.kind != "live" {
		r.row.Look("babysitter run:recover-process-error "+dir+" --dry-run",
			"says what taking the process error back would do (6.x); changes nothing")
	}
	iterate := r.iterateEffect(now)
	if terminal(r.state) || r.lock.kind == "live" || iterate == "" {
		return
	}
	passing := ""
	if r.unattended {
		passing = ", passing every breakpoint"
	}
	if line, ok := r.wakeCommand(); ok {
		r.row.Act(line, "opens the Claude session behind it again, whose stop hook goes on with the run"+passing+
			". Make sure that no process has its conversation open")
	}
	if r.waits.tasks == 0 {
		r.row.Act("babysitter run:iterate "+dir+" --json", iterate)
	}
	if line, ok := r.inSession(); ok {
		effect := "starts a Claude session that takes the run over and goes on with it" + passing
		if r.session != "" && r.claude() && r.sessionActive {
			effect += "; it takes the run away from session " + text.Cut(r.session, 80) + ", so rather wake that one"
		}
		r.row.Act(line, effect)
	}
	if r.waits.tasks > 0 { // it does not do what was handed out
		r.row.Act("babysitter run:iterate "+dir+" --json", iterate)
	}
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
func (r *run) wakeCommand() (line string, ok bool) {
	if r.waits.tasks == 0 || !r.claude() || !r.sessionActive || r.cwd == "" || !claude.IsUUID(strings.ToLower(r.session)) {
		return "", false
	}
	return sources.Reopen(r.cwd, r.session)
}

// plainID is an id that is nothing but a name: any other would be words to a model.
var plainID = regexp.MustCompile(`^[A-Za-z0-9._][A-Za-z0-9._-]{0,199}$`)

// inSession is the form for Claude Code.
func (r *run) inSession() (line string, ok bool) {
	if !plainID.MatchString(r.id) || !text.Typable(r.cwd) {
		return "", false
	}
	line = "claude '/babysitter:call resume --run-id " + r.id + "'"
	if r.cwd != "" {
		line = "cd -- " + text.ShellWord(r.cwd) + " && " + line
	}
	return line, true
}
