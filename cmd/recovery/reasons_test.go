package main

import (
	"cmp"
	"encoding/json"
	"go/ast"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"recovery/fixtures"
	"recovery/internal/journal"
	"recovery/queuecheck"
	"recovery/standing"
)

// madeCodes are the codes that the queue check can make, by the code itself: a call's first argument, or the first
// field of a Reason, however it is put. A form that this does not understand fails the test, so that no code hides
// behind a variable.
func madeCodes(t *testing.T) []string {
	t.Helper()
	hazards := constants(t, "inventory")
	var out []string
	add := func(codes ...string) {
		for _, c := range codes {
			if c != "" && !slices.Contains(out, c) {
				out = append(out, c)
			}
		}
	}
	files := append(parsed(t, "queuecheck"), parsed(t, "cmd/recovery")...)
	for _, f := range files {
		own := f.Name.Name == "queuecheck"
		for _, d := range f.Decls {
			ast.Inspect(d, func(n ast.Node) bool {
				first := codeOf(n, own)
				switch e := first.(type) {
				case nil:
				case *ast.BasicLit:
					s, _ := literal(e)
					add(s)
				case *ast.SelectorExpr: // a constant of the inventory's, or the code of a hazard
					if e.Sel.Name == "Code" {
						add(ofName(t, "inventory", "Hazard")...)
					} else if c, ok := hazards[e.Sel.Name]; ok {
						add(c.value)
					} else {
						t.Errorf("a reason whose code cannot be told: %s", e.Sel.Name)
					}
				case *ast.Ident:
					if fun, ok := d.(*ast.FuncDecl); ok && slices.Contains(makers, fun.Name.Name) {
						return true // it passes on what it is given
					}
					add(assigned(files, e.Name)...)
				default:
					t.Errorf("a reason whose code cannot be told: %T", first)
				}
				return true
			})
		}
	}
	slices.Sort(out)
	return out
}

// makers are the functions of the queue check that make a reason of a code.
var makers = []string{"block", "atBest", "eventsDoubt"}

// codeOf is the code in a node that makes a reason; nil for every other node. own says that the node stands in
// queuecheck.
func codeOf(n ast.Node, own bool) ast.Expr {
	switch n := n.(type) {
	case *ast.CallExpr:
		f, ok := n.Fun.(*ast.SelectorExpr)
		if own && ok && slices.Contains(makers, f.Sel.Name) {
			return n.Args[0]
		}
	case *ast.CompositeLit:
		typ, plain := n.Type.(*ast.Ident)
		other, far := n.Type.(*ast.SelectorExpr)
		list, many := n.Type.(*ast.ArrayType)
		if many {
			other, far = list.Elt.(*ast.SelectorExpr)
		}
		if !(own && plain && typ.Name == "Reason" || far && other.Sel.Name == "Reason") || len(n.Elts) == 0 {
			return nil
		}
		first := n.Elts[0]
		if in, ok := first.(*ast.CompositeLit); ok && len(in.Elts) > 0 {
			first = in.Elts[0]
		}
		if kv, ok := first.(*ast.KeyValueExpr); ok {
			return kv.Value
		}
		return first
	}
	return nil
}

// assigned are the texts that a variable of a name is given, and those that a function returns under it.
func assigned(files []*ast.File, name string) []string {
	var out []string
	for _, f := range files {
		if f.Name.Name != "queuecheck" {
			continue
		}
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.AssignStmt:
				for i, left := range n.Lhs {
					if id, ok := left.(*ast.Ident); ok && id.Name == name && i < len(n.Rhs) {
						if s, ok := literal(n.Rhs[i]); ok {
							out = append(out, s)
						}
					}
				}
			case *ast.FuncDecl:
				if r := n.Type.Results; r != nil && len(r.List[0].Names) > 0 && r.List[0].Names[0].Name == name {
					ast.Inspect(n.Body, func(n ast.Node) bool {
						if ret, ok := n.(*ast.ReturnStmt); ok && len(ret.Results) > 0 {
							if s, ok := literal(ret.Results[0]); ok {
								out = append(out, s)
							}
						}
						return true
					})
				}
			}
			return true
		})
	}
	return out
}

