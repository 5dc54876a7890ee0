package audit

import (
	"strings"

	"recovery/internal/text"

	"mvdan.cc/sh/v3/syntax"
)

// leak says what a dynamic word may carry into an operand: matters where operands leave the machine.
type leak int

const (
	leakNone    leak = iota // known text, or a value made of known text
	leakFixed               // the date, a commit id, a number
	leakUnknown             // a variable or the output of some command
	leakFiles               // the content of files
)

// arg is one word of a command as the shell hands it over, as far as the text alone tells.
type arg struct {
	text      string // the whole word; when dyn, the part in front that is known
	dyn       bool   // goes on, or may go on, with something only known at run time
	split     bool   // may become several words or none
	glob      bool   // a pattern: may become several words, each with the known beginning
	safe      bool   // dynamic, but known not to begin with a dash and to stay one word
	multi     bool   // split or glob
	afterDash bool   // stands behind `--`
	evalGlob  bool   // a glob qualifier of zsh that may run code
	leak      leak
	src       string // as written
}

// literal is an arg of known text.
func literal(s string) arg { return arg{text: s, src: s} }

// safeOperand holds for a dynamic word that cannot become an option.
func (a arg) safeOperand() bool {
	return !a.split && (a.safe || a.text != "" && a.text[0] != '-')
}

// source returns the word as it was written, cut to a length that fits a reason.
func (a arg) source() string {
	return text.CutBytes(a.src, 60, "...")
}

// maxBraces is how many words one brace expansion may grow to before it counts as unknown.
const maxBraces = 256

// args resolves the words of a command.
func (w *walker) args(list []*syntax.Word) []arg {
	out := make([]arg, 0, len(list))
	for _, word := range list {
		out = append(out, w.word(word)...)
	}
	return out
}

// word resolves one word: quotes and escapes are taken away, braces split.
func (w *walker) word(word *syntax.Word) []arg {
	src := w.text(word)
	if !strings.Contains(src, "{") || !syntax.SplitBraces(word) {
		return []arg{w.resolve(word.Parts, src)}
	}
	lists, ok := braces(word.Parts)
	if !ok {
		return []arg{{dyn: true, split: true, multi: true, leak: leakUnknown, src: src}}
	}
	out := make([]arg, len(lists))
	for i, parts := range lists {
		out[i] = w.resolve(parts, src)
	}
	return out
}

// one resolves a word that is not subject to brace expansion.
func (w *walker) one(word *syntax.Word) arg {
	if word == nil {
		return arg{}
	}
	return w.resolve(word.Parts, w.text(word))
}

// text returns the source of a node.
func (w *walker) text(n syntax.Node) string {
	from, to := n.Pos().Offset(), n.End().Offset()
	if from > to || int(to) > len(w.src) {
		return ""
	}
	return w.src[from:to]
}

// braces lists the words that a split word stands for.
func braces(parts []syntax.WordPart) ([][]syntax.WordPart, bool) {
	out := [][]syntax.WordPart{nil}
	for _, p := range parts {
		b, ok := p.(*syntax.BraceExp)
		if !ok {
			for i := range out {
				out[i] = append(out[i][:len(out[i]):len(out[i])], p)
			}
			continue
		}
		if b.Sequence {
			for i := range out {
				out[i] = append(out[i][:len(out[i]):len(out[i])], p)
			}
			continue
		}
		var next [][]syntax.WordPart
		for _, elem := range b.Elems {
			tails, ok := braces(elem.Parts)
			if !ok || len(out)*len(tails)+len(next) > maxBraces {
				return nil, false
			}
			for _, head := range out {
				for _, tail := range tails {
					next = append(next, append(head[:len(head):len(head)], tail...))
				}
			}
		}
		out = next
	}
	return out, true
}

// resolve puts the parts of a word together.
func (w *walker) resolve(parts []syntax.WordPart, src string) arg {
	a := arg{src: src}
	r := resolver{w: w, a: &a}
	for i, p := range parts {
		r.part(p, false, i == len(parts)-1)
	}
	a.text = r.b.String()
	a.multi = a.split || a.glob
	if a.dyn && !r.allSafe {
		a.safe = false
	}
	return a
}

// resolver builds one arg. Text is collected until the first part that is not known.
type resolver struct {
	w       *walker
	a       *arg
	b       strings.Builder
	allSafe bool
}

func (r *resolver) add(s string) {
	if !r.a.dyn {
		r.b.WriteString(s)
	}
}

// dynamic notes a part that is only known at run time.
func (r *resolver) dynamic(split bool, l leak) {
	if !r.a.dyn {
		r.allSafe = false
	}
	r.a.dyn = true
	r.a.split = r.a.split || split
	if l > r.a.leak {
		r.a.leak = l
	}
}

func (r *resolver) part(p syntax.WordPart, quoted, last bool) {
	switch p := p.(type) {
	case *syntax.Lit:
		if quoted {
			r.add(unescapeQuoted(p.Value))
		} else {
			r.lit(p.Value, last)
		}
	case *syntax.SglQuoted:
		if p.Dollar {
			if ansiDiffers(p.Value) {
				r.dynamic(false, leakNone)
				return
			}
			r.add(decodeANSI(p.Value))
		} else {
			r.add(p.Value)
		}
	case *syntax.DblQuoted:
		for _, q := range p.Parts {
			r.part(q, true, false)
		}
	case *syntax.ParamExp:
		r.param(p, quoted)
	case *syntax.CmdSubst:
		r.dynamic(!quoted, r.w.leakOf(p.Stmts))
	case *syntax.ArithmExp:
		r.dynamic(false, leakFixed)
	case *syntax.ProcSubst:
		r.add(procPath)
	case *syntax.ExtGlob:
		r.dynamic(false, leakNone)
		r.a.glob = true
		if evalQualifier(p.Pattern.Value) {
			r.a.evalGlob = true
		}
	case *syntax.BraceExp:
		first := !r.a.dyn && r.b.Len() == 0
		plain := p.Sequence
		for _, e := range p.Elems {
			plain = plain && isName("_"+e.Lit())
		}
		r.dynamic(!plain, leakNone)
		r.a.glob = true
		if first && plain {
			r.a.safe, r.allSafe = true, true
		}
	default: // a part that is new to this program
		r.dynamic(true, leakUnknown)
	}
}

