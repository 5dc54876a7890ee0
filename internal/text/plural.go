package text

import "strconv"

// Plural counts things in words: "1 session", "2 sessions", "0 sessions". The name is one that takes an s.
func Plural(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + one + "s"
}