// situation is one session in a state that gives it a reason.
type situation struct {
	bench *bench
	short string
}

// fixture takes one of the fixtures' situations.
func fixture(name string) func(*testing.T) situation {
	return func(t *testing.T) situation {
		s, ok := fixtures.Find(name)
		if !ok {
			t.Fatalf("no situation %s", name)
		}
		sub, err := s.Build(t.TempDir(), now())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(sub.Account.Close)
		b := newBench(t, sub.Account)
		b.run(append([]string{"inventory"}, sub.Pages...)...)
		for _, f := range sub.Events {
			b.run("queue-check", "--events", sub.Session.Short+"="+f)
		}
		return situation{b, sub.Session.Short}
	}
}

// made makes a session and does something with it; then is run behind the inventory.
func made(s fixtures.Session, then ...func(*bench, fixtures.Added)) func(*testing.T) situation {
	return func(t *testing.T) situation {
		b := newBench(t, testAccount(t))
		added := b.add(s)
		b.inventory()
		for _, act := range then {
			act(b, added)
		}
		return situation{b, added.Short}
	}
}

// gap is a time of the page's that nothing explains.
func gap() time.Time { return now().Add(-10*time.Hour + 8*time.Hour + 20*time.Minute) }

// rewritten changes a transcript as a whole.
func rewritten(change func([]byte) []byte) func(*bench, fixtures.Added) {
	return func(b *bench, s fixtures.Added) {
		b.t.Helper()
		data, err := os.ReadFile(s.Transcript)
		if err == nil {
			err = os.WriteFile(s.Transcript, change(data), 0o600)
		}
		if err == nil {
			err = os.Chtimes(s.Transcript, s.LastEntry, s.LastEntry)
		}
		if err != nil {
			b.t.Fatal(err)
		}
	}
}

// lines changes the lines of a transcript, each parsed.
func lines(change func(i int, l map[string]any) []map[string]any) func(*bench, fixtures.Added) {
	return rewritten(func(data []byte) []byte {
		var out []byte
		for i, raw := range strings.Split(strings.TrimSpace(string(data)), "\n") {
			var l map[string]any
			if err := json.Unmarshal([]byte(raw), &l); err != nil {
				panic(err)
			}
			for _, l := range change(i, l) {
				line, err := json.Marshal(l)
				if err != nil {
					panic(err)
				}
				out = append(append(out, line...), '\n')
			}
		}
		return out
	})
}

// eventsWith saves a page of a session's events with other rows, and gives it to the queue check.
func eventsWith(change func(rows []any) []any) func(*bench, fixtures.Added) {
	return func(b *bench, s fixtures.Added) {
		b.t.Helper()
		path, err := b.a.SaveEvents(s.Short, "events.json", fixtures.EventOptions{})
		if err != nil {
			b.t.Fatal(err)
		}
		data, err := os.ReadFile(path)
		var page struct {
			CCR map[string]any `json:"ccr"`
		}
		if err == nil {
			err = json.Unmarshal(data, &page)
		}
		page.CCR["data"] = change(page.CCR["data"].([]any))
		if err == nil {
			data, err = json.Marshal(page)
		}
		if err == nil {
			err = os.WriteFile(path, data, 0o600)
		}
		if err != nil {
			b.t.Fatal(err)
		}
		b.run("queue-check", "--events", s.Short+"="+path)
	}
}

// reviewedAndGone wakes the session; it answers and goes offline.
func reviewedAndGone(b *bench, s fixtures.Added) {
	b.script(s.Short, fixtures.Script{KeepRunning: fixtures.Bool(false)})
	b.run("resume", "--spacing", "0", "--wait", "60", s.Short)
	b.inventory()
}

func appended(t journal.Type, data any) func(*bench, fixtures.Added) {
	return func(b *bench, s fixtures.Added) {
		b.t.Helper()
		if err := journal.At(b.work(""), now).Append(t, s.Short, data); err != nil {
			b.t.Fatal(err)
		}
	}
}

func removed(path func(fixtures.Added) string) func(*bench, fixtures.Added) {
	return func(b *bench, s fixtures.Added) {
		if err := os.RemoveAll(path(s)); err != nil {
			b.t.Fatal(err)
		}
	}
}

