package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"recovery/fixtures"
	"recovery/internal/account"
)

// inflightNow is the clock of these tests; it is a little after the newest event of the stores.
var inflightNow = time.Date(2026, 11, 29, 18, 0, 0, 0, time.UTC)

// boundSession is the Claude session that one of the runs in testdata is bound to.
const boundSession = "11111111-2222-3333-4444-555555555555"

// inflightBench is an account at that time, without other systems.
func inflightBench(t *testing.T) *bench {
	t.Helper()
	a, err := fixtures.New(t.TempDir(), inflightNow)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(a.Close)
	b := newBench(t, a)
	b.sys.now = func() time.Time { return inflightNow }
	return b
}

// sourceStore copies the testdata of a source to where its system would keep it.
func sourceStore(t *testing.T, source, from, to string) {
	t.Helper()
	from = filepath.Join("../../internal/sources", source, "testdata", from)
	info, err := os.Stat(from)
	if err != nil {
		t.Fatal(err)
	}
	if info.IsDir() {
		err = os.CopyFS(to, os.DirFS(from))
	} else {
		var data []byte
		if data, err = os.ReadFile(from); err == nil {
			writeFile(t, to, string(data))
		}
	}
	if err != nil {
		t.Fatal(err)
	}
}

func writeFile(t *testing.T, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

// everySource gives an account work in every system; the agent's sessions are in the folder of a job.
func everySource(t *testing.T, b *bench) (bound, plain fixtures.Added) {
	t.Helper()
	sourceStore(t, "ouroboros", "mixed.db", filepath.Join(b.a.Home, ".ouroboros", "ouroboros.db"))
	sourceStore(t, "babysitter", "sdk-6.0.0/runs", filepath.Join(b.a.Home, ".a5c", "runs"))
	sourceStore(t, "babysitter", "sdk-6.0.0/state", filepath.Join(b.a.Home, ".a5c", "state"))
	bound = b.add(fixtures.Session{Name: "the bound one", Short: boundSession[:8], SessionID: boundSession})
	plain = b.add(fixtures.Session{Name: "a plain one", Plain: true, Cwd: "agents"})
	b.add(fixtures.Session{Name: "an archived one", Extra: map[string]string{"archived": "true"}})
	sourceStore(t, "agentsession", "ws", plain.Cwd)
	return bound, plain
}

func folderPrint(t *testing.T, dir string) string {
	t.Helper()
	print, err := fixtures.Fingerprint(dir)
	if err != nil {
		t.Fatal(err)
	}
	return print
}

// byID finds the row of a source.
func byID(t *testing.T, v map[string]any, source, id string) map[string]any {
	t.Helper()
	for _, it := range items(v) {
		if it["source"] == source && it["id"] == id {
			return it
		}
	}
	t.Fatalf("no row %s of %s", id, source)
	return nil
}

func countedOut(v map[string]any) map[string]float64 {
	out := map[string]float64{}
	for _, x := range list(v["left_out"]) {
		m := members(x)
		out[fmt.Sprint(m["source"], ": ", m["reason"])] = m["count"].(float64)
	}
	return out
}

// TestInflightTellsOfEverySource lists all systems at once, writes nothing, and tells the same work once.
func TestInflightTellsOfEverySource(t *testing.T) {
	t.Parallel()
	b := inflightBench(t)
	bound, plain := everySource(t, b)
	before := folderPrint(t, b.a.Root)
	v := b.object(exitNeedsUser, "inflight") // an agent's checkpoint is no JSON
	seen := map[string]int{}
	last := ""
	for i, it := range items(v) {
		seen[it["source"].(string)]++
		at := it["updated_at"].(string)
		if last != "" && at > last {
			t.Errorf("row %d is newer than the one before it", i+1)
		}
		last = at
		if int(it["number"].(float64)) != i+1 || !strings.Contains(it["next"].(string), " -> next: ") ||
			it["format_inferred"] != (it["source"] == "agentsession") {
			t.Errorf("%v", it)
		}
		if it["source"] == "claude" && it["short"] != plain.Short {
			t.Errorf("%v is listed on its own", it["title"])
		}
	}
	for _, name := range sourceNames() {
		if seen[name] == 0 {
			t.Errorf("nothing of %s: %v", name, seen)
		}
	}
	run := byID(t, v, "babysitter", "V6-bound")
	if c := members(run["claude"]); c["short"] != bound.Short || c["title"] != "the bound one" || c["live"] != "offline" ||
		run["verdict"] != "safe" {
		t.Errorf("%v %v", run["verdict"], run["claude"])
	}
	left := countedOut(v)
	sum := len(items(v))
	for _, n := range left {
		sum += int(n)
	}
	if left["claude: told on the row of the work that it does"] != 1 || left["claude: archived"] != 1 ||
		v["found"].(float64) != float64(sum) {
		t.Errorf("found %v: %v", v["found"], left)
	}
	own := byID(t, v, "claude", plain.SessionID)
	if first := members(list(own["commands"])[0]); own["verdict"] != "person" ||
		first["command"] != "recovery queue-check "+plain.Short {
		t.Errorf("%v", own)
	}
	out := b.must(exitNeedsUser, "inflight")
	for _, line := range splitLines(out)[:len(items(v))] {
		if cells := strings.Split(line, "\t"); len(cells) != 12 {
			t.Errorf("%d cells: %s", len(cells), line)
		}
	}
	all := b.object(exitNeedsUser, "inflight", "--all")
	if !slices.ContainsFunc(items(all), func(it map[string]any) bool {
		return it["source"] == "claude" &&
			it["verdict"] == "done"
	}) || len(items(all)) <= len(items(v)) {
		t.Error("--all lists no finished work")
	}
	b.must(exitOK, "inflight", "--pick", "1", "--all")
	if folderPrint(t, b.a.Root) != before {
		t.Error("something was written")
	}
}

// TestInflightDoesNotStartLiveWorkTwice: a run whose Claude session lives is not safe to start a second time.
func TestInflightDoesNotStartLiveWorkTwice(t *testing.T) {
	t.Parallel()
	for _, live := range []account.LiveState{account.Live, account.Unknown} {
		b := inflightBench(t)
		everySource(t, b)
		agent := "3f0c5f1e-0000-4000-8000-000000000002" // of a terminal: none of the account's jobs
		b.sys.processes = func() account.Processes {
			p := account.ReadProcesses()
			for pid, id := range map[int]string{9_999_991: boundSession, 9_999_992: agent} {
				p.ByPID[pid] = account.Process{PID: pid, Start: "1", Args: []string{"/opt/claude/versions/2.1.332", "--resume", id}}
			}
			if live == account.Unknown {
				p = account.Processes{Problem: "no table"}
			}
			return p
		}
		v := b.object(exitNeedsUser, "inflight")
		want := map[account.LiveState]string{account.Live: "live", account.Unknown: "person"}[live]
		for source, id := range map[string]string{"babysitter": "V6-bound", "agentsession": agent} {
			it := byID(t, v, source, id)
			if it["verdict"] != want || members(it["claude"])["live"] != string(live) || !strings.Contains(it["reason"].(string),
				"second time") {
				t.Errorf("%s: %v, %v: %v", source, it["verdict"], it["claude"], it["reason"])
			}
			if !slices.ContainsFunc(list(it["commands"]),
				func(c any) bool { return strings.HasPrefix(members(c)["effect"].(string), "NOT NOW") }) {
				t.Errorf("%s: %v", source, it["commands"])
			}
		}
		if c := members(byID(t, v, "agentsession", agent)["claude"]); c["short"] != nil || c["title"] != "" {
			t.Errorf("%v", c)
		}
	}
}

func TestInflightPick(t *testing.T) {
	t.Parallel()
	b := inflightBench(t)
	everySource(t, b)
	v := b.object(exitNeedsUser, "inflight")
	n := len(items(v))
	for _, bad := range []string{"0", "-1", fmt.Sprint(n + 1), "x", "1.5", "", "99999999999999999999"} {
		status, _, errs := b.run("inflight", "--pick="+bad)
		if status != exitFailed || !strings.Contains(errs, fmt.Sprintf("from 1 to %d", n)) {
			t.Errorf("--pick %q ended with %d: %s", bad, status, errs)
		}
	}
	seen := map[string]bool{}
	for i, it := range items(v) {
		kind := fmt.Sprint(it["source"], it["verdict"])
		if seen[kind] {
			continue
		}
		seen[kind] = true
		want := exitOK
		if it["verdict"] == "unreadable" {
			want = exitNeedsUser
		}
		pick := fmt.Sprint(i + 1)
		box := splitLines(b.must(want, "inflight", "--pick", pick))
		if box[0] != "Re-attach" || box[len(box)-1] != it["next"] || !strings.Contains(strings.Join(box, "\n"),
			it["id"].(string)) {
			t.Errorf("%d: %s", i+1, strings.Join(box, "\n"))
		}
		for _, c := range list(it["commands"]) {
			if !slices.Contains(box, "    "+members(c)["command"].(string)) {
				t.Errorf("%d: the box lacks %v", i+1, members(c)["command"])
			}
		}
		one := b.object(want, "inflight", "--pick", pick)
		if got := items(one); len(got) != 1 || got[0]["id"] != it["id"] || got[0]["number"] != it["number"] {
			t.Errorf("%d: %v", i+1, got)
		}
	}
	status, _, errs := inflightBench(t).run("inflight", "--pick", "1")
	if status != exitFailed || !strings.Contains(errs, "nothing is listed") {
		t.Errorf("%d %s", status, errs)
	}
}

func TestInflightSourcesAndRoots(t *testing.T) {
	t.Parallel()
	b := inflightBench(t)
	everySource(t, b)
	for _, name := range sourceNames() {
		v := b.object(map[string]int{"agentsession": exitNeedsUser}[name], "inflight", "--source", name)
		for _, it := range items(v) {
			if it["source"] != name {
				t.Errorf("%s: %v", name, it["source"])
			}
		}
		if len(items(v)) == 0 {
			t.Errorf("%s: nothing", name)
		}
	}
	if v := b.object(exitOK, "inflight", "--source", "claude", "--source", "ouroboros", "--source", "claude"); len(items(v)) < 3 {
		t.Errorf("%v", items(v))
	}
	for _, args := range [][]string{{"--source", "jira"}, {"--source", ""}, {"--source", "claude,ouroboros"}} {
		status, _, errs := b.run(append([]string{"inflight"}, args...)...)
		if status != exitUsage || !strings.Contains(errs, strings.Join(sourceNames(), ", ")) {
			t.Errorf("%v ended with %d: %s", args, status, errs)
		}
	}
	elsewhere := t.TempDir()
	sourceStore(t, "babysitter", "sdk-0.0.187/runs/waiting-breakpoint", filepath.Join(elsewhere, "p", ".a5c", "runs",
		"waiting-breakpoint"))
	b.sys.cwd = elsewhere
	for _, root := range []string{"p", filepath.Join(elsewhere, "p"), "../" + filepath.Base(elsewhere) + "/p"} {
		v := b.object(exitOK, "inflight", "--source", "babysitter", "--root", root)
		if n := slices.IndexFunc(items(v), func(it map[string]any) bool {
			return strings.HasPrefix(it["store"].(string), filepath.Join(elsewhere, "p"))
		}); n < 0 {
			t.Errorf("--root %s finds nothing", root)
		}
	}
	db := filepath.Join(elsewhere, "other.db")
	sourceStore(t, "ouroboros", "running.db", db)
	if v := b.object(exitNeedsUser, "inflight", "--root", db); len(list(v["problems"])) != 0 {
		t.Errorf("a file is no folder of runs: %v", v["problems"])
	}
	for _, root := range []string{"nowhere", "", filepath.Join(db, "x")} {
		status, _, errs := b.run("inflight", "--root", root)
		if status != exitUsage || !strings.Contains(errs, root) {
			t.Errorf("--root %q ended with %d: %s", root, status, errs)
		}
	}
	if status, _, _ := b.run("inflight", "x"); status != exitUsage {
		t.Errorf("an argument ended with %d", status)
	}
}
