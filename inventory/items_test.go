package inventory

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"recovery/fixtures"
	"recovery/internal/account"

	"github.com/google/go-cmp/cmp"
)

// The keys are what other programs read: a change here is a change of the design.
func TestJSONKeys(t *testing.T) {
	a := newAccount(t)
	owner, _, err := a.Duplicates()
	if err != nil {
		t.Fatal(err)
	}
	add(t, a, fixtures.Session{Name: "plain", Plain: true, NoTranscript: true, NoRemote: true})
	add(t, a, fixtures.Session{Name: "archived", Archived: true})
	a.AddRow(fixtures.CloudRow("cloud", last))
	pages := pagesOf(t, savePage(t, a, fixtures.PageOptions{HasMore: true}))
	data, err := json.Marshal(Build(world(t, a, machine()), pages))
	if err != nil {
		t.Fatal(err)
	}
	var got map[string]any
	if err := json.Unmarshal(data, &got); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		of   any
		want string
	}{
		"inventory": {got, "account as_of complete found groups items left_out next_page pages refused taken_at unmatched " +
			"warnings"},
		"item": {find(t, got["items"], "short", owner.Short), "cwd ended expires_at group hazards last_entry_at link live " +
			"live_evidence pinned remote role saved_options session_id " +
			"shared_with short stop threads title transcript turn turn_evidence warnings"},
		"ended":      {find(t, got["items"], "short", owner.Short)["ended"], "at cause line"},
		"transcript": {find(t, got["items"], "short", owner.Short)["transcript"], "bytes path"},
		"remote": {find(t, got["items"], "short", owner.Short)["remote"],
			"as_of connection_status id status time_field title updated_at"},
		"unmatched": {find(t, got["unmatched"], "kind", "cloud"), "id kind link title updated_at what_to_do"},
		"left out":  {got["left_out"].([]any)[0], "count reason"},
		"next page": {got["next_page"], "id param"},
		"group":     {got["groups"].([]any)[0], "members name owner reason why_owner"},
	} {
		var keys []string
		for k := range c.of.(map[string]any) {
			keys = append(keys, k)
		}
		slices.Sort(keys)
		if diff := cmp.Diff(strings.Fields(c.want), keys); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	for _, v := range []string{"items", "unmatched", "left_out", "warnings", "groups", "refused"} {
		if got[v] == nil {
			t.Errorf("%s is null", v)
		}
	}
}

// find gives the object of a list that has a value.
func find(t *testing.T, list any, key, value string) map[string]any {
	t.Helper()
	for _, x := range list.([]any) {
		if o := x.(map[string]any); o[key] == value {
			return o
		}
	}
	t.Fatalf("no %s %s", key, value)
	return nil
}

// wellFormed: lists are lists, what is not there is null, and nothing of a secret is in it.
func wellFormed(t *testing.T, inv Inventory) {
	t.Helper()
	balanced(t, inv)
	data, err := json.Marshal(inv)
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"live_evidence", "saved_options", "hazards", "warnings", "items", "unmatched", "left_out",
		"members"} {
		if strings.Contains(string(data), `"`+key+`":null`) {
			t.Errorf("%s is null", key)
		}
	}
	if strings.Contains(string(data), fixtures.Secret) {
		t.Error("a secret")
	}
	if strings.Contains(string(data), `"0001-01-01`) {
		t.Error("a zero time")
	}
}

func TestSituations(t *testing.T) {
	for _, s := range fixtures.Situations() {
		if testing.Short() && s.Name == "giant-line" {
			continue // long, and nothing in it for the race detector
		}
		t.Run(s.Name, func(t *testing.T) {
			t.Parallel()
			subject, err := s.Build(t.TempDir(), now)
			if err != nil {
				t.Fatal(err)
			}
			defer subject.Account.Close()
			at := subject.Account.Now
			w, err := SeeTwice(func() (*World, error) {
				w := world(t, subject.Account, account.ReadProcesses())
				w.Now = at
				return w, nil
			}, func(d time.Duration) { at = at.Add(d) })
			if err != nil {
				t.Fatal(err)
			}
			inv := Build(w, nil)
			wellFormed(t, inv)
			if len(subject.Pages) > 0 {
				wellFormed(t, Build(w, pagesOf(t, subject.Pages...)))
			}
			it := inv.Find(subject.Session.Short)
			switch {
			case it == nil && s.Live == "live" && leftOut(inv, "live") == 1:
				return
			case it == nil:
				if !s.Allows("left out") {
					t.Fatalf("left out: %v", inv.LeftOut)
				}
				return
			}
			in := func(allowed, got string) bool {
				return allowed == "" || slices.Contains(strings.Split(allowed, "|"), got)
			}
			if !in(s.Live, string(it.Live)) || !in(s.Turn, it.Turn) || !in(s.Ended, string(it.Ended.Cause)) {
				t.Errorf("live %s, turn %s, ended %+v; want %s, %s, %s (%s; %v)", it.Live, it.Turn, it.Ended, s.Live, s.Turn,
					s.Ended, s.Why, it.LiveEvidence)
			}
			if it.Ended.Line == "" {
				t.Error("no evidence for why it ended")
			}
		})
	}
}

