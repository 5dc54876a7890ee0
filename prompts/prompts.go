package prompts

import (
	"bytes"
	"embed"
	"fmt"
	"regexp"
	"strings"
	"text/template"
	"unicode"
	"unicode/utf8"

	"recovery/internal/claude"
)

// The markers are the first lines of recovery's texts. A transcript line that is one of them was sent by recovery, or
// is a text of recovery's that the user sent; only the WRAP message counts as the user's own.
const (
	ReviewMarker = "RECOVERY REVIEW v1"
	PrepMarker   = "RECOVERY PREP v1"
	NudgeMarker  = "RECOVERY NUDGE v1"
	WrapMarker   = "RECOVERY WRAP v1"
)

// WrapMark is the phrase of the WRAP message that tells its line in a transcript from a person's own request to wrap
// up.
const WrapMark = "run a real session wrap"

// GoLine is the last line of a plan that waits for the user.
const GoLine = "Reply go to run this plan."

//go:embed *.md
var files embed.FS

// Review is the data of one review prompt.
type Review struct {
	Short    string // the session's 8 hex digits
	PromptID string // a UUID, made anew for each prompt; the last line carries it
	// Known are the other ids by which the session may know itself, as in a Section.
	Known []string
	// Casualty says that the last turn was cut, so that the outcome of its last call is unknown.
	Casualty bool
	// Notes are data lines for the session, one an entry.
	Notes []string
	// DuplicateOf is the short of the session that owns the work. With it or DuplicateText the session is asked to
	// review as a duplicate.
	DuplicateOf string
	// DuplicateText is the user's text about the owner's work, from the dupes file.
	DuplicateText string
	// OwnerOpen are the owner's open items, one an entry.
	OwnerOpen []string
}

// RenderReview gives the text that wakes a session for a read-only review. The error is an *ApprovalError when the
// text, with its data, holds a line that reads as the user's approval or that imitates recovery's own marks; nothing
// may be sent then.
func RenderReview(r Review) (string, error) {
	var err error
	if err = checkIDs(r.Short, r.PromptID); err != nil {
		return "", err
	}
	if err = checkKnown(r.Short, r.Known); err != nil {
		return "", err
	}
	if r.DuplicateOf != "" && !claude.IsShort(r.DuplicateOf) {
		return "", fmt.Errorf("review prompt of %s: owner %q is not 8 hex digits", r.Short, r.DuplicateOf)
	}
	if r.Notes, err = dataLines(r.Notes, ""); err != nil {
		return "", fmt.Errorf("review prompt of %s: notes: %w", r.Short, err)
	}
	if r.OwnerOpen, err = dataLines(r.OwnerOpen, openItem); err != nil {
		return "", fmt.Errorf("review prompt of %s: the owner's open items: %w", r.Short, err)
	}
	text, err := dataLines([]string{r.DuplicateText}, "")
	if err != nil {
		return "", fmt.Errorf("review prompt of %s: the duplicate's text: %w", r.Short, err)
	}
	return render("review.md", r.Short, struct {
		Review
		Marker    string
		Duplicate bool
		Text      []string
	}{r, ReviewMarker, r.DuplicateOf != "" || len(text) > 0, text})
}

// maxPrompt is the most that a prompt may hold, in bytes: the client is given it as one argument, and the kernel
// takes 128 KiB for one.
const maxPrompt = 96 << 10

// render fills a template and checks what came out: the text that is sent is the text that is checked.
func render(name, short string, data any) (string, error) {
	t, err := template.New(name).Option("missingkey=error").ParseFS(files, "*.md")
	if err != nil {
		return "", fmt.Errorf("prompt template %s: %w", name, err)
	}
	var b bytes.Buffer
	if err := t.ExecuteTemplate(&b, name, data); err != nil {
		return "", fmt.Errorf("prompt for %s: %w", short, err)
	}
	if b.Len() > maxPrompt {
		return "", fmt.Errorf("prompt for %s holds %d bytes, more than the %d that fit into one argument: shorten its data",
			short, b.Len(), maxPrompt)
	}
	text := strings.TrimRight(blankRuns.ReplaceAllString(b.String(), "\n\n"), "\n")
	if err := CheckApproval(text); err != nil {
		return "", fmt.Errorf("prompt for %s is not sent: %w", short, err)
	}
	return text, nil
}

