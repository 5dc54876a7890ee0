package message

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"

	"recovery/internal/account"
	"recovery/inventory"
	"recovery/prompts"

	"gopkg.in/yaml.v3"
)

// Data is what the user gives the sessions as text.
type Data struct {
	// All goes to each session that is meant, For to one, by its short.
	All []string
	For map[string][]string
}

// allKey is the key of the data for all; no short is spelled like it.
const allKey = "all"

// ParseData reads a data file, YAML or JSON: {short: text}, with the key all for what each session gets. Every error names its line,
// and an error anywhere means that no text is made.
func ParseData(name string, data []byte, jobs *account.Jobs) (out Data, err error) {
	fail := func(line int, format string, args ...any) error {
		return fmt.Errorf("data file %s, line %d: %s; no text was made: correct the line and run it again", name, max(line, 1), fmt.Sprintf(format, args...))
	}
	// The library is known to panic on some broken input.
	defer func() {
		if r := recover(); r != nil {
			out, err = Data{}, fail(1, "it is not valid YAML or JSON: %v", r)
		}
	}()
	out = Data{For: map[string][]string{}}
	dec := yaml.NewDecoder(bytes.NewReader(data))
	var doc, more yaml.Node
	switch err := dec.Decode(&doc); {
	case errors.Is(err, io.EOF) || err == nil && len(doc.Content) == 0:
		return out, fail(1, "it holds no data")
	case err != nil:
		return out, fail(errorLine(err), "it is not valid YAML or JSON: %v", err)
	}
	switch err := dec.Decode(&more); {
	case err == nil:
		return out, fail(more.Line, "it holds more than one document")
	case !errors.Is(err, io.EOF):
		return out, fail(errorLine(err), "it is not valid YAML or JSON: %v", err)
	}
	top := doc.Content[0]
	if top.Kind != yaml.MappingNode || len(top.Content) == 0 {
		return out, fail(top.Line, "a map of session to text is expected ({short: text, all: text})")
	}
	seen := map[string]int{}
	for i := 0; i+1 < len(top.Content); i += 2 {
		key, value := top.Content[i], top.Content[i+1]
		if key.Kind != yaml.ScalarNode || key.Anchor != "" || key.Tag == "!!merge" {
			return out, fail(key.Line, "the key is no session and not %q", allKey)
		}
		short := allKey
		if key.Value != allKey {
			job, err := inventory.Find(jobs, key.Value)
			if err != nil {
				return out, fail(key.Line, "%v; the other key is %q", err, allKey)
			}
			short = job.Short
		}
		if first, twice := seen[short]; twice {
			return out, fail(key.Line, "%s stands on line %d already", short, first)
		}
		seen[short] = key.Line
		if value.Kind != yaml.ScalarNode || value.Tag != "!!str" || value.Anchor != "" {
			return out, fail(value.Line, "the data of %s is no text; put it in quotes", key.Value)
		}
		if strings.TrimSpace(value.Value) == "" {
			return out, fail(value.Line, "the data of %s is empty", key.Value)
		}
		if err := prompts.Data(value.Value); err != nil {
			return out, fail(value.Line+lineIn(err, value), "the data of %s: %v", key.Value, err)
		}
		if short == allKey {
			out.All = []string{value.Value}
		} else {
			out.For[short] = []string{value.Value}
		}
	}
	return out, nil
}

// lineIn is how many lines of the file the offending line lies below the value's first.
func lineIn(err error, value *yaml.Node) int {
	var approval *prompts.ApprovalError
	if errors.As(err, &approval) && value.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0 {
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
