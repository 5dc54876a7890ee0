package transcript

import "testing"

// TestHeadSaysWhereAPersonBegins: lines before a person's first message prove no copy.
func TestHeadSaysWhereAPersonBegins(t *testing.T) {
	own := user(`"note"`, `,"isMeta":true`, `,"uuid":"u0"`)
	for name, c := range map[string]struct {
		data string
		want int
	}{
		"nothing":              {"", 0},
		"first":                {person("a", `,"uuid":"u1"`) + person("b", `,"uuid":"u2"`), 1},
		"behind the client's":  {own + person("a", `,"uuid":"u1"`), 2},
		"without a uuid":       {own + person("a"), 0},
		"nobody said anything": {own, 0},
	} {
		head, err := file(t, c.data).Head()
		if err != nil || head.FirstLead != c.want {
			t.Errorf("%s: %d, %v; want %d", name, head.FirstLead, err, c.want)
		}
	}
}