// procPath stands for the descriptor that a process substitution becomes.
const procPath = "/dev/fd/63"

// lit adds unquoted text: backslashes quote, and a pattern makes the word dynamic.
func (r *resolver) lit(s string, last bool) {
	for i := 0; i < len(s); i++ {
		switch c := s[i]; c {
		case '\\':
			i++
			if i < len(s) && s[i] != '\n' {
				r.add(s[i : i+1])
			}
		case '*', '?':
			r.pattern()
		case '[':
			if strings.IndexByte(s[i:], ']') > 0 || !last {
				r.pattern()
			} else {
				r.add("[")
			}
		case '(':
			// zsh leaves glob qualifiers and alternatives in the literal.
			r.pattern()
			if evalQualifier(s[i:]) {
				r.a.evalGlob = true
			}
		default:
			r.add(s[i : i+1])
		}
	}
}

func (r *resolver) pattern() {
	r.dynamic(false, leakNone)
	r.a.glob = true
}

// param adds a variable: its value when the line itself set it and nothing else could, unknown otherwise.
func (r *resolver) param(p *syntax.ParamExp, quoted bool) {
	if p.Length {
		r.numeric()
		return
	}
	plain := p.Param != nil && p.Flags == nil && !p.Excl && !p.Width && !p.IsSet && p.Index == nil &&
		p.NestedParam == nil &&
		len(p.Modifiers) == 0 && p.Slice == nil && p.Repl == nil && p.Names == 0 && p.Exp == nil
	if p.Param == nil {
		r.dynamic(true, leakUnknown)
		return
	}
	name := p.Param.Value
	val, known := r.w.scope.vars[name]
	if known && (r.w.count[name] != 1 || shellSets[name]) {
		known = false
	}
	switch {
	case plain && (name == "#" || name == "?" || name == "$" || name == "!"):
		r.numeric()
	case !plain:
		l := leakUnknown
		if known && val.leak > l {
			l = val.leak
		}
		r.dynamic(!quoted || manyWords(p), l)
	case !known:
		r.dynamic(!quoted || name == "@" || name == "*", leakUnknown)
	case len(val.words) == 1 && (quoted || staysWhole(val.words[0])):
		r.add(val.words[0])
	case val.words != nil:
		r.oneOf(val.words, quoted)
	default:
		first := !r.a.dyn && r.b.Len() == 0
		r.dynamic(!quoted, val.leak)
		if first && val.safe && quoted {
			r.a.safe, r.allSafe = true, true
		}
	}
}

// shellSets are variables that builtins and the shells themselves set without being told so by name.
var shellSets = words(
	strings.Fields(`_ REPLY MAPFILE OPTARG OPTIND MATCH MBEGIN MEND match mbegin mend reply argv status pipestatus PWD
	OLDPWD SECONDS RANDOM SRANDOM LINENO FUNCNAME PIPESTATUS DIRSTACK dirstack GROUPS COPROC COPROC_PID BASH_REMATCH BASHPID HISTCMD
	EPOCHSECONDS EPOCHREALTIME COLUMNS LINES UID EUID GID EGID PPID USERNAME ERRNO TTYIDLE psvar`)).set()

// manyWords holds for expansions that become several words even in quotes.
func manyWords(p *syntax.ParamExp) bool {
	if p.Names != 0 || p.Excl || p.Flags != nil || p.Param.Value == "@" {
		return true
	}
	if word, ok := p.Index.(*syntax.Word); ok {
		return word.Lit() == "@" || word.Lit() == "*"
	}
	return p.Index != nil
}

// numeric adds a part that is a number without a sign.
func (r *resolver) numeric() {
	first := !r.a.dyn && r.b.Len() == 0
	r.dynamic(false, leakFixed)
	if first {
		r.a.safe, r.allSafe = true, true
	}
}

// oneOf adds a variable that has one of several known values.
func (r *resolver) oneOf(values []string, quoted bool) {
	safe, whole := true, true
	for _, v := range values {
		if v == "" || v[0] == '-' || v[0] == '+' {
			safe = false
		}
		if !staysWhole(v) {
			whole = false
		}
	}
	first := !r.a.dyn && r.b.Len() == 0
	r.dynamic(!quoted && !whole, leakNone)
	if first && safe {
		r.a.safe, r.allSafe = true, true
	}
}

// staysWhole holds for a value that an unquoted expansion leaves one word.
func staysWhole(s string) bool {
	return s != "" && !strings.ContainsAny(s, " \t\n*?[]\\~(){}")
}

// evalQualifier says whether glob qualifiers may run code: `e` with a string behind it, `+` with a command name.
func evalQualifier(s string) bool {
	if strings.Contains(s, "+") {
		return true
	}
	for i := 0; i < len(s); i++ {
		if s[i] != 'e' {
			continue
		}
		if i+1 >= len(s) {
			return false
		}
		if c := s[i+1]; !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '|' || c == ')' || c == '.' || c == '_' ||
			c == '-') {
			return true
		}
		// Letters can delimit too: without an alternative in it, the whole may be a qualifier.
		if !strings.Contains(s, "|") {
			return true
		}
	}
	return false
}
