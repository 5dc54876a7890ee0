package inventory

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"recovery/internal/account"
	"recovery/internal/text"

	"gopkg.in/yaml.v3"
)

// GroupFile is a groups file as the user left it.
type GroupFile struct {
	// Groups are in force. Members and owners are shorts, whatever was typed.
	Groups []Group
	// Single are sessions that the user keeps out of every group: they are proposed no more.
	Single []string
	// kept is everything above what recovery proposes, byte for byte.
	kept []byte
}

// ParseGroups reads a groups file, strictly. Sessions are shorts, full ids or unique prefixes of this account's jobs.
// Every error names its line: an unknown session, one in two groups, an owner outside its group, a key that is not
// known. What stands under "proposed" is written anew each time and not read, beyond being YAML.
func ParseGroups(name string, data []byte, jobs *account.Jobs) (*GroupFile, error) {
	p := groupParser{name: name, jobs: jobs, in: map[string]string{}, names: map[string]bool{}}
	if !utf8.Valid(data) {
		good := 0
		for r, n := utf8.DecodeRune(data); r != utf8.RuneError || n > 1; r, n = utf8.DecodeRune(data[good:]) {
			good += n
		}
		return nil, p.fail(len(yamlLines(data[:good])), "it is not valid UTF-8")
	}
	top, err := text.YAML(data)
	var bad *text.YAMLError
	switch {
	case errors.As(err, &bad) && bad.Second:
		return nil, p.fail(bad.Line, "a second document begins here; one is expected")
	case errors.As(err, &bad):
		return nil, p.fail(bad.Line, "it is not valid YAML: %v", err)
	case top == nil:
		return &GroupFile{kept: bytes.Clone(data)}, nil
	}
	f := &GroupFile{}
	proposed := 0
	if top.Tag != "!!null" {
		if proposed, err = p.top(f, top); err != nil {
			return nil, err
		}
	}
	f.kept = keptPart(data, proposed)
	return f, nil
}

type groupParser struct {
	name  string
	jobs  *account.Jobs
	in    map[string]string // short -> where it stands
	names map[string]bool
}

func (p *groupParser) fail(line int, format string, args ...any) error {
	return fmt.Errorf("groups file %s, line %d: %s; correct the line and run it again", p.name, max(line, 1),
		fmt.Sprintf(format, args...))
}

// keys gives the values of a map by its keys, which are plain words that stand once and are known.
func (p *groupParser) keys(n *yaml.Node, what string, known ...string) (map[string]*yaml.Node, error) {
	if n.Kind != yaml.MappingNode {
		return nil, p.fail(n.Line, "%s is expected, with the keys %s", what, strings.Join(known, ", "))
	}
	out := map[string]*yaml.Node{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		k := n.Content[i]
		found := false
		for _, name := range known {
			found = found || k.Kind == yaml.ScalarNode && k.Value == name
		}
		switch {
		case !found:
			return nil, p.fail(k.Line, "the key %q is not known here; known are %s", k.Value, strings.Join(known, ", "))
		case out[k.Value] != nil:
			return nil, p.fail(k.Line, "the key %q stands twice", k.Value)
		}
		out[k.Value] = n.Content[i+1]
	}
	return out, nil
}

// top reads the file's map; proposed is the line of the proposals' key, 0 when there is none.
func (p *groupParser) top(f *GroupFile, top *yaml.Node) (proposed int, err error) {
	at, err := p.keys(top, "a map", "groups", "single", "proposed")
	if err != nil {
		return 0, err
	}
	for i := 0; i+1 < len(top.Content); i += 2 {
		switch k := top.Content[i]; {
		case k.Value == "proposed":
			proposed = k.Line
		case proposed > 0:
			return 0, p.fail(k.Line, "%q stands below the proposals, which are written anew each time; move it above them",
				k.Value)
		}
	}
	if proposed > 0 && top.Style&yaml.FlowStyle != 0 {
		return 0, p.fail(proposed, "the proposals stand inside braces; write the file with one key a line")
	}
	list, err := p.list(at["groups"], "the groups are")
	if err != nil {
		return 0, err
	}
	for _, n := range list {
		g, err := p.group(n)
		if err != nil {
			return 0, err
		}
		f.Groups = append(f.Groups, g)
	}
	if list, err = p.list(at["single"], "the single sessions are"); err != nil {
		return 0, err
	}
	for _, n := range list {
		short, err := p.session(n, "single")
		if err != nil {
			return 0, err
		}
		f.Single = append(f.Single, short)
	}
	return proposed, nil
}

