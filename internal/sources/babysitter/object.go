package babysitter

import (
	"errors"
	"os"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"recovery/internal/account"
	"recovery/internal/sources/files"
)

var errNotJSON = errors.New("is not JSON (or is nested too deep)")

var errNoObject = errors.New("is JSON, and no object")

// readObject reads a file that holds one JSON object.
func readObject(path string) (gjson.Result, error) {
	v, err := readJSON(path)
	if err == nil && !v.IsObject() {
		return gjson.Result{}, errNoObject
	}
	return v, err
}

// readDescription reads a run.json. run:status takes any JSON for one that JavaScript counts as something; of what is
// no object, no member is there.
func readDescription(path string) (gjson.Result, error) {
	v, err := readJSON(path)
	if err == nil && !truthy(v) {
		return gjson.Result{}, errNoObject
	}
	return v, err
}

func readJSON(path string) (gjson.Result, error) {
	data, _, err := files.Read(path)
	if err != nil {
		return gjson.Result{}, err
	}
	if !account.ValidJSON(data) {
		return gjson.Result{}, errNotJSON
	}
	return gjson.ParseBytes(data), nil
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// pick returns the members of an object by name. Of a name that is there twice the last one counts, as it does for
// JSON.parse.
func pick(v gjson.Result, names ...string) []gjson.Result {
	out := make([]gjson.Result, len(names))
	if !v.IsObject() {
		return out
	}
	v.ForEach(func(k, member gjson.Result) bool {
		for i, name := range names {
			if k.Str == name {
				out[i] = member
			}
		}
		return true
	})
	return out
}

func member(v gjson.Result, name string) gjson.Result { return pick(v, name)[0] }

// str is a member that is a text, without blanks around it; anything else counts as absent.
func str(v gjson.Result) string {
	if v.Type != gjson.String {
		return ""
	}
	return strings.TrimSpace(v.Str)
}

// given says that a value is neither missing nor null.
func given(v gjson.Result) bool { return v.Exists() && v.Type != gjson.Null }

// readTime reads the ISO times that JavaScript writes; the zero time for anything else.
func readTime(s string) time.Time {
	at, err := time.Parse(time.RFC3339Nano, strings.ToUpper(strings.TrimSpace(s)))
	if err != nil || at.Unix() <= 0 {
		return time.Time{}
	}
	return at.UTC()
}
