//go:build e2e

package e2e

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"recovery/internal/claude"
)

// sandbox is one account of the real client, alone in its network namespace.
type sandbox struct {
	dir      string
	home     string
	work     string // the sessions' folder, a trusted git repository
	ns       string
	recovery string
	client   string
	version  string // of the client, as it says itself
	rules    string
	stubLog  string
	stubPID  int
	until    time.Time         // when the polls give up, so that the clean-up still runs
	stopped  context.Context   // ends at Ctrl-C, for the same reason
	made     map[string]string // short to session id of every session that the test started
	ruled    []rule
}

// The test binary runs again inside the namespace, as the stub or as a step of a client wrapper.
const (
	modeVar   = "RECOVERY_E2E_MODE"
	rulesVar  = "RECOVERY_E2E_RULES"
	logVar    = "RECOVERY_E2E_LOG"
	folderVar = "RECOVERY_E2E_FOLDER"
	clientVar = "RECOVERY_E2E_CLIENT"
	// versionVar picks a version of the client from the npm registry.
	versionVar = "CLAUDE_VERSION"
)

func TestMain(m *testing.M) {
	var err error
	switch os.Getenv(modeVar) {
	case "stub":
		err = serveStub(os.Getenv(rulesVar), os.Getenv(logVar))
	case "untrust":
		err = setTrust(filepath.Join(os.Getenv("HOME"), ".claude.json"), os.Getenv(folderVar), false)
	default:
		os.Exit(m.Run())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// newSandbox makes the account and everything around it. All of it is stopped and removed at the end, whatever happens.
func newSandbox(t *testing.T) *sandbox {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("making a network namespace wants root")
	}
	if _, err := exec.LookPath("ip"); err != nil {
		t.Skip("there is no `ip` here (iproute2), which makes the network namespace")
	}
	dir, err := os.MkdirTemp("", "recovery-e2e-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if t.Failed() && os.Getenv("RECOVERY_E2E_KEEP") != "" {
			t.Logf("kept: %s", dir)
			return
		}
		// The last of the client's processes may still be writing.
		for range 20 {
			if err = os.RemoveAll(dir); err == nil {
				return
			}
			time.Sleep(100 * time.Millisecond)
		}
		t.Errorf("removing %s: %v", dir, err)
	})
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		t.Fatal(err)
	}
	s := &sandbox{dir: dir, home: filepath.Join(dir, "home"), work: filepath.Join(dir, "work"),
		ns:       fmt.Sprintf("recovery-e2e-%d", os.Getpid()),
		recovery: filepath.Join(dir, "bin", "recovery"), rules: filepath.Join(dir, "rules.json"), stubLog: filepath.Join(dir,
			"stub.log"),
		until: time.Now().Add(30 * time.Minute), made: map[string]string{}}
	if end, ok := t.Deadline(); ok {
		s.until = end.Add(-45 * time.Second)
	}
	interrupted, done := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	t.Cleanup(done)
	s.stopped = interrupted
	s.client = findClient(t)
	s.files(t)
	must(t, lookAtSources())
	must(t, host("go", "build", "-buildvcs=false", "-o", s.recovery, "../cmd/recovery"))
	s.namespace(t)
	s.startStub(t)
	s.version, _, _ = strings.Cut(strings.TrimSpace(s.claude(t, "--version").stdout), " ")
	if wanted := os.Getenv(versionVar); wanted != "" && s.version != wanted {
		t.Fatalf("the client says that it is %s, and %s was asked for", s.version, wanted)
	}
	if _, err := claude.CheckVersion("client", s.version); err != nil {
		t.Fatal(err)
	}
	t.Logf("client: %s", s.version)
	return s
}

// refusesUntrusted says that the client does not start in a folder without trust; older ones do.
func (s *sandbox) refusesUntrusted() bool { return s.atLeast(2, 1, 281) }

// namesChangedFiles says that the client records which files a command of the shell changed. It does so in auto mode
// alone.
func (s *sandbox) namesChangedFiles() bool { return s.atLeast(2, 1, 258) }

func (s *sandbox) atLeast(version ...int) bool {
	own := make([]int, 3)
	_, _ = fmt.Sscanf(s.version, "%d.%d.%d", &own[0], &own[1], &own[2]) // newSandbox has read it as a version
	return slices.Compare(own, version) >= 0
}

