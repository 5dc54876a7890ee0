package prompts

import (
	"bufio"
	_ "embed"
	"strconv"
	"strings"
	"sync"
	"unicode"
)

//go:embed words/fold.txt
var foldText string

// foldTable says what a character is read as: full-width and mathematical letters, letters in circles, look-alikes,
// accents.
var foldTable = sync.OnceValue(func() map[rune]string {
	table := map[rune]string{}
	sc := bufio.NewScanner(strings.NewReader(foldText))
	for sc.Scan() {
		target, chars, ok := strings.Cut(sc.Text(), "\t")
		if !ok || strings.HasPrefix(target, "# ") {
			continue
		}
		if target == "<space>" {
			target = " "
		}
		for chars != "" {
			if rest, ok := strings.CutPrefix(chars, `\u{`); ok {
				if hex, rest, ok := strings.Cut(rest, "}"); ok {
					if n, err := strconv.ParseUint(hex, 16, 32); err == nil {
						table[rune(n)] = target
						chars = rest
						continue
					}
				}
			}
			for i, r := range chars {
				if i > 0 {
					chars = chars[i:]
					break
				}
				table[r] = target
				if len(string(r)) == len(chars) {
					chars = ""
					break
				}
			}
		}
	}
	return table
})

// lineBreaks are the characters that some reader shows as a new line.
var lineBreaks = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\v", "\n", "\f", "\n", "\u001c", "\n", "\u001d", "\n",
	"\u001e", "\n", "\u0085", "\n", "\u2028", "\n", "\u2029", "\n")

func splitLines(s string) []string { return strings.Split(lineBreaks.Replace(s), "\n") }

// invisible says whether r shows nothing: format characters, variation selectors, fillers, control characters.
func invisible(r rune) bool {
	switch {
	case r >= 0xe0020 && r <= 0xe007e: // tag characters carry hidden ASCII: they are read, not dropped
		return false
	case unicode.Is(unicode.Cf, r), r >= 0xfe00 && r <= 0xfe0f, r >= 0xe0100 && r <= 0xe01ef, r >= 0x180b && r <= 0x180f:
		return true
	case r == 0x034f, r == 0x115f, r == 0x1160, r == 0x17b4, r == 0x17b5, r == 0x3164, r == 0xffa0, r == 0x2800:
		return true
	case r >= 0x1f3fb && r <= 0x1f3ff: // skin tones
		return true
	}
	return unicode.IsControl(r) && r != '\t'
}

// fold gives a text as it reads: lower case, one form for letters that look the same, no accents, nothing invisible,
// single blanks.
func fold(s string) string {
	table := foldTable()
	var b strings.Builder
	for _, r := range s {
		if invisible(r) {
			continue
		}
		if t, ok := table[r]; ok {
			b.WriteString(t)
			continue
		}
		if unicode.Is(unicode.M, r) {
			continue
		}
		l := unicode.ToLower(r)
		if t, ok := table[l]; ok {
			b.WriteString(t)
			continue
		}
		b.WriteRune(l)
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

// squeeze leaves only the letters and digits of a folded text.
func squeeze(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return -1
	}, fold(s))
}

var contractions = strings.NewReplacer("won't", "will not", "can't", "cannot", "shan't", "shall not", "ain't", "is not",
	"n't", " not",
	"let's", "let us", "'re", " are", "'m", " am", "'ve", " have", "'ll", " will", "'d", " would", "it's", "it is",
	"that's", "that is",
	"there's", "there is", "here's", "here is", "what's", "what is", "who's", "who is", "he's", "he is", "she's", "she is",
	"everything's", "everything is", "everyone's", "everyone is", "nothing's", "nothing is", "plan's", "plan is")

var bareContractions = map[string]string{"dont": "do not", "doesnt": "does not", "didnt": "did not", "cant": "cannot",
	"wont": "will not",
	"isnt": "is not", "arent": "are not", "wasnt": "was not", "havent": "have not", "hasnt": "has not",
	"neednt": "need not", "youre": "you are",
	"thats": "that is", "theres": "there is", "im": "i am", "ive": "i have", "lets": "let us", "u": "you", "ur": "your",
	"pls": "please", "plz": "please", "its ok": "it is ok",
	"gotta": "got to", "gonna": "going to", "wanna": "want to", "gimme": "give me", "lemme": "let me", "kinda": "kind of",
	"ya'll": "you", "y'all": "you"}

// plain writes a folded line's contractions out, so that the rules need one form of each.
func plain(s string) string {
	s = contractions.Replace(s)
	words := strings.Split(s, " ")
	for i, w := range words {
		bare := strings.Trim(w, ".,;:!?\"'()")
		if long, ok := bareContractions[bare]; ok {
			words[i] = strings.Replace(w, bare, long, 1)
		}
	}
	return strings.Join(words, " ")
}
