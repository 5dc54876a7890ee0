package inventory

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"recovery/fixtures"
	"recovery/internal/account"

	"pgregory.net/rapid"
)

func TestPagesOfEveryShape(t *testing.T) {
	for _, shape := range []string{fixtures.ShapeA, fixtures.ShapeB, fixtures.ShapeC} {
		for _, prefix := range []string{"cse_", "session_"} {
			for _, wrap := range []string{"", "tool-text", "markdown", "lines"} {
				t.Run(shape+" "+prefix+" "+wrap, func(t *testing.T) {
					a := newAccount(t)
					offline := add(t, a, fixtures.Session{Name: "one", BridgePrefix: prefix})
					add(t, a, fixtures.Session{Name: "two", Archived: true})
					connected := add(t, a, fixtures.Session{Name: "three", RemoteConnection: "connected"})
					add(t, a, fixtures.Session{Name: "four", NoRemote: true})
					a.AddRow(fixtures.CloudRow("somewhere else", last))
					inv := Build(world(t, a, machine()), pagesOf(t, savePage(t, a, fixtures.PageOptions{Shape: shape, Wrap: wrap})))
					balanced(t, inv)
					if !slices.Contains(shorts(inv), offline.Short) || !slices.Contains(shorts(inv), connected.Short) ||
						len(inv.Items) != 2 || len(inv.Unmatched) != 1 || !inv.Complete || inv.NextPage != nil {
						t.Fatalf("items %v, unmatched %v, complete %v", shorts(inv), inv.Unmatched, inv.Complete)
					}
					if leftOut(inv, "archived") != 1 || leftOut(inv, "connected") != 0 || leftOut(inv, "job in no page") != 1 ||
						inv.Found != 5 {
						t.Errorf("found %d, left out %v", inv.Found, inv.LeftOut)
					}
					r := inv.Items[0].Remote
					if r == nil || r.UpdatedAt == nil || !r.UpdatedAt.Equal(offline.RemoteUpdatedAt.Truncate(time.Microsecond)) ||
						!r.AsOf.Equal(now) || r.Title != "one" {
						t.Errorf("remote %+v", r)
					}
					if link := inv.Items[0].Link; link == nil || *link != offline.Link {
						t.Errorf("link %v", link)
					}
					if !inv.AsOf.Equal(now) || inv.AsOf.Location() != time.UTC {
						t.Errorf("as of %v", inv.AsOf)
					}
				})
			}
		}
	}
}

func TestPagesThatAreNotTheLast(t *testing.T) {
	for shape, param := range map[string]string{fixtures.ShapeA: "after_id", fixtures.ShapeB: "after_id",
		fixtures.ShapeC: "cursor"} {
		a := newAccount(t)
		s := add(t, a, fixtures.Session{})
		inv := Build(world(t, a, machine()), pagesOf(t, savePage(t, a, fixtures.PageOptions{Shape: shape, HasMore: true})))
		balanced(t, inv)
		if inv.Complete || inv.NextPage == nil || inv.NextPage.Param != param || inv.NextPage.ID == "" {
			t.Errorf("%s: complete %v, next %+v", shape, inv.Complete, inv.NextPage)
		}
		if shape != fixtures.ShapeC && inv.NextPage.ID != "session_"+s.Bridge {
			t.Errorf("%s: next %+v", shape, inv.NextPage)
		}
	}
}

func TestArchivedAndConnectedAreRefusedWhenNamed(t *testing.T) {
	a := newAccount(t)
	archived := add(t, a, fixtures.Session{Name: "two", Archived: true})
	connected := add(t, a, fixtures.Session{Name: "three", RemoteConnection: "connected"})
	plain := add(t, a, fixtures.Session{Name: "four"})
	inv := Build(world(t, a, machine()), pagesOf(t, savePage(t, a, fixtures.PageOptions{})))
	for short, reason := range map[string]string{archived.Short: "archived", connected.Short: "connected", plain.Short: "",
		"00000000": ""} {
		if got := string(inv.Excluded(short)); got != reason {
			t.Errorf("%s: %q, want %q", short, got, reason)
		}
	}
}

