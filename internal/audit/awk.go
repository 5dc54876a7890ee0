package audit

import (
	"regexp"
	"strings"
)

// awkToken is one token of an awk program: a word, a number, a string, a regular expression, a newline or a sign.
type awkToken struct {
	kind byte // 'w', '0', 's', '/', '\n', or the first byte of the sign
	text string
}

// awkTokens splits a program. A slash begins a regular expression where no operand can end before it.
func awkTokens(s string) ([]awkToken, bool) {
	var out []awkToken
	var heads []bool // for each open bracket: does a statement follow its end
	for i := 0; i < len(s); {
		c := s[i]
		if c == '/' && len(out) > 0 && out[len(out)-1].text == "getline" {
			return nil, false
		}
		switch {
		case c == ' ' || c == '\t' || c == '\r':
			i++
		case c == '\\' && i+1 < len(s) && s[i+1] == '\n':
			i += 2
		case c == '#':
			i += untilNewline(s[i:])
		case c == '"':
			end := escapedEnd(s[i+1:], '"')
			if end < 0 {
				return nil, false
			}
			out = append(out, awkToken{'s', s[i+1 : i+1+end]})
			i += end + 2
		case c == '/' && regexMayFollow(out):
			end := regexEnd(s[i+1:])
			if end < 0 {
				return nil, false
			}
			out = append(out, awkToken{'/', ""})
			i += end + 2
		case c == '_' || c == '@' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z':
			j := i + 1
			for j < len(s) && (s[j] == '_' || s[j] == ':' && j+1 < len(s) && s[j+1] == ':' || s[j] == ':' && s[j-1] == ':' ||
				s[j] >= 'a' && s[j] <= 'z' || s[j] >= 'A' && s[j] <= 'Z' || s[j] >= '0' && s[j] <= '9') {
				j++
			}
			out = append(out, awkToken{'w', s[i:j]})
			i = j
		case c >= '0' && c <= '9' || c == '.':
			j := i + 1
			for j < len(s) && (s[j] >= '0' && s[j] <= '9' || s[j] == '.' || s[j] == 'e' || s[j] == 'E' || s[j] == 'x') {
				j++
			}
			out = append(out, awkToken{'0', s[i:j]})
			i = j
		default:
			text := s[i : i+1]
			for _, op := range []string{">>", "|&", "||", "&&", ">=", "<=", "==", "!=", "!~", "++", "--", "+=", "-=", "*=", "%=",
				"^=", "/="} {
				if strings.HasPrefix(s[i:], op) {
					text = op
					break
				}
			}
			switch c {
			case '(':
				heads = append(heads, len(out) > 0 && awkHead(out[len(out)-1].text))
			case ')':
				if n := len(heads); n > 0 {
					if heads[n-1] {
						text = "head)"
						i -= len(text) - 1
					}
					heads = heads[:n-1]
				}
			}
			out = append(out, awkToken{c, text})
			i += len(text)
		}
	}
	return out, true
}

// awkHead holds for the words whose bracket is followed by a statement, where a slash begins a regular expression.
func awkHead(s string) bool { return s == "if" || s == "while" || s == "for" || s == "switch" }

func escapedEnd(s string, q byte) int {
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case q:
			return i
		case '\\':
			i++
		case '\n':
			return -1
		}
	}
	return -1
}

// regexEnd finds the slash that ends a regular expression. A slash within brackets does not; an awk to which it does
// is left with brackets that do not close, and refuses the program.
func regexEnd(s string) int {
	bracket := false
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '\n':
			return -1
		case c == '\\':
			i++
		case c == '[' && !bracket:
			bracket = true
			if i+1 < len(s) && s[i+1] == '^' {
				i++
			}
			if i+1 < len(s) && s[i+1] == ']' {
				i++
			}
		case c == '[' && i+1 < len(s) && strings.IndexByte(":.=", s[i+1]) >= 0:
			// A class within the brackets: its own bracket does not end them.
			end := strings.Index(s[i+2:], s[i+1:i+2]+"]")
			if end < 0 {
				return -1
			}
			i += end + 3
		case c == ']' && bracket:
			bracket = false
		case c == '/' && !bracket:
			return i
		}
	}
	return -1
}

func regexMayFollow(out []awkToken) bool {
	if len(out) == 0 {
		return true
	}
	switch last := out[len(out)-1]; last.kind {
	case ')':
		return last.text == "head)"
	case '0', 's', '/', ']', '$':
		return false
	case 'w':
		switch last.text {
		case "print", "printf", "return", "exit", "in", "case", "else", "do", "getline", "delete", "next", "BEGIN", "END":
			return true
		}
		return false
	case '+', '-':
		return last.text != "++" && last.text != "--"
	}
	return true
}

var awkDevice = regexp.MustCompile(`^/inet[46]?/`)

