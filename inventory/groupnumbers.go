package inventory

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// spokenWord is one form of a word for a kind of numbered thing.
type spokenWord struct {
	form string
	kind *kind
	// compound words may have another one before them.
	compound bool
}

// spokenWords are the words of all kinds by their last byte, the long ones first: "pull request" before "request".
// numberMarks stand between a word and its number.
var (
	spokenWords = listSpoken()
	numberMarks = []string{"number", "nummer", "número", "numéro", "numero", "номер", "num.", "num", "no.", "no", "nr.",
		"nr", "n°", "nº", "n.", "№", "编号", "番号", "番", "번호", "号", "reference", "referenz", "référence", "referencia", "ref.",
		"réf.", "ref", "réf", "id"}
	// glued are the marks that are one word with that for the thing: Rechnungsnummer.
	glued = wordSet("nummer nr. nr")
	// fillers stand between the word for a thing and "number".
	fillers  = []string{"with the", "with", "mit der", "mit", "con el", "con", "avec le", "avec", "of", "has", "の", "的"}
	articles = wordSet("the a an der die das dem den ein eine einem einen el la los las un una le les une il lo uno " +
		"o os as um uma")
	trackers    = wordSet("jira linear youtrack ticket: jira: tracked tracker")
	alertKeys   = wordSet("ALERT ALR ALRT ALM ALARM MON")
	serviceKeys = wordSet("INC CHG RITM REQ PRB SCTASK CS")
)

func listSpoken() (out [256][]spokenWord) {
	for i := range kinds {
		for _, w := range strings.Split(kinds[i].words, ",") {
			for _, f := range formsOf(w) {
				last := f[len(f)-1]
				out[last] = append(out[last], spokenWord{f, &kinds[i], compounds[w] && f == w})
			}
		}
	}
	for i := range out {
		slices.SortStableFunc(out[i], func(a, b spokenWord) int { return len(b.form) - len(a.form) })
	}
	return out
}

// formsOf are a word's plural and its cases, as the languages with letters build them.
func formsOf(w string) []string {
	r := []rune(w)
	out := []string{w}
	switch last := r[len(r)-1]; {
	case last < 0x250 && w != "po":
		out = append(out, w+"s")
		if len(r) >= 5 {
			out = append(out, w+"es", w+"en")
		}
		if stem, ok := strings.CutSuffix(w, "a"); ok && len(r) >= 5 {
			out = append(out, stem+"ę", stem+"i", stem+"y", stem+"ą")
		}
	case last >= 0x400 && last < 0x500:
		stem := strings.TrimRight(w, "аеёиоуыьэюя")
		for _, end := range strings.Fields("а у е ы и ой ом ю ем я ью ию ия ии ов") {
			out = append(out, stem+end)
		}
	}
	return out
}

// findNumbers goes from number to number and looks at what stands before each: a key, or the word for a thing. A
// regular expression over the whole text takes ten times as long.
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
		if end-i <= 24 {
			findKey(text, i, end, add)
			findSpoken(text, i, end, add)
			findMarked(text, i, end, add)
		}
		i = end
	}
}

func digit(b byte) bool { return b >= '0' && b <= '9' }

// findKey reads the id of a ticket whose number is text[i:end]: AB-101 outright, ab-101, "ab 101" and ab101 as weak
// ones.
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
		id := counted(itemID{name: key + "-" + strings.NewReplacer("/", "-", " ", "-").Replace(text[i:whole]), space: "key " +
			key})
		if k, _, _, ok := spokenBefore(text, at); ok && k.class == classAlert {
			id.class = classAlert
		} else if ok && k.class == classItem || trackers[lastWord(text[:at])] {
			id.called, id.proof = true, true
		}
		id.proof = id.proof || proved(text, key, at, whole)
		id.stray = !id.called && stray(text, at, whole)
		// "the RTX-4090" is a thing by its name; a ticket has no article.
		id.weak = articles[lastWord(text[:at])]
		add(id, at, whole)
		return
	case sep == 0 && end-i == 7 && serviceKeys[key]:
		add(itemID{name: key + text[i:end], space: "key " + key}, at, whole)
		return
	case strings.ContainsAny(key, "0123456789"), len(key) > 8, sep != '-' && (plainWords[strings.ToLower(key)] ||
		end-i < 2):
		return
	}
	add(counted(itemID{name: key + "-" + strings.NewReplacer("/", "-", " ", "-").Replace(text[i:whole]), space: "key " +
		key, weak: true, proof: proved(text, key, at, whole), stray: stray(text, at, whole)}), at, whole)
}

