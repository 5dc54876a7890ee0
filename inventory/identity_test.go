package inventory

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"recovery/fixtures"
	"recovery/internal/account"
	"recovery/internal/claude"
)

// logLine is a line of the supervisor's log at some time after the last entry.
func logLine(after time.Duration, text string) string {
	from := "bg"
	if strings.HasPrefix(text, "─") || strings.HasPrefix(text, "self-restarting") {
		from = "supervisor"
	}
	return "[" + last.Add(after).UTC().Format("2006-01-02T15:04:05.000Z") + "] [" + from + "] " + text
}

// TestLastUse: a retirement less its idle time, which the log gives in whole hours or minutes: it may have been
// idle for one more.
func TestLastUse(t *testing.T) {
	const short, supervisor = "aaaa0001", "─── daemon start ─── version=2.1.332 pid=7 origin=transient"
	retired := func(idle string) string { return "bg retire " + short + ": settled, idle " + idle }
	late := logLine(20*time.Hour, retired("8h"))
	started := "bg claimed-spare " + short + " (fleet)"
	for name, c := range map[string]struct {
		lines []string
		want  time.Duration // after the last entry; 0 for nothing told
	}{
		"no line":                        {nil, 0},
		"right after the last entry":     {[]string{logLine(8*time.Hour, retired("8h"))}, -time.Hour},
		"hours later, in whole hours":    {[]string{late}, 11 * time.Hour},
		"in whole minutes":               {[]string{logLine(3*time.Hour, retired("61m"))}, 3*time.Hour - 62*time.Minute},
		"for want of memory":             {[]string{logLine(20*time.Hour, retired("8h [low memory]"))}, 11 * time.Hour},
		"the last of several":            {[]string{late, logLine(30*time.Hour, retired("8h"))}, 21 * time.Hour},
		"retired before the last entry":  {[]string{logLine(-time.Hour, retired("8h"))}, 0},
		"another session's":              {[]string{logLine(20*time.Hour, "bg retire bbbb0002: settled, idle 8h")}, 0},
		"an idle time of another form":   {[]string{logLine(20*time.Hour, retired("long"))}, 0},
		"stopped, not retired":           {[]string{logLine(20*time.Hour, "bg settled "+short+" (killed)")}, 0},
		"its process was started anew":   {[]string{logLine(11*time.Hour+30*time.Minute, started), late}, 0},
		"the supervisor was":             {[]string{logLine(12*time.Hour, supervisor), late}, 0},
		"for an upgrade":                 {[]string{logLine(12*time.Hour, "self-restarting for upgrade"), late}, 0},
		"started long before its idling": {[]string{logLine(2*time.Hour, started), late}, 11 * time.Hour},
		"started while it idled":         {[]string{logLine(15*time.Hour, supervisor), late}, 11 * time.Hour},
		"another session was started": {[]string{logLine(11*time.Hour+30*time.Minute, "bg claimed-spare bbbb0002 (fleet)"),
			late}, 11 * time.Hour},
	} {
		log, err := account.ParseLog(strings.NewReader(strings.Join(c.lines, "\n")))
		if err != nil {
			t.Fatal(err)
		}
		var want time.Time
		if c.want != 0 {
			want = last.Add(c.want)
		}
		if got := lastUse(log, short, last); !got.Equal(want) {
			t.Errorf("%s: in use until %v, want %v", name, got, want)
		}
		if got := lastUse(log, short, time.Time{}); !got.IsZero() {
			t.Errorf("%s: without a last entry: %v", name, got)
		}
	}
	if got := lastUse(nil, short, last); !got.IsZero() {
		t.Errorf("without a log: %v", got)
	}
}

