package review

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const goodBlock = "verdict: OWNER\nitem: refund of order 5512\nopen:\n  - pay 30 EUR back\n  - answer Kim\ngo: pays " +
	"30 EUR back\n" +
	"money_at_risk: 30 EUR\nperson_waiting: Kim Lee since 3 May\nacts_twice_with: [b2c3d4e5]\nrecommend: let it run\n"

const minimal = "verdict: DONE\nitem: x\nmoney_at_risk: none\nperson_waiting: none\n"

func block(body string) string { return "## Review\n\nText.\n\n```yaml\n" + body + "```\n" }

func TestParseVerdict(t *testing.T) {
	want := &Verdict{Verdict: "OWNER", Item: "refund of order 5512", Open: []string{"pay 30 EUR back", "answer Kim"},
		Go:          "pays 30 EUR back",
		MoneyAtRisk: "30 EUR", PersonWaiting: "Kim Lee since 3 May", ActsTwiceWith: []string{"b2c3d4e5"},
		Recommend: "let it run"}
	for name, reply := range map[string]string{
		"plain":               block(goodBlock),
		"CRLF":                strings.ReplaceAll(block(goodBlock), "\n", "\r\n"),
		"blank lines behind":  block(goodBlock) + "\n \n\t\n",
		"no newline behind":   strings.TrimSuffix(block(goodBlock), "\n"),
		"another block first": "```sh\ngit status\n```\n" + block(goodBlock),
		"yaml block first":    "```yaml\na: 1\n```\n" + block(goodBlock),
		"tildes":              "~~~yaml\n" + goodBlock + "~~~",
		"longer fence":        "````yaml\n" + goodBlock + "````",
		"yml":                 "```YML\n" + goodBlock + "```",
		"words after yaml":    "```yaml verdict\n" + goodBlock + "```",
		"in a list":           "- text\n\n   ```yaml\n" + goodBlock + "   ```",
		"quoted one before":   "> ```yaml\n> verdict: DONE\n> ```\n" + block(goodBlock),
		"extra keys":          block(goodBlock + "note: [a, {b: c}]\n"),
		"comments":            block("# so it stands\n" + goodBlock),
		"word in the text":    "The verdict: see below.\n" + block(goodBlock),
	} {
		got, err := ParseVerdict(reply)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}

func TestParseVerdictValues(t *testing.T) {
	for in, want := range map[string]string{"none": "", "no": "", "No.": "", "false": "", "null": "", "~": "", "": "",
		"\"\"": "", "nobody": "", "0": "", "N/A": "",
		"true": "yes", "yes": "yes", "Yes": "yes", "\"yes\"": "yes", "300": "300", "300 EUR": "300 EUR",
		"none of it": "none of it", "12.50": "12.50", "2024-05-03": "2024-05-03"} {
		v, err := ParseVerdict(block("verdict: HELD\nitem: x\nmoney_at_risk: " + in + "\nperson_waiting: " + in + "\n"))
		if err != nil || v.MoneyAtRisk != want || v.PersonWaiting != want {
			t.Errorf("%q: %+v, %v", in, v, err)
		}
	}
	v, err := ParseVerdict(block(minimal + "open:\nacts_twice_with: [12345678, 1e234567]\ngo: ~\nrecommend: 5\n"))
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(&Verdict{Verdict: "DONE", Item: "x", Open: []string{}, ActsTwiceWith: []string{"12345678",
		"1e234567"}, Recommend: "5"}, v); d != "" {
		t.Error(d)
	}
	b, err := json.Marshal(v)
	if err != nil || !strings.Contains(string(b), `"open":[],`) || !strings.Contains(string(b), `"money_at_risk":""`) {
		t.Errorf("JSON %s, %v", b, err)
	}
}

func TestParseVerdictRefuses(t *testing.T) {
	deep := strings.Repeat("[", 40) + strings.Repeat("]", 40)
	for name, c := range map[string]struct{ reply, why string }{
		"nothing":           {"", "no verdict block"},
		"no block":          {"verdict: DONE\n", "no verdict block"},
		"other blocks only": {"```yaml\na: 1\n```\n", "no verdict block"},
		"indented":          {"    ```yaml\n    verdict: DONE\n    ```\n", "no verdict block"},
		"two":               {block(goodBlock) + "\n" + block(goodBlock), "two verdict blocks"},
		"two, one unmarked": {"```\nverdict: DONE\n```\n" + block(goodBlock), "two verdict blocks"},
		"two, flow style":   {"```yaml\n{verdict: DONE}\n```\n" + block(goodBlock), "two verdict blocks"},
		"not the last":      {block(goodBlock) + "```sh\nls\n```\n", "not the last"},
		"text behind":       {block(goodBlock) + "Archive it.\n", "text after"},
		"not closed":        {strings.TrimSuffix(block(goodBlock), "```\n"), "not closed"},
		"not marked":        {"```\n" + goodBlock + "```", "not marked"},
		"json":              {"```json\n{\"verdict\": \"DONE\"}\n```", "not marked"},
		"too large":         {block(minimal + "note: " + strings.Repeat("x", maxVerdictBlock) + "\n"), "bytes"},
		"unknown verdict":   {block(strings.Replace(minimal, "DONE", "MAYBE", 1)), "none of"},
		"lower case":        {block(strings.Replace(minimal, "DONE", "done", 1)), "none of"},
		"template":          {block(strings.Replace(minimal, "DONE", "DONE | OWNER", 1)), "none of"},
		"verdict a list":    {block(strings.Replace(minimal, "DONE", "[DONE]", 1)), "must be a text"},
		"verdict empty":     {block(strings.Replace(minimal, "DONE", "", 1)), "must be a text"},
		"item missing":      {block("verdict: DONE\nmoney_at_risk: none\nperson_waiting: none\n"), "item is missing"},
		"money missing":     {block("verdict: DONE\nitem: x\nperson_waiting: none\n"), "money_at_risk is missing"},
		"item a bool":       {block(strings.Replace(minimal, "item: x", "item: true", 1)), "must be a text"},
		"item blank":        {block(strings.Replace(minimal, "item: x", "item: ' '", 1)), "must not be empty"},
		"open a text":       {block(minimal + "open: none\n"), "must be a list"},
		"open of lists":     {block(minimal + "open: [[a]]\n"), "must be a text"},
		"open with null":    {block(minimal + "open: [~]\n"), "must be a text"},
		"go a list":         {block(minimal + "go: [a]\n"), "must be a text"},
		"go true":           {block(minimal + "go: true\n"), "must be a text"},
		"money a map": {block("verdict: DONE\nitem: x\nmoney_at_risk: {a: b}\nperson_waiting: none\n"),
			"must be true, false or a text"},
		"short of words":      {block(minimal + "acts_twice_with: [the other one]\n"), "no session"},
		"key twice":           {block(minimal + "item: y\n"), "already"},
		"key twice, deeper":   {block(minimal + "note: {a: 1, a: 2}\n"), "already"},
		"anchor":              {block(minimal + "note: &a x\n"), "anchor"},
		"alias":               {block(minimal + "note: &a x\nmore: *a\n"), "a"},
		"tag":                 {block(minimal + "note: !!str 5\n"), "tag"},
		"own tag":             {block(minimal + "note: !x 5\n"), "tag"},
		"merge":               {block(minimal + "<<: {a: b}\n"), "merge"},
		"two documents":       {block(minimal + "---\n" + minimal), "more than one"},
		"not YAML":            {block(minimal + "a: [\n"), "not readable"},
		"tab":                 {block(minimal + "\ta: 1\n"), "not readable"},
		"a list":              {block("- verdict: DONE\n") + "", ""},
		"too deep":            {block(minimal + "note: " + deep + "\n"), "deep"},
		"key of a list":       {block(minimal + "? [a]\n: b\n"), "not a plain word"},
		"verdict in a string": {block("note: |\n  verdict: DONE\n"), "verdict is missing"},
	} {
		v, err := ParseVerdict(c.reply)
		if err == nil {
			t.Errorf("%s: gives %+v", name, v)
		} else if !strings.Contains(err.Error(), c.why) {
			t.Errorf("%s: error %q does not say %q", name, err, c.why)
		}
	}
}

// TestVerdictSchema holds the schema to the keys that are read.
func TestVerdictSchema(t *testing.T) {
	b, err := os.ReadFile("../docs/verdict.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	var schema struct {
		Required   []string
		Properties map[string]any
	}
	if err := json.Unmarshal(b, &schema); err != nil {
		t.Fatal(err)
	}
	var keys map[string]any
	b, _ = json.Marshal(Verdict{})
	if err := json.Unmarshal(b, &keys); err != nil {
		t.Fatal(err)
	}
	for k := range keys {
		if schema.Properties[k] == nil {
			t.Errorf("the schema lacks %s", k)
		}
	}
	if len(keys) != len(schema.Properties) || len(schema.Required) != 4 {
		t.Errorf("the schema has %d keys, %d needed", len(schema.Properties), len(schema.Required))
	}
}

// FuzzParseVerdict holds the parser to never panicking, and to giving only what the documentation allows.
func FuzzParseVerdict(f *testing.F) {
	f.Add(block(goodBlock))
	f.Add(block(minimal + "note: &a [*a]\n"))
	f.Add(block("verdict: DONE\n? [a, : b\n"))
	f.Add("```yaml\nverdict: \x00\n```")
	f.Add("~~~yaml\n%TAG ! x\n---\nverdict: !<a> DONE\n~~~")
	f.Fuzz(func(t *testing.T, s string) {
		for _, reply := range []string{s, block(s), block(minimal + s)} {
			v, err := ParseVerdict(reply)
			if (v == nil) == (err == nil) {
				t.Fatalf("%+v, %v", v, err)
			}
			if v == nil {
				continue
			}
			if v.Open == nil || v.ActsTwiceWith == nil || v.Item == "" {
				t.Fatalf("%+v", v)
			}
			switch v.Verdict {
			case VerdictDone, VerdictOwner, VerdictDuplicate, VerdictHeld:
			default:
				t.Fatalf("%+v", v)
			}
		}
	})
}
