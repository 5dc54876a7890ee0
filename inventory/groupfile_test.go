package inventory

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"recovery/internal/account"

	"github.com/google/go-cmp/cmp"
)

func jobsOf(shorts ...string) *account.Jobs {
	jobs := &account.Jobs{ByShort: map[string]*account.Job{}}
	for _, s := range shorts {
		j := &account.Job{Short: s, SessionID: s + "-1111-4111-8111-111111111111"}
		jobs.List, jobs.ByShort[s] = append(jobs.List, j), j
	}
	return jobs
}

func invOf(groups []Group, shorts ...string) *Inventory {
	inv := &Inventory{}
	for _, s := range shorts {
		inv.Items = append(inv.Items, Item{SessionName: SessionName{Short: s, Title: "title of " + s +
			"\nwith\x1b two lines"}})
	}
	inv.setGroups(groups)
	return inv
}

var four = []string{"10000001", "2000000a", "3e000003", "4000000b"}

func TestParseGroupsErrorsNameTheLine(t *testing.T) {
	good := "groups:\n  - name: g1\n    owner: \"10000001\"\n    members: [10000001, 2000000a]\n"
	for name, c := range map[string]struct {
		data string
		want string // a line and a word of the message; empty: no error
	}{
		"as written":             {good, ""},
		"empty":                  {"", ""},
		"only comments":          {"# nothing\n", ""},
		"no groups":              {"groups:\n", ""},
		"a full id":              {strings.ReplaceAll(good, "2000000a", "2000000a-1111-4111-8111-111111111111"), ""},
		"a prefix":               {strings.ReplaceAll(good, "2000000a", "2000"), ""},
		"single":                 {good + "single: [4000000b]\n", ""},
		"proposals are not read": {good + "proposed:\n  - whatever: [ffffffff]\n", ""},
		"unknown session":        {strings.ReplaceAll(good, "2000000a", "ffffffff"), "line 4: no session \"ffffffff\""},
		"in two groups": {good + "  - name: g2\n    owner: 3e000003\n    members:\n      - 3e000003\n      - " +
			"2000000a\n", "line 9: session 2000000a stands twice"},
		"twice in one": {strings.ReplaceAll(good, "2000000a", "10000001"),
			"line 4: session 10000001 stands twice"},
		"in a group and single": {good + "single:\n - 2000000a\n", "line 6: session 2000000a stands twice"},
		"owner outside": {strings.Replace(good, `"10000001"`, "3e000003", 1),
			"line 3: the owner 3e000003 is no member"},
		"owner unknown": {strings.Replace(good, `"10000001"`, "eeeeeeee", 1), "line 3: no session"},
		"owner in another group": {good + "  - name: g2\n    owner: 10000001\n    members: [3e000003, 4000000b]\n",
			"line 6: the owner 10000001 is no member"},
		"no owner": {"groups:\n  - name: g1\n    members: [10000001, 2000000a]\n",
			"line 2: the group \"g1\" has no owner"},
		"one member": {"groups:\n  - name: g1\n    owner: 10000001\n    members: [10000001]\n",
			"line 2: the group \"g1\" has 1 members"},
		"no name": {"groups:\n  - owner: 10000001\n    members: [10000001, 2000000a]\n",
			"line 2: a group has no name"},
		"two of one name": {good + strings.NewReplacer("groups:\n", "", "10000001", "3e000003", "2000000a",
			"4000000b").Replace(good), "line 5: two groups have the name"},
		"unknown key":            {"groups:\n  - name: g1\n    ownr: 10000001\n", "line 3: the key \"ownr\""},
		"unknown key at the top": {"group: []\n", "line 1: the key \"group\""},
		"a key twice":            {"groups: []\ngroups: []\n", "line 2: the key \"groups\" stands twice"},
		"a list at the top":      {"- a\n", "line 1: a map"},
		"an alias": {"groups:\n  - &a\n    name: g1\n    owner: 10000001\n    members: [10000001, " +
			"2000000a]\n  - *a\n", "line 6: a group is expected"},
		"broken YAML":            {"groups:\n  - name: [\n", "line "},
		"not UTF-8":              {"# a\n\xff", "line 2: it is not valid UTF-8"},
		"two documents":          {good + "---\ngroups: []\n", "a second document"},
		"groups below proposals": {"proposed: []\n" + good, "line 2: \"groups\" stands below"},
		"a null session":         {"single: [~]\n", "line 1: a session is named"},
		"an ambiguous prefix":    {"single: [1000]\n", ""},
		"a short prefix":         {"single: [100]\n", "line 1: no session"},
		"members are a text": {"groups:\n  - name: g1\n    owner: 10000001\n    members: 10000001\n",
			"line 4: the members"},
		"proposals in one line":    {"{groups: [], proposed: []}\n", "line 1: the proposals stand inside braces"},
		"the name is a list":       {"groups:\n  - name: []\n", "line 2: the name of a group"},
		"groups are a text":        {"groups: none\n", "line 1: the groups are a list"},
		"a session that is a list": {"single:\n  - []\n", "line 2: a session is named"},
	} {
		f, err := ParseGroups("groups.yaml", []byte(c.data), jobsOf(four...))
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%s: %v", name, err)
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(),
			"groups.yaml, line ")):
			t.Errorf("%s: %v, want %q", name, err, c.want)
		case err == nil && f == nil:
			t.Errorf("%s: nothing", name)
		}
	}
}

