package audit

import "strings"

// sedScript reads a sed script and judges what it does besides printing. run judges a shell command for the `e`
// command.
type sedScript struct {
	s   string
	i   int
	v   verdict
	run func(string) verdict
}

// judgeSedScript judges a sed script whose whole text is known.
func judgeSedScript(script string, run func(string) verdict) verdict {
	p := &sedScript{s: script, v: read("prints"), run: run}
	depth := 0
	for {
		p.skip(" \t\n;\r")
		if p.end() {
			break
		}
		if !p.addresses() {
			return p.v.worse(unknown("a sed address that is not followed"))
		}
		if p.end() {
			return p.v.worse(unknown("a sed address without a command"))
		}
		c := p.s[p.i]
		p.i++
		switch c {
		case '{':
			depth++
			continue
		case '}':
			depth--
			if !p.close() {
				return p.v.worse(unknown("a sed command that is not followed"))
			}
			continue
		}
		if !p.command(c) {
			return p.v.worse(unknown("the sed command `" + string(c) + "` is not followed"))
		}
	}
	if depth != 0 {
		return p.v.worse(unknown("sed braces that do not match"))
	}
	return p.v
}

func (p *sedScript) end() bool { return p.i >= len(p.s) }

func (p *sedScript) skip(set string) {
	for !p.end() && strings.IndexByte(set, p.s[p.i]) >= 0 {
		p.i++
	}
}

// line takes the rest of the line.
func (p *sedScript) line() string {
	rest := p.s[p.i:]
	rest = rest[:untilNewline(rest)]
	p.i += len(rest)
	return rest
}

// addresses skips the addresses in front of a command.
func (p *sedScript) addresses() bool {
	for n := 0; n < 2; n++ {
		if p.end() {
			return true
		}
		switch c := p.s[p.i]; {
		case c >= '0' && c <= '9' || c == '$':
			p.skip("0123456789$~")
		case c == '/':
			p.i++
			if !p.until('/') {
				return false
			}
			p.skip("IM")
		case c == '\\':
			if p.i+1 >= len(p.s) || p.s[p.i+1] == '\n' || p.s[p.i+1] == '\\' {
				return false
			}
			d := p.s[p.i+1]
			p.i += 2
			if !p.until(d) {
				return false
			}
			p.skip("IM")
		case n == 1 && (c == '+' || c == '~'):
			p.i++
			p.skip("0123456789")
		default:
			if n == 1 {
				return false
			}
		}
		p.skip(" \t")
		if p.end() || p.s[p.i] != ',' {
			break
		}
		p.i++
		p.skip(" \t")
	}
	p.skip("! \t")
	return true
}

// until moves behind the next delimiter that is neither escaped nor within brackets. (A sed that does not know
// brackets here would end the expression within them and refuse it.)
func (p *sedScript) until(d byte) bool {
	bracket := false
	for !p.end() {
		c := p.s[p.i]
		p.i++
		switch {
		case c == d && !bracket:
			return true
		case c == '\\' && !bracket:
			if p.end() {
				return false
			}
			p.i++
		case c == '[' && !bracket && d != '[':
			bracket = true
			if !p.end() && p.s[p.i] == '^' {
				p.i++
			}
			if !p.end() && p.s[p.i] == ']' {
				p.i++
			}
		case c == ']' && bracket:
			bracket = false
		case c == '\\' && bracket && !p.end() && p.s[p.i] == d:
			p.i++ // an escaped delimiter, or a backslash and a delimiter in brackets: neither ends it
		case c == '[' && bracket && !p.end() && (p.s[p.i] == ':' || p.s[p.i] == '.' || p.s[p.i] == '='):
			if end := strings.Index(p.s[p.i+1:], string(p.s[p.i])+"]"); end >= 0 && !strings.Contains(p.s[p.i+1:p.i+1+end],
				string(d)) {
				p.i += end + 3
			}
		case c == '\n' && bracket:
			return false
		}
	}
	return false
}

// plainUntil is until for text where brackets mean nothing.
func (p *sedScript) plainUntil(d byte) bool {
	for !p.end() {
		c := p.s[p.i]
		p.i++
		if c == d {
			return true
		}
		if c == '\\' {
			if p.end() {
				return false
			}
			p.i++
		}
	}
	return false
}

