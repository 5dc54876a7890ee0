package account

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"recovery/internal/claude"

	"github.com/tidwall/gjson"
)

func FuzzLog(f *testing.F) {
	for _, s := range []string{
		"", "\n", "[", line("10:00:00", "bg", "bg spawned 0a1b2c3d (shell)") + line("11:00:00", "bg",
			"bg retire 0a1b2c3d: settled, idle 8h [low memory]"),
		line("10:00:00", "bg", "bg settled 0a1b2c3d (crashed): x"), line("10:00:00", "supervisor",
			"─── daemon start ─── version=1"),
		"torn [2026-09-01T10:00:00.000Z] [supervisor] ─── daemon start ─── version=1\r\n\x00\x00",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		log, err := ParseLog(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		if len(log.Entries) > bytes.Count(data, []byte{'\n'})+1 {
			t.Error("more entries than lines")
		}
		for _, e := range log.Entries {
			if e.At.Before(log.From) || e.At.After(log.To) || e.Short != "" && !claude.IsShort(e.Short) ||
				strings.ContainsAny(e.Line, "\n") {
				t.Errorf("%+v", e)
			}
			if e.Short != "" {
				log.LiveThrough(e.Short, log.From, log.To)
				if last, ok := log.Last(e.Short); !ok || last.Short != e.Short {
					t.Error(last)
				}
				// What is not in it before its first line cannot be known.
				if log.LiveThrough(e.Short, log.From.Add(-time.Hour), log.To) {
					t.Error("live before the log begins")
				}
			}
		}
	})
}

func FuzzJob(f *testing.F) {
	for _, s := range []string{"", "{}", "[", state(""), state(`,"queuedPrompt":"yes","inFlight":{"queued":1},` +
		`"respawnFlags":["-n"]`), `{"sessionId":"\ud83d"}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		j := &Job{Short: short1}
		j.parse(trimBOM(data))
		if j.Problem != "" {
			return
		}
		if !claude.IsUUID(j.SessionID) || !strings.HasPrefix(j.SessionID, short1) || j.InFlightQueue < 0 ||
			j.InFlightTasks < 0 {
			t.Errorf("%+v", j)
		}
		if v := gjson.GetBytes(trimBOM(data), "queuedPrompt"); v.Exists() && v.Type != gjson.Null && v.String() != "" &&
			!j.Queued {
			t.Errorf("%s is not queued", v)
		}
	})
}

func FuzzRows(f *testing.F) {
	f.Add([]byte(row(100, `,"procStart":"5000000","sessionId":"`+id1+`"`)))
	f.Add([]byte(worker(short1, `,"replPid":100,"replProcStart":"5000000"`)))
	f.Fuzz(func(t *testing.T, data []byte) {
		w := &Witnesses{processes: table()}
		r, problem := registryRow(data, 100)
		w.addRow("100.json", 100, r, problem)
		w.addRoster(data)
		j := &Job{Short: short1, SessionID: id1, State: "done"}
		l := w.Of(j, nil)
		// An unreadable row of a process that runs never makes a session offline.
		if !gjson.ValidBytes(trimBOM(data)) && l.State != Unknown {
			t.Errorf("%+v", l)
		}
		if strings.Contains(strings.Join(l.Evidence, ""), "s3cret") {
			t.Error(l)
		}
	})
}
