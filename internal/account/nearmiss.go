package account

import "strings"

// NearMiss says which of the known names key was most likely meant to be: the same letters in another case, or one
// letter changed, added or missing; two in names of eight letters and more. A damaged key must not read as an absent
// one: `queuedPrompu` is no reason to believe that nothing is queued.
func NearMiss(key string, known []string) (string, bool) {
	for _, k := range known {
		if key == k {
			return "", false
		}
	}
	for _, k := range known {
		if near(key, k) {
			return k, true
		}
	}
	return "", false
}

// Plain says whether s is made of nothing but ASCII letters, digits, and the marks that the client's own names use.
// Its keys and codes are: anything else in one is damage (a byte that became a backslash swallows the letter behind
// it).
func Plain(s string) bool {
	for i := range len(s) {
		c := s[i]
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '_', c == '-', c == '.', c == ':',
			c == '/', c == '@', c == '$':
		default:
			return false
		}
	}
	return true
}

// near says whether a may be a damaged b. A byte that turned into the beginning of an escape changes one letter and
// loses the next, so a change and a loss together are near too.
func near(a, b string) bool {
	if strings.EqualFold(a, b) {
		return true
	}
	if len(a) > len(b)+1 || len(b) > len(a)+1 {
		return false
	}
	limit := 2
	if max(len(a), len(b)) < 8 {
		limit = 1
	}
	return distance(a, b, limit) <= limit
}

// distance is how many letters are to be changed, added or taken out to make b of a; above limit it is only known to
// be more.
func distance(a, b string, limit int) int {
	if len(a) == 0 || len(b) == 0 || limit < 0 {
		return len(a) + len(b)
	}
	if a[0] == b[0] {
		return distance(a[1:], b[1:], limit)
	}
	if limit == 0 {
		return 1
	}
	return 1 + min(distance(a[1:], b[1:], limit-1), distance(a[1:], b, limit-1), distance(a, b[1:], limit-1))
}
