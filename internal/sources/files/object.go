package files

import (
	"errors"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"recovery/internal/account"
)

// What is said of a file that holds no JSON object.
var (
	ErrNotJSON  = errors.New("is not JSON (or is nested too deep)")
	ErrNoObject = errors.New("is JSON, and no object")
)

// JSON reads a file that holds one JSON value.
func JSON(path string) (gjson.Result, error) {
	data, _, err := Read(path)
	if err != nil {
		return gjson.Result{}, err
	}
	if !account.ValidJSON(data) {
		return gjson.Result{}, ErrNotJSON
	}
	return gjson.ParseBytes(data), nil
}

// Object holds the members of a JSON object by their names. Of a name that is there twice the last one counts, as it
// does for JSON.parse.
type Object map[string]gjson.Result

// ReadObject reads a file that holds one JSON object.
func ReadObject(path string) (Object, error) {
	v, err := JSON(path)
	if err == nil && !v.IsObject() {
		err = ErrNoObject
	}
	if err != nil {
		return nil, err
	}
	return ObjectOf(v), nil
}

// ObjectOf takes an object apart; of what is no object, no member is there.
func ObjectOf(v gjson.Result) Object {
	if !v.IsObject() {
		return nil
	}
	o := Object{}
	v.ForEach(func(k, member gjson.Result) bool {
		o[k.Str] = member
		return true
	})
	return o
}

// Object is a member that is an object itself.
func (o Object) Object(name string) Object { return ObjectOf(o[name]) }

// Text is a member that is a text, without blanks around it; anything else counts as absent.
func (o Object) Text(name string) string { return Text(o[name]) }

// Text is a value that is a text, without blanks around it; empty for anything else.
func Text(v gjson.Result) string {
	if v.Type != gjson.String {
		return ""
	}
	return strings.TrimSpace(v.Str)
}

// Time reads RFC 3339, or one of the layouts, in either case of letters; zero for anything else. What lies before 1970
// is no time.
func Time(s string, layouts ...string) time.Time {
	s = strings.ToUpper(strings.TrimSpace(s))
	for _, layout := range append([]string{time.RFC3339Nano}, layouts...) {
		if at, err := time.Parse(layout, s); err == nil && at.Unix() > 0 {
			return at.UTC()
		}
	}
	return time.Time{}
}
