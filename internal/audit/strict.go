package audit

import (
	"fmt"
	"strings"

	"recovery/internal/text"
)

// strictFile is a rules file of the user. Keys under commands are a command, with sub-commands behind it if wanted:
// `git log: unknown`, or with flags: `mytool: {write: --force}`.
type strictFile struct {
	Commands map[string]strictYAML `yaml:"commands"`
	Tools    map[string]string     `yaml:"tools"`
}

// strictYAML is a class, or flags that make one.
type strictYAML struct {
	Class   string
	Write   words
	Unknown words
}

func (y *strictYAML) UnmarshalYAML(unmarshal func(any) error) error {
	if unmarshal(&y.Class) == nil {
		return nil
	}
	var m map[string]string
	if err := unmarshal(&m); err != nil {
		return err
	}
	for key, val := range m {
		switch key {
		case "class":
			y.Class = val
		case "write":
			y.Write = strings.Fields(val)
		case "unknown":
			y.Unknown = strings.Fields(val)
		default:
			return fmt.Errorf("the key %q is none of class, write, unknown", key)
		}
	}
	return nil
}

// strictRule raises the class of calls that match; it can do nothing else.
type strictRule struct {
	tool    string
	words   []string
	class   Class // of every call that matches; empty: only the flags count
	write   words
	unknown words
}

// addStrict puts a file of the user on top of the tables.
func (r *Rules) addStrict(data []byte) error {
	var f strictFile
	if err := text.DecodeYAML(data, &f); err != nil {
		return err
	}
	worsens := func(name, s string) (Class, error) {
		c, err := parseClass(s)
		if err == nil && c == Read {
			err = fmt.Errorf("a rules file can make a call unknown or write, not read")
		}
		if err != nil {
			return Unknown, fmt.Errorf("%s: %w", name, err)
		}
		return c, nil
	}
	for name, class := range f.Tools {
		c, err := worsens(name, class)
		if err != nil {
			return err
		}
		r.strict = append(r.strict, strictRule{tool: name, class: c})
	}
	for names, y := range f.Commands {
		for _, name := range splitNames(names) {
			rule := strictRule{words: strings.Fields(name), write: y.Write, unknown: y.Unknown}
			if y.Class != "" {
				c, err := worsens(name, y.Class)
				if err != nil {
					return err
				}
				rule.class = c
			}
			r.strict = append(r.strict, rule)
		}
	}
	return nil
}

// strictTool raises the class of a tool call by the user's rules. A pattern may hold `*`.
func (r *Rules) strictTool(name string, v verdict) verdict {
	for _, s := range r.strict {
		if s.tool != "" && matchesPatterns([]string{s.tool}, name) {
			v = v.atLeast(s.class, "a rule of the user names this tool")
		}
	}
	return v
}

// strictCommand raises the class of a command by the user's rules.
func (r *Rules) strictCommand(name string, args []arg, v verdict) verdict {
	for _, s := range r.strict {
		if len(s.words) == 0 || s.words[0] != name || !inOrder(s.words[1:], args) {
			continue
		}
		if s.class != "" {
			v = v.atLeast(s.class, "a rule of the user names `"+strings.Join(s.words, " ")+"`")
		}
		for _, a := range args {
			if f := givenFlag(s.write, a); f != "" {
				v = v.atLeast(Write, "a rule of the user names the option `"+f+"`")
			}
			if f := givenFlag(s.unknown, a); f != "" {
				v = v.atLeast(Unknown, "a rule of the user names the option `"+f+"`")
			}
		}
	}
	return v
}

// inOrder holds when the words occur among the arguments in this order; options in between do not matter.
func inOrder(list []string, args []arg) bool {
	for _, a := range args {
		if len(list) == 0 {
			break
		}
		if a.text == list[0] && !a.dyn {
			list = list[1:]
		}
	}
	return len(list) == 0
}

// givenFlag returns the flag of the list that a word gives, also inside a cluster.
func givenFlag(flags []string, a arg) string {
	for _, f := range flags {
		f = strings.TrimRight(f, "=?")
		switch {
		case a.text == f, strings.HasPrefix(a.text, f+"="):
			return f
		case len(f) == 2 && len(a.text) > 1 && a.text[0] == '-' && a.text[1] != '-' && strings.Contains(a.text, f[1:]):
			return f
		case strings.HasPrefix(f, "--") && len(a.text) > 3 && strings.HasPrefix(f, nameOf(a.text)):
			return f
		}
	}
	return ""
}
