package main

import (
	"errors"
	"fmt"
	"testing"

	"recovery/internal/journal"
)

// TestExitStatus: wrong usage and a defect are reported even when the run was interrupted; else an interruption counts
// before everything.
func TestExitStatus(t *testing.T) {
	held := fmt.Errorf("starting: %w", &journal.HeldError{})
	for name, c := range map[string]struct {
		err               error
		want, interrupted int
	}{
		"done":                       {nil, exitOK, exitInterrupted},
		"any error":                  {errors.New("x"), exitFailed, exitInterrupted},
		"failed with a next":         {failf("recovery status", "x"), exitFailed, exitInterrupted},
		"usage":                      {usagef("x"), exitUsage, exitUsage},
		"usage inside another error": {fmt.Errorf("reading: %w", usagef("x")), exitUsage, exitUsage},
		"needs the user":             {ended(needsUser), exitNeedsUser, exitInterrupted},
		"time is up":                 {ended(timeUp), exitTimeUp, exitInterrupted},
		"a defect":                   {ended(defectSeen), exitDefect, exitDefect},
		"nothing more to say":        {ended(allDone), exitOK, exitInterrupted},
		"locked":                     {held, exitFailed, exitInterrupted},
		"locked, whatever it is in":  {&commandError{outcome: needsUser, err: held}, exitFailed, exitInterrupted},
		"the simulated client":       {clientStatus(7), 7, 7},
	} {
		if got := exitStatus(c.err, false); got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
		if got := exitStatus(c.err, true); got != c.interrupted {
			t.Errorf("%s, interrupted: %d, want %d", name, got, c.interrupted)
		}
	}
}

// TestTheWorstOutcomeCounts: a defect before a failure, a failure before time that is up, and that before what needs
// the user.
func TestTheWorstOutcomeCounts(t *testing.T) {
	if got := max(needsUser, failed, timeUp, allDone); got != failed {
		t.Error(got)
	}
	if got := max(failed, defectSeen); got != defectSeen {
		t.Error(got)
	}
}
