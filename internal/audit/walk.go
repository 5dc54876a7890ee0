package audit

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// stmts judges a list of statements in order.
func (w *walker) stmts(list []*syntax.Stmt, in stdin) verdict {
	v := read("")
	for _, s := range list {
		v = v.worse(w.stmt(s, in))
	}
	return v
}

// stmt judges one statement with its redirections.
func (w *walker) stmt(s *syntax.Stmt, in stdin) verdict {
	if s == nil {
		return read("")
	}
	v, in := w.redirects(s.Redirs, in)
	if s.Cmd == nil {
		return v
	}
	if s.Background || s.Coprocess || s.Disown {
		return v.worse(w.inner(func() verdict { return w.cmd(s.Cmd, in) }))
	}
	return v.worse(w.cmd(s.Cmd, in))
}

// cmd judges a command of any kind.
func (w *walker) cmd(c syntax.Command, in stdin) verdict {
	if *w.steps--; *w.steps < 0 {
		return unknown("too many parts to be analysed")
	}
	switch c := c.(type) {
	case *syntax.CallExpr:
		return w.call(c, in)
	case *syntax.BinaryCmd:
		return w.binary(c, in)
	case *syntax.Block:
		return w.stmts(c.Stmts, in)
	case *syntax.Subshell:
		return w.inner(func() verdict { return w.stmts(c.Stmts, in) })
	case *syntax.IfClause:
		v := w.stmts(c.Cond, in)
		v = v.worse(w.inner(func() verdict { return w.stmts(c.Then, in) }))
		if c.Else != nil {
			v = v.worse(w.inner(func() verdict { return w.cmd(c.Else, in) }))
		}
		return v
	case *syntax.WhileClause:
		return w.inner(func() verdict { return w.stmts(c.Cond, in).worse(w.stmts(c.Do, in)) })
	case *syntax.ForClause:
		return w.forLoop(c, in)
	case *syntax.CaseClause:
		v := w.expansions(c.Word)
		for _, item := range c.Items {
			for _, p := range item.Patterns {
				v = v.worse(w.expansions(p))
			}
			v = v.worse(w.inner(func() verdict { return w.stmts(item.Stmts, in) }))
		}
		return v
	case *syntax.FuncDecl:
		return w.function(c)
	case *syntax.TimeClause:
		return w.stmt(c.Stmt, in)
	case *syntax.CoprocClause:
		v := read("")
		if c.Name != nil {
			v = w.expansions(c.Name)
		}
		return v.worse(w.inner(func() verdict { return w.stmt(c.Stmt, in) }))
	case *syntax.ArithmCmd:
		return w.arith(c.X)
	case *syntax.LetClause:
		v := read("")
		for _, x := range c.Exprs {
			v = v.worse(w.arith(x)).worse(w.letText(x))
		}
		return v
	case *syntax.TestClause:
		return w.test(c.X)
	case *syntax.DeclClause:
		return w.declare(c)
	default:
		return unknown("a shell construct that is not analysed")
	}
}

// letText judges an operand of let that is not written in the script at all.
func (w *walker) letText(x syntax.ArithmExpr) verdict {
	v := read("")
	syntax.Walk(x, func(n syntax.Node) bool {
		if p, ok := n.(*syntax.ParamExp); ok && p.Param != nil && !p.Length && isName(p.Param.Value) &&
			w.count[p.Param.Value] == 0 {
			v = unknown("arithmetic on `" + p.Param.Value + "`, which the line does not set")
		}
		return true
	})
	return v
}

// binary judges a pipeline or a list of `&&` and `||`.
func (w *walker) binary(c *syntax.BinaryCmd, in stdin) verdict {
	if c.Op != syntax.AndStmt && c.Op != syntax.OrStmt {
		v := w.inner(func() verdict { return w.stmt(c.X, in) })
		return v.worse(w.inner(func() verdict { return w.stmt(c.Y, w.output(c.X)) }))
	}
	// The list leans to the left; taken apart, so that what one part sets is known to the next.
	var parts []*syntax.BinaryCmd
	first := c.X
	parts = append(parts, c)
	for {
		b, ok := first.Cmd.(*syntax.BinaryCmd)
		if !ok || b.Op != syntax.AndStmt && b.Op != syntax.OrStmt || len(first.Redirs) > 0 || first.Background ||
			first.Negated {
			break
		}
		parts = append(parts, b)
		first = b.X
	}
	v := w.stmt(first, in)
	return v.worse(w.inner(func() verdict {
		v, certain := read(""), true
		for i := len(parts) - 1; i >= 0; i-- {
			certain = certain && parts[i].Op == syntax.AndStmt
			if certain {
				v = v.worse(w.stmt(parts[i].Y, in))
				continue
			}
			// Behind `||` nothing is known to have run.
			v = v.worse(w.inner(func() verdict { return w.stmt(parts[i].Y, in) }))
		}
		return v
	}))
}

