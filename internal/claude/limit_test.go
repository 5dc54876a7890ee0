package claude

import (
	"testing"
	"time"
)

func TestDeferral(t *testing.T) {
	now := time.Date(2026, 11, 29, 14, 0, 0, 0, time.UTC)
	for text, want := range map[string]string{
		"You've hit your session limit · resets 3pm (Europe/Berlin)":                    "2026-11-30T14:00:00Z",
		"You've hit your limit · resets 5:30pm (UTC)":                                   "2026-11-29T17:30:00Z",
		"You've reached your weekly limit · resets Dec 4, 9am (UTC)":                    "2026-12-04T09:00:00Z",
		"You've hit your weekly limit · resets Dec 5 at 12am (UTC)":                     "2026-12-05T00:00:00Z",
		"usage limit reached|9999999999":                                                "2026-11-29T14:15:00Z",
		"Claude AI usage limit reached|1795990000":                                      "2026-11-29T22:06:40Z",
		"API Error: 429 rate_limit_error, retry after 90 seconds":                       "2026-11-29T14:01:30Z",
		"usage limit reached, try again in 2 hours":                                     "2026-11-29T16:00:00Z",
		"limit reached until 2026-11-29T20:15:00+01:00":                                 "2026-11-29T19:15:00Z",
		"API Error: 529 {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\"}}": "2026-11-29T14:02:00Z",
		"You've hit your session limit":                                                 "2026-11-29T14:15:00Z",
		"Please run /login":                                                             "",
		"API Error: 500 internal":                                                       "",
	} {
		until, ok := Deferral(text, now)
		got := ""
		if ok {
			got = until.UTC().Format(time.RFC3339)
		}
		if got != want {
			t.Errorf("%q is put off until %q, want %q", text, got, want)
		}
	}
}
