package audit

import (
	"regexp"
	"strings"
)

var findNewer = regexp.MustCompile(`^-newer[aBcm][aBcmt]$`)

// judgeFind judges a call of find: its expression, test by test; commands that it runs are judged as such.
func judgeFind(w *walker, c *invocation) verdict {
	v := read("")
	args := c.args
	safe := true // no start folder can make a name that begins with a dash
	for len(args) > 0 {
		a := args[0]
		args = args[1:]
		if a.dyn && (a.split || !a.safeOperand()) {
			v = v.worse(unknown("a word that is only known at run time may be an action of find: " + a.source()))
			continue
		}
		if a.dyn || a.text == "" || a.text[0] != '-' {
			// A start folder, or a bracket of the expression.
			continue
		}
		switch {
		case a.text == "-exec" || a.text == "-execdir" || a.text == "-ok" || a.text == "-okdir":
			var inner []arg
			inner, args = findCommand(args)
			if inner == nil {
				return v.worse(unknown("find " + a.text + " without an end"))
			}
			for _, i := range inner {
				if i.split || i.dyn && i.text == "" && !i.safe {
					v = v.atLeast(Unknown, "words that are only known at run time may end the command of find: "+i.source())
				}
			}
			if strings.HasPrefix(a.text, "-ok") {
				v = v.atLeast(Unknown, "find asks before it runs a command")
			}
			v = v.worse(w.command(substitute(inner, "{}", safe && a.text == "-exec"), stdin{kind: stdinData}, false))
			continue
		case findNewer.MatchString(a.text):
			if len(args) > 0 {
				if args[0].multi {
					v = v.worse(unknown("words that are only known at run time: " + args[0].source()))
				}
				args = args[1:]
			}
			continue
		}
		f := c.spec.flags.get(a.text)
		if f == nil {
			v = v.worse(unknown("the find test `" + a.text + "` is not known"))
			continue
		}
		switch f.class {
		case flagWrite:
			v = v.worse(write("find " + a.text))
		case flagUnknown:
			v = v.worse(unknown("find " + a.text))
		}
		if f.value == needsValue && len(args) > 0 {
			if args[0].split || args[0].glob && !args[0].safeOperand() {
				v = v.worse(unknown("words that are only known at run time: " + args[0].source()))
			}
			args = args[1:]
		}
	}
	return v
}

// findCommand takes the words of -exec up to its end.
func findCommand(args []arg) (inner, rest []arg) {
	for i, a := range args {
		if a.dyn {
			continue
		}
		if a.text == ";" || a.text == "+" && i > 0 && args[i-1].text == "{}" {
			return args[:i:i], args[i+1:]
		}
	}
	return nil, nil
}

// substitute marks the words that a placeholder makes dynamic. safe: what replaces it cannot begin with a dash.
func substitute(args []arg, placeholder string, safe bool) []arg {
	out := make([]arg, len(args))
	for i, a := range args {
		if head, _, found := strings.Cut(a.text, placeholder); found && placeholder != "" {
			a.text, a.dyn, a.leak = head, true, max(a.leak, leakUnknown)
			a.safe = safe && head == ""
		}
		out[i] = a
	}
	return out
}

// judgeFd judges a call of fd, which runs a command behind -x and -X.
func judgeFd(w *walker, c *invocation) verdict {
	for i, a := range c.args {
		first, found := fdExec(c.spec, a)
		if !found {
			continue
		}
		p := c.spec.options(c.args[:i], false)
		inner := append(first, c.args[i+1:]...)
		v := w.plain(c, p)
		for j, e := range inner {
			if e.text == ";" && !e.dyn {
				inner = inner[:j]
				v = v.worse(unknown("options of fd behind the command"))
				break
			}
		}
		return v.worse(w.command(fdWords(inner), stdin{}, false))
	}
	return w.plain(c, c.spec.options(c.args, false))
}

// fdExec says whether a word holds the option that a command follows, and what of the command is joined to it.
func fdExec(s *spec, a arg) (first []arg, found bool) {
	switch {
	case a.dyn || len(a.text) < 2 || a.text[0] != '-':
		return nil, false
	case a.text == "--exec" || a.text == "--exec-batch":
		return nil, true
	case strings.HasPrefix(a.text, "--"):
		name, value, joined := strings.Cut(a.text, "=")
		return []arg{literal(value)}, joined && (name == "--exec" || name == "--exec-batch")
	}
	for i := 1; i < len(a.text); i++ {
		if a.text[i] == 'x' || a.text[i] == 'X' {
			if rest := a.text[i+1:]; rest != "" {
				first = []arg{literal(rest)}
			}
			return first, true
		}
		if f := s.flags.get("-" + a.text[i:i+1]); f == nil || f.value == needsValue {
			return nil, false
		}
	}
	return nil, false
}

func fdWords(args []arg) []arg {
	found := false
	for _, a := range args {
		found = found || strings.Contains(a.text, "{")
	}
	out := substitute(args, "{", false)
	if !found {
		out = append(out, arg{dyn: true, split: true, multi: true, leak: leakUnknown, src: "{}"})
	}
	return out
}
