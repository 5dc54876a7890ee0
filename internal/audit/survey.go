package audit

import (
	"regexp"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// subscripted matches quoted text that runs a command when arithmetic evaluates it.
var subscripted = regexp.MustCompile("\\[[^\\]]*(\\$\\(|`|\\$\\{)")

// setters are builtins that set the variables they are given.
var setters = map[string]bool{"read": true, "mapfile": true, "readarray": true, "printf": true, "getopts": true,
	"unset": true,
	"let":   true, "declare": true, "typeset": true, "local": true, "export": true, "readonly": true, "integer": true,
	"float": true,
	"vared": true, "print": true, "zparseopts": true, "set": true, "wait": true, "coproc": true, "repeat": true,
	"zstyle":  true,
	"sysread": true, "zstat": true, "strftime": true, "private": true}

// survey walks the whole script once, before anything is judged, for facts that do not depend on the order: how often a
// variable is set, which functions there are, whether arithmetic is used.
func (w *walker) survey(root syntax.Node) {
	w.count, w.later, w.tainted = map[string]int{}, map[string]bool{}, map[string]bool{}
	w.funcNames, w.integer = map[string]bool{}, map[string]bool{}
	many := false
	syntax.Walk(root, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Assign:
			w.surveyAssign(n)
		case *syntax.DeclClause:
			w.surveyDeclare(n)
		case *syntax.WordIter:
			w.count[n.Name.Value]++
			for _, item := range n.Items {
				w.taint(n.Name.Value, item)
			}
		case *syntax.Redirect:
			if n.N != nil && strings.HasPrefix(n.N.Value, "{") {
				w.count[strings.Trim(n.N.Value, "{}")] += 2
			}
		case *syntax.ParamExp:
			if n.Exp != nil && n.Param != nil && (n.Exp.Op == syntax.AssignUnset || n.Exp.Op == syntax.AssignUnsetOrNull) {
				w.count[n.Param.Value] += 2
			}
		case *syntax.File:
			w.surveyFunctions(n.Stmts)
			w.surveyFirstCall(n.Stmts)
		case *syntax.ArithmExp, *syntax.ArithmCmd, *syntax.LetClause, *syntax.CStyleLoop:
			w.arithUsed = true
		case *syntax.BinaryTest:
			switch n.Op {
			case syntax.TsEql, syntax.TsNeq, syntax.TsLeq, syntax.TsGeq, syntax.TsLss, syntax.TsGtr:
				w.arithUsed = true
			}
		case *syntax.BinaryArithm:
			if word, ok := n.X.(*syntax.Word); ok && isName(word.Lit()) {
				switch n.Op.String() {
				case "==", "!=", "<=", ">=":
				default:
					if strings.HasSuffix(n.Op.String(), "=") {
						w.count[word.Lit()] += 2
					}
				}
			}
		case *syntax.UnaryArithm:
			if word, ok := n.X.(*syntax.Word); ok && (n.Op == syntax.Inc || n.Op == syntax.Dec) {
				w.count[word.Lit()] += 2
			}
		case *syntax.Word:
			// Taken as a whole: a subscript may be put together from differently quoted parts.
			if text := quotedText(n); subscripted.MatchString(text) {
				w.quoted = append(w.quoted, text)
			}
		case *syntax.FuncDecl:
			w.noteFunctions(n)
		case *syntax.CallExpr:
			many = w.surveyCall(n) || many
		}
		return true
	})
	if many {
		// Code that is not seen here may set any of them.
		for name := range w.count {
			w.count[name] += 2
		}
	}
}

// surveyFunctions notes the functions that a script defines for certain: at its top, not in a branch or a subshell.
func (w *walker) surveyFunctions(stmts []*syntax.Stmt) {
	for _, s := range stmts {
		switch c := s.Cmd.(type) {
		case *syntax.Block:
			w.surveyFunctions(c.Stmts)
		case *syntax.FuncDecl:
			if c.Name != nil {
				w.later[c.Name.Value] = true
			}
			for _, name := range c.Names {
				w.later[name.Value] = true
			}
			w.lastFunc = s.End().Offset()
		}
	}
}

// noteFunctions notes every function of the script, wherever it is declared: the name no longer stands for the command.
func (w *walker) noteFunctions(n *syntax.FuncDecl) {
	if n.Name != nil {
		w.funcNames[n.Name.Value] = true
	}
	for _, name := range n.Names {
		w.funcNames[name.Value] = true
	}
}

// surveyFirstCall finds where the script first calls one of its functions, bodies of functions aside.
func (w *walker) surveyFirstCall(stmts []*syntax.Stmt) {
	w.firstCall = uint(len(w.src)) + 1
	for _, s := range stmts {
		syntax.Walk(s, func(n syntax.Node) bool {
			switch n := n.(type) {
			case *syntax.FuncDecl:
				return false
			case *syntax.CallExpr:
				for _, word := range n.Args {
					if name := plainText(word); name == "" || w.later[name] {
						w.firstCall = min(w.firstCall, n.Pos().Offset())
					}
				}
			}
			return true
		})
	}
}

