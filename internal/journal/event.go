package journal

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Type is what an event tells. Types of a newer recovery are kept and skipped.
type Type string

// The events.
const (
	RunStarted   Type = "run-started"
	Inventoried  Type = "inventoried"
	Checked      Type = "checked"
	Confirmed    Type = "confirmed"
	Intended     Type = "intended"
	Concluded    Type = "outcome"
	Settled      Type = "settled"
	Reviewed     Type = "reviewed"
	Defect       Type = "defect"
	Acknowledged Type = "acknowledged"
	Trusted      Type = "trusted"
	Wrapped      Type = "wrapped"
	Deferred     Type = "deferred"
	TurnedAway   Type = "refused"
)

// seen says that an event of this type tells only what was looked at: nothing that is done goes by its being on record.
func (t Type) seen() bool {
	switch t {
	case Inventoried, Checked, Reviewed, Defect, Wrapped, Deferred:
		return true
	}
	return false
}

// Event is one line of the journal.
type Event struct {
	Seq     int64           `json:"seq"`
	At      time.Time       `json:"at"`
	Type    Type            `json:"type"`
	Session string          `json:"session,omitempty"`
	Data    json.RawMessage `json:"data,omitempty"`
}

// sumKey is how the checksum is put behind an event's own keys.
const sumKey = `,"sum":"`

// encode gives the event's line with its checksum: the first 16 hex digits of the SHA-256 of all before it.
func encode(e Event) ([]byte, error) {
	body, err := json.Marshal(e)
	if err != nil {
		return nil, err
	}
	body = body[:len(body)-1]
	return fmt.Appendf(body, "%s%s\"}\n", sumKey, checksum(body)), nil
}

func checksum(body []byte) string {
	sum := sha256.Sum256(body)
	return hex.EncodeToString(sum[:8])
}

// decode reads one line without its newline.
func decode(line []byte) (Event, error) {
	var e Event
	tail := len(sumKey) + 16 + len(`"}`)
	cut := len(line) - tail
	if cut < 1 || string(line[cut:cut+len(sumKey)]) != sumKey || string(line[len(line)-2:]) != `"}` {
		return e, fmt.Errorf("it has no checksum")
	}
	body := line[:cut]
	if got, want := string(line[cut+len(sumKey):len(line)-2]), checksum(body); got != want {
		return e, fmt.Errorf("its checksum is %s and should be %s", got, want)
	}
	if err := json.Unmarshal(append(body[:cut:cut], '}'), &e); err != nil {
		return e, fmt.Errorf("it is not a journal event: %w", err)
	}
	return e, nil
}

// The kinds of prompts. A prep asks for a final plan, behind a review that says OWNER; a nudge asks for the reply to
// a prompt that is saved in the session.
const (
	KindReview    = "review"
	KindNudge     = "nudge"
	KindPrep      = "prep"
	KindPrepNudge = "prep-nudge"
)

// Intent is the data of an Intended event: what is about to be sent, and where the transcript ended before it was.
type Intent struct {
	PromptID   string `json:"prompt_id"`
	SessionID  string `json:"session_id"`
	Kind       string `json:"kind"` // one of the Kind constants
	Title      string `json:"title"`
	Link       string `json:"link,omitempty"`
	Prompt     string `json:"prompt"`
	Expected   string `json:"expected"` // the whole user line, with what was saved before it
	Transcript string `json:"transcript"`
	Size       int64  `json:"size"`
	Cwd        string `json:"cwd"`
	Batch      int    `json:"batch"`
	Attempt    int    `json:"attempt"`
}

// IsPrep says whether a final plan is asked for, and no review.
func (i *Intent) IsPrep() bool { return i.Kind == KindPrep || i.Kind == KindPrepNudge }

// OutcomeData is the data of a Concluded or Settled event.
type OutcomeData struct {
	PromptID string  `json:"prompt_id"`
	Outcome  Outcome `json:"outcome"`
	Reason   string  `json:"reason,omitempty"`
	// Sent is false only when the prompt provably went nowhere: then it may be tried again.
	Sent        bool   `json:"sent"`
	PromptSaved bool   `json:"prompt_saved"`
	Saved       string `json:"saved,omitempty"` // what stands in queuedPrompt because of it, byte for byte
	Other       string `json:"other,omitempty"` // the short of a copy
	Output      string `json:"output,omitempty"`
}

