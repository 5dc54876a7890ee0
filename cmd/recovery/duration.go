package main

import (
	"fmt"
	"strconv"
	"time"

	"github.com/urfave/cli/v2"
)

// span is a flag's duration: a bare number of seconds or a Go duration.
type span struct{ d time.Duration }

func (s *span) Set(v string) error {
	d, err := parseSpan(v)
	if err != nil {
		return err
	}
	s.d = d
	return nil
}

func (s *span) String() string { return s.d.String() }

// maxSpan keeps a number of seconds inside what a duration can hold.
const maxSpan = 10 * 365 * 24 * time.Hour

func parseSpan(v string) (time.Duration, error) {
	if n, err := strconv.ParseFloat(v, 64); err == nil {
		if !(n >= 0 && n <= maxSpan.Seconds()) {
			return 0, fmt.Errorf("%q is no usable number of seconds", v)
		}
		return time.Duration(n * float64(time.Second)), nil
	}
	d, err := time.ParseDuration(v)
	if err != nil || d < 0 || d > maxSpan {
		return 0, fmt.Errorf("%q is no duration: give seconds (90) or a duration (1m30s)", v)
	}
	return d, nil
}

func spanFlag(name string, def time.Duration, usage string) cli.Flag {
	return &cli.GenericFlag{Name: name, Value: &span{def}, Usage: usage, DefaultText: shortSpan(def)}
}

func shortSpan(d time.Duration) string {
	s := d.String()
	for _, cut := range []string{"m0s", "h0m"} {
		if n := len(s) - len(cut); n >= 0 && s[n:] == cut {
			s = s[:n+1]
		}
	}
	return s
}

func spanOf(c *cli.Context, name string) time.Duration {
	if s, ok := c.Generic(name).(*span); ok {
		return s.d
	}
	return 0
}
