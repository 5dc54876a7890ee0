package inventory

import (
	"errors"
	"fmt"
	"strings"

	"recovery/internal/account"
	"recovery/internal/text"
	"recovery/prompts"

	"gopkg.in/yaml.v3"
)

// SessionText is what a user's file says for one session.
type SessionText struct {
	Text string
	Line int
}

// TextsFile describes a file that gives sessions a text, YAML or JSON: {short: text}.
type TextsFile struct {
	// Kind and Name name it in errors ("dupes file", its path); Then says what did not happen because of one.
	Kind, Name, Then string
	// All is a key that stands for every session; empty when there is none.
	All string
	// MayBeEmpty takes a file that says nothing.
	MayBeEmpty bool
	// Check refuses a text that may not be sent.
	Check func(text string) error
}

// Parse reads the file. The keys of what it gives are the sessions' shorts, and the key for all. Every error names
// its line, and one anywhere means that nothing of the file counts.
func (f TextsFile) Parse(data []byte, jobs *account.Jobs) (out map[string]SessionText, err error) {
	fail := func(line int, format string, args ...any) error {
		return fmt.Errorf("%s %s, line %d: %s; %s: correct the line and run it again", f.Kind, f.Name, max(line, 1),
			fmt.Sprintf(format, args...), f.Then)
	}
	top, empty, err := f.top(data, fail)
	if err != nil || empty {
		return map[string]SessionText{}, err
	}
	out = map[string]SessionText{}
	for i := 0; i+1 < len(top.Content); i += 2 {
		key, value := top.Content[i], top.Content[i+1]
		if key.Kind != yaml.ScalarNode || key.Anchor != "" || key.Tag == "!!merge" {
			return nil, fail(key.Line, "the key is not a plain word")
		}
		short := f.All
		if f.All == "" || key.Value != f.All {
			job, err := Find(jobs, key.Value)
			switch {
			case err != nil && f.All != "":
				return nil, fail(key.Line, "%v; the other key is %q", err, f.All)
			case err != nil:
				return nil, fail(key.Line, "%v", err)
			}
			short = job.Short
		}
		if first, twice := out[short]; twice {
			return nil, fail(key.Line, "%s stands twice, on line %d already", short, first.Line)
		}
		if value.Kind != yaml.ScalarNode || value.Tag != "!!str" || value.Anchor != "" {
			return nil, fail(value.Line, "the text of %s is not a text; put it in quotes", key.Value)
		}
		if strings.TrimSpace(value.Value) == "" {
			return nil, fail(value.Line, "the text of %s is empty", key.Value)
		}
		if err := f.Check(value.Value); err != nil {
			return nil, fail(value.Line+lineIn(err, value), "the text of %s: %v", key.Value, err)
		}
		out[short] = SessionText{Text: value.Value, Line: key.Line}
	}
	return out, nil
}

// top is the file's one map.
func (f TextsFile) top(data []byte, fail func(int, string, ...any) error) (top *yaml.Node, empty bool, err error) {
	top, err = text.YAML(data)
	var bad *text.YAMLError
	switch {
	case errors.As(err, &bad) && bad.Second:
		return nil, false, fail(bad.Line, "it holds more than one document")
	case errors.As(err, &bad):
		return nil, false, fail(bad.Line, "it is not valid YAML or JSON: %v", err)
	case top == nil && f.MayBeEmpty:
		return nil, true, nil
	case top == nil:
		return nil, false, fail(1, "it holds nothing")
	}
	switch {
	case f.MayBeEmpty && (top.Tag == "!!null" || top.Kind == yaml.MappingNode && len(top.Content) == 0):
		return nil, true, nil
	case top.Kind != yaml.MappingNode || len(top.Content) == 0:
		shape := "{short: text}"
		if f.All != "" {
			shape = "{short: text, " + f.All + ": text}"
		}
		return nil, false, fail(top.Line, "a map of session to text is expected (%s)", shape)
	}
	return top, false, nil
}

// lineIn is how many lines of the file the offending line lies below the value's first.
func lineIn(err error, value *yaml.Node) int {
	var approval *prompts.ApprovalError
	if errors.As(err, &approval) && value.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0 {
		return approval.Line
	}
	return 0
}
