package ouroboros

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"recovery/internal/sources"
)

const (
	// spared is how long a session without an owner may rest before the next start of the server of Ouroboros cancels
	// it; a pause at a usage limit is spared for that long after its end.
	spared = time.Hour
	// usageWindow is how long a pause at a usage limit lasts when it does not say.
	usageWindow = 5 * time.Hour
)

// startAnew is said of a session whose owner is gone.
const startAnew = "a resume would mark it failed, since it can be continued only inside the process that started " +
	"it: start a new attempt"

// sessionRow makes the row of one session.
func sessionRow(m sources.Machine, p place, s *session) sources.Row {
	r := sources.NewRow(Name, s.id, p.path)
	r.State, r.UpdatedAt, r.Warnings = s.state, s.at, append(r.Warnings, s.bad...)
	r.Title = cmp.Or(str(s.first, "seed_goal"), bounded(s.seed))
	r.Cwd = cmp.Or(s.detail.folder, workFolder(s.first))
	runtime := cmp.Or(s.detail.runtime, str(s.first, "runtime_backend"))
	if runtime == "claude" {
		r.ClaudeSessionID = s.detail.native
	}
	if s.unreadable != "" {
		r.State, r.Verdict, r.Reason = "", sources.Unreadable, s.unreadable
		inspect(&r, p, "")
		return r
	}
	describe(&r, s, runtime)
	if terminal(s.state) {
		r.Verdict, r.Reason = sources.Done, "it is "+s.state+"; nothing continues it"
		inspect(&r, p, s.execution)
		return r
	}
	l := readLease(m, p.folders, s.id)
	r.Warnings = append(r.Warnings, l.warnings...)
	r.Add("owner", l.text)
	until, limited := limit(s)
	early := limited && m.Now.Before(until)
	wait(&r, s, until, limited, early)
	r.Verdict, r.Reason = judge(s, l, early)
	if asked := cancellation(p.folders, s.id); asked != "" {
		r.Add("cancellation", asked)
		r.Warn("%s; its owner has not acted on it", asked)
	}
	if l.owner != alive && !s.at.IsZero() {
		r.Warn("%s", willBeCancelled(m.Now, s.at, until, limited))
	}
	if s.unknown != "" {
		r.Warn("its newest progress says %q, which is no status that Ouroboros knows either; it is ignored", s.unknown)
	}
	if s.at.After(m.Now.Add(time.Minute)) {
		r.Warn("its newest event is in the future: a clock is or was wrong")
	}
	for _, j := range s.jobs {
		r.Add("job", j.words(m))
	}
	if !p.configured {
		r.Add("note", "commands without --db-path use the store of the account's own configuration, which is not this one")
	}
	reattach(&r, p, s, l)
	return r
}

// workFolder is where a session's start says that it works.
func workFolder(first gjson.Result) string {
	root, path := str(first, "project_root"), str(first, "workspace_path")
	switch {
	case filepath.IsAbs(path):
		return filepath.Clean(path)
	case root != "" && path != "":
		return filepath.Join(root, path)
	}
	return root
}

func describe(r *sources.Row, s *session, runtime string) {
	r.Add("execution", s.execution)
	r.Add("seed", s.seed)
	r.Add("started", cmp.Or(str(s.first, "start_time"), s.start.when))
	if s.total > 0 {
		r.Add("criteria", fmt.Sprintf("%d/%d done", max(s.done, 0), s.total))
	}
	r.Add("phase", s.detail.phase)
	r.Add("activity", s.detail.activity)
	if s.detail.messages > 0 {
		r.Add("messages", strconv.FormatInt(s.detail.messages, 10))
	}
	if s.lastProgress.After(s.at) {
		r.Add("last progress", s.lastProgress.Format(time.RFC3339))
	}
	r.Add("ended", strings.TrimSpace(s.ending))
	r.Add("runtime", runtime)
	if runtime != "claude" {
		r.Add("runtime session", s.detail.native)
	}
	r.Add("branch", s.detail.branch)
	if s.pause.row != 0 {
		r.Add("pause", cmp.Or(str(s.pauseBody, "pause_kind"), "no kind recorded"))
		r.Add("pause reason", str(s.pauseBody, "reason"))
		r.Add("hint", str(s.pauseBody, "resume_hint"))
	}
}

