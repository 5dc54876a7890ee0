package audit

import (
	"fmt"
	"path"
	"sort"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"
)

// spec is the rule for one command or sub-command.
type spec struct {
	class     Class
	why       string
	any       bool // every word is fine, dynamic ones too: the command has no flag and no operand that writes or runs
	posix     bool // options end at the first operand
	golike    bool // long options may have one dash; no clusters, no abbreviations
	network   bool
	carries   bool // asks the network for what its words name, now and then
	noHelp    bool // even --version may run code of the repository
	persist   bool // flags count for sub-commands too
	inherit   bool // what this does not list is looked up under the sibling named `*`
	flags     *flagTable
	readIf    map[string]bool // with one of these flags the class is read
	unknownIf map[string]bool // with one of these it is unknown
	max       int             // most operands that keep the class; -1: any number
	min       int             // fewest operands that keep the class
	under     Class           // class of fewer operands than min
	over      Class           // class of more operands than max
	wrap      int             // operands in front of an inner command; -1: no inner command
	subs      map[string]*spec
	globs     []globSub // sub-commands by pattern, the longest first
	bare      Class     // class without a sub-command or inner command
	judge     judgeFunc // rule in code, instead of the table
}

// globSub is a sub-command whose name is a pattern.
type globSub struct {
	pattern string
	spec    *spec
}

// specYAML is how a rules file writes a spec that needs more than one line.
type specYAML struct {
	Class     string               `yaml:"class"`
	Why       string               `yaml:"why"`
	Args      string               `yaml:"args"`
	Style     string               `yaml:"style"`
	Network   bool                 `yaml:"network"`
	Carries   bool                 `yaml:"carries"`
	NoHelp    bool                 `yaml:"nohelp"`
	Persist   bool                 `yaml:"persist"`
	Inherit   bool                 `yaml:"inherit"`
	Flags     string               `yaml:"flags"`
	Write     string               `yaml:"write"`
	Unknown   string               `yaml:"unknown"`
	Out       string               `yaml:"out"`
	Only      map[string]string    `yaml:"only"`
	ReadIf    string               `yaml:"readif"`
	Max       *int                 `yaml:"max"`
	Min       int                  `yaml:"min"`
	Over      string               `yaml:"over"`
	Under     string               `yaml:"under"`
	UnknownIf string               `yaml:"unknownif"`
	Wrap      *int                 `yaml:"wrap"`
	Bare      string               `yaml:"bare"`
	Judge     string               `yaml:"judge"`
	Sub       map[string]yaml.Node `yaml:"sub"`
}

// specKeys are the keys of specYAML.
var specKeys = words(
	strings.Fields(`class why args style network carries nohelp persist inherit flags write unknown out only readif
	unknownif max min over under wrap bare judge sub`)).set()

// compileSpec turns a node of a rules file into a spec. A plain string is a class with flags behind it:
// `read net any max:1 min:1 -a -b= --long?`.
func compileSpec(n *yaml.Node, sets map[string]string, parent *spec) (*spec, error) {
	if n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	var y specYAML
	if n.Kind == yaml.ScalarNode {
		if err := y.fromLine(n.Value); err != nil {
			return nil, err
		}
		return y.compile(sets, parent)
	}
	// Node.Decode cannot be told to refuse unknown keys.
	for i := 0; i < len(n.Content); i += 2 {
		if !specKeys[n.Content[i].Value] {
			return nil, fmt.Errorf("a rule has no key %q", n.Content[i].Value)
		}
	}
	if err := n.Decode(&y); err != nil {
		return nil, err
	}
	return y.compile(sets, parent)
}

func (y *specYAML) fromLine(line string) error {
	f := strings.Fields(line)
	if len(f) == 0 {
		return fmt.Errorf("an empty rule")
	}
	y.Class = f[0]
	var flags []string
	for _, w := range f[1:] {
		key, val, _ := strings.Cut(w, ":")
		switch {
		case w == "net":
			y.Network = true
		case w == "any":
			y.Args = "any"
		case key == "max" || key == "min":
			n, err := strconv.Atoi(val)
			if err != nil {
				return fmt.Errorf("%s: %w", w, err)
			}
			if key == "max" {
				y.Max = &n
			} else {
				y.Min = n
			}
		case strings.HasPrefix(w, "-"), strings.HasPrefix(w, "@"), strings.HasPrefix(w, "+"):
			flags = append(flags, w)
		default:
			return fmt.Errorf("%q is not a flag and no word that a rule knows", w)
		}
	}
	y.Flags = strings.Join(flags, " ")
	return nil
}

