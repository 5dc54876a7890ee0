package audit

import "strings"

// judgeTar judges tar by its mode: listing reads, unpacking to standard output reads, the rest writes.
func judgeTar(w *walker, c *invocation) verdict {
	args := c.args
	if len(args) > 0 && !args[0].dyn && args[0].text != "" && args[0].text[0] != '-' {
		args = oldTar(c.spec, args)
	}
	p := c.spec.options(args, false)
	v := p.v
	if cmd, ok := p.value("--to-command"); ok {
		if cmd.dyn {
			return v.worse(unknown("a command that is only known at run time"))
		}
		v = v.worse(w.nested(cmd.text, langSh))
	}
	file, named := p.value("-f", "--file")
	if named && !file.dyn && strings.Contains(file.text, ":") && !p.has("--force-local") {
		v = v.worse(unknown("an archive on another host"))
	}
	switch {
	case p.has("-r", "-u", "-A", "--append", "--update", "--catenate", "--concatenate", "--delete"):
		return v.worse(write("changes an archive"))
	case p.has("-x", "--extract", "--get"):
		if p.has("-O", "--to-stdout", "--to-command") {
			return v.worse(read("unpacks to standard output"))
		}
		return v.worse(write("unpacks files"))
	case p.has("-c", "--create"):
		switch {
		case p.has("--remove-files"):
			return v.worse(write("removes what it packs"))
		case !named || !file.dyn && (file.text == "-" || harmlessTarget(file.text)):
			return v.worse(read("packs to standard output"))
		case file.dyn:
			return v.worse(unknown("packs to a place that is only known at run time: " + file.source()))
		}
		return v.worse(write("creates an archive"))
	case p.has("-t", "--list"), p.has("-d", "--diff", "--compare"):
		return v.worse(read("lists an archive"))
	}
	return v.worse(unknown("without a mode"))
}

// oldTar turns the first word of old style (`tar xzf a.tgz`) into options with dashes.
func oldTar(s *spec, args []arg) []arg {
	var out []arg
	rest := args[1:]
	for _, letter := range args[0].text {
		name := "-" + string(letter)
		out = append(out, literal(name))
		if f := s.flags.get(name); f != nil && f.value == needsValue && len(rest) > 0 {
			out = append(out, rest[0])
			rest = rest[1:]
		}
	}
	return append(out, rest...)
}

// judgeZip judges zip: showing what would be done and packing to standard output read.
func judgeZip(w *walker, c *invocation) verdict {
	p := c.spec.options(c.args, false)
	if p.v.class == Read {
		switch {
		case p.has("-sf"):
			return p.v.worse(read("shows the files"))
		case len(p.operands) > 0 && !p.operands[0].dyn && p.operands[0].text == "-":
			return p.v.worse(read("packs to standard output"))
		case len(c.args) == 1 && p.has("-v", "-h", "-h2", "-L"):
			return p.v
		}
	}
	return p.v.worse(write("packs files"))
}
