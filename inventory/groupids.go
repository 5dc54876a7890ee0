package inventory

import (
	"regexp"
	"slices"
	"strings"
)

// itemID is one id of an item, as a text names it.
type itemID struct {
	// name is the normalised id as it is shown: "AB-101", "pr 12", "invoice 4711".
	name string
	// space is what the id counts in: two ids of one space are two items.
	space string
	class class
	// scope is where a number counts: "acme/shop" of a link, repoScope for the session's own repository, empty when everywhere.
	scope string
	// host is the tracker of a link; empty when the text names none.
	host string
	// weak ids are written in a way that a word and a number can look like: they match a plain one, never each other.
	weak bool
	// reply says that only the last reply names it.
	reply bool
	// at and end are the bytes of the text that name it.
	at, end int
}

// repoScope stands for the repository that the session works in.
const repoScope = "."

var (
	anyLink    = regexp.MustCompile(`https?://[^\s<>"'` + "`" + `，。；）】]+`)
	advisory   = regexp.MustCompile(`(?i)\b(CVE-\d{4}-\d{4,7}|GHSA-[0-9a-z]{4}-[0-9a-z]{4}-[0-9a-z]{4})\b`)
	payment    = regexp.MustCompile(`\b(?:dp|du|in|ch|pi|re|po)_[A-Za-z0-9]{14,40}\b`)
	qualified  = regexp.MustCompile(`\b([A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*)([#!])(\d{1,7})\b`)
	incidentID = regexp.MustCompile(`(?i)\bincident\s+#?([A-Z0-9]*\d[A-Z0-9]*)\b`)
	yearTail   = regexp.MustCompile(`^(?:19|20)\d\d$`)
	secondPart = regexp.MustCompile(`^-\d{1,7}`)
)

// findIDs finds every id that a text names, in the order of the text.
func findIDs(text string) []itemID {
	var out []itemID
	add := func(id itemID, at, end int) {
		over := func(o itemID) bool { return at < o.end && o.at < end }
		if slices.ContainsFunc(out, func(o itemID) bool { return over(o) && (id.weak || !o.weak) }) {
			return // a part of one that was found already
		}
		out = slices.DeleteFunc(out, over)
		id.at, id.end = at, end
		out = append(out, id)
	}
	plain := []byte(text)
	blank := func(at, end int) {
		for i := at; i < end; i++ {
			plain[i] = ' '
		}
	}
	for _, m := range linksIn(text) {
		end := m[0] + len(strings.TrimRight(text[m[0]:m[1]], ".,;:!?)]}*_"))
		if id, ok := linkID(text[m[0]:end]); ok {
			add(id, m[0], end)
		}
		blank(m[0], m[1])
	}
	rest := string(plain)
	for _, m := range advisory.FindAllStringIndex(rest, -1) {
		add(itemID{name: strings.ToUpper(rest[m[0]:m[1]]), space: "advisory"}, m[0], m[1])
	}
	if strings.Contains(rest, "_") {
		for _, m := range payment.FindAllStringIndex(rest, -1) {
			add(itemID{name: rest[m[0]:m[1]], space: "payment"}, m[0], m[1])
		}
	}
	for _, m := range qualified.FindAllStringSubmatchIndex(rest, -1) {
		id := itemID{name: rest[m[2]:m[3]] + rest[m[4]:m[5]] + rest[m[6]:m[7]], space: "issue", scope: strings.ToLower(rest[m[2]:m[3]])}
		if rest[m[4]:m[5]] == "!" {
			id.space, id.class = "mr", classChange
		}
		id.name = id.space + " " + rest[m[6]:m[7]]
		add(id, m[0], m[1])
	}
	for _, m := range incidentID.FindAllStringSubmatchIndex(rest, -1) {
		if id := rest[m[2]:m[3]]; len(id) >= 8 && strings.Trim(id, "0123456789") != "" {
			add(itemID{name: "incident " + strings.ToUpper(id), space: "incident"}, m[0], m[1])
		}
	}
	findNumbers(rest, add)
	slices.SortStableFunc(out, func(a, b itemID) int { return a.at - b.at })
	return out
}

func linksIn(text string) [][]int {
	if !strings.Contains(text, "://") {
		return nil
	}
	return anyLink.FindAllStringIndex(text, -1)
}
