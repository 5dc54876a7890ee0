package recovery

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// layers are the folders from the bottom up; a package imports only what stands below its own line.
var layers = [][]string{
	{"internal/text"},
	{"internal/claude"},
	{"internal/account", "internal/audit", "internal/audit/corpus", "internal/journal", "internal/sources", "fixtures",
		"fixtures/long"},
	{"internal/sources/files"},
	{"internal/remote", "internal/transcript", "internal/audit/score", "internal/sources/agentsession",
		"internal/sources/babysitter", "internal/sources/ouroboros", "prompts"},
	{"inventory", "wrap"},
	{"wrap"},
	{"queuecheck", "review", "inflight"},
	{"standing"},
	{"message"},
	{"wake"},
	{"report"},
	{"cmd/recovery"},
}

// TestImportsPointDown holds the rooms to the layout of docs/architecture.md.
func TestImportsPointDown(t *testing.T) {
	level := map[string]int{}
	for i, row := range layers {
		for _, dir := range row {
			level[dir] = i
		}
	}
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") ||
			strings.HasPrefix(path, "e2e") {
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
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") ||
			strings.HasPrefix(path, "e2e") {
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

// clientWords are words of the client that one room names.
var clientWords = []string{
	`"(end_turn|stop_sequence)"`, `"(AskUserQuestion|ExitPlanMode)"`, `"queued_command"`, `"<synthetic>"`,
	`hasn't isolated`, `"user-rejected"|"permission-rule"`,
	`"<(task-notification|cross-session-message|teammate-message|scheduled-task)`, `"\[Request interrupted`,
	`"cse_"|"session_" ?\+`, `claude\.ai/code/session_"`, `"CLAUDE_(CODE|JOB)_`, `"CLAUDE_CONFIG_DIR"`,
	`bg settled|daemon start ─`, `backgrounded\\s|started a copy as\\s`, `overloaded|/login\\b`,
	`\[0-9a-f\]\{8\}-\[0-9a-f\]\{4\}-\[0-9a-f\]\{4\}`,
}

// TestTheClientsWordsHaveOneRoom: a new version of the client is met in internal/claude and in fixtures alone.
func TestTheClientsWordsHaveOneRoom(t *testing.T) {
	var patterns []*regexp.Regexp
	for _, p := range clientWords {
		patterns = append(patterns, regexp.MustCompile(p))
	}
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		for _, room := range []string{"internal/claude/", "fixtures/", "e2e/", "internal/audit/"} {
			if strings.HasPrefix(filepath.ToSlash(path), room) {
				return nil
			}
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		n := 0
		for line := range strings.Lines(string(data)) {
			n++
			code, _, _ := strings.Cut(line, "// ")
			for _, re := range patterns {
				if re.MatchString(code) {
					t.Errorf("%s:%d has words of the client that internal/claude names: %s", path, n, strings.TrimSpace(line))
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// invariants is how many of them there are; each has a test that bears its number.
const invariants = 15

// TestEachInvariantHasATest: the name of a test says which invariant it holds, so that one without a test is seen.
func TestEachInvariantHasATest(t *testing.T) {
	name := regexp.MustCompile(`(?m)^func TestInvariant(\d+)[A-Z]\w*\(t \*testing\.T\)`)
	found := map[string]bool{}
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		data, err := os.ReadFile(path)
		for _, m := range name.FindAllStringSubmatch(string(data), -1) {
			found[m[1]] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for n := 1; n <= invariants; n++ {
		if !found[strconv.Itoa(n)] {
			t.Errorf("invariant %d has no test", n)
		}
		delete(found, strconv.Itoa(n))
	}
	if len(found) > 0 {
		t.Errorf("tests of invariants that there are not: %v", found)
	}
}
