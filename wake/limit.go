package wake

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"recovery/internal/journal"
)

var (
	limitWords = regexp.MustCompile(`(?i)(hit|reached|exceeded|over) your\b.{0,40}\blimit|usage limit|limit reached|session limit|weekly limit|rate.?limit|out of (extra )?usage|\b429\b`)
	busyWords  = regexp.MustCompile(`(?i)\b529\b|overloaded`)
	// The ways in which a text names the end of a limit.
	limitEpoch = regexp.MustCompile(`\|\s*(\d{10})\b`)
	limitISO   = regexp.MustCompile(`\b(\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d)?(?:\.\d+)?(?:Z|[+-]\d\d:\d\d))`)
	limitClock = regexp.MustCompile(`(?i)resets?(?: at)?\s+(?:([a-z]{3,9})\s+(\d{1,2})(?:,| at)?\s+)?(\d{1,2})(?::(\d\d))?\s*(am|pm)?(?:\s*\(([A-Za-z_]+(?:/[A-Za-z_+\-0-9]+)*)\))?`)
	limitAfter = regexp.MustCompile(`(?i)(?:retry|try again|resets?)[- ](?:after|in):?\s*(\d+)\s*(s|sec|seconds?|m|min|minutes?|h|hours?)?\b`)
)

// Pauses when the service names no time.
const (
	busyPause  = 2 * time.Minute
	limitPause = 15 * time.Minute
	// longestLimit is a week and a day: a later time was misread.
	longestLimit = 8 * 24 * time.Hour
)

// deferral says whether a text tells of a limit or an overloaded service, and until when nothing is to be started.
func deferral(text string, now time.Time) (until time.Time, ok bool) {
	limit := limitWords.MatchString(text)
	if !limit && !busyWords.MatchString(text) {
		return time.Time{}, false
	}
	if t, named := namedTime(text, now); named && t.After(now) && t.Before(now.Add(longestLimit)) {
		return t, true
	}
	if limit {
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

// putOff puts the next starts off until a time that the service named, and ends the run. What was sent stays sent.
func (r *Run) putOff(short, text string, until time.Time) {
	data := journal.DeferData{Until: until.UTC(), Why: clip(text)}
	if err := r.Journal.Append(journal.Deferred, short, data); err != nil {
		r.stop("%v", err)
		return
	}
	r.stop("the service's limit was met in %s (%s); nothing is started before %s, then run it again", short, clip(text), until.UTC().Format(time.RFC3339))
}

// waitFor says why nothing is started yet; empty when nothing was put off.
func waitFor(state *journal.State, now time.Time) string {
	if !state.DeferredUntil.After(now) {
		return ""
	}
	return fmt.Sprintf("the service's limit is over at %s; nothing is started before; run it again then, or, when you know that it is over: recovery ack limit", state.DeferredUntil.UTC().Format(time.RFC3339))
}

// titled is a month's first three letters as Go writes them.
func titled(month string) string {
	return strings.ToUpper(month[:1]) + strings.ToLower(month[1:3])
}