// ConfirmData is the data of a Confirmed event.
type ConfirmData struct {
	User        string   `json:"user"`
	Agent       bool     `json:"agent"` // typed inside a Claude session, with --as-user
	Fingerprint string   `json:"fingerprint"`
	Reasons     []string `json:"reasons"`
}

// DefectData is the data of a Defect event.
type DefectData struct {
	Code string `json:"code"`
	Text string `json:"text"`
	// Key tells one defect from another of the same session, so that it is recorded once.
	Key string `json:"key"`
	// Do is what a person does about it before it is closed; an event of an older recovery has it in Next.
	Do string `json:"do,omitempty"`
	// Next is Do and the command that closes the defect.
	Next string `json:"next,omitempty"`
}

// NewDefect is a defect of a session with its way out; do is what a person does about it before it is closed.
func NewDefect(session, code, key, text, do string) DefectData {
	next := do + ", then: recovery " + strings.Join(AckArgs(session), " ")
	return DefectData{Code: code, Text: text, Key: key, Do: do, Next: next}
}

// AckArgs are the arguments of the command that closes the open defects of sessions.
func AckArgs(sessions ...string) []string { return append([]string{"ack"}, sessions...) }

// What an Acknowledged event closes.
const (
	AckDefect = "defect"
	AckLimit  = "limit"
)

// AckData is the data of an Acknowledged event. One of a defect names its session; only an older recovery's names
// none, and closes all.
type AckData struct {
	User  string `json:"user"`
	Agent bool   `json:"agent"`
	What  string `json:"what"` // AckDefect or AckLimit
	Why   string `json:"why,omitempty"`
	// Keys are the defects that the user saw: one that was found meanwhile stays open. Without any, all of the session
	// are closed.
	Keys []string `json:"keys,omitempty"`
}

// closes says whether an acknowledgement, of a session or of all, closes a defect.
func (d *AckData) closes(session string, x *OpenDefect) bool {
	if d.What != AckDefect || session != "" && x.Session != session {
		return false
	}
	return len(d.Keys) == 0 || slices.Contains(d.Keys, x.Key)
}

// ReviewData is the data of a Reviewed event.
type ReviewData struct {
	PromptID string `json:"prompt_id"`
	Answered bool   `json:"answered"`
	Verdict  string `json:"verdict,omitempty"`
	Item     string `json:"item,omitempty"`
	Writes   int    `json:"writes"`
	Unknown  int    `json:"unknown"`
	ReplyAt  string `json:"reply_at,omitempty"`
	// UserAfter says that a person wrote in the session after its reply.
	UserAfter bool `json:"user_after,omitempty"`
	// Waiting is the question at which the session was seen to stand.
	Waiting string `json:"waiting,omitempty"`
}

// WrapData is the data of a Wrapped event.
type WrapData struct {
	State       string `json:"state"`
	ClosingLine string `json:"closing_line,omitempty"`
	WrappedAt   string `json:"wrapped_at,omitempty"`
	Reason      string `json:"reason,omitempty"`
	// Mark is the phrase that the WRAP message was known by.
	Mark string `json:"mark,omitempty"`
}

// DeferData is the data of a Deferred event: the service named a time before which nothing is to be started.
type DeferData struct {
	Until time.Time `json:"until"`
	Why   string    `json:"why"`
}

// CheckData is the data of a Checked event.
type CheckData struct {
	Verdict string   `json:"verdict"`
	Codes   []string `json:"codes,omitempty"`
	// Pending are the beginnings of what was typed and never answered.
	Pending []string `json:"pending,omitempty"`
}

// RefusedData is the data of a TurnedAway event: a guard turned the session away, and nothing was sent.
type RefusedData struct {
	Outcome Outcome `json:"outcome"`
	Reason  string  `json:"reason"`
	Next    string  `json:"next"`
}

// RunData is the data of RunStarted, Inventoried and Trusted events.
type RunData struct {
	Command string `json:"command,omitempty"`
	User    string `json:"user,omitempty"`
	Agent   bool   `json:"agent,omitempty"`
	Count   int    `json:"count,omitempty"`
	Detail  string `json:"detail,omitempty"`
}
