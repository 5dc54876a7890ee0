package text

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"

	"gopkg.in/yaml.v3"
)

// YAMLError says why a text is not one YAML document, and on which of its lines, from 1.
type YAMLError struct {
	Line   int
	Second bool // the text is YAML, and a second document begins on that line
	Err    error
}

func (e *YAMLError) Error() string { return e.Err.Error() }

func (e *YAMLError) Unwrap() error { return e.Err }

// YAML reads a text that is one YAML document (JSON is one, too); nil for a text that holds none, as one of comments
// only. Nodes keep the lines and the words as they stand there. Errors are *YAMLError.
func YAML(data []byte) (top *yaml.Node, err error) {
	d := yaml.NewDecoder(bytes.NewReader(data))
	var doc, second yaml.Node
	switch err := decode(d, &doc); {
	case errors.Is(err, io.EOF):
		return nil, nil
	case err != nil:
		return nil, yamlError(err)
	}
	if err := noMore(d, &second); err != nil {
		return nil, err
	}
	if len(doc.Content) == 0 {
		return nil, nil
	}
	return doc.Content[0], nil
}

// DecodeYAML reads a text that is one YAML document into a Go value and refuses keys that the value has no place for,
// and keys that stand twice. An empty text leaves the value as it is. Errors are *YAMLError.
func DecodeYAML(data []byte, into any) error {
	d := yaml.NewDecoder(bytes.NewReader(data))
	d.KnownFields(true)
	switch err := decode(d, into); {
	case errors.Is(err, io.EOF):
		return nil
	case err != nil:
		return yamlError(err)
	}
	var second yaml.Node
	return noMore(d, &second)
}

// noMore is the error of a text that goes on behind its first document.
func noMore(d *yaml.Decoder, second *yaml.Node) error {
	switch err := decode(d, second); {
	case errors.Is(err, io.EOF):
		return nil
	case err != nil:
		return yamlError(err)
	}
	return &YAMLError{Line: max(second.Line, 1), Second: true, Err: errors.New("it holds more than one document")}
}

// decode reads the next document. The library is known to panic on some broken input.
func decode(d *yaml.Decoder, into any) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%v", r)
		}
	}()
	return d.Decode(into)
}

// yamlLine is how the library names a line in its errors, which carry none as a value.
var yamlLine = regexp.MustCompile(`line (\d+)`)

func yamlError(err error) error {
	line := 1
	if m := yamlLine.FindStringSubmatch(err.Error()); m != nil {
		line, _ = strconv.Atoi(m[1])
	}
	return &YAMLError{Line: max(line, 1), Err: err}
}
