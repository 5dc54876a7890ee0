package audit

import (
	"errors"
	"regexp"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Limits: what goes beyond them is unknown. They are far above what anybody types, and keep a hostile line from costing
// more than a moment.
const (
	maxLine    = 64 << 10 // bytes of a command
	maxNesting = 200      // brackets, substitutions and quotes open at once, as an upper bound
	maxScripts = 12       // scripts within scripts: bash -c "bash -c ..."
	maxWrapped = 50       // wrappers around one command
	maxSteps   = 20000    // commands judged, wrappers and inner scripts included
)

// Shell judges one shell command line: what a Bash tool call holds in `command`. It is read as bash and as zsh, and the
// worse answer counts.
func (r *Rules) Shell(line string) Judgement {
	v := r.shell(line)
	return Judgement{Class: v.class, Reason: v.reason, Network: v.network, Summary: line}
}

func (r *Rules) shell(line string) verdict {
	switch {
	case len(line) > maxLine:
		return unknown("too long to be analysed")
	case strings.ContainsRune(line, 0):
		return unknown("holds a NUL byte")
	case strings.Contains(line, "\r"):
		return unknown("holds a carriage return, which shells read as a part of a word")
	}
	steps := maxSteps
	v := r.script(line, syntax.LangBash, 0, &steps)
	if v.class == Write {
		return v
	}
	z := r.script(line, syntax.LangZsh, 0, &steps)
	if z.class.rank() > v.class.rank() {
		z.reason = "as zsh: " + z.reason
	}
	v = v.worse(z)
	if v.reason == "" {
		v.reason = "nothing that writes"
	}
	return v
}

// script judges a text as a script of one shell.
func (r *Rules) script(text string, lang syntax.LangVariant, depth int, steps *int) (v verdict) {
	switch {
	case depth > maxScripts:
		return unknown("scripts within scripts, too deep to be analysed")
	case len(text) > maxLine || nesting(text) > maxNesting:
		return unknown("nested too deeply to be analysed")
	}
	// The parser is told apart from its input by nothing but its own care: a panic in it is an answer too.
	defer func() {
		if recover() != nil {
			v = unknown("the shell parser gave up")
		}
	}()
	f, err := syntax.NewParser(syntax.Variant(lang)).Parse(strings.NewReader(text), "")
	var foreign syntax.LangError
	if lang == syntax.LangZsh && errors.As(err, &foreign) && !zshOnly.MatchString(text) {
		// zsh has no such construct and stops there; what stands in front of it is the same in both shells.
		return read("")
	}
	if err != nil {
		return unknown("does not parse: " + firstLine(err.Error()))
	}
	w := &walker{r: r, lang: lang, src: text, depth: depth, steps: steps, scope: newScope()}
	w.survey(f)
	return w.stmts(f.Stmts, stdin{}).worse(w.hiddenText())
}

// zshOnly matches what only zsh gives a meaning that bash does not: value options of expansions, process substitution
// into a file, forced redirections.
var zshOnly = regexp.MustCompile(`\$\{?[~=^]|=\(|>&?!|>>?\|!`)

// nesting is an upper bound of how deep the constructs of a text are nested, found without parsing: the parser itself
// recurses.
func nesting(s string) int {
	depth, most, ticks, words := 0, 0, 0, 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '(', '{', '[':
			depth++
			most = max(most, depth)
		case ')', '}', ']':
			if depth > 0 {
				depth--
			}
		case '`':
			ticks++
		case 'i', 'w', 'u', 'f', 'c', '!', 's', 'b', '<', 't':
			// The start of a compound command: nested without any bracket.
			if i == 0 || strings.IndexByte(" \t\n;&|", s[i-1]) >= 0 {
				for _, k := range []string{"if", "while", "until", "for", "case", "!", "select", "time", "coproc"} {
					if strings.HasPrefix(s[i:], k) {
						words++
						break
					}
				}
			}
		}
	}
	return max(most, words/2, ticks/4)
}

func firstLine(s string) string {
	s, _, _ = strings.Cut(s, "\n")
	return s
}

// stdin says what a command reads from its standard input.
type stdin struct {
	kind stdinKind
	text string
}

type stdinKind int

const (
	stdinInherited stdinKind = iota
	stdinNull
	stdinText // known text
	stdinData // a file or the output of a command
)

// scope is what the shell knows at one point: variables with their values and functions.
type scope struct {
	vars  map[string]value
	funcs map[string]bool
}

func newScope() *scope { return &scope{map[string]value{}, map[string]bool{}} }

func (s *scope) copy() *scope {
	c := newScope()
	for k, v := range s.vars {
		c.vars[k] = v
	}
	for k := range s.funcs {
		c.funcs[k] = true
	}
	return c
}

// value is what a variable holds.
type value struct {
	words []string // one of these, when not nil
	safe  bool     // not known, but does not begin with a dash
	leak  leak
}

// walker judges one script.
type walker struct {
	r       *Rules
	lang    syntax.LangVariant
	src     string
	depth   int
	steps   *int
	scope   *scope
	wrapped int // commands being judged, one within the other

	// Found by survey before anything is judged.
	count     map[string]int  // how often a variable is set; more than once: its value is not followed
	later     map[string]bool // functions that the script defines somewhere at its top
	funcNames map[string]bool // functions, wherever they are declared
	integer   map[string]bool // variables declared as numbers: what they are set to is evaluated
	tainted   map[string]bool // variables that may hold text from outside
	quoted    []string        // quoted texts that hold a subscript with a substitution
	lastFunc  uint            // where the last of them ends
	firstCall uint            // where one of them is first called
	arithUsed bool
	unsets    bool // functions may be taken away again
	inFunc    bool
}

// inner judges something in a scope of its own: what it sets is not seen outside.
func (w *walker) inner(f func() verdict) verdict {
	outer := w.scope
	w.scope = outer.copy()
	defer func() { w.scope = outer }()
	return f()
}