// lookAtSources walks the module: `go test` repeats a pass from its cache as long as nothing changed that the test
// itself looked at, and the program is built by another process.
func lookAtSources() error {
	return filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && d.Name() == ".git" {
			return filepath.SkipDir
		}
		return err
	})
}

// newestClient is the newest version that the suite is known to pass on.
const newestClient = "2.1.332"

// findClient gives the client's program: the one of a version that was asked for, else one that is there, else the
// newest.
func findClient(t *testing.T) string {
	t.Helper()
	version := os.Getenv(versionVar)
	if version == "" {
		if path := os.Getenv(clientVar); path != "" {
			return real(t, path)
		}
		if path, err := exec.LookPath("claude"); err == nil {
			return real(t, path)
		}
		version = newestClient
	}
	return installed(t, version)
}

// installed gives one version of the client, which is installed when it is asked for the first time and stays in the
// temporary folder.
func installed(t *testing.T, version string) string {
	t.Helper()
	into := filepath.Join(os.TempDir(), "recovery-e2e-client-"+version)
	path := filepath.Join(into, "node_modules", "@anthropic-ai", "claude-code-linux-x64", "claude")
	if exists(path) {
		return real(t, path)
	}
	if _, err := exec.LookPath("npm"); err != nil {
		t.Skipf("there is no client: set %s, put `claude` on PATH, or install npm", clientVar)
	}
	must(t, os.MkdirAll(into, 0o755))
	must(t, os.WriteFile(filepath.Join(into, "package.json"), []byte(`{"name":"e2e","private":true}`), 0o644))
	must(t, hostIn(into, "npm", "install", "--no-audit", "--no-fund", "@anthropic-ai/claude-code@"+version))
	return real(t, path)
}

