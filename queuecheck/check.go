package queuecheck

import (
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"recovery/internal/account"
	"recovery/internal/claude"
	"recovery/internal/journal"
	"recovery/internal/remote"
	"recovery/internal/text"
	"recovery/internal/transcript"
	"recovery/inventory"
	"recovery/prompts"
	"recovery/wrap"
)

// Verdict is what may be done with a session.
type Verdict string

// The verdicts. Only Pass and Pass after a user's confirmation allow a wake.
const (
	Pass      Verdict = "pass"
	Check     Verdict = "check"
	Blocked   Verdict = "blocked"
	Confirmed Verdict = "confirmed"
)

// Reason is one piece of evidence.
type Reason struct {
	Code string `json:"code"`
	Text string `json:"text"`
}

// Result is the verdict on one session.
type Result struct {
	Verdict    Verdict    `json:"verdict"`
	Reasons    []Reason   `json:"reasons"`
	GapSeconds *int64     `json:"gap_seconds"`
	AsOf       *time.Time `json:"as_of"`
	BadLines   int        `json:"bad_lines"`
	// Fingerprint is of the transcript and the job as they were looked at.
	Fingerprint string `json:"fingerprint"`
	// Casualty says that the last turn was cut: the review is told that the outcome of the last call is unknown.
	Casualty bool `json:"casualty"`
	// Pending are the texts that were typed and never answered.
	Pending []string `json:"pending"`
	// Open are the codes of the reasons that want a look: what a confirmation covers. Blocked are those that no
	// confirmation lifts.
	Open    []string `json:"-"`
	Blocked []string `json:"-"`
	// Lifted says that the user's confirmation covers all of Open, also where something else blocks.
	Lifted bool `json:"-"`
	// Folder is where it would be woken; SharedWith are the other jobs of its threads or its conversation.
	Folder     string   `json:"-"`
	SharedWith []string `json:"-"`
	// SentAt is the byte offset of recovery's last prompt in the transcript, LastPerson that of the last message of a
	// person that is not recovery's; -1 when there is none.
	SentAt     int64 `json:"-"`
	LastPerson int64 `json:"-"`
	// ReviewAt and PrepAt are the offsets of the last review and of the last prep; -1 when there is none.
	ReviewAt int64 `json:"-"`
	PrepAt   int64 `json:"-"`
}

// OnlyReviewed says that nothing blocks but a review that was sent: a prep goes behind it, and --again sends a second
// one. What else wants a look can be confirmed for them.
func (r Result) OnlyReviewed() bool {
	return len(r.Blocked) == 1 && r.Blocked[0] == "reviewed"
}

// Input is everything that a verdict is made of.
type Input struct {
	Facts   inventory.Facts
	Hazards []inventory.Hazard
	Log     *account.Log
	// Evidence is what one pass over the transcript gave; its Err means that the transcript cannot be relied on.
	Evidence Evidence
	// Remote is the page's row; nil when there is none.
	Remote *inventory.Remote
	// Events are the saved pages of the session's events; nil when none was given.
	Events *remote.Events
	// EventsErr says why the saved pages of its events cannot be read: what they hold may be a message that waits.
	EventsErr error
	// Journal is what was done with the session so far.
	Journal *journal.Session
	// Defects are those of it that nobody closed.
	Defects []journal.DefectData
	// Excluded is why the newest page excludes it; empty when it does not.
	Excluded inventory.Exclusion
	// Wrap is its wrap as it stands now.
	Wrap wrap.Status
	// Trust is that of the folder in which it would be woken; nil when that was not looked at.
	Trust *account.Trust
	// SharedWith are the other jobs of its threads, or of its conversation; Awake are those of them that are not known
	// to be offline.
	SharedWith []string
	Awake      []string
	// Prompt is what is to be sent; Again says that the user gave --again, Named that they named the session.
	Prompt Prompt
	Again  bool
	Named  bool
	Self   Self
	Now    time.Time
	MaxAge time.Duration
}

