package account

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"recovery/fixtures"
)

func line(clock, from, text string) string {
	return "[2026-09-01T" + clock + ".000Z] [" + from + "] " + text + "\n"
}

func parsed(t *testing.T, text string) *Log {
	t.Helper()
	log, err := ParseLog(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return log
}

func TestLogLines(t *testing.T) {
	for _, c := range []struct{ from, text, want string }{
		{"bg", "bg spawned 0a1b2c3d (shell)", "started 0a1b2c3d shell"},
		{"bg", "bg claimed-spare 0a1b2c3d (fleet)", "started 0a1b2c3d fleet"},
		{"bg", "bg spawned 0a1b2c3d (slash)", "started 0a1b2c3d slash"},
		{"bg", "bg retire 0a1b2c3d: settled, idle 8h", "retired 0a1b2c3d settled 8h"},
		{"bg", "bg retire 0a1b2c3d: idle-prompt, idle 61m", "retired 0a1b2c3d idle-prompt 61m"},
		{"bg", "bg retire 0a1b2c3d: abandoned-stale, idle 119m [low memory]", "retired 0a1b2c3d abandoned-stale 119m"},
		{"bg", "bg retire 0a1b2c3d: empty-idle, idle 2h, worker 2.1.300 (daemon 2.1.332)", "retired 0a1b2c3d empty-idle 2h"},
		{"bg", "bg retire 0a1b2c3d: settled, idle 8h, worker unrecognized (daemon 2.1.332) [low memory]",
			"retired 0a1b2c3d settled 8h"},
		{"bg", "bg retire 0a1b2c3d: settled, idle 8h [swap in use]", "retired 0a1b2c3d settled 8h"},
		{"bg", "bg settled 0a1b2c3d (done)", "settled 0a1b2c3d done"},
		{"bg", "bg settled 0a1b2c3d (killed)", "settled 0a1b2c3d killed"},
		{"bg", "bg settled 0a1b2c3d (failed): why (not): at all", "settled 0a1b2c3d failed | why (not): at all"},
		{"bg", "bg settled 0a1b2c3d (crashed): No LLM gateway \xff\xfe",
			"settled 0a1b2c3d crashed | No LLM gateway \xff\xfe"},
		{"bg", "bg adopt: adopted=0 respawned=0 dead=3", "adopt | bg adopt: adopted=0 respawned=0 dead=3"},
		{"bg", "bg adopt: adopted=0 respawned=0 dead=3 dead_epoch=2 upgrade_skipped=1 (previous roster written 2d ago)",
			"adopt | bg adopt: adopted=0 respawned=0 dead=3 dead_epoch=2 upgrade_skipped=1 (previous roster written 2d ago)"},
		{"supervisor", "─── daemon start ─── version=2.1.332 pid=907 origin=transient", "supervisor-start"},
		{"supervisor", "binary at /x changed (a → b) — self-restarting for upgrade", "upgrade"},
		{"supervisor", "shutting down (cause=idle_exit, uptime=25s, leases=0, live_workers=0)", "shutdown idle_exit"},
		{"supervisor", "shutting down (cause=signal)", "shutdown signal"},
		// Nothing of these is understood.
		{"bg", "bg spare spawned host pid=918", ""},
		{"bg", "bg retire 0a1b2c3d: settled", ""},
		{"bg", "bg retire 0a1b2c3d: settled, idle 8h and more", ""},
		{"bg", "bg retire 0A1B2C3D: settled, idle 8h", ""},
		{"bg", "bg retire 0a1b2c3d4: settled, idle 8h", ""},
		{"bg", "x bg retire 0a1b2c3d: settled, idle 8h", ""},
		{"bg", "bg settled 0a1b2c3d (dreaming)", ""},
		{"bg", "bg settled 0a1b2c3d (done", ""},
		{"supervisor", "bg settled 0a1b2c3d (done)", ""},
		{"bg", "─── daemon start ─── version=2.1.332", ""},
		{"supervisor", "session said: ─── daemon start ─── version=1", ""},
		{"other", "bg settled 0a1b2c3d (done)", ""},
		{"bg", "", ""},
	} {
		for _, end := range []string{"", "\r"} {
			log := parsed(t, line("10:00:00", c.from, c.text+end))
			got := ""
			for _, e := range log.Entries {
				got += strings.Join(strings.Fields(fmt.Sprint(e.Kind, " ", e.Short, " ", e.Cause, " ", e.Idle)), " ")
				if e.Detail != "" {
					got += " | " + e.Detail
				}
				if !e.At.Equal(at("10:00:00")) {
					t.Error(e.At)
				}
			}
			if got != c.want {
				t.Errorf("%q:\n got %q\nwant %q", c.text, got, c.want)
			}
			if c.from != "other" && !log.From.Equal(at("10:00:00")) {
				t.Errorf("%q: the log reaches back to %v", c.text, log.From)
			}
		}
	}
}

func TestLogStamps(t *testing.T) {
	for text, want := range map[string]int{
		"[2026-09-01T10:00:00Z] [bg] bg settled 0a1b2c3d (done)\n":          1,
		"[2026-09-01T10:00:00.123456Z] [bg] bg settled 0a1b2c3d (done)":     1, // without its newline
		"[2026-09-01T10:00:00.000+02:00] [bg] bg settled 0a1b2c3d (done)\n": 0,
		"[2026-13-01T10:00:00.000Z] [bg] bg settled 0a1b2c3d (done)\n":      0,
		" [2026-09-01T10:00:00.000Z] [bg] bg settled 0a1b2c3d (done)\n":     0,
		"[2026-09-01T10:00:00.000Z] [bg]  bg settled 0a1b2c3d (done)\n":     0,
		"bg settled 0a1b2c3d (done)\n":                                      0,
		"\n\n\r\n":                                                          0,
		"":                                                                  0,
		strings.Repeat("\x00", 300) + line("10:00:00", "bg",
			"bg settled 0a1b2c3d (done)"): 1,
		line("10:00:00", "bg", "bg settled 0a1b2c3d (crashed): "+strings.Repeat("x", 3<<20)) + line("10:00:01", "bg",
			"bg settled 0a1b2c3d (done)"): 2,
		strings.Repeat("y", 5<<20) + "\n" + line("10:00:01", "bg",
			"bg settled 0a1b2c3d (done)"): 1,
	} {
		if log := parsed(t, text); len(log.Entries) != want {
			t.Errorf("%.60q: %d entries", text, len(log.Entries))
		}
	}
	log := parsed(t, line("10:00:00", "bg", "bg settled 0a1b2c3d (crashed): "+strings.Repeat("x", 30<<20)))
	if n := len(log.Entries[0].Line); n > maxLogLine+128<<10 {
		t.Errorf("a line of %d bytes was kept", n)
	}
}

func TestLogFiles(t *testing.T) {
	start := line("08:00:00", "supervisor", "─── daemon start ─── version=2.1.332 pid=1")
	t.Run("both, the older first, a torn end between them", func(t *testing.T) {
		a := folder(t, map[string]string{
			"daemon.log.1": start + line("08:01:00", "bg", "bg spawned 0a1b2c3d (shell)") +
				"[2026-09-01T08:02:00.000Z] [bg] bg settled 0a1b2c3d (do",
			"daemon.log": line("09:00:00", "bg", "bg retire 0a1b2c3d: settled, idle 8h") + line("09:00:01", "bg",
				"bg settled 0a1b2c3d (done)"),
			"daemon.log.2": line("07:00:00", "bg", "bg spawned 0a1b2c3d (shell)"),
		})
		log := a.Log()
		if len(log.Entries) != 4 || len(log.Warnings) != 0 || !log.From.Equal(at("08:00:00")) ||
			!log.To.Equal(at("09:00:01")) {
			t.Errorf("%+v", log)
		}
		if got := log.Of(short1); len(got) != 3 || got[0].Kind != LogStarted || got[2].Kind != LogSettled {
			t.Errorf("%+v", got)
		}
	})
	t.Run("none", func(t *testing.T) {
		log := folder(t, nil).Log()
		if len(log.Entries) != 0 || len(log.Warnings) != 0 || !log.From.IsZero() {
			t.Errorf("%+v", log)
		}
		if _, ok := log.Last(short1); ok || len(log.Of(short1)) != 0 || log.LiveThrough(short1, at("01:00:00"),
			at("02:00:00")) {
			t.Error("an empty log knows something")
		}
	})
	t.Run("one unreadable", func(t *testing.T) {
		a := folder(t, map[string]string{"daemon.log.1/x": "", "daemon.log": start})
		if log := a.Log(); len(log.Entries) != 1 || len(log.Warnings) != 1 || !strings.Contains(log.Warnings[0],
			"daemon.log.1") {
			t.Errorf("%+v", log)
		}
	})
	t.Run("a link to nothing", func(t *testing.T) {
		a := folder(t, nil)
		if err := os.Symlink("/nowhere/log", filepath.Join(a.Dir, "daemon.log")); err != nil {
			t.Fatal(err)
		}
		if log := a.Log(); len(log.Warnings) != 1 {
			t.Errorf("%+v", log)
		}
	})
	t.Run("a fixture's", func(t *testing.T) {
		f := fixture(t)
		s := add(t, f, fixtures.Session{})
		e, ok := open(t, f).Log().RetiredAfter(s.Short, s.LastEntry)
		if !ok || !e.At.Equal(s.RetiredAt) || e.Idle != "8h" {
			t.Errorf("%+v", e)
		}
	})
}

// TestLogPrefix: two shorts that begin alike are two sessions.
func TestLogPrefix(t *testing.T) {
	log := parsed(t, line("10:00:00", "bg", "bg spawned 0a1b2c3d (shell)")+line("10:00:00", "bg",
		"bg spawned 0a1b2c3e (shell)")+
		line("11:00:00", "bg", "bg settled 0a1b2c3d (killed)")+line("12:00:00", "bg",
		"bg retire 0a1b2c3e: settled, idle 61m"))
	if e, _ := log.Last("0a1b2c3d"); e.Cause != "killed" {
		t.Error(e)
	}
	if e, ok := log.RetiredAfter("0a1b2c3d", time.Time{}); ok {
		t.Error(e)
	}
	if e, ok := log.RetiredAfter("0a1b2c3e", at("12:00:00")); !ok || e.Idle != "61m" {
		t.Error(e, ok)
	}
	if len(log.Of("0a1b2c3")) != 0 {
		t.Error("a prefix is no short")
	}
}

func TestRetiredAfter(t *testing.T) {
	log := parsed(t, line("10:00:00", "bg", "bg retire 0a1b2c3d: settled, idle 8h")+line("11:00:00", "bg",
		"bg spawned 0a1b2c3d (fleet)")+
		line("20:00:00", "bg", "bg retire 0a1b2c3d: idle-prompt, idle 8h")+line("20:00:01", "bg",
		"bg settled 0a1b2c3d (done)"))
	for _, c := range []struct {
		after, cause string
	}{{"09:00:00", "idle-prompt"}, {"10:00:00", "idle-prompt"}, {"20:00:00", "idle-prompt"}, {"20:00:01", ""}} {
		if e, ok := log.RetiredAfter(short1, at(c.after)); ok != (c.cause != "") || e.Cause != c.cause {
			t.Errorf("after %s: %+v", c.after, e)
		}
	}
}

func TestLiveThrough(t *testing.T) {
	const up, end, boot = "bg spawned 0a1b2c3d (shell)", "bg settled 0a1b2c3d (killed)",
		"─── daemon start ─── version=2.1.332 pid=1"
	adopt := func(respawned, dead int) string {
		return fmt.Sprintf("bg adopt: adopted=1 respawned=%d dead=%d", respawned, dead)
	}
	log := func(lines ...string) (out string) {
		for i := 0; i < len(lines); i += 2 {
			from := "bg"
			if strings.Contains(lines[i+1], "daemon start") {
				from = "supervisor"
			}
			out += line(lines[i], from, lines[i+1])
		}
		return out
	}
	// The question is always 10:00 to 11:00.
	for _, c := range []struct {
		name, log string
		want      bool
	}{
		{"started before, ended after", log("09:00:00", up, "12:00:00", end), true},
		{"started right then, ended a second after", log("10:00:00", up, "11:00:01", end), true},
		{"retired after", log("09:00:00", up, "12:00:00", "bg retire 0a1b2c3d: settled, idle 8h"), true},
		{"crashed after", log("09:00:00", up, "12:00:00", "bg settled 0a1b2c3d (crashed): exit 1"), true},
		{"no end", log("09:00:00", up), false},
		{"no start", log("12:00:00", end), false},
		{"empty", "", false},
		{"another's", log("09:00:00", up, "12:00:00", "bg settled 0a1b2c3e (killed)"), false},
		{"started within", log("10:30:00", up, "12:00:00", end), false},
		{"ended within", log("09:00:00", up, "10:30:00", end), false},
		{"ended at its very end", log("09:00:00", up, "11:00:00", end), false},
		{"ended before, started again after", log("08:00:00", up, "09:00:00", end, "12:00:00", up, "13:00:00", end), false},
		{"ended and started within", log("09:00:00", up, "10:20:00", end, "10:30:00", up, "12:00:00", end), false},
		{"started again within, no end before", log("09:00:00", up, "10:30:00", up, "12:00:00", end), false},
		{"started again after, no end before", log("09:00:00", up, "12:00:00", up, "13:00:00", end), false},
		{"started again before", log("08:00:00", up, "08:30:00", end, "09:00:00", up, "12:00:00", end), true},
		{"a supervisor before", log("08:00:00", up, "09:00:00", boot, "12:00:00", end), true},
		{"a supervisor within", log("09:00:00", up, "10:30:00", boot, "12:00:00", end), false},
		{"a supervisor within that adopted", log("09:00:00", up, "10:30:00", boot, "10:30:01", adopt(0, 0), "12:00:00", end),
			false},
		{"a supervisor after, before its end", log("09:00:00", up, "11:30:00", boot, "12:00:00", end), false},
		{"adopted after", log("09:00:00", up, "11:30:00", boot, "11:30:01", adopt(0, 0), "12:00:00", end), true},
		{"some died", log("09:00:00", up, "11:30:00", boot, "11:30:01", adopt(0, 1), "12:00:00", end), false},
		{"some were respawned", log("09:00:00", up, "11:30:00", boot, "11:30:01", adopt(1, 0), "12:00:00", end), false},
		{"some died, then an upgrade", log("09:00:00", up, "11:30:00", boot, "11:30:01", adopt(0, 1), "11:40:00", boot,
			"11:40:01", adopt(0, 0), "12:00:00", end), false},
		{"two starts, one word", log("09:00:00", up, "11:30:00", boot, "11:40:00", boot, "11:40:01", adopt(0, 0), "12:00:00",
			end), false},
		{"a supervisor after its end", log("09:00:00", up, "12:00:00", end, "12:30:00", boot), true},
		{"the start behind a torn line", log("09:00:00", up) + "[2026-09-01T10:10:00.000Z] [bg] bg spa" + log("10:30:00",
			boot, "12:00:00", end), false},
		{"the start behind zeros", log("09:00:00", up) + strings.Repeat("\x00", 4000) + log("10:30:00", boot, "12:00:00",
			end), false},
	} {
		if got := parsed(t, c.log).LiveThrough(short1, at("10:00:00"), at("11:00:00")); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}