// awkProgram judges an awk program whose whole text is known. run judges a shell command.
func awkProgram(src string, run func(string) verdict) verdict {
	t, ok := awkTokens(src)
	if !ok {
		return unknown("an awk program that is not followed")
	}
	v := read("prints")
	depth, printDepth := 0, -1 // printDepth: brackets open where a print statement began
	for i, k := range t {
		switch k.kind {
		case '(', '[':
			depth++
		case ')', ']':
			depth--
		case ';', '{', '}':
			printDepth = -1
		case '\n':
			if !awkGoesOn(t[:i]) && depth <= printDepth {
				printDepth = -1
			}
		case 's':
			if awkDevice.MatchString(k.text) {
				v = v.worse(verdict{Unknown, "awk opens a network connection", true})
			}
		case 'w':
			switch {
			case k.text == "print" || k.text == "printf":
				printDepth = depth
			case k.text == "system":
				v = v.worse(awkRun(t, i+1, run))
			case strings.HasPrefix(k.text, "@"):
				v = v.worse(unknown("awk `" + k.text + "`"))
			case strings.Contains(k.text, "::"):
				v = v.worse(unknown("an awk function of an extension"))
			}
		case '>':
			if printDepth < 0 || depth > printDepth || k.text == ">=" {
				continue
			}
			v = v.worse(awkTarget(t[i+1:]))
		case '|':
			switch {
			case k.text == "||":
			case k.text == "|&" && printDepth >= 0 && depth <= printDepth:
				v = v.worse(awkPipe(t[i+1:], run)).atLeast(Unknown, "awk talks to another process")
			case k.text == "|&":
				v = v.worse(awkFrom(t[:i], run)).atLeast(Unknown, "awk talks to another process")
			case printDepth >= 0 && depth <= printDepth:
				v = v.worse(awkPipe(t[i+1:], run))
			default:
				v = v.worse(awkFrom(t[:i], run))
			}
		}
	}
	return v
}

// awkGoesOn holds when a newline behind these tokens does not end the statement.
func awkGoesOn(t []awkToken) bool {
	for i := len(t) - 1; i >= 0; i-- {
		switch k := t[i]; {
		case k.kind == '\n':
		case k.kind == ',' || k.kind == '?' || k.kind == ':' || k.text == "&&" || k.text == "||":
			return true
		default:
			return false
		}
	}
	return false
}

// awkTarget judges where a print statement is sent: the tokens behind `>`.
func awkTarget(t []awkToken) verdict {
	if len(t) > 0 && t[0].kind == 's' && (len(t) == 1 || t[1].kind == ';' || t[1].kind == '}' || t[1].kind == '\n') {
		switch t[0].text {
		case "/dev/stdout", "/dev/stderr", "/dev/null":
			return read("")
		case "-":
			return unknown("awk prints to `-`, which is a file to some")
		}
		return write("awk prints to the file " + t[0].text)
	}
	return write("awk prints to a file")
}

// awkPipe judges the command that a print statement is piped to.
func awkPipe(t []awkToken, run func(string) verdict) verdict {
	if len(t) > 0 && t[0].kind == 's' && (len(t) == 1 || t[1].kind == ';' || t[1].kind == '}' || t[1].kind == '\n') &&
		!strings.Contains(t[0].text, `\`) {
		return run(t[0].text)
	}
	return unknown("awk pipes into a command that is not known")
}

// awkFrom judges `"command" | getline`.
func awkFrom(t []awkToken, run func(string) verdict) verdict {
	n := len(t)
	if n > 0 && t[n-1].kind == 's' && !strings.Contains(t[n-1].text, `\`) {
		if n == 1 || strings.IndexByte("({;}\n!", t[n-2].kind) >= 0 {
			return run(t[n-1].text)
		}
	}
	return unknown("awk reads from a command that is not known")
}

// awkRun judges `system("command")`.
func awkRun(t []awkToken, at int, run func(string) verdict) verdict {
	if at+2 < len(t) && t[at].kind == '(' && t[at+1].kind == 's' && t[at+2].kind == ')' && !strings.Contains(t[at+1].text,
		`\`) {
		return run(t[at+1].text)
	}
	return unknown("awk runs a command that is not known")
}

// judgeAwk judges a call of awk.
func judgeAwk(w *walker, c *invocation) verdict {
	p := c.spec.options(c.args, true)
	v := p.v
	run := func(cmd string) verdict { return w.nested(cmd, langSh) }
	if lib, ok := p.value("-i", "--include"); ok && strings.TrimSuffix(lib.text, ".awk") == "inplace" {
		v = v.worse(write("awk changes its files in place"))
	}
	if src, ok := p.value("-e", "--source"); ok {
		for _, o := range p.options {
			if o.name != "-e" && o.name != "--source" {
				continue
			}
			src = o.value
			if src.dyn {
				v = v.worse(unknown("an awk program that is only known at run time: " + src.source()))
			}
			v = v.worse(awkProgram(src.text, run))
		}
		return v
	}
	if len(p.rest) == 0 {
		if len(p.options) > 0 && v.class == Read {
			return v
		}
		return v.worse(unknown("awk without a program"))
	}
	if p.rest[0].dyn {
		return v.worse(unknown("an awk program that is only known at run time: " + p.rest[0].source()))
	}
	return v.worse(awkProgram(p.rest[0].text, run))
}
