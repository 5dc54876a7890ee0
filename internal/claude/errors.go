package claude

import (
	"regexp"
	"strings"
)

// Kind is what an error that ended a turn, or kept one from starting, is about.
type Kind string

// The kinds.
const (
	KindNone       Kind = ""
	KindSignIn     Kind = "sign-in"    // the account is not signed in
	KindLimit      Kind = "limit"      // a limit of the plan or of the service's rate was met
	KindBusy       Kind = "busy"       // the service is overloaded
	KindTooLong    Kind = "too-long"   // the conversation or the request does not fit
	KindRefused    Kind = "refused"    // the request or the answer was refused by a policy
	KindBilling    Kind = "billing"    // credit, spend limit or plan
	KindModel      Kind = "model"      // the model is not there for this account
	KindConnection Kind = "connection" // the service could not be reached, or the answer broke off
	KindOther      Kind = "api-error"  // an error whose words are not known
)

// Over says whether a turn that met such an error is over: nothing more comes of it by itself.
func (k Kind) Over() bool { return k != KindNone }

// Brake says whether the error will meet the next session too, so that nothing more is to be started.
func (k Kind) Brake() bool {
	switch k {
	case KindSignIn, KindLimit, KindBusy, KindBilling:
		return true
	}
	return false
}

// errorWords tell the kinds apart; the first row that fits decides. Too-long is first, since its texts speak of limits,
// and busy is before limit, since one of its texts says that it is not the usage limit.
var errorWords = []struct {
	kind  Kind
	words *regexp.Regexp
}{
	{KindTooLong, regexp.MustCompile(`(?i)prompt is too long|input is too long|context limit|context (?:window|length)|` +
		`(?:size|token) limit\b|output token maximum|request.too.large|\b413\b|conversation (?:is )?too long|tokens > \d+|` +
		`PDF (?:too large|pages)|image (?:exceeds|was too large|dimensions)|exceeds the dimension limit`)},
	{KindBilling, regexp.MustCompile(`(?i)credit balance|usage credits|spend(?:ing)? limit|add funds|` +
		`out of usage · (?:add|contact)|extra usage is required|doesn't include (?:extra )?usage|pooled group budget|` +
		`billing_error|\b402\b|usage (?:allocation has been disabled|limit is set to \$0)|account is on hold`)},
	{KindBusy, regexp.MustCompile(`(?i)\b529\b|overloaded|not your usage limit|(?:experiencing|under) high ` +
		`(?:load|demand)|` +
		`at capacity`)},
	{KindLimit, regexp.MustCompile(`(?i)(?:hit|reached|exceeded|over) your\b[^.\n]{0,40}\blimit|` +
		`\b(?:usage|session|weekly|daily|monthly|\w+-hour|opus|sonnet|haiku|fable|plan)[ _]limit|limit (?:reached|will ` +
		`reset)|rate.?limit|` +
		`out of (?:extra )?usage|too many requests|\b429\b`)},
	{KindSignIn, regexp.MustCompile(`(?i)/login\b|not logged in|login (?:expired|reached its time limit)|` +
		`\bsign(?:ed)?[ -](?:in|out)\b|\boauth\b|invalid (?:x-)?(?:api[ -]?key|auth ` +
		`token)|x-api-key|authenticat|unauthorized|re-authenticate|\b401\b|` +
		`refresh your login|log ?in again|belongs to a disabled organization|` +
		`organization has (?:been )?disabled|credentials expired`)},
	{KindModel, regexp.MustCompile(`(?i)issue with the selected model|not available with the claude \w+ plan|` +
		`invalid model name|model .{0,60}(?:not available|not found|does not exist)|not_found_error.*model`)},
	{KindRefused, regexp.MustCompile(`(?i)usage policy|safeguards flagged|content filtering policy|` +
		`unable to respond to this request|can't respond to your last message|legal/aup|\b403\b|permission_error|gateway ` +
		`refused the request`)},
	{KindConnection, regexp.MustCompile(`(?i)unable to connect|connection (?:error|dropped|reset|closed|refused)|` +
		`request timed out|\btimed? ?out\b|fetch ` +
		`failed|\bE(?:CONNRE(?:SET|FUSED)|NOTFOUND|TIMEDOUT|PIPE|AI_AGAIN)\b|socket hang up|` +
		`response could not be read|no data arrived|SSL (?:error|certificate)`)},
}

// KnownError is the kind of an error whose words are known; KindNone for every other text. For texts that need not be
// errors.
func KnownError(s string) Kind {
	for _, row := range errorWords {
		if row.words.MatchString(s) {
			return row.kind
		}
	}
	return KindNone
}

// ErrorKind is the kind of a text that is known to be an error (a line with isApiErrorMessage, the reason of a failed
// start): KindOther when its words are not known, KindNone when there is no text.
func ErrorKind(s string) Kind {
	if strings.TrimSpace(s) == "" {
		return KindNone
	}
	if k := KnownError(s); k != KindNone {
		return k
	}
	return KindOther
}
