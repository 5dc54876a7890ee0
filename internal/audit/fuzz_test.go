package audit_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"mvdan.cc/sh/v3/syntax"

	"recovery/internal/audit"
	"recovery/internal/audit/corpus"
)

// hostile are lines that are meant to hurt a parser.
func hostile() map[string]string {
	h := map[string]string{
		"empty":         "",
		"blank":         " \t\n ",
		"NUL":           "ls\x00rm a",
		"carriage":      "ls\r\nrm a",
		"not UTF-8":     "ls \xff\xfe",
		"1 MB":          "echo " + strings.Repeat("a", 1<<20),
		"64 KB":         "echo " + strings.Repeat("a ", 30<<10),
		"many commands": strings.Repeat("ls;", 20<<10),
		"braces":        "echo " + strings.Repeat("{a,b}", 40),
		"nested braces": "echo " + strings.Repeat("{a,", 150) + strings.Repeat("}", 150),
		"sequence":      "echo {1..1000000000}",
		"arithmetic":    "echo $((" + strings.Repeat("1+", 10000) + "1))",
		"ternaries":     "echo $((" + strings.Repeat("1?1:", 5000) + "1))",
		"negations":     strings.Repeat("! ", 20000) + "ls",
		"times":         strings.Repeat("time ", 10000) + "ls",
		"coprocs":       strings.Repeat("coproc ", 8000) + "ls",
		"pipes":         strings.Repeat("ls|", 15000) + "ls",
		"ands":          strings.Repeat("ls&&", 12000) + "ls",
		"heredocs":      strings.Repeat("cat <<a;", 5000),
		"backslashes":   "echo " + strings.Repeat(`\`, 30000),
		"quotes":        "echo " + strings.Repeat(`"'`, 15000),
		"functions":     strings.Repeat("f() ", 10000) + "{ ls; }",
		"wrappers":      strings.Repeat("env ", 12000) + "ls",
		"sed":           "sed '" + strings.Repeat("{", 30000) + "' a",
		"awk":           "awk '" + strings.Repeat("(", 180) + "' a",
		"sql":           "psql -c '" + strings.Repeat("((select ", 90) + "'",
		"explain":       "psql -c '" + strings.Repeat("explain analyze ", 3000) + "select 1'",
		"xargs":         strings.Repeat("xargs ", 10000) + "ls",
		"find":          "find . " + strings.Repeat("-exec find ", 2000) + "\\;",
		"unary minus":   "echo $((" + strings.Repeat("-", 30000) + "1))",
		"tests":         "[[ " + strings.Repeat("! ", 20000) + "a ]]",
		"cases":         strings.Repeat("case a in a) ", 100),
		"ifs":           strings.Repeat("if ", 20000),
		"elifs":         "if a; then b; " + strings.Repeat("elif a; then b; ", 3000) + "fi",
	}
	for _, open := range []string{"(", "{ ", "$(", "`", "${x:-", "$((", "<(", "[[ ", "\"$(", "((", "a=(", "if ", "while ",
		"for i in ", "x=$(", "[", "!(", "@(", "$[", "${", "\"${x:-"} {
		h["open "+open] = "echo " + strings.Repeat(open, 60<<10/len(open))
		h["short "+open] = "echo " + strings.Repeat(open, 190)
	}
	h["closed ("] = strings.Repeat("(", 190) + "ls" + strings.Repeat(")", 190)
	h["deep ("] = strings.Repeat("( ", 5000) + "ls" + strings.Repeat(" )", 5000)
	h["deep $("] = "echo " + strings.Repeat("$(", 5000) + "ls" + strings.Repeat(")", 5000)
	inner := "ls"
	for range 13 {
		inner = "bash -c " + quote(inner)
		if len(inner) > 1<<20 {
			break
		}
	}
	h["scripts"] = inner
	return h
}

// TestHostileLines wants an answer for each, and no read where the line goes beyond a limit.
func TestHostileLines(t *testing.T) {
	if testing.Short() {
		t.Skip("long, and nothing in it for the race detector")
	}
	r := audit.Default()
	for name, line := range hostile() {
		got := r.Shell(line)
		if len(line) > 64<<10 && got.Class == audit.Read {
			t.Errorf("%s: is read beyond the limit", name)
		}
	}
}

func FuzzShell(f *testing.F) {
	lines, err := corpus.Read("testdata/corpus.tsv")
	if err != nil {
		f.Fatal(err)
	}
	for i, l := range lines {
		// The lines are tested as a corpus elsewhere; the race detector's run takes some of them.
		if !testing.Short() || i%20 == 0 {
			f.Add(l.Command)
		}
	}
	for _, line := range hostile() {
		if len(line) < 4<<10 {
			f.Add(line)
		}
	}
	r := audit.Default()
	f.Fuzz(func(t *testing.T, line string) {
		got := r.Shell(line)
		if got.Reason == "" {
			t.Fatalf("no reason for %q", line)
		}
		if got.Class != audit.Read {
			return
		}
		// In front nothing can be quoted or commented away.
		for _, front := range []string{"rm zz; ", "echo a > zz; ", "rm zz\n"} {
			if c := r.Shell(front + line).Class; c == audit.Read {
				t.Fatalf("%q is read", front+line)
			}
		}
		if !endsPlainly(line) {
			return
		}
		for _, end := range []string{" > f", "; rm x", " $(touch x)", " | tee x"} {
			for _, tail := range []string{"", "\n"} {
				if c := r.Shell(line + end + tail); c.Class == audit.Read {
					t.Fatalf("%q is read (%s)", line+end+tail, c.Reason)
				}
			}
		}
	})
}

// endsPlainly says whether text behind a line is still a part of its last command. It is not when the line ends in a
// comment, in a here-document, or in a backslash that takes the blank for itself; and where the line has a function,
// rm may be one.
func endsPlainly(line string) bool {
	if strings.HasSuffix(line, "\\") {
		return false
	}
	plain := true
	for _, lang := range []syntax.LangVariant{syntax.LangBash, syntax.LangZsh} {
		// A mark of one's own at the end: does it arrive as a word of a command?
		f, err := syntax.NewParser(syntax.Variant(lang)).Parse(strings.NewReader(line+" zzmark"), "")
		if err != nil {
			continue // what does not parse is no read with anything behind it either
		}
		arrives := false
		syntax.Walk(f, func(n syntax.Node) bool {
			switch n := n.(type) {
			case *syntax.Word:
				arrives = arrives || n.Lit() == "zzmark"
			case *syntax.Redirect:
				plain = plain && n.Hdoc == nil
			case *syntax.FuncDecl:
				plain = false
			}
			return true
		})
		plain = plain && arrives
	}
	return plain
}

func FuzzCall(f *testing.F) {
	f.Add("Bash", []byte(`{"command":"ls"}`))
	f.Add("mcp__github__get_me", []byte(`{}`))
	f.Add("mcp__postgres__query", []byte(`{"sql":"select 1"}`))
	r := audit.Default()
	f.Fuzz(func(t *testing.T, name string, input []byte) {
		got := r.Call(name, input)
		if !json.Valid(input) && got.Class == audit.Read {
			t.Fatalf("%s with broken input %q is read", name, input)
		}
	})
}

// BenchmarkCall is about a transcript of many calls: a line of every kind, over and over.
func BenchmarkCall(b *testing.B) {
	lines, err := corpus.Read("testdata/corpus.tsv")
	if err != nil {
		b.Fatal(err)
	}
	inputs := make([][]byte, len(lines))
	for i, l := range lines {
		inputs[i] = fmt.Appendf(nil, `{"command":%q}`, "x")
		if data, err := json.Marshal(map[string]string{"command": l.Command}); err == nil {
			inputs[i] = data
		}
	}
	r := audit.Default()
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		r.Call("Bash", inputs[i%len(inputs)])
	}
}

func BenchmarkLoad(b *testing.B) {
	for b.Loop() {
		_, _ = audit.Load()
	}
}
