package journal

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func at(t *testing.T) (*Journal, *[]string) {
	t.Helper()
	var told []string
	j := At(filepath.Join(t.TempDir(), "work"), func() time.Time { return time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC) })
	j.Told = func(s string) { told = append(told, s) }
	return j, &told
}

func add(t *testing.T, j *Journal, n int) {
	t.Helper()
	for i := range n {
		if err := j.Append(Concluded, fmt.Sprintf("%08x", i), OutcomeData{PromptID: "p", Outcome: "woken", Sent: true}); err != nil {
			t.Fatal(err)
		}
	}
}

func TestNothingIsCreatedBeforeThereIsSomethingToWrite(t *testing.T) {
	j, _ := at(t)
	if events, err := j.Read(); err != nil || len(events) != 0 {
		t.Fatalf("%v %v", events, err)
	}
	if _, err := os.Stat(j.Dir()); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("reading made the work folder")
	}
}

func TestAppendAndRead(t *testing.T) {
	j, _ := at(t)
	add(t, j, 3)
	events, err := j.Read()
	if err != nil || len(events) != 3 {
		t.Fatalf("%v %v", events, err)
	}
	for i, e := range events {
		if e.Seq != int64(i)+1 {
			t.Errorf("event %d has number %d", i, e.Seq)
		}
	}
	if info, err := os.Stat(j.Path()); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v %v", info.Mode(), err)
	}
}

func TestTornLastLineIsCutOffAndTold(t *testing.T) {
	for cut := 1; cut < 40; cut += 3 {
		j, told := at(t)
		add(t, j, 3)
		data, err := os.ReadFile(j.Path())
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(j.Path(), data[:len(data)-cut], 0o600); err != nil {
			t.Fatal(err)
		}
		if events, err := j.Read(); err != nil || len(events) != 2 {
			t.Fatalf("cut %d: %d events, %v", cut, len(events), err)
		}
		add(t, j, 1)
		events, err := j.Read()
		if err != nil || len(events) != 3 {
			t.Fatalf("cut %d: %d events after an append, %v", cut, len(events), err)
		}
		if len(*told) != 1 || !strings.Contains((*told)[0], "torn") {
			t.Errorf("told %q", *told)
		}
	}
}

func TestBrokenLineIsNamed(t *testing.T) {
	for name, c := range map[string]struct {
		line int
		want string
		edit func([][]byte) [][]byte
	}{
		"a flipped byte": {2, "checksum", func(l [][]byte) [][]byte { l[1][20] ^= 1; return l }},
		"a missing line": {2, "a line is missing", func(l [][]byte) [][]byte { return append(l[:1:1], l[2:]...) }},
		"a repeated line": {3, "a line is repeated", func(l [][]byte) [][]byte {
			return [][]byte{l[0], l[1], l[1], l[2]}
		}},
		"an empty line":  {2, "no checksum", func(l [][]byte) [][]byte { return [][]byte{l[0], []byte("\n"), l[1]} }},
		"somebody's own": {4, "no checksum", func(l [][]byte) [][]byte { return append(l, []byte("{\"seq\":4}\n")) }},
	} {
		j, _ := at(t)
		add(t, j, 3)
		data, err := os.ReadFile(j.Path())
		if err != nil {
			t.Fatal(err)
		}
		lines := bytes.SplitAfter(data, []byte("\n"))
		if err := os.WriteFile(j.Path(), bytes.Join(c.edit(lines[:3]), nil), 0o600); err != nil {
			t.Fatal(err)
		}
		j = At(j.Dir(), time.Now) // another command, which has read nothing yet
		var broken *BrokenError
		if _, err := j.Read(); !errors.As(err, &broken) || broken.Line != c.line || !strings.Contains(broken.Cause, c.want) {
			t.Errorf("%s: %v", name, err)
		}
		if err := j.Append(RunStarted, "", RunData{}); !errors.As(err, &broken) {
			t.Errorf("%s: an append went through: %v", name, err)
		}
	}
}

func TestNewerEventIsKeptAndNotMisread(t *testing.T) {
	j, _ := at(t)
	add(t, j, 1)
	if err := j.Append(Type("from-the-future"), "00000000", map[string]any{"outcome": "copy"}); err != nil {
		t.Fatal(err)
	}
	events, err := j.Read()
	if err != nil || len(events) != 2 {
		t.Fatalf("%v %v", events, err)
	}
	if s := Replay(events); s.Unknown != 1 || len(s.Defects) != 0 {
		t.Errorf("%+v", s)
	}
}

func TestReadOnlyFolderIsAnError(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	j := At(filepath.Join(dir, "file", "work"), time.Now)
	if err := j.Append(RunStarted, "", RunData{}); err == nil || !strings.Contains(err.Error(), "journal") {
		t.Errorf("%v", err)
	}
}

