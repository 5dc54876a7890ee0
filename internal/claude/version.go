package claude

import (
	"fmt"
	"regexp"
	"strconv"

	"recovery/internal/text"
)

// FirstInPlace is the first client that wakes a session in place; every older one starts a copy (2.1.253 to 2.1.256
// were never published).
const FirstInPlace = "2.1.257"

var versionNumber = regexp.MustCompile(`\b(\d+)\.(\d+)\.(\d+)\b`)

// CheckVersion refuses versions that copy and what cannot be read as one. whose is "client" or "supervisor".
func CheckVersion(whose, said string) (version string, err error) {
	m := versionNumber.FindStringSubmatch(said)
	if m == nil {
		return "", fmt.Errorf("the version of the %s cannot be read (%q); versions before %s start a copy, "+
			"so nothing is sent; check `claude --version`", whose, text.Clip(said, 120), FirstInPlace)
	}
	first := versionNumber.FindStringSubmatch(FirstInPlace)
	for i := 1; i <= 3; i++ {
		n, _ := strconv.Atoi(m[i])
		least, _ := strconv.Atoi(first[i])
		if n > least {
			break
		}
		if n < least {
			return m[0], fmt.Errorf("the %s has version %s, which starts a copy instead of waking a session; nothing is sent; "+
				"update it to %s or newer", whose, m[0], FirstInPlace)
		}
	}
	return m[0], nil
}
