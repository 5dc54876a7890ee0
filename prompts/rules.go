package prompts

import (
	"embed"
	"fmt"
	"regexp"
	"strings"
	"sync"

	"recovery/internal/text"
)

//go:embed rules/*.yaml words/english.txt
var ruleFiles embed.FS

// rules is the compiled content of rules/ and words/.
type rules struct {
	english map[string]bool
	group   map[string]map[string]bool

	masks, guards, protect, imperatives         []*regexp.Regexp
	attributed, doNotAct, question, badQuestion *regexp.Regexp
	hard, soft                                  []pattern
	unless                                      map[string]*regexp.Regexp
	negList, label, openLabel, noun, pronoun    *regexp.Regexp
	languages                                   []language
	quiet                                       map[rune]bool
	codes, strong                               map[string]bool
	spelled                                     []stretched
	judged                                      *verdicts
}

// verdicts remembers what a line was judged to be: the lines of a template are the same in every message.
type verdicts struct {
	mu   sync.Mutex
	line map[string]string
}

// maxVerdicts bounds what is remembered; all the templates together have some hundred lines.
const maxVerdicts = 4096

// of gives the verdict on a line, which judge works out when it is not known yet.
func (v *verdicts) of(line string, judge func(string) string) string {
	v.mu.Lock()
	why, ok := v.line[line]
	v.mu.Unlock()
	if ok {
		return why
	}
	why = judge(line)
	v.mu.Lock()
	defer v.mu.Unlock()
	if len(v.line) < maxVerdicts {
		v.line[line] = why
	}
	return why
}

// pattern is one way to approve; unless names what lets it pass.
type pattern struct {
	why, unless string
	re          *regexp.Regexp
}

type language struct {
	name     string
	approve  []string
	alone    map[string]bool
	harmless []*regexp.Regexp
}

type enFile struct {
	Groups map[string]string
	Masks  []string
	Hard   []struct{ Why, Re, Unless string }
	Soft   []struct{ Why, Re, Unless string }
	Unless map[string]string
	Guards []string
	// Protect are sentences that deny by themselves.
	Protect     []string
	Attributed  string
	DoNotAct    string `yaml:"donotact"`
	Imperatives []string
	Question    string
	BadQuestion string `yaml:"badquestion"`
	Forms       map[string]string
}

type langFile struct {
	Languages []struct {
		Name, Approve, Alone string
		Harmless             []string
	}
}

type signFile struct{ Quiet, Codes, Strong string }

