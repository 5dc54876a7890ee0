package audit

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// redirects judges the redirections of a statement and says what its command reads from standard input.
func (w *walker) redirects(list []*syntax.Redirect, in stdin) (verdict, stdin) {
	v := read("")
	for _, r := range list {
		if r.N != nil && strings.HasPrefix(r.N.Value, "{") {
			v = v.worse(w.r.env.assigned(strings.Trim(r.N.Value, "{}"), false, arg{dyn: true}))
		}
		if r.Word != nil && r.Hdoc == nil {
			v = v.worse(w.expansions(r.Word))
		}
		if r.Hdoc != nil {
			v = v.worse(w.expansions(r.Hdoc))
		}
		own := r.N == nil || r.N.Value == "0"
		switch r.Op {
		case syntax.Hdoc, syntax.DashHdoc:
			if own {
				in = w.hereDoc(r)
			}
		case syntax.WordHdoc:
			if own {
				in = stdin{kind: stdinData}
				if a := w.one(r.Word); !a.dyn || a.glob && !a.split {
					if a.glob {
						a = w.quotedText(r.Word)
					}
					if !a.dyn {
						in = stdin{stdinText, a.text + "\n"}
					}
				}
			}
		case syntax.RdrIn:
			a := w.target(r.Word)
			if strings.HasPrefix(a.text, "/dev/tcp/") || strings.HasPrefix(a.text, "/dev/udp/") {
				v = v.atLeast(Unknown, "opens a network connection")
			}
			if own {
				in = stdin{kind: stdinData}
				if !a.dyn && a.text == "/dev/null" {
					in.kind = stdinNull
				}
			}
		case syntax.DplIn:
			a := w.target(r.Word)
			if a.dyn || !descriptor(a.text) {
				v = v.atLeast(Unknown, "copies a descriptor that is only known at run time: "+a.source())
			}
			if own {
				in = stdin{kind: stdinData}
			}
		case syntax.DplOut:
			a := w.target(r.Word)
			if !a.dyn && descriptor(a.text) {
				continue
			}
			v = v.worse(writesTo(a))
		default:
			v = v.worse(writesTo(w.target(r.Word)))
		}
	}
	return v, in
}

// quotedText resolves a here-string's word, where patterns are not expanded.
func (w *walker) quotedText(word *syntax.Word) arg {
	quoted := &syntax.DblQuoted{Parts: word.Parts}
	for _, p := range word.Parts {
		if lit, ok := p.(*syntax.Lit); ok && strings.Contains(lit.Value, `\`) {
			return arg{dyn: true}
		}
		if _, ok := p.(*syntax.SglQuoted); ok {
			return w.resolve(word.Parts, w.text(word))
		}
	}
	return w.resolve([]syntax.WordPart{quoted}, w.text(word))
}

// target resolves the word of a redirection. Several words there are an error, which counts as not known.
func (w *walker) target(word *syntax.Word) arg {
	list := w.word(word)
	if len(list) != 1 {
		return arg{dyn: true, split: true, multi: true, src: w.text(word)}
	}
	return list[0]
}

// descriptor holds for what may follow `>&` and `<&` without naming a file: a number, `-`, or both to move it.
func descriptor(s string) bool {
	return s == "-" || allDigits(strings.TrimSuffix(s, "-")) && s != ""
}

// harmlessTarget holds for output targets that are no files: the null device and the command's own streams.
func harmlessTarget(path string) bool {
	switch path {
	case "/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty", "/dev/fd/1", "/dev/fd/2", procPath:
		return true
	}
	return false
}

// writesTo judges an output redirection.
func writesTo(a arg) verdict {
	switch {
	case strings.HasPrefix(a.text, "/dev/tcp/"), strings.HasPrefix(a.text, "/dev/udp/"):
		return verdict{Write, "sends to a network connection", true}
	case a.dyn:
		return unknown("output goes to a place that is only known at run time: " + a.source())
	case harmlessTarget(a.text):
		return read("")
	case scratch(a.text):
		return write("output goes to the scratch file " + a.text)
	}
	return write("output goes to the file " + a.text)
}

// scratch holds for paths below the usual temporary folders: still a write, but said so.
func scratch(path string) bool {
	return (strings.HasPrefix(path, "/tmp/") || strings.HasPrefix(path, "/var/tmp/")) && !strings.Contains(path, "..")
}

// hereDoc returns the text of a here-document, when all of it is known.
func (w *walker) hereDoc(r *syntax.Redirect) stdin {
	if r.Hdoc == nil {
		return stdin{stdinText, ""}
	}
	quoted := false
	for _, p := range r.Word.Parts {
		lit, ok := p.(*syntax.Lit)
		quoted = quoted || !ok || strings.Contains(lit.Value, `\`)
	}
	var b strings.Builder
	for _, p := range r.Hdoc.Parts {
		lit, ok := p.(*syntax.Lit)
		if !ok {
			return stdin{kind: stdinData}
		}
		if quoted {
			b.WriteString(lit.Value)
		} else {
			b.WriteString(unescapeQuoted(lit.Value))
		}
	}
	return stdin{stdinText, b.String()}
}