// surveyDeclare notes the names that a declaration changes beyond setting them: flags like -u change the value.
func (w *walker) surveyDeclare(n *syntax.DeclClause) {
	flags, number := false, false
	for _, a := range n.Args {
		if a.Name == nil {
			flags = true
			number = number || a.Value != nil && strings.ContainsAny(plainText(a.Value), "iEF")
		}
	}
	for _, a := range n.Args {
		if a.Name != nil && number {
			w.integer[a.Name.Value] = true
		}
		if a.Name != nil && (flags || a.Naked) {
			w.count[a.Name.Value] += 2
		}
	}
	w.arithUsed = w.arithUsed || flags
}

func (w *walker) surveyAssign(a *syntax.Assign) {
	if a.Name == nil {
		return
	}
	w.count[a.Name.Value]++
	if a.Append || a.Index != nil || a.Array != nil {
		w.count[a.Name.Value] += 2
	}
	if a.Index != nil {
		w.arithUsed = true
	}
	if a.Value != nil {
		w.taint(a.Name.Value, a.Value)
	}
	if a.Array != nil {
		for _, e := range a.Array.Elems {
			if e.Value != nil {
				w.taint(a.Name.Value, e.Value)
			}
			if e.Index != nil {
				w.arithUsed = true
			}
		}
	}
}

// taint marks a variable whose value is text that the line does not show.
func (w *walker) taint(name string, value *syntax.Word) {
	if strings.ContainsAny(quotedText(value), "$`") {
		w.tainted[name] = true // text that arithmetic would run, or a part of one
	}
	syntax.Walk(value, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CmdSubst:
			if w.leakOf(n.Stmts) > leakFixed && !w.countsOnly(n.Stmts) {
				w.tainted[name] = true
			}
			return false
		case *syntax.ArithmExp:
			return false
		case *syntax.ParamExp:
			if n.Param != nil && !n.Length && w.tainted[n.Param.Value] {
				w.tainted[name] = true
			}
		}
		return true
	})
}

// surveyCall notes what a builtin sets, and says whether a command may set any variable at all.
func (w *walker) surveyCall(c *syntax.CallExpr) bool {
	sets := false
	for i, word := range c.Args {
		name := plainText(word)
		if i == 0 && name == "" || strings.Contains(name, "{") {
			return true
		}
		// Not only in front: wrappers may stand before them, any number of them.
		if name == "eval" || name == "source" || name == "." || name == "trap" || name == "fc" || name == "alias" {
			return true
		}
		if setters[name] {
			sets = true
			if name == "let" {
				w.arithUsed = true
			}
			if name == "unset" {
				w.unsets = true
			}
		}
	}
	if !sets {
		return false
	}
	integer := plainText(c.Args[0]) == "integer" || plainText(c.Args[0]) == "float"
	for _, word := range c.Args {
		for _, name := range namesSet(plainText(word)) {
			w.count[name] += 2
			w.tainted[name] = true
			w.integer[name] = w.integer[name] || integer
		}
	}
	return false
}

// namesSet lists the names that a word given to a setting builtin may set: `x`, `x=1`, `x[0]`, `x?prompt`, and what is
// joined to an option, as in `-vx`.
func namesSet(text string) []string {
	if !strings.HasPrefix(text, "-") {
		if end := strings.IndexAny(text, "=[?"); end >= 0 {
			text = text[:end]
		}
		if isName(text) {
			return []string{text}
		}
		return nil
	}
	var out []string
	for i := 2; i < len(text); i++ {
		if isName(text[i:]) {
			out = append(out, text[i:])
		}
	}
	return out
}

// quotedText puts together what is quoted or escaped in a word; of what expands to something nothing is known.
func quotedText(word *syntax.Word) string {
	var b strings.Builder
	for _, p := range word.Parts {
		switch p := p.(type) {
		case *syntax.Lit:
			b.WriteString(strings.ReplaceAll(p.Value, `\`, ""))
		case *syntax.SglQuoted:
			if p.Dollar && ansiDiffers(p.Value) {
				b.WriteString("[$(") // may be anything
			} else if p.Dollar {
				b.WriteString(decodeANSI(p.Value))
			} else {
				b.WriteString(p.Value)
			}
		case *syntax.DblQuoted:
			for _, q := range p.Parts {
				if lit, ok := q.(*syntax.Lit); ok {
					b.WriteString(unescapeQuoted(lit.Value))
				}
			}
		}
	}
	return b.String()
}

// plainText returns a word without quotes and expansions, or nothing.
func plainText(word *syntax.Word) string {
	var b strings.Builder
	for _, p := range word.Parts {
		switch p := p.(type) {
		case *syntax.Lit:
			b.WriteString(strings.ReplaceAll(p.Value, `\`, ""))
		case *syntax.SglQuoted:
			if p.Dollar && ansiDiffers(p.Value) {
				return ""
			} else if p.Dollar {
				b.WriteString(decodeANSI(p.Value))
			} else {
				b.WriteString(p.Value)
			}
		case *syntax.DblQuoted:
			for _, q := range p.Parts {
				lit, ok := q.(*syntax.Lit)
				if !ok {
					return ""
				}
				b.WriteString(lit.Value)
			}
		default:
			return ""
		}
	}
	return b.String()
}
