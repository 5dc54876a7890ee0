package recovery

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// layers are the folders from the bottom up; a package imports only what stands below its own line.
var layers = [][]string{
	{"internal/text"},
	{"internal/claude"},
	{"internal/account", "internal/audit", "internal/audit/corpus", "internal/journal", "internal/sources", "fixtures", "fixtures/long"},
	{"internal/sources/files"},
	{"internal/remote", "internal/transcript", "internal/audit/score", "internal/sources/agentsession", "internal/sources/babysitter", "internal/sources/ouroboros", "prompts"},
	{"inventory"},
	{"queuecheck", "review", "wrap", "inflight"},
	{"standing"},
	{"message"},
	{"wake"},
	{"report"},
	{"cmd/recovery"},
}

// TestImportsPointDown holds the rooms to the layout of docs/layout.md.
func TestImportsPointDown(t *testing.T) {
	level := map[string]int{}
	for i, row := range layers {
		for _, dir := range row {
			level[dir] = i
		}
	}
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || strings.HasPrefix(path, "e2e") {
			return err
		}
		dir := filepath.ToSlash(filepath.Dir(path))
		if dir == "." {
			return nil
		}
		own, ok := level[dir]
		if !ok {
			t.Errorf("%s is in no layer: give %s its line", path, dir)
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, imp := range f.Imports {
			name, _ := strconv.Unquote(imp.Path.Value)
			rest, ok := strings.CutPrefix(name, "recovery/")
			if !ok {
				continue
			}
			if level[rest] >= own {
				t.Errorf("%s imports %s, which is not below it", path, rest)
			}
			if rest == "fixtures/long" {
				t.Errorf("%s imports %s: only tests may", path, rest)
			}
			if rest == "fixtures" && dir != "cmd/recovery" {
				t.Errorf("%s imports fixtures: only tests and the demo may", path)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestOnlyTheClientRunner runs programs: the one effect has one door.
func TestOnlyTheClientRunner(t *testing.T) {
	allowed := map[string][]string{
		"os/exec": {"wake", "fixtures", "cmd/recovery"},
	}
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || strings.HasPrefix(path, "e2e") {
			return err
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		dir := filepath.ToSlash(filepath.Dir(path))
		for _, imp := range f.Imports {
			name, _ := strconv.Unquote(imp.Path.Value)
			if where, guarded := allowed[name]; guarded && !strings.Contains(" "+strings.Join(where, " ")+" ", " "+dir+" ") {
				t.Errorf("%s imports %s, which is for %v", path, name, where)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
