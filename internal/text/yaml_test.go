package text

import (
	"errors"
	"testing"

	"gopkg.in/yaml.v3"
	"pgregory.net/rapid"
)

func TestYAML(t *testing.T) {
	for _, c := range []struct {
		in     string
		kind   yaml.Kind // 0: no document
		line   int       // of the error; 0: none
		second bool
	}{
		{in: ""}, {in: "# only a comment\n"},
		{in: "a: 1\nb: [2]\n", kind: yaml.MappingNode},
		{in: `{"a": "é"}`, kind: yaml.MappingNode},
		{in: "---\n- 1\n...\n# end\n", kind: yaml.SequenceNode},
		{in: "null", kind: yaml.ScalarNode},
		{in: "a: 1\n---\nb: 2\n", line: 2, second: true},
		{in: "a: 1\nb: [\n", line: 2},
		{in: "a: 1\n\tb: 2\n", line: 2},
		{in: "a: 1\n---\nb: [\n", line: 3},
		{in: "a: \x00", line: 1},
		{in: "a: \xff", line: 1},
	} {
		top, err := YAML([]byte(c.in))
		var bad *YAMLError
		if errors.As(err, &bad) != (c.line > 0) || (err != nil) != (c.line > 0) {
			t.Errorf("%q: %v", c.in, err)
			continue
		}
		if bad != nil && (bad.Line != c.line || bad.Second != c.second || top != nil) {
			t.Errorf("%q: line %d, second %v: %v", c.in, bad.Line, bad.Second, err)
		}
		if bad == nil && (top == nil) != (c.kind == 0) || top != nil && top.Kind != c.kind {
			t.Errorf("%q: %+v", c.in, top)
		}
	}
}

func TestDecodeYAML(t *testing.T) {
	for _, c := range []struct {
		in   string
		want int
		line int // of the error; 0: none
	}{
		{in: "", want: 7}, {in: "# nothing\n", want: 7}, {in: "n: 3\n", want: 3},
		{in: "n: 3\nm: 4\n", line: 2}, {in: "n: 3\nn: 4\n", line: 2}, {in: "\n\nn: x\n", line: 3},
		{in: "n: 3\n---\nn: 4\n", line: 2},
	} {
		v := struct{ N int }{7}
		err := DecodeYAML([]byte(c.in), &v)
		var bad *YAMLError
		switch {
		case errors.As(err, &bad) != (c.line > 0), (err != nil) != (c.line > 0):
			t.Errorf("%q: %v", c.in, err)
		case err != nil && bad.Line != c.line:
			t.Errorf("%q: line %d, want %d: %v", c.in, bad.Line, c.line, err)
		case err == nil && v.N != c.want:
			t.Errorf("%q: %d, want %d", c.in, v.N, c.want)
		}
	}
}

// TestYAMLNeverPanics holds for every text; the library's own panics become errors.
func TestYAMLNeverPanics(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		yamlish := rapid.StringOf(rapid.RuneFrom([]rune("a: -[]{},&*!|>'\"#%?\n\t ~<.\u0085")))
		in := rapid.OneOf(yamlish, anyText()).Draw(t, "text")
		top, err := YAML([]byte(in))
		var bad *YAMLError
		if err != nil && (!errors.As(err, &bad) || bad.Line < 1 || top != nil) {
			t.Fatalf("%q: %v", in, err)
		}
		var v map[string]any
		_ = DecodeYAML([]byte(in), &v)
	})
}