func (y *specYAML) compile(sets map[string]string, parent *spec) (*spec, error) {
	s := &spec{class: Read, why: y.Why, network: y.Network, carries: y.Carries, noHelp: y.NoHelp, persist: y.Persist,
		inherit: y.Inherit,
		any:     y.Args == "any", posix: y.Style == "posix", golike: y.Style == "go", max: -1, min: y.Min, over: Write,
		wrap: -1,
		bare: Unknown, under: Unknown, readIf: map[string]bool{}, unknownIf: map[string]bool{}}
	if parent != nil {
		s.golike = s.golike || parent.golike
		s.network = s.network || parent.network
		s.noHelp = s.noHelp || parent.noHelp
		s.persist = s.persist || parent.persist
	}
	var err error
	for _, c := range []struct {
		from string
		to   *Class
	}{{y.Class, &s.class}, {y.Over, &s.over}, {y.Bare, &s.bare}, {y.Under, &s.under}} {
		if c.from == "" {
			continue
		}
		if *c.to, err = parseClass(c.from); err != nil {
			return nil, err
		}
	}
	if y.Bare == "" && y.Class != "" {
		s.bare = s.class
	}
	if y.Max != nil {
		s.max = *y.Max
	}
	if y.Wrap != nil {
		s.wrap = *y.Wrap
		s.posix = true
	}
	if y.Judge != "" {
		if s.judge = judgeNamed(y.Judge); s.judge == nil {
			return nil, fmt.Errorf("no judge is named %q", y.Judge)
		}
	}
	s.flags = newFlagTable()
	if parent != nil && parent.persist {
		s.flags.parent = parent.flags
	}
	for _, f := range []struct {
		list  string
		class flagClass
	}{{y.Flags, flagRead}, {y.ReadIf, flagRead}, {y.UnknownIf, flagRead}, {y.Write, flagWrite}, {y.Unknown, flagUnknown},
		{y.Out, flagOut}} {
		if err := s.flags.add(f.list, f.class, sets, 0); err != nil {
			return nil, err
		}
	}
	for name, values := range y.Only {
		if err := s.flags.only(name, strings.Fields(values)); err != nil {
			return nil, err
		}
	}
	for _, name := range strings.Fields(y.ReadIf) {
		s.readIf[strings.TrimRight(name, "=?")] = true
	}
	for _, name := range strings.Fields(y.UnknownIf) {
		s.unknownIf[strings.TrimRight(name, "=?")] = true
	}
	return s, s.compileSubs(y.Sub, sets)
}

func (s *spec) compileSubs(nodes map[string]yaml.Node, sets map[string]string) error {
	if len(nodes) == 0 {
		return nil
	}
	s.subs = map[string]*spec{}
	type entry struct {
		path string
		node yaml.Node
	}
	var entries []entry
	for key, node := range nodes {
		for _, name := range splitNames(key) {
			entries = append(entries, entry{name, node})
		}
	}
	// Shorter paths first: `remote` has to exist before `remote show` hangs below it.
	sort.Slice(entries, func(i, j int) bool {
		a, b := strings.Count(entries[i].path, " "), strings.Count(entries[j].path, " ")
		return a < b || a == b && entries[i].path < entries[j].path
	})
	for _, e := range entries {
		at, last := s.descend(e.path)
		child, err := compileSpec(&e.node, sets, at)
		if err != nil {
			return fmt.Errorf("%s: %w", e.path, err)
		}
		switch {
		case strings.ContainsAny(last, "*?"):
			at.globs = append(at.globs, globSub{last, child})
		case at.subs[last] != nil:
			return fmt.Errorf("%s is listed twice", e.path)
		default:
			at.subs[last] = child
		}
	}
	s.inheritGlobs()
	sortGlobs(s)
	return nil
}

// descend returns the node that a path hangs below, made on the way if need be, and the last word of the path.
func (s *spec) descend(path string) (at *spec, last string) {
	at, last = s, path
	for {
		head, tail, more := strings.Cut(last, " ")
		if !more {
			break
		}
		next := at.subs[head]
		if next == nil {
			next = &spec{class: Unknown, max: -1, wrap: -1, over: Write, under: Unknown, bare: Unknown, flags: newFlagTable(),
				network: s.network, golike: s.golike, persist: s.persist, noHelp: s.noHelp}
			if at.persist {
				next.flags.parent = at.flags
			}
			at.subs[head] = next
		}
		if next.subs == nil {
			next.subs = map[string]*spec{}
		}
		at, last = next, tail
	}
	return at, last
}

// inheritGlobs gives sub-commands that ask for it what the one named `*` lists.
func (s *spec) inheritGlobs() {
	for _, g := range s.globs {
		if g.pattern != "*" {
			continue
		}
		for _, child := range s.subs {
			if !child.inherit {
				continue
			}
			child.globs = append(child.globs, g.spec.globs...)
			for name, sub := range g.spec.subs {
				if child.subs[name] == nil {
					child.subs[name] = sub
				}
			}
		}
	}
}

func sortGlobs(s *spec) {
	sort.SliceStable(s.globs, func(i, j int) bool { return len(s.globs[i].pattern) > len(s.globs[j].pattern) })
	for _, sub := range s.subs {
		sortGlobs(sub)
	}
}

// sub finds the rule of a sub-command, exact names before patterns.
func (s *spec) sub(name string) *spec {
	if c := s.subs[name]; c != nil {
		return c
	}
	for _, g := range s.globs {
		if ok, err := path.Match(g.pattern, name); err == nil && ok {
			return g.spec
		}
	}
	return nil
}
