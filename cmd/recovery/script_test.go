package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"recovery/fixtures"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestScripts runs whole commands. A script begins with `situation NAME...` or `demo-account`, which makes an account
// in acc and sets CLAUDE_CONFIG_DIR, SHORT (SHORT2, ...), SESSION, PAGE and EVENTS.
func TestScripts(t *testing.T) {
	oneThread(t)
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(env *testscript.Env) error {
			env.Vars = append(env.Vars, "CLAUDECODE=", "CLAUDE_CODE_SESSION_ID=", "CLAUDE_JOB_DIR=",
				"GORACE="+os.Getenv("GORACE"))
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"situation": cmdSituation, "exits": cmdExits, "jq": cmdJQ, "calls": cmdCalls,
		},
		RequireExplicitExec: false,
	})
}

// cmdSituation makes an account with one session a named situation, and a page of all.
func cmdSituation(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: situation NAME...")
	}
	a, err := fixtures.New(ts.MkAbs("acc"), now())
	ts.Check(err)
	ts.Defer(a.Close)
	ts.Check(a.Script("default", fixtures.Script{Process: fixtures.Bool(false)}))
	for i, name := range args {
		s, ok := fixtures.Find(name)
		if !ok {
			ts.Fatalf("no situation %q", name)
		}
		added, err := s.AddTo(a)
		ts.Check(err)
		n := ""
		if i > 0 {
			n = fmt.Sprint(i + 1)
		}
		ts.Setenv("SHORT"+n, added.Short)
		ts.Setenv("SESSION"+n, added.SessionID)
		ts.Setenv("TRANSCRIPT"+n, added.Transcript)
		if events, err := a.SaveEvents(added.Short, "events"+n+".json", fixtures.EventOptions{}); err == nil {
			ts.Setenv("EVENTS"+n, events)
		}
	}
	page, err := a.SavePage("page.json", fixtures.PageOptions{})
	ts.Check(err)
	ts.Setenv("PAGE", page)
	for _, kv := range a.Env() {
		name, value, _ := strings.Cut(kv, "=")
		ts.Setenv(name, value)
	}
}

// cmdExits runs a program and wants its exit status: exits 3 recovery queue-check.
func cmdExits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits STATUS PROGRAM ARG...")
	}
	err := ts.Exec(args[1], args[2:]...)
	got := "0"
	if err != nil {
		got = strings.TrimPrefix(err.Error(), "exit status ")
	}
	if got != args[0] {
		ts.Fatalf("%s ended with %s, want %s", strings.Join(args[1:], " "), got, args[0])
	}
}

// cmdJQ compares a value of the last standard output's JSON: jq items.0.outcome woken.
func cmdJQ(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: jq PATH VALUE")
	}
	var v any
	ts.Check(json.Unmarshal([]byte(ts.ReadFile("stdout")), &v))
	for _, key := range strings.Split(args[0], ".") {
		switch x := v.(type) {
		case map[string]any:
			v = x[key]
		case []any:
			var i int
			if _, err := fmt.Sscan(key, &i); err != nil || i >= len(x) {
				ts.Fatalf("%s: no element %s of %d", args[0], key, len(x))
			}
			v = x[i]
		default:
			v = nil
		}
	}
	if got := fmt.Sprint(v); (got == args[1]) == neg {
		ts.Fatalf("%s is %s, want %s", args[0], got, args[1])
	}
}

// cmdCalls wants the number of wakes that the client was asked for.
func cmdCalls(ts *testscript.TestScript, neg bool, args []string) {
	a, err := fixtures.Open(ts.MkAbs("acc"))
	ts.Check(err)
	calls, err := a.Wakes()
	ts.Check(err)
	if neg || len(args) != 1 || fmt.Sprint(len(calls)) != args[0] {
		ts.Fatalf("%d calls, want %v", len(calls), args)
	}
}

// TestHelp: every command has a usage line, an example and its exit status, and every flag is explained.
func TestHelp(t *testing.T) {
	b := newBench(t, testAccount(t))
	x := &command{sys: &b.sys}
	for _, c := range x.app().Commands {
		out := b.must(exitOK, c.Name, "--help")
		for _, want := range []string{"USAGE:", "EXAMPLE:", "EXIT STATUS:", c.UsageText} {
			if !strings.Contains(out, want) {
				t.Errorf("help of %s lacks %q:\n%s", c.Name, want, out)
			}
		}
		for _, f := range c.Flags {
			if f.Names()[0] == "help" {
				continue
			}
			if !strings.Contains(out, "-"+f.Names()[0]+" ") || strings.HasSuffix(strings.TrimSpace(f.String()), f.Names()[0]) {
				t.Errorf("flag %s of %s has no help", f.Names()[0], c.Name)
			}
		}
	}
	readme, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range x.app().VisibleCommands() {
		if c.Name != "help" && !strings.Contains(string(readme), "`"+c.Name) {
			t.Errorf("the README's table lacks %s", c.Name)
		}
	}
}