// limit is when a pause at a usage limit ends.
func limit(s *session) (until time.Time, limited bool) {
	if s.state != "paused" || s.pause.row == 0 || str(s.pauseBody, "pause_kind") != "usage_limit" {
		return time.Time{}, false
	}
	if t := parseTime(str(s.pauseBody, "resume_after")); !t.IsZero() {
		return t, true
	}
	at := parseTime(str(s.pauseBody, "paused_at"))
	if at.IsZero() {
		at = parseTime(s.pause.when)
	}
	if at.IsZero() {
		at = s.at
	}
	if n := s.pauseBody.Get("pause_seconds"); n.Type == gjson.Number && n.Num >= 0 && n.Num < 1e9 {
		return at.Add(time.Duration(n.Num * float64(time.Second))), true
	}
	return at.Add(usageWindow), true
}

// wait says what the session waits for.
func wait(r *sources.Row, s *session, until time.Time, limited, early bool) {
	kind, reason := str(s.pauseBody, "pause_kind"), str(s.pauseBody, "reason")
	switch {
	case len(s.questions) > 0:
		r.WaitsFor = s.questions[0].words()
		for i, q := range s.questions {
			if i > 0 {
				r.Add("question", q.words())
			}
			if q.bad != "" {
				r.Warn("the request %s for a person's answer %s", bounded(q.id), q.bad)
			}
		}
		r.Add("asked", s.questions[0].when+" UTC")
	case early:
		r.WaitsFor = "the usage limit, until " + until.UTC().Format(time.RFC3339)
	case limited:
		r.WaitsFor = "nothing since the usage limit ended at " + until.UTC().Format(time.RFC3339)
	case s.state == "paused" && kind == "resume_retry":
		r.WaitsFor = "a person to mend the runtime: " + cmp.Or(reason, "no reason recorded")
	case s.state == "paused":
		r.WaitsFor = "a person's decision: " + cmp.Or(reason, "paused without a reason")
	}
}

// judge gives the verdict. A live owner comes first, then the time that a pause lasts; a session without an owner
// cannot be continued, whatever else it waits for.
func judge(s *session, l lease, early bool) (sources.Verdict, string) {
	switch {
	case l.owner == alive && len(s.questions) > 0:
		return sources.Person, l.text + "; it goes on when the question is answered where it was asked"
	case l.owner == alive:
		return sources.Live, l.text + ": leave it alone, and watch it with the monitor"
	case l.owner == unsure:
		return sources.Person, l.text + ": whether its owner lives cannot be told; look for the process before anything " +
			"else. Without its owner " + startAnew
	case early:
		return sources.Time, "it waits for a usage limit; " + l.text + ", so after that " + startAnew
	case s.first.Get("execution_contract").Exists():
		return sources.Unsafe, l.text + "; " + startAnew
	}
	return sources.Unsafe, l.text + " (it records no contract, so an older version may have made it); with a current " +
		"version " + startAnew
}

// willBeCancelled warns that a look elsewhere ends a session: Ouroboros cancels what rests when its server starts.
func willBeCancelled(now, last, until time.Time, limited bool) string {
	end := last.Add(spared)
	if limited && until.Add(spared).After(end) {
		end = until.Add(spared)
	}
	if now.After(end) {
		return "it will be cancelled at the next start of the server of Ouroboros (`ouroboros mcp serve`, which a new " +
			"window starts too)"
	}
	return "it will be cancelled at the first start of the server of Ouroboros after " + end.UTC().Format(time.RFC3339)
}

// seedFile is the file of a seed: where it should be, and whether it is there.
func seedFile(folders []string, seed string) (path string, exists bool) {
	if seed == "" || seed != filepath.Base(seed) || seed == "." || seed == ".." || strings.ContainsRune(seed, 0) {
		return "", false
	}
	for _, folder := range folders {
		file := filepath.Join(folder, "seeds", seed+".yaml")
		if path == "" {
			path = file
		}
		if info, err := os.Stat(file); err == nil && info.Mode().IsRegular() {
			return file, true
		}
	}
	return path, false
}
