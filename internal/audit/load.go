package audit

import (
	"fmt"
	"strings"

	"recovery/internal/text"

	"gopkg.in/yaml.v3"
)

// words is a list that a rules file writes as one string, split at blanks.
type words []string

func (w *words) UnmarshalYAML(n *yaml.Node) error {
	var s string
	if err := n.Decode(&s); err != nil {
		return err
	}
	*w = strings.Fields(s)
	return nil
}

// set turns the list into a set.
func (w words) set() map[string]bool {
	m := make(map[string]bool, len(w))
	for _, s := range w {
		m[s] = true
	}
	return m
}

// ruleFile is one embedded file; each holds some of the keys.
type ruleFile struct {
	Sets     map[string]string    `yaml:"sets"`
	Commands map[string]yaml.Node `yaml:"commands"`
	Tools    map[string]toolRule  `yaml:"tools"`
	Env      *envRules            `yaml:"env"`
	Lists    map[string]words     `yaml:"lists"`
	SQL      words                `yaml:"sql_functions"`
	MCP      mcpRules             `yaml:",inline"`
}

// add puts an embedded file into the tables. A name that is in two files is an error: the later one would silently win.
func (r *Rules) add(data []byte) error {
	var f ruleFile
	if err := text.DecodeYAML(data, &f); err != nil {
		return err
	}
	for name, t := range f.Tools {
		if _, twice := r.tools[name]; twice {
			return fmt.Errorf("tool %s is listed twice", name)
		}
		if err := t.check(name); err != nil {
			return err
		}
		r.tools[name] = t
	}
	if f.Env != nil {
		r.env = *f.Env
		r.env.compile()
	}
	for name, list := range f.Lists {
		r.lists[name] = list
	}
	for _, name := range f.SQL {
		r.sqlSafe[name] = true
	}
	if len(f.MCP.ReadVerbs) > 0 {
		r.mcp = f.MCP
		r.mcp.compile()
	}
	for names, node := range f.Commands {
		s, err := compileSpec(&node, f.Sets, nil)
		if err != nil {
			return fmt.Errorf("command %s: %w", names, err)
		}
		for _, name := range splitNames(names) {
			if _, twice := r.commands[name]; twice {
				return fmt.Errorf("command %s is listed twice", name)
			}
			r.commands[name] = s
		}
	}
	return nil
}

// splitNames splits a key: names that share one rule are separated by commas.
func splitNames(key string) []string {
	var out []string
	for _, s := range strings.Split(key, ",") {
		if s = strings.Join(strings.Fields(s), " "); s != "" {
			out = append(out, s)
		}
	}
	return out
}

// parseClass reads a class name of a rules file.
func parseClass(s string) (Class, error) {
	switch c := Class(s); c {
	case Read, Write, Unknown:
		return c, nil
	}
	return Unknown, fmt.Errorf("class %q is none of read, write, unknown", s)
}