// close wants the end of a command.
func (p *sedScript) close() bool {
	p.skip(" \t\r")
	if p.end() {
		return true
	}
	switch p.s[p.i] {
	case ';', '\n':
		p.i++
		return true
	case '}', '#':
		return true
	}
	return false
}

// command judges one command whose letter has been read.
func (p *sedScript) command(c byte) bool {
	switch c {
	case '#':
		p.line()
		return true
	case '=', 'd', 'D', 'g', 'G', 'h', 'H', 'n', 'N', 'p', 'P', 'x', 'z', 'F':
		return p.close()
	case 'l', 'L', 'q', 'Q':
		p.skip(" \t")
		p.skip("0123456789")
		return p.close()
	case 'a', 'i', 'c':
		p.text()
		return true
	case ':', 'b', 't', 'T':
		for !p.end() && strings.IndexByte(";\n", p.s[p.i]) < 0 {
			if p.s[p.i] == '}' && c != ':' {
				return true
			}
			p.i++
		}
		return true
	case 'r', 'R':
		p.line()
		return true
	case 'w', 'W':
		p.file()
		return true
	case 'e':
		if cmd := strings.TrimSpace(p.line()); cmd != "" && !strings.Contains(cmd, `\`) {
			p.v = p.v.worse(p.run(cmd))
		} else {
			p.v = p.v.worse(unknown("sed runs what it read (`e`)"))
		}
		return true
	case 's':
		return p.substitute()
	case 'y':
		if p.end() {
			return false
		}
		d := p.s[p.i]
		p.i++
		return d != '\n' && d != '\\' && p.plainUntil(d) && p.plainUntil(d) && p.close()
	}
	return false
}

// text skips the text of a, i and c: to the end of the line, and on while lines end in a backslash.
func (p *sedScript) text() {
	for {
		l := p.line()
		if p.end() {
			return
		}
		p.i++
		trail := len(l) - len(strings.TrimRight(l, `\`))
		if trail%2 == 0 {
			return
		}
	}
}

// file judges the file name of a writing command, which goes to the end of the line.
func (p *sedScript) file() {
	name := strings.TrimSpace(p.line())
	switch name {
	case "/dev/stdout", "/dev/stderr":
	case "":
		p.v = p.v.worse(unknown("sed writes to a file that is not named"))
	default:
		p.v = p.v.worse(write("sed writes the file " + name))
	}
}

func (p *sedScript) substitute() bool {
	if p.end() {
		return false
	}
	d := p.s[p.i]
	p.i++
	if d == '\n' || d == '\\' || !p.until(d) || !p.plainUntil(d) {
		return false
	}
	for !p.end() {
		c := p.s[p.i]
		switch {
		case strings.IndexByte("gpiImMN", c) >= 0 || c >= '0' && c <= '9':
			p.i++
		case c == 'w':
			p.i++
			p.file()
			return true
		case c == 'e':
			p.i++
			p.v = p.v.worse(unknown("sed runs what it read (`s///e`)"))
		default:
			return p.close()
		}
	}
	return true
}

// judgeSed judges a call of sed.
func judgeSed(w *walker, c *invocation) verdict {
	p := c.spec.options(c.args, false)
	v := p.v
	sandbox := p.has("--sandbox")
	var script []string
	given := false
	for _, o := range p.options {
		switch o.name {
		case "-e", "--expression":
			given = true
			if o.value.dyn {
				v = v.worse(unknown("a sed script that is only known at run time: " + o.value.source()))
			}
			script = append(script, o.value.text)
		case "-f", "--file":
			given = true
		}
	}
	if !given {
		if len(p.operands) == 0 {
			return v.worse(unknown("sed without a script"))
		}
		if p.operands[0].dyn {
			v = v.worse(unknown("a sed script that is only known at run time: " + p.operands[0].source()))
		}
		script = append(script, p.operands[0].text)
	}
	if sandbox {
		return v
	}
	return v.worse(judgeSedScript(strings.Join(script, "\n"), func(cmd string) verdict { return w.nested(cmd, langSh) }))
}
