package inventory

import (
	"slices"
	"strings"
)

// spokenWord is one word for a kind of numbered thing.
type spokenWord struct {
	word string
	kind *kind
}

// spokenWords are the words of all kinds, the long ones first: "pull request" before "pr". numberMarks stand between a word and its number.
var (
	spokenWords = listSpoken()
	numberMarks = []string{"number", "nummer", "número", "numéro", "num.", "num", "no.", "no", "nr.", "nr", "n°", "nº", "№", "编号", "号", "id"}
	serviceKeys = wordSet("INC CHG RITM REQ PRB SCTASK CS")
)

func listSpoken() []spokenWord {
	var out []spokenWord
	for i := range kinds {
		for _, w := range strings.Split(kinds[i].words, ",") {
			out = append(out, spokenWord{w, &kinds[i]})
		}
	}
	slices.SortStableFunc(out, func(a, b spokenWord) int { return len(b.word) - len(a.word) })
	return out
}

// findNumbers goes from number to number and looks at what stands before each: a key, or the word for a thing. A regular
// expression over the whole text takes ten times as long.
func findNumbers(text string, add func(id itemID, at, end int)) {
	for i := 0; i < len(text); {
		if !digit(text[i]) {
			i++
			continue
		}
		end := i + 1
		for end < len(text) && digit(text[end]) {
			end++
		}
		if end-i <= 12 {
			findKey(text, i, end, add)
			findSpoken(text, i, end, add)
		}
		i = end
	}
}

func digit(b byte) bool { return b >= '0' && b <= '9' }

// findKey reads the id of a ticket whose number is text[i:end]: AB-101 outright, ab-101, "ab 101" and ab101 as weak ones.
func findKey(text string, i, end int, add func(id itemID, at, end int)) {
	if i == 0 || end-i > 7 {
		return
	}
	sep := byte(0)
	to := i
	if strings.IndexByte("-_ ", text[i-1]) >= 0 {
		sep, to = text[i-1], i-1
	}
	at := to
	upper := sep == '-'
	for at > 0 && wordByte(text[at-1]) && text[at-1] != '_' && to-at <= 10 {
		at--
		upper = upper && (digit(text[at]) || text[at] >= 'A' && text[at] <= 'Z')
	}
	key := strings.ToUpper(text[at:to])
	if len(key) < 2 || len(key) > 10 || digit(key[0]) || notTickets[key] {
		return
	}
	whole := keyEnd(text, at, end)
	switch {
	case whole < 0 || isSpoken(key):
		return // "PR-12" is read as "pr 12"
	case upper:
		add(itemID{name: key + text[to:whole], space: "key " + key}, at, whole)
		return
	case sep == 0 && end-i == 7 && serviceKeys[key]:
		add(itemID{name: key + text[i:end], space: "key " + key}, at, whole)
		return
	case strings.ContainsAny(key, "0123456789"), len(key) > 8, sep != '-' && (plainWords[strings.ToLower(key)] || end-i < 2):
		return
	}
	add(itemID{name: key + "-" + text[i:whole], space: "key " + key, weak: true}, at, whole)
}

func isSpoken(key string) bool {
	return slices.ContainsFunc(spokenWords, func(w spokenWord) bool { return strings.EqualFold(w.word, key) })
}

// findSpoken reads ids like "pull request 12" and "Rechnung Nr. 4711", whose number is text[i:end].
func findSpoken(text string, i, end int, add func(id itemID, at, end int)) {
	if end < len(text) && wordByte(text[end]) || end+1 < len(text) && strings.IndexByte(".,:/%-", text[end]) >= 0 && digit(text[end+1]) {
		return
	}
	from := max(0, i-40)
	before := strings.ToLower(strings.TrimRight(text[from:i], " \t-"))
	marked := false
	if t := strings.TrimRight(before, "#!:"); t != before {
		marked = strings.ContainsAny(before[len(t):], "#!")
		before = strings.TrimRight(t, " \t")
	}
	for _, m := range numberMarks {
		if rest, ok := endsWith(before, m); ok {
			before, marked = strings.TrimRight(rest, " \t"), true
			break
		}
	}
	for _, w := range spokenWords {
		rest, ok := endsWith(before, w.word)
		if !ok {
			rest, ok = endsWith(before, w.word+"s")
		}
		if !ok {
			continue
		}
		number := text[i:end]
		if !marked && (len(number) < w.kind.digits || len(number) == 4 && yearTail.MatchString(number)) {
			return
		}
		id := itemID{name: w.kind.name + " " + number, space: w.kind.name, class: w.kind.class}
		if w.kind.local && len(number) < globalNumber {
			id.scope = repoScope
		}
		add(id, from+min(len(rest), i-from), end)
		return
	}
}

// endsWith cuts a word off the end of a text; a word in Latin letters has to begin there.
func endsWith(s, word string) (rest string, ok bool) {
	rest, ok = strings.CutSuffix(s, word)
	if !ok || word[0] < 0x80 && rest != "" && wordByte(rest[len(rest)-1]) {
		return s, false
	}
	return rest, true
}

// keyEnd gives the end of the key at text[at:end], with the second part of a number like INV-2026-0042; -1 when the key is a
// part of something longer, or of a version.
func keyEnd(text string, at, end int) int {
	if at > 0 && (wordByte(text[at-1]) || text[at-1] == '-' || text[at-1] == '.' || text[at-1] == '@') {
		return -1
	}
	if i := strings.LastIndexAny(text[at:end], "-_ "); i >= 0 && yearTail.MatchString(text[at+i+1:end]) {
		end += len(secondPart.FindString(text[end:]))
	}
	if end < len(text) && wordByte(text[end]) && text[end] != '_' {
		return -1
	}
	if end+1 < len(text) && (text[end] == '.' || text[end] == ',') && text[end+1] >= '0' && text[end+1] <= '9' {
		return -1
	}
	return end
}

func wordByte(b byte) bool {
	return b == '_' || b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z'
}
