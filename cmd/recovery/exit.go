package main

import (
	"errors"
	"fmt"

	"recovery/internal/journal"
)

// The exit statuses, documented in every help text.
const (
	exitOK          = 0
	exitFailed      = 1
	exitUsage       = 2
	exitNeedsUser   = 3
	exitTimeUp      = 4
	exitDefect      = 5
	exitInterrupted = 130
)

// outcome is how a command came out, from the best to the worst: of several sessions the worst one counts.
type outcome int

const (
	allDone outcome = iota
	needsUser
	timeUp
	failed
	defectSeen
	wrongUsage // a command line that cannot be carried out
)

// clientStatus is the exit status of the simulated client, which this program plays.
type clientStatus int

func (s clientStatus) Error() string { return "" }

// commandError is a command that did not come out as done. Without an err everything was said already.
type commandError struct {
	outcome outcome
	err     error
	next    string // what to type next, empty when err says it
}

func (e *commandError) Error() string {
	if e.err == nil {
		return ""
	}
	return e.err.Error()
}

func (e *commandError) Unwrap() error { return e.err }

func usagef(format string, args ...any) error {
	return &commandError{outcome: wrongUsage, err: fmt.Errorf(format, args...)}
}

func failf(next, format string, args ...any) error {
	return &commandError{outcome: failed, err: fmt.Errorf(format, args...), next: next}
}

// ended is the error of an outcome that needs no more words.
func ended(o outcome) error {
	if o == allDone {
		return nil
	}
	return &commandError{outcome: o}
}

// silent says that an error has no words: what it stands for was said already.
func silent(err error) bool {
	if _, ok := errors.AsType[clientStatus](err); ok {
		return true
	}
	e, ok := errors.AsType[*commandError](err)
	return ok && e.err == nil
}

// exitStatus is the one place that decides an exit status. A run that was interrupted ends as that, whatever else it
// met; wrong usage and a defect are reported all the same.
func exitStatus(err error, interrupted bool) int {
	var (
		held   *journal.HeldError
		client clientStatus
		e      *commandError
		out    = allDone
	)
	switch {
	case errors.As(err, &client):
		return int(client)
	case errors.As(err, &e) && !errors.As(err, &held):
		out = e.outcome
	case err != nil:
		out = failed
	}
	switch {
	case out == wrongUsage:
		return exitUsage
	case out == defectSeen:
		return exitDefect
	case interrupted:
		return exitInterrupted
	}
	return map[outcome]int{allDone: exitOK, needsUser: exitNeedsUser, timeUp: exitTimeUp, failed: exitFailed}[out]
}
