package text

import "testing"

func TestShellLine(t *testing.T) {
	for _, c := range []struct {
		words []string
		want  string
	}{
		{nil, ""},
		{[]string{"recovery", "ack", "1a2b3c4d"}, "recovery ack 1a2b3c4d"},
		{[]string{"recovery", "ack", "--why", "it's over; rm"}, `recovery ack --why "it's over; rm"`},
		{[]string{""}, "''"},
		{[]string{"#1001"}, "'#1001'"},
		{[]string{"a\x00b"}, `"a\x00b"`},
	} {
		if got := ShellLine(c.words...); got != c.want {
			t.Errorf("%q: %s, want %s", c.words, got, c.want)
		}
	}
}
