package wake

import (
	"context"
	"strings"
	"testing"
	"time"

	"recovery/internal/journal"
)

// TestBrake: an open defect and a lasting limit stop every run before its first session, --again or not.
func TestBrake(t *testing.T) {
	now := time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)
	defect := func(short string) journal.OpenDefect {
		return journal.OpenDefect{Session: short, DefectData: journal.NewDefect(short, "write", "1", "it wrote", "look")}
	}
	for _, c := range []struct {
		name  string
		state journal.State
		says  string // empty for a run that goes on
	}{
		{"nothing", journal.State{}, ""},
		{"a defect", journal.State{Defects: []journal.OpenDefect{defect("0000000a")}}, "recovery ack 0000000a"},
		{"two of one session and one of another", journal.State{Defects: []journal.OpenDefect{defect("0000000b"),
			defect("0000000a"), defect("0000000b")}}, "recovery ack 0000000a 0000000b"},
		{"a limit", journal.State{DeferredUntil: now.Add(time.Hour)}, "recovery ack limit"},
		{"a limit that is over", journal.State{DeferredUntil: now.Add(-time.Second)}, ""},
		{"both", journal.State{Defects: []journal.OpenDefect{defect("0000000a")}, DeferredUntil: now.Add(time.Hour)},
			"recovery ack 0000000a"},
	} {
		for _, again := range []bool{false, true} {
			r := &Run{Options: Options{Again: again}, Clock: Clock{Now: func() time.Time { return now },
				Sleep: func(context.Context, time.Duration) {}}}
			r.brake(&c.state)
			if (r.stopped == "") != (c.says == "") || !strings.HasSuffix(r.stopped, c.says) {
				t.Errorf("%s, again %v: stopped by %q, want %q", c.name, again, r.stopped, c.says)
			}
		}
	}
}
