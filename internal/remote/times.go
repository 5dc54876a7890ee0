package remote

import (
	"fmt"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"recovery/internal/text"
)

// readTime reads RFC 3339 with any offset and number of fraction digits. An absent value is no problem and no time; a
// zero time is what a server writes for none.
func readTime(name string, v gjson.Result) (at time.Time, problem string) {
	if !v.Exists() || v.Type == gjson.Null || (v.Type == gjson.String && v.Str == "") {
		return time.Time{}, ""
	}
	if v.Type != gjson.String {
		return time.Time{}, fmt.Sprintf("%s %s is not RFC 3339", name, text.Clip(v.Raw, 60))
	}
	at, err := time.Parse(time.RFC3339Nano, strings.ToUpper(strings.TrimSpace(v.Str)))
	if err != nil {
		return time.Time{}, fmt.Sprintf("%s %q is not RFC 3339", name, text.Clip(v.Str, 60))
	}
	if at.Unix() <= 0 {
		return time.Time{}, fmt.Sprintf("%s %q is no time", name, text.Clip(v.Str, 60))
	}
	return at, ""
}
