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

// Name is the source's name in rows and on the command line.
const Name = "ouroboros"

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
	r := sources.Row{Source: Name, ID: s.id, State: s.state, UpdatedAt: s.at, Store: p.path, Details: []sources.Detail{},
		Warnings: append([]string{}, s.bad...)}
	r.Title = cmp.Or(str(s.first, "seed_goal"), bounded(s.seed))
	r.Cwd = cmp.Or(s.detail.folder, workFolder(s.first))
	runtime := cmp.Or(s.detail.runtime, str(s.first, "runtime_backend"))
	if runtime == "claude" {
		r.ClaudeSessionID = s.detail.native
	}
	if s.unreadable != "" {
		r.State, r.Verdict, r.Reason = "", sources.Unreadable, s.unreadable
		r.Commands = browse(p)
		return r
	}
	describe(&r, s, runtime)
	if terminal(s.state) {
		r.Verdict, r.Reason = sources.Done, "it is "+s.state+"; nothing continues it"
		r.Commands = inspect(p, s.execution)
		return r
	}
	l := readLease(m, p.folders, s.id)
	r.Warnings = append(r.Warnings, l.warnings...)
	r.Details = append(r.Details, sources.Detail{Name: "owner", Text: l.text})
	until, limited := limit(s)
	judge(&r, m.Now, s, l, until, limited)
	if asked := cancellation(p.folders, s.id); asked != "" {
		r.Details = append(r.Details, sources.Detail{Name: "cancellation", Text: asked})
		r.Warnings = append(r.Warnings, asked+"; its owner has not acted on it")
	}
	if l.owner != alive {
		if w := willBeCancelled(m.Now, s.at, until, limited); w != "" {
			r.Warnings = append(r.Warnings, w)
		}
	}
	if s.unknown != "" {
		r.Warnings = append(r.Warnings, "its newest progress says "+strconv.Quote(s.unknown)+
			", which is no status that Ouroboros knows either; it is ignored")
	}
	if s.at.After(m.Now.Add(time.Minute)) {
		r.Warnings = append(r.Warnings, "its newest event is in the future: a clock is or was wrong")
	}
	for _, j := range s.jobs {
		r.Details = append(r.Details, sources.Detail{Name: "job", Text: jobWords(m, j)})
	}
	if !p.configured {
		r.Details = append(r.Details, sources.Detail{Name: "note", Text: "commands without --db-path use the store of the " +
			"account's own configuration, which is not this one"})
	}
	r.Commands = reattach(&r, p, s, l)
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
	add := func(name, text string) {
		if text != "" {
			r.Details = append(r.Details, sources.Detail{Name: name, Text: text})
		}
	}
	add("execution", s.execution)
	add("seed", s.seed)
	add("started", cmp.Or(str(s.first, "start_time"), s.start.when))
	if s.total > 0 {
		add("criteria", fmt.Sprintf("%d/%d done", max(s.done, 0), s.total))
	}
	add("phase", s.detail.phase)
	add("activity", s.detail.activity)
	if s.detail.messages > 0 {
		add("messages", strconv.FormatInt(s.detail.messages, 10))
	}
	if s.lastProgress.After(s.at) {
		add("last progress", s.lastProgress.Format(time.RFC3339))
	}
	add("ended", strings.TrimSpace(s.ending))
	add("runtime", runtime)
	if runtime != "claude" {
		add("runtime session", s.detail.native)
	}
	add("branch", s.detail.branch)
	if s.pause.row != 0 {
		add("pause", cmp.Or(str(s.pauseBody, "pause_kind"), "no kind recorded"))
		add("pause reason", str(s.pauseBody, "reason"))
		add("hint", str(s.pauseBody, "resume_hint"))
	}
}

