package audit

import (
	"path"
	"regexp"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// systemDirs are the folders whose programs are taken for what their name says.
var systemDirs = map[string]bool{"/bin": true, "/usr/bin": true, "/usr/local/bin": true, "/sbin": true,
	"/usr/sbin":       true,
	"/usr/local/sbin": true, "/opt/homebrew/bin": true}

// versioned matches interpreters that carry their version in their name.
var versioned = regexp.MustCompile(`^(python|pip|ruby|perl|php|lua|node|pypy)[0-9.]+$`)

// invocation is one command about to be judged.
type invocation struct {
	name string
	args []arg
	in   stdin
	spec *spec
	// above are the options that were given in front of the sub-command.
	above []option
}

// judgeFunc is a rule in code.
type judgeFunc func(*walker, *invocation) verdict

// call judges a simple command.
func (w *walker) call(c *syntax.CallExpr, in stdin) verdict {
	v := read("")
	for _, word := range c.Args {
		v = v.worse(w.expansions(word))
	}
	args := w.args(c.Args)
	for _, a := range c.Assigns {
		exported := len(c.Args) > 0
		if exported && a.Name != nil && a.Name.Value == "IFS" && len(args) > 0 && (args[0].text == "read" ||
			args[0].text == "mapfile" || args[0].text == "readarray") {
			exported = false
			v = v.worse(w.expansions(a))
			continue
		}
		v = v.worse(w.assignment(a, exported))
	}
	if len(c.Args) == 0 {
		return v
	}
	return v.worse(w.command(args, in, true))
}

// command judges a command with its words; functions says whether functions of the script may be meant.
func (w *walker) command(args []arg, in stdin, functions bool) verdict {
	if *w.steps--; *w.steps < 0 {
		return unknown("too many parts to be analysed")
	}
	if len(args) == 0 {
		return read("")
	}
	w.wrapped++
	defer func() { w.wrapped-- }()
	if w.wrapped > maxWrapped {
		return unknown("wrappers around wrappers, too deep to be analysed")
	}
	for _, a := range args {
		if a.evalGlob {
			return unknown("a glob qualifier may run code: " + a.source())
		}
	}
	name := args[0]
	if name.dyn || name.text == "" {
		return unknown("the name of the command is only known at run time: " + name.source())
	}
	base := name.text
	if strings.Contains(base, "/") {
		if dir, file := path.Split(base); systemDirs[strings.TrimSuffix(dir, "/")] {
			base = file
		} else {
			return unknown("a program outside the system's folders: " + name.text)
		}
	} else if functions && !specialBuiltins[base] {
		s := w.r.lookup(base)
		switch {
		case w.scope.funcs[base] && !w.unsets:
			return read("`" + base + "` is a function of the line")
		case (w.later[base] || w.scope.funcs[base]) && s == nil && !w.unsets && w.inFunc && w.firstCall > w.lastFunc:
			return read("`" + base + "` is a function of the line")
		case w.later[base]:
			return w.external(base, args[1:], in).atLeast(Unknown, "`"+base+"` may be a function here")
		}
	}
	return w.external(base, args[1:], in)
}

// specialBuiltins come before functions in some shells.
var specialBuiltins = words(strings.Fields("eval exec source . command builtin trap export readonly set unset")).set()

// external judges a command that is not a function.
func (w *walker) external(name string, args []arg, in stdin) verdict {
	s := w.r.lookup(name)
	if s == nil {
		return w.r.strictCommand(name, args, unknown("the command `"+name+"` is not in the tables"))
	}
	v := w.judge(&invocation{name: name, args: args, in: in, spec: s})
	if v.reason == "" || v.class == Read && v.reason != "" && !strings.HasPrefix(v.reason, "`") {
		v.reason = describe(name, v)
	}
	if v.class != Read && !strings.HasPrefix(v.reason, "`") {
		v.reason = "`" + name + "`: " + v.reason
	}
	return w.r.strictCommand(name, args, v)
}

func describe(name string, v verdict) string {
	if v.reason == "" {
		return "`" + name + "` reads"
	}
	return "`" + name + "`: " + v.reason
}

// lookup finds the rule of a command.
func (r *Rules) lookup(name string) *spec {
	if s := r.commands[name]; s != nil {
		return s
	}
	if m := versioned.FindStringSubmatch(name); m != nil {
		return r.commands[m[1]]
	}
	return nil
}

// judge applies a rule: help first, then the rule in code or the table.
func (w *walker) judge(c *invocation) verdict {
	if len(c.args) == 1 && !c.args[0].dyn && !c.spec.noHelp && (c.args[0].text == "--help" ||
		c.args[0].text == "--version") {
		return read("prints help")
	}
	if c.spec.judge != nil {
		return c.spec.judge(w, c)
	}
	return w.table(c)
}

// table applies a rule that is all data.
func (w *walker) table(c *invocation) verdict {
	s := c.spec
	switch {
	case s.subs != nil || s.globs != nil:
		return w.subcommand(c)
	case s.wrap >= 0:
		return w.wrapper(c)
	}
	return w.plain(c, s.options(c.args, s.posix))
}

// subcommand follows the first operand to its rule.
func (w *walker) subcommand(c *invocation) verdict {
	s := c.spec
	p := s.options(c.args, true)
	v := p.v
	v.network = v.network || s.network
	if len(p.rest) == 0 {
		if len(c.args) == 1 && !s.noHelp && p.has("-v", "-V", "-h", "--version", "--help") {
			return v.worse(read("prints its version"))
		}
		if s.noHelp && len(c.args) == 1 {
			return v.worse(unknown("an option that may run code of the repository"))
		}
		if len(p.options) == 0 || s.bare != Read {
			return v.worse(verdict{s.bare, "without a sub-command", s.network})
		}
		return v.worse(read("without a sub-command"))
	}
	sub := p.rest[0]
	if sub.dyn {
		return v.worse(unknown("the sub-command is only known at run time: " + sub.source()))
	}
	for _, o := range p.options {
		// A value that is the name of a changing sub-command may be just that.
		if hidden := s.subs[o.value.text]; o.given && o.value.src == o.value.text && c.name != "git" && hidden != nil &&
			hidden.class == Write && hidden.judge == nil {
			v = v.worse(unknown("the value of `" + o.name + "` may be the sub-command `" + o.value.text + "`"))
		}
	}
	next := s.sub(sub.text)
	if next == nil {
		if s.class == Write {
			return v.worse(write("changes something"))
		}
		return v.worse(unknown("the sub-command `" + sub.text + "` is not in the tables"))
	}
	inner := w.judge(&invocation{name: c.name + " " + sub.text, args: p.rest[1:], in: c.in, spec: next,
		above: append(c.above, p.options...)})
	if inner.class != Read && !strings.HasPrefix(inner.reason, "`") {
		inner.reason = "`" + c.name + " " + sub.text + "`: " + inner.reason
	}
	return v.worse(inner)
}

// wrapper judges the command behind a wrapper's own options and operands.
func (w *walker) wrapper(c *invocation) verdict {
	s := c.spec
	p := s.options(c.args, true)
	v := p.v.worse(verdict{class: s.class, reason: s.why, network: s.network})
	rest := p.rest
	for i := 0; i < s.wrap; i++ {
		if len(rest) == 0 {
			break
		}
		if rest[0].split {
			return v.worse(unknown("words that are only known at run time: " + rest[0].source()))
		}
		rest = rest[1:]
	}
	if len(rest) == 0 {
		return v.worse(verdict{s.bare, "without a command", s.network})
	}
	return v.worse(w.command(rest, c.in, false))
}

// plain judges options and operands against a rule without sub-commands.
func (w *walker) plain(c *invocation, p *parsed) verdict {
	s := c.spec
	v := p.v
	if s.any {
		v = read("")
		if p.v.class == Write {
			v = p.v
		}
	}
	class, why := s.class, s.why
	for _, o := range append(c.above[:len(c.above):len(c.above)], p.options...) {
		if s.readIf[o.name] && !(o.given && o.value.text == "false") {
			class, why = Read, "only says what it would do"
		}
	}
	for _, o := range p.options {
		if s.unknownIf[o.name] {
			class, why = Unknown, "says what it would do, but may run something for that"
		}
	}
	v = v.worse(verdict{class: class, reason: why, network: s.network})
	if v.reason == "" && class != Read {
		v.reason = map[Class]string{Write: "changes something", Unknown: "what it does cannot be told from its words"}[class]
	}
	if s.max >= 0 {
		v = v.worse(operandCount(p.operands, s.max, s.over))
	}
	if len(p.operands) < s.min {
		v = v.worse(verdict{class: s.under, reason: "without the operands that make it read"})
	}
	if s.network || s.carries {
		v = v.worse(carried(c.args))
	}
	return v
}

// operandCount holds the number of operands against the most that keep the class.
func operandCount(operands []arg, most int, over Class) verdict {
	for _, a := range operands {
		if a.multi || a.dyn && !a.safeOperand() && !a.afterDash {
			return unknown("how many operands there are is only known at run time: " + a.source())
		}
	}
	if len(operands) > most {
		return verdict{class: over, reason: "the operand `" + operands[most].source() + "` makes it more than reading"}
	}
	return read("")
}

// carried judges what the words of a network command take out of the machine.
func carried(args []arg) verdict {
	v := read("")
	for _, a := range args {
		switch {
		case !a.dyn || a.leak <= leakFixed:
		case a.leak == leakFiles:
			v = v.worse(verdict{Write, "sends what it read to the network: " + a.source(), true})
		default:
			v = v.worse(verdict{Unknown, "sends a value to the network that is only known at run time: " + a.source(), true})
		}
	}
	return v
}