func written(path func(*bench, fixtures.Added) string, data string) func(*bench, fixtures.Added) {
	return func(b *bench, s fixtures.Added) {
		b.t.Helper()
		at := path(b, s)
		err := os.MkdirAll(filepath.Dir(at), 0o755)
		if err == nil {
			err = os.WriteFile(at, []byte(data), 0o600)
		}
		if err != nil {
			b.t.Fatal(err)
		}
	}
}

// Pieces of a few situations.
var (
	daily    = fixtures.Tool{Name: "CronCreate", Input: map[string]any{"cron": "0 9 * * *", "prompt": "look again"}}
	longTurn = fixtures.Says("c", "d", slices.Repeat([]fixtures.Tool{fixtures.Bash("make", "ok")}, 30)...) // two minutes
	pending  = fixtures.Tool{Name: "Bash", Input: map[string]any{"command": "make"}, Pending: true}
)

// reasonSituations has a situation for every reason of the queue check.
var reasonSituations = map[string]func(*testing.T) situation{
	"live":              fixture("live-but-disconnected"),
	"liveness-unknown":  fixture("other-pid-domain"),
	"connected":         fixture("connected"),
	"archived":          fixture("archived"),
	"finished":          fixture("wrap-done"),
	"job-unreadable":    fixture("bad-state"),
	"exec-job":          fixture("exec-job"),
	"queued-prompt":     fixture("queued-prompt"),
	"in-flight-queue":   fixture("queued-in-flight"),
	"queued-remotely":   fixture("events-queued"),
	"no-transcript":     fixture("no-transcript"),
	"turn-empty":        fixture("empty-transcript"),
	"turn-unknown":      fixture("not-json-at-all"),
	"continued-in":      fixture("continued-elsewhere"),
	"folder-gone":       fixture("folder-gone"),
	"untrusted":         fixture("untrusted"),
	"folder-unreadable": made(fixtures.Session{Extra: map[string]string{"cwd": `"not/absolute"`}}),
	"own-session": made(fixtures.Session{}, func(b *bench, s fixtures.Added) {
		b.sys.environ = append(b.sys.environ, "CLAUDE_CODE_SESSION_ID="+s.SessionID)
	}),
	"job-gone": made(fixtures.Session{}, removed(func(s fixtures.Added) string { return filepath.Dir(s.StatePath) })),
	"transcript-problem": made(fixtures.Session{NoLinkScanPath: true}, func(b *bench, s fixtures.Added) {
		twin := filepath.Join(b.a.Claude, "projects", "-elsewhere", filepath.Base(s.Transcript))
		data, err := os.ReadFile(s.Transcript)
		if err != nil {
			b.t.Fatal(err)
		}
		written(func(*bench, fixtures.Added) string { return twin }, string(data))(b, s)
	}),
	"transcript-unreadable": made(fixtures.Session{}, removed(func(s fixtures.Added) string { return s.Transcript }),
		func(b *bench, s fixtures.Added) {
			if err := os.Mkdir(s.Transcript, 0o700); err != nil {
				b.t.Fatal(err)
			}
		}),
	"events-unreadable": made(fixtures.Session{}, written(func(b *bench, s fixtures.Added) string {
		return b.work("events/" + s.Short + ".json")
	}, `{"Items":`)),
	"defect-open": made(fixtures.Session{}, func(b *bench, s fixtures.Added) { b.defectsOf(s) }),
	"reviewed":    made(fixtures.Session{}, reviewedAndGone),
	"not-settled": made(fixtures.Session{}, appended(journal.Intended,
		journal.Intent{PromptID: "00000000-0000-4000-8000-0000000000aa", Kind: journal.KindReview, Prompt: "x",
			Expected: "x"})),
	"own-prompt-saved": made(fixtures.Session{}, func(b *bench, s fixtures.Added) {
		b.script(s.Short, fixtures.Script{Outcome: fixtures.OutcomeUntrusted})
		b.run("resume", "--spacing", "0", "--wait", "0", s.Short)
	}),

	"typed-not-answered":      fixture("enqueued"),
	"casualty":                fixture("mid-call"),
	"self-wake":               fixture("self-wake"),
	"routine":                 fixture("routine"),
	"background-tasks":        fixture("tasks-in-flight"),
	"skips-permission-checks": fixture("skips-permissions"),
	"no-remote-time":          fixture("no-remote-time"),
	"evidence-old":            fixture("old-page"),
	"stale-stamp":             fixture("stale-stamp"),
	"gap":                     fixture("unexplained-gap"),
	"events-incomplete":       fixture("events-too-short"),
	"session-cron": made(fixtures.Session{Turns: []fixtures.Turn{
		fixtures.Says("Each morning.", "Yes.", daily), fixtures.Says("Thanks.", "Welcome."),
	}}),
	"bad-lines": made(fixtures.Session{Turns: []fixtures.Turn{
		fixtures.Says("a", "b"), fixtures.Raw([]byte("{\"type\":\"user\",\"mess\n")), fixtures.Says("c", "d"),
	}}),
	"babysitter-run": made(fixtures.Session{}, written(func(b *bench, s fixtures.Added) string {
		return filepath.Join(s.Cwd, ".a5c", "state", s.SessionID+".md")
	}, "---\nactive: true\n---\n")),
	"background": made(fixtures.Session{Extra: map[string]string{"pendingBackgroundAgentCount": "2"}}),
	"repeated-lines": made(fixtures.Session{Turns: []fixtures.Turn{fixtures.Says("a", "b"), fixtures.Says("c", "d")}},
		repeatsItsEnd),
	"open-branch": made(fixtures.Session{Turns: []fixtures.Turn{
		fixtures.Says("a", "b"), fixtures.Unfinished("Build it.", pending), fixtures.Says("c", "d"),
	}}, branchesOff),
	"ends-early": made(fixtures.Session{LastEntry: now().Add(-20 * time.Hour), CreatedAt: now().Add(-30 * time.Hour),
		RemoteUpdatedAt: now().Add(-2 * time.Hour), Log: fixtures.Retired("settled", "8h", now().Add(-2*time.Hour))}),
	"shared-thread": made(fixtures.Session{Name: "one", Bridge: "01SAME"}, func(b *bench, s fixtures.Added) {
		b.add(fixtures.Session{Name: "two", Bridge: "01SAME", NoRemote: true})
	}),
	"thread-awake": made(fixtures.Session{Name: "one", Bridge: "01SAME"}, func(b *bench, s fixtures.Added) {
		b.add(fixtures.Session{Name: "two", Bridge: "01SAME", Live: true})
	}),
	"no-local-time": made(fixtures.Session{}, lines(func(_ int, l map[string]any) []map[string]any {
		delete(l, "timestamp")
		return []map[string]any{l}
	})),
	"events-unclear": made(fixtures.Session{RemoteUpdatedAt: gap()},
		eventsWith(func(rows []any) []any { return append(rows, 42) })),
	"events-too-early": made(fixtures.Session{RemoteUpdatedAt: gap(), Turns: []fixtures.Turn{fixtures.Says("a", "b"),
		longTurn}},
		eventsWith(func(rows []any) []any { return rows[:3] })), // up to the last question
	"confirmation-ended": made(fixtures.Session{RemoteUpdatedAt: gap()}, appended(journal.Confirmed,
		journal.ConfirmData{User: "tester", Fingerprint: "of another time", Reasons: []string{"gap"}})),

	"confirmed": made(fixtures.Session{RemoteUpdatedAt: gap()}, func(b *bench, s fixtures.Added) {
		b.must(exitOK, "queue-check", "--confirm", s.Short)
	}),
	"events":           fixture("events-clean"),
	"retirement-stamp": fixture("retired"),
	"live-then":        fixture("stopped"),
}

