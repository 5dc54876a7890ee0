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
	// also are other names of the same item: an issue or a pull request of a code host whose numbers are one row, the
	// bare id of an incident's link.
	also []string
	// space is what the id counts in: two ids of one space are two items.
	space string
	class class
	// scope is where a number counts: "acme/shop" of a link, repoScope for the session's own repository, empty when
	// everywhere.
	scope string
	// host is the tracker of a link; empty when the text names none.
	host string
	// weak ids are written in a way that a word and a number can look like: they match a plain one, never each other.
	weak bool
	// called says that the word for a ticket stands before a key.
	called bool
	// proof says that the text treats a key as a ticket's: a link, the word for a ticket, a work verb before it. unsure
	// keys are of a prefix without any proof in the whole backlog: they may name a flight, a part or a course.
	proof, unsure bool
	// stray keys stand in the middle of a sentence, in a place that does not make them what it is about.
	stray bool
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
	courtFile  = regexp.MustCompile(`\b\d{1,3} [A-Z][A-Za-z]{0,2} \d{1,5}/\d\d\b`)
	yearTail   = regexp.MustCompile(`^(?:19|20)\d\d$`)
	secondPart = regexp.MustCompile(`^(?:[-/]\d{1,7}| \d{3,7})`)
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
		id := itemID{name: rest[m[2]:m[3]] + rest[m[4]:m[5]] + rest[m[6]:m[7]], space: "issue",
			scope: strings.ToLower(rest[m[2]:m[3]])}
		id.name = "issue " + rest[m[6]:m[7]]
		if rest[m[4]:m[5]] == "!" {
			id.space, id.class, id.name = "mr", classChange, "mr "+rest[m[6]:m[7]]
		} else {
			id.also = []string{"pr " + rest[m[6]:m[7]]}
		}
		add(id, m[0], m[1])
	}
	if strings.Contains(rest, "/") {
		for _, m := range courtFile.FindAllStringIndex(rest, -1) {
			add(itemID{name: "case " + strings.ToUpper(rest[m[0]:m[1]]), space: "case"}, m[0], m[1])
		}
	}
	findOpaque(rest, add)
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

// same says that two ids name one item, by one of their names.
func (id *itemID) same(o *itemID) bool {
	if id.name == o.name {
		return true
	}
	return slices.Contains(o.also, id.name) || slices.ContainsFunc(id.also, func(n string) bool {
		return n == o.name ||
			slices.Contains(o.also, n)
	})
}

// counted gives an INC-12 its other name, which incident tools use for incident 12.
func counted(id itemID) itemID {
	if n, ok := strings.CutPrefix(id.name, "INC-"); ok && digits(n) && n[0] != '0' {
		id.also = append(id.also, "incident "+n)
	}
	if n, ok := strings.CutPrefix(id.name, "GH-"); ok && digits(n) && id.host == "" {
		id.name, id.also, id.space, id.scope = "issue "+n, []string{"pr " + n}, "issue", repoScope
	}
	if alertKeys[strings.TrimPrefix(id.space, "key ")] {
		id.class = classAlert
	}
	return id
}

// fold writes the full-width forms of letters and digits, and the many dashes and blanks, as the plain ones.
func fold(s string) string {
	if !strings.ContainsFunc(s, func(r rune) bool { return r > 0x7f }) {
		return s
	}
	return strings.Map(func(r rune) rune {
		switch {
		case r >= '０' && r <= '９', r >= 'Ａ' && r <= 'Ｚ', r >= 'ａ' && r <= 'ｚ', strings.ContainsRune("－＃／＿：（）＠", r):
			return r - 0xfee0
		case r == 0x3000, r == 0xa0, r == 0x202f, r == 0x2009:
			return ' '
		case r >= 0x2010 && r <= 0x2013, r == 0x2212:
			return '-'
		}
		return r
	}, s)
}
