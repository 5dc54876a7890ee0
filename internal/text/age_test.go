package text

import (
	"testing"
	"time"
)

func TestAge(t *testing.T) {
	const day = 24 * time.Hour
	for _, c := range []struct {
		d, hours time.Duration
		want     string
	}{
		{-time.Hour, time.Hour, "less than 1 s"}, {-1, time.Hour, "less than 1 s"},
		{0, time.Hour, "0 s"}, {time.Minute - 1, time.Hour, "59 s"},
		{time.Minute, time.Hour, "1 min"}, {time.Hour - 1, time.Hour, "59 min"}, {time.Hour, time.Hour, "1 h"},
		{time.Hour, 2 * time.Hour, "60 min"}, {2*time.Hour - 1, 2 * time.Hour, "119 min"},
		{2 * time.Hour, 2 * time.Hour, "2 h"},
		{2*day - 1, time.Hour, "47 h"}, {2 * day, time.Hour, "2 days"},
		{3*day - 1, time.Hour, "2 days"}, {400 * day, 2 * time.Hour, "400 days"},
	} {
		if got := Age(c.d, c.hours); got != c.want {
			t.Errorf("%s, hours from %s: %s, want %s", c.d, c.hours, got, c.want)
		}
	}
}

func TestAgeInWords(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0 seconds", time.Second: "1 second", 59 * time.Second: "59 seconds",
		time.Minute: "1 minute", 119 * time.Minute: "119 minutes",
		2 * time.Hour: "2 hours", 47 * time.Hour: "47 hours", 48 * time.Hour: "2 days", 240 * time.Hour: "10 days",
	} {
		if got := AgeInWords(d); got != want {
			t.Errorf("%s: %s, want %s", d, got, want)
		}
	}
}
