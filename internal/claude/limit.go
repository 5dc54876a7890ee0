package claude

import (
	"regexp"
	"strconv"
	"strings"
	"time"
)

var (
	// The ways in which a text names the end of a limit.
	limitEpoch = regexp.MustCompile(`\|\s*(\d{10})\b`)
	limitISO   = regexp.MustCompile(`\b(\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d)?(?:\.\d+)?(?:Z|[+-]\d\d:\d\d))`)
	limitClock = regexp.MustCompile(`(?i)resets?(?: at)?\s+(?:([a-z]{3,9})\s+(\d{1,2})(?:,| at)?\s+)?(\d{1,` +
		`2})(?::(\d\d))?\s*(am|pm)?` +
		`(?:\s*\(([A-Za-z_]+(?:/[A-Za-z_+\-0-9]+)*)\))?`)
	limitAfter = regexp.MustCompile(`(?i)(?:retry|try again|resets?)[- ](?:after|in):?\s*(\d+)\s*` +
		`(s|sec|seconds?|m|min|minutes?|h|hours?)?\b`)
)

// Pauses when the service names no time.
const (
	busyPause  = 2 * time.Minute
	limitPause = 15 * time.Minute
	// longestLimit is a week and a day: a later time was misread.
	longestLimit = 8 * 24 * time.Hour
)

// Deferral says whether a text tells of a limit or an overloaded service, and until when nothing is to be started.
func Deferral(text string, now time.Time) (until time.Time, ok bool) {
	kind := KnownError(text)
	if kind != KindLimit && kind != KindBusy {
		return time.Time{}, false
	}
	if t, named := namedTime(text, now); named && t.After(now) && t.Before(now.Add(longestLimit)) {
		return t, true
	}
	if kind == KindLimit {
		return now.Add(limitPause), true
	}
	return now.Add(busyPause), true
}

func namedTime(text string, now time.Time) (time.Time, bool) {
	if m := limitEpoch.FindStringSubmatch(text); m != nil {
		n, err := strconv.ParseInt(m[1], 10, 64)
		return time.Unix(n, 0).UTC(), err == nil
	}
	if m := limitISO.FindStringSubmatch(text); m != nil {
		for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04Z07:00"} {
			if t, err := time.Parse(layout, m[1]); err == nil {
				return t.UTC(), true
			}
		}
	}
	if m := limitAfter.FindStringSubmatch(text); m != nil {
		n, err := strconv.Atoi(m[1])
		if err != nil {
			return time.Time{}, false
		}
		unit := time.Second
		switch {
		case strings.HasPrefix(strings.ToLower(m[2]), "m"):
			unit = time.Minute
		case strings.HasPrefix(strings.ToLower(m[2]), "h"):
			unit = time.Hour
		}
		return now.Add(time.Duration(n) * unit), true
	}
	if m := limitClock.FindStringSubmatch(text); m != nil {
		return clockTime(m, now)
	}
	return time.Time{}, false
}

// clockTime reads "resets 3pm (Europe/Berlin)" and "resets Dec 4, 9:30am": the next such time after now.
func clockTime(m []string, now time.Time) (time.Time, bool) {
	loc := now.Location()
	if m[6] != "" {
		if l, err := time.LoadLocation(m[6]); err == nil {
			loc = l
		}
	}
	hour, err := strconv.Atoi(m[3])
	if err != nil || hour > 23 {
		return time.Time{}, false
	}
	minute := 0
	if m[4] != "" {
		minute, _ = strconv.Atoi(m[4])
	}
	switch half := strings.ToLower(m[5]); {
	case half == "" && m[4] == "":
		return time.Time{}, false
	case half != "" && (hour < 1 || hour > 12):
		return time.Time{}, false
	case half == "pm" && hour < 12:
		hour += 12
	case half == "am" && hour == 12:
		hour = 0
	}
	here := now.In(loc)
	if m[1] != "" {
		month, err := time.Parse("Jan", titled(m[1]))
		day, _ := strconv.Atoi(m[2])
		if err != nil {
			return time.Time{}, false
		}
		t := time.Date(here.Year(), month.Month(), day, hour, minute, 0, 0, loc)
		if t.Before(now.AddDate(0, -1, 0)) {
			t = t.AddDate(1, 0, 0)
		}
		return t.UTC(), true
	}
	t := time.Date(here.Year(), here.Month(), here.Day(), hour, minute, 0, 0, loc)
	if !t.After(now) {
		t = t.AddDate(0, 0, 1)
	}
	return t.UTC(), true
}

// titled is a month's first three letters as Go writes them.
func titled(month string) string {
	return strings.ToUpper(month[:1]) + strings.ToLower(month[1:3])
}
