package journal

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"
)

// told makes a journal's events from types, sessions and data.
type told struct {
	t       Type
	session string
	data    any
}

func history(t *testing.T, list ...told) []Event {
	t.Helper()
	var out []Event
	for i, x := range list {
		raw, err := json.Marshal(x.data)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, Event{Seq: int64(i) + 1, Type: x.t, Session: x.session, Data: raw})
	}
	return out
}

func TestADefectIsClosedByNameOnly(t *testing.T) {
	defect := func(session, key string) told {
		return told{Defect, session, NewDefect(session, "write", key, "it wrote", "look at its thread")}
	}
	ack := func(session string, keys ...string) told {
		return told{Acknowledged, session, AckData{User: "ada", What: AckDefect, Keys: keys}}
	}
	copied := told{Concluded, "0000000b", OutcomeData{PromptID: "p", Outcome: Copy, Sent: true, Reason: "a copy",
		Other: "0000000c"}}
	for _, c := range []struct {
		name   string
		events []told
		open   []string // session and key
	}{
		{"nothing", nil, nil},
		{"both are open", []told{defect("0000000a", "1"), copied}, []string{"0000000a 1", "0000000b copy:p"}},
		{"one is closed", []told{defect("0000000a", "1"), copied, ack("0000000a", "1")}, []string{"0000000b copy:p"}},
		{"an outcome's defect, too", []told{defect("0000000a", "1"), copied, ack("0000000b", "copy:p")},
			[]string{"0000000a 1"}},
		{"one that was found meanwhile stays", []told{defect("0000000a", "1"), defect("0000000a", "2"), ack("0000000a", "1")},
			[]string{"0000000a 2"}},
		{"an older recovery named a session and no keys", []told{defect("0000000a", "1"), defect("0000000a", "2"), copied,
			ack("0000000a")}, []string{"0000000b copy:p"}},
		{"an older recovery closed all", []told{defect("0000000a", "1"), copied, ack("")}, nil},
		{"a limit closes none", []told{defect("0000000a", "1"), {Acknowledged, "", AckData{What: AckLimit}}},
			[]string{"0000000a 1"}},
		{"a second review closes none", []told{copied, {RunStarted, "", RunData{Command: "resume", Detail: "--again"}}},
			[]string{"0000000b copy:p"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var open []string
			for _, d := range Replay(history(t, c.events...)).Defects {
				open = append(open, d.Session+" "+d.Key)
				if !strings.HasSuffix(d.Next, ", then: recovery ack "+d.Session) || !strings.HasPrefix(d.Next, d.Do+",") ||
					d.Do == "" {
					t.Errorf("do %q, next %q", d.Do, d.Next)
				}
			}
			if !reflect.DeepEqual(open, c.open) {
				t.Errorf("open are %q, want %q", open, c.open)
			}
		})
	}
}

// TestADefectOfAnOlderRecoveryNamesItsWayOut: its record has what to do first, and no command that closes it.
func TestADefectOfAnOlderRecoveryNamesItsWayOut(t *testing.T) {
	for next, want := range map[string]string{
		"claude stop 0000000a": "claude stop 0000000a, then: recovery ack 0000000a",
		"":                     "look at its thread, then: recovery ack 0000000a",
	} {
		s := Replay(history(t, told{Defect, "0000000a", map[string]string{"code": "write", "text": "x", "key": "1",
			"next": next}}))
		if len(s.Defects) != 1 || s.Defects[0].Next != want {
			t.Errorf("%+v, want the next %q", s.Defects, want)
		}
	}
}

// TestAnOpenRecoveryIsNotClosed: whatever the one who closes it says, an open defect and an open intention keep it.
func TestAnOpenRecoveryIsNotClosed(t *testing.T) {
	for name, c := range map[string]struct {
		events []told
		closed bool
	}{
		"nothing open": {[]told{{Concluded, "0000000a", OutcomeData{PromptID: "p", Outcome: Woken, Sent: true}}}, true},
		"a defect":     {[]told{{Concluded, "0000000a", OutcomeData{PromptID: "p", Outcome: Copy, Sent: true}}}, false},
		"a closed defect": {[]told{{Concluded, "0000000a", OutcomeData{PromptID: "p", Outcome: Copy, Sent: true}},
			{Acknowledged, "0000000a", AckData{What: AckDefect, Keys: []string{"copy:p"}}}}, true},
		"an intention": {[]told{{Intended, "0000000a", Intent{PromptID: "p"}}}, false},
	} {
		t.Run(name, func(t *testing.T) {
			j := At(t.TempDir(), time.Now)
			for _, e := range c.events {
				if err := j.Append(e.t, e.session, e.data); err != nil {
					t.Fatal(err)
				}
			}
			path, err := j.Close(func([]Event) bool { return true })
			if err != nil || (path != "") != c.closed {
				t.Errorf("closed as %q, %v", path, err)
			}
		})
	}
}