// Prompt is what a wake is to deliver. The zero value is a review.
type Prompt string

// The prompts.
const (
	Review Prompt = ""
	Prep   Prompt = "prep"
	Nudge  Prompt = "nudge"
)

// Self names the session that recovery itself runs in, from CLAUDE_CODE_SESSION_ID and CLAUDE_JOB_DIR; empty outside
// one.
type Self struct {
	SessionID string
	Short     string
}

// Is says whether a job is the session that recovery runs in.
func (s Self) Is(j *account.Job) bool {
	return s.Short != "" && s.Short == j.Short ||
		s.SessionID != "" && (s.SessionID == j.SessionID || s.SessionID == j.ResumeSessionID)
}

// Spans of the table, all from what the service and the client do.
const (
	retireSlack  = 120 * time.Second
	retireAfter  = 28800 * time.Second
	retireSpread = 300 * time.Second
	entrySlack   = 60 * time.Second
	// clockSlack is how far another machine's clock may be ahead before a time counts as one in the future.
	clockSlack = time.Minute
)

type table struct {
	in      Input
	out     Result
	blocked []Reason
	check   []Reason
	pass    []Reason
	// eventsWhy says why the events pages prove nothing; it counts when nothing else does either.
	eventsWhy []Reason
}

func (t *table) block(code, format string, args ...any) {
	t.blocked = append(t.blocked, Reason{code, fmt.Sprintf(format, args...)})
}

func (t *table) atBest(code, format string, args ...any) {
	t.check = append(t.check, Reason{code, fmt.Sprintf(format, args...)})
}

// Of gives the verdict on one session by the table: what blocks, then what allows a check at best, then the evidence
// that nothing waits.
func Of(in Input) Result {
	t := &table{in: in}
	if t.in.Log == nil {
		t.in.Log = &account.Log{}
	}
	t.out = Result{Reasons: []Reason{}, Pending: []string{}, BadLines: in.Evidence.Ledger.Bad,
		Fingerprint: in.Evidence.Fingerprint}
	t.out.SentAt, t.out.ReviewAt, t.out.PrepAt, t.out.LastPerson = -1, -1, -1, in.Evidence.Ledger.LastPerson
	for _, m := range in.Evidence.Ledger.Marked {
		t.out.SentAt = m.Offset
		switch {
		case prompts.IsPrep(m.Text):
			t.out.PrepAt = m.Offset
		case prompts.IsReview(m.Text):
			t.out.ReviewAt = m.Offset
		}
	}
	for _, look := range reasons {
		look(t)
	}
	t.decide()
	return t.out
}

// reasons are all that can speak against a wake, and the evidence for one. queue-check shows what they find, resume
// obeys it, and there is no other list.
var reasons = []func(*table){
	(*table).liveness, (*table).excluded, (*table).finished, (*table).defective, (*table).sentAlready,
	(*table).queue, (*table).transcript, (*table).folder, (*table).events,
	(*table).cautions, (*table).unfinished, (*table).otherBranches, (*table).threads,
	(*table).evidence, (*table).lookFirst,
}

func (t *table) decide() {
	for _, r := range t.check {
		t.out.Open = append(t.out.Open, r.Code)
	}
	for _, r := range t.blocked {
		t.out.Blocked = append(t.out.Blocked, r.Code)
	}
	t.out.Folder, t.out.SharedWith = t.in.Facts.Folder, t.in.SharedWith
	why, lifted := t.confirmed()
	t.out.Lifted = lifted
	switch {
	case len(t.blocked) > 0:
		t.out.Verdict, t.out.Reasons = Blocked, append(t.blocked, t.check...)
	case len(t.check) > 0:
		t.out.Verdict, t.out.Reasons = Check, append(t.check, t.pass...)
		if lifted {
			t.out.Verdict = Confirmed
			t.out.Reasons = append(t.out.Reasons, why)
		} else if why.Code != "" {
			t.out.Reasons = append(t.out.Reasons, why)
		}
	default:
		t.out.Verdict, t.out.Reasons = Pass, t.pass
	}
}