// A page that does not say whether a session is connected leaves it to the local process.
func TestConnectionThatIsNotTold(t *testing.T) {
	for _, connection := range []string{"-", "unknown", "CONNECTION_STATUS_UNSPECIFIED"} {
		t.Run(connection, func(t *testing.T) {
			a := newAccount(t)
			offline := add(t, a, fixtures.Session{Name: "one", RemoteConnection: connection})
			live := add(t, a, fixtures.Session{Name: "two", RemoteConnection: connection, StaleRegistry: true})
			row := fixtures.ServerRow("three", last)
			row.Connection = connection
			a.AddRow(row)
			inv := Build(world(t, a, liveAs(t, a, live)), pagesOf(t, savePage(t, a, fixtures.PageOptions{})))
			balanced(t, inv)
			if !slices.Equal(shorts(inv), []string{offline.Short}) || leftOut(inv, "live") != 1 {
				t.Errorf("items %v, left out %v", shorts(inv), inv.LeftOut)
			}
			if len(inv.Unmatched) != 1 || inv.Unmatched[0].Kind != "server" {
				t.Errorf("a session without a job is lost: %v, left out %v", inv.Unmatched, inv.LeftOut)
			}
			if n := strings.Count(strings.Join(inv.Warnings, "\n"), "connection_status"); n != 1 {
				t.Errorf("%d warnings: %v", n, inv.Warnings)
			}
		})
	}
}

// liveAs is a process table in which the registered process of a session runs.
func liveAs(t testing.TB, a *fixtures.Account, s ...fixtures.Added) account.Processes {
	t.Helper()
	p := machine()
	w := world(t, a, p)
	for _, x := range s {
		j := w.Jobs.ByShort[x.Short]
		if j == nil {
			t.Fatalf("no job %s", x.Short)
		}
		pid := 900000 + len(p.ByPID)
		p.ByPID[pid] = account.Process{PID: pid, Start: "7", Args: []string{"claude", "--resume", j.SessionID}}
	}
	return p
}

// Disconnected and live: the page is wrong, and the row says so.
func TestDisconnectedAndLive(t *testing.T) {
	a := newAccount(t)
	s := add(t, a, fixtures.Session{})
	inv := Build(world(t, a, liveAs(t, a, s)), pagesOf(t, savePage(t, a, fixtures.PageOptions{})))
	balanced(t, inv)
	if len(inv.Items) != 1 || inv.Items[0].Live != account.Live || inv.Items[0].Ended.Cause != CauseNone ||
		len(inv.Items[0].LiveEvidence) == 0 {
		t.Errorf("%+v", inv.Items)
	}
}

func TestTwoJobsOfOneRow(t *testing.T) {
	for _, connection := range []string{"disconnected", "-"} {
		a := newAccount(t)
		one := add(t, a, fixtures.Session{Name: "one", Bridge: "01SAME", RemoteConnection: connection,
			LastEntry: last.Add(-time.Hour)})
		two := add(t, a, fixtures.Session{Name: "two", Bridge: "01SAME", NoRemote: true})
		// The live one of the two must not hide the other.
		for _, live := range [][]fixtures.Added{nil, {one}, {two}} {
			inv := Build(world(t, a, liveAs(t, a, live...)), pagesOf(t, savePage(t, a, fixtures.PageOptions{})))
			balanced(t, inv)
			want := 2
			if connection == "-" {
				want -= len(live)
			}
			if len(inv.Items) != want {
				t.Errorf("%s, live %d: items %v, left out %v", connection, len(live), shorts(inv), inv.LeftOut)
			}
		}
	}
}

