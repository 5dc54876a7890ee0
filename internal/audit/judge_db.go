package audit

import (
	"regexp"
	"strings"
)

// statement judges SQL given as a word.
func (w *walker) statement(a arg, dialect string) verdict {
	if a.dyn {
		return unknown("SQL that is only known at run time: " + a.source())
	}
	return w.r.sql(a.text, dialect)
}

// psqlShows matches the meta-commands of psql that only show. Nothing with a backquote, a pipe or a second command
// passes.
var psqlShows = regexp.MustCompile(
	`^\\(d[A-Za-z]*[+Sx]*|l[+x]*|z|conninfo|sf\+?|sv\+?|timing|x|pset|encoding|h|\?|echo|copyright)( ` +
		`+[A-Za-z0-9_.*?"$-]+)*\s*$`)

func judgePsql(w *walker, c *invocation) verdict {
	p := c.spec.options(c.args, false)
	v := w.plain(c, p)
	given := p.has("-l", "--list", "-V", "--version", "-?")
	for _, o := range p.options {
		if o.name != "-c" && o.name != "--command" {
			continue
		}
		given = true
		text := strings.TrimSpace(o.value.text)
		switch {
		case o.value.dyn || !strings.HasPrefix(text, `\`):
			v = v.worse(w.statement(o.value, "psql"))
		case psqlShows.MatchString(text):
		case strings.HasPrefix(text, `\copy`) && strings.Contains(strings.ToLower(text), "program"):
			v = v.worse(unknown("psql runs a program"))
		case strings.HasPrefix(text, `\copy`) && regexp.MustCompile(`(?i)\bto\s+(p?stdout)\b`).MatchString(text):
			v = v.worse(unknown("a copy to standard output"))
		case regexp.MustCompile(`^\\(copy|o|out|w|lo_)`).MatchString(text):
			v = v.worse(write("the psql command " + text))
		default:
			v = v.worse(unknown("the psql command " + text))
		}
	}
	if !given && !p.has("-f", "--file") {
		v = v.worse(w.sqlFromInput(c, "psql"))
	}
	return v
}

// psqlVariable matches `:name`, which psql replaces where it reads statements; a cast has two colons.
var psqlVariable = regexp.MustCompile(`(^|[^:]):["'{A-Za-z_]`)

// sqlFromInput judges the statements on standard input.
func (w *walker) sqlFromInput(c *invocation, dialect string) verdict {
	if c.in.kind == stdinText {
		if dialect == "psql" && psqlVariable.MatchString(c.in.text) {
			return unknown("psql puts the value of a variable into the statements")
		}
		return w.r.sql(c.in.text, dialect)
	}
	return unknown("runs the statements that it reads")
}

func judgeMysql(w *walker, c *invocation) verdict {
	p := c.spec.options(c.args, false)
	v := w.plain(c, p)
	given := p.has("-V", "--version", "-?", "--help")
	for _, o := range p.options {
		if o.name == "-e" || o.name == "--execute" || o.name == "--init-command" {
			given = given || o.name != "--init-command"
			v = v.worse(w.statement(o.value, "mysql"))
		}
	}
	if !given {
		v = v.worse(w.sqlFromInput(c, "mysql"))
	}
	return v
}

func judgeSqlite(w *walker, c *invocation) verdict {
	p := c.spec.options(c.args, false)
	v := p.v
	if p.has("-version") {
		return v
	}
	for _, o := range p.options {
		if o.name == "-cmd" {
			v = v.worse(w.sqliteText(o.value))
		}
	}
	if len(p.operands) < 2 {
		if c.in.kind == stdinText {
			return v.worse(w.sqliteInput(c.in.text))
		}
		return v.worse(unknown("runs the statements that it reads"))
	}
	for i, a := range p.operands {
		switch {
		case i > 0:
			v = v.worse(w.sqliteText(a))
		case a.multi:
			v = v.worse(unknown("words that are only known at run time: " + a.source()))
		}
	}
	if v.reason == "" {
		v.reason = "SQL that only reads"
	}
	return v
}

// sqliteText judges an operand: one dot-command, or statements.
func (w *walker) sqliteText(a arg) verdict {
	switch {
	case a.dyn:
		return unknown("SQL that is only known at run time: " + a.source())
	case strings.HasPrefix(a.text, ".") && !strings.Contains(a.text, "\n"):
		return w.sqliteCommand(a.text)
	}
	return w.r.sql(a.text, "sqlite")
}

// sqliteInput judges what sqlite reads line by line: a dot-command counts only where no statement is open.
func (w *walker) sqliteInput(text string) verdict {
	v, open := read(""), ""
	for _, line := range strings.Split(text, "\n") {
		if !strings.HasPrefix(line, ".") {
			open += line + "\n"
			continue
		}
		if tokens, ok := sqlTokens(open, "sqlite"); !ok || len(tokens) > 0 && tokens[len(tokens)-1].kind != ';' {
			return v.worse(unknown("a line that may be a command of sqlite or SQL: " + line))
		}
		v = v.worse(w.r.sql(open, "sqlite")).worse(w.sqliteCommand(line))
		open = ""
	}
	return v.worse(w.r.sql(open, "sqlite"))
}

// sqliteCommand judges one dot-command.
func (w *walker) sqliteCommand(line string) verdict {
	word := strings.Fields(line)[0]
	switch {
	case has(w.r.lists["sqlite_read"], word):
		return read("")
	case has(w.r.lists["sqlite_write"], word):
		return write("the sqlite command " + word)
	case word == ".shell" || word == ".system":
		// sqlite quotes the words again before the shell sees them.
		cmd := strings.TrimSpace(strings.TrimPrefix(line, word))
		return w.nested(cmd, langSh).atLeast(Unknown, "the sqlite command "+word)
	}
	return unknown("the sqlite command " + word)
}

func judgeRedis(w *walker, c *invocation) verdict {
	p := c.spec.options(c.args, true)
	v := p.v
	v.network = true
	if len(p.rest) == 0 {
		switch {
		case p.has("--scan", "--bigkeys", "--memkeys", "--hotkeys", "--stat", "--latency", "--latency-history", "-v"):
			return v
		case c.in.kind == stdinText:
			for _, line := range strings.Split(strings.TrimSpace(c.in.text), "\n") {
				v = v.worse(w.redisCommand(strings.Fields(line)))
			}
			return v
		}
		return v.worse(unknown("runs the commands that it reads"))
	}
	v = v.worse(carried(p.rest))
	if p.rest[0].dyn {
		return v.worse(unknown("a command that is only known at run time: " + p.rest[0].source()))
	}
	var texts []string
	for _, a := range p.rest {
		texts = append(texts, a.text)
	}
	return v.worse(w.redisCommand(texts))
}

// redisCommand judges one command of Redis.
func (w *walker) redisCommand(f []string) verdict {
	if len(f) == 0 {
		return read("")
	}
	name, sub := strings.ToLower(f[0]), ""
	if len(f) > 1 {
		sub = name + "/" + strings.ToLower(f[1])
	}
	switch {
	case has(w.r.lists["redis_unknown"], name):
		return verdict{Unknown, "the Redis command " + f[0], true}
	case has(w.r.lists["redis_read"], name), has(w.r.lists["redis_read"], sub):
		if name == "sort" || name == "georadius" {
			break
		}
		return fetches("the Redis command " + f[0])
	}
	return verdict{Write, "the Redis command " + f[0], true}
}

// judgeBq judges bq: a query is SQL.
func judgeBq(w *walker, c *invocation) verdict {
	p := c.spec.options(c.args, true)
	v := p.v
	v.network = true
	if len(p.rest) == 0 {
		return v.worse(unknown("without a sub-command"))
	}
	switch p.rest[0].text {
	case "ls", "show", "head", "version", "help":
		return v.worse(c.spec.options(p.rest[1:], false).v).worse(carried(p.rest))
	case "query":
		q := c.spec.options(p.rest[1:], false)
		v = v.worse(q.v)
		if len(q.operands) != 1 {
			return v.worse(unknown("a query that is not in its words"))
		}
		return v.worse(w.statement(q.operands[0], "mysql"))
	case "mk", "rm", "cp", "load", "extract", "insert", "update", "cancel", "init", "mkdef", "partition", "truncate",
		"undelete":
		return v.worse(write("bq " + p.rest[0].text))
	}
	return v.worse(unknown("bq " + p.rest[0].text))
}