func (t *table) liveness() {
	f := t.in.Facts
	switch f.Live.State {
	case account.Offline:
	case account.Live:
		t.block("live", "it is live: %s; message it in its thread instead", strings.Join(f.Live.Evidence, "; "))
	default:
		t.block("liveness-unknown", "whether it is live cannot be told: %s", strings.Join(f.Live.Evidence, "; "))
	}
	if f.Job.Problem != "" {
		t.block("job-unreadable", "state.json %s", f.Job.Problem)
	}
	if f.Job.Template == "exec" {
		t.block("exec-job", "it is an exec job, no conversation")
	}
	if t.in.Self.Is(f.Job) {
		t.block("own-session", "recovery runs inside this session")
	}
}

func (t *table) queue() {
	j := t.in.Facts.Job
	saved := ""
	if t.in.Journal != nil {
		saved = t.in.Journal.SavedPrompt()
	}
	switch {
	case j.Queued && saved != "" && j.QueuedPrompt == saved:
		t.pass = append(t.pass, Reason{"own-prompt-saved", "recovery's own prompt waits in it for the next start, and " +
			"nothing else"})
	case j.Queued:
		shown, where := j.QueuedPrompt, ""
		if rest, ok := strings.CutPrefix(j.QueuedPrompt, saved); ok && saved != "" {
			shown, where = strings.TrimSpace(rest), "behind recovery's own prompt, "
		}
		t.block("queued-prompt", "%sa message waits for its next start and would run with its rights: %q (queuedPrompt in "+
			"jobs/%s/state.json)",
			where, bothEnds(shown), j.Short)
	}
	if j.InFlightQueue > 0 && !t.queueCleared() {
		t.block("in-flight-queue", "%d messages wait in the session's own queue (inFlight.queued)", j.InFlightQueue)
	}
}

// bothEnds shows a text on one line, with its end: what was added last stands there.
func bothEnds(s string) string {
	const each = 200
	line := []rune(text.Line(s))
	if len(line) <= 2*each {
		return string(line)
	}
	return string(line[:each]) + " … " + string(line[len(line)-each:])
}

func (t *table) transcript() {
	f := t.in.Facts
	switch f.Tail.Turn {
	case transcript.Complete, transcript.MidTurn, transcript.Waiting, transcript.ErrorTurn:
	case transcript.Empty:
		code := "turn-empty"
		if f.Location.Path == "" {
			code = "no-transcript"
		}
		t.block(code, "%s: a wake would start a blank conversation%s", f.Tail.Why, elsewhere(f.Elsewhere))
	default:
		t.block("turn-unknown", "how its last turn ended cannot be told: %s", f.Tail.Why)
	}
	if f.Problem != "" && f.Tail.Turn != transcript.Empty {
		t.block("transcript-problem", "%s%s", f.Problem, elsewhere(f.Elsewhere))
	}
	if t.in.Evidence.Err != nil {
		t.block("transcript-unreadable", "%v", t.in.Evidence.Err)
	}
	for _, next := range []string{f.Tail.ContinuedIn, f.Location.ContinuedIn} {
		if next != "" && !wentOnHere(f, next) {
			t.block("continued-in", "another session went on with this conversation: %s", text.Line(next))
			break
		}
	}
}

// wentOnHere says that the conversation went on under the job's own other id, and that this is the transcript of it:
// after /clear one job has two conversations, and the older file is not what a wake goes on with.
func wentOnHere(f inventory.Facts, next string) bool {
	own := next == f.Job.SessionID || next == f.Job.ResumeSessionID
	return own && strings.TrimSuffix(filepath.Base(f.Location.Path), ".jsonl") == next
}

