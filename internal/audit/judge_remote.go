package audit

import (
	"regexp"
	"strings"
)

var graphqlQuery = regexp.MustCompile(`^\s*(#[^\n]*\n\s*)*(query\b|\{)`)

// judgeForgeAPI judges `gh api` and `glab api`: a GET without fields reads.
func judgeForgeAPI(w *walker, c *invocation) verdict {
	p := c.spec.options(c.args, false)
	v := w.plain(c, p)
	if len(p.operands) != 1 {
		return v.worse(unknown("without one endpoint"))
	}
	fields, file := false, false
	var query arg
	for _, o := range p.options {
		switch o.name {
		case "-f", "--raw-field", "-F", "--field":
			fields = true
			key, val, _ := strings.Cut(o.value.text, "=")
			upload := strings.HasPrefix(val, "@") && (o.name == "-F" || o.name == "--field" || strings.HasPrefix(c.name, "glab"))
			file = file || upload
			if key == "query" {
				query = o.value
				query.text = val
				if upload {
					query.dyn = true
				}
			}
		case "-H", "--header":
			v = v.worse(header(o.value))
		case "--input":
			return v.worse(verdict{Write, "sends a body", true})
		}
	}
	if file {
		return v.worse(verdict{Unknown, "a field from a file", true})
	}
	if endpoint := p.operands[0]; endpoint.text == "graphql" || strings.HasSuffix(endpoint.text, "/graphql") {
		text := strings.ToLower(query.text)
		switch {
		case strings.Contains(text, "mutation"):
			return v.worse(verdict{Write, "a GraphQL mutation", true})
		case query.dyn || !graphqlQuery.MatchString(query.text) || strings.Contains(text, "subscription"):
			return v.worse(verdict{Unknown, "a GraphQL query that is not followed", true})
		}
		return v.worse(fetches("a GraphQL query"))
	}
	method, given := p.value("-X", "--method")
	switch {
	case given && method.dyn:
		return v.worse(unknown("a method that is only known at run time"))
	case given && (strings.EqualFold(method.text, "GET") || strings.EqualFold(method.text, "HEAD")):
		return v
	case given:
		return v.worse(verdict{Write, "the method " + method.text, true})
	case fields:
		return v.worse(verdict{Write, "fields make it a POST", true})
	}
	return v
}

// judgeContainerCopy judges `docker cp`: only a copy to standard output reads.
func judgeContainerCopy(w *walker, c *invocation) verdict {
	p := c.spec.options(c.args, false)
	if n := len(p.operands); n == 2 && !p.operands[1].dyn && p.operands[1].text == "-" {
		return p.v.worse(read("copies to standard output"))
	}
	return p.v.worse(write("copies files"))
}

// judgeContainerExec judges `docker exec` and `kubectl exec` by the command that runs inside.
func judgeContainerExec(w *walker, c *invocation) verdict {
	v := verdict{class: Read, network: c.spec.network}
	first := c.spec.options(c.args, true)
	for i, a := range c.args {
		// Only kubectl looks for options behind the pod; to the others `--` is a word of the command.
		if a.dyn || a.text != "--" || !c.spec.network && len(first.rest) > 0 {
			continue
		}
		p := c.spec.options(c.args[:i], false)
		v = v.worse(p.v).worse(carried(c.args[:i]))
		if len(p.operands) != 1 {
			v = v.worse(unknown("not one place to run in"))
		}
		return v.worse(w.command(c.args[i+1:], c.in, false))
	}
	p := first
	v = v.worse(p.v)
	if len(p.rest) < 2 {
		return v.worse(unknown("without a command"))
	}
	if p.rest[0].split {
		return v.worse(unknown("words that are only known at run time: " + p.rest[0].source()))
	}
	return v.worse(w.command(p.rest[1:], c.in, false))
}

var groupWord = regexp.MustCompile(`^[a-z0-9-]+$`)

