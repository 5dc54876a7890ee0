package audit_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"recovery/internal/audit"
	"recovery/internal/audit/corpus"
)

// TestUserRulesOnlyWorsen loads a file of the user and finds no call better than before.
func TestUserRulesOnlyWorsen(t *testing.T) {
	if testing.Short() {
		t.Skip("long, and nothing in it for the race detector")
	}
	r, err := audit.Load([]byte("commands:\n  git log: unknown\n  cat: {write: --number}\n  ls, pwd: write\ntools:\n  " +
		"Read: unknown\n  mcp__github__*: write\n"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		line string
		want audit.Class
	}{
		{"git log -3", audit.Unknown},
		{"git -C x log", audit.Unknown},
		{"git status", audit.Read},
		{"git commit -m log", audit.Write},
		{"cat a", audit.Read},
		{"cat --number a", audit.Write},
		{"cat --num a", audit.Write},
		{"echo $(ls)", audit.Write},
		{"sudo pwd", audit.Write},
	} {
		if got := r.Shell(c.line); got.Class != c.want {
			t.Errorf("%q is %s (%s), want %s", c.line, got.Class, got.Reason, c.want)
		}
	}
	if got := r.Call("Read", []byte(`{}`)); got.Class != audit.Unknown {
		t.Errorf("Read is %s", got.Class)
	}
	if got := r.Call("mcp__github__get_me", []byte(`{}`)); got.Class != audit.Write {
		t.Errorf("get_me is %s", got.Class)
	}
	lines, err := corpus.Read("testdata/corpus.tsv")
	if err != nil {
		t.Fatal(err)
	}
	plain := audit.Default()
	for _, l := range lines {
		if was, is := plain.Shell(l.Command).Class, r.Shell(l.Command).Class; was.Worse(is) != is {
			t.Errorf("%q was %s, is %s", l.Command, was, is)
		}
	}
}

func TestUserRulesThatSoftenAreRefused(t *testing.T) {
	for _, file := range []string{
		"commands: {rm: read}",
		"tools: {Write: read}",
		"commands: {rm: {class: read}}",
		"commands: {rm: harmless}",
		"commands: {rm: {read: -f}}",
		"sets: {a: b}",
		"commands: [",
	} {
		if _, err := audit.Load([]byte(file)); err == nil {
			t.Errorf("%q was taken", file)
		}
	}
}

func TestWorse(t *testing.T) {
	order := []audit.Class{audit.Read, audit.Unknown, audit.Write}
	for i, a := range order {
		for j, b := range order {
			if got := a.Worse(b); got != order[max(i, j)] {
				t.Errorf("%s.Worse(%s) = %s", a, b, got)
			}
		}
	}
	if audit.Class("nonsense").Worse(audit.Read) == audit.Read {
		t.Error("a class that is none is taken for a read")
	}
}

func TestNetworkIsMarked(t *testing.T) {
	r := audit.Default()
	for line, want := range map[string]bool{"curl https://x.io": true, "kubectl get pods": true, "ls": false,
		"gh pr list | head":    true,
		"git ls-remote origin": true, "git log": false, "ls && dig x.io": true, "ssh h ls": true} {
		if got := r.Shell(line); got.Network != want || got.Class != audit.Read {
			t.Errorf("%q: network %v, class %s (%s)", line, got.Network, got.Class, got.Reason)
		}
	}
}

// TestSourceBreaksNoCharacter holds a long word of other letters to whole characters when a reason shows its beginning.
func TestSourceBreaksNoCharacter(t *testing.T) {
	word := "$x" + strings.Repeat("語", 40)
	got := audit.Default().Shell(word)
	if !utf8.ValidString(got.Reason) || !strings.Contains(got.Reason, "語...") {
		t.Errorf("%q", got.Reason)
	}
}