var (
	// sectionMark is the heading of a section, squeezed.
	sectionMark = regexp.MustCompile(`ifyouare[0-9a-f]{8}`)
	blankRuns   = regexp.MustCompile(`\n{3,}`)
	promptID    = regexp.MustCompile(`recovery-prompt-id:[ \t]*(` + claude.UUIDPattern + `)(?:[^0-9a-f-]|$)`)
)

// checkKnown says which of a session's other ids is none.
func checkKnown(short string, ids []string) error {
	for _, id := range ids {
		if !claude.IsUUID(id) {
			return fmt.Errorf("prompt for %s: its other id %q is not a UUID in lower case", short, id)
		}
	}
	return nil
}

func checkIDs(short, id string) error {
	if !claude.IsShort(short) {
		return fmt.Errorf("prompt: session %q is not 8 hex digits", short)
	}
	if !claude.IsUUID(id) {
		return fmt.Errorf("prompt for %s: prompt id %q is not a UUID in lower case", short, id)
	}
	return nil
}

// FindPromptID gives every prompt id in a text, in order. One id twice is given twice: the text holds two prompts then.
func FindPromptID(text string) (ids []string) {
	for _, m := range promptID.FindAllStringSubmatch(text, -1) {
		ids = append(ids, m[1])
	}
	return ids
}

// openItem is the label of the owner's open items in dupes.md: it turns "pay invoice 4411" from an order into what is
// left to do.
const openItem = "Open item: "

// dataLines makes other people's text fit to stand in a prompt: one line an entry, no line that could pass for
// recovery's own, nothing invisible. What cannot be sent as an argument of a command, or would be changed on its way,
// is an error. label is what the template puts before each line.
func dataLines(entries []string, label string) ([]string, error) {
	var out []string
	n := 0
	for _, e := range entries {
		for _, line := range splitLines(e) {
			n++
			if !utf8.ValidString(line) {
				return nil, &ApprovalError{Line: n, Text: line, Why: "not valid UTF-8"}
			}
			if why := forgedMark(line); why != "" {
				return nil, &ApprovalError{Line: n, Text: line, Why: why}
			}
			for _, r := range line {
				if unicode.IsControl(r) && r != '\t' || bidiControl(r) {
					return nil, &ApprovalError{Line: n, Text: line, Why: fmt.Sprintf("holds a control character (U+%04X)", r)}
				}
			}
			if err := CheckApproval(label + line); err != nil {
				return nil, &ApprovalError{Line: n, Text: line, Why: err.(*ApprovalError).Why}
			}
			line = strings.Map(func(r rune) rune {
				if r == '\t' {
					return ' '
				}
				if invisible(r) {
					return -1
				}
				return r
			}, line)
			if line = strings.TrimSpace(line); line != "" {
				out = append(out, line)
			}
		}
	}
	return out, nil
}

// bidiControl says whether r can make a line read differently from what it holds.
func bidiControl(r rune) bool {
	return r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069
}

// forgedMark says why a line of data could pass for recovery's own: its marks decide whether a prompt was sent.
func forgedMark(line string) string {
	s := squeeze(line)
	for _, m := range []string{"recovery-prompt-id", ReviewMarker, PrepMarker, NudgeMarker, WrapMarker, WrapMark,
		"Session Wrap done", GoLine, "WRONG SESSION"} {
		if strings.Contains(s, squeeze(m)) {
			return fmt.Sprintf("holds recovery's own mark %q", m)
		}
	}
	if sectionMark.MatchString(s) {
		return "reads as a section of recovery's own"
	}
	return ""
}
