package text

import (
	"fmt"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// ShellWord is a word as one types it into a shell; what no shell can take is shown as Go quotes it.
func ShellWord(s string) string {
	if q, err := syntax.Quote(s, syntax.LangBash); err == nil {
		return q
	}
	return fmt.Sprintf("%q", s)
}

// ShellLine are words as one types them into a shell.
func ShellLine(words ...string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = ShellWord(w)
	}
	return strings.Join(quoted, " ")
}
