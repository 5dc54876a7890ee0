package report

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"recovery/internal/text"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestPieces(t *testing.T) {
	said := func(s string) piece { return piece{Text: s} }
	types := func(s string) piece { return piece{Command: s} }
	for in, want := range map[string][]piece{
		"":                                  nil,
		"read its thread":                   {said("read its thread")},
		"recovery read 1c132171":            {types("recovery read 1c132171")},
		"recovery read --wait 10m 1c132171": {types("recovery read --wait 10m 1c132171")},
		"pin it, send it (recovery message wrap 1c132171), then: recovery wrap-wait 1c132": {said("pin it, send it ("), types("recovery message wrap 1c132171"), said("), then: "), types("recovery wrap-wait 1c132")},
		"claude stop 1c132171; to see it: recovery audit 1c132171":                         {types("claude stop 1c132171"), said("; to see it: "), types("recovery audit 1c132171")},
		"look at them with `recovery read`":                                                {said("look at them with "), types("recovery read")},
		"recovery queue-check --confirm 9388b6ba":                                          {types("recovery queue-check --confirm 9388b6ba")},
		"at https://claude.ai/code/session_01, then: recovery queue-check 9388b6ba":        {said("at "), {Link: "https://claude.ai/code/session_01"}, said(", then: "), types("recovery queue-check 9388b6ba")},
		"see https://claude.ai/code/session_01.":                                           {said("see "), {Link: "https://claude.ai/code/session_01"}, said(".")},
		"https://claude.ai/code/\"><b>":                                                    {said("https://claude.ai/code/\"><b>")},
		"https://claude.ai/@example.org":                                                   {said("https://claude.ai/@example.org")},
		"https://claude.ai.example.org/x":                                                  {said("https://claude.ai.example.org/x")},
		"the recovery of the database":                                                     {said("the recovery of the database")},
		"recovery read 1c132171; rm -rf ~":                                                 {types("recovery read 1c132171"), said("; rm -rf ~")},
		"recovery resume --yes $(reboot)":                                                  {types("recovery resume --yes"), said(" $(reboot)")},
		"recovery read\n1c132171":                                                          {types("recovery read 1c132171")},
	} {
		if diff := cmp.Diff(want, pieces(in)); diff != "" {
			t.Errorf("%q: %s", in, diff)
		}
	}
}

// TestCommandsAreOurs holds for every text: what a copy button copies is a plain command of this program or the client.
func TestCommandsAreOurs(t *testing.T) {
	plain := regexp.MustCompile(`^(recovery|claude) [a-z0-9 -]+$`)
	rapid.Check(t, func(t *rapid.T) {
		in := strings.Join(rapid.SliceOf(rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"recovery read", " ", "claude stop ", "1c132171", "--wait", "`", ";", "$(x)", "https://claude.ai/", "code"}))).Draw(t, "words"), "")
		whole := ""
		for _, p := range pieces(in) {
			if p.Command != "" && !plain.MatchString(p.Command) {
				t.Fatalf("%q", p.Command)
			}
			whole += p.Text + p.Command + p.Link
		}
		bare := strings.NewReplacer("`", "")
		if want := text.Clip(in, maxLine); bare.Replace(whole) != bare.Replace(want) {
			t.Fatalf("%q became %q", want, whole)
		}
	})
}

func TestThreadLinks(t *testing.T) {
	for link, href := range map[string]bool{
		"https://claude.ai/code/session_01FIX": true, "https://claude.ai/chat/1-2?x=1#y": true,
		"": false, "https://claude.ai": false, "http://claude.ai/x": false, "https://claude.ai.evil.org/": false, "https://claude.ai@evil.org/": false, "HTTPS://claude.ai/x": false,
		"https://claude.ai/\"x": false, "https://claude.ai/\nx": false, "javascript:alert(1)//https://claude.ai/": false, "https://claude.ai/\u202e": false, "https://claude.ai/" + strings.Repeat("x", 5000): false,
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
		0: "at the time of this report", -59 * time.Second: "at the time of this report", 61 * time.Second: "in 1 minute", -90 * time.Minute: "90 minutes ago", -8 * time.Hour: "8 hours ago",
		-47 * time.Hour: "47 hours ago", -48 * time.Hour: "2 days ago", 29 * 24 * time.Hour: "in 29 days",
	} {
		if got := instantOf(clock.Add(at), clock); got.Ago != want {
			t.Errorf("%s: %q, want %q", at, got.Ago, want)
		}
	}
	if got := instantOf(time.Time{}, clock); got != nil {
		t.Errorf("%+v", got)
	}
	if got := instantOf(clock.In(time.FixedZone("x", 3600)), time.Time{}); got.ISO != "2026-11-29T12:00:00Z" || got.Words != "29 Nov 2026, 12:00 UTC" || got.Ago != "" {
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
			short := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"", "1c132171", "A", "a", "é"})).Draw(t, fmt.Sprint(i))
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
			if x < lineFrom-1e-6 || x > lineTo+1e-6 || i > 0 && x-out[i-1] < min(minGap, (lineTo-lineFrom)/float64(len(at)-1))-1e-6 {
				t.Fatalf("%v became %v", at, out)
			}
		}
	})
}
