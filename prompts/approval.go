package prompts

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"recovery/internal/claude"
)

// ApprovalError names the first line of a text that must not be sent.
type ApprovalError struct {
	Line int    // from 1
	Text string // the line as it stands in the text
	Why  string
}

// Error gives line, reason and text, and what to do.
func (e *ApprovalError) Error() string {
	return fmt.Sprintf("line %d could be read as the user's approval (%s): %q; say it as a plain fact, or let the user "+
		"type it in the session's own thread", e.Line, e.Why, e.Text)
}

// Doubt says that the line was refused because the check cannot tell it from an approval, not because it reads as one.
func (e *ApprovalError) Doubt() bool {
	return slices.ContainsFunc(doubts, func(d string) bool { return strings.HasPrefix(e.Why, d) })
}

// Reasons that say no more than that the check cannot tell; some have the word in question behind them.
const (
	tooShort         = "too short to judge"
	tooLong          = "too long to judge, break it up"
	tooDeep          = "too deeply nested to judge"
	unknownDenial    = "a denial that the check does not know"
	unknownAddress   = "speaks to the session or for a person in a way that the check does not know"
	unknownClaim     = "says something about it that the check does not know"
	unknownCondition = "a condition that the check does not know"
	unknownStatement = "a statement about something that the check does not know"
	unknownWords     = "words that the check cannot judge"
	maybeOrder       = "could be an order"
	cannotJudge      = "in a language or script that the check cannot judge"
	// chooses is that of rules in rules/*.yaml: "the last step" chooses only as an answer.
	chooses = "chooses for the user"
)

var doubts = []string{tooShort, tooLong, tooDeep, unknownDenial, unknownAddress, unknownClaim, unknownCondition,
	unknownStatement, unknownWords,
	maybeOrder, cannotJudge, chooses}

// maxLine bounds what one line may cost, in bytes.
const maxLine = 8000

// maxJoin is how many lines that stand below each other are read as one: enough for a word that was written down
// letter by letter.
const maxJoin = 14

// CheckApproval reads a text line by line, and across short lines, and gives an *ApprovalError for the first line
// that reads as the user's approval, or that it cannot tell to be harmless. It gives nil when nothing in the text
// does. A line that is refused for no good reason can be said differently; one that passes for no good reason moves
// money.
func CheckApproval(text string) error {
	r := loadRules()
	lines := splitLines(text)
	for i, line := range lines {
		why := ""
		switch {
		case !utf8.ValidString(line):
			why = "not valid UTF-8"
		case len(line) > maxLine:
			why = tooLong
		case idLine.MatchString(line):
			// Its digits can spell a word in hex; data that holds such a line was refused before.
			continue
		default:
			why = r.judged.of(line, r.line)
		}
		if why == "" {
			why = r.joined(lines[i:])
		}
		if why != "" {
			return &ApprovalError{Line: i + 1, Text: strings.TrimSpace(line), Why: why}
		}
	}
	return nil
}

// idLine is the line with a prompt's id, and nothing else.
var idLine = regexp.MustCompile(`^recovery-prompt-id: ` + claude.UUIDPattern + `$`)

// joined reads the first of some lines together with those below it: a phrase must not pass because it was cut in two.
func (r *rules) joined(lines []string) string {
	first := plain(fold(stripMarkup(lines[0])))
	if first == "" {
		return ""
	}
	letters, phrase := squeeze(first), first
	n := 1
	for _, line := range lines[1:] {
		next := plain(fold(stripMarkup(line)))
		if next == "" {
			continue
		}
		n++
		letters += squeeze(next)
		if len(letters) <= 24 && r.code(letters) {
			return fmt.Sprintf("reads %q together with the lines below it", letters)
		}
		if n == 2 && !strings.ContainsAny(first[len(first)-1:], ".!?:;,|") && !strings.HasPrefix(strings.TrimSpace(line),
			"-") {
			phrase += " " + next
			if why := r.phrase(phrase); why != "" {
				return why + ", together with the line below it"
			}
		}
		if n >= maxJoin || len(letters) > 24 {
			break
		}
	}
	return ""
}

// phrase looks only for the phrases that are refused whatever stands beside them.
func (r *rules) phrase(s string) string {
	for _, sentence := range sentences(s) {
		m := r.mask(sentence.text)
		for _, p := range r.hard {
			if p.unless == "" && p.re.MatchString(m) {
				return p.why
			}
		}
	}
	return ""
}
