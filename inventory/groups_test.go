package inventory

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"recovery/fixtures"
	"recovery/internal/account"

	"github.com/google/go-cmp/cmp"
)

func TestItemIDs(t *testing.T) {
	for title, want := range map[string]string{
		"fix the importer":                             "",
		"OPS-4711 refund, take over":                   "OPS-4711",
		"refund (OPS-4711)":                            "OPS-4711",
		"OPS-4711 and OPS-4711":                        "OPS-4711",
		"OPS-4711, ABC1-2":                             "ABC1-2 OPS-4711",
		"review PR #12":                                "pr 12",
		"pull request 12":                              "pr 12",
		"merge request !12 and issue #77":              "issue 77 mr 12",
		"invoice 2026":                                 "",
		"invoice #2026":                                "invoice 2026",
		"invoice 20261":                                "invoice 20261",
		"alert 991: disk":                              "alert 991",
		"https://github.com/a/b/pull/12 review":        "pr 12",
		"https://jira.example/browse/OPS-4711":         "OPS-4711",
		"INC-2026-0042":                                "INC-2026-0042",
		"UTF-8 and SHA-256 in RFC-3339":                "",
		"numbers for Q3-2026, H1-2026, FY-2026":        "",
		"port to X86-64":                               "",
		"lower-4711":                                   "",
		"ＯＰＳ－318":                                      "OPS-318",
		"Rechnung Nr. 2024/1187":                       "invoice 2024/1187",
		"Rechnung 11/2024":                             "",
		"Rechnungsnummer 30118":                        "invoice 30118",
		"dossier n° 66203":                             "case 66203",
		"заказу 66120":                                 "order 66120",
		"注文番号 5510238":                                 "order 5510238",
		"Fehlermeldung 1064":                           "",
		"ORA-01555 in the export":                      "",
		"!512 conflicts":                               "mr 512",
		"look at this, now!512":                        "",
		"AB#90455":                                     "work item 90455",
		"#610":                                         "",
		"incident Q1XW5Z2Y":                            "incident Q1XW5Z2Y",
		"invoice A-2291":                               "invoice A-2291",
		"ref. 8812-4471":                               "reference 8812-4471",
		"the RTX-5000":                                 "",
		"payment 7f3c2a10-9b1e-4c55-8f0a-1f2e3d4c5b6a": "payment 7F3C2A10-9B1E-4C55-8F0A-1F2E3D4C5B6A",
		"user 7f3c2a10-9b1e-4c55-8f0a-1f2e3d4c5b6a":    "",
		"": "",
	} {
		if got := strings.Join(names(strong(findIDs(fold(title)))), " "); got != want {
			t.Errorf("%q: %q, want %q", title, got, want)
		}
	}
}

// TestStray: a first prompt is about the ticket that it works on, not about every one that it names.
func TestStray(t *testing.T) {
	for prompt, want := range map[string]string{
		"AB-1: the search is slow":                         "AB-1",
		"Please implement AB-1.":                           "AB-1",
		"Rebase PR 12.":                                    "pr 12",
		"Review the branch for AB-1, the export.":          "AB-1",
		"The search is slow (AB-1).":                       "AB-1",
		"The search is slow, AB-1.":                        "AB-1",
		"Is the ticket AB-1 open?":                         "AB-1",
		"Bitte AB-1 bearbeiten.":                           "AB-1",
		"AB-1を調べてください。":                                    "AB-1",
		"Implement AB-1 and AB-2.":                         "AB-1 AB-2",
		"The report needs the schema from AB-1.":           "",
		"Assuming AB-1 is finished, drop the table.":       "",
		"Write an app. It should use the sdk of AB-1.":     "",
		"Do for the lexer what PR 12 does for the parser.": "",
		"Someone else is on AB-1, leave it.":               "",
		"Une fois AB-1 livré, prépare la suite.":           "",
		"等 AB-1 上线以后再接页面。":                                 "",
	} {
		it := readItems(&Row{First: prompt, Repo: "/r"})
		if got := strings.Join(names(it.own), " "); got != want {
			t.Errorf("%q: %q, want %q", prompt, got, want)
		}
	}
}