// loadRules reads the embedded rule files once. They are part of the program: a mistake in one is a panic that every
// test shows.
var loadRules = sync.OnceValue(func() *rules {
	var en enFile
	var langs langFile
	var signs signFile
	readRules("rules/en.yaml", &en)
	readRules("rules/languages.yaml", &langs)
	readRules("rules/signs.yaml", &signs)

	r := &rules{english: map[string]bool{}, group: map[string]map[string]bool{}, unless: map[string]*regexp.Regexp{},
		quiet: map[rune]bool{}, codes: wordSet(signs.Codes), strong: wordSet(signs.Strong),
		judged: &verdicts{line: map[string]string{}}}
	words, err := ruleFiles.ReadFile("words/english.txt")
	if err != nil {
		panic(err)
	}
	r.english = wordSet(string(words))
	var pairs []string
	for name, list := range en.Groups {
		r.group[name] = wordSet(list)
		alt := list
		if !strings.Contains(list, "|") {
			alt = strings.Join(strings.Fields(list), "|")
		}
		pairs = append(pairs, "<"+name+">", "(?:"+alt+")")
	}
	for _, name := range []string{"things", "side", "read", "dets", "preps", "pastirreg", "aux", "lead", "stateword",
		"people", "approving", "yeswords", "sidedone"} {
		for w := range r.group[name] {
			r.english[w] = true
		}
	}
	groups := strings.NewReplacer(pairs...)
	compile := func(s string) *regexp.Regexp {
		return regexp.MustCompile(foldPattern(groups.Replace(s)))
	}
	all := func(list []string) (out []*regexp.Regexp) {
		for _, s := range list {
			out = append(out, compile(s))
		}
		return out
	}
	r.masks, r.guards, r.protect, r.imperatives = all(en.Masks), all(en.Guards), all(en.Protect), all(en.Imperatives)
	r.attributed, r.doNotAct = compile(en.Attributed), compile(en.DoNotAct)
	r.question, r.badQuestion = compile(en.Question), compile(en.BadQuestion)
	for name, s := range en.Unless {
		r.unless[name] = compile(s)
	}
	for _, p := range en.Hard {
		r.hard = append(r.hard, pattern{p.Why, p.Unless, compile(p.Re)})
	}
	for _, p := range en.Soft {
		r.soft = append(r.soft, pattern{p.Why, p.Unless, compile(p.Re)})
	}
	for _, p := range append(append([]pattern{}, r.hard...), r.soft...) {
		if p.unless != "" && r.unless[p.unless] == nil {
			panic("rules/en.yaml: no unless " + p.unless)
		}
	}
	r.negList = compile(en.Forms["neglist"])
	r.openLabel = compile(`^(?:` + strings.TrimSpace(en.Groups["openLabels"]) + `)$`)
	r.noun = compile(en.Forms["noun"])
	r.pronoun = compile(en.Forms["pronoun"])
	r.label = regexp.MustCompile(`^([a-z#][a-z0-9 ./#'-]{0,60}?) ?(?::|=+) ?([^/\s].*)$`)

	for _, l := range langs.Languages {
		lang := language{name: l.Name, alone: map[string]bool{}, harmless: all(l.Harmless)}
		for _, p := range strings.Split(l.Approve, "|") {
			if p = strings.Trim(fold(p), " ,"); p != "" {
				lang.approve = append(lang.approve, p)
			}
		}
		for _, p := range strings.Split(l.Alone, "|") {
			if p = fold(p); p != "" {
				lang.alone[p] = true
			}
		}
		r.languages = append(r.languages, lang)
	}
	for _, c := range signs.Quiet {
		r.quiet[c] = true
	}
	for _, s := range []string{"yes", "yeah", "yep", "yup", "ok", "okay", "go", "sure", "aye", "fine", "ja", "si", "oui",
		"da"} {
		r.spelled = append(r.spelled, stretch(s))
	}
	return r
})

func readRules(name string, into any) {
	b, err := ruleFiles.ReadFile(name)
	if err == nil {
		err = text.DecodeYAML(b, into)
	}
	if err != nil {
		panic(fmt.Sprintf("%s: %v", name, err))
	}
}

func wordSet(s string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(s) {
		set[w] = true
	}
	return set
}

// foldPattern folds the letters of a pattern that are not ASCII, since the lines that it meets are folded.
func foldPattern(s string) string {
	var b strings.Builder
	for _, r := range s {
		if r < 0x80 {
			b.WriteRune(r)
		} else {
			b.WriteString(fold(string(r)))
		}
	}
	return b.String()
}

// in says whether a word is in one of the named groups.
func (r *rules) in(w string, groups ...string) bool {
	for _, g := range groups {
		if r.group[g][w] {
			return true
		}
	}
	return false
}

// verb says whether an English word can be an order: its -ing and -ed forms are words too, or it is in the list of
// actions.
func (r *rules) verb(w string) bool {
	if r.in(w, "side") {
		return true
	}
	if !r.english[w] || len(w) < 3 {
		return false
	}
	stem := strings.TrimSuffix(w, "e")
	last := w[len(w)-1:]
	ing := r.english[w+"ing"] || r.english[stem+"ing"] || r.english[w+last+"ing"]
	ed := r.english[w+"ed"] || r.english[stem+"ed"] || r.english[w+last+"ed"] || strings.HasSuffix(w, "y") &&
		r.english[w[:len(w)-1]+"ied"]
	return ing && ed
}