// limit is when a pause at a usage limit ends.
func limit(s *session) (until time.Time, limited bool) {
	if s.state != "paused" || s.pause.row == 0 || str(s.pauseBody, "pause_kind") != "usage_limit" {
		return time.Time{}, false
	}
	if t, ok := parseTime(str(s.pauseBody, "resume_after")); ok {
		return t, true
	}
	at, ok := parseTime(str(s.pauseBody, "paused_at"))
	if !ok {
		at, ok = parseTime(s.pause.when)
	}
	if !ok {
		at = s.at
	}
	if n := s.pauseBody.Get("pause_seconds"); n.Type == gjson.Number && n.Num >= 0 && n.Num < 1e9 {
		return at.Add(time.Duration(n.Num * float64(time.Second))), true
	}
	return at.Add(usageWindow), true
}

// judge gives the verdict. A live owner comes first, then the time that a pause lasts; a session without an owner
// cannot be continued, whatever else it waits for.
func judge(r *sources.Row, now time.Time, s *session, l lease, until time.Time, limited bool) {
	early := limited && now.Before(until)
	switch {
	case len(s.questions) > 0:
		r.WaitsFor = s.questions[0].words()
		for _, q := range s.questions[1:] {
			r.Details = append(r.Details, sources.Detail{Name: "question", Text: q.words()})
		}
		for _, q := range s.questions {
			if q.bad != "" {
				r.Warnings = append(r.Warnings, "the request "+bounded(q.id)+" for a person's answer "+q.bad)
			}
		}
		r.Details = append(r.Details, sources.Detail{Name: "asked", Text: s.questions[0].when + " UTC"})
	case early:
		r.WaitsFor = "the usage limit, until " + until.UTC().Format(time.RFC3339)
	case limited:
		r.WaitsFor = "nothing since the usage limit ended at " + until.UTC().Format(time.RFC3339)
	case s.state == "paused" && str(s.pauseBody, "pause_kind") == "resume_retry":
		r.WaitsFor = "a person to mend the runtime: " + cmp.Or(str(s.pauseBody, "reason"), "no reason recorded")
	case s.state == "paused":
		r.WaitsFor = "a person's decision: " + cmp.Or(str(s.pauseBody, "reason"), "paused without a reason")
	}
	switch {
	case l.owner == alive && len(s.questions) > 0:
		r.Verdict, r.Reason = sources.Person, l.text+"; it goes on when the question is answered where it was asked"
	case l.owner == alive:
		r.Verdict, r.Reason = sources.Live, l.text+": leave it alone, and watch it with the monitor"
	case l.owner == unsure:
		r.Verdict, r.Reason = sources.Person, l.text+": whether its owner lives cannot be told; look for the process "+
			"before anything else. Without its owner "+startAnew
	case early:
		r.Verdict, r.Reason = sources.Time, "it waits for a usage limit; "+l.text+", so after that "+startAnew
	case s.first.Get("execution_contract").Exists():
		r.Verdict, r.Reason = sources.Unsafe, l.text+"; "+startAnew
	default:
		r.Verdict, r.Reason = sources.Unsafe, l.text+" (it records no contract, so an older version may have made it); "+
			"with a current version "+startAnew
	}
}

// willBeCancelled warns that a look elsewhere ends a session: Ouroboros cancels what rests when its server starts.
func willBeCancelled(now, last, until time.Time, limited bool) string {
	if last.IsZero() {
		return ""
	}
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

func jobWords(m sources.Machine, j job) string {
	owner := "its owner is not recorded"
	if j.pid > 0 && m.Process != nil {
		switch p := m.Process(j.pid); {
		case !p.Running:
			owner = fmt.Sprintf("its owner, process %d, is gone", j.pid)
		case j.start > 0 && !p.Started.IsZero() && !near(p.Started, j.start):
			owner = fmt.Sprintf("process %d has another start than its owner", j.pid)
			if !j.identity {
				owner += ", which does not prove that the owner is gone"
			}
		default:
			owner = fmt.Sprintf("its owner, process %d, runs", j.pid)
		}
	}
	words := bounded(j.id) + " " + j.status
	if j.kind != "" {
		words += " (" + j.kind + ")"
	}
	if j.message != "" {
		words += ": " + j.message
	}
	return words + "; " + owner
}

func near(t time.Time, seconds float64) bool {
	d := float64(t.UnixNano())/1e9 - seconds
	return d <= drift.Seconds() && d >= -drift.Seconds()
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