func TestAppendsOfSeveralWritersStayWhole(t *testing.T) {
	j, _ := at(t)
	var wg sync.WaitGroup
	for w := range 8 {
		wg.Go(func() {
			other := At(j.Dir(), time.Now)
			for range 10 {
				if err := other.Append(Reviewed, fmt.Sprintf("%08x", w), ReviewData{}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if events, err := j.Read(); err != nil || len(events) != 80 {
		t.Errorf("%d events, %v", len(events), err)
	}
}

func TestLockTurnsTheSecondAway(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "work")
	since := time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)
	w := WorkIn(dir)
	release, err := w.Lock(Holder{PID: 42, User: "ada", Command: "resume", Since: since})
	if err != nil {
		t.Fatal(err)
	}
	_, err = w.Lock(Holder{PID: 43})
	var held *HeldError
	if !errors.As(err, &held) {
		t.Fatalf("%v", err)
	}
	for _, want := range []string{"ada", "42", "resume", "2026-11-29T12:00:00Z"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q does not say %s", err, want)
		}
	}
	release()
	if release, err = w.Lock(Holder{PID: 43}); err != nil {
		t.Fatal(err)
	}
	release()
}

// TestReplayAgainstAModel replays random histories of one session and compares what matters with a plain model.
func TestReplayAgainstAModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var events []Event
		seq := int64(0)
		emit := func(kind Type, data any) {
			raw, _ := json.Marshal(data)
			seq++
			events = append(events, Event{Seq: seq, Type: kind, Session: "0000000a", Data: raw})
		}
		open, sent, defects := 0, 0, 0
		saved := ""
		n := rapid.IntRange(0, 30).Draw(t, "n")
		for i := range n {
			switch rapid.IntRange(0, 3).Draw(t, "step") {
			case 0:
				id := fmt.Sprintf("p%d", i)
				emit(Intended, Intent{PromptID: id, Expected: "text of " + id})
				open++
				if rapid.Bool().Draw(t, "settled") {
					out := OutcomeData{PromptID: id, Sent: rapid.Bool().Draw(t, "sent")}
					out.PromptSaved = out.Sent && rapid.Bool().Draw(t, "saved")
					// A yes behind the prompt is somebody else's: nothing of it counts as recovery's own.
					foreign := rapid.Bool().Draw(t, "foreign")
					if out.PromptSaved {
						out.Saved = "text of " + id
						if foreign {
							out.Saved += "\n\nyes"
						}
					}
					emit(Concluded, out)
					open--
					switch {
					case out.PromptSaved && !foreign:
						saved = out.Saved
					case out.Sent:
						saved = ""
					}
					if out.Sent {
						sent++
					}
				}
			case 1:
				emit(Defect, DefectData{Code: "copy", Key: fmt.Sprint(i)})
				defects++
			case 2:
				emit(Acknowledged, AckData{What: "defect"})
				defects = 0
			case 3:
				emit(Type("unheard-of"), map[string]int{"x": i})
			}
		}
		s := Replay(events)
		x := s.Session("0000000a")
		gotOpen, gotSent := 0, 0
		for _, w := range x.Wakes {
			if w.Open() {
				gotOpen++
			} else if w.Sent() {
				gotSent++
			}
		}
		if gotOpen != open || gotSent != sent || len(s.Defects) != defects || x.SavedPrompt() != saved {
			t.Fatalf("open %d/%d, sent %d/%d, defects %d/%d, saved %q/%q", gotOpen, open, gotSent, sent, len(s.Defects), defects,
				x.SavedPrompt(), saved)
		}
		if (x.OpenWake() != nil) != (open > 0) {
			t.Fatalf("OpenWake is %v with %d open", x.OpenWake(), open)
		}
	})
}

// FuzzParse: any bytes give events or an error that names a line, and what is read back is what was written.
func FuzzParse(f *testing.F) {
	line, _ := encode(Event{Seq: 1, Type: RunStarted, Data: json.RawMessage(`{}`)})
	f.Add(line)
	f.Add(append(line, line[:20]...))
	f.Add([]byte("\n\n{}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		events, good, err := Parse("x", data)
		if err != nil {
			var broken *BrokenError
			if !errors.As(err, &broken) || broken.Line < 1 {
				t.Fatalf("%v", err)
			}
			return
		}
		if good > int64(len(data)) {
			t.Fatalf("good %d of %d", good, len(data))
		}
		if bytes.Count(data[:good], []byte("\n")) != len(events) {
			t.Fatalf("%d events in %d lines", len(events), bytes.Count(data[:good], []byte("\n")))
		}
		Replay(events)
	})
}