func (t *table) cautions() {
	f := t.in.Facts
	for _, p := range t.in.Evidence.Ledger.Pending {
		shown := "(its text was not recorded)"
		if p.Text != "" {
			shown = fmt.Sprintf("%q", text.Clip(p.Text, 300))
			t.out.Pending = append(t.out.Pending, p.Text)
		} else {
			t.out.Pending = append(t.out.Pending, "")
		}
		where := "went out of its queue and never came back"
		if p.Left {
			where = "was left in its queue"
		}
		t.atBest("typed-not-answered", "typed%s and never answered, it %s: %s", at(p.At), where, shown)
	}
	switch f.Tail.Turn {
	case transcript.MidTurn, transcript.Waiting, transcript.ErrorTurn:
		t.out.Casualty = true
		t.atBest("casualty", "its last turn was cut (%s): %s; the outcome of its last call is unknown", f.Tail.Turn,
			f.Tail.Why)
	}
	if f.Tail.Stop == claude.StopMaxTokens {
		t.atBest("casualty", "its last reply was cut off at the token limit")
		t.out.Casualty = true
	}
	for _, h := range t.in.Hazards {
		t.atBest(h.Code, "%s", h.Text)
	}
	if a, b := t.in.Evidence.Ledger.LastUUID, f.Tail.LastUUID; a != "" && b != "" && a != b && t.in.Evidence.Err == nil {
		t.atBest("repeated-lines", "its transcript ends with a line that stands in it before: how its last turn ended "+
			"cannot be told")
	}
	if crons := t.in.Evidence.Ledger.Crons; len(crons) > 0 {
		what := make([]string, len(crons))
		for i, c := range crons {
			what[i] = fmt.Sprintf("%q", text.Clip(c, 120))
		}
		t.atBest(inventory.HazardCron, "it made a schedule of its own (%s) and goes on by itself: %s", claude.ToolCronCreate,
			strings.Join(what, "; "))
	}
	if t.in.Evidence.Ledger.BadHides {
		t.atBest("bad-lines", "%d lines of its transcript cannot be read and may hide a queued message: %s",
			t.in.Evidence.Ledger.Bad, strings.Join(t.in.Evidence.Ledger.BadLines, "; "))
	}
}

func at(when time.Time) string {
	if when.IsZero() {
		return ""
	}
	return " at " + when.UTC().Format(time.RFC3339)
}

// confirmed says whether the user's confirmation is of the session as it is now, recent, and covers every reason.
func (t *table) confirmed() (Reason, bool) {
	s := t.in.Journal
	if s == nil || s.Confirm == nil {
		return Reason{}, false
	}
	age := t.in.Now.Sub(s.ConfirmAt)
	switch {
	case s.Confirm.Fingerprint != t.in.Evidence.Fingerprint || t.in.Evidence.Fingerprint == "":
		return Reason{"confirmation-ended", "the session changed after it was confirmed; confirm it again"}, false
	case age > t.in.MaxAge || age < -clockSlack:
		return Reason{"confirmation-ended", fmt.Sprintf("the confirmation is %s old; confirm it again",
			age.Round(time.Second))}, false
	case t.updated().After(s.ConfirmAt):
		// The fingerprint is of what is on this disk; a message that waits in the thread moves only the page's time.
		return Reason{"confirmation-ended", fmt.Sprintf("its thread was updated at %s, after it was confirmed; read it "+
			"again, then confirm it again",
			t.updated().UTC().Format(time.RFC3339))}, false
	}
	covered := map[string]bool{}
	for _, code := range s.Confirm.Reasons {
		covered[code] = true
	}
	for _, r := range t.check {
		if !covered[r.Code] {
			return Reason{"confirmation-ended", fmt.Sprintf("the confirmation does not cover %s; confirm it again", r.Code)},
				false
		}
	}
	by := s.Confirm.User
	if s.Confirm.Agent {
		by += ", typed by an agent"
	}
	return Reason{"confirmed", fmt.Sprintf("confirmed by %s at %s", by, s.ConfirmAt.UTC().Format(time.RFC3339))}, true
}
