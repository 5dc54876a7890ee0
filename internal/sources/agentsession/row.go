package agentsession

import (
	"cmp"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"recovery/internal/claude"
	"recovery/internal/sources"
	"recovery/internal/sources/files"
	"recovery/internal/text"
)

// fresh is how old the checkpoint of a running session may be: it writes one every five minutes, so twice that
// without one means that it was interrupted.
const fresh = 10 * time.Minute

// ahead is by how much a time may lie in the future: clocks differ.
const ahead = time.Minute

// row makes the row of a session from its checkpoint. mtime is the file's own time, for a checkpoint that has none.
func row(c checkpoint, agent, id, path, store string, mtime, now time.Time) sources.Row {
	at, from := c.at, "the checkpoint's own time"
	if at.IsZero() {
		at, from = mtime, "the file's time, since the checkpoint has none"
	}
	r := blank(agent, id, path, store)
	r.Title, r.State, r.UpdatedAt = text.Cut(cmp.Or(c.task, r.Title), 200), text.Cut(c.status, 60), at
	if c.task == "" && c.handoff != nil && c.handoff.task != "" {
		r.Title = text.Cut(c.handoff.task, 200)
	}
	r.Verdict, r.Reason = judge(c, at, now)
	r.WaitsFor = waitsFor(c)
	details(&r, c, at, from, now)
	warn(&r, c, agent, id, now)
	if r.ClaudeSessionID == "" || r.Verdict == sources.Done || c.handoff != nil {
		return r
	}
	if line, ok := sources.Reopen(r.Cwd, r.ClaudeSessionID); ok && (now.Sub(at) > fresh ||
		settled(c.status) == "sleeping") {
		r.Act(line, "opens the conversation again; restore the bus position "+cmp.Or(text.Cut(c.bus, 80), "(not recorded)")+
			" first, or messages that were answered are answered again")
	}
	return r
}

// blank is what every row has, whatever its checkpoint says.
func blank(agent, id, path, store string) sources.Row {
	r := sources.NewRow(Name, text.Cut(id, 200), path)
	r.Title, r.Cwd, r.FormatInferred = text.Cut(agent+"/"+id, 200), filepath.Dir(filepath.Dir(store)), true
	r.Details = append(r.Details, sources.Detail{Name: "agent", Text: text.Cut(agent, 200)})
	if id = strings.ToLower(id); claude.IsUUID(id) {
		r.ClaudeSessionID = id
	}
	if text.Typable(path) {
		verb := "cat -- "
		if filepath.Base(path) != "checkpoint.json" {
			verb = "ls -la -- "
		}
		r.Look(verb+text.ShellWord(path), "shows what is there; changes nothing")
	}
	return r
}

// unreadable is the row of something that is there and cannot be read.
func unreadable(agent, id, path, store, why string) sources.Row {
	r := blank(agent, id, path, store)
	r.Verdict, r.Reason, r.UpdatedAt = sources.Unreadable, text.Cut(why, 300), files.Modified(path)
	r.Warn("Nothing can be told of it: %s.", r.Reason)
	return r
}

// scratch is the row of a session without a checkpoint.
func scratch(agent, id, path, store string) sources.Row {
	r := blank(agent, id, path, store)
	r.Verdict, r.UpdatedAt = sources.Person, files.Modified(path)
	r.Reason = "there is no checkpoint: recovery without one means starting from scratch, which is a person's decision"
	return r
}

// settled is a status with its spelling evened out.
func settled(status string) string {
	return strings.NewReplacer("_", "-", " ", "-").Replace(strings.ToLower(strings.TrimSpace(status)))
}

