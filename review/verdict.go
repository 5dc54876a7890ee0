package review

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"recovery/internal/claude"
	"recovery/internal/text"

	"gopkg.in/yaml.v3"
)

// The values that Verdict.Verdict can take.
const (
	VerdictDone      = "DONE"      // nothing is open, the session can be wrapped
	VerdictOwner     = "OWNER"     // the session carries open items that wait for one go
	VerdictDuplicate = "DUPLICATE" // another session owns the work
	VerdictHeld      = "HELD"      // the session waits for something that no go can give
)

// maxVerdictBlock is the most that a verdict block may hold, in bytes. A block is a few hundred bytes; what is larger
// was not written by the shape that the prompt asks for.
const maxVerdictBlock = 64 << 10

// maxVerdictDepth is how deep an extra key's value may nest. The known keys need two levels.
const maxVerdictDepth = 16

// Verdict is what a session says about itself at the end of a review, in its fenced YAML block. Every value is the
// session's own word: data to be shown, and to be held against the audit, never proof.
type Verdict struct {
	Verdict string   `json:"verdict"` // one of the four values above
	Item    string   `json:"item"`    // what the session works on: a ticket, an invoice, a change
	Open    []string `json:"open"`    // what is left to do, never nil
	Go      string   `json:"go"`      // what one go of the user would do, empty when nothing waits for one
	// empty for none, "yes" when only that is said, else the session's words
	MoneyAtRisk   string   `json:"money_at_risk"`
	PersonWaiting string   `json:"person_waiting"`  // empty for nobody, "yes" when only that is said, else who
	ActsTwiceWith []string `json:"acts_twice_with"` // shorts of sessions that would do the same work, never nil
	Recommend     string   `json:"recommend"`       // what the session advises
}

var (
	verdictLine  = regexp.MustCompile(`(?m)^[ \t{,?]*["']?verdict["']?[ \t]*:`)
	shortOrID    = regexp.MustCompile(`^(?:[0-9a-f]{8}|` + claude.UUIDPattern + `)$`)
	verdictNames = []string{VerdictDone, VerdictOwner, VerdictDuplicate, VerdictHeld}
)

// ParseVerdict reads the verdict block of a review's reply: the only fenced block with a verdict key, marked as YAML,
// the last block of the reply, with nothing but blank lines behind it. Anything else is an error that says why; the
// caller shows the review as unclear then, since a guessed verdict could archive unfinished work. docs/verdict.md
// describes the keys.
func ParseVerdict(reply string) (*Verdict, error) {
	blocks, rest := fencedBlocks(reply)
	found := -1
	for i, b := range blocks {
		if !verdictLine.MatchString(b.body) {
			continue
		}
		if found >= 0 {
			return nil, fmt.Errorf("two verdict blocks: lines %d and %d of the reply", blocks[found].line, b.line)
		}
		found = i
	}
	switch {
	case found < 0:
		return nil, errors.New("no verdict block in the reply")
	case found < len(blocks)-1:
		return nil, fmt.Errorf("the verdict block (line %d of the reply) is not the last fenced block", blocks[found].line)
	}
	b := blocks[found]
	switch {
	case !b.yaml():
		return nil, fmt.Errorf("the block with the verdict (line %d of the reply) is not marked as yaml", b.line)
	case !b.closed:
		return nil, fmt.Errorf("the verdict block (line %d of the reply) is not closed: the reply may be cut", b.line)
	case strings.TrimSpace(rest) != "":
		return nil, fmt.Errorf("text after the verdict block: %.60q", strings.TrimSpace(rest))
	case len(b.body) > maxVerdictBlock:
		return nil, fmt.Errorf("the verdict block holds %d bytes, more than %d", len(b.body), maxVerdictBlock)
	}
	v, err := decodeVerdict(b.body)
	if err != nil {
		return nil, fmt.Errorf("verdict block (line %d of the reply): %w", b.line, err)
	}
	return v, nil
}

