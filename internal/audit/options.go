package audit

import "strings"

// option is one option as it was given.
type option struct {
	*flag
	value arg
	given bool // a value was given
}

// parsed is an argument list taken apart.
type parsed struct {
	options  []option
	operands []arg
	rest     []arg   // what follows the first operand, when options end there
	v        verdict // what the options say
}

// has says whether one of the named options was given.
func (p *parsed) has(names ...string) bool {
	for _, o := range p.options {
		for _, n := range names {
			if o.name == n {
				return true
			}
		}
	}
	return false
}

// value returns the last value given to one of the named options.
func (p *parsed) value(names ...string) (arg, bool) {
	for i := len(p.options) - 1; i >= 0; i-- {
		for _, n := range names {
			if p.options[i].name == n && p.options[i].given {
				return p.options[i].value, true
			}
		}
	}
	return arg{}, false
}

// parser reads the words of one call against a spec.
type parser struct {
	s    *spec
	args []arg
	p    parsed
}

// options takes an argument list apart. With stop, options end at the first operand, which begins rest.
func (s *spec) options(args []arg, stop bool) *parsed {
	r := &parser{s: s, args: args, p: parsed{v: read("")}}
	for len(r.args) > 0 {
		a := r.args[0]
		if stop && !a.dyn && (a.text == "" || a.text == "-" || a.text[0] != '-' && !(a.text[0] == '+' && s.flags.plus)) {
			break
		}
		r.args = r.args[1:]
		switch {
		case !a.dyn && a.text == "--":
			if stop {
				r.p.rest = r.args
				return &r.p
			}
			for _, o := range r.args {
				o.afterDash = true
				r.p.operands = append(r.p.operands, o)
			}
			return &r.p
		case len(a.text) > 1 && a.text[0] == '-':
			r.option(a)
		case a.dyn && !a.safeOperand() && !s.any:
			r.note(unknown("a word that is only known at run time may be an option: " + a.source()))
			r.p.operands = append(r.p.operands, a)
			if stop {
				r.p.rest = r.args
				return &r.p
			}
		case stop:
			// A dynamic word that is no option: the first operand.
			r.p.rest = append([]arg{a}, r.args...)
			return &r.p
		default:
			r.p.operands = append(r.p.operands, a)
		}
	}
	r.p.rest = r.args
	return &r.p
}

func (r *parser) note(v verdict) { r.p.v = r.p.v.worse(v) }

// option reads a word that begins with a dash.
func (r *parser) option(a arg) {
	switch {
	case r.s.flags.number() && allDigits(a.text[1:]) && !a.dyn:
		return
	case strings.HasPrefix(a.text, "--") || r.s.golike:
		r.longOption(a)
	default:
		if f := r.s.flags.get(nameOf(a.text)); f != nil && len(f.name) > 2 {
			r.longOption(a) // a command with a few long options of one dash
			return
		}
		r.cluster(a)
	}
}

func nameOf(text string) string {
	name, _, _ := strings.Cut(text, "=")
	return name
}

func (r *parser) longOption(a arg) {
	name, value, joined := strings.Cut(a.text, "=")
	if a.dyn && !joined {
		r.note(unknown("an option whose name is only known at run time: " + a.source()))
		return
	}
	f := r.s.flags.long(name, r.s.golike)
	if f == nil && r.s.golike {
		// `-name` and `--name` are the same to the flag packages of Go.
		if strings.HasPrefix(name, "--") {
			f = r.s.flags.get(name[1:])
		} else {
			f = r.s.flags.get("-" + name)
		}
	}
	if f == nil {
		r.note(unknown("the option `" + name + "` is not known"))
		return
	}
	if joined {
		v := a
		v.text = value
		if f.value == noValue && (a.dyn || value != "true" && value != "false") {
			r.note(unknown("the option `" + name + "` takes no value that is known"))
		}
		if a.multi {
			r.note(unknown("the value of `" + name + "` may become several words: " + a.source()))
		}
		r.found(f, v, true)
		return
	}
	r.separate(f)
}

// separate finds the value of an option in the next word.
func (r *parser) separate(f *flag) {
	if f.value != needsValue {
		r.found(f, arg{}, false)
		return
	}
	if len(r.args) == 0 {
		r.found(f, arg{}, false)
		return
	}
	v := r.args[0]
	r.args = r.args[1:]
	if s := r.swallowed(v); s != "" && !patternOptions[f.name] {
		// A table that is wrong about one option must not hide another one behind it.
		r.note(unknown("the value of `" + f.name + "` may be the option `" + s + "`"))
	}
	if v.multi {
		r.note(unknown("the value of `" + f.name + "` may become several words or none: " + v.source()))
	}
	r.found(f, v, true)
}

// patternOptions take texts that often begin with a dash.
var patternOptions = words(strings.Fields("-e --regexp --expression --grep -S -G")).set()

// swallowed returns the option that a word would be if it were not a value, when that option does more than read.
func (r *parser) swallowed(v arg) string {
	if len(v.text) < 2 || v.text[0] != '-' {
		return ""
	}
	probe := parser{s: r.s, p: parsed{v: read("")}}
	probe.option(v)
	for _, o := range probe.p.options {
		if o.class != flagRead {
			return o.name
		}
	}
	return ""
}

// cluster reads short options letter by letter until one takes a value.
func (r *parser) cluster(a arg) {
	text := a.text
	for i := 1; i < len(text); i++ {
		if r.s.flags.number() && i > 1 && allDigits(text[i:]) && !a.dyn {
			return
		}
		f := r.s.flags.get("-" + text[i:i+1])
		if f == nil {
			r.note(unknown("the option `-" + text[i:i+1] + "` is not known"))
			return
		}
		rest := text[i+1:]
		switch {
		case f.value == noValue:
			r.found(f, arg{}, false)
		case rest != "" || a.dyn:
			v := a
			v.text = rest
			if a.multi {
				r.note(unknown("the value of `" + f.name + "` may become several words: " + a.source()))
			}
			r.found(f, v, true)
			return
		case f.value == mayHaveValue:
			r.found(f, arg{}, false)
		default:
			r.separate(f)
		}
	}
	if a.dyn {
		r.note(unknown("options that are only known at run time: " + a.source()))
	}
}

// found weighs an option that is known.
func (r *parser) found(f *flag, v arg, given bool) {
	r.p.options = append(r.p.options, option{f, v, given})
	switch {
	case f.class == flagWrite:
		r.note(write("the option `" + f.name + "` writes"))
	case f.guessed:
		r.note(unknown("the option `" + f.name + "` is not written out"))
	case f.class == flagUnknown:
		r.note(unknown("the option `" + f.name + "` may run a program or change what is read"))
	case f.class == flagOut:
		switch {
		case !given && f.value == mayHaveValue:
			r.note(write("the option `" + f.name + "` writes to a file"))
		case v.dyn:
			r.note(unknown("the option `" + f.name + "` writes to a place that is only known at run time"))
		case v.text != "-" && !harmlessTarget(v.text):
			r.note(write("the option `" + f.name + "` writes to " + v.text))
		}
	case f.only != nil && given:
		switch {
		case v.dyn:
			r.note(unknown("the value of `" + f.name + "` is only known at run time"))
		case f.only[v.text]:
		case f.other == flagUnknown:
			r.note(unknown("the option `" + f.name + "` with `" + v.text + "` is not known to read"))
		default:
			r.note(write("the option `" + f.name + "` with `" + v.text + "` does not only read"))
		}
	}
}

func allDigits(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}