// repeatsItsEnd writes the transcript's second line in the role of a user or the model once more at its end.
func repeatsItsEnd(b *bench, s fixtures.Added) {
	var early map[string]any
	lines(func(_ int, l map[string]any) []map[string]any {
		if early == nil && l["type"] == "assistant" {
			early = l
		}
		return []map[string]any{l}
	})(b, s)
	f, err := os.OpenFile(s.Transcript, os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		b.t.Fatal(err)
	}
	defer f.Close()
	line, _ := json.Marshal(early)
	if _, err := f.Write(append(line, '\n')); err != nil {
		b.t.Fatal(err)
	}
	if err := os.Chtimes(s.Transcript, s.LastEntry, s.LastEntry); err != nil {
		b.t.Fatal(err)
	}
}

// branchesOff lets the third question go on from the first reply: the call of the second stands on a branch of its
// own.
func branchesOff(b *bench, s fixtures.Added) {
	var first any
	lines(func(_ int, l map[string]any) []map[string]any {
		message, _ := l["message"].(map[string]any)
		if l["type"] == "assistant" && first == nil {
			first = l["uuid"]
		}
		if l["type"] == "user" && message["content"] == "c" {
			l["parentUuid"] = first
		}
		return []map[string]any{l}
	})(b, s)
}

