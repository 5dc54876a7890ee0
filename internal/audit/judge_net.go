package audit

import (
	"regexp"
	"strings"
)

// judgeCurl judges curl: a GET or HEAD whose output goes to standard output.
func judgeCurl(w *walker, c *invocation) verdict {
	p := c.spec.options(c.args, false)
	v := w.plain(c, p)
	// Behind --next options begin anew.
	get := p.has("-G", "--get") && !p.has("--next", "-:")
	urls := p.operands
	for _, o := range p.options {
		switch o.name {
		case "-d", "--data", "--data-ascii", "--data-raw", "--data-binary", "--data-urlencode":
			switch {
			case !get:
				v = v.worse(verdict{Write, "sends data (`" + o.name + "`)", true})
			case strings.Contains(o.value.text, "@"):
				v = v.worse(verdict{Write, "may send a file (`" + o.name + "`)", true})
			}
		case "-w", "--write-out":
			if strings.Contains(o.value.text, "%output{") {
				v = v.worse(write("writes to a file (`" + o.name + "`)"))
			} else if strings.HasPrefix(o.value.text, "@") {
				v = v.worse(unknown("a format from a file (`" + o.name + "`)"))
			}
		case "-H", "--header", "--proxy-header":
			if strings.HasPrefix(o.value.text, "@") {
				v = v.worse(verdict{Write, "sends the content of a file (`" + o.name + "`)", true})
			}
			v = v.worse(header(o.value))
		case "--url":
			urls = append(urls, o.value)
			if strings.HasPrefix(o.value.text, "@") {
				v = v.worse(unknown("addresses from a file"))
			}
		case "--url-query", "--variable", "--expand-url":
			if strings.Contains(o.value.text, "@") {
				v = v.worse(verdict{Write, "may send a file (`" + o.name + "`)", true})
			}
		}
	}
	if len(urls) == 0 && !p.has("-V", "--version", "-h", "--help", "-M", "--manual") {
		v = v.worse(unknown("without an address"))
	}
	for _, u := range urls {
		v = v.worse(address(u))
	}
	return v
}

// header judges one header of a request.
func header(a arg) verdict {
	if strings.Contains(strings.ToLower(a.text), "method-override") {
		return verdict{Unknown, "a header that may change the method: " + a.source(), true}
	}
	return read("")
}

var scheme = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]*://`)

// address judges what a download is asked from.
func address(a arg) verdict {
	v := fetches("")
	s := strings.ToLower(scheme.FindString(a.text))
	switch s {
	case "http://", "https://", "ftp://", "ftps://", "file://":
	case "":
		if !a.dyn && a.text == "" {
			return unknown("an empty address")
		}
	default:
		v = v.worse(verdict{Unknown, "an address of another kind: " + s, true})
	}
	if !a.dyn && smuggles(a.text) {
		v = v.worse(verdict{Unknown, "the address holds credentials or what looks like encoded data", true})
	}
	return v
}

// judgeWget judges wget: without -O- or --spider it saves what it gets.
func judgeWget(w *walker, c *invocation) verdict {
	p := c.spec.options(c.args, false)
	v := w.plain(c, p)
	if h, ok := p.value("--header"); ok {
		v = v.worse(header(h))
	}
	out, to := p.value("-O", "--output-document")
	switch {
	case p.has("--spider", "-V", "--version", "-h", "--help"):
	case to && !out.dyn && (out.text == "-" || harmlessTarget(out.text)):
	case to && out.dyn:
		v = v.worse(unknown("saves to a place that is only known at run time: " + out.source()))
	default:
		v = v.worse(verdict{Write, "saves what it gets", true})
	}
	for _, u := range p.operands {
		v = v.worse(address(u))
	}
	return v
}

// judgeHTTPie judges http and xh: a method, an address, and items that make a body or not.
func judgeHTTPie(w *walker, c *invocation) verdict {
	p := c.spec.options(c.args, false)
	v := w.plain(c, p)
	ops := p.operands
	if len(ops) == 0 {
		if p.has("--version", "--help") {
			return v
		}
		return v.worse(unknown("without an address"))
	}
	if regexp.MustCompile(`^[A-Za-z]+$`).MatchString(ops[0].text) && !ops[0].dyn && len(ops) > 1 {
		switch strings.ToUpper(ops[0].text) {
		case "GET", "HEAD":
		default:
			return v.worse(verdict{Write, "the method " + ops[0].text, true})
		}
		ops = ops[1:]
	}
	v = v.worse(address(ops[0]))
	for _, item := range ops[1:] {
		v = v.worse(header(item))
		body := strings.NewReplacer("==", "").Replace(item.text)
		switch {
		case item.dyn:
			v = v.worse(unknown("an item that is only known at run time: " + item.source()))
		case strings.ContainsAny(body, "=@"):
			v = v.worse(verdict{Write, "sends the item " + item.text, true})
		}
	}
	if c.in.kind == stdinText || c.in.kind == stdinData {
		v = v.worse(verdict{Write, "sends its standard input", true})
	}
	return v
}

