package main

import (
	"context"
	"io"
	"os"
	"os/signal"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"recovery/internal/account"
	"recovery/internal/claude"
	"recovery/wake"

	"golang.org/x/sys/unix"
)

// sys is everything outside the program that a command touches. Tests put their own there.
type sys struct {
	stdout, stderr io.Writer
	// terminal says that stdout is one; width is its width in columns.
	terminal bool
	width    int
	// oneStream says that stderr goes where stdout goes: what was told on the way is not shown a second time.
	oneStream bool
	environ   []string
	now       func() time.Time
	sleep     func(context.Context, time.Duration)
	processes func() account.Processes
	memory    func() (int64, error)
	timing    wake.Timing
	user      string
	// uid is the number of the user as whom the program runs (the effective one). userOf gives the name and the home
	// folder of a user by number; both are empty for a number that has none.
	uid    int
	userOf func(uid int) (name, home string)
	// userHome is the home folder of that user, whatever HOME says; host is this machine's name.
	userHome string
	host     string
	// gitState says the state of a folder's working tree in words; nil when nobody looks.
	gitState  func(dir string) string
	pid       int
	self      string // this program's path
	cwd       string // the folder that the program was started in; empty when it is not known
	interrupt func() (context.Context, func())
	// probe, when set, is called around each write of the journal and each call of the client: a test ends the process
	// there.
	probe func(point string)
}

func system() *sys {
	s := &sys{
		stdout: os.Stdout, stderr: os.Stderr, environ: os.Environ(), now: time.Now, processes: account.ReadProcesses,
		memory: wake.MemAvailable, timing: wake.DefaultTiming, pid: os.Getpid(), sleep: sleep, interrupt: onSignal,
	}
	if size, err := unix.IoctlGetWinsize(int(os.Stdout.Fd()), unix.TIOCGWINSZ); err == nil {
		s.terminal, s.width = true, int(size.Col)
	}
	s.oneStream = sameFile(os.Stdout, os.Stderr)
	s.uid, s.userOf = os.Geteuid(), userOf
	if u, err := user.Current(); err == nil {
		s.user, s.userHome = u.Username, u.HomeDir
	}
	s.host, _ = os.Hostname()
	s.gitState = func(dir string) string { return gitState(context.Background(), s.environ, dir) }
	s.self, _ = os.Executable()
	s.cwd, _ = os.Getwd()
	return s
}

// userOf looks a user up by number.
func userOf(uid int) (name, home string) {
	u, err := user.LookupId(strconv.Itoa(uid))
	if err != nil {
		return "", ""
	}
	return u.Username, u.HomeDir
}

func (s *sys) env(name string) string {
	for i := len(s.environ) - 1; i >= 0; i-- {
		if v, ok := strings.CutPrefix(s.environ[i], name+"="); ok {
			return v
		}
	}
	return ""
}

// home is the owner's home folder; HOME as the client reads it.
func (s *sys) home() string {
	if h := s.env("HOME"); h != "" {
		return h
	}
	if u, err := user.Current(); err == nil {
		return u.HomeDir
	}
	return ""
}

// inSession says whether the program runs inside a Claude session: there, nothing that only the user may say is taken.
func (s *sys) inSession() bool {
	return claude.InSession(s.environ)
}

// ownShort is the job that the program runs in, from the environment that a session gives.
func (s *sys) ownShort() string {
	if dir := s.env(claude.EnvJobDir); dir != "" {
		return filepath.Base(dir)
	}
	return ""
}

func sleep(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
	case <-t.C:
	}
}

// onSignal gives a context that ends at the first Ctrl-C, SIGTERM or SIGHUP; a second one ends the program at once.
func onSignal() (context.Context, func()) {
	// A pipe that is closed (a dropped tee, a lost connection) must not end a run between its record and its call.
	signal.Ignore(syscall.SIGPIPE)
	ctx, cancel := context.WithCancel(context.Background())
	ch := make(chan os.Signal, 2)
	signal.Notify(ch, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	go func() {
		<-ch
		cancel()
		<-ch
		os.Exit(exitInterrupted)
	}()
	return ctx, func() { signal.Stop(ch); cancel() }
}

// rest sleeps unless the run is interrupted.
func (x *command) rest(d time.Duration) { x.sleep(x.ctx, d) }

// sameFile says whether two open files are one, such as a terminal.
func sameFile(a, b *os.File) bool {
	x, err := a.Stat()
	if err != nil {
		return false
	}
	y, err := b.Stat()
	return err == nil && os.SameFile(x, y)
}
