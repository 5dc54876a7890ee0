package claude

import (
	"regexp"
	"strings"
)

// UUIDPattern matches a session id, for patterns that find one inside a text.
const UUIDPattern = `[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`

var (
	shortForm = regexp.MustCompile(`^[0-9a-f]{8}$`)
	uuidForm  = regexp.MustCompile(`^` + UUIDPattern + `$`)
)

// IsShort says whether s is a job's short: the first eight hex digits of its first session id, in lower case.
func IsShort(s string) bool { return shortForm.MatchString(s) }

// IsUUID says whether id is a full, lowercase session id.
func IsUUID(id string) bool { return uuidForm.MatchString(id) }

// ShortOf is the short of a session id; an id without a dash is given as it is.
func ShortOf(id string) string {
	short, _, _ := strings.Cut(id, "-")
	return short
}

// Prefixes of a thread's id: the same thread has either in different lists.
const (
	BridgePrefix = "cse_"
	ThreadPrefix = "session_"
)

// Body is a thread's id without its prefix: cse_X and session_X are the same thread X.
func Body(id string) string {
	for _, p := range []string{ThreadPrefix, BridgePrefix} {
		if rest, ok := strings.CutPrefix(id, p); ok {
			return rest
		}
	}
	return id
}

// IsThread says whether an id is a thread's, by its prefix.
func IsThread(id string) bool {
	return strings.HasPrefix(id, BridgePrefix) || strings.HasPrefix(id, ThreadPrefix)
}

// Link is where the thread with this body is read; empty for no body.
func Link(body string) string {
	if body == "" {
		return ""
	}
	return "https://claude.ai/code/" + ThreadPrefix + body
}

// Slug is the name of the project folder of a working folder: every character that is no ASCII letter or digit is a
// dash. The client cuts a long one and puts a hash behind it, which is not known here.
func Slug(dir string) string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return r
		}
		return '-'
	}, dir)
}