// proved says that a text treats text[at:end] as a ticket: alone, before a colon, in brackets, in a branch's name, at
// the foot, or as what is to be worked on.
func proved(text, key string, at, end int) bool {
	before, after := strings.TrimRight(text[:at], " \t"), text[end:]
	switch {
	case ticketKeys[key] || digitsAtEnd(text[at:end]) >= 5:
		return true
	case strings.HasPrefix(after, ":") || strings.HasPrefix(after, "]") || strings.HasPrefix(after, "："):
		return true
	case at > 0 && (text[at-1] == '/' || text[at-1] == '['):
		return true
	case before == "" && len(after) > 1 && after[0] == '.' && (after[1] == ' ' || after[1] == '\n'):
		return true // a heading
	case before != "" && strings.IndexByte(".!?\n", before[len(before)-1]) >= 0 && strings.Trim(after, " \t\n.") == "":
		return true // it stands alone below the text
	}
	return worked(before, after)
}

// worked says that a key is what is to be worked on, by the words next to it.
func worked(before, after string) bool {
	before = strings.ToLower(before[max(0, len(before)-24):])
	after = strings.ToLower(strings.TrimLeft(after[:min(len(after), 24)], " \t"))
	ends := func(w string) bool { _, ok := endsWith(before, w); return ok }
	return workWords[before[strings.LastIndexAny(before, " \t\n")+1:]] || slices.ContainsFunc(workPairs, ends) ||
		startsWith(after, workAfter)
}

// stray says that text[at:end] is not what its sentence is about: it neither begins nor ends it, is no object of a
// work verb or of the verb that the sentence begins with, and no word like "for" or "of" stands before it in the
// first sentence. "The report needs the schema from AB-1" is about a report.
func stray(text string, at, end int) bool {
	before := strings.TrimRight(text[:at], " \t*")
	after := strings.TrimLeft(text[end:], " \t'\"`*”“»")
	if before == "" || strings.HasPrefix(after, ":") || worked(before, after) {
		return false
	}
	last, _ := utf8.DecodeLastRuneInString(before)
	if strings.ContainsRune(".!?:;([/\n->=#@'\"`“„«", last) || unbroken(last) || last > 0x2000 {
		return false
	}
	if last == ',' || last == '&' {
		return after != "" && !strings.ContainsRune(".!?)]\n;&", rune(after[0]))
	}
	begin := max(0, len(before)-longSentence)
	begin += lastSentence(before[begin:])
	sentence := strings.Fields(strings.ToLower(before[begin:]))
	if len(sentence) == 0 {
		return false
	}
	if n := len(sentence) - 1; n > 0 && articles[sentence[n]] {
		sentence = sentence[:n]
	}
	word := strings.TrimLeft(sentence[len(sentence)-1], "(")
	first := slices.IndexFunc(sentence, func(w string) bool { return !politeWords[plainLetters(strings.Trim(w, ",.!"))] })
	if first == len(sentence)-1 && !aboutWords[word] {
		return false
	}
	return !aboutWords[word] || begin > 0
}

// longSentence is how far back a sentence's beginning is looked for.
const longSentence = 400

// lastSentence is where the last sentence of a text begins.
func lastSentence(s string) int {
	for i := len(s) - 1; i > 0; i-- {
		if s[i] == '\n' || s[i] == ' ' && strings.IndexByte(".!?", s[i-1]) >= 0 {
			return i + 1
		}
	}
	return 0
}

func digitsAtEnd(s string) int { return len(s) - len(strings.TrimRight(s, "0123456789")) }

func lastWord(s string) string {
	t := strings.TrimRight(s, " ")
	if t == s {
		return ""
	}
	return strings.ToLower(t[strings.LastIndexAny(t, " \n\t")+1:])
}

func isSpoken(key string) bool {
	key = strings.ToLower(key)
	return slices.ContainsFunc(spokenWords[key[len(key)-1]], func(w spokenWord) bool { return w.form == key })
}

// findMarked reads what code hosts show without a word: !12 is a merge request, AB#12 a work item, and #12 an issue
// or a pull request, or something else.
func findMarked(text string, i, end int, add func(id itemID, at, end int)) {
	if i == 0 || end-i > 6 || end < len(text) && (wordByte(text[end]) || text[end] == '-') {
		return
	}
	number, at := text[i:end], i-1
	open := at == 0 || strings.IndexByte(" \t\n([,;:'\"", text[at-1]) >= 0
	switch {
	case text[at] == '!' && open:
		add(itemID{name: "mr " + number, space: "mr", class: classChange, scope: repoScope}, at, end)
	case text[at] == '#' && at >= 2 && strings.EqualFold(text[at-2:at], "AB") && (at == 2 || !wordByte(text[at-3])):
		add(itemID{name: "work item " + number, space: "work item"}, at-2, end)
	case text[at] == '#' && open && end-i >= 2:
		add(itemID{name: "issue " + number, also: []string{"pr " + number}, space: "issue", scope: repoScope, weak: true}, at,
			end)
	}
}

