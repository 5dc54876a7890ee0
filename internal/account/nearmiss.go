package account

import "strings"

// NearMiss says which of the known names key was most likely meant to be: the same letters in another case, or at most
// two changed, or one added or missing letter. A damaged key must not read as an absent one: `queuedPrompu` is no reason
// to believe that nothing is queued.
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

func near(a, b string) bool {
	if strings.EqualFold(a, b) {
		return true
	}
	short, long := a, b
	if len(short) > len(long) {
		short, long = long, short
	}
	switch len(long) - len(short) {
	case 0:
		limit := 2
		if len(a) < 8 {
			limit = 1
		}
		diff := 0
		for i := range len(a) {
			if a[i] != b[i] {
				diff++
			}
		}
		return diff <= limit
	case 1:
		i := 0
		for i < len(short) && short[i] == long[i] {
			i++
		}
		return short[i:] == long[i+1:]
	}
	return false
}