// judgeVerbs judges the clients whose commands are groups and a verb: gcloud, az.
func judgeVerbs(w *walker, c *invocation) verdict {
	p := c.spec.options(c.args, false)
	v := p.v.worse(carried(c.args))
	v.network = true
	list := func(kind string) words { return w.r.lists[c.name+"_"+kind] }
	if len(p.operands) > 0 && p.operands[0].text == "rest" && c.name == "az" {
		if m, given := p.value("-m", "--method"); given && (m.dyn || !strings.EqualFold(m.text, "get")) {
			return v.worse(verdict{Write, "the method " + m.source(), true})
		}
		return v
	}
	for len(p.operands) > 1 && (p.operands[0].text == "alpha" || p.operands[0].text == "beta" ||
		p.operands[0].text == "preview") {
		p.operands = p.operands[1:]
	}
	for i, a := range p.operands {
		if a.dyn || !groupWord.MatchString(a.text) {
			break
		}
		// A verb counts behind a group only; the few that stand first are listed with a slash in front.
		path := "/" + a.text
		if i > 0 {
			path = p.operands[i-1].text + path
		}
		switch {
		case matchesPatterns(list("write"), path):
			return v.worse(verdict{Write, path, true})
		case matchesPatterns(list("unknown"), path):
			return v.worse(verdict{Unknown, path, true})
		case matchesPatterns(list("read"), path):
			return v.worse(fetches(""))
		case i == 0:
		case matchesPatterns(list("write"), a.text):
			return v.worse(verdict{Write, "the verb " + a.text, true})
		case matchesPatterns(list("unknown"), a.text):
			return v.worse(verdict{Unknown, "the verb " + a.text, true})
		case matchesPatterns(list("read"), a.text):
			return v.worse(fetches(""))
		}
	}
	if len(p.operands) == 0 && len(p.options) > 0 {
		return v
	}
	return v.worse(unknown("no verb that is known"))
}

// judgeAwsOut judges the calls of aws that save what they get to a file named last.
func judgeAwsOut(w *walker, c *invocation) verdict {
	p := c.spec.options(c.args, false)
	v := p.v.worse(carried(c.args))
	v.network = true
	if n := len(p.operands); n == 1 && !p.operands[0].dyn && harmlessTarget(p.operands[0].text) {
		return v
	}
	return v.worse(verdict{Write, "saves what it gets", true})
}

// judgeS3Copy judges `aws s3 cp`: to standard output it reads.
func judgeS3Copy(w *walker, c *invocation) verdict {
	p := c.spec.options(c.args, false)
	v := p.v.worse(carried(c.args))
	v.network = true
	if n := len(p.operands); n == 2 && !p.operands[1].dyn && p.operands[1].text == "-" &&
		strings.Contains(p.operands[0].text, "://") {
		return v
	}
	return v.worse(verdict{Write, "copies files", true})
}

// judgeAwsOperation judges the reading calls of aws. A word that belongs to no option is a file that the answer is
// saved to; which options take several words is told by their names.
func judgeAwsOperation(w *walker, c *invocation) verdict {
	v := w.plain(c, c.spec.options(c.args, false))
	absorb := 0
	for _, a := range c.args {
		if !strings.HasPrefix(a.text, "--") {
			switch {
			case absorb > 0:
				absorb--
			case a.dyn:
				v = v.worse(unknown("a word that may name a file: " + a.source()))
			default:
				v = v.worse(verdict{Write, "saves what it gets to " + a.text, true})
			}
			continue
		}
		absorb = 0
		name, _, joined := strings.Cut(a.text, "=")
		switch f := c.spec.flags.long(name, false); {
		case f == nil || f.value == needsValue && !joined && manyValues(f.name):
			absorb = len(c.args) // of an option that is not known there is no telling; it is noted above
		case f.value == needsValue && !joined:
			absorb = 1
		}
	}
	return v
}

// manyValues holds for options of aws that take a list of words.
func manyValues(name string) bool {
	switch {
	case strings.HasSuffix(name, "status"), strings.HasSuffix(name, "class"), strings.HasSuffix(name, "address"):
		return false
	case strings.HasSuffix(name, "s"), strings.HasSuffix(name, "-list"), strings.HasSuffix(name, "-by"),
		name == "--include":
		return true
	}
	return false
}
