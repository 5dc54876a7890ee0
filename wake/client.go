package wake

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"recovery/internal/claude"
)

// Call is one run of the client.
type Call struct {
	Args []string
	Dir  string
	Env  []string
}

// Said is what a run of the client gave back.
type Said struct {
	Stdout string
	Stderr string
	Exit   int
	// Err is set when the client could not be executed at all: then it provably did nothing.
	Err error
	// TimedOut says that it was still running after callTime and was ended, or was left running by an interrupted run:
	// what it did is not known.
	TimedOut bool
}

// Client runs the client. It comes in as a value, so a test can put its own there.
type Client func(ctx context.Context, c Call) Said

// callTime bounds one run of the client; a real one answers within a second, or some seconds when it starts its
// supervisor.
const callTime = 2 * time.Minute

// Program gives a Client that runs the program at path. It gets no standard input, and a process group of its own, so
// that a Ctrl-C at the terminal does not cut a call that was begun. When ctx ends, a call that hangs is waited for a
// few seconds more and then left to itself: whether it went through is for the evidence to tell.
func Program(path string) Client {
	return func(ctx context.Context, c Call) Said {
		limit, cancel := context.WithTimeout(context.WithoutCancel(ctx), callTime)
		cmd := exec.CommandContext(limit, path, c.Args...)
		cmd.Dir, cmd.Env = c.Dir, c.Env
		cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
		var out, errs bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &errs
		// The supervisor that it may start can keep the pipes open.
		cmd.WaitDelay = 3 * time.Second
		if err := cmd.Start(); err != nil {
			cancel()
			return Said{Err: fmt.Errorf("running %s: %w", path, err)}
		}
		ended := make(chan Said, 1)
		go func() {
			defer cancel()
			err := cmd.Wait()
			said := Said{Stdout: out.String(), Stderr: errs.String(), TimedOut: limit.Err() != nil}
			var exit *exec.ExitError
			switch {
			case err == nil, errors.Is(err, exec.ErrWaitDelay):
			case errors.As(err, &exit):
				said.Exit = exit.ExitCode()
			default:
				said.Exit = -1
			}
			ended <- said
		}()
		select {
		case said := <-ended:
			return said
		case <-ctx.Done():
		}
		select {
		case said := <-ended:
			return said
		case <-time.After(interruptWait):
			return Said{TimedOut: true}
		}
	}
}

// Text is both streams without terminal codes.
func (s Said) Text() string {
	return strings.TrimSpace(claude.StripANSI(s.Stdout + "\n" + s.Stderr))
}
