package audit

import (
	"regexp"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// expansions judges everything that runs while a word is expanded: substitutions, arithmetic, odd parameter operators.
func (w *walker) expansions(n syntax.Node) verdict {
	v := read("")
	if n == nil {
		return v
	}
	syntax.Walk(n, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CmdSubst:
			v = v.worse(w.substitution(n))
			return false
		case *syntax.ProcSubst:
			v = v.worse(w.inner(func() verdict { return w.stmts(n.Stmts, stdin{kind: stdinData}) }))
			return false
		case *syntax.ArithmExp:
			v = v.worse(w.arith(n.X))
			return false
		case *syntax.ParamExp:
			v = v.worse(w.paramEffects(n))
		case *syntax.ExtGlob:
			// The parser keeps the pattern as it stands; what is substituted in it runs all the same.
			v = v.worse(w.hidden(n.Pattern.Value))
		}
		return true
	})
	return v
}

// substitution judges the commands of a substitution. Within backquotes a first layer of backslashes is taken away
// before the text is read; where that could move a quote, the parser's view of it is not relied on.
func (w *walker) substitution(n *syntax.CmdSubst) verdict {
	v := w.inner(func() verdict { return w.stmts(n.Stmts, stdin{}) })
	if n.Backquotes && strings.Contains(w.text(n), `\\`) {
		v = v.atLeast(Unknown, "backslashes within backquotes")
	}
	return v
}

// paramEffects judges what a parameter expansion does besides giving a value.
func (w *walker) paramEffects(p *syntax.ParamExp) verdict {
	v := read("")
	switch {
	case p.GlobSubst == syntax.OptOn:
		v = unknown("a value is used as a pattern, which may run code in zsh")
	case p.Flags != nil:
		// zsh: `${(e)x}` runs substitutions in the value, `${(P)x}` and others look further.
		v = unknown("parameter expansion flags")
	case p.Excl && p.Names == 0 && !allOf(p.Index):
		v = unknown("an indirect expansion takes its name from a value")
	}
	for _, m := range p.Modifiers {
		if strings.HasPrefix(m.Value, "+") || strings.HasPrefix(m.Value, "s") {
			v = v.atLeast(Unknown, "an expansion modifier")
		}
	}
	if p.Exp != nil {
		switch p.Exp.Op {
		case syntax.OtherParamOps:
			if p.Exp.Word == nil || p.Exp.Word.Lit() == "P" || len(p.Exp.Word.Lit()) != 1 {
				v = v.atLeast(Unknown, "`@P` expands the value like a prompt, which runs substitutions")
			}
		case syntax.AssignUnset, syntax.AssignUnsetOrNull:
			if p.Param != nil {
				v = v.worse(w.r.env.assigned(p.Param.Value, false, arg{dyn: true}))
			}
		}
	}
	if p.Index != nil && !allOf(p.Index) {
		v = v.worse(w.subscript(p.Index))
	}
	if p.Slice != nil {
		for _, x := range []syntax.ArithmExpr{p.Slice.Offset, p.Slice.Length} {
			if x != nil {
				v = v.worse(w.arith(x))
			}
		}
	}
	return v
}

// allOf holds for the subscripts `@` and `*`.
func allOf(x syntax.ArithmExpr) bool {
	word, ok := x.(*syntax.Word)
	return ok && (word.Lit() == "@" || word.Lit() == "*")
}

// subscript judges an array subscript: arithmetic, unless the array is associative, which the line rarely tells.
func (w *walker) subscript(x syntax.ArithmExpr) verdict {
	if word, ok := x.(*syntax.Word); ok && len(word.Parts) == 1 {
		if q, ok := word.Parts[0].(*syntax.DblQuoted); ok && len(q.Parts) == 1 {
			if lit, ok := q.Parts[0].(*syntax.Lit); ok {
				return w.hidden(lit.Value)
			}
		}
	}
	return w.arith(x)
}

var nameRE = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

func isName(s string) bool { return nameRE.MatchString(s) }

