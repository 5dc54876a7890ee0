package audit

import "strings"

// judgeListing judges commands that list without operands or with a flag that says so, and change something otherwise.
func judgeListing(w *walker, c *invocation) verdict {
	p := c.spec.options(c.args, false)
	table := *c.spec
	table.max = -1
	v := w.plain(&invocation{name: c.name, args: c.args, in: c.in, spec: &table}, p)
	for _, o := range p.options {
		if c.spec.readIf[o.name] {
			return v
		}
	}
	if c.spec.max < 0 {
		return v.worse(operandCount(p.operands, 0, c.spec.class))
	}
	return v.worse(operandCount(p.operands, c.spec.max, c.spec.over))
}

// judgeInterpreter judges interpreters: only versions and syntax checks are known to run nothing.
func judgeInterpreter(_ *walker, c *invocation) verdict {
	if len(c.args) == 1 && !c.args[0].dyn {
		switch c.args[0].text {
		case "--version", "-v", "-V", "-version", "--help", "-h":
			if c.args[0].text != "-v" || c.name == "node" || c.name == "nodejs" || c.name == "ruby" || c.name == "perl" ||
				c.name == "php" || c.name == "lua" || c.name == "bun" {
				return read("prints its version")
			}
		case "--info", "--list-sdks", "--list-runtimes":
			if c.name == "dotnet" {
				return read("prints what is installed")
			}
		case "-m", "-i", "--ini":
			if c.name == "php" {
				return read("prints its settings")
			}
		}
	}
	if len(c.args) == 2 && !c.args[0].dyn && !c.args[1].multi {
		switch {
		case (c.name == "node" || c.name == "nodejs") && (c.args[0].text == "--check" || c.args[0].text == "-c") &&
			!strings.HasPrefix(c.args[1].text, "-"):
			return read("checks the syntax of a script")
		case c.name == "php" && c.args[0].text == "-l" && !strings.HasPrefix(c.args[1].text, "-"):
			return read("checks the syntax of a script")
		}
	}
	if c.name == "perl" || c.name == "ruby" {
		for _, a := range c.args {
			if len(a.text) < 2 || a.text[0] != '-' {
				break
			}
			// -i edits in place, also within a cluster; -e and -I take the rest of the word.
			for _, letter := range a.text[1:] {
				if letter == 'i' {
					return write("edits files in place")
				}
				if strings.ContainsRune("eEIMmrxFCDVT", letter) {
					break
				}
			}
			if strings.HasSuffix(a.text, "e") {
				break
			}
		}
	}
	return unknown("runs code")
}

// judgeLastStdout judges converters that write the file named last, unless it is standard output.
func judgeLastStdout(_ *walker, c *invocation) verdict {
	p := c.spec.options(c.args, false)
	if n := len(p.operands); n == 2 && !p.operands[1].dyn && p.operands[1].text == "-" {
		return p.v.worse(read("converts to standard output"))
	}
	return p.v.worse(write("writes the converted file"))
}

// judgeSysctl judges sysctl: a key with a value is set.
func judgeSysctl(w *walker, c *invocation) verdict {
	p := c.spec.options(c.args, false)
	v := p.v
	for _, a := range p.operands {
		switch {
		case strings.Contains(a.text, "="):
			v = v.worse(write("sets " + a.text))
		case a.dyn:
			v = v.worse(unknown("a key that is only known at run time: " + a.source()))
		}
	}
	return v
}

// judgeService judges service: only asking for the status reads.
func judgeService(_ *walker, c *invocation) verdict {
	for _, a := range c.args {
		if a.dyn {
			return unknown("words that are only known at run time: " + a.source())
		}
	}
	switch {
	case len(c.args) == 1 && c.args[0].text == "--status-all":
		return read("asks for the status")
	case len(c.args) == 2 && c.args[1].text == "status":
		return read("asks for the status")
	case len(c.args) >= 2:
		switch c.args[1].text {
		case "start", "stop", "restart", "reload", "force-reload", "try-restart", "condrestart", "enable", "disable":
			return write("controls a service")
		}
	}
	return unknown("a script of a service")
}

// judgeAr judges ar by its key letter.
func judgeAr(_ *walker, c *invocation) verdict {
	if len(c.args) == 0 || c.args[0].dyn {
		return unknown("without a key")
	}
	key := strings.TrimPrefix(c.args[0].text, "-")
	for _, a := range c.args[1:] {
		if a.dyn && !a.safeOperand() || strings.HasPrefix(a.text, "-") || strings.HasPrefix(a.text, "@") {
			return unknown("the option " + a.source())
		}
	}
	switch {
	case key == "":
		return unknown("without a key")
	case strings.Trim(key, "tvO") == "" && strings.Contains(key, "t"), strings.Trim(key, "pv") == "" &&
		strings.Contains(key, "p"):
		return read("lists an archive")
	case strings.ContainsAny(key[:1], "drqmxs"):
		return write("changes an archive or unpacks it")
	}
	return unknown("a key that is not known")
}

// judgeKubeDry judges the changing commands of kubectl: only a dry run by the client changes nothing.
func judgeKubeDry(w *walker, c *invocation) verdict {
	p := c.spec.options(c.args, false)
	if len(p.operands) > 0 && p.operands[0].text == "view-last-applied" && strings.HasSuffix(c.name, " apply") {
		return p.v.worse(fetches("")).worse(carried(c.args))
	}
	if mode, ok := p.value("--dry-run"); ok && !mode.dyn {
		switch mode.text {
		case "client":
			return p.v.worse(fetches("only says what it would do")).worse(carried(c.args))
		case "server":
			return p.v.worse(verdict{Unknown, "asks the server what it would do", true})
		}
	}
	return p.v.worse(verdict{Write, "changes the cluster", true})
}

// judgeBinutils judges programs that read more options from a file named with an @.
func judgeBinutils(w *walker, c *invocation) verdict {
	v := w.plain(c, c.spec.options(c.args, false))
	for _, a := range c.args {
		if strings.HasPrefix(a.text, "@") {
			v = v.worse(unknown("options from the file " + a.source()))
		}
	}
	return v
}
