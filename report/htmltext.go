package report

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"recovery/internal/text"
	"recovery/standing"
)

// The most that the page shows of one text. A reply's limit depends on how many there are, so that a page of
// thousands of sessions can still be opened.
const (
	maxTitle   = 300
	maxLine    = 4000
	maxReply   = 40 << 10
	minReply   = 4 << 10
	allReplies = 16 << 20
	maxMessage = 256 << 10
)

// piece is a part of a sentence: plain text, or a link to a thread.
type piece struct{ Text, Link string }

var (
	threadLink = regexp.MustCompile(`^https://claude\.ai/[A-Za-z0-9/_.~?=&%#@:+-]*$`)
	anyLink    = regexp.MustCompile(`https://claude\.ai/[A-Za-z0-9/_.~-]+`)
	// ownCommand is the first word of a command of recovery: nothing else gets a copy button.
	ownCommand = regexp.MustCompile(`^[a-z]+(?:-[a-z]+)*$`)
	// ownFlags are the flags that a next can have. A report may come from another machine, or be edited by hand.
	ownFlags = []string{"--again", "--all", "--confirm", "--data", "--default-cwd", "--events", "--mark", "--nudge",
		"--prompt", "--wait", "--yes"}
	hexID   = regexp.MustCompile(`^[0-9a-f]{4,8}$`)
	safeRun = regexp.MustCompile(`[^a-z0-9]+`)
)

// pieces splits a sentence at its links.
func pieces(s string) []piece {
	s = text.Clip(s, maxLine)
	var out []piece
	at := 0
	for _, m := range anyLink.FindAllStringIndex(s, -1) {
		link := strings.TrimRight(s[m[0]:m[1]], ".")
		end := m[0] + len(link)
		if !ends(s[end:]) {
			continue
		}
		if m[0] > at {
			out = append(out, piece{Text: s[at:m[0]]})
		}
		out, at = append(out, piece{Link: link}), end
	}
	if at < len(s) {
		out = append(out, piece{Text: s[at:]})
	}
	return out
}

// ends says that a link does not go on with characters that are none of a thread's.
func ends(rest string) bool { return rest == "" || strings.ContainsRune(" ).,;:!?'", rune(rest[0])) }

// nextView is what to do next: an act in words, and a command to be copied. One of the two may be empty.
type nextView struct {
	Pieces  []piece
	Command string
}

// nextOf is empty when there is nothing to do. Its command is that of the typed next; a report that was made without
// one has prose alone.
func nextOf(prose string, n standing.Next) []nextView {
	command := text.Line(n.Command())
	if !typed(n.Run) || len(command) > maxLine {
		if v := (nextView{Pieces: pieces(prose)}); len(v.Pieces) > 0 {
			return []nextView{v}
		}
		return nil
	}
	n.Run = nil
	return []nextView{{Pieces: pieces(n.String()), Command: command}}
}

// typed says that arguments are those of a command of recovery that a next can hold.
func typed(run []string) bool {
	if len(run) == 0 || !ownCommand.MatchString(run[0]) {
		return false
	}
	for _, arg := range run[1:] {
		if strings.HasPrefix(arg, "-") && !slices.Contains(ownFlags, arg) {
			return false
		}
	}
	return true
}

// sentences are pieces of several texts, the empty ones left out.
func sentences(list []string) [][]piece {
	var out [][]piece
	for _, s := range list {
		if p := pieces(s); len(p) > 0 {
			out = append(out, p)
		}
	}
	return out
}

// lines are texts made safe, the empty ones left out, at most n of them; more is how many were left out.
func lines(list []string, n int) (out []string, more int) {
	for _, s := range list {
		switch s = text.Clip(s, maxLine); {
		case s == "":
		case len(out) == n:
			more++
		default:
			out = append(out, s)
		}
	}
	return out, more
}

// thread gives a link that the page may make clickable, else the text that stands for it.
func thread(link *string) (href, shown string) {
	if link == nil || *link == "" {
		return "", ""
	}
	if len(*link) <= maxTitle && threadLink.MatchString(*link) {
		return *link, *link
	}
	return "", text.Clip(*link, maxLine)
}

// cut gives at most limit bytes of a text of several lines, made safe, and how many bytes are left out.
func cut(s string, limit int) (shown string, left int) {
	s = strings.ReplaceAll(s, "\r\n", "\n")
	head := text.CutBytes(s, limit, "")
	return text.Escape(head), len(s) - len(head)
}

// ids makes the page's anchors: of safe characters only, and each of them once.
type ids map[string]bool

func (u ids) make(prefix, place, short string) string {
	id := prefix + "-" + short
	if !hexID.MatchString(short) || place != "" {
		sum := sha256.Sum256([]byte(place + "\x00" + short))
		id = prefix + "-" + strings.Trim(safeRun.ReplaceAllString(strings.ToLower(text.Clip(short, 20)), "-"), "-") + "-" +
			hex.EncodeToString(sum[:4])
	}
	out := id
	for n := 2; u[out]; n++ {
		out = id + "-" + strconv.Itoa(n)
	}
	u[out] = true
	return out
}

// instant is a time as the page shows it: for machines, for people, and from the report's time.
type instant struct{ ISO, Words, Ago string }

// instantOf is nil for a time that is not known, so that nothing is shown of it.
func instantOf(t, asOf time.Time) *instant {
	if t.IsZero() {
		return nil
	}
	t = t.UTC()
	i := &instant{ISO: t.Format(time.RFC3339), Words: t.Format("2 Jan 2006, 15:04 UTC")}
	if !asOf.IsZero() {
		i.Ago = ago(asOf.Sub(t))
	}
	return i
}

func ago(d time.Duration) string {
	switch {
	case d < 0 && d > -time.Minute, d >= 0 && d < time.Minute:
		return "at the time of this report"
	case d < 0:
		return "in " + text.AgeInWords(-d)
	}
	return text.AgeInWords(d) + " ago"
}

// percent is a place along a drawing.
func percent(f float64) string { return strconv.FormatFloat(f, 'f', 2, 64) + "%" }

// size is a number of bytes in words.
func size(n int) string {
	switch {
	case n < 1000:
		return fmt.Sprintf("%d bytes", n)
	case n < 1000*1000:
		return fmt.Sprintf("%.0f KB", float64(n)/1000)
	}
	return fmt.Sprintf("%.1f MB", float64(n)/1e6)
}