// TestTheNewestThreadIsTheOneThatIsArchived: a session with several threads is archived when the newest is, by the
// order of its transcript; an archive moves the time of a row, so an older one that was tidied away today says
// nothing.
func TestTheNewestThreadIsTheOneThatIsArchived(t *testing.T) {
	const other = "01OTHERotherOTHERother1a"
	for _, c := range []struct {
		name string
		// newest and archived say which of the two threads is so: the state file's own, or the other.
		newestOwn, archivedOwn bool
		listed                 bool
	}{
		{"the newest, in state.json", true, true, false},
		{"an older one", true, false, true},
		{"the newest, in the transcript alone", false, false, false},
		{"an older one, still in state.json", false, true, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := newAccount(t)
			s := add(t, a, fixtures.Session{Archived: c.archivedOwn})
			row := a.Rows()[0]
			row.ID, row.Status = "session_"+other, ""
			if !c.archivedOwn {
				row.Status = "SESSION_STATUS_ARCHIVED"
			}
			a.AddRow(row)
			threads := []string{s.Bridge, other}
			if c.newestOwn {
				threads = append(threads, s.Bridge)
			}
			f, err := os.OpenFile(s.Transcript, os.O_APPEND|os.O_WRONLY, 0)
			if err != nil {
				t.Fatal(err)
			}
			for _, body := range threads {
				fmt.Fprintf(f, "{\"type\":\"bridge-session\",\"sessionId\":%q,\"bridgeSessionId\":\"cse_%s\"}\n", s.SessionID, body)
			}
			if err := f.Close(); err != nil {
				t.Fatal(err)
			}
			inv := Build(world(t, a, machine()), pagesOf(t, savePage(t, a, fixtures.PageOptions{})))
			balanced(t, inv)
			if slices.Contains(shorts(inv), s.Short) != c.listed || len(inv.Unmatched) > 0 || inv.Found != 1 {
				t.Fatalf("items %v, unmatched %v, found %d, left out %v", shorts(inv), inv.Unmatched, inv.Found, inv.LeftOut)
			}
			if !c.listed {
				return
			}
			newest := other
			if c.newestOwn {
				newest = s.Bridge
			}
			if link := inv.Items[0].Link; link == nil || !strings.HasSuffix(*link, newest) {
				t.Errorf("its newest thread is %s, and the link is %v", newest, *link)
			}
		})
	}
}

func TestTwoRowsOfOneJob(t *testing.T) {
	a := newAccount(t)
	s := add(t, a, fixtures.Session{})
	rows := a.Rows()
	again := rows[0]
	again.ID = strings.Replace(again.ID, "session_", "cse_", 1)
	again.UpdatedAt = again.UpdatedAt.Add(time.Hour)
	a.AddRow(again)
	inv := Build(world(t, a, machine()), pagesOf(t, savePage(t, a, fixtures.PageOptions{})))
	balanced(t, inv)
	if !slices.Equal(shorts(inv), []string{s.Short}) || len(inv.Unmatched) != 0 || inv.Found != 1 {
		t.Fatalf("items %v, unmatched %v, found %d", shorts(inv), inv.Unmatched, inv.Found)
	}
	if !inv.Items[0].Remote.UpdatedAt.Equal(again.UpdatedAt.Truncate(time.Microsecond)) {
		t.Error("the later update is the later state")
	}
}

func TestUnmatchedAdvice(t *testing.T) {
	a := newAccount(t)
	a.AddRow(fixtures.CloudRow("cloud", last), fixtures.ServerRow("server", last), fixtures.DesktopRow("desktop", last),
		fixtures.IDERow("terminal", last),
		fixtures.RemoteRow{ID: "session_01UNKNOWN", Title: "nothing told", CreatedAt: last, UpdatedAt: last},
		fixtures.RemoteRow{ID: "session_01EDITOR", Title: "editor", Environment: "bridge", Origin: "vscode", CreatedAt: last,
			UpdatedAt: last},
		fixtures.RemoteRow{ID: "session_01NOTIME", Title: "no time", Environment: "bridge", UpdatedRaw: "yesterday",
			CreatedAt: last})
	inv := Build(world(t, a, machine()), pagesOf(t, savePage(t, a, fixtures.PageOptions{})))
	balanced(t, inv)
	got := map[string]NoJob{}
	for _, u := range inv.Unmatched {
		got[u.Title] = u
		if u.ID == "" || !strings.HasPrefix(u.Link, "https://claude.ai/code/session_") || strings.Contains(u.Link, "cse_") {
			t.Errorf("%+v", u)
		}
	}
	for title, c := range map[string]struct {
		kind string
		says []string
	}{
		"cloud": {"cloud", []string{"no job", "by design"}},
		"server": {"server", []string{"sign-in first", "open the thread", "one message", "cut", "failed message again",
			"Never resume or re-attach", "while its environment lives"}},
		"desktop": {"desktop", []string{"desktop app", "by hand"}},
		"editor":  {"ide", []string{"editor", "by hand"}},
		"terminal": {"unknown", []string{"terminal", "by hand", "Never resume or re-attach",
			"while its environment lives"}},
		"nothing told": {"unknown", []string{"by hand", "cannot be told"}},
		"no time":      {"unknown", []string{"by hand"}},
	} {
		u, ok := got[title]
		if !ok || u.Kind != c.kind {
			t.Errorf("%s: %+v, want kind %s", title, u, c.kind)
		}
		for _, s := range c.says {
			if !strings.Contains(u.WhatToDo, s) {
				t.Errorf("%s: the advice lacks %q: %s", title, s, u.WhatToDo)
			}
		}
	}
	sign, message := strings.Index(got["server"].WhatToDo, "sign-in first"), strings.Index(got["server"].WhatToDo,
		"one message")
	if sign < 0 || sign > message {
		t.Errorf("the sign-in comes first: %s", got["server"].WhatToDo)
	}
	if got["terminal"].WhatToDo == got["nothing told"].WhatToDo {
		t.Error("a terminal's session has advice of its own")
	}
	if got["no time"].UpdatedAt != nil || !strings.Contains(strings.Join(inv.Warnings, "\n"), "yesterday") {
		t.Errorf("a time that cannot be read: %+v, warnings %v", got["no time"], inv.Warnings)
	}
	for _, u := range inv.Unmatched {
		if !slices.Contains([]string{"cloud", "server", "desktop", "ide", "unknown"}, u.Kind) {
			t.Errorf("kind %q is not of the closed list", u.Kind)
		}
	}
}