func TestWriteProposal(t *testing.T) {
	g1 := Group{Name: "g1", Owner: "10000001", Members: []string{"10000001", "2000000a"}, Reason: "both name AB-1",
		Why: "the one that was active last"}
	inv := invOf([]Group{g1}, four...)
	first := WriteProposal(inv, nil)
	f, err := ParseGroups("groups.yaml", first, jobsOf(four...))
	if err != nil || len(f.Groups) != 1 || f.Groups[0].Owner != "10000001" || !slices.Equal(f.Groups[0].Members,
		g1.Members) {
		t.Fatalf("%v, %+v\n%s", err, f, first)
	}
	for _, want := range []string{"# why together: both name AB-1\n", "# why this owner: the one",
		`- "2000000a"  # title of 2000000a with\x1b two lines` + "\n"} {
		if !strings.Contains(string(first), want) {
			t.Errorf("%q is not in\n%s", want, first)
		}
	}
	if again := WriteProposal(inv, f); !bytes.Equal(first, again) {
		t.Errorf("written again without news:\n%s", again)
	}

	// The user's words stay, byte for byte; a new session is proposed and does not count.
	edited := strings.Replace(string(first), `owner: "10000001"`, "owner: 2000000a   # mine", 1)
	g1.Members = append(slices.Clone(g1.Members), "3e000003")
	inv = invOf([]Group{g1}, four...)
	f, err = ParseGroups("groups.yaml", []byte(edited), jobsOf(four...))
	if err != nil {
		t.Fatal(err)
	}
	second := string(WriteProposal(inv, f))
	if !strings.HasPrefix(second, edited) || !strings.Contains(second, "\nproposed:\n") || !strings.Contains(second,
		"seems to belong to your g1") {
		t.Errorf("%s", second)
	}
	inv.ApplyGroups(f)
	if inv.Find("3e000003").Role != "single" || inv.Find("10000001").Role != "duplicate" ||
		inv.Find("2000000a").Role != "owner" || len(inv.Groups) != 1 ||
		inv.Groups[0].Why != "named in groups.yaml" || len(inv.Warnings) != 1 {
		t.Errorf("%+v, %q", inv.Groups, inv.Warnings)
	}

	// Taken over, or kept single: nothing is left to propose, and the comment goes too.
	for _, settled := range []string{strings.Replace(edited, `      - "2000000a"`,
		"      - 3e000003\n      - \"2000000a\"", 1), edited + "single: [3e000003]\n"} {
		f, err = ParseGroups("groups.yaml", []byte(settled+proposedHead+"proposed:\n  - {name: old}\n"), jobsOf(four...))
		if err != nil {
			t.Fatal(err)
		}
		if got := string(WriteProposal(invOf([]Group{g1}, four...), f)); got != settled {
			t.Errorf("(-want +got)\n%s", cmp.Diff(settled, got))
		}
	}
}

func TestProposalsStayReadable(t *testing.T) {
	groups := []Group{{Name: "g1", Owner: "10000001", Members: []string{"10000001", "2000000a"}, Reason: "r", Why: "w"}}
	for _, data := range []string{"", "# mine", "groups: []", "{groups: []}\n", "groups: []\n...\n", "---\ngroups: []\n",
		"groups:\n", "~\n", "single: [3e000003]"} {
		inv := invOf(groups, four...)
		f, err := ParseGroups("x", []byte(data), jobsOf(four...))
		if err != nil {
			t.Fatalf("%q: %v", data, err)
		}
		out := WriteProposal(inv, f)
		again, err := ParseGroups("x", out, jobsOf(four...))
		if err != nil || len(again.Groups) > 0 || !bytes.Contains(out, []byte("2000000a")) {
			t.Errorf("%q: %v\n%s", data, err, out)
			continue
		}
		if twice := WriteProposal(inv, again); !bytes.Equal(out, twice) {
			t.Errorf("%q: not the same again\n%s", data, cmp.Diff(string(out), string(twice)))
		}
	}
}

func TestApplyGroupsToMembersThatAreNotListed(t *testing.T) {
	inv := invOf(nil, "2000000a")
	f, err := ParseGroups("x", []byte("groups:\n  - {name: mine, owner: 10000001, members: [10000001, 2000000a], "+
		"reason: I say so, why_owner: it lives}\n"), jobsOf(four...))
	if err != nil {
		t.Fatal(err)
	}
	inv.ApplyGroups(f)
	if it := inv.Find("2000000a"); it.Role != "duplicate" || it.Group != "mine" || inv.OwnerOf("2000000a") != "10000001" {
		t.Errorf("%+v", it)
	}
	if g := inv.Groups[0]; g.Reason != "I say so" || g.Why != "it lives" {
		t.Errorf("%+v", g)
	}
	inv.ApplyGroups(nil)
	if len(inv.Groups) != 1 {
		t.Errorf("a nil file changed the groups: %+v", inv.Groups)
	}
}

