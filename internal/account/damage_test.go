package account

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"recovery/fixtures"
	"recovery/fixtures/long"
)

// flips are every way that is tried to damage one byte: each single bit, and the bytes that mean something in JSON.
func flips(b byte) []byte {
	var out []byte
	for i := range 8 {
		out = append(out, b^1<<i)
	}
	for _, c := range []byte("\\\"{}[],: \n\x00\xff0ne") {
		if c != b {
			out = append(out, c)
		}
	}
	return out
}

// TestQueuedPromptSurvivesDamage: whichever byte of state.json is damaged, a kept message does not read as no message.
func TestQueuedPromptSurvivesDamage(t *testing.T) {
	if testing.Short() {
		t.Skip("long, and nothing in it for the race detector")
	}
	step := long.Of(3, 1) // a third of the bytes
	for _, words := range []string{"yes, go", "y", `"`, "a\n\n\\ \"queuedPrompt\":null"} {
		f := fixture(t)
		s := add(t, f, fixtures.Session{QueuedPrompt: &words})
		data, err := os.ReadFile(s.StatePath)
		if err != nil {
			t.Fatal(err)
		}
		check := func(what string, pos int, damaged []byte) {
			j := &Job{Short: s.Short}
			j.parse(trimBOM(damaged))
			if !j.Queued && j.Problem == "" {
				t.Errorf("%q: %s at byte %d (%q): nothing is queued and nothing is wrong", words, what, pos,
					data[max(0, pos-12):min(len(data), pos+12)])
			}
		}
		for pos := 0; pos < len(data); pos += step {
			old := data[pos]
			for _, b := range flips(old) {
				data[pos] = b
				check("byte "+strconv.QuoteRune(rune(b)), pos, data)
			}
			data[pos] = old
			if len(words) > 1 { // without its one byte the message is gone, and nothing shows it
				check("dropped", pos, append(append([]byte{}, data[:pos]...), data[pos+1:]...))
			}
			if pos < len(data)-1 { // the last byte is the closing newline or bracket
				check("cut", pos, data[:pos])
			}
			check("beheaded", pos+1, data[pos+1:])
		}
	}
}

// TestRowSurvivesDamage: whichever byte of a live session's registry row is damaged, with no roster beside it, the
// session is not called offline. The same for its row of the roster, with no registry beside it.
func TestRowSurvivesDamage(t *testing.T) {
	if testing.Short() {
		t.Skip("long, and nothing in it for the race detector")
	}
	step := long.Of(3, 1) // a third of the bytes
	f := fixture(t)
	plain := add(t, f, fixtures.Session{Live: true, Outlives: true})
	cleared := add(t, f, fixtures.Session{Name: "cleared", ResumeSessionID: "11111111-2222-4333-8444-555555555555",
		Live: true, Outlives: true})
	a := open(t, f)
	bare := a.Witnesses(ReadProcesses())
	for pid := range bare.processes.ByPID { // a small table is quick to look at
		if pid != plain.Worker.Pid && pid != cleared.Worker.Pid {
			delete(bare.processes.ByPID, pid)
		}
	}
	read := func(name string) []byte {
		t.Helper()
		data, err := os.ReadFile(filepath.Join(a.Dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	damage := func(t *testing.T, data []byte, subject fixtures.Added, take func(w *Witnesses, data []byte)) {
		j := &Job{Short: subject.Short, SessionID: subject.SessionID, ResumeSessionID: subject.ResumeSessionID, State: "done"}
		ask := func(data []byte) Liveness {
			w := &Witnesses{processes: bare.processes, shorts: bare.shorts}
			take(w, data)
			return w.Of(j, nil)
		}
		if l := ask(data); l.State != Live {
			t.Fatal("undamaged:", l)
		}
		if l := ask([]byte(`{"workers":{}}`)); len(data) > 1000 && l.State != Offline {
			t.Fatal("the test's own ground:", l)
		}
		for pos := 0; pos < len(data); pos += step {
			old := data[pos]
			for _, b := range flips(old) {
				data[pos] = b
				if l := ask(data); l.State == Offline {
					t.Errorf("byte %d of %q becomes %q: offline (%v)", pos, data[max(0, pos-10):min(len(data), pos+10)], b, l.Evidence)
				}
			}
			data[pos] = old
		}
	}
	row := func(pid int) func(w *Witnesses, data []byte) {
		return func(w *Witnesses, data []byte) {
			row, problem := registryRow(data, pid)
			w.addRow("x.json", pid, row, problem)
		}
	}
	for _, s := range []fixtures.Added{plain, cleared} {
		pid := strconv.Itoa(s.Worker.Pid)
		t.Run("registry of "+s.Name, func(t *testing.T) { damage(t, read("sessions/"+pid+".json"), s, row(s.Worker.Pid)) })
		t.Run("roster of "+s.Name, func(t *testing.T) {
			damage(t, read("daemon/roster.json"), s, func(w *Witnesses, data []byte) { w.addRoster(data) })
		})
		t.Run("interactive "+s.Name, func(t *testing.T) {
			// No job id: the session id alone names the session.
			damage(t, []byte(`{"pid":`+pid+`,"sessionId":"`+s.ResumeSessionID+`","procStart":"`+s.Worker.Start+`","pidDomain":"`+
				bare.processes.Domain+`"}`), s, row(s.Worker.Pid))
			damage(t, []byte(`{"pid":`+pid+`,"resumeSessionId":"`+s.SessionID+
				`","sessionId":"bbbbbbbb-0000-4000-8000-000000000000","procStart":"`+s.Worker.Start+`"}`),
				s, row(s.Worker.Pid))
		})
	}
}