// output says what a command hands to the next one of a pipeline: the text of a plain echo or printf, else data.
func (w *walker) output(s *syntax.Stmt) stdin {
	data := stdin{kind: stdinData}
	c, ok := s.Cmd.(*syntax.CallExpr)
	if ok && len(c.Args) > 0 && w.funcNames[plainText(c.Args[0])] {
		return data
	}
	if ok && len(c.Args) == 1 && len(s.Redirs) == 1 && len(c.Assigns) == 0 && plainText(c.Args[0]) == "cat" {
		if r := s.Redirs[0]; (r.Op == syntax.Hdoc || r.Op == syntax.DashHdoc) && r.N == nil {
			return w.hereDoc(r)
		}
		return data
	}
	if !ok || len(s.Redirs) > 0 || len(c.Args) == 0 || len(c.Assigns) > 0 {
		return data
	}
	args := w.args(c.Args)
	for _, a := range args {
		if a.dyn {
			return data
		}
	}
	switch args[0].text {
	case "echo":
		args = args[1:]
		for len(args) > 0 && args[0].text == "-n" {
			args = args[1:]
		}
		texts := make([]string, len(args))
		for i, a := range args {
			texts[i] = a.text
			// Some shells decode escapes here, others do not.
			if strings.Contains(a.text, `\`) || strings.HasPrefix(a.text, "-") {
				return data
			}
		}
		return stdin{stdinText, strings.Join(texts, " ") + "\n"}
	case "printf":
		if len(args) < 2 {
			return data
		}
		format := args[1].text
		if len(args) == 2 && !strings.ContainsAny(strings.ReplaceAll(format, `\n`, ""), `%\`) {
			return stdin{stdinText, strings.ReplaceAll(format, `\n`, "\n")}
		}
		if len(args) == 3 && (format == "%s" || format == `%s\n`) {
			return stdin{stdinText, args[2].text + "\n"}
		}
	}
	return data
}

// forLoop judges a loop over words or an arithmetic one.
func (w *walker) forLoop(c *syntax.ForClause, in stdin) verdict {
	v := read("")
	switch l := c.Loop.(type) {
	case *syntax.CStyleLoop:
		for _, x := range []syntax.ArithmExpr{l.Init, l.Cond, l.Post} {
			if x != nil {
				v = v.worse(w.arith(x))
			}
		}
		return v.worse(w.inner(func() verdict { return w.stmts(c.Do, in) }))
	case *syntax.WordIter:
		for _, word := range l.Items {
			v = v.worse(w.expansions(word))
		}
		v = v.worse(w.r.env.assigned(l.Name.Value, false, arg{dyn: true}))
		var val value
		known := l.InPos.IsValid() && !c.Select
		if known {
			val = listValue(w.args(l.Items))
		}
		return v.worse(w.inner(func() verdict {
			delete(w.scope.vars, l.Name.Value)
			if known {
				w.scope.vars[l.Name.Value] = val
			}
			return w.stmts(c.Do, in)
		}))
	}
	return unknown("a loop that is not analysed")
}

// listValue is the value of a loop variable.
func listValue(items []arg) value {
	val := value{words: []string{}, safe: true}
	for _, a := range items {
		if a.dyn {
			val.words = nil
			if !a.safeOperand() {
				val.safe = false
			}
		} else if a.text == "" || a.text[0] == '-' {
			val.safe = false
		}
		if val.words != nil {
			val.words = append(val.words, a.text)
		}
		val.leak = max(val.leak, a.leak)
	}
	return val
}

// function judges the body of a function where it is declared, and remembers the name.
func (w *walker) function(c *syntax.FuncDecl) verdict {
	outer := w.inFunc
	w.inFunc = true
	v := w.inner(func() verdict { return w.stmt(c.Body, stdin{kind: stdinData}) })
	w.inFunc = outer
	names := c.Names
	if c.Name != nil {
		names = append(names, c.Name)
	}
	for _, n := range names {
		w.scope.funcs[n.Value] = true
	}
	return v
}