func TestWakeOrder(t *testing.T) {
	inv := invOf([]Group{{Name: "g1", Owner: "10000001", Members: []string{"10000001", "2000000a", "3e000003"}}}, four...)
	if got := fmt.Sprint(inv.WakeOrder([]string{"10000001", "4000000b", "3e000003", "2000000a"})); got != "[3e000003 2000000a 4000000b 10000001]" {
		t.Error(got)
	}
	if got := fmt.Sprint(inv.DuplicatesOf("10000001"), inv.DuplicatesOf("2000000a"), inv.OwnerOf("10000001") == ""); got != "[2000000a 3e000003] [] true" {
		t.Error(got)
	}
}

func TestOwnerOpen(t *testing.T) {
	if testing.Short() {
		t.Skip("long, and nothing in it for the race detector")
	}
	for reply, want := range map[string]string{
		"":                            "",
		"All done.\n- a\n- b":         "",
		"## Open\n- pay 77\n- pay 78": "pay 77|pay 78",
		"Done:\n- pay 1\n\n**Next steps:**\n1. deploy to staging\n2. review by Mo\n\nThat is all.\n\n### Notes\n- pay 9": "deploy to staging|review by Mo",
		"- [x] pay 1\n- [ ] pay 2":                     "pay 2",
		"Offen:\n- Rechnung 12 ist noch nicht bezahlt": "Rechnung 12 ist noch nicht bezahlt",
		"待办：\n- pay 77":                                "pay 77",
		"Open:\n```\n- in a fence\n```\n":              "",
		"Open:\n~~~\n- in tildes\n~~~\n- pay 77":       "pay 77",
		"Open:\n````\n```\n- longer\n````\n- pay 77":   "pay 77",
		"Open:\n```make pay``` runs it\n- pay 77":      "pay 77",
		"Open:\n- pay 77\n- pay 77":                    "pay 77",
		"Open:\n- RECOVERY REVIEW v1\n- pay 77":        "pay 77",
	} {
		got, _ := OwnerOpen(reply)
		if strings.Join(got, "|") != want {
			t.Errorf("%q: %q, want %q", reply, got, want)
		}
	}
	if _, dropped := OwnerOpen("Open:\n- RECOVERY REVIEW v1"); dropped != 1 {
		t.Errorf("dropped %d", dropped)
	}
}

func FuzzParseGroups(f *testing.F) {
	for _, s := range []string{"", "groups: []\n", "groups:\n  - name: g1\n    owner: \"10000001\"\n    members: " +
		"[10000001, 2000000a]\nsingle: [3e000003]\nproposed:\n  - {name: n1}\n",
		"{groups: []}", "a: &a [*a]", "groups:\n...\n---\n", "\xef\xbb\xbfgroups: []\r\n", "? groups\n: []\n",
		"proposed: |\n  x\n"} {
		f.Add([]byte(s))
	}
	jobs := jobsOf(four...)
	proposals := []Group{{Name: "g1", Owner: "4000000b", Members: []string{"2000000a", "4000000b"}, Reason: "r", Why: "w"}}
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := ParseGroups("x", data, jobs)
		if err != nil {
			if !strings.Contains(err.Error(), "line ") {
				t.Fatalf("no line: %v", err)
			}
			return
		}
		for _, g := range file.Groups {
			if len(g.Members) < 2 || !slices.Contains(g.Members, g.Owner) {
				t.Fatalf("%+v", g)
			}
		}
		inv := invOf(proposals, four...)
		out := WriteProposal(inv, file)
		again, err := ParseGroups("x", out, jobs)
		if err != nil {
			t.Fatalf("what was written cannot be read: %v\n%q\n%q", err, data, out)
		}
		if diff := cmp.Diff(file.Groups, again.Groups) + cmp.Diff(file.Single, again.Single); diff != "" {
			t.Fatalf("%s\n%q\n%q", diff, data, out)
		}
		if twice := WriteProposal(inv, again); !bytes.Equal(out, twice) {
			t.Fatalf("not the same again: %q\n%q", out, twice)
		}
		inv.ApplyGroups(file)
	})
}

func FuzzFindIDs(f *testing.F) {
	for _, c := range []string{"AB-101, ab 102 and https://x.atlassian.net/browse/AB-103.", "工单60551",
		"PR #12 Rechnung Nr. 88231", "\u0130\u0130 ticket 12345", "INV-2026-0042", "K\xff alert 12"} {
		f.Add(c, c)
	}
	f.Fuzz(func(t *testing.T, title, first string) {
		for _, id := range findIDs(first) {
			if id.at < 0 || id.at >= id.end || id.end > len(first) || id.name == "" || id.space == "" {
				t.Fatalf("%+v in %q", id, first)
			}
		}
		GroupRows([]Row{{Short: "a", Title: title, First: first, Repo: "/r"}, {Short: "b", Title: first, Reply: title,
			Repo: "/r"}})
	})
}
