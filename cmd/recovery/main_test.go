package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"recovery/fixtures"
	"recovery/internal/account"
	"recovery/wake"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	fixtures.Main()
	program := func() {
		s := system()
		s.timing = testTiming
		if at := s.env(killEnv); at != "" {
			s.timing.Proof = 100 * time.Millisecond
			s.probe = killAt(at)
		}
		os.Exit(run(s, os.Args[1:]))
	}
	if os.Getenv(programEnv) == "1" {
		program()
	}
	testscript.Main(m, map[string]func(){
		"recovery": program,
		"claude":   func() { os.Exit(fixtures.ClientMain(os.Args[1:], os.Environ(), os.Stdin, os.Stdout, os.Stderr)) },
	})
}

// programEnv makes the test binary the program itself, in a process of its own that a test can kill.
const programEnv = "RECOVERY_TEST_PROGRAM"

// killEnv makes the program end itself with SIGKILL at its n-th probe; 0 only counts them.
const killEnv = "RECOVERY_TEST_KILL_AT"

// killAt reports each point on standard error, so that the test can count and name them.
func killAt(at string) func(string) {
	n, err := strconv.Atoi(at)
	if err != nil {
		panic(err)
	}
	seen := 0
	return func(point string) {
		seen++
		fmt.Fprintf(os.Stderr, "probe %d %s\n", seen, point)
		if seen == n {
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {}
		}
	}
}

// testTiming polls often, since the simulated client answers at once, and is patient where a loaded machine needs it.
var testTiming = wake.Timing{Proof: 10 * time.Second, Poll: 10 * time.Millisecond, Settle: 0,
	Retry: 10 * time.Millisecond}

// bench is one account with the program on it, in this process.
type bench struct {
	t      *testing.T
	a      *fixtures.Account
	client string
	sys    sys
}

// oneThread leaves a test of one thread out of the short run, which is that of the race detector.
func oneThread(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("one thread: the race detector has nothing to see in it")
	}
}

func newBench(t *testing.T, a *fixtures.Account) *bench {
	t.Helper()
	client, err := a.Client()
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{t: t, a: a, client: client}
	b.sys = sys{
		environ: append(a.Env(), "PATH="+os.Getenv("PATH"), "GORACE="+os.Getenv("GORACE")), now: time.Now, sleep: sleep,
		processes: account.ReadProcesses,
		memory:    func() (int64, error) { return 64 << 30, nil }, timing: testTiming, user: "tester", uid: os.Geteuid(),
		userOf: userOf, pid: os.Getpid(),
	}
	return b
}

// account makes an empty one that goes with the test.
func testAccount(t *testing.T) *fixtures.Account {
	t.Helper()
	a, err := fixtures.New(t.TempDir(), time.Now())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(a.Close)
	if err := a.Script("default", fixtures.Script{Process: fixtures.Bool(false)}); err != nil {
		t.Fatal(err)
	}
	return a
}

func (b *bench) run(args ...string) (status int, stdout, stderr string) {
	b.t.Helper()
	var out, errs bytes.Buffer
	s := b.sys
	s.stdout, s.stderr = &out, &errs
	status = runIn(&s, context.Background(), append([]string{"--client", b.client}, args...))
	for _, stream := range []string{out.String(), errs.String()} {
		if strings.Contains(stream, fixtures.Secret) {
			b.t.Errorf("recovery %s printed a secret:\n%s", strings.Join(args, " "), stream)
		}
		if strings.Contains(stream, "goroutine ") || strings.Contains(stream, "recovery: internal error") {
			b.t.Errorf("recovery %s broke:\n%s", strings.Join(args, " "), stream)
		}
	}
	return status, out.String(), errs.String()
}

// must runs a command that has to end with a status.
func (b *bench) must(want int, args ...string) string {
	b.t.Helper()
	status, out, errs := b.run(args...)
	if status != want {
		b.t.Fatalf("recovery %s ended with %d, want %d\n%s%s", strings.Join(args, " "), status, want, out, errs)
	}
	return out
}

// object runs a command with --json and gives its one object.
func (b *bench) object(want int, args ...string) map[string]any {
	b.t.Helper()
	out := b.must(want, append([]string{"--json"}, args...)...)
	var v map[string]any
	d := json.NewDecoder(strings.NewReader(out))
	if err := d.Decode(&v); err != nil {
		b.t.Fatalf("recovery %s printed no object: %v\n%s", strings.Join(args, " "), err, out)
	}
	if d.More() {
		b.t.Fatalf("recovery %s printed more than one object:\n%s", strings.Join(args, " "), out)
	}
	return v
}

func items(v map[string]any) []map[string]any {
	var out []map[string]any
	list, _ := v["items"].([]any)
	for _, x := range list {
		if m, ok := x.(map[string]any); ok {
			out = append(out, m)
		}
	}
	return out
}

// add puts a session into the account; it would pass with the pages of inventory.
func (b *bench) add(s fixtures.Session) fixtures.Added {
	b.t.Helper()
	added, err := b.a.Add(s)
	if err != nil {
		b.t.Fatal(err)
	}
	return added
}

// inventory saves a page of every session and makes the inventory from it.
func (b *bench) inventory() {
	b.t.Helper()
	page, err := b.a.SavePage("sessions.json", fixtures.PageOptions{})
	if err != nil {
		b.t.Fatal(err)
	}
	if status, out, errs := b.run("inventory", "--sessions", page); status != exitOK && status != exitNeedsUser {
		b.t.Fatalf("inventory ended with %d\n%s%s", status, out, errs)
	}
}

func (b *bench) wakes() []fixtures.Call {
	b.t.Helper()
	calls, err := b.a.Wakes()
	if err != nil {
		b.t.Fatal(err)
	}
	return calls
}

func (b *bench) received(short string) []string {
	b.t.Helper()
	got, err := b.a.Received(short)
	if err != nil {
		b.t.Fatal(err)
	}
	return got
}

// resume runs resume with the waits of a test.
func (b *bench) resume(want int, args ...string) map[string]any {
	b.t.Helper()
	return b.object(want, append([]string{"resume", "--spacing", "0", "--wait", "60"}, args...)...)
}

// brief gives up early on a prompt whose arrival nothing will show.
func (b *bench) brief() { b.sys.timing.Proof = 200 * time.Millisecond }

func (b *bench) script(short string, s fixtures.Script) {
	b.t.Helper()
	if s.Process == nil {
		s.Process = fixtures.Bool(false)
	}
	if err := b.a.Script(short, s); err != nil {
		b.t.Fatal(err)
	}
}

func (b *bench) work(name string) string { return filepath.Join(b.a.Claude, "session-recovery", name) }
