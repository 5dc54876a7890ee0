package remote

import (
	"regexp"
	"strings"
	"time"

	"recovery/internal/claude"

	"github.com/tidwall/gjson"
)

// Session is one row of a sessions list. The fields are observations of public captures of three lists (the Claude
// Code Remote tools, GET /v1/sessions, GET /v1/code/sessions); what a list leaves out is empty here.
type Session struct {
	ID   string // as given
	Body string // without the session_ or cse_ prefix: the same session has either in different lists

	Title string
	// Status is session_status, or status where that is missing: pending, running, idle, requires_action, archived,
	// active, lower case and without prefix.
	Status string
	// Archived is told by the status alone. Archived rows are in the default list.
	Archived bool
	// Connection is connected or disconnected, "" when the list does not say. It is wrong both ways in the wild.
	Connection string

	CreatedAt, UpdatedAt time.Time // zero when absent or not usable
	TimeField            string    // where UpdatedAt came from: "updated_at" or "last_event_at"
	TimeProblem          string    // why UpdatedAt is zero

	EnvironmentKind, EnvironmentID, Origin string
	Tags                                   []string
	WorkerStatus                           string
	Kind                                   Kind // what it is when no local job belongs to it

	File string    // the file it came from
	AsOf time.Time // that file's modification time
}

var statusPrefix = regexp.MustCompile(`^(?:[a-z0-9]+_)*(?:status|state|kind)_`)

// enum makes SESSION_STATUS_IDLE, session_status_idle and idle the same. noun is a prefix that stands without "status".
func enum(v gjson.Result, noun string) string {
	if v.Type != gjson.String {
		return ""
	}
	s := strings.ToLower(strings.TrimSpace(v.Str))
	s = strings.NewReplacer("-", "_", " ", "_").Replace(s)
	s = statusPrefix.ReplaceAllString(s, "")
	return strings.TrimPrefix(s, noun)
}

func usableID(row gjson.Result) bool {
	id := row.Get("id")
	return id.Type == gjson.String && strings.TrimSpace(claude.Body(id.Str)) != ""
}

// readSession reads a row. A row without an id is no session; problems are what else is odd about it.
func readSession(row gjson.Result) (s Session, ok bool, problems []string) {
	if !usableID(row) {
		return Session{}, false, []string{"no usable id: left out"}
	}
	s.ID = row.Get("id").Str
	s.Body = claude.Body(s.ID)
	if t := row.Get("title"); t.Type == gjson.String {
		s.Title = t.Str
	}
	// Beside session_status a top-level status is always null; status_bucket can be hours stale and is not read.
	if s.Status = enum(row.Get("session_status"), "session_"); s.Status == "" {
		s.Status = enum(row.Get("status"), "session_")
	}
	s.Archived = s.Status == "archived"
	s.Connection = enum(row.Get("connection_status"), "connection_")
	s.WorkerStatus = enum(row.Get("worker_status"), "worker_")

	var problem string
	if s.CreatedAt, problem = readTime("created_at", row.Get("created_at")); problem != "" {
		problems = append(problems, problem)
	}
	var bad []string
	for _, field := range []string{"updated_at", "last_event_at"} {
		at, problem := readTime(field, row.Get(field))
		if problem != "" {
			bad = append(bad, problem)
		}
		if !at.IsZero() {
			s.UpdatedAt, s.TimeField = at, field
			break
		}
	}
	if s.UpdatedAt.IsZero() {
		if len(bad) == 0 {
			bad = []string{"neither updated_at nor last_event_at is set"}
		}
		s.TimeProblem = strings.Join(bad, "; ")
	}
	problems = append(problems, bad...)

	s.EnvironmentKind = enum(row.Get("environment_kind"), "environment_")
	s.EnvironmentID = word(row.Get("environment_id"))
	s.Origin = word(row.Get("origin"))
	row.Get("tags").ForEach(func(_, t gjson.Result) bool {
		if t.Type == gjson.String {
			s.Tags = append(s.Tags, t.Str)
		}
		return true
	})
	s.Kind = kindOf(s, row.Get("environment_id").Type == gjson.String)
	return s, true, problems
}
