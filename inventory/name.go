package inventory

import "recovery/internal/account"

// SessionName is how every item names its session: its short and full id, its thread, null for a session without one,
// and its title.
type SessionName struct {
	Short     string  `json:"short"`
	SessionID string  `json:"session_id"`
	Link      *string `json:"link"`
	Title     string  `json:"title"`
}

// Name names a job's session, with the thread that was used last.
func (w *World) Name(j *account.Job) SessionName {
	return NameOnRecord(j.Short, j.SessionID, w.Link(j), j.Title())
}

// Name names the session, with the thread that was used last.
func (f *Facts) Name() SessionName {
	return NameOnRecord(f.Job.Short, f.Job.SessionID, f.Link(), f.Job.Title())
}

// NameOnRecord names a session of which only a record is left.
func NameOnRecord(short, sessionID, link, title string) SessionName {
	n := SessionName{Short: short, SessionID: sessionID, Title: title}
	if link != "" {
		n.Link = &link
	}
	return n
}