// decodeVerdict reads the YAML of one block.
func decodeVerdict(body string) (*Verdict, error) {
	top, err := text.YAML([]byte(body))
	var bad *text.YAMLError
	switch {
	case errors.As(err, &bad) && bad.Second:
		return nil, errors.New("holds more than one YAML document")
	case err != nil:
		return nil, fmt.Errorf("not readable as YAML: %w", err)
	case top == nil:
		return nil, errors.New("holds no YAML document")
	}
	if err := plainNode(top, 1); err != nil {
		return nil, err
	}
	return verdictOf(top)
}

// plainNode refuses what makes a document mean something else than what stands there: anchors, aliases, tags, merge
// keys and keys that are given twice.
func plainNode(n *yaml.Node, depth int) error {
	switch {
	case depth > maxVerdictDepth:
		return fmt.Errorf("line %d: nested more than %d deep", n.Line, maxVerdictDepth)
	case n.Kind == yaml.AliasNode:
		return fmt.Errorf("line %d: an alias (*%s) is not allowed", n.Line, n.Value)
	case n.Anchor != "":
		return fmt.Errorf("line %d: an anchor (&%s) is not allowed", n.Line, n.Anchor)
	case n.Style&yaml.TaggedStyle != 0:
		return fmt.Errorf("line %d: a tag (%s) is not allowed", n.Line, n.Tag)
	}
	if n.Kind == yaml.MappingNode {
		seen := map[string]int{}
		for i := 0; i+1 < len(n.Content); i += 2 {
			k := n.Content[i]
			if k.Kind != yaml.ScalarNode {
				return fmt.Errorf("line %d: a key that is not a plain word", k.Line)
			}
			if k.Tag == "!!merge" {
				return fmt.Errorf("line %d: a merge key (<<) is not allowed", k.Line)
			}
			if first, ok := seen[k.Value]; ok {
				return fmt.Errorf("line %d: key %q was given on line %d already", k.Line, k.Value, first)
			}
			seen[k.Value] = k.Line
		}
	}
	for _, c := range n.Content {
		if err := plainNode(c, depth+1); err != nil {
			return err
		}
	}
	return nil
}

func verdictOf(m *yaml.Node) (*Verdict, error) {
	if m.Kind != yaml.MappingNode {
		return nil, fmt.Errorf("line %d: not a list of keys and values", m.Line)
	}
	v := &Verdict{Open: []string{}, ActsTwiceWith: []string{}}
	seen := map[string]bool{}
	for i := 0; i+1 < len(m.Content); i += 2 {
		key, val := m.Content[i].Value, m.Content[i+1]
		seen[key] = true
		var err error
		switch key {
		case "verdict":
			v.Verdict, err = verdictName(val)
		case "item":
			v.Item, err = needText(val)
		case "open":
			v.Open, err = textList(val)
		case "go":
			v.Go, err = optionalText(val)
		case "money_at_risk":
			v.MoneyAtRisk, err = riskText(val)
		case "person_waiting":
			v.PersonWaiting, err = riskText(val)
		case "acts_twice_with":
			v.ActsTwiceWith, err = shortList(val)
		case "recommend":
			v.Recommend, err = optionalText(val)
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %s: %w", val.Line, key, err)
		}
	}
	// A key that is left out is not the same as "none": money and people are what the report leads with.
	for _, key := range []string{"verdict", "item", "money_at_risk", "person_waiting"} {
		if !seen[key] {
			return nil, fmt.Errorf("%s is missing", key)
		}
	}
	return v, nil
}

func verdictName(n *yaml.Node) (string, error) {
	s, err := needText(n)
	if err != nil {
		return "", err
	}
	for _, name := range verdictNames {
		if s == name {
			return s, nil
		}
	}
	return "", fmt.Errorf("%.40q is none of %s", s, strings.Join(verdictNames, ", "))
}

// scalarText gives the words of a value as they stand there: a short of digits only, or an item that is a number or a
// date, must not be changed by what YAML makes of it.
func scalarText(n *yaml.Node) (string, bool) {
	if n.Kind != yaml.ScalarNode {
		return "", false
	}
	switch n.ShortTag() {
	case "!!str", "!!int", "!!float", "!!timestamp":
		return strings.TrimSpace(n.Value), true
	}
	return "", false
}

