package review

import (
	"regexp"
	"strings"
	"unicode"
)

// The words by which a session says that there is none of something, or that it is over, in the languages that
// reviews come in. A word ends where no letter, digit or hyphen follows: "No-op migration" and "Notar" deny nothing.
const (
	noWord = `(?:none|nothing|nobody|no ` +
		`one|noone|no|nope|nil|zero|nichts|nix|niemand|kein(?:e[rsnm]?|s)?|nein|rien|personne|aucune?|non|néant|nada|` +
		`nadie|ninguno|niente)`
	doneWord = `(?:done|finished|closed|completed?|settled|answered|paid|resolved|merged|refunded|replied|sent|` +
		`delivered|shipped|booked|fixed|erledigt|fertig|abgeschlossen|beantwortet|bezahlt|terminée?s?|faite?s?|clos|` +
		`réglée?s?|traitée?s?|payée?s?|répondue?)`
	wordEnd = `(?:$|[^\pL\pN-]|-+(?:$|[^\pL\pN]))`
)

var (
	denied = regexp.MustCompile(
		`(?i)(?:^|[^\pL])(?:no|not|neither|nor|never|without|kein\pL*|ohne|aucune?|pas)(?:$|[^\pL])`)
	// noneFirst begins with a denial; "No. 7" is a number.
	noneFirst = regexp.MustCompile(`^(?:` + noWord + `|n/?a|n\.\s?a|ras|not (?:that|any|applicable|at risk|at ` +
		`all|now)|false|empty|without|leer|entfällt|ohne|sans objet|plus rien|plus aucune?|unlikely|never ` +
		`(?:was|were|any)|gibt es nicht|なし|无|нет)` + wordEnd + `|^pas d['’e]`)
	// noneWas tells of what was left undone: "none of the mails was sent".
	noneWas = regexp.MustCompile(`^(?:none of|nobody|no one)\s.*(?:was|were|has|have)\s+(?:` + doneWord +
		`|told|asked|informed|checked)` + wordEnd)
	numbered = regexp.MustCompile(`^no\.\s*\d`)
	// noneAfter comes to it after a few words: "there is nothing left", "il n'y a rien".
	noneAfter = regexp.MustCompile(`^(?:there(?:['’]s| is| are| was| were)|i (?:see|saw|found|find|know of)|we ` +
		`(?:see|saw|found|find)|it is|as far as i (?:can see|know),?|currently,?|es ` +
		`(?:gibt|ist|sind|bleibt|wartet|steht)|offen (?:ist|sind|bleibt)|il n['’]y a|il ne reste)\s+(?:\pL+\s+){0,2}?(?:` +
		noWord + `|not any|pas|nicht)` + wordEnd)
	// noneLast ends in it: "the refund was paid, so none".
	noneLast = regexp.MustCompile(
		`(?:[,;:–—]|\s-|[^\pL](?:so|hence|thus|therefore|is|are|daher|also|ist|donc))\s+(?:none|nothing|nobody|no ` +
			`one|nichts|niemand|keine?[rsnm]?|rien|personne|aucune?)(?:\s+(?:open|left|more|remains|waits|at ` +
			`risk|offen|mehr))?\PL*$`)
	zero    = regexp.MustCompile(`^(?:\pL{3}\s*)?0+(?:[.,]0+)?` + wordEnd)
	notZero = regexp.MustCompile(`[1-9]`)
	allDone = regexp.MustCompile(`^(?:(?:it(?:['’]s| is)|that(?:['’]s| is)) ` +
		`)?(?:all|everything|everyone|everybody|alles|alle|toute?s?|tous)\s.{0,60}?` + doneWord + wordEnd)
	gotReply = regexp.MustCompile(
		`(?:^|\s)(?:got|had|received|has)\s+(?:a|an|the|their|his|her)\s+(?:reply|answer|refund)` + wordEnd)
	// doneFirst is a state with nothing behind it but a mark or a time; doneLast is one at the end: "mail to Kim: sent".
	doneFirst = regexp.MustCompile(`^(?:already\s+)?` + doneWord +
		`(?:$|\s*[:,.;(–—-]|\s+(?:on|by|in|at|since|yesterday|today|am|le)\s)`)
	doneLast = regexp.MustCompile(`(?:[:,–—]|\s-)\s+(?:already\s+)?` + doneWord + `\PL*$`)
	wasDone  = regexp.MustCompile(`^(?:\S+\s+){1,6}?(?:was|were|is|are|has been|have been|wurden?|ist|a été|ont ` +
		`été)\s+(?:already\s+)?` + doneWord + wordEnd)
	// pending takes it back: what has to be done, was not, or was done twice.
	pending = regexp.MustCompile(`(?:^|[^\pL])(?:not|none|never|must|(?:ha(?:ve|s|d)|is|are|needs?|yet|remains?) to|to ` +
		`be|should|until|except|but|twice|double|again|too|only|partly|half|nobody|no ` +
		`one|wrong\pL*|nicht|muss|müssen|zweimal|doppelt|außer|pas|sauf|jamais|doit)(?:$|[^\pL])`)
)

// saysNothing says whether an entry says that there is none.
func saysNothing(s string) bool {
	s = plainWords(s)
	switch {
	case s == "":
		return true
	case numbered.MatchString(s), noneWas.MatchString(s):
		return false
	case zero.MatchString(s):
		return !notZero.MatchString(s)
	}
	return noneFirst.MatchString(s) || noneAfter.MatchString(s) || noneLast.MatchString(s) || allDone.MatchString(s) &&
		!pending.MatchString(s)
}

// saysDone says whether an entry tells of something that is over.
func saysDone(s string) bool {
	s = plainWords(s)
	return (doneFirst.MatchString(s) || doneLast.MatchString(s) || wasDone.MatchString(s) || gotReply.MatchString(s)) &&
		!pending.MatchString(s)
}

// plainWords is a text without its Markdown, in small letters, from its first letter or digit on.
func plainWords(s string) string {
	s = strings.Map(func(r rune) rune {
		if strings.ContainsRune("*_`~\"“”„«»|", r) {
			return -1
		}
		return r
	}, strings.ToLower(s))
	return strings.TrimSpace(strings.TrimLeftFunc(s, func(r rune) bool {
		return !unicode.IsLetter(r) &&
			!unicode.IsDigit(r)
	}))
}