// TestEveryReasonHasASituation holds every reason of the queue check to what is shown of it: queue-check names it,
// resume obeys the same, and the way out is of use. A code that is new and has no situation here fails.
func TestEveryReasonHasASituation(t *testing.T) {
	codes := madeCodes(t)
	for code := range reasonSituations {
		if !slices.Contains(codes, code) {
			t.Errorf("no code of the queue check: %s", code)
		}
	}
	for _, code := range codes {
		make := reasonSituations[code]
		if make == nil {
			t.Errorf("%s has no situation: add one to reasonSituations", code)
			continue
		}
		t.Run(code, func(t *testing.T) {
			oneThread(t)
			t.Parallel()
			s := make(t)
			s.holds(t, code)
		})
	}
}

// reasonItem is a row of queue-check, or of resume, as far as a reason goes.
type reasonItem struct {
	Short, Verdict, Outcome, Reason, Next string
	Reasons                               []queuecheck.Reason
	Step                                  standing.Next `json:"next_step"`
}

func (b *bench) item(short string, args ...string) reasonItem {
	b.t.Helper()
	_, out, errs := b.run(append([]string{"--json"}, args...)...)
	var v struct{ Items []reasonItem }
	if err := json.Unmarshal([]byte(out), &v); err != nil {
		b.t.Fatalf("%v: %v\n%s%s", args, err, out, errs)
	}
	for _, it := range v.Items {
		if it.Short == short {
			return it
		}
	}
	b.t.Fatalf("%v: no item of %s\n%s%s", args, short, out, errs)
	return reasonItem{}
}

func (s situation) holds(t *testing.T, code string) {
	b := s.bench
	checking, dry := []string{"queue-check", s.short}, []string{"resume", "--dry-run", s.short}
	if code == "job-gone" { // nobody can name it any more
		checking, dry = []string{"queue-check"}, []string{"resume", "--all", "--dry-run"}
	}
	check := b.item(s.short, checking...)
	at := slices.IndexFunc(check.Reasons, func(r queuecheck.Reason) bool { return r.Code == code })
	if at < 0 {
		t.Fatalf("queue-check does not name it: %s %+v", check.Verdict, check.Reasons)
	}
	calls := len(b.wakes())
	got := b.item(s.short, dry...)
	if len(b.wakes()) != calls {
		t.Error("a dry run called the client")
	}
	stops := check.Verdict == "check" || check.Verdict == "blocked"
	if planned := got.Outcome == "planned"; planned == stops && code != "own-prompt-saved" {
		t.Errorf("queue-check says %s, and a wake is %s", check.Verdict, got.Outcome)
	}
	if code != "job-gone" && code != "own-prompt-saved" && !strings.Contains(got.Reason, check.Reasons[at].Text) {
		t.Errorf("resume does not give the reason %q: %s", check.Reasons[at].Text, got.Reason)
	}
	if check.Next == "" || len(check.Step.Run) == 0 && check.Step.Do == "" {
		t.Errorf("nothing is next: %+v", check.Step)
	}
	s.confirmsOnlyWhatALookLifts(t, check, dry)
}

