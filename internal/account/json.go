package account

import (
	"bytes"

	"github.com/tidwall/gjson"
)

// maxDepth is how deep JSON may be nested to be read. The client's own files stay below twenty; the reader recurses,
// and a file of nothing but brackets would end the whole program with a stack overflow, which cannot be caught.
const maxDepth = 1000

// ValidJSON says whether data is one JSON value that can be read without danger. A file that some editor gave a byte
// order mark is to be passed without it.
func ValidJSON(data []byte) bool {
	// Counting is much faster than walking, and nearly every file has fewer brackets than that.
	if bytes.Count(data, []byte{'['})+bytes.Count(data, []byte{'{'}) > maxDepth && tooDeep(data) {
		return false
	}
	return gjson.ValidBytes(data)
}

func tooDeep(data []byte) bool {
	depth, inText := 0, false
	for i := 0; i < len(data); i++ {
		switch c := data[i]; {
		case inText && c == '\\':
			i++
		case c == '"':
			inText = !inText
		case inText:
		case c == '[' || c == '{':
			if depth++; depth > maxDepth {
				return true
			}
		case c == ']' || c == '}':
			depth--
		}
	}
	return false
}

func trimBOM(data []byte) []byte { return bytes.TrimPrefix(data, []byte("\ufeff")) }

// object reads a JSON object; problem says why it is none.
func object(data []byte) (root gjson.Result, problem string) {
	data = trimBOM(data)
	if !ValidJSON(data) {
		return root, "is not valid JSON"
	}
	root = gjson.ParseBytes(data)
	if !root.IsObject() {
		return root, "is not a JSON object"
	}
	return root, ""
}

// last gives the value of a key of an object as the client sees it: of a key that stands there twice, the last one
// counts.
func last(object gjson.Result, key string) (value gjson.Result) {
	if !object.IsObject() {
		return value
	}
	object.ForEach(func(k, v gjson.Result) bool {
		if k.String() == key {
			value = v
		}
		return true
	})
	return value
}
