package audit

import (
	"regexp"
	"strings"

	"recovery/internal/text"

	"mvdan.cc/sh/v3/syntax"
)

// langSh is the grammar that inner scripts of sh are read with; what bash adds to it only adds ways to write.
const langSh = syntax.LangBash

// nested judges a text that is run as a script.
func (w *walker) nested(text string, lang syntax.LangVariant) verdict {
	v := w.r.script(text, lang, w.depth+1, w.steps)
	if v.reason == "" {
		v.reason = "an inner script that reads"
	}
	return v
}

// judgeInterpreterShell judges sh, bash, zsh and their like: the script of -c, or the text on standard input.
func judgeInterpreterShell(w *walker, c *invocation) verdict {
	lang := syntax.LangBash
	if c.name == "zsh" {
		lang = syntax.LangZsh
	}
	p := c.spec.options(c.args, true)
	v := p.v
	switch {
	case p.has("-n") && !p.has("-c", "-i") && v.class == Read && (len(p.rest) == 0 || !strings.HasPrefix(p.rest[0].text,
		"+") && !p.rest[0].dyn):
		// `+n` and `+o` behind it would switch it off again.
		return read("checks the syntax of a script")
	case p.has("-n"):
		return v.worse(unknown("a shell that may not run its script"))
	case p.has("-c"):
		if len(p.rest) == 0 {
			return v.worse(unknown("-c without a script"))
		}
		if p.rest[0].dyn {
			return v.worse(unknown("a script that is only known at run time: " + p.rest[0].source()))
		}
		return v.worse(w.nested(p.rest[0].text, lang))
	case len(p.rest) > 0 && !p.has("-s"):
		return v.worse(unknown("a script file: " + p.rest[0].source()))
	case c.in.kind == stdinText:
		return v.worse(w.nested(c.in.text, lang))
	case c.in.kind == stdinNull:
		return v
	}
	return v.worse(unknown("runs what it reads"))
}

// judgeEval judges eval: its words joined are a script.
func judgeEval(w *walker, c *invocation) verdict {
	texts := make([]string, len(c.args))
	for i, a := range c.args {
		if a.dyn {
			return unknown("evaluates text that is only known at run time: " + a.source())
		}
		texts[i] = a.text
	}
	if len(texts) > 0 && texts[0] == "--" {
		texts = texts[1:]
	}
	return w.nested(strings.Join(texts, " "), w.lang)
}

// judgeSource judges source: a file, unless it is standard input whose text is known.
func judgeSource(w *walker, c *invocation) verdict {
	if len(c.args) == 1 && !c.args[0].dyn && c.args[0].text == "/dev/stdin" && c.in.kind == stdinText {
		return w.nested(c.in.text, w.lang).atLeast(Unknown, "runs text in this shell")
	}
	return unknown("runs a file in this shell")
}

// variables takes `NAME=value` words off the front.
func (w *walker) variables(args []arg) (verdict, []arg) {
	v := read("")
	for len(args) > 0 {
		name, val, found := strings.Cut(args[0].text, "=")
		if !found || !isName(name) {
			break
		}
		a := args[0]
		a.text = val
		v = v.worse(w.r.env.assigned(name, true, a))
		if a.split {
			v = v.worse(unknown("words that are only known at run time: " + a.source()))
		}
		args = args[1:]
	}
	return v, args
}

// judgeEnv judges env: its variables and the command behind them; a string for -S is split by env itself.
func judgeEnv(w *walker, c *invocation) verdict {
	args := c.args
	if len(args) > 0 && args[0].text == "-" && !args[0].dyn {
		args = args[1:]
	}
	p := c.spec.options(args, true)
	v := p.v
	splits := 0
	for _, o := range p.options {
		if o.name == "-S" || o.name == "--split-string" {
			splits++
		}
	}
	if s, ok := p.value("-S", "--split-string"); ok {
		if splits > 1 {
			return v.worse(unknown("several strings to be split, the first of which may hold the command"))
		}
		if s.dyn {
			return v.worse(unknown("a command that is only known at run time: " + s.source()))
		}
		line := s.text
		for _, a := range p.rest {
			if a.dyn {
				line += ` "$x"`
			} else {
				line += " " + text.Quote(a.text)
			}
		}
		// Not a shell, but close to one: what a shell would do besides only makes it worse.
		return v.worse(w.nested("env "+line, langSh))
	}
	set, rest := w.variables(p.rest)
	if len(rest) == 0 {
		return v
	}
	return v.worse(set).worse(w.command(rest, c.in, false))
}

// judgeSudo judges sudo and doas.
func judgeSudo(w *walker, c *invocation) verdict {
	p := c.spec.options(c.args, true)
	v := p.v
	set, rest := w.variables(p.rest)
	switch {
	case len(rest) > 0 && !p.has("-l", "--list", "-v", "--validate", "-K"):
		return v.worse(set).worse(w.command(rest, c.in, false))
	case p.has("-l", "--list", "-V", "-v", "--validate", "-h"):
		return v
	}
	return v.worse(unknown("without a command"))
}

