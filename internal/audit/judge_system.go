package audit

import (
	"regexp"
	"strings"
)

var (
	xxdPlain = regexp.MustCompile(
		`^--?(a|autoskip|b|bits|C|capitalize|E|EBCDIC|e|i|include|p|ps|postscript|plain|r|revert|u|d|h|help|v|version|t)$`)
	xxdValue  = regexp.MustCompile(`^--?(c|cols|g|groupsize|l|len|n|name|o|offset|R|s|seek|skip)$`)
	xxdJoined = regexp.MustCompile(`^-[cglos][+-]?(0x)?[0-9a-fA-F]+$`)
)

// judgeXxd judges xxd, which looks at the first letter of an option only and knows no clusters: in `-ac in out` the
// rest of the first word means nothing. A second operand is written.
func judgeXxd(_ *walker, c *invocation) verdict {
	v := read("")
	args := c.args
	for len(args) > 0 && len(args[0].text) > 1 && args[0].text[0] == '-' {
		a := args[0]
		args = args[1:]
		switch {
		case a.dyn:
			v = v.worse(unknown("an option that is only known at run time: " + a.source()))
		case a.text == "--":
			return v.worse(operandCount(args, 1, Write))
		case xxdPlain.MatchString(a.text), xxdJoined.MatchString(a.text):
		case xxdValue.MatchString(a.text):
			if len(args) > 0 {
				if args[0].multi {
					v = v.worse(unknown("words that are only known at run time: " + args[0].source()))
				}
				args = args[1:]
			}
		default:
			v = v.worse(unknown("the option `" + a.text + "` is not known"))
		}
	}
	return v.worse(operandCount(args, 1, Write))
}

// judgeNft judges nft, which joins its words to a script: a semicolon in one begins another command.
func judgeNft(w *walker, c *invocation) verdict {
	v := w.table(c)
	for _, a := range c.args {
		switch {
		case strings.ContainsAny(a.text, ";\n"):
			v = v.worse(write("more than one command"))
		case a.dyn && !a.safeOperand():
			v = v.worse(unknown("words that are only known at run time: " + a.source()))
		}
	}
	return v
}

// judgeIfconfig judges ifconfig: with -a even a single word may be meant for every interface.
func judgeIfconfig(w *walker, c *invocation) verdict {
	p := c.spec.options(c.args, false)
	v := w.plain(c, p)
	if p.has("-a") && len(p.operands) > 0 {
		v = v.worse(unknown("a word for all interfaces"))
	}
	return v
}

// judgeProcess judges ionice, chrt and taskset: with -p they look at a process that runs, or change it.
func judgeProcess(w *walker, c *invocation) verdict {
	p := c.spec.options(c.args, true)
	if !p.has("-p", "--pid", "-P", "--pgid", "-u", "--uid") {
		return w.wrapper(c)
	}
	v := p.v
	sets := len(p.rest) > 1
	if c.name == "ionice" {
		sets = p.has("-c", "--class", "-n", "--classdata")
	}
	for _, a := range p.rest {
		if a.multi {
			v = v.worse(unknown("words that are only known at run time: " + a.source()))
		}
	}
	if sets {
		return v.worse(write("changes a process that runs"))
	}
	return v
}

// judgePrlimit judges prlimit: a limit with a value changes the process that is named, or the command that is started.
func judgePrlimit(w *walker, c *invocation) verdict {
	p := c.spec.options(c.args, true)
	v := p.v
	for _, o := range p.options {
		if o.given && o.name != "-o" && o.name != "--output" && o.name != "-p" && o.name != "--pid" && p.has("-p", "--pid") {
			v = v.worse(write("changes a process that runs"))
		}
	}
	if len(p.rest) > 0 {
		v = v.worse(w.command(p.rest, c.in, false))
	}
	return v
}

// judgeCargoFmt judges `cargo fmt`: what stands behind `--` is for rustfmt, which changes nothing when it only checks.
func judgeCargoFmt(w *walker, c *invocation) verdict {
	p := c.spec.options(c.args, false)
	check := false
	for _, a := range p.operands {
		switch {
		case a.dyn || !a.afterDash:
			return w.plain(c, p)
		case a.text == "--check":
			check = true
		case a.text == "-l" || a.text == "-v" || a.text == "-q" || a.text == "--verbose" || a.text == "--quiet" ||
			strings.HasPrefix(a.text, "--color="):
		default:
			return w.plain(c, p)
		}
	}
	if check {
		return p.v.worse(read("only checks"))
	}
	return w.plain(c, p)
}

// judgeMedia judges programs that describe a picture or a film: some take a name for a command or for another kind of
// source.
func judgeMedia(w *walker, c *invocation) verdict {
	p := c.spec.options(c.args, false)
	v := w.plain(c, p)
	for _, a := range p.operands {
		if strings.HasPrefix(a.text, "|") || strings.HasPrefix(a.text, "@") || strings.Contains(a.text, ":") {
			v = v.worse(unknown("a source that is no plain file: " + a.source()))
		}
	}
	return v
}

var systemFile = regexp.MustCompile(`^/(usr/(local/)?)?(s?bin|lib(32|64|exec)?)/[^*?\[]*$`)

// judgeLdd judges ldd, which may run the loader that a program names: only files of the system are trusted.
func judgeLdd(_ *walker, c *invocation) verdict {
	p := c.spec.options(c.args, false)
	v := p.v
	for _, a := range p.operands {
		if a.dyn || !systemFile.MatchString(a.text) || strings.Contains(a.text, "..") {
			v = v.worse(unknown("it may run the loader of the program " + a.source()))
		}
	}
	return v
}
