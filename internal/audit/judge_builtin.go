package audit

import "strings"

// judgeTest judges test and [: -v takes a name, whose subscript is evaluated.
func judgeTest(w *walker, c *invocation) verdict {
	v := read("tests")
	for i, a := range c.args {
		if (a.text == "-v" || a.text == "-R") && !a.dyn && i+1 < len(c.args) {
			v = v.worse(w.operandName(c.args[i+1]))
		}
	}
	return v.worse(zshNumbers(w, c.args))
}

// zshNumbers judges operands that zsh evaluates where it wants a number.
func zshNumbers(w *walker, args []arg) verdict {
	v := read("")
	for _, a := range args {
		if subscripted.MatchString(a.text) {
			v = v.worse(w.hidden(a.text)).atLeast(Unknown, "arithmetic on text with a subscript")
		}
	}
	return v
}

// judgePrintf judges printf of the shell: -v sets a variable.
func judgePrintf(w *walker, c *invocation) verdict {
	v := read("prints")
	if len(c.args) > 1 && strings.Contains(c.args[0].text, "%") {
		v = v.worse(zshNumbers(w, c.args[1:]))
	}
	if len(c.args) == 0 || !strings.HasPrefix(c.args[0].text, "-v") {
		return v
	}
	name := c.args[0]
	name.text = name.text[2:]
	if name.text == "" && !name.dyn {
		if len(c.args) < 2 {
			return v
		}
		name = c.args[1]
	}
	v = v.worse(w.operandName(name))
	n, _, _ := strings.Cut(name.text, "[")
	return v.worse(w.r.env.assigned(n, false, arg{dyn: true}))
}

// judgeNames judges builtins whose operands name variables that they set: read, mapfile, getopts, let.
func judgeNames(w *walker, c *invocation) verdict {
	p := c.spec.options(c.args, false)
	v := p.v
	for _, o := range p.options {
		if (o.name == "-a" || o.name == "-A" || o.name == "-p") && o.given && c.name != "mapfile" && c.name != "readarray" {
			if o.name != "-p" {
				v = v.worse(w.setsName(o.value))
			}
		}
	}
	for _, a := range p.operands {
		if c.name == "unset" && !a.dyn {
			// Taking a variable away evaluates no subscript, but it may be one that commands look at.
			name, _, _ := strings.Cut(a.text, "[")
			v = v.worse(w.r.env.assigned(name, false, arg{dyn: true}))
			continue
		}
		if c.name == "let" {
			if a.dyn {
				return v.worse(unknown("arithmetic on text that is only known at run time: " + a.source()))
			}
			v = v.worse(w.hidden(a.text))
			a.text = strings.TrimLeft(a.text, "+- (")
			if i := strings.IndexAny(a.text, "=+-*/%<>&|^ ,)"); i >= 0 {
				a.text = a.text[:i]
			}
		}
		v = v.worse(w.setsName(a))
	}
	return v
}

// judgeNumber judges builtins that take a number: zsh evaluates it as arithmetic.
func judgeNumber(w *walker, c *invocation) verdict {
	v := read("")
	for _, a := range c.args {
		if strings.Contains(a.text, "[") {
			v = v.worse(w.hidden(a.text)).atLeast(Unknown, "arithmetic on text with a subscript")
		}
	}
	return v
}

// setsName judges a word that names a variable which is set.
func (w *walker) setsName(a arg) verdict {
	name, _, _ := strings.Cut(a.text, "[")
	name, _, _ = strings.Cut(name, "?") // zsh: name?prompt
	return w.operandName(a).worse(w.r.env.assigned(name, false, arg{dyn: true}))
}

// judgeDeclareWords judges declare, export and their like where they stand behind a wrapper such as builtin.
func judgeDeclareWords(w *walker, c *invocation) verdict {
	v := read("sets variables")
	exported := c.name == "export"
	for _, a := range c.args {
		if strings.HasPrefix(a.text, "-") && !a.dyn {
			exported = exported || strings.Contains(a.text, "x")
			if strings.Contains(a.text, "n") {
				v = v.atLeast(Unknown, "a reference to another variable")
			}
		}
	}
	for _, a := range c.args {
		v = v.worse(w.declared(a, exported))
	}
	return v
}

// judgeSet judges set: options of the shell that change what later commands do are unknown.
func judgeSet(w *walker, c *invocation) verdict {
	v := read("sets options of the shell")
	for i, a := range c.args {
		if a.text == "--" && !a.dyn {
			break
		}
		switch {
		case a.dyn && !a.safeOperand():
			v = v.worse(unknown("options that are only known at run time: " + a.source()))
		case strings.HasPrefix(a.text, "-") || strings.HasPrefix(a.text, "+"):
			if strings.Trim(a.text[1:], "eufxvnohBCEHTbmPp") != "" {
				v = v.worse(unknown("the option `" + a.text + "` changes what later commands do"))
			}
		case i > 0 && strings.HasSuffix(c.args[i-1].text, "o"):
			switch a.text {
			case "pipefail", "errexit", "nounset", "xtrace", "verbose", "noglob", "noclobber", "errtrace", "functrace",
				"nullglob", "posix", "noexec", "extendedglob", "shwordsplit":
			default:
				v = v.worse(unknown("the option `" + a.text + "` changes what later commands do"))
			}
		}
	}
	return v
}

