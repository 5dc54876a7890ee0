package text

import (
	"fmt"
	"time"
)

// Age is a duration in its largest whole unit: "12 s", "5 min", "3 h", "4 days". Hours are told from hours on, days
// from two days on. Clocks differ, so a negative duration is less than a second.
func Age(d, hours time.Duration) string {
	if d < 0 {
		return "less than 1 s"
	}
	n, unit := wholeUnits(d, hours)
	return fmt.Sprintf("%d %s", n, [...]string{"s", "min", "h", "days"}[unit])
}

// AgeInWords is a duration that is not negative in its largest whole unit, written out: "1 minute", "90 minutes", "2
// hours".
func AgeInWords(d time.Duration) string {
	n, unit := wholeUnits(d, 2*time.Hour)
	return Plural(n, [...]string{"second", "minute", "hour", "day"}[unit])
}

// wholeUnits gives how many whole seconds (unit 0), minutes, hours or days (3) a duration has.
func wholeUnits(d, hours time.Duration) (n, unit int) {
	switch {
	case d < time.Minute:
		return int(d / time.Second), 0
	case d < hours:
		return int(d / time.Minute), 1
	case d < 48*time.Hour:
		return int(d / time.Hour), 2
	}
	return int(d / (24 * time.Hour)), 3
}