// judgeSSH judges ssh by the command that runs on the other side.
func judgeSSH(w *walker, c *invocation) verdict {
	p := c.spec.options(c.args, true)
	v := p.v
	v.network = true
	options := p.options
	if p.has("-V", "-Q") && len(p.rest) == 0 {
		return v
	}
	if len(p.rest) == 0 {
		return v.worse(unknown("without a host"))
	}
	if p.rest[0].dyn && !p.rest[0].safeOperand() {
		return v.worse(unknown("a host that is only known at run time: " + p.rest[0].source()))
	}
	v = v.worse(carried(p.rest[:1]))
	// Options count behind the host too.
	q := c.spec.options(p.rest[1:], true)
	v = v.worse(q.v)
	options = append(options, q.options...)
	null := false
	for _, o := range options {
		switch o.name {
		case "-o":
			key, val, _ := strings.Cut(strings.Replace(o.value.text, " ", "=", 1), "=")
			key = strings.ToLower(strings.TrimSpace(key))
			if o.value.dyn && !strings.Contains(o.value.text, "=") || !has(w.r.lists["ssh_options"], key) ||
				key == "userknownhostsfile" && val != "/dev/null" {
				v = v.worse(unknown("the ssh option " + o.value.source()))
			}
		case "-G":
			return v.worse(read("prints the configuration"))
		case "-n":
			null = true
		}
	}
	if len(q.rest) == 0 {
		if c.in.kind == stdinText {
			return v.worse(w.nested(c.in.text, langSh))
		}
		return v.worse(unknown("opens a session"))
	}
	texts := make([]string, len(q.rest))
	for i, a := range q.rest {
		if a.dyn {
			if a.leak == leakFiles {
				return v.worse(verdict{Write, "sends what it read to the network: " + a.source(), true})
			}
			return v.worse(unknown("a remote command that is only known at run time: " + a.source()))
		}
		texts[i] = a.text
	}
	if !null && (c.in.kind == stdinData || c.in.kind == stdinText) {
		v = v.worse(unknown("its standard input goes to the other side"))
	}
	return v.worse(w.nested(strings.Join(texts, " "), langSh))
}

// judgeSClient judges openssl s_client: what stands on its standard input is sent.
func judgeSClient(w *walker, c *invocation) verdict {
	v := w.plain(c, c.spec.options(c.args, false))
	switch {
	case c.in.kind == stdinNull:
	case c.in.kind == stdinText && (strings.TrimSpace(c.in.text) == "" || strings.TrimSpace(c.in.text) == "Q"):
	case c.in.kind == stdinData:
		v = v.worse(verdict{Write, "sends its standard input", true})
	default:
		v = v.worse(unknown("its standard input is sent"))
	}
	return v
}

// judgeIP judges ip of iproute2: an object, then a verb.
func judgeIP(w *walker, c *invocation) verdict {
	p := c.spec.options(c.args, true)
	v := p.v
	if len(p.rest) == 0 {
		return v
	}
	for _, a := range p.rest[:min(2, len(p.rest))] {
		if a.dyn {
			return v.worse(unknown("words that are only known at run time: " + a.source()))
		}
	}
	if strings.HasPrefix("netns", p.rest[0].text) && len(p.rest) > 3 && len(p.rest[0].text) > 3 &&
		p.rest[1].text == "exec" {
		return v.worse(w.command(p.rest[3:], c.in, false))
	}
	if len(p.rest) == 1 {
		return v
	}
	verb := p.rest[1].text
	switch {
	case has(w.r.lists["ip_read"], verb):
		return v
	case p.rest[0].text == "monitor":
		return v
	case has(w.r.lists["ip_write"], verb):
		return v.worse(write("ip " + p.rest[0].text + " " + verb))
	case strings.HasPrefix(p.rest[0].text, "r") && has(w.r.lists["ip_read"], verb):
		return v
	}
	return v.worse(unknown("ip " + p.rest[0].text + " " + verb))
}

// judgeTmux judges tmux: several commands are separated by a word that is a semicolon; formats may run a shell.
func judgeTmux(w *walker, c *invocation) verdict {
	v := read("")
	var part []arg
	flush := func() {
		sub := *c
		sub.args = part
		v = v.worse(w.subcommand(&sub))
		part = nil
	}
	for _, a := range c.args {
		if strings.Contains(a.text, "#(") || strings.Contains(a.text, "#{E:") || strings.Contains(a.text, "#{T:") {
			v = v.worse(unknown("a format that runs a shell command: " + a.source()))
		}
		if a.dyn && a.leak > leakNone {
			v = v.worse(unknown("a word that may be a format: " + a.source()))
		}
		if !a.dyn && strings.HasSuffix(a.text, ";") {
			if a.text = strings.TrimSuffix(a.text, ";"); a.text != "" {
				part = append(part, a)
			}
			flush()
			continue
		}
		part = append(part, a)
	}
	if len(part) > 0 || len(c.args) == 0 {
		flush()
	}
	return v
}