// judgeSu judges su and runuser: only a command given with -c can be seen.
func judgeSu(w *walker, c *invocation) verdict {
	p := c.spec.options(c.args, false)
	script, ok := p.value("-c", "--command", "--session-command")
	switch {
	case ok && !script.dyn:
		return p.v.worse(w.nested(script.text, langSh))
	case p.has("-u", "--user") && len(p.operands) > 0 && c.name == "runuser":
		return p.v.worse(w.command(p.operands, c.in, false)).atLeast(Unknown, "runs as another user")
	}
	return p.v.worse(unknown("opens a shell"))
}

// judgeXargs judges the command that xargs appends words to.
func judgeXargs(w *walker, c *invocation) verdict {
	p := c.spec.options(c.args, true)
	v := p.v
	if len(p.rest) == 0 {
		return v
	}
	from := leakUnknown
	if c.in.kind == stdinData {
		from = leakFiles
	}
	rest := p.rest
	token, replaces := p.value("-I", "--replace", "-J", "-i")
	if !replaces && p.has("-i", "--replace") {
		token, replaces = literal("{}"), true
	}
	if replaces {
		if token.dyn || token.text == "" {
			return v.worse(unknown("a placeholder that is only known at run time"))
		}
		rest = substitute(rest, token.text, false)
	}
	if !replaces || p.has("-n", "-L", "-l", "-x", "--max-args", "--max-lines") {
		// Of options that exclude each other the last one counts.
		rest = append(rest[:len(rest):len(rest)], arg{dyn: true, split: true, multi: true, leak: from,
			src: "what xargs appends"})
	}
	return v.worse(w.command(rest, stdin{kind: stdinData}, false))
}

// placeholder matches what parallel puts words in for.
var placeholder = regexp.MustCompile(`\{[^{}\s,]*\}`)

// judgeParallel judges the command line that GNU parallel builds and hands to a shell.
func judgeParallel(w *walker, c *invocation) verdict {
	p := c.spec.options(c.args, true)
	v := p.v
	var line []string
	for _, a := range p.rest {
		if strings.HasPrefix(a.text, ":::") {
			break
		}
		if a.dyn {
			return v.worse(unknown("a command that is only known at run time: " + a.source()))
		}
		line = append(line, a.text)
	}
	if len(line) == 0 {
		return v.worse(unknown("runs the lines that it reads"))
	}
	text := strings.Join(line, " ")
	for _, a := range c.args {
		if strings.Contains(a.text, "{=") {
			return v.worse(unknown("runs code of its own (`{=`)"))
		}
	}
	replaced := placeholder.ReplaceAllString(text, "$$x")
	if token, ok := p.value("-I"); ok && token.text != "" && !token.dyn {
		replaced = strings.ReplaceAll(replaced, token.text, "$x")
	}
	if replaced == text {
		replaced += " $x"
	}
	v = v.worse(w.nested(replaced, langSh))
	if p.has("--dry-run", "--dryrun") {
		return p.v.worse(read("only says what it would run"))
	}
	return v
}

// judgeWatch judges the command that watch repeats: its words joined are a script for sh.
func judgeWatch(w *walker, c *invocation) verdict {
	p := c.spec.options(c.args, true)
	if len(p.rest) == 0 {
		return p.v
	}
	if p.has("-x", "--exec") {
		return p.v.worse(w.command(p.rest, stdin{}, false))
	}
	texts := make([]string, len(p.rest))
	for i, a := range p.rest {
		if a.dyn {
			return p.v.worse(unknown("a command that is only known at run time: " + a.source()))
		}
		texts[i] = a.text
	}
	return p.v.worse(w.nested(strings.Join(texts, " "), langSh))
}

// judgeCommand judges `command`: with -v and -V it looks names up, else it runs one.
func judgeCommand(w *walker, c *invocation) verdict {
	p := c.spec.options(c.args, true)
	if p.has("-v", "-V") {
		return p.v.worse(read("looks up a command"))
	}
	if len(p.rest) == 0 {
		return p.v
	}
	return p.v.worse(w.command(p.rest, c.in, false))
}

// judgeTrap judges the action of a trap as the script that it is.
func judgeTrap(w *walker, c *invocation) verdict {
	p := c.spec.options(c.args, true)
	rest := p.rest
	if p.has("-p", "-l", "-P") || len(rest) < 2 {
		for _, a := range rest {
			if a.dyn {
				return p.v.worse(unknown("a trap that is only known at run time: " + a.source()))
			}
		}
		return p.v.worse(read("shows or resets traps"))
	}
	if rest[0].dyn {
		return p.v.worse(unknown("a trap whose action is only known at run time: " + rest[0].source()))
	}
	if rest[0].text == "-" || rest[0].text == "" {
		return p.v
	}
	return p.v.worse(w.nested(rest[0].text, w.lang))
}