// confirmsOnlyWhatALookLifts holds the offer of a confirmation to what one does: it is offered where it lifts the
// verdict, and refused, without a record, where it does not.
func (s situation) confirmsOnlyWhatALookLifts(t *testing.T, check reasonItem, dry []string) {
	b := s.bench
	offered := slices.Contains(check.Step.Run, "--confirm")
	switch {
	case offered && check.Verdict != "check":
		t.Errorf("%s, and a confirmation is offered: %s", check.Verdict, check.Next)
	case offered:
		if after := b.item(s.short, check.Step.Run...); after.Verdict != "confirmed" {
			t.Errorf("the confirmation that was offered lifts nothing: %s %+v", after.Verdict, after.Reasons)
		}
		if got := b.item(s.short, dry...); got.Outcome != "planned" {
			t.Errorf("confirmed as offered, and a wake is %s: %s", got.Outcome, got.Reason)
		}
	case againLifts(check):
		if _, out, _ := b.run("queue-check", "--confirm", s.short); strings.Contains(out, "changed meanwhile") {
			t.Errorf("nothing changed meanwhile: %s", out)
		}
		if got := b.item(s.short, "resume", "--dry-run", "--again", s.short); got.Outcome != "planned" {
			t.Errorf("confirmed and named with --again, and a wake is %s: %s", got.Outcome, got.Reason)
		}
	case check.Verdict == "blocked" && slices.Equal(dry[:2], []string{"resume", "--dry-run"}):
		before := confirmations(t, b)
		if status, _, _ := b.run("queue-check", "--as-user", "--confirm", s.short); status != exitNeedsUser {
			t.Errorf("a confirmation of what is blocked ended with %d", status)
		}
		if confirmations(t, b) != before {
			t.Error("a confirmation of what is blocked is on record")
		}
	}
}

// againLifts says that nothing blocks a session but what --again lifts.
func againLifts(check reasonItem) bool {
	lifted := []string{"finished", "archived", "reviewed"}
	first := check.Reasons[0].Code
	return check.Verdict == "blocked" && slices.Contains(lifted, first)
}

func confirmations(t *testing.T, b *bench) int {
	t.Helper()
	events, err := journal.At(b.work(""), now).Read()
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, e := range events {
		if e.Type == journal.Confirmed {
			n++
		}
	}
	return n
}

// TestEveryReasonHasAWayOut: each code has a way out of its own in standing, and standing has none for a code that
// nobody says.
func TestEveryReasonHasAWayOut(t *testing.T) {
	s := standing.Subject{Short: "1a2b3c4d", Link: "https://claude.ai/code/session_01", Folder: "/home/u/a b"}
	unknown := standing.ForReason("no-such-code", s).String()
	codes := madeCodes(t)
	for _, code := range codes {
		n := standing.ForReason(code, s)
		if n.IsZero() || n.String() == unknown || n.Do == "" && len(n.Run) == 0 {
			t.Errorf("%s has no way out of its own: %s", code, cmp.Or(n.String(), "nothing"))
		}
		if slices.Contains(n.Run, "--confirm") && (n.Link == "" || !strings.HasPrefix(n.Do, "read its thread")) {
			t.Errorf("%s offers a confirmation without its condition: %s", code, n)
		}
	}
	for _, code := range handledCodes(t) {
		if !slices.Contains(codes, code) {
			t.Errorf("standing has a way out of %q, which the queue check never says", code)
		}
	}
}

// handledCodes are those that standing's ways out name: in a case, or as the key of a map.
func handledCodes(t *testing.T) []string {
	t.Helper()
	var out []string
	take := func(e ast.Expr) {
		if s, ok := literal(e); ok {
			out = append(out, s)
		}
	}
	found := 0
	for _, f := range parsed(t, "standing") {
		for _, d := range f.Decls {
			fun, ok := d.(*ast.FuncDecl)
			ways := ok && slices.Contains([]string{"ForReason", "forBlock", "forConversation"}, fun.Name.Name)
			if ways {
				found++
			}
			ast.Inspect(d, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.CaseClause:
					for _, e := range n.List {
						if ways {
							take(e)
						}
					}
				case *ast.ValueSpec:
					if n.Names[0].Name != "lookable" && n.Names[0].Name != "waitCodes" {
						return true
					}
					found++
					for _, e := range n.Values[0].(*ast.CompositeLit).Elts {
						take(e.(*ast.KeyValueExpr).Key)
					}
				}
				return true
			})
		}
	}
	if found != 5 {
		t.Fatalf("%d places with codes are found, not 5: name them here", found)
	}
	return out
}
