package report

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"recovery/internal/text"
	"recovery/standing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestPieces(t *testing.T) {
	said := func(s string) piece { return piece{Text: s} }
	for in, want := range map[string][]piece{
		"":                       nil,
		"read its thread":        {said("read its thread")},
		"recovery read 1c132171": {said("recovery read 1c132171")},
		"at https://claude.ai/code/session_01, then: recovery queue-check 9388b6ba": {
			said("at "), {Link: "https://claude.ai/code/session_01"}, said(", then: recovery queue-check 9388b6ba")},
		"see https://claude.ai/code/session_01.": {said("see "), {Link: "https://claude.ai/code/session_01"}, said(".")},
		"https://claude.ai/code/\"><b>":          {said("https://claude.ai/code/\"><b>")},
		"https://claude.ai/@example.org":         {said("https://claude.ai/@example.org")},
		"https://claude.ai.example.org/x":        {said("https://claude.ai.example.org/x")},
	} {
		if diff := cmp.Diff(want, pieces(in)); diff != "" {
			t.Errorf("%q: %s", in, diff)
		}
	}
}

// TestPiecesLoseNothing holds for every text.
func TestPiecesLoseNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := strings.Join(rapid.SliceOf(rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"recovery read", " ", "`",
			";", "$(x)", "https://claude.ai/", "code"}))).Draw(t, "words"), "")
		whole := ""
		for _, p := range pieces(in) {
			whole += p.Text + p.Link
		}
		if want := text.Clip(in, maxLine); whole != want {
			t.Fatalf("%q became %q", want, whole)
		}
	})
}

// TestButtonsComeFromTypedCommands: a copy button holds what a next has as arguments, quoted for a shell, and nothing
// that stands in prose or that no next can have.
func TestButtonsComeFromTypedCommands(t *testing.T) {
	for _, c := range []struct {
		prose   string
		next    standing.Next
		said    string
		command string
	}{
		{"recovery read 1c132171", standing.Run("read", "1c132171"), "", "recovery read 1c132171"},
		{"", standing.Do("send the text").Then("wrap-wait", "--mark", "run a wrap", "1c132171"), "send the text",
			"recovery wrap-wait --mark 'run a wrap' 1c132171"},
		{"", standing.Run("trust", "--default-cwd", "/a; rm -rf ~", "1c132171"), "",
			"recovery trust --default-cwd '/a; rm -rf ~' 1c132171"},
		{"recovery read 1c132171", standing.Next{}, "recovery read 1c132171", ""},
		{"p", standing.Run("resume", "--client", "/tmp/x", "1c132171"), "p", ""},
		{"p", standing.Run("$(reboot)"), "p", ""},
	} {
		got := nextOf(c.prose, c.next)
		said := ""
		for _, p := range got[0].Pieces {
			said += p.Text + p.Link
		}
		if len(got) != 1 || said != c.said || got[0].Command != c.command {
			t.Errorf("%q %+v: %+v", c.prose, c.next, got)
		}
	}
}

func TestThreadLinks(t *testing.T) {
	for link, href := range map[string]bool{
		"https://claude.ai/code/session_01FIX": true, "https://claude.ai/chat/1-2?x=1#y": true,
		"": false, "https://claude.ai": false, "http://claude.ai/x": false, "https://claude.ai.evil.org/": false,
		"https://claude.ai@evil.org/": false, "HTTPS://claude.ai/x": false,
		"https://claude.ai/\"x": false, "https://claude.ai/\nx": false, "javascript:alert(1)//https://claude.ai/": false,
		"https://claude.ai/\u202e": false, "https://claude.ai/" + strings.Repeat("x", 5000): false,
	} {
		got, shown := thread(&link)
		if (got != "") != href || (shown == "") != (link == "") {
			t.Errorf("%q: %q, %q", link, got, shown)
		}
	}
	if got, shown := thread(nil); got+shown != "" {
		t.Errorf("%q, %q", got, shown)
	}
}

func TestTimesInWords(t *testing.T) {
	for at, want := range map[time.Duration]string{
		0: "at the time of this report", -59 * time.Second: "at the time of this report", 61 * time.Second: "in 1 minute",
		-90 * time.Minute: "90 minutes ago", -8 * time.Hour: "8 hours ago",
		-47 * time.Hour: "47 hours ago", -48 * time.Hour: "2 days ago", 29 * 24 * time.Hour: "in 29 days",
	} {
		if got := instantOf(clock.Add(at), clock); got.Ago != want {
			t.Errorf("%s: %q, want %q", at, got.Ago, want)
		}
	}
	if got := instantOf(time.Time{}, clock); got != nil {
		t.Errorf("%+v", got)
	}
	if got := instantOf(clock.In(time.FixedZone("x", 3600)), time.Time{}); got.ISO != "2026-11-29T12:00:00Z" ||
		got.Words != "29 Nov 2026, 12:00 UTC" || got.Ago != "" {
		t.Errorf("%+v", got)
	}
}

func TestCutting(t *testing.T) {
	if shown, left := cut("héé", 2); shown != "h" || left != 4 {
		t.Errorf("%q, %d", shown, left)
	}
	if shown, left := cut("a\r\nb", 10); shown != "a\nb" || left != 0 {
		t.Errorf("%q, %d", shown, left)
	}
	rapid.Check(t, func(t *rapid.T) {
		s, n := rapid.String().Draw(t, "text"), rapid.IntRange(0, 50).Draw(t, "limit")
		if shown, left := cut(s, n); !utf8.ValidString(shown) || left < 0 || left > len(s) {
			t.Fatalf("%q, %d", shown, left)
		}
	})
}

func TestAnchorsAreSafeAndDifferent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		u, seen := ids{}, map[string]bool{}
		for i := range rapid.IntRange(1, 20).Draw(t, "many") {
			short := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"", "1c132171", "A", "a", "é"})).Draw(t,
				fmt.Sprint(i))
			id := u.make("s", rapid.SampledFrom([]string{"", "a@b"}).Draw(t, "place"), short)
			if !safeID.MatchString(id) || seen[id] {
				t.Fatalf("%q of %q", id, short)
			}
			seen[id] = true
		}
	})
}

// TestMarksKeepTheirOrder holds for every story: marks stay on the line, in order, and none hides another.
func TestMarksKeepTheirOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		at := rapid.SliceOf(rapid.Float64Range(lineFrom, lineTo)).Draw(t, "places")
		slices.Sort(at)
		out := spread(at)
		for i, x := range out {
			if x < lineFrom-1e-6 || x > lineTo+1e-6 || i > 0 && x-out[i-1] < min(minGap,
				(lineTo-lineFrom)/float64(len(at)-1))-1e-6 {
				t.Fatalf("%v became %v", at, out)
			}
		}
	})
}
