package audit

import (
	"path"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// envRules say which variables change what runs.
type envRules struct {
	Safe    words             `yaml:"safe"`
	Values  map[string]string `yaml:"values"`
	Special words             `yaml:"special"`
	Fixed   words             `yaml:"fixed"`
	Readers words             `yaml:"readers"`

	fixed, readers map[string]bool
	values         map[string]map[string]bool
}

func (e *envRules) compile() {
	e.fixed, e.readers = e.Fixed.set(), e.Readers.set()
	e.values = map[string]map[string]bool{}
	for name, list := range e.Values {
		e.values[name] = map[string]bool{}
		for _, v := range strings.Fields(list) {
			if v == "''" {
				v = ""
			}
			e.values[name][v] = true
		}
	}
}

// assigned judges one variable that is set; exported: in front of a command or by export.
func (e *envRules) assigned(name string, exported bool, val arg) verdict {
	switch {
	case matchesPatterns(e.Safe, name):
		return read("")
	case !val.dyn && e.values[name][val.text]:
		return read("")
	case name == "IFS" && !exported && !val.dyn && val.src != "" && strings.Trim(val.text, " \t\n") == "":
		return read("") // splits at blanks, or at fewer of them
	case exported:
		return unknown("the variable " + name + " may change what a command does")
	case matchesPatterns(e.Special, name):
		return unknown("setting " + name + " changes what commands do")
	}
	return read("")
}

func matchesPatterns(patterns []string, s string) bool {
	for _, p := range patterns {
		if p == s {
			return true
		}
		if strings.IndexByte(p, '*') >= 0 {
			if ok, err := path.Match(p, s); err == nil && ok {
				return true
			}
		}
	}
	return false
}

// assignment judges `name=value`, in a command of its own or in front of one.
func (w *walker) assignment(a *syntax.Assign, exported bool) verdict {
	v := read("")
	if a.Index != nil {
		v = v.worse(w.subscript(a.Index))
	}
	if a.Array != nil {
		for _, e := range a.Array.Elems {
			if e.Index != nil {
				v = v.worse(w.subscript(e.Index))
			}
			if e.Value != nil {
				v = v.worse(w.expansions(e.Value))
			}
		}
	}
	var val arg
	if a.Value != nil {
		v = v.worse(w.expansions(a.Value))
		val = w.one(a.Value)
	}
	if a.Name == nil {
		return v.atLeast(Unknown, "an assignment whose name is not known")
	}
	if a.Array != nil || a.Append {
		val.dyn = true
	}
	if w.integer[a.Name.Value] && a.Value != nil {
		v = v.worse(w.arith(a.Value))
	}
	v = v.worse(w.r.env.assigned(a.Name.Value, exported, val))
	if !exported {
		w.remember(a, val)
	}
	return v
}

// remember follows the value of a variable that the script sets once.
func (w *walker) remember(a *syntax.Assign, val arg) {
	name := a.Name.Value
	delete(w.scope.vars, name)
	if a.Index != nil || a.Array != nil || a.Append {
		return
	}
	switch {
	case a.Value == nil:
		w.scope.vars[name] = value{words: []string{""}}
	case !val.dyn:
		w.scope.vars[name] = value{words: []string{val.text}}
	case val.glob:
		// No pathname expansion happens here, but the value is a pattern where it is used unquoted.
	default:
		w.scope.vars[name] = value{safe: val.safe || val.text != "" && val.text[0] != '-', leak: val.leak}
	}
}

// declare judges declare, typeset, local, export and readonly.
func (w *walker) declare(c *syntax.DeclClause) verdict {
	v := read("")
	exported := c.Variant.Value == "export"
	plain := c.Variant.Value == "local" || c.Variant.Value == "readonly"
	for _, a := range c.Args {
		if a.Name != nil || a.Value == nil {
			continue
		}
		flag := w.one(a.Value)
		switch {
		case flag.dyn:
			v = v.atLeast(Unknown, "a declaration that is only known at run time: "+flag.source())
		case strings.HasPrefix(flag.text, "-"), strings.HasPrefix(flag.text, "+"):
			if strings.Contains(flag.text, "n") && !exported {
				v = v.atLeast(Unknown, "a reference to another variable")
			}
			if !plain && flag.text[0] == '-' {
				exported = exported || strings.Contains(flag.text, "x")
			}
		}
	}
	if c.Variant.Value == "nameref" {
		v = unknown("a reference to another variable")
	}
	for _, a := range c.Args {
		switch {
		case a.Name == nil && a.Value != nil:
			v = v.worse(w.expansions(a.Value))
			v = v.worse(w.declared(w.one(a.Value), exported))
		case a.Naked:
			if a.Index != nil {
				v = v.worse(w.subscript(a.Index))
			}
			if exported && a.Name != nil {
				v = v.worse(w.r.env.assigned(a.Name.Value, true, arg{dyn: true}))
			}
		default:
			v = v.worse(w.assignment(a, exported))
			if exported && a.Name != nil {
				w.remember(a, w.one(a.Value))
			}
			if a.Value != nil {
				v = v.worse(w.hiddenIn(a.Value))
			}
		}
	}
	return v
}

// hiddenIn judges quoted text in a value that a declaration may evaluate as a number.
func (w *walker) hiddenIn(value *syntax.Word) verdict {
	if a := w.one(value); !a.dyn && subscripted.MatchString(a.text) {
		return w.hidden(a.text)
	}
	return read("")
}

// declared judges an operand of a declaration that was quoted: `declare 'a[$(cmd)]=1'`.
func (w *walker) declared(a arg, exported bool) verdict {
	if strings.HasPrefix(a.text, "-") || strings.HasPrefix(a.text, "+") {
		return read("")
	}
	name, val, _ := strings.Cut(a.text, "=")
	name, sub, _ := strings.Cut(name, "[")
	v := read("")
	if a.dyn {
		v = unknown("a declaration that is only known at run time: " + a.source())
	}
	v = v.worse(w.hidden(sub))
	if strings.ContainsAny(a.text, "[") {
		v = v.worse(w.hidden(a.text))
	}
	return v.worse(w.r.env.assigned(name, exported, literal(val)))
}