func needText(n *yaml.Node) (string, error) {
	s, ok := scalarText(n)
	if !ok {
		return "", fmt.Errorf("must be a text, is %s", kindOf(n))
	}
	if s == "" {
		return "", errors.New("must not be empty")
	}
	return s, nil
}

func optionalText(n *yaml.Node) (string, error) {
	if isNull(n) {
		return "", nil
	}
	s, ok := scalarText(n)
	if !ok {
		return "", fmt.Errorf("must be a text, is %s", kindOf(n))
	}
	return s, nil
}

func textList(n *yaml.Node) ([]string, error) {
	out := []string{}
	if isNull(n) {
		return out, nil
	}
	if n.Kind != yaml.SequenceNode {
		return nil, fmt.Errorf("must be a list, is %s", kindOf(n))
	}
	for i, c := range n.Content {
		s, err := needText(c)
		if err != nil {
			return nil, fmt.Errorf("entry %d: %w", i+1, err)
		}
		out = append(out, s)
	}
	return out, nil
}

func shortList(n *yaml.Node) ([]string, error) {
	list, err := textList(n)
	if err != nil {
		return nil, err
	}
	for i, s := range list {
		if !shortOrID.MatchString(s) {
			return nil, fmt.Errorf("entry %d: %.40q is no session (8 hex digits)", i+1, s)
		}
	}
	return list, nil
}

// riskText reads a field that sessions answer with a bool as often as with words.
func riskText(n *yaml.Node) (string, error) {
	if isNull(n) {
		return "", nil
	}
	if n.Kind == yaml.ScalarNode && n.ShortTag() == "!!bool" {
		return noneOrText(n.Value), nil
	}
	s, ok := scalarText(n)
	if !ok {
		return "", fmt.Errorf("must be true, false or a text, is %s", kindOf(n))
	}
	return noneOrText(s), nil
}

func noneOrText(s string) string {
	switch strings.ToLower(strings.TrimRight(s, ".")) {
	case "", "no", "none", "false", "nobody", "no one", "nothing", "n/a", "off", "0", "-", "~", "null":
		return ""
	case "yes", "true", "on":
		return "yes"
	}
	return s
}

func isNull(n *yaml.Node) bool {
	return n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null"
}

func kindOf(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "a set of keys"
	case yaml.SequenceNode:
		return "a list"
	}
	switch n.ShortTag() {
	case "!!null":
		return "empty"
	case "!!bool":
		return "true or false"
	case "!!binary":
		return "binary"
	}
	return "a text"
}

// fence is one fenced block of a Markdown text.
type fence struct {
	info   string // what stands behind the opening fence
	body   string
	line   int // of the opening fence, from 1
	closed bool
}

func (f fence) yaml() bool {
	word, _, _ := strings.Cut(f.info, " ")
	word = strings.ToLower(word)
	return word == "yaml" || word == "yml"
}

// fencedBlocks finds the fenced blocks of a Markdown text as CommonMark does, without those in block quotes, which are
// somebody else's words. rest is what follows the last block.
func fencedBlocks(s string) (blocks []fence, rest string) {
	s = strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n")
	lines := strings.Split(s, "\n")
	var fences text.Fences
	var start, end int
	for i, line := range lines {
		switch at, info := fences.Next(text.FenceMargin(line)); at {
		case text.Opening:
			start = i + 1
			blocks = append(blocks, fence{info: info, line: i + 1})
		case text.Closing:
			end = i + 1
			last := &blocks[len(blocks)-1]
			last.body, last.closed = strings.Join(lines[start:i], "\n"), true
		}
	}
	if fences.Open() {
		blocks[len(blocks)-1].body = strings.Join(lines[start:], "\n")
		return blocks, ""
	}
	return blocks, strings.Join(lines[end:], "\n")
}