// TestDoubtedKeys: what looks like a ticket's id may be a part or a flight, unless some session treats one of its
// kind as a ticket.
func TestDoubtedKeys(t *testing.T) {
	row := func(short, title, first string) Row {
		return Row{Short: short, Title: title, First: first, Repo: "/r", CreatedAt: last, LastActive: last}
	}
	two := []Row{row("a", "ZX-40 checklist", "Print a list for the cockpit of ZX-40."), row("b", "ZX-40 weight",
		"How heavy is ZX-40 with four seats?")}
	if groups, _ := GroupRows(two); len(groups) != 0 {
		t.Errorf("without a proof: %+v", groups)
	}
	if groups, _ := GroupRows(append(two, row("c", "", "ZX-41: the pump drips"))); len(groups) != 1 ||
		len(groups[0].Members) != 2 {
		t.Errorf("with one: %+v", groups)
	}
}

func TestGroups(t *testing.T) {
	says := func(text string) []fixtures.Turn { return []fixtures.Turn{fixtures.Says(text, "Done.")} }
	type sessions []fixtures.Session
	for name, c := range map[string]struct {
		add   func(t *testing.T, a *fixtures.Account) []fixtures.Added
		want  []int // the members, by their place
		owner int
		why   string
	}{
		"same ticket, the last active owns": {func(t *testing.T, a *fixtures.Account) []fixtures.Added {
			return addAll(t, a, sessions{{Name: "OPS-1 a", LastEntry: last.Add(-time.Hour), Turns: says("Look.")},
				{Name: "b OPS-1", Turns: says("See.")}, {Name: "OPS-2", Turns: says("Hm.")}})
		}, []int{0, 1}, 1, "active last"},
		"made to take over, and less active": {func(t *testing.T, a *fixtures.Account) []fixtures.Added {
			return addAll(t, a, sessions{{Name: "OPS-1 a", Turns: says("Look.")},
				{Name: "b OPS-1", LastEntry: last.Add(-time.Hour), Turns: says("Take over OPS-1.")}})
		}, []int{0, 1}, 1, "first prompt"},
		"names another of the group": {func(t *testing.T, a *fixtures.Account) []fixtures.Added {
			one := add(t, a, fixtures.Session{Name: "OPS-1 a", Turns: says("Look.")})
			return []fixtures.Added{one, add(t, a, fixtures.Session{Name: "OPS-1 b", LastEntry: last.Add(-time.Hour),
				Turns: says("What " + one.Short + " left open, please.")})}
		}, []int{0, 1}, 1, "first prompt"},
		"two that take over, the newest owns": {func(t *testing.T, a *fixtures.Account) []fixtures.Added {
			return addAll(t, a, sessions{{Name: "OPS-1 a", Turns: says("Take over OPS-1."), CreatedAt: last.Add(-5 * time.Hour)},
				{Name: "OPS-1 b", LastEntry: last.Add(-time.Hour), CreatedAt: last.Add(-2 * time.Hour),
					Turns: says("Take over OPS-1.")}})
		}, []int{0, 1}, 1, "first prompt"},
		"names one outside the group": {func(t *testing.T, a *fixtures.Account) []fixtures.Added {
			out := add(t, a, fixtures.Session{Name: "else", Turns: says("Look.")})
			return []fixtures.Added{out, add(t, a, fixtures.Session{Name: "OPS-1 a", LastEntry: last.Add(-time.Hour),
				Turns: says("As in " + out.Short + ".")}), add(t, a, fixtures.Session{Name: "OPS-1 b", Turns: says("See.")})}
		}, []int{1, 2}, 2, "active last"},
		"copies": {func(t *testing.T, a *fixtures.Account) []fixtures.Added {
			one := add(t, a, fixtures.Session{Name: "the original", LastEntry: last.Add(-time.Hour)})
			return []fixtures.Added{one, add(t, a, fixtures.Session{Name: "another name", CopyOf: one.Short}),
				add(t, a, fixtures.Session{Name: "no copy"})}
		}, []int{0, 1}, 1, "active last"},
		"went on in the other": {func(t *testing.T, a *fixtures.Account) []fixtures.Added {
			two := add(t, a, fixtures.Session{Name: "two"})
			return []fixtures.Added{add(t, a, fixtures.Session{Name: "one", ContinuedIn: two.SessionID,
				LastEntry: last.Add(-time.Hour)}), two}
		}, []int{0, 1}, 1, "active last"},
		"joined by two reasons": {func(t *testing.T, a *fixtures.Account) []fixtures.Added {
			one := add(t, a, fixtures.Session{Name: "OPS-1", LastEntry: last.Add(-2 * time.Hour)})
			return []fixtures.Added{one, add(t, a, fixtures.Session{Name: "x", CopyOf: one.Short,
				LastEntry: last.Add(-time.Hour)}), add(t, a, fixtures.Session{Name: "again OPS-1", Turns: says("See.")})}
		}, []int{0, 1, 2}, 2, "active last"},
		"one brief in a worktree and in a folder of its repository": {func(t *testing.T,
			a *fixtures.Account) []fixtures.Added {
			brief := says("Turn on strict mode of the compiler and repair what it reports, package by package.")
			return addAll(t, a, sessions{{Name: "strict", WorktreeOf: "main", Cwd: "tree", Turns: brief,
				LastEntry: last.Add(-time.Hour)}, {Name: "strict mode", Cwd: "main/server", Turns: brief},
				{Name: "strict too", Cwd: "elsewhere", Turns: brief}, {Name: "other", Cwd: "main", Turns: says("Look.")}})
		}, []int{0, 1}, 1, "active last"},
		"the worktree of one is gone": {func(t *testing.T, a *fixtures.Account) []fixtures.Added {
			brief := says("Turn on strict mode of the compiler and repair what it reports, package by package.")
			return addAll(t, a, sessions{{Name: "other", WorktreeOf: "main", Cwd: "tree", Turns: says("Look.")},
				{Name: "strict", Cwd: "main/.claude/worktrees/one", NoFolder: true, Turns: brief, LastEntry: last.Add(-time.Hour)},
				{Name: "strict mode", Cwd: "main", Turns: brief}, {Name: "strict too", Cwd: "gone", NoFolder: true, Turns: brief}})
		}, []int{1, 2}, 2, "active last"},
		"nothing in common": {func(t *testing.T, a *fixtures.Account) []fixtures.Added {
			return addAll(t, a, sessions{{Name: "OPS-1"}, {Name: "OPS-2"}, {Name: "UTF-8"}, {Name: "also UTF-8"}})
		}, nil, 0, ""},
		"an id of a template in every title": {func(t *testing.T, a *fixtures.Account) []fixtures.Added {
			var all sessions
			for i := range 8 {
				all = append(all, fixtures.Session{Name: fmt.Sprintf("TEAM-1 task %c", 'a'+i),
					Turns: says(fmt.Sprintf("Task %d.", i))})
			}
			return addAll(t, a, all)
		}, nil, 0, ""},
	} {
		t.Run(name, func(t *testing.T) {
			a := newAccount(t)
			added := c.add(t, a)
			inv := Build(world(t, a, machine()), nil)
			var members []string
			for _, i := range c.want {
				members = append(members, added[i].Short)
			}
			slices.Sort(members)
			if members == nil {
				if len(inv.Groups) > 0 {
					t.Fatalf("%+v", inv.Groups)
				}
				return
			}
			if len(inv.Groups) != 1 {
				t.Fatalf("%+v", inv.Groups)
			}
			g := inv.Groups[0]
			if diff := cmp.Diff(members, g.Members); diff != "" || g.Reason == "" {
				t.Errorf("reason %q (-want +got):\n%s", g.Reason, diff)
			}
			if g.Owner != added[c.owner].Short || !strings.Contains(g.Why, c.why) {
				t.Errorf("owner %s (%s), want %s", g.Owner, g.Why, added[c.owner].Short)
			}
			for _, it := range inv.Items {
				role, group := "single", ""
				if slices.Contains(members, it.Short) {
					role, group = "duplicate", g.Name
				}
				if it.Short == g.Owner {
					role = "owner"
				}
				if it.Role != role || it.Group != group {
					t.Errorf("%s (%s): %s of %q, want %s of %q", it.Short, it.Title, it.Role, it.Group, role, group)
				}
			}
		})
	}
}

