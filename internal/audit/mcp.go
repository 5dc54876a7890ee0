package audit

import (
	"path"
	"regexp"
	"strings"
	"unicode"
)

// mcpRules are the word lists and exceptions for tools of MCP servers.
type mcpRules struct {
	ReadVerbs    words                `yaml:"read_verbs"`
	ReadLast     words                `yaml:"read_last"`
	WriteVerbs   words                `yaml:"write_verbs"`
	UnknownVerbs words                `yaml:"unknown_verbs"`
	Nouns        words                `yaml:"nouns"`
	Joiners      words                `yaml:"joiners"`
	Prefixes     words                `yaml:"prefixes"`
	Servers      map[string]mcpServer `yaml:"servers"`

	read, readLast, write, unknown, noun, joiner, prefix map[string]bool
}

// mcpServer lists the tools of one popular server that the verb rule gets wrong, or that are worth naming outright.
type mcpServer struct {
	Read    words `yaml:"read"`
	Write   words `yaml:"write"`
	Unknown words `yaml:"unknown"`
}

func (m *mcpRules) compile() {
	m.read, m.readLast = m.ReadVerbs.set(), m.ReadLast.set()
	m.write, m.unknown = m.WriteVerbs.set(), m.UnknownVerbs.set()
	m.noun, m.joiner, m.prefix = m.Nouns.set(), m.Joiners.set(), m.Prefixes.set()
}

// mcpTool judges a call of an MCP tool: its name by the server's exceptions and the verb rule, then its input.
func (r *Rules) mcpTool(name string, in map[string]any) verdict {
	server, tool, ok := strings.Cut(strings.TrimPrefix(name, "mcp__"), "__")
	if !ok || server == "" || tool == "" {
		return unknown("not a name of an MCP tool")
	}
	v := r.mcp.byName(server, tool)
	v.network = true
	if texts := sqlInput(server, tool, in); len(texts) > 0 && v.class != Write {
		s := verdict{class: Read, network: true}
		for _, sql := range texts {
			s = s.worse(r.sql(sql, ""))
		}
		return s
	}
	if plainGet(in) && httpTool(tool) {
		return fetches("an HTTP GET")
	}
	if v.class == Write {
		return v
	}
	return v.worse(r.mcp.byInput(tool, in))
}

// byInput judges what the input says besides the name: a verb of changing, a place to write to, data in an address.
func (m *mcpRules) byInput(tool string, in map[string]any) verdict {
	v := read("")
	for key, val := range in {
		k := strings.ToLower(key)
		text, _ := val.(string)
		switch {
		case strings.HasPrefix(strings.ToLower(tool), "browser_") && k == "filename":
			return verdict{Write, "saves a file", true}
		case savesTo.MatchString(k):
			v = v.atLeast(Unknown, "takes a path that it may write to")
		case says[k]:
			for _, w := range splitWords(text) {
				if m.write[w] || httpWrites[w] {
					return verdict{Write, "its input says `" + w + "`", true}
				}
			}
		case val == true && len(splitWords(key)) > 0 && m.write[splitWords(key)[0]] && !m.noun[splitWords(key)[0]]:
			return verdict{Write, "its input asks to " + splitWords(key)[0], true}
		case (k == "url" || k == "uri" || k == "href" || k == "link") && smuggles(text):
			v = v.atLeast(Unknown, "the address holds what looks like encoded data")
		}
	}
	return v
}

// says are input keys whose value is what the tool is to do.
var says = words(strings.Fields("action operation op mode method verb command cmd")).set()

var httpWrites = words(strings.Fields("post put patch delete")).set()

// httpTool holds for a tool whose name says no more than that it sends a request.
func httpTool(tool string) bool {
	http := false
	for _, w := range splitWords(tool) {
		switch w {
		case "http", "https":
			http = true
		case "request", "fetch", "send", "call", "make", "do", "api", "get":
		default:
			return false
		}
	}
	return http
}

// savesTo matches input keys that name a place to write to.
var savesTo = regexp.MustCompile(
	`^(output|out|save|dest|destination|download|local|export|target)_?(to|as)?_?(path|file|dir|directory|folder|` +
		`filename)?$`)

// byName judges the name alone.
func (m *mcpRules) byName(server, tool string) verdict {
	v := m.byVerb(server, tool)
	for _, word := range splitWords(server) {
		s, ok := m.Servers[word]
		if !ok {
			continue
		}
		switch {
		case matchesAny(s.Write, tool):
			return write("a tool of the " + word + " server that is known to change things")
		case matchesAny(s.Unknown, tool):
			return unknown("a tool of the " + word + " server whose effect its name does not tell")
		case has(s.Read, tool):
			return read("a tool of the " + word + " server that is known to read")
		case matchesAny(s.Read, tool) && v.class != Write:
			// A pattern gives way to a verb of changing: `list_and_delete` matches `list_*` too.
			return read("a tool of the " + word + " server that is known to read")
		}
	}
	return v
}

