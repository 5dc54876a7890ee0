package audit

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// leakOf says what the output of a substitution may carry.
func (w *walker) leakOf(stmts []*syntax.Stmt) leak {
	l := leakFixed
	for _, s := range stmts {
		syntax.Walk(s, func(n syntax.Node) bool {
			switch n := n.(type) {
			case *syntax.Redirect:
				if n.Op == syntax.RdrIn {
					l = leakFiles
				}
			case *syntax.ParamExp:
				l = max(l, leakUnknown)
			case *syntax.CallExpr:
				if len(n.Args) > 0 {
					l = max(l, w.leakOfCall(n))
				}
			case *syntax.DeclClause:
				l = leakFiles
			}
			return true
		})
	}
	return l
}

func (w *walker) leakOfCall(c *syntax.CallExpr) leak {
	for i, word := range c.Args {
		name := plainText(word)
		if i == 0 && w.funcNames[name] {
			return leakFiles // a function: its name says nothing
		}
		if i == 0 && w.r.env.fixed[name] {
			return leakFixed
		}
		if w.r.env.readers[name] {
			return leakFiles
		}
		if i == 0 && name == "git" && len(c.Args) > 1 {
			for _, a := range c.Args[2:] {
				if text := plainText(a); strings.HasPrefix(text, "--format") || strings.HasPrefix(text, "--pretty") {
					return leakFiles
				}
			}
			switch plainText(c.Args[1]) {
			case "rev-parse", "branch", "describe", "merge-base", "symbolic-ref", "rev-list":
				return leakFixed
			case "show", "diff", "log", "cat-file", "grep", "blame", "config":
				return leakFiles
			}
		}
	}
	return leakUnknown
}

// countsOnly holds for a substitution whose output is a number.
func (w *walker) countsOnly(stmts []*syntax.Stmt) bool {
	if len(stmts) != 1 {
		return false
	}
	s := stmts[0]
	for {
		b, ok := s.Cmd.(*syntax.BinaryCmd)
		if !ok {
			break
		}
		if b.Op != syntax.Pipe {
			return false
		}
		s = b.Y
		// `wc -l | tr -d ' '`: taking characters away leaves a number a number.
		if c, ok := b.Y.Cmd.(*syntax.CallExpr); ok && len(c.Args) == 3 && plainText(c.Args[0]) == "tr" &&
			plainText(c.Args[1]) == "-d" {
			s = b.X
		}
	}
	c, ok := s.Cmd.(*syntax.CallExpr)
	if !ok || len(c.Args) == 0 || w.funcNames[plainText(c.Args[0])] {
		return false
	}
	switch plainText(c.Args[0]) {
	case "wc", "nproc", "date", "expr":
		// wc names its files: a name could be a subscript.
		return len(c.Args) <= 2 || plainText(c.Args[0]) != "wc"
	case "stat":
		return len(c.Args) == 4 && len(plainText(c.Args[2])) == 2 && strings.Contains("%s%z%Y%m%X%Z", plainText(c.Args[2]))
	case "grep":
		return len(c.Args) > 1 && plainText(c.Args[1]) == "-c" && len(c.Args) <= 4
	}
	return false
}
