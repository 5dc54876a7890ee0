package inventory

import (
	"regexp"
	"strings"

	"recovery/internal/claude"
)

var (
	uuidShape = regexp.MustCompile(`(?i)^` + claude.UUIDPattern + `$`)
	hexShape  = regexp.MustCompile(`^[0-9a-f]{7,40}$`)
)

// opaque says that a word is an id made by a machine: letters and digits mixed, or a UUID. Names with a number at the
// end are versions and machines.
func opaque(word string) bool {
	if len(word) == 36 {
		return uuidShape.MatchString(word)
	}
	if len(word) < 6 || len(word) > 40 || strings.Contains(word, "-") {
		return false
	}
	stem := strings.TrimRight(word, "0123456789")
	if !strings.ContainsAny(stem, "0123456789") {
		return false
	}
	return strings.Trim(word, "0123456789") != "" && (hexShape.MatchString(word) || !strings.ContainsFunc(word,
		func(r rune) bool { return r >= 'a' && r <= 'z' }))
}

// opaqueID is an item with an id of that sort, or a number; the id without the word for the thing names it too.
func opaqueID(name string, class class, value string) itemID {
	id := itemID{name: name + " " + strings.ToUpper(value), space: name, class: class}
	if opaque(value) {
		id.also = []string{"id " + strings.ToUpper(value)}
	}
	return id
}

// findOpaque reads ids like "incident Q1XW5Z2Y" and "payment 7f3c2a10-...". One that stands alone is a weak id: it
// may be a commit's or a user's.
func findOpaque(text string, add func(id itemID, at, end int)) {
	for i := 0; i < len(text); {
		if !wordByte(text[i]) && text[i] != '-' {
			i++
			continue
		}
		end := i
		digit := false
		for end < len(text) && (wordByte(text[end]) || text[end] == '-') {
			digit = digit || text[end] >= '0' && text[end] <= '9'
			end++
		}
		word, at := text[i:end], i
		i = end
		if !digit || !opaque(word) || at > 0 && strings.IndexByte("./@", text[at-1]) >= 0 || end+1 < len(text) &&
			strings.IndexByte("./@", text[end]) >= 0 && wordByte(text[end+1]) {
			continue
		}
		k, from, _, ok := spokenBefore(text, at)
		switch {
		case ok && !k.local:
			add(opaqueID(k.name, k.class, word), from, end)
		case !ofNoItem(text[:at]):
			add(itemID{name: "id " + strings.ToUpper(word), space: "id", weak: true}, at, end)
		}
	}
}

// ofNoItem says that the word before an id is one of a customer, a machine or such.
func ofNoItem(before string) bool {
	before = strings.ToLower(strings.TrimRight(before[max(0, len(before)-20):], " #:=_"))
	for _, w := range noItems {
		if strings.HasSuffix(before, w) || strings.HasSuffix(before, w+" id") || strings.HasSuffix(before, w+"_id") {
			return true
		}
	}
	return false
}