func TestItem(t *testing.T) {
	a := newAccount(t)
	yes := "yes"
	s := add(t, a, fixtures.Session{Name: "one", Pinned: true, QueuedPrompt: &yes, RespawnFlags: []string{"-n", "one",
		"--permission-mode=bypassPermissions"}, SelfWake: true})
	inv := Build(world(t, a, machine()), nil)
	it := inv.Find(s.Short)
	if it == nil {
		t.Fatal("not listed")
	}
	if it.SessionID != s.SessionID || it.Title != "one" || it.Cwd != s.Cwd || !it.Pinned || it.Role != "single" ||
		it.Group != "" || it.Remote != nil {
		t.Errorf("%+v", it)
	}
	if !slices.Equal(it.SavedOptions, s.RespawnFlags) || !slices.Equal(it.Hazards, []string{HazardSelfWake, HazardNoChecks,
		"queued-prompt"}) {
		t.Errorf("options %v, hazards %v", it.SavedOptions, it.Hazards)
	}
	if it.LastEntryAt == nil || !it.LastEntryAt.Equal(s.LastEntry) || it.ExpiresAt == nil ||
		!it.ExpiresAt.Equal(s.LastEntry.Add(30*24*time.Hour)) {
		t.Errorf("last %v, expires %v", it.LastEntryAt, it.ExpiresAt)
	}
	if info, err := os.Stat(s.Transcript); err != nil || it.Transcript == nil || it.Transcript.Path != s.Transcript ||
		it.Transcript.Bytes != info.Size() {
		t.Errorf("transcript %+v", it.Transcript)
	}
	if inv.Pages || !inv.Complete || !inv.AsOf.Equal(now) {
		t.Errorf("pages %v, complete %v, as of %v", inv.Pages, inv.Complete, inv.AsOf)
	}
}

func TestExpiresAt(t *testing.T) {
	for settings, c := range map[string]struct {
		days int
		soon bool
		warn bool
	}{
		``:                           {30, false, false},
		`{}`:                         {30, false, false},
		`{"cleanupPeriodDays":7}`:    {7, true, false},
		`{"cleanupPeriodDays":3650}`: {3650, false, false},
		`{"cleanupPeriodDays":"x"}`:  {30, false, true},
		`{"cleanup`:                  {30, false, true},
	} {
		a := newAccount(t)
		s := add(t, a, fixtures.Session{})
		path := filepath.Join(a.Claude, "settings.json")
		if settings == "" {
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
		} else if err := os.WriteFile(path, []byte(settings), 0o600); err != nil {
			t.Fatal(err)
		}
		inv := Build(world(t, a, machine()), nil)
		it := inv.Find(s.Short)
		if !it.ExpiresAt.Equal(s.LastEntry.Add(time.Duration(c.days) * 24 * time.Hour)) {
			t.Errorf("%s: expires %v", settings, it.ExpiresAt)
		}
		if slices.Contains(it.Hazards, "expires-soon") != c.soon || (len(inv.Warnings) > 0) != c.warn {
			t.Errorf("%s: hazards %v, warnings %v", settings, it.Hazards, inv.Warnings)
		}
	}
}

func TestWithoutPages(t *testing.T) {
	a := newAccount(t)
	young := add(t, a, fixtures.Session{Name: "young", LastEntry: last.Add(time.Hour)})
	old := add(t, a, fixtures.Session{Name: "old", LastEntry: last.Add(-time.Hour)})
	middle := add(t, a, fixtures.Session{Name: "middle", Plain: true})
	none := add(t, a, fixtures.Session{Name: "none", NoTranscript: true})
	live := add(t, a, fixtures.Session{Name: "live"})
	add(t, a, fixtures.Session{Name: "leftover", NoState: true})
	add(t, a, fixtures.Session{Name: "archived", Extra: map[string]string{"archived": "true"}})
	w := world(t, a, liveAs(t, a, live))
	inv := Build(w, nil)
	balanced(t, inv)
	if want := []string{young.Short, middle.Short, old.Short, none.Short}; !slices.Equal(shorts(inv), want) {
		t.Errorf("newest first: %v, want %v", shorts(inv), want)
	}
	if inv.Found != 7 || leftOut(inv, "live") != 1 || leftOut(inv, "archived") != 1 || leftOut(inv, "no state.json") != 1 {
		t.Errorf("found %d, left out %v", inv.Found, inv.LeftOut)
	}
}

func TestOrderWithPages(t *testing.T) {
	a := newAccount(t)
	one := add(t, a, fixtures.Session{Name: "one", NoTranscript: true, RemoteUpdatedAt: last.Add(5 * time.Hour)})
	two := add(t, a, fixtures.Session{Name: "two"})
	three := add(t, a, fixtures.Session{Name: "three", LastEntry: last.Add(6 * time.Hour)})
	inv := Build(world(t, a, machine()), pagesOf(t, savePage(t, a, fixtures.PageOptions{})))
	if want := []string{three.Short, one.Short, two.Short}; !slices.Equal(shorts(inv), want) {
		t.Errorf("got %v, want %v", shorts(inv), want)
	}
}

func TestNoJobs(t *testing.T) {
	a := newAccount(t)
	inv := Build(world(t, a, machine()), nil)
	balanced(t, inv)
	if inv.Found != 0 || inv.Items == nil || !inv.Complete {
		t.Errorf("%+v", inv)
	}
}