// judgeAlias judges alias: a definition is unknown at best, since a later line may run it.
func judgeAlias(w *walker, c *invocation) verdict {
	v := read("lists aliases")
	for _, a := range c.args {
		if a.dyn {
			return unknown("an alias that is only known at run time: " + a.source())
		}
		if name, text, defines := strings.Cut(a.text, "="); defines && name != "" {
			v = v.worse(w.nested(text, w.lang)).atLeast(Unknown, "defines the alias `"+name+"`")
		}
	}
	return v
}

// judgeHistory judges history: a number lists, everything else changes the list or a file.
func judgeHistory(_ *walker, c *invocation) verdict {
	for _, a := range c.args {
		if a.dyn {
			return unknown("options that are only known at run time: " + a.source())
		}
		if !allDigits(a.text) {
			return write("changes the history")
		}
	}
	return read("lists the history")
}

// judgeKill judges kill: listing signals and signal 0 send nothing.
func judgeKill(_ *walker, c *invocation) verdict {
	if len(c.args) > 0 && !c.args[0].dyn {
		switch c.args[0].text {
		case "-l", "-L", "--list", "--table", "-0":
			return read("sends no signal")
		case "-s", "--signal":
			if len(c.args) > 1 && c.args[1].text == "0" && !c.args[1].dyn {
				return read("sends no signal")
			}
		}
	}
	return write("sends a signal")
}

// judgeDate judges date: an operand without a plus sets the clock.
func judgeDate(_ *walker, c *invocation) verdict {
	p := c.spec.options(c.args, false)
	v := p.v
	for i, a := range p.operands {
		switch {
		case strings.HasPrefix(a.text, "+") && !a.split:
		case a.dyn:
			v = v.worse(unknown("an operand that is only known at run time: " + a.source()))
		case i == 0 && p.has("-f", "-j"):
			// macOS: a date to be read with the format of -f.
			if !p.has("-j") {
				v = v.worse(unknown("may set the clock"))
			}
		default:
			v = v.worse(write("sets the clock"))
		}
	}
	return v
}

// judgeTee judges tee by its targets.
func judgeTee(_ *walker, c *invocation) verdict {
	p := c.spec.options(c.args, false)
	v := p.v
	for _, a := range p.operands {
		v = v.worse(writesTo(a))
	}
	return v
}

// judgeDd judges dd by its of=.
func judgeDd(_ *walker, c *invocation) verdict {
	v := read("copies to standard output")
	for _, a := range c.args {
		key, val, _ := strings.Cut(a.text, "=")
		switch key {
		case "of":
			a.text = val
			v = v.worse(writesTo(a))
		case "if", "bs", "ibs", "obs", "cbs", "count", "skip", "iseek", "status", "iflag", "conv":
			if a.split {
				v = v.worse(unknown("words that are only known at run time: " + a.source()))
			}
		case "seek", "oseek", "oflag":
		default:
			v = v.worse(unknown("the operand `" + a.source() + "` is not known"))
		}
	}
	return v
}

// judgeStdinOnly is for commands that read what they do from standard input.
func judgeStdinOnly(_ *walker, c *invocation) verdict {
	return unknown("does what its input says")
}

// judgePython judges python: a module that only formats reads, everything else is code.
func judgePython(w *walker, c *invocation) verdict {
	if len(c.args) == 1 && !c.args[0].dyn {
		switch c.args[0].text {
		case "-V", "-VV", "-h":
			return read("prints its version")
		}
	}
	for i, a := range c.args {
		if a.dyn || a.text != "-m" {
			switch a.text {
			case "-I", "-s", "-S", "-E", "-B", "-u", "-q", "-P":
				if !a.dyn {
					continue
				}
			}
			break
		}
		if i+1 >= len(c.args) || c.args[i+1].dyn {
			break
		}
		// python stops at -m: what follows the name is the module's.
		rest := c.args[i+2:]
		switch module := c.args[i+1].text; module {
		case "json.tool":
			s := w.r.commands["python -m json.tool"]
			return w.plain(&invocation{name: c.name, args: rest, spec: s}, s.options(rest, false))
		case "pip":
			return w.external("pip", rest, c.in)
		case "py_compile", "compileall":
			return write("writes compiled files")
		case "venv", "virtualenv", "ensurepip":
			return write("creates an environment")
		case "site", "sysconfig", "platform", "this":
			if len(rest) == 0 {
				return read("prints")
			}
		}
		break
	}
	return unknown("runs code")
}

// judgeLess judges less: options that log or run are in the table, `+` commands may run anything.
func judgeLess(w *walker, c *invocation) verdict {
	p := c.spec.options(c.args, false)
	v := w.plain(c, p)
	for _, o := range p.options {
		if o.given && strings.Contains(o.value.text, "$") {
			v = v.worse(unknown("the value of `" + o.name + "` ends at a dollar sign, more options may follow"))
		}
	}
	for _, a := range p.operands {
		if strings.HasPrefix(a.text, "+") && (a.dyn || strings.ContainsAny(a.text, "!|sv") && a.text != "+F" ||
			strings.HasPrefix(a.text, "++")) {
			v = v.worse(unknown("runs a command at the start: " + a.source()))
		}
	}
	return v
}