func addAll(t *testing.T, a *fixtures.Account, all []fixtures.Session) []fixtures.Added {
	t.Helper()
	var out []fixtures.Added
	for _, s := range all {
		out = append(out, add(t, a, s))
	}
	return out
}

func TestDuplicatesOfTheFixtures(t *testing.T) {
	a := newAccount(t)
	owner, duplicate, err := a.Duplicates()
	if err != nil {
		t.Fatal(err)
	}
	inv := Build(world(t, a, machine()), nil)
	if len(inv.Groups) != 1 || inv.Groups[0].Owner != owner.Short || inv.Find(duplicate.Short).Role != "duplicate" ||
		inv.Find(owner.Short).Role != "owner" {
		t.Errorf("%+v", inv.Groups)
	}
}

func TestFind(t *testing.T) {
	jobs := &account.Jobs{ByShort: map[string]*account.Job{}}
	for _, j := range []*account.Job{
		{Short: "aaaa0001", SessionID: "aaaa0001-1111-4111-8111-111111111111",
			ResumeSessionID: "dddd0009-1111-4111-8111-111111111111"},
		{Short: "aaaa0002", SessionID: "aaaa0002-1111-4111-8111-111111111111"},
		{Short: "bbbb0003", SessionID: "bbbb0003-1111-4111-8111-111111111111"},
		{Short: "eeee0005", SessionID: "eeee0005-1111-4111-8111-111111111111",
			ResumeSessionID: "ffff0007-1111-4111-8111-111111111111"},
		{Short: "eeee0006", SessionID: "eeee0006-1111-4111-8111-111111111111",
			ResumeSessionID: "ffff0007-1111-4111-8111-111111111111"},
	} {
		jobs.List = append(jobs.List, j)
		jobs.ByShort[j.Short] = j
	}
	for typed, want := range map[string]string{
		"aaaa0001": "aaaa0001", "AAAA0001": "aaaa0001", " bbbb0003 ": "bbbb0003", "bbbb": "bbbb0003",
		"bbbb0003-1111":                        "bbbb0003",
		"aaaa0002-1111-4111-8111-111111111111": "aaaa0002", "dddd0009-1111-4111-8111-111111111111": "aaaa0001",
		"aaaa": "", "bbb": "", "": "", "cccc0004": "", "aaaa00010": "",
		"ffff0007-1111-4111-8111-111111111111": "", "eeee0005-1111-4111-8111-111111111111": "eeee0005",
	} {
		j, err := Find(jobs, typed)
		if (err == nil) != (want != "") || j != nil && j.Short != want {
			t.Errorf("%q: %v, %v", typed, j, err)
		}
		if typed == "aaaa" && (err == nil || !strings.Contains(err.Error(), "aaaa0002")) {
			t.Errorf("ambiguous: %v", err)
		}
		if strings.HasPrefix(typed, "ffff") && (err == nil || !strings.Contains(err.Error(), "eeee0005, eeee0006")) {
			t.Errorf("two jobs with one resumed session: %v", err)
		}
	}
}
