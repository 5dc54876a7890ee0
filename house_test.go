package recovery

import (
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// clocks are the files that may read the clock: where the program begins, and where a process waits for a lock.
var clocks = []string{"cmd/recovery/system.go", "internal/journal/journal.go", "internal/journal/lock.go",
	"internal/sources/ouroboros/store.go"}

// TestTheClockIsReadInFewPlaces: everything else is given the time, so that a test can set it.
func TestTheClockIsReadInFewPlaces(t *testing.T) {
	found := map[string]bool{}
	program(t, func(path string, f *ast.File) {
		if strings.HasPrefix(path, "fixtures/") {
			return
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if s, ok := n.(*ast.SelectorExpr); ok && isName(s.X, "time") && (s.Sel.Name == "Now" || s.Sel.Name == "Since") {
				found[path] = true
				if !slices.Contains(clocks, path) {
					t.Errorf("%s reads the clock; take the time from its caller", path)
				}
			}
			return true
		})
	})
	for _, path := range clocks {
		if !found[path] {
			t.Errorf("%s does not read the clock: take it off the list", path)
		}
	}
}

// TestLinesHaveAtMost120Columns: a raw string of several lines is the one place where a line cannot be broken.
func TestLinesHaveAtMost120Columns(t *testing.T) {
	program(t, func(path string, _ *ast.File) {
		src, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		raw := rawLines(src)
		n := 0
		for line := range strings.Lines(string(src)) {
			if n++; utf8.RuneCountInString(strings.TrimRight(line, "\n")) > 120 && !raw[n] {
				t.Errorf("%s:%d is longer than 120 columns", path, n)
			}
		}
	})
}

// rawLines are the numbers of the lines on which a raw string of several lines stands.
func rawLines(src []byte) map[int]bool {
	out := map[int]bool{}
	file := token.NewFileSet().AddFile("", -1, len(src))
	var s scanner.Scanner
	s.Init(file, src, nil, 0)
	for {
		pos, tok, lit := s.Scan()
		if tok == token.EOF {
			return out
		}
		if n := strings.Count(lit, "\n"); tok == token.STRING && n > 0 {
			for i := range n + 1 {
				out[file.Line(pos)+i] = true
			}
		}
	}
}

// TestMainOnlyStartsTheProgram: no variable and no argument makes it something else before it begins.
func TestMainOnlyStartsTheProgram(t *testing.T) {
	data, err := os.ReadFile("cmd/recovery/main.go")
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(data), "\n"); n > 15 {
		t.Errorf("main.go has %d lines, more than 15", n)
	}
}

// TestFixturesAreForTheDemoAndTests: no other file of the program builds accounts.
func TestFixturesAreForTheDemoAndTests(t *testing.T) {
	program(t, func(path string, f *ast.File) {
		for _, imp := range f.Imports {
			if imp.Path.Value == `"recovery/fixtures"` && path != "cmd/recovery/demo.go" {
				t.Errorf("%s imports fixtures: only the demo may", path)
			}
		}
	})
}

// prose are the fields that hold sentences for people.
var prose = []string{"Note", "Next", "Reason"}

// TestNoDecisionReadsProse: a sentence can be polished without changing what the program does. What an error is, is
// said by its type; what a reason is, by its code.
func TestNoDecisionReadsProse(t *testing.T) {
	program(t, func(path string, f *ast.File) {
		if strings.HasPrefix(path, "fixtures/") {
			return
		}
		ast.Inspect(f, func(n ast.Node) bool {
			switch e := n.(type) {
			case *ast.BinaryExpr:
				if (e.Op == token.EQL || e.Op == token.NEQ) && (isWords(e.X) && isText(e.Y) || isWords(e.Y) && isText(e.X)) {
					t.Errorf("%s compares words that are meant for people", path)
				}
			case *ast.SwitchStmt:
				if e.Tag != nil && isWords(e.Tag) {
					t.Errorf("%s decides on words that are meant for people", path)
				}
			case *ast.CallExpr:
				s, ok := e.Fun.(*ast.SelectorExpr)
				searches := []string{"Contains", "HasPrefix", "HasSuffix", "EqualFold", "Index"}
				if ok && isName(s.X, "strings") && slices.Contains(searches, s.Sel.Name) && isWords(e.Args[0]) {
					t.Errorf("%s looks into words that are meant for people", path)
				}
			}
			return true
		})
	})
}

// isWords is x.Error(), or a field that holds prose.
func isWords(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.SelectorExpr:
		return slices.Contains(prose, e.Sel.Name)
	case *ast.CallExpr:
		s, ok := e.Fun.(*ast.SelectorExpr)
		return ok && len(e.Args) == 0 && s.Sel.Name == "Error"
	}
	return false
}

// isText is a sentence; the empty one only says that there is none.
func isText(e ast.Expr) bool {
	lit, ok := e.(*ast.BasicLit)
	return ok && lit.Kind == token.STRING && len(lit.Value) > 2
}

func isName(e ast.Expr, name string) bool {
	id, ok := e.(*ast.Ident)
	return ok && id.Name == name
}

// program visits each file of the program, without tests.
func program(t *testing.T, visit func(path string, f *ast.File)) {
	t.Helper()
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		path = filepath.ToSlash(path)
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") ||
			strings.HasPrefix(path, "e2e/") {
			return err
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err == nil {
			visit(path, f)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
