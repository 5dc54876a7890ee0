package claude

import "regexp"

// What the client prints when it is asked to wake a session (stdout and stderr, without terminal codes).
var (
	backgrounded = regexp.MustCompile(`backgrounded\s*·\s*([0-9a-f]{8})\b`)
	copyNote     = regexp.MustCompile(`started a (?:restricted )?copy as\s+([0-9a-f]{8})\b`)
	copyOfNote   = regexp.MustCompile(`started a copy of that conversation as\s+([0-9a-f]{8})\b`)
	copyWords    = regexp.MustCompile(`started a (?:restricted )?copy\b`)
	wokeNote     = regexp.MustCompile(`woke session\s+[0-9a-f]{8}\b`)
	savedNote    = regexp.MustCompile(`message is saved and will be delivered`)
	notTrusted   = regexp.MustCompile(`Workspace not trusted`)
	notOnDisk    = regexp.MustCompile(`could not be resolved on disk`)
	alreadyRuns  = regexp.MustCompile(`Session [0-9a-f]{8} is already running\b`)
)

// refusals are what the client prints when it starts nothing, besides the errors of ErrorKind. Only with one of them,
// and the prompt found nowhere, was a prompt provably not sent.
var refusals = []*regexp.Regexp{
	notTrusted, notOnDisk, alreadyRuns,
	regexp.MustCompile(`(?i)no conversation found with session id`),
	regexp.MustCompile(`(?i)failed to resume (?:the conversation|session)`),
	regexp.MustCompile(`(?i)^error: unknown option`),
	regexp.MustCompile(`(?i)background sessions are unavailable`),
	regexp.MustCompile(`(?i)could(?: not|n't) (?:start|reach|connect to) (?:the )?background (?:service|session)`),
	regexp.MustCompile(`(?i)couldn't start a background session`),
	regexp.MustCompile(`so nothing was started`),
}

var ansi = regexp.MustCompile("\x1b(?:\\[[0-9;?]*[ -/]*[@-~]|\\][^\x07\x1b]*(?:\x07|\x1b\\\\)|[@-Z\\\\-_])")

// StripANSI takes the terminal codes off what the client printed.
func StripANSI(s string) string { return ansi.ReplaceAllString(s, "") }

// Printed is what the words that the client printed on a wake say.
type Printed struct {
	// Shorts are the sessions that it says it started, in the order of the words: its answer first, then its notes.
	Shorts []string
	// Copied says that it started a copy.
	Copied bool
	// Started says that it gave the short of a session that runs now; Woke, that it says so of the one that was asked
	// for.
	Started, Woke bool
	// Saved says that it kept the prompt for the session's next start.
	Saved bool
	// Refused says that it started nothing, by a text that is known for that; Untrusted and Gone say why.
	Refused, Untrusted, Gone bool
}

// Read says what the client's words mean. s is without terminal codes.
func Read(s string) Printed {
	p := Printed{
		Copied: copyWords.MatchString(s), Started: backgrounded.MatchString(s), Woke: wokeNote.MatchString(s),
		Saved: savedNote.MatchString(s), Untrusted: notTrusted.MatchString(s), Gone: notOnDisk.MatchString(s),
	}
	for _, re := range []*regexp.Regexp{backgrounded, copyNote, copyOfNote} {
		for _, m := range re.FindAllStringSubmatch(s, -1) {
			p.Shorts = append(p.Shorts, m[1])
		}
	}
	p.Refused = KnownError(s) != KindNone
	for _, re := range refusals {
		p.Refused = p.Refused || re.MatchString(s)
	}
	return p
}