func TestRowsThatCannotBeReadAreCounted(t *testing.T) {
	a := newAccount(t)
	add(t, a, fixtures.Session{})
	pages := pagesOf(t, savePage(t, a, fixtures.PageOptions{}))
	pages.Skipped = 2
	inv := Build(world(t, a, machine()), pages)
	balanced(t, inv)
	if inv.Found != 3 {
		t.Errorf("found %d, left out %v", inv.Found, inv.LeftOut)
	}
}

// Any account against any page: nothing is lost.
func TestDenominator(t *testing.T) {
	a := newAccount(t)
	var added []fixtures.Added
	for i := range 12 {
		s := fixtures.Session{Name: "session " + string(rune('a'+i)), NoState: i == 10, Plain: i == 11, NoTranscript: i != 2}
		if i == 1 {
			s.Bridge = added[0].Bridge
		}
		if i == 9 {
			s.BadState = []byte("{")
		}
		if i == 8 {
			s.Extra = map[string]string{"archived": "true"}
		}
		added = append(added, add(t, a, s))
	}
	own := a.Rows()
	others := []fixtures.RemoteRow{fixtures.CloudRow("c", last), fixtures.ServerRow("s", last), fixtures.DesktopRow("d",
		last), fixtures.IDERow("i", last)}
	rapid.Check(t, func(t *rapid.T) {
		rows := []fixtures.RemoteRow{}
		for i, r := range slices.Concat(own, others) {
			if rapid.Bool().Draw(t, "on the page") {
				r.Status = rapid.SampledFrom([]string{"", "SESSION_STATUS_ARCHIVED", "SESSION_STATUS_RUNNING"}).Draw(t, "status")
				r.Connection = rapid.SampledFrom([]string{"", "-", "connected", "CONNECTION_STATUS_DISCONNECTED", "unknown",
					"paused"}).Draw(t, "connection")
				r.CreatedAt = r.CreatedAt.Add(-time.Duration(i) * time.Second)
				rows = append(rows, r)
			}
		}
		p := machine()
		for i, s := range added {
			if rapid.Bool().Draw(t, "live") {
				p.ByPID[i+1] = account.Process{PID: i + 1, Start: "1", Args: []string{"claude", "--resume", s.SessionID}}
			}
		}
		w := world(t, a, p)
		balanced(t, Build(w, nil))
		path, err := a.SavePage("page.json", fixtures.PageOptions{Rows: rows,
			Shape: rapid.SampledFrom([]string{"A", "B", "C"}).Draw(t, "shape")})
		if err != nil {
			t.Fatal(err)
		}
		inv := Build(w, pagesOf(t, path))
		balanced(t, inv)
		seen := map[string]bool{}
		for _, it := range inv.Items {
			if seen[it.Short] {
				t.Errorf("%s is listed twice", it.Short)
			}
			seen[it.Short] = true
		}
	})
}