// findSpoken reads ids like "pull request 12" and "Rechnung Nr. 4711", whose number is text[i:end].
func findSpoken(text string, i, end int, add func(id itemID, at, end int)) {
	number := text[i:end]
	if i >= 2 && text[i-1] == '-' && wordByte(text[i-2]) && !digit(text[i-2]) && (i == 2 || !wordByte(text[i-3])) &&
		end-i >= 3 {
		i -= 2 // invoice A-2291
		number = strings.ToUpper(text[i:end])
	} else if m := twoParts.FindString(text[i:]); len(m) >= 8 {
		number, end = m, i+len(m)
	} else if m := yearPart.FindString(text[i:]); m != "" {
		number, end = strings.ReplaceAll(m, "-", "/"), i+len(m)
	}
	if end < len(text) && wordByte(text[end]) || end+1 < len(text) && strings.IndexByte(".,:/%-", text[end]) >= 0 &&
		digit(text[end+1]) {
		return
	}
	k, at, marked, ok := spokenBefore(text, i)
	if !ok || !marked && (len(number) < k.digits || len(number) == 4 && yearTail.MatchString(number)) {
		return
	}
	id := itemID{name: k.name + " " + number, space: k.name, class: k.class}
	if k.local && len(number) < globalNumber {
		id.scope = repoScope
	}
	id.stray = (id.scope == repoScope || k.class == classChange) && stray(text, at, end)
	add(id, at, end)
}

// twoParts is a number in two parts, as in ref. 8812-4471; a year before the second one is yearPart's.
var twoParts = regexp.MustCompile(`^(?:1|[3-9]|2[1-9])\d{2,}-\d{3,}\b`)

// yearPart is a number that is counted by year, 2026/0042 or 42/2026 with three digits at least: 11/2026 is a month.
var yearPart = regexp.MustCompile(`^(?:20\d\d[/-]\d{3,7}|\d{3,7}/20\d\d)\b`)

// spokenBefore finds the word for a kind of thing before text[i]; marked says that "no." or # stands between.
func spokenBefore(text string, i int) (k *kind, at int, marked, ok bool) {
	from := max(0, i-48)
	for from < i && text[from]&0xc0 == 0x80 {
		from++
	}
	before := strings.ToLower(strings.TrimRight(text[from:i], " \t-"))
	if t := strings.TrimRight(before, "#!:"); t != before {
		marked = strings.ContainsAny(before[len(t):], "#!")
		before = strings.TrimRight(t, " \t")
	}
	for _, m := range numberMarks {
		rest, cut := endsWith(before, m)
		if !cut && glued[m] {
			if rest, cut = strings.CutSuffix(before, m); cut {
				rest = strings.TrimSuffix(rest, "s")
			}
		}
		if !cut {
			continue
		}
		before, marked = strings.TrimRight(rest, " \t-"), true
		if strings.HasPrefix(m, "ref") || strings.HasPrefix(m, "réf") {
			k, at = &referenceKind, from+min(len(rest), i-from)
		}
		for _, f := range fillers {
			if rest, ok := endsWith(before, f); ok {
				before = strings.TrimRight(rest, " \t")
				break
			}
		}
		break
	}
	if before == "" {
		return k, at, marked, k != nil
	}
	for _, w := range spokenWords[before[len(before)-1]] {
		rest, ok := endsWith(before, w.form)
		if !ok && w.compound {
			rest, ok = strings.CutSuffix(before, w.form)
		}
		if ok {
			return w.kind, from + min(len(rest), i-from), marked, true
		}
	}
	return k, at, marked, k != nil
}

// endsWith cuts a word off the end of a text; a word in Latin letters has to begin there.
func endsWith(s, word string) (rest string, ok bool) {
	rest, ok = strings.CutSuffix(s, word)
	if !ok || word[0] < 0x80 && rest != "" && wordByte(rest[len(rest)-1]) {
		return s, false
	}
	return rest, true
}

// keyEnd gives the end of the key at text[at:end], with the second part of a number like INV-2026-0042; -1 when the
// key is a part of something longer, or of a version.
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