// arith judges an arithmetic expression. Its operands are evaluated as text once more: a variable that holds
// `a[$(cmd)]` runs cmd.
func (w *walker) arith(x syntax.ArithmExpr) verdict {
	v := read("")
	if x == nil {
		return v
	}
	syntax.Walk(x, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CmdSubst:
			v = v.worse(w.substitution(n))
			if w.leakOf(n.Stmts) > leakFixed && !w.countsOnly(n.Stmts) {
				v = v.atLeast(Unknown, "arithmetic on the output of a command evaluates it as text")
			}
			return false
		case *syntax.ProcSubst:
			v = v.worse(w.inner(func() verdict { return w.stmts(n.Stmts, stdin{kind: stdinData}) }))
			return false
		case *syntax.Word:
			if text := quotedText(n); len(n.Parts) > 1 && subscripted.MatchString(text) {
				v = v.worse(w.hidden(text))
			}
		case *syntax.SglQuoted:
			if n.Dollar && ansiDiffers(n.Value) {
				v = v.atLeast(Unknown, "arithmetic on text that shells read differently")
			} else if n.Dollar {
				v = v.worse(w.hidden(decodeANSI(n.Value)))
			} else {
				v = v.worse(w.hidden(n.Value))
			}
		case *syntax.Lit:
			if w.tainted[n.Value] {
				v = v.atLeast(Unknown, "arithmetic on `"+n.Value+"`, whose text comes from outside and is evaluated")
			}
			if strings.Contains(n.Value, `\`) {
				v = v.atLeast(Unknown, "arithmetic with escaped text")
			}
		case *syntax.ParamExp:
			v = v.worse(w.paramEffects(n))
			if n.Param != nil && !n.Length && (w.tainted[n.Param.Value] || positional(n.Param.Value)) {
				v = v.atLeast(Unknown, "arithmetic on `"+n.Param.Value+"`, whose text comes from outside and is evaluated")
			}
		case *syntax.BinaryArithm:
			switch n.Op {
			case syntax.Assgn, syntax.AddAssgn, syntax.SubAssgn, syntax.MulAssgn, syntax.QuoAssgn, syntax.RemAssgn,
				syntax.AndAssgn,
				syntax.OrAssgn, syntax.XorAssgn, syntax.ShlAssgn, syntax.ShrAssgn, syntax.AndBoolAssgn, syntax.OrBoolAssgn,
				syntax.XorBoolAssgn, syntax.PowAssgn:
				if word, ok := n.X.(*syntax.Word); ok {
					v = v.worse(w.r.env.assigned(word.Lit(), false, arg{dyn: true}))
				}
			}
		case *syntax.UnaryArithm:
			if word, ok := n.X.(*syntax.Word); ok && (n.Op == syntax.Inc || n.Op == syntax.Dec) {
				v = v.worse(w.r.env.assigned(word.Lit(), false, arg{dyn: true}))
			}
		}
		return true
	})
	return v
}

// positional holds for the arguments of a script or function.
func positional(name string) bool {
	return name == "@" || name == "*" || allDigits(name) && name != "0"
}

// hidden judges text that the shell evaluates although it was quoted: substitutions in it run.
func (w *walker) hidden(text string) verdict {
	if !strings.ContainsAny(text, "$`") {
		return read("")
	}
	if !strings.Contains(text, "$(") && !strings.ContainsAny(text, "`") {
		return unknown("quoted text is evaluated once more")
	}
	v := w.document(text)
	return v.atLeast(Unknown, "quoted text that holds a substitution is evaluated")
}

// document judges the substitutions in a text.
func (w *walker) document(text string) (v verdict) {
	defer func() {
		if recover() != nil {
			v = unknown("the shell parser gave up")
		}
	}()
	if w.depth >= maxScripts || nesting(text) > maxNesting {
		return unknown("nested too deeply to be analysed")
	}
	word, err := syntax.NewParser(syntax.Variant(w.lang)).Document(strings.NewReader(text))
	if err != nil {
		return unknown("quoted text that does not parse")
	}
	if word == nil {
		return read("")
	}
	in := &walker{r: w.r, lang: w.lang, src: text, depth: w.depth + 1, steps: w.steps, scope: newScope()}
	in.survey(word)
	return in.expansions(word)
}

// hiddenText judges the quoted texts of the script that would run if arithmetic met them in a variable.
func (w *walker) hiddenText() verdict {
	v := read("")
	if w.arithUsed {
		for _, q := range w.quoted {
			v = v.worse(w.hidden(q))
		}
	}
	return v
}

// test judges a `[[ ]]` expression.
func (w *walker) test(x syntax.TestExpr) verdict {
	switch x := x.(type) {
	case nil:
		return read("")
	case *syntax.Word:
		return w.expansions(x)
	case *syntax.ParenTest:
		return w.test(x.X)
	case *syntax.UnaryTest:
		v := w.test(x.X)
		if word, ok := x.X.(*syntax.Word); ok && (x.Op == syntax.TsVarSet || x.Op == syntax.TsRefVar) {
			v = v.worse(w.operandName(w.one(word)))
		}
		return v
	case *syntax.BinaryTest:
		v := w.test(x.X).worse(w.test(x.Y))
		switch x.Op {
		case syntax.TsEql, syntax.TsNeq, syntax.TsLeq, syntax.TsGeq, syntax.TsLss, syntax.TsGtr:
			for _, side := range []syntax.TestExpr{x.X, x.Y} {
				if word, ok := side.(*syntax.Word); ok {
					v = v.worse(w.arith(word))
				}
			}
		}
		return v
	}
	return unknown("a test that is not analysed")
}

// operandName judges a word that names a variable: a subscript in it is evaluated.
func (w *walker) operandName(a arg) verdict {
	name, rest, sub := strings.Cut(a.text, "[")
	switch {
	case a.dyn:
		return unknown("a variable name that is only known at run time: " + a.source())
	case sub:
		return w.hidden(rest).worse(w.r.env.assigned(name, false, arg{dyn: true}))
	}
	return read("")
}
