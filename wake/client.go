package wake

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"time"
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
	// TimedOut says that it was still running after callTime and was ended, or was left running by an interrupted run: what
	// it did is not known.
	TimedOut bool
}

// Client runs the client. It comes in as a value, so a test can put its own there.
type Client func(ctx context.Context, c Call) Said

// callTime bounds one run of the client; a real one answers within a second, or some seconds when it starts its supervisor.
const callTime = 2 * time.Minute

// Program gives a Client that runs the program at path. It gets no standard input, and a process group of its own, so
// that a Ctrl-C at the terminal does not cut a call that was begun. When ctx ends, a call that hangs is waited for a few
// seconds more and then left to itself: whether it went through is for the evidence to tell.
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

var ansi = regexp.MustCompile("\x1b(?:\\[[0-9;?]*[ -/]*[@-~]|\\][^\x07\x1b]*(?:\x07|\x1b\\\\)|[@-Z\\\\-_])")

// Text is both streams without terminal codes.
func (s Said) Text() string {
	return strings.TrimSpace(ansi.ReplaceAllString(s.Stdout+"\n"+s.Stderr, ""))
}

var (
	backgrounded = regexp.MustCompile(`backgrounded\s*·\s*([0-9a-f]{8})\b`)
	copyNote     = regexp.MustCompile(`started a copy as\s+([0-9a-f]{8})\b`)
	copyWords    = regexp.MustCompile(`started a copy\b`)
	wokeNote     = regexp.MustCompile(`woke session\s+[0-9a-f]{8}\b`)
	savedNote    = regexp.MustCompile(`message is saved and will be delivered`)
	notTrusted   = regexp.MustCompile(`Workspace not trusted`)
	notOnDisk    = regexp.MustCompile(`could not be resolved on disk`)
	signIn       = regexp.MustCompile(`(?i)please run /login|not logged in|invalid api key|oauth token|authentication_error|sign in again|\b401\b`)
)

// refusals are what the client prints when it starts nothing. Only with one of them, and the prompt found nowhere, was a
// prompt provably not sent.
var refusals = []*regexp.Regexp{
	notTrusted, notOnDisk, signIn, limitWords, busyWords,
	regexp.MustCompile(`(?i)no conversation found with session id`),
	regexp.MustCompile(`(?i)^error: unknown option`),
	regexp.MustCompile(`(?i)background sessions? (?:are|is) (?:not available|disabled)`),
	regexp.MustCompile(`(?i)could not (?:start|reach|connect to) the background service`),
}

func refused(text string) bool {
	for _, r := range refusals {
		if r.MatchString(text) {
			return true
		}
	}
	return false
}

// firstInPlace is the first client that wakes a session in place; every older one starts a copy (2.1.253 to 2.1.256 were
// never published).
var firstInPlace = [3]int{2, 1, 257}

var versionNumber = regexp.MustCompile(`\b(\d+)\.(\d+)\.(\d+)\b`)

// CheckVersion refuses versions that copy and what cannot be read as one. whose is "client" or "supervisor".
func CheckVersion(whose, said string) (version string, err error) {
	m := versionNumber.FindStringSubmatch(said)
	if m == nil {
		return "", fmt.Errorf("the version of the %s cannot be read (%q); versions before 2.1.257 start a copy, so nothing is sent; check `claude --version`", whose, clip(said))
	}
	for i, first := range firstInPlace {
		n, _ := strconv.Atoi(m[i+1])
		if n > first {
			break
		}
		if n < first {
			return m[0], fmt.Errorf("the %s has version %s, which starts a copy instead of waking a session; nothing is sent; update it to 2.1.257 or newer", whose, m[0])
		}
	}
	return m[0], nil
}

func clip(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if len(s) > 120 {
		s = s[:120]
	}
	return s
}
