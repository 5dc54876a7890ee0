package audit

import (
	"regexp"
	"strings"
)

// helped are the sub-commands that take addresses; `ext::cmd` and other remote helpers run a program that the address
// names.
var helped = words(strings.Fields("ls-remote remote archive fetch pull push clone submodule fetch-pack send-pack")).
	set()

var remoteHelper = regexp.MustCompile(`(^|=)[A-Za-z0-9+.-]+::`)

// judgeGit judges git: its global options first, then the sub-command by the table.
func judgeGit(w *walker, c *invocation) verdict {
	p := c.spec.options(c.args, true)
	v := read("")
	for _, o := range p.options {
		switch {
		case o.name == "-c":
			v = v.worse(w.r.gitConfig(o.value))
		case o.name == "--exec-path" && o.given:
			v = v.worse(unknown("git looks for its programs elsewhere"))
		}
	}
	if len(p.rest) > 0 && helped[p.rest[0].text] {
		for _, a := range p.rest[1:] {
			if remoteHelper.MatchString(a.text) {
				v = v.worse(unknown("an address that runs a program: " + a.source()))
			}
		}
	}
	return v.worse(w.subcommand(c))
}

// gitConfig judges one `-c key=value`.
func (r *Rules) gitConfig(a arg) verdict {
	key, val, has := strings.Cut(a.text, "=")
	key = strings.ToLower(key)
	switch {
	case a.dyn && !has:
		return unknown("a git setting that is only known at run time: " + a.source())
	case key == "alias" || strings.HasPrefix(key, "alias."):
		return unknown("a git alias for this call")
	case matchesPatterns(r.lists["git_config"], key):
		return read("")
	case !a.dyn && matchesPatterns(r.lists["git_config_values"], key+"="+strings.ToLower(val)):
		return read("")
	}
	return unknown("the git setting " + key + " may run a program")
}

// judgeGitConfig judges config: one operand reads a key, two set it.
func judgeGitConfig(w *walker, c *invocation) verdict {
	p := c.spec.options(c.args, false)
	v := p.v
	for _, o := range p.options {
		if c.spec.readIf[o.name] {
			return v
		}
	}
	if len(p.operands) > 0 && !p.operands[0].dyn {
		switch p.operands[0].text {
		case "get", "list":
			return v
		case "set", "unset", "edit", "rename-section", "remove-section":
			return v.worse(write("changes the configuration"))
		}
	}
	v = v.worse(operandCount(p.operands, 1, Write))
	if len(p.operands) == 0 {
		v = v.atLeast(Unknown, "config without a key")
	}
	return v
}

// judgeGitForeach judges the command that is run in every submodule.
func judgeGitForeach(w *walker, c *invocation) verdict {
	p := c.spec.options(c.args, true)
	switch {
	case len(p.rest) == 0:
		return p.v.worse(unknown("without a command"))
	case len(p.rest) > 1:
		return p.v.worse(w.command(p.rest, stdin{}, false))
	case p.rest[0].dyn:
		return p.v.worse(unknown("a command that is only known at run time: " + p.rest[0].source()))
	}
	return p.v.worse(w.nested(p.rest[0].text, langSh))
}
