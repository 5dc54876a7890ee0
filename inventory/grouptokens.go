package inventory

import (
	"strings"
	"unicode"

	"recovery/internal/text"
)

// promptBytes is how much of a first prompt is compared.
const promptBytes = 16 << 10

// token is one word of a prompt, or one letter of a script that is written without blanks.
type token struct {
	text string // lower case, one word for all that mean the same
	raw  string // as it was typed, in lower case
	// hard words name a particular thing: a number, a file, an address, a name. Two prompts that differ in one are two
	// works.
	hard bool
	// fixed words hold a digit or a sign, so that no spelling of them is lost with their case.
	fixed bool
}

// politeWords say nothing of the work.
var politeWords = plainSet(
	`please pls plz kindly thanks thank thx you hello hi hey dear could can would will the a an and also too then now just it is are be i we me us my our
	ok okay so well very quick quickly again asap need want let's let i'd i'm with
	bitte danke hallo moin guten tag mal doch könntest kannst du sie der die das den dem des ein eine einen und auch dann ist
	por favor gracias hola puedes podrías el la los las un una y también
	merci bonjour svp stp peux pourrais tu vous le les une et aussi s'il te plaît plait
	obrigado obrigada olá oi pode poderia o os as um uma e também
	grazie ciao puoi per favore
	пожалуйста спасибо привет здравствуйте и
	请 帮 我 您 你 一 下 看 谢 吧 呢 的 了 把 吗`)

// turningWords turn a sentence into another one.
var turningWords = plainSet(`not no never without except only but instead don't doesn't isn't cannot
	nicht kein keine keinen ohne außer nur nie sondern
	no sin solo sólo excepto nunca salvo
	pas sans sauf seulement jamais não sem apenas somente non senza solo не без только кроме
	不 没 无 只 除 勿 非`)

// limitWords make less of a work, or another one, when they come after it.
var limitWords = plainSet(`only except but instead nur außer sondern solo sólo excepto salvo sauf seulement apenas ` +
	`somente exceto только кроме 只 除`)

// oneMeaning are words that ask for the same, of which people take now the one and now the other.
var oneMeaning = sameWords(
	`create make build write generate produce erstelle erstell mach mache schreib schreibe baue generiere crée créé fais écris génère rédige crea haz escribe genera redacta scrivi fai crie faça escreva создай сделай напиши
	fix repair solve resolve correct behebe beheb beheben fixe repariere reparier löse korrigiere corrige répare résous arregla repara soluciona correggi ripara corrija conserte исправь исправить почини
	find figure determine finde such suche suchen trouve cherche busca encuentra averigua trova cerca encontre procure найди
	delete remove erase lösche lösch entferne supprime enlève efface retire borra elimina quita cancella rimuovi apague remova exclua удали убери
	show display zeige zeig montre affiche muestra mostra покажи
	change modify alter ändere änder change modifie cambia modifica измени
	that which who welche welcher welches
	big large huge
	begin start starte beginne`)

func sameWords(lines string) map[string]string {
	out := map[string]string{}
	for _, line := range strings.Split(plainLetters(lines), "\n") {
		words := strings.Fields(line)
		for _, w := range words[1:] {
			out[w] = words[0]
		}
	}
	return out
}

// accents are letters with a mark, and the ones that they are typed as in haste.
var accents = strings.NewReplacer("á", "a", "à", "a", "â", "a", "ã", "a", "ä", "a", "å", "a", "ą", "a", "ç", "c", "ć",
	"c", "č", "c", "é", "e", "è", "e", "ê", "e", "ë", "e", "ę", "e", "ě", "e",
	"í", "i", "ì", "i", "î", "i", "ï", "i", "ł", "l", "ñ", "n", "ń", "n", "ó", "o", "ò", "o", "ô", "o", "õ", "o", "ö", "o",
	"ø", "o", "ř", "r", "ś", "s", "š", "s", "ş", "s", "ú", "u", "ù", "u", "û", "u", "ü", "u",
	"ý", "y", "ź", "z", "ż", "z", "ž", "z", "ğ", "g", "ı", "i", "ё", "е")

func plainLetters(s string) string {
	if !strings.ContainsFunc(s, func(r rune) bool { return r > 0x7f }) {
		return s
	}
	return accents.Replace(s)
}

func plainSet(words string) map[string]bool { return wordSet(plainLetters(words)) }

