package journal

// Outcome is what became of one prompt, and of one session in a run.
type Outcome string

// The outcomes of a wake.
const (
	// Woken: the prompt is in the session's own transcript, as one message and alone.
	Woken Outcome = "woken"
	// Refused: a guard stopped it, and nothing was sent.
	Refused Outcome = "refused"
	// Copy: the client made a second session, which acts on the prompt.
	Copy Outcome = "copy"
	// Replayed: another message was delivered instead of the prompt.
	Replayed Outcome = "replayed"
	// Joined: the prompt was delivered together with somebody's words, as one message.
	Joined Outcome = "joined"
	// Saved: the start failed, and the client kept the prompt for the session's next start.
	Saved Outcome = "saved"
	// Untrusted and MissingCwd: the session's folder is not trusted, or is gone.
	Untrusted  Outcome = "untrusted"
	MissingCwd Outcome = "missing-cwd"
	// NotStarted: the client provably started nothing.
	NotStarted Outcome = "not-started"
	// Uncertain: it cannot be told whether the prompt went out; it counts as sent.
	Uncertain Outcome = "unknown"
	// Planned: a dry run would wake the session.
	Planned Outcome = "planned"
)

// The codes of the defects that an outcome is.
const (
	DefectCopy   = "copy"
	DefectJoined = "joined"
	DefectReplay = "replay"
)

// Defect is the code of the defect that the outcome is; ok is false for an outcome that is none.
func (o Outcome) Defect() (code string, ok bool) {
	switch o {
	case Copy:
		return DefectCopy, true
	case Joined:
		return DefectJoined, true
	case Replayed:
		return DefectReplay, true
	}
	return "", false
}