// nameThreads writes lines into a session's transcript that name a thread each, the newest last.
func nameThreads(t testing.TB, s fixtures.Added, bodies ...string) {
	t.Helper()
	f, err := os.OpenFile(s.Transcript, os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	for _, body := range bodies {
		const line = `{"type":"bridge-session","sessionId":%q,"bridgeSessionId":"cse_%s"}` + "\n"
		if _, err := fmt.Fprintf(f, line, s.SessionID, body); err != nil {
			t.Fatal(err)
		}
	}
}

func rowOf(body string, updated time.Time) fixtures.RemoteRow {
	return fixtures.RemoteRow{ID: "session_" + body, Title: body, Connection: "disconnected", Environment: "bridge",
		Origin: "claude_code_cli", CreatedAt: updated, UpdatedAt: updated}
}

// TestThreadsOfOneSession: its threads are all that its state file and its transcript name. Every row of one of
// them joins it, the one that was used last speaks for it, and it is counted once.
func TestThreadsOfOneSession(t *testing.T) {
	const old, older = "01OLDTHREAD", "01OLDER"
	for name, c := range map[string]struct {
		session fixtures.Session
		rows    func(own fixtures.RemoteRow) []fixtures.RemoteRow
		threads []string // the newest last; OWN is that of the state file
		remote  string
		listed  bool
		ownLast bool // the transcript names the state file's own last
	}{
		"its own is the newest": {fixtures.Session{}, func(own fixtures.RemoteRow) []fixtures.RemoteRow {
			return []fixtures.RemoteRow{own, rowOf(old, last.Add(-time.Hour)), rowOf(older, last.Add(-2*time.Hour))}
		}, []string{older, old, "OWN"}, "OWN", true, true},
		"an older one was used last": {fixtures.Session{}, func(own fixtures.RemoteRow) []fixtures.RemoteRow {
			return []fixtures.RemoteRow{own, rowOf(old, own.UpdatedAt.Add(time.Hour))}
		}, []string{"OWN", old}, old, true, false},
		"its own is on no page": {fixtures.Session{}, func(fixtures.RemoteRow) []fixtures.RemoteRow {
			return []fixtures.RemoteRow{rowOf(old, last.Add(-time.Hour))}
		}, []string{old, "OWN"}, old, true, true},
		"its state file names none": {fixtures.Session{Plain: true}, func(fixtures.RemoteRow) []fixtures.RemoteRow {
			return []fixtures.RemoteRow{rowOf(old, last), rowOf(older, last.Add(-time.Hour))}
		}, []string{older, old}, old, true, false},
		"an older one is archived": {fixtures.Session{}, func(own fixtures.RemoteRow) []fixtures.RemoteRow {
			gone := rowOf(old, own.UpdatedAt.Add(time.Hour))
			gone.Status = "SESSION_STATUS_ARCHIVED"
			return []fixtures.RemoteRow{own, gone}
		}, nil, "OWN", true, true},
		"all are archived": {fixtures.Session{Archived: true}, func(own fixtures.RemoteRow) []fixtures.RemoteRow {
			gone := rowOf(old, own.UpdatedAt.Add(time.Hour))
			gone.Status = "SESSION_STATUS_ARCHIVED"
			return []fixtures.RemoteRow{own, gone}
		}, nil, "", false, false},
	} {
		t.Run(name, func(t *testing.T) {
			a := newAccount(t)
			s := add(t, a, c.session)
			nameThreads(t, s, older, old)
			if c.ownLast {
				nameThreads(t, s, s.Bridge)
			}
			var own fixtures.RemoteRow
			if rows := a.Rows(); len(rows) > 0 {
				own = rows[0]
			}
			w := world(t, a, machine())
			inv := Build(w, pagesOf(t, savePage(t, a, fixtures.PageOptions{Rows: c.rows(own)})))
			balanced(t, inv)
			if inv.Found != 1 || len(inv.Unmatched) != 0 {
				t.Fatalf("found %d, unmatched %+v, left out %+v", inv.Found, inv.Unmatched, inv.LeftOut)
			}
			it := inv.Find(s.Short)
			if !c.listed {
				if it != nil || leftOut(inv, "archived") != 1 {
					t.Errorf("item %+v, left out %+v", it, inv.LeftOut)
				}
				return
			}
			for i, body := range c.threads {
				c.threads[i] = strings.Replace(body, "OWN", s.Bridge, 1)
			}
			if it == nil || c.threads != nil && !slices.Equal(it.Threads, c.threads) {
				t.Fatalf("threads %+v, want %v", it, c.threads)
			}
			if want := strings.Replace(c.remote, "OWN", s.Bridge, 1); it.Remote == nil || it.Remote.ID != "session_"+want {
				t.Errorf("the row that speaks for it is %+v, want %s", it.Remote, want)
			}
			newest := it.Threads[len(it.Threads)-1]
			if it.Link == nil || *it.Link != claude.Link(newest) {
				t.Errorf("link %v, want that of %s", it.Link, newest)
			}
			// Another look, which has the saved inventory and no page, knows the same threads.
			later := world(t, a, machine())
			later.Know(&inv)
			if f := later.Facts(later.Jobs.ByShort[s.Short]); !slices.Equal(f.Threads, it.Threads) || f.Link() != *it.Link {
				t.Errorf("by the saved inventory: %v, %s", f.Threads, f.Link())
			}
		})
	}
}

// TestThreadsThatTwoJobsHave: one of them may name the thread in its transcript alone.
func TestThreadsThatTwoJobsHave(t *testing.T) {
	a := newAccount(t)
	one := add(t, a, fixtures.Session{Name: "one", Plain: true})
	two := add(t, a, fixtures.Session{Name: "two", Plain: true})
	alone := add(t, a, fixtures.Session{Name: "alone"})
	nameThreads(t, one, "01SHARED")
	nameThreads(t, two, "01SHARED")
	page := savePage(t, a, fixtures.PageOptions{Rows: append(a.Rows(), rowOf("01SHARED", last))})
	inv := Build(world(t, a, machine()), pagesOf(t, page))
	balanced(t, inv)
	for short, want := range map[string][]string{one.Short: {two.Short}, two.Short: {one.Short}, alone.Short: {}} {
		if it := inv.Find(short); it == nil || !slices.Equal(it.SharedWith, want) {
			t.Errorf("%s: %+v, want it shared with %v", short, it, want)
		}
	}
	n := strings.Count(strings.Join(inv.Warnings, "\n"), "session_01SHARED belongs to 2 jobs")
	if n != 1 || len(inv.Unmatched) != 0 {
		t.Errorf("warnings %q, unmatched %v", inv.Warnings, inv.Unmatched)
	}
}

// TestTwoJobsOfOneConversation: a wake of either would resume the same session; a wake by the other id makes the
// second job.
func TestTwoJobsOfOneConversation(t *testing.T) {
	a := newAccount(t)
	one := add(t, a, fixtures.Session{Name: "one"})
	two := add(t, a, fixtures.Session{Name: "two", ResumeSessionID: one.SessionID, MovedTranscript: "-elsewhere"})
	w := world(t, a, machine())
	for _, pair := range [][2]fixtures.Added{{one, two}, {two, one}} {
		if f := w.Facts(w.Jobs.ByShort[pair[0].Short]); !slices.Equal(f.SharedWith, []string{pair[1].Short}) {
			t.Errorf("%s is shared with %v", pair[0].Name, f.SharedWith)
		}
	}
}

// TestAStateFileThatCannotBeReadNamesItsThread: a row is never told as another machine's because of it.
func TestAStateFileThatCannotBeReadNamesItsThread(t *testing.T) {
	for _, prefix := range []string{"cse_", "session_"} {
		a := newAccount(t)
		torn := []byte(`{"state":"done","bridgeSessionId":"` + prefix + `01TORN","name":`)
		s := add(t, a, fixtures.Session{BadState: torn, NoRemote: true})
		page := savePage(t, a, fixtures.PageOptions{Rows: []fixtures.RemoteRow{rowOf("01TORN", last)}})
		inv := Build(world(t, a, machine()), pagesOf(t, page))
		balanced(t, inv)
		it := inv.Find(s.Short)
		if len(inv.Unmatched) != 0 || it == nil || it.Remote == nil || it.Remote.ID != "session_01TORN" {
			t.Errorf("%s: item %+v, unmatched %v", prefix, it, inv.Unmatched)
		}
	}
}

// TestNoOfflineSessionIsInNoList: what a page calls connected, or by a word that is not known, is a row where no
// process of it runs; so is a job on no page whose work is not over. The others on no page are counted, with their
// names.
func TestNoOfflineSessionIsInNoList(t *testing.T) {
	waits := "and one more thing"
	a := newAccount(t)
	rows := map[string]fixtures.Added{}
	for name, s := range map[string]fixtures.Session{
		"connected":     {RemoteConnection: "connected"},
		"a new word":    {RemoteConnection: "hibernating"},
		"no word":       {RemoteConnection: "-"},
		"cut":           {NoRemote: true, Turns: []fixtures.Turn{fixtures.Unfinished("Do it.")}},
		"queued":        {NoRemote: true, QueuedPrompt: &waits},
		"empty state":   {NoRemote: true, BadState: []byte{}},
		"no transcript": {Plain: true, NoTranscript: true},
	} {
		s.Name = name
		rows[name] = add(t, a, s)
	}
	quiet := add(t, a, fixtures.Session{Name: "quiet", NoRemote: true})
	plain := add(t, a, fixtures.Session{Name: "plain", Plain: true})
	add(t, a, fixtures.Session{Name: "archived, on no page", NoRemote: true, Extra: map[string]string{"archived": "true"}})
	inv := Build(world(t, a, machine()), pagesOf(t, savePage(t, a, fixtures.PageOptions{})))
	balanced(t, inv)
	for name, s := range rows {
		if it := inv.Find(s.Short); it == nil || it.Live == account.Live {
			t.Errorf("%s is no row: %+v", name, it)
		}
	}
	for _, l := range inv.LeftOut {
		want := map[string][]string{"job in no page": {quiet.Short, plain.Short}, "archived": nil}[l.Reason]
		slices.Sort(want)
		if got := slices.Sorted(slices.Values(l.Shorts)); !slices.Equal(got, want) || want != nil && l.Count != len(want) {
			t.Errorf("left out: %+v, want %v", l, want)
		}
	}
	if len(inv.Items) != len(rows) || leftOut(inv, "job in no page") != 2 || leftOut(inv, "archived") != 1 {
		t.Errorf("items %v, left out %+v, unmatched %+v", shorts(inv), inv.LeftOut, inv.Unmatched)
	}
	data, err := json.Marshal(inv.LeftOut)
	if err != nil || !strings.Contains(string(data), quiet.Short) {
		t.Errorf("%s %v", data, err)
	}
}

// TestTheConversationUnderAnotherID: where a session's own transcript holds no message, what may hold its
// conversation is named.
func TestTheConversationUnderAnotherID(t *testing.T) {
	const other = "cccc0003-1111-4111-8111-111111111111"
	said := func(first string) string {
		return fmt.Sprintf(`{"type":"user","uuid":%q,"sessionId":%q,"timestamp":"2026-09-01T10:00:00Z",`+
			`"message":{"role":"user","content":%q}}`+"\n", other, other, first)
	}
	const aside = ".jsonl.orphaned-20260901"
	begins := func(s fixtures.Added) string { return said(s.Intent) }
	differs := func(fixtures.Added) string { return said("Something else.") }
	wentOn := func(s fixtures.Added) string {
		return said("Something else.") +
			fmt.Sprintf(`{"type":"continued-in","sessionId":%q,"continuedInSessionId":%q}`+"\n", other, s.SessionID)
	}
	for name, c := range map[string]struct {
		stub  bool
		file  string // its name; ID is the session's own
		holds func(s fixtures.Added) string
		named bool
	}{
		"a stub, and a transcript that went on in it":    {true, other + ".jsonl", wentOn, true},
		"a stub, and a transcript with its first prompt": {true, other + ".jsonl", begins, true},
		"none, and a transcript with its first prompt":   {false, other + ".jsonl", begins, true},
		"a stub, and another conversation":               {true, other + ".jsonl", differs, false},
		"a stub, and its own that was set aside":         {true, "ID" + aside, differs, true},
		"none, and its own that was set aside":           {false, "ID" + aside, differs, true},
		"another's that was set aside":                   {true, other + aside, differs, false},
	} {
		t.Run(name, func(t *testing.T) {
			a := newAccount(t)
			s := add(t, a, fixtures.Session{StubTranscript: c.stub, NoTranscript: !c.stub})
			file := strings.Replace(c.file, "ID", s.SessionID, 1)
			path := filepath.Join(filepath.Dir(s.Transcript), file)
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(c.holds(s)), 0o600); err != nil {
				t.Fatal(err)
			}
			w := world(t, a, machine())
			f := w.Facts(w.Jobs.ByShort[s.Short])
			want := []string{}
			if c.named {
				want = []string{path}
			}
			if !slices.Equal(f.Elsewhere, want) {
				t.Errorf("named %v, want %v", f.Elsewhere, want)
			}
			it := w.item(f, nil)
			if told := strings.Contains(strings.Join(it.Warnings, "\n"), path); told != c.named {
				t.Errorf("warnings %q", it.Warnings)
			}
		})
	}
}
