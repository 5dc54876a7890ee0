package text

import "testing"

func TestPlural(t *testing.T) {
	for _, c := range []struct {
		n    int
		one  string
		want string
	}{
		{0, "session", "0 sessions"}, {1, "session", "1 session"}, {2, "tool call", "2 tool calls"}, {-1, "day", "-1 days"},
	} {
		if got := Plural(c.n, c.one); got != c.want {
			t.Errorf("%d %s: %s, want %s", c.n, c.one, got, c.want)
		}
	}
}