// judge says what waking the session would mean. No status and no time proves that a session lives or does not, so
// the reason leaves that to whoever knows its process.
func judge(c checkpoint, at, now time.Time) (sources.Verdict, string) {
	age := now.Sub(at)
	idle := c.task == "" && c.pending.count == 0 && (c.taskKnown || c.pending.known)
	status := settled(c.status)
	young := age <= fresh && status != "sleeping"
	switch {
	case c.handoff != nil:
		return sources.Person, "the work was handed off and belongs to " + cmp.Or(text.Cut(c.handoff.to, 80),
			"another agent") + ": do not wake this one"
	case age < -ahead:
		return sources.Person, "its checkpoint lies in the future, so its age cannot be told"
	case status == "active" && young:
		return sources.Person, fmt.Sprintf("it may be at work: it is active, and its checkpoint is %s old. Do not wake it "+
			"before it is older than ten minutes", text.Age(age, time.Hour))
	case status == "shutting-down" && young:
		return sources.Person, "it is shutting down, or was a moment ago: look again when the checkpoint is older than " +
			"ten minutes"
	case idle:
		return sources.Done, "nothing is pending and there is no task: nothing to resume"
	case c.restarts >= 0 && c.restarts >= c.limit:
		return sources.Person, fmt.Sprintf("it was restarted %d times of at most %d: the automatic restart gave up",
			c.restarts, c.limit)
	case status == "shutting-down":
		return sources.Person, fmt.Sprintf("its shutdown began and did not finish: the checkpoint is %s old, and "+
			"session_end may never have been published", text.Age(age, time.Hour))
	case status == "":
		return sources.Person, "the checkpoint has no status, so whether it stopped on purpose cannot be told"
	case status != "active" && status != "sleeping":
		return sources.Person, text.Cut(c.status, 60) + " is not one of the skill's states (active, sleeping, shutting-down)"
	case c.bus == "":
		return sources.Person, "the bus position is not recorded: after a restore old messages would be processed again"
	case status == "active":
		return sources.Safe, fmt.Sprintf("interrupted: it is active by its checkpoint, which is %s old, and a running "+
			"session writes one every five minutes. Make sure that no process has its conversation open",
			text.Age(age, time.Hour))
	}
	return sources.Safe, "it sleeps on purpose, with work left: it may be woken"
}

func waitsFor(c checkpoint) string {
	switch {
	case c.handoff != nil:
		return "hand-off to " + cmp.Or(text.Cut(c.handoff.to, 80), "another agent") + ", for the reason: " +
			cmp.Or(text.Cut(c.handoff.reason, 200), "not recorded")
	case c.pending.count > 0:
		return "pending " + c.pending.text()
	}
	return ""
}

func details(r *sources.Row, c checkpoint, at time.Time, from string, now time.Time) {
	add := func(name, value string) { r.Add(name, text.Cut(value, 700)) }
	when := at.Format(time.RFC3339) + ", " + from
	if age := now.Sub(at); age >= 0 {
		when = text.Age(age, time.Hour) + " old (" + when + ")"
	}
	add("checkpoint", when)
	add("checkpoint reason", c.reason)
	if !c.started.IsZero() {
		add("started", c.started.Format(time.RFC3339))
		if d := at.Sub(c.started); d >= 0 {
			add("duration", text.Age(d, time.Hour)+" up to the checkpoint")
		}
	}
	if c.messages >= 0 {
		add("messages processed", fmt.Sprint(c.messages))
	}
	add("current task", cmp.Or(c.task, map[bool]string{true: "none"}[c.taskKnown]))
	add("done", c.done.text())
	add("pending", c.pending.text())
	add("bus position", c.bus)
	if c.restarts >= 0 {
		add("restarts", fmt.Sprintf("%d of at most %d", c.restarts, c.limit))
	}
	add("memory", c.memory.text())
	if h := c.handoff; h != nil {
		add("hand-off from", h.from)
		add("hand-off to", h.to)
		add("hand-off reason", h.reason)
		add("hand-off task", h.task)
		add("hand-off progress", h.progress)
		add("hand-off next", h.next)
		add("hand-off key files", h.keyFiles.text())
		add("hand-off checkpoint", h.path)
	}
}

func warn(r *sources.Row, c checkpoint, agent, id string, now time.Time) {
	if c.agent != "" && c.agent != agent {
		r.Warn("The checkpoint names the agent %s; its folder says %s, which counts.", text.Cut(c.agent, 80),
			text.Cut(agent, 80))
	}
	if c.session != "" && c.session != id {
		r.Warn("The checkpoint names the session %s; its folder says %s, which counts.", text.Cut(c.session, 80),
			text.Cut(id, 80))
	}
	if len(c.badTimes) > 0 {
		r.Warn("A time cannot be read: %s.", strings.Join(c.badTimes, ", "))
	}
	if r.UpdatedAt.After(now.Add(ahead)) {
		r.Warn("The checkpoint lies in the future: %s.", r.UpdatedAt.Format(time.RFC3339))
	}
	if !c.started.IsZero() && c.started.After(r.UpdatedAt) {
		r.Warn("It began after its checkpoint, by its times.")
	}
}