// byVerb reads the verbs in a tool's name.
func (m *mcpRules) byVerb(server, tool string) verdict {
	ws := splitWords(tool)
	serverWords := words(splitWords(server)).set()
	for len(ws) > 1 && (m.prefix[ws[0]] || serverWords[ws[0]] && !m.read[ws[0]] && !m.write[ws[0]] && !m.unknown[ws[0]]) {
		ws = ws[1:]
	}
	if len(ws) == 0 {
		return unknown("a name without words")
	}
	last := ws[len(ws)-1]
	switch first := ws[0]; {
	case m.read[first]:
		return m.rest(ws[1:], first)
	case len(ws) > 1 && m.readLast[last] && m.allNouns(ws[:len(ws)-1]):
		return read("its name ends in `" + last + "`")
	case len(ws) == 1 && m.readLast[first]:
		return read("its name is `" + first + "`")
	case (first == "run" || first == "execute") && (has(ws, "sql") || has(ws, "query")):
		return unknown("runs a query that its name does not tell")
	case m.write[first]:
		return write("its name says `" + first + "`")
	}
	for _, w := range ws {
		if m.write[w] && (!m.noun[w] || w == last) {
			return write("its name says `" + w + "`")
		}
	}
	return unknown("its name does not tell what it does")
}

// rest looks at the words after a verb of reading: another verb wins, unless it is a noun here.
func (m *mcpRules) rest(ws []string, verb string) verdict {
	joined := false
	v := read("its name says `" + verb + "`")
	if verb == "check" && len(ws) > 0 && (ws[0] == "in" || ws[0] == "out") {
		return write("its name says `check " + ws[0] + "`")
	}
	for _, w := range ws {
		switch {
		case m.joiner[w]:
			joined = true
			continue
		case m.noun[w] && !joined:
		case m.write[w]:
			return write("its name says `" + w + "`")
		case joined && !m.read[w]:
			// Behind "and" another verb may stand, which need not be in the lists.
			v = v.atLeast(Unknown, "its name goes on with `"+w+"`")
		}
		joined = false
	}
	return v
}

// allNouns holds when no word is a verb of changing that is not a noun as well.
func (m *mcpRules) allNouns(ws []string) bool {
	for _, w := range ws {
		if (m.write[w] || m.unknown[w]) && !m.noun[w] || m.joiner[w] {
			return false
		}
	}
	return true
}

func matchesAny(patterns []string, s string) bool {
	for _, p := range patterns {
		if ok, err := path.Match(p, s); err == nil && ok {
			return true
		}
	}
	return false
}

func has(list []string, s string) bool {
	for _, l := range list {
		if l == s {
			return true
		}
	}
	return false
}

// splitWords splits a name at `_`, `-`, `.` and at camelCase humps, in lower case.
func splitWords(s string) []string {
	var out []string
	var b strings.Builder
	flush := func() {
		if b.Len() > 0 {
			out = append(out, strings.ToLower(b.String()))
			b.Reset()
		}
	}
	var prev rune
	for _, c := range s {
		switch {
		case !unicode.IsLetter(c) && !unicode.IsDigit(c):
			flush()
			prev = 0
			continue
		case unicode.IsUpper(c) && unicode.IsLower(prev):
			flush()
		}
		b.WriteRune(c)
		prev = c
	}
	flush()
	return out
}

// sqlInput returns the statements that a data base tool was given. Only tools that say so by name are read this way.
func sqlInput(server, tool string, in map[string]any) []string {
	about := false
	for _, w := range append(splitWords(server), splitWords(tool)...) {
		switch w {
		case "sql", "postgres", "postgresql", "mysql", "mariadb", "sqlite", "db", "database", "bigquery", "snowflake",
			"duckdb":
			about = true
		}
	}
	asks := false
	for _, w := range splitWords(tool) {
		asks = asks || w == "query" || w == "sql" || w == "execute" || w == "exec"
	}
	if !about || !asks {
		return nil
	}
	var out []string
	for _, key := range []string{"sql", "query", "statement"} {
		if s, ok := in[key].(string); ok {
			out = append(out, s)
		}
	}
	return out
}

// plainGet holds for the input of an HTTP tool that asks for a GET without a body.
func plainGet(in map[string]any) bool {
	method, _ := in["method"].(string)
	target, _ := in["url"].(string)
	if !strings.EqualFold(method, "GET") || target == "" || smuggles(target) {
		return false
	}
	for key, v := range in {
		switch strings.ToLower(key) {
		case "method", "url", "timeout":
		case "body", "data", "json":
			if v != nil && v != "" {
				return false
			}
		default:
			return false
		}
	}
	return true
}