func real(t *testing.T, path string) string {
	t.Helper()
	abs, err := filepath.Abs(path)
	if err == nil {
		abs, err = filepath.EvalSymlinks(abs)
	}
	if err != nil {
		t.Fatalf("the client: %v", err)
	}
	return abs
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// files lays the account out: signed in with a key, onboarding done, the work folder trusted.
func (s *sandbox) files(t *testing.T) {
	t.Helper()
	for _, d := range []string{filepath.Join(s.home, ".claude", "skills", "session-wrap"), s.work, s.temp(),
		filepath.Join(s.dir, "bin")} {
		must(t, os.MkdirAll(d, 0o755))
	}
	must(t, os.Symlink(s.client, filepath.Join(s.dir, "bin", "claude")))
	must(t, os.WriteFile(filepath.Join(s.home, ".claude.json"),
		[]byte(`{"hasCompletedOnboarding":true,"customApiKeyResponses":{"approved":["00000000000000000000"],`+
			`"rejected":[]},"projects":{}}`), 0o600))
	// Without these the client would ask, and nobody is there to answer.
	must(t, os.WriteFile(filepath.Join(s.home, ".claude", "settings.json"),
		[]byte(`{"permissions":{"allow":["Bash(touch:*)","Bash(git status:*)","Skill"]}}`), 0o600))
	must(t, os.WriteFile(filepath.Join(s.home, ".claude", "skills", "session-wrap", "SKILL.md"),
		[]byte("---\nname: session-wrap\ndescription: Wrap a session up in done mode.\n---\n\nWrite the summary, then the "+
			"two closing lines.\n"), 0o644))
	must(t, hostIn(s.work, "git", "init", "-q"))
	s.trust(t, s.work, true)
}

func (s *sandbox) namespace(t *testing.T) {
	t.Helper()
	must(t, host("ip", "netns", "add", s.ns))
	t.Cleanup(func() {
		if err := host("ip", "netns", "delete", s.ns); err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(func() { s.endProcesses(t) })
	must(t, host("ip", "netns", "exec", s.ns, "ip", "link", "set", "lo", "up"))
}

// processes are those in the namespace.
func (s *sandbox) processes() ([]int, error) {
	out, err := exec.Command("ip", "netns", "pids", s.ns).Output()
	if err != nil {
		return nil, fmt.Errorf("ip netns pids %s: %w", s.ns, err)
	}
	var pids []int
	for _, p := range strings.Fields(string(out)) {
		if pid, err := strconv.Atoi(p); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids, nil
}

// endProcesses ends what is left in the namespace: nothing but what this test started can be in it.
func (s *sandbox) endProcesses(t *testing.T) {
	for _, sig := range []syscall.Signal{0, syscall.SIGTERM, syscall.SIGKILL} {
		for range 30 {
			left, err := s.processes()
			if err != nil || len(left) == 0 {
				return
			}
			for _, pid := range left {
				if sig != 0 {
					_ = syscall.Kill(pid, sig)
				}
			}
			time.Sleep(100 * time.Millisecond)
		}
	}
	t.Errorf("processes are left in the namespace %s", s.ns)
}

// startStub runs this test binary as the model stub inside the namespace, and asks the client's daemon to stop at the
// end.
func (s *sandbox) startStub(t *testing.T) {
	t.Helper()
	self, err := os.Executable()
	must(t, err)
	cmd := exec.Command("ip", "netns", "exec", s.ns, self)
	cmd.Env = append(os.Environ(), modeVar+"=stub", rulesVar+"="+s.rules, logVar+"="+s.stubLog)
	cmd.Stderr = os.Stderr
	stdin, err := cmd.StdinPipe()
	must(t, err)
	stdout, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	s.stubPID = cmd.Process.Pid // ip becomes the stub
	t.Cleanup(func() {
		_ = stdin.Close()
		if err := cmd.Wait(); err != nil {
			t.Errorf("the model stub: %v", err)
		}
	})
	if line, err := bufio.NewReader(stdout).ReadString('\n'); err != nil || line != "ready\n" {
		t.Fatalf("the model stub did not start: %q, %v", line, err)
	}
	t.Cleanup(func() { s.run(s.dir, 60*time.Second, "claude", "daemon", "stop", "--any") })
}

// inTime ends the test while there is still time to clean up behind it.
func (s *sandbox) inTime(t *testing.T) {
	t.Helper()
	switch {
	case s.stopped.Err() != nil:
		t.Fatal("interrupted")
	case time.Now().After(s.until):
		t.Fatal("the test's own time is up")
	}
}

// said is what a program gave back.
type said struct {
	stdout, stderr string
	exit           int
	took           time.Duration
}

func (r said) String() string {
	return fmt.Sprintf("exit %d after %s\nstdout: %s\nstderr: %s", r.exit, r.took.Round(time.Millisecond), r.stdout,
		r.stderr)
}

// temp is where the client puts its sockets: inside the sandbox, so that nothing is left behind. Its name is short
// because a socket's path may not be long.
func (s *sandbox) temp() string { return filepath.Join(s.dir, "t") }

// environ is all that a program of the account sees; nothing of the surrounding environment reaches it.
func (s *sandbox) environ() []string {
	return []string{"PATH=" + filepath.Join(s.dir, "bin") +
		":/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME=" + s.home,
		"TMPDIR=" + s.temp(), "TERM=xterm-256color", "LANG=C.UTF-8", fmt.Sprintf("ANTHROPIC_BASE_URL=http://127.0.0.1:%d",
			stubPort),
		"ANTHROPIC_API_KEY=sk-ant-api03-stub-" + strings.Repeat("0", 42), "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1",
		"DISABLE_AUTOUPDATER=1", "DISABLE_TELEMETRY=1"}
}

// run runs a program as the account, inside the namespace, in the folder dir. An exit of -1 is a signal or a time-out.
func (s *sandbox) run(dir string, limit time.Duration, name string, args ...string) said {
	cmd := exec.Command("ip", append([]string{"netns", "exec", s.ns, name}, args...)...)
	cmd.Dir, cmd.Env = dir, s.environ()
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	// The daemon that the client starts may keep the pipes open.
	cmd.WaitDelay = 3 * time.Second
	start := time.Now()
	if err := cmd.Start(); err != nil {
		return said{stderr: err.Error(), exit: -1}
	}
	timer := time.AfterFunc(min(limit, max(time.Until(s.until), 30*time.Second)), func() { _ = cmd.Process.Kill() })
	defer timer.Stop()
	err := cmd.Wait()
	r := said{stdout: out.String(), stderr: errs.String(), took: time.Since(start)}
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		r.exit = exit.ExitCode()
	case err != nil && !errors.Is(err, exec.ErrWaitDelay):
		r.exit = -1
	}
	return r
}

func host(name string, args ...string) error { return hostIn("", name, args...) }

func hostIn(dir, name string, args ...string) error {
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, out)
	}
	return nil
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