func (p *groupParser) list(n *yaml.Node, what string) ([]*yaml.Node, error) {
	if n == nil || n.Kind == yaml.ScalarNode && n.Tag == "!!null" {
		return nil, nil
	}
	if n.Kind != yaml.SequenceNode {
		return nil, p.fail(n.Line, "%s a list", what)
	}
	return n.Content, nil
}

func (p *groupParser) group(n *yaml.Node) (Group, error) {
	var g Group
	at, err := p.keys(n, "a group", "name", "owner", "members", "reason", "why_owner")
	if err != nil {
		return g, err
	}
	for key, to := range map[string]*string{"name": &g.Name, "reason": &g.Reason, "why_owner": &g.Why} {
		if v := at[key]; v != nil {
			if v.Kind != yaml.ScalarNode || v.Tag == "!!null" {
				return g, p.fail(v.Line, "the %s of a group is a text", key)
			}
			*to = v.Value
		}
	}
	g.Name = strings.TrimSpace(g.Name)
	switch {
	case g.Name == "":
		return g, p.fail(n.Line, "a group has no name")
	case p.names[g.Name]:
		return g, p.fail(at["name"].Line, "two groups have the name %q", g.Name)
	case at["owner"] == nil:
		return g, p.fail(n.Line, "the group %q has no owner", g.Name)
	}
	p.names[g.Name] = true
	members, err := p.list(at["members"], fmt.Sprintf("the members of %q are", g.Name))
	if err != nil {
		return g, err
	}
	for _, m := range members {
		short, err := p.session(m, fmt.Sprintf("the group %q", g.Name))
		if err != nil {
			return g, err
		}
		g.Members = append(g.Members, short)
	}
	if len(g.Members) < 2 {
		return g, p.fail(n.Line, "the group %q has %d members; two are needed, or remove it", g.Name, len(g.Members))
	}
	owner, err := p.find(at["owner"])
	if err != nil {
		return g, err
	}
	if g.Owner = owner; p.in[owner] != fmt.Sprintf("the group %q", g.Name) {
		return g, p.fail(at["owner"].Line, "the owner %s is no member of the group %q", owner, g.Name)
	}
	return g, nil
}

// session finds a session that stands in the place where, and nowhere else.
func (p *groupParser) session(n *yaml.Node, where string) (string, error) {
	short, err := p.find(n)
	if err != nil {
		return "", err
	}
	if other, ok := p.in[short]; ok {
		return "", p.fail(n.Line, "session %s stands twice: under %s, and under %s", short, other, where)
	}
	p.in[short] = where
	return short, nil
}

func (p *groupParser) find(n *yaml.Node) (string, error) {
	if n.Kind != yaml.ScalarNode || n.Tag == "!!null" {
		return "", p.fail(n.Line, "a session is named by its 8 digits")
	}
	job, err := Find(p.jobs, n.Value)
	if err != nil {
		return "", p.fail(n.Line, "%v", err)
	}
	return job.Short, nil
}

// keptPart is the file without the proposals and the comment that recovery put above them.
func keptPart(data []byte, proposed int) []byte {
	lines := yamlLines(data)
	if proposed == 0 || proposed > len(lines) {
		// Comments of the proposals can be left when the user took all of them over.
		if i := bytes.Index(data, []byte(proposedHead)); i >= 0 && onlyComments(data[i:]) {
			return bytes.Clone(data[:i])
		}
		return bytes.Clone(data)
	}
	kept := bytes.Join(lines[:proposed-1], nil)
	if i := bytes.LastIndex(kept, []byte(proposedHead)); i >= 0 && onlyComments(kept[i:]) {
		kept = kept[:i]
	}
	return bytes.Clone(kept)
}

var yamlBreak = regexp.MustCompile("\r\n|[\r\n\u0085\u2028\u2029]")

// yamlLines splits a file where YAML counts a new line, which is in more places than at "\n".
func yamlLines(data []byte) [][]byte {
	var out [][]byte
	from := 0
	for _, m := range yamlBreak.FindAllIndex(data, -1) {
		out = append(out, data[from:m[1]])
		from = m[1]
	}
	return append(out, data[from:])
}

func onlyComments(data []byte) bool {
	for _, line := range yamlLines(data) {
		if t := bytes.TrimSpace(line); len(t) > 0 && t[0] != '#' {
			return false
		}
	}
	return true
}
