package wake

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"recovery/internal/account"
	"recovery/inventory"
	"recovery/prompts"

	"gopkg.in/yaml.v3"
)

// Dupe is a duplicate of the dupes file: the text that its review gets.
type Dupe struct {
	Text string
	Line int
}

// ParseDupes reads a dupes file, YAML or JSON: {short: text}. Every error names its line, and an error anywhere means that
// nothing is woken.
func ParseDupes(name string, data []byte, jobs *account.Jobs) (map[string]Dupe, error) {
	fail := func(line int, format string, args ...any) error {
		return fmt.Errorf("dupes file %s, line %d: %s; nothing was woken: correct the line and run it again", name, line, fmt.Sprintf(format, args...))
	}
	var root yaml.Node
	if err := yaml.Unmarshal(data, &root); err != nil {
		return nil, fail(errorLine(err), "it is not valid YAML or JSON: %v", err)
	}
	if len(root.Content) == 0 {
		return map[string]Dupe{}, nil
	}
	top := root.Content[0]
	if top.Kind != yaml.MappingNode {
		return nil, fail(top.Line, "a map of session to text is expected ({short: text})")
	}
	out := map[string]Dupe{}
	for i := 0; i+1 < len(top.Content); i += 2 {
		key, value := top.Content[i], top.Content[i+1]
		if key.Kind != yaml.ScalarNode {
			return nil, fail(key.Line, "the session is not a plain word")
		}
		job, err := inventory.Find(jobs, key.Value)
		if err != nil {
			return nil, fail(key.Line, "%v", err)
		}
		if _, twice := out[job.Short]; twice {
			return nil, fail(key.Line, "session %s stands twice", job.Short)
		}
		if value.Kind != yaml.ScalarNode || value.Tag != "!!str" {
			return nil, fail(value.Line, "the text of %s is not a text", key.Value)
		}
		if strings.TrimSpace(value.Value) == "" {
			return nil, fail(value.Line, "the text of %s is empty", key.Value)
		}
		if err := prompts.CheckApproval(value.Value); err != nil {
			return nil, fail(value.Line+approvalLine(err, value), "the text of %s: %v", key.Value, err)
		}
		out[job.Short] = Dupe{Text: value.Value, Line: value.Line}
	}
	return out, nil
}

// approvalLine is how many lines of the file the offending line lies below the value's first.
func approvalLine(err error, value *yaml.Node) int {
	var approval *prompts.ApprovalError
	if !errors.As(err, &approval) {
		return 0
	}
	if value.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0 {
		return approval.Line
	}
	return 0
}

var yamlLine = regexp.MustCompile(`line (\d+)`)

func errorLine(err error) int {
	line := 1
	if m := yamlLine.FindStringSubmatch(err.Error()); m != nil {
		_, _ = fmt.Sscan(m[1], &line)
	}
	return line
}