// tokens splits a prompt into its words.
func tokens(s string) []token {
	var out []token
	runes := []rune(text.CutBytes(s, promptBytes, ""))
	start, sentence := -1, true
	flush := func(end int) {
		if start < 0 {
			return
		}
		word := runes[start:end]
		for len(word) > 0 && inner(word[len(word)-1]) {
			word = word[:len(word)-1]
		}
		if len(word) > 0 {
			out = append(out, wordToken(word, sentence))
			sentence = false
		}
		start = -1
	}
	for i, r := range runes {
		switch {
		case unbroken(r):
			flush(i)
			t := string(r)
			out = append(out, token{text: t})
			sentence = false
		case unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.Mn, r):
			if start < 0 {
				start = i
			}
		case start >= 0 && inner(r) && i+1 < len(runes) && (unicode.IsLetter(runes[i+1]) || unicode.IsDigit(runes[i+1])):
		default:
			flush(i)
			sentence = sentence || strings.ContainsRune(".!?:\n。！？：-*•\"'“„«", r)
		}
	}
	flush(len(runes))
	return out
}

// inner are the signs that hold one word together: a file's name, an address, a date.
func inner(r rune) bool { return strings.ContainsRune("._/@:-'’+#", r) }

// unbroken are scripts without blanks between words.
func unbroken(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai)
}

func wordToken(word []rune, first bool) token {
	t := token{text: plainLetters(strings.ToLower(strings.ReplaceAll(string(word), "’", "'")))}
	upper := 0
	for _, r := range word {
		if unicode.IsDigit(r) || strings.ContainsRune("._/@:+#", r) {
			t.fixed = true
		}
		if unicode.IsUpper(r) {
			upper++
		}
	}
	t.hard = t.fixed || upper > 1 || upper == 1 && !first
	return t
}

// contentTokens are the words that tell what the work is.
func contentTokens(s string) []token {
	all := tokens(s)
	out := all[:0]
	for _, t := range all {
		t.raw = t.text
		if one, ok := oneMeaning[t.text]; ok {
			t.text = one
		}
		if !politeWords[t.text] {
			out = append(out, t)
		}
	}
	return out
}

// content is contentTokens as texts.
func content(s string) []string {
	list := contentTokens(s)
	out := make([]string, len(list))
	for i, t := range list {
		out[i] = t.text
	}
	return out
}

// weight counts tokens as words: two letters of a script without blanks are about one word.
func weight(list []token) float64 {
	var w float64
	for _, t := range list {
		r := []rune(t.text)
		if len(r) == 1 && unbroken(r[0]) {
			w += 0.5
		} else {
			w++
		}
	}
	return w
}

// within says that all words of short stand in long in their order, and gives the words of long that are over. A word
// may be mistyped, or be written as two.
func within(short, long []token) (over []token, ok bool) {
	i := 0
	for j := 0; j < len(long); j++ {
		switch {
		case i < len(short) && short[i].like(long[j]):
			i++
		case i < len(short) && j+1 < len(long) && short[i].text == long[j].text+long[j+1].text:
			i, j = i+1, j+1
		case i+1 < len(short) && short[i].text+short[i+1].text == long[j].text:
			i += 2
		default:
			over = append(over, long[j])
		}
	}
	return over, i == len(short)
}

// begins says that long goes on where short ends, without another change.
func begins(short, long []token) bool {
	if len(short) >= len(long) {
		return false
	}
	for i, t := range short {
		if !t.like(long[i]) {
			return false
		}
	}
	return true
}

// like says that two words mean the same, but for a typing mistake.
func (t token) like(o token) bool { return t.text == o.text || alike(t.raw, o.raw) }

// alike says that two words are the same but for one typing mistake: a letter too many or too few, or two that
// changed places. A changed letter makes another word as often as a mistake, and so does one at the beginning.
func alike(a, b string) bool {
	if a == b {
		return true
	}
	x, y := []rune(a), []rune(b)
	if len(x) > len(y) {
		x, y = y, x
	}
	if len(x) < 5 || len(y)-len(x) > 1 || strings.ContainsAny(a+b, "0123456789._/@:+#") {
		return false
	}
	i := 0
	for i < len(x) && x[i] == y[i] {
		i++
	}
	if i == 0 {
		return false
	}
	if len(y) > len(x) {
		return string(x[i:]) == string(y[i+1:])
	}
	return i+1 < len(x) && x[i] == y[i+1] && x[i+1] == y[i] && string(x[i+2:]) == string(y[i+2:])
}
