package report

import (
	"fmt"
	"sort"
	"strings"
	"time"

	"recovery/internal/audit"
	"recovery/internal/journal"
	"recovery/inventory"
	"recovery/review"
	"recovery/wrap"
)

// Version is that of the report's JSON: a reader takes its own version and refuses a newer one.
const Version = 1

// Report is what the user reads. Every session of the inventory stands in exactly one of the lists; what they lead with, what
// expires soon and what was typed names sessions that stand in a list as well.
type Report struct {
	Version int       `json:"version"`
	AsOf    time.Time `json:"as_of"`
	// Places are the accounts that it tells of: one, or those of the reports that were merged.
	Places []Place `json:"places"`
	// Parts are the accounts' own reports that it is made of.
	Parts []Part `json:"parts"`
	// First is what matters most: defects, money at risk, a person never answered, what would act twice.
	First   []Point  `json:"first"`
	Defects []Defect `json:"defects"`
	// ArchiveNow are real wraps; Finished are reviews that say DONE and still want their wrap.
	ArchiveNow []Entry `json:"archive_now"`
	Owners     []Entry `json:"owners"`
	Finished   []Entry `json:"finished"`
	// Typed are sessions in which somebody typed something that was never answered, with the texts.
	Typed      []Entry `json:"typed_not_answered"`
	Held       []Entry `json:"held"`
	Duplicates []Entry `json:"duplicates"`
	// Captures are the files that several wraps propose a change for.
	Captures  []Capture   `json:"captures"`
	Unclear   []Entry     `json:"unclear"`
	NotWoken  []Entry     `json:"not_woken"`
	Live      []Entry     `json:"live"`
	Unmatched []Unmatched `json:"unmatched"`
	// Groups are proposals over the accounts of a merged report, in addition to what each account's own say.
	Groups   []Group `json:"groups"`
	Expiring []Point `json:"expiring"`
	// Elsewhere is unfinished work of other systems.
	Elsewhere []Elsewhere `json:"elsewhere"`
	Found     int         `json:"found"`
	LeftOut   []LeftOut   `json:"left_out"`
	Counts    []ListCount `json:"counts"`
	Complete  bool        `json:"complete"`
	// Agents are the acts that only the user may say and that an agent typed.
	Agents   []string `json:"typed_by_agent"`
	Warnings []string `json:"warnings"`
	// Rows are what grouping over accounts needs of each session.
	Rows []inventory.Row `json:"rows"`
}

// Defect is an open defect with its place.
type Defect struct {
	Place
	journal.OpenDefect
}

// Unmatched is a session of the pages without a job, with its place.
type Unmatched struct {
	Place
	inventory.NoJob
}

// LeftOut is what an account's inventory found and did not list.
type LeftOut struct {
	Place
	inventory.LeftOut
}

// ListCount says how many sessions stand in a list.
type ListCount struct {
	List  string `json:"list"`
	Count int    `json:"count"`
}

// Input is what a report is made of.
type Input struct {
	Place     Place
	Inventory *inventory.Inventory
	State     *journal.State
	// Review gives a session's review, and whether there is one.
	Review func(short string) (review.Review, bool)
	// Unrecorded gives the defects of a session's review that the journal does not hold; nil when nobody looks.
	Unrecorded func(short string, rev *review.Review) []journal.DefectData
	Look       *Look
	// World and Facts are the account as it is now; both may be missing.
	World *inventory.World
	Facts map[string]inventory.Facts
	// Elsewhere is unfinished work of other systems; its place is filled in.
	Elsewhere []Elsewhere
	// Warnings are what was not seen while the input was made.
	Warnings []string
	// Messages makes the texts of one kind (prep, wrap, review-wrap) that may be sent to sessions, by short; nil when nobody does.
	Messages func(kind string, shorts []string) map[string]Message
	// Folder says the git state of a folder in words; nil when nobody looks.
	Folder func(dir string) string
	Now    time.Time
}

// Build makes the report.
func Build(in Input) Report {
	r := empty(in.Now)
	r.Places = []Place{in.Place}
	r.Found, r.Complete = in.Inventory.Found, in.Inventory.Complete
	r.Parts = []Part{{in.Place, in.Now, r.Found, r.Complete}}
	r.Agents = append(r.Agents, in.State.Agents...)
	r.Warnings = append(r.Warnings, in.Warnings...)
	for _, d := range in.State.Defects {
		r.Defects = append(r.Defects, Defect{in.Place, d})
	}
	if taken := in.Inventory.TakenAt; !taken.IsZero() && in.Now.Sub(taken) > oldInventory {
		r.Warnings = append(r.Warnings, "the inventory is of "+stamp(taken)+": what went offline since is not in here; make it anew with `recovery inventory`")
	}
	if n := in.State.Unknown; n > 0 {
		r.Warnings = append(r.Warnings, fmt.Sprintf("%d events in the journal were written by a newer recovery and are not understood here: use that one", n))
	}
	for _, u := range in.Inventory.Unmatched {
		r.Unmatched = append(r.Unmatched, Unmatched{in.Place, u})
	}
	for _, l := range in.Inventory.LeftOut {
		r.LeftOut = append(r.LeftOut, LeftOut{in.Place, l})
	}
	for _, e := range in.Elsewhere {
		e.Place = in.Place
		r.Elsewhere = append(r.Elsewhere, e)
	}
	b := builder{Input: in, report: &r, listed: map[string]bool{}, folders: map[string]string{}}
	for i := range in.Inventory.Items {
		it := &in.Inventory.Items[i]
		if b.archivedSince(it.Short) {
			continue
		}
		b.add(Entry{Short: it.Short, SessionID: it.SessionID, Link: it.Link, Title: it.Title, Cwd: it.Cwd, ExpiresAt: it.ExpiresAt}, it)
	}
	if b.archived > 0 {
		r.LeftOut = append(r.LeftOut, LeftOut{in.Place, inventory.LeftOut{Reason: "archived since the inventory", Count: b.archived}})
	}
	b.others()
	b.live()
	r.Captures = captures(b.wraps)
	b.messages()
	if in.World != nil {
		r.Rows = inventory.Rows(in.World, b.facts())
		for i := range r.Rows {
			r.Rows[i].Account, r.Rows[i].Host = in.Place.Account, in.Place.Host
		}
	}
	r.finish()
	return r
}

func empty(now time.Time) Report {
	return Report{Version: Version, AsOf: now, Places: []Place{}, Parts: []Part{}, First: []Point{}, Defects: []Defect{}, ArchiveNow: []Entry{}, Owners: []Entry{}, Finished: []Entry{},
		Typed: []Entry{}, Held: []Entry{}, Duplicates: []Entry{}, Captures: []Capture{}, Unclear: []Entry{}, NotWoken: []Entry{}, Live: []Entry{},
		Unmatched: []Unmatched{}, Groups: []Group{}, Expiring: []Point{}, Elsewhere: []Elsewhere{}, LeftOut: []LeftOut{}, Agents: []string{}, Warnings: []string{}, Rows: []inventory.Row{}}
}

// lists are the lists in which a session can stand, in the order in which they are shown.
func (r *Report) lists() []List {
	return []List{
		{"archive_now", "Archive now", &r.ArchiveNow}, {"owners", "Owners that wait for one go", &r.Owners},
		{"finished", "Finished by their review, real wrap owed", &r.Finished}, {"held", "Held", &r.Held}, {"duplicates", "Duplicates", &r.Duplicates},
		{"unclear", "Unclear or unanswered", &r.Unclear}, {"not_woken", "Not woken", &r.NotWoken}, {"live", "Live", &r.Live},
	}
}

// List is one of a report's lists.
type List struct {
	Name, Title string
	Entries     *[]Entry
}

// finish sorts the lists and makes what is drawn from all of them.
func (r *Report) finish() {
	r.First, r.Expiring, r.Counts = []Point{}, []Point{}, []ListCount{}
	for _, l := range r.lists() {
		sort.SliceStable(*l.Entries, func(i, j int) bool { return rank((*l.Entries)[i]) < rank((*l.Entries)[j]) })
		r.Counts = append(r.Counts, ListCount{l.Name, len(*l.Entries)})
	}
	r.Counts = append(r.Counts, ListCount{"unmatched", len(r.Unmatched)})
	r.lead()
	for _, l := range r.lists() {
		for _, e := range *l.Entries {
			if e.ExpiresAt != nil && l.Name != "live" && e.ExpiresAt.Before(r.AsOf.Add(expiresSoon)) {
				p := e.point("expires-soon", "its transcript is deleted at "+stamp(*e.ExpiresAt), e.Next)
				p.At = e.ExpiresAt
				r.Expiring = append(r.Expiring, p)
			}
		}
	}
	sort.SliceStable(r.Expiring, func(i, j int) bool { return r.Expiring[i].At.Before(*r.Expiring[j].At) })
}

// oldInventory is the age from which an inventory is pointed out.
const oldInventory = 24 * time.Hour

// expiresSoon is how long before its end a transcript is pointed out.
const expiresSoon = 7 * 24 * time.Hour

// rank puts money at risk first, then a person never answered, then what would act twice.
func rank(e Entry) int {
	switch v := e.Verdict; {
	case v == nil:
		return 3
	case v.MoneyAtRisk != "":
		return 0
	case v.PersonWaiting != "":
		return 1
	case len(v.ActsTwiceWith) > 0:
		return 2
	}
	return 3
}

// builder goes through the sessions of one account.
type builder struct {
	Input
	report *Report
	listed map[string]bool
	// folders are the git states that were looked at: many sessions work in one folder.
	folders map[string]string
	// archived counts what was archived since the inventory was made.
	archived int
	wraps    []wrapOf
}

// archivedSince says whether the user archived a session after the inventory was made: nothing is left to be done with it.
func (b *builder) archivedSince(short string) bool {
	j := b.Look.job(short)
	if j == nil || !j.Archived || !j.UpdatedAt.After(b.Inventory.TakenAt) || b.Look.live(short) {
		return false
	}
	b.listed[short] = true
	b.archived++
	return true
}

// others are sessions that were woken and stand in no inventory any more.
func (b *builder) others() {
	var others []string
	for short, s := range b.State.Sessions {
		if !b.listed[short] && s.LastSent() != nil {
			others = append(others, short)
		}
	}
	sort.Strings(others)
	for _, short := range others {
		last := b.State.Sessions[short].LastSent()
		e := Entry{Short: short, SessionID: last.SessionID, Title: last.Title, Cwd: last.Cwd}
		if last.Link != "" {
			e.Link = &last.Link
		}
		b.add(e, nil)
	}
}

// live are the sessions that run and stand nowhere else: nothing is done to them.
func (b *builder) live() {
	if b.Look == nil || b.Look.Jobs == nil {
		return
	}
	for _, j := range b.Look.Jobs.List {
		if b.listed[j.Short] || j.Archived || !b.Look.live(j.Short) {
			continue
		}
		e := b.prepared(Entry{Short: j.Short, SessionID: j.SessionID, Title: j.Title(), Cwd: j.Cwd}, nil)
		if link := j.Link(); link != "" {
			e.Link = &link
		}
		e.Why, e.Next = []string{"it runs now"}, "message it in its thread"
		b.report.Live = append(b.report.Live, e)
	}
}

// messages gives the sessions of a list what the user may send them next.
func (b *builder) messages() {
	if b.Messages == nil {
		return
	}
	for _, l := range []struct {
		kind string
		list []Entry
	}{{"prep", b.report.Owners}, {"wrap", b.report.Finished}, {"review-wrap", b.report.Duplicates}} {
		var shorts []string
		for _, e := range l.list {
			if e.Review == nil || !e.Review.Plan {
				shorts = append(shorts, e.Short)
			}
		}
		if len(shorts) == 0 {
			continue
		}
		made := b.Messages(l.kind, shorts)
		for i := range l.list {
			if m, ok := made[l.list[i].Short]; ok {
				l.list[i].Message = &m
			}
		}
	}
}

func (b *builder) facts() []inventory.Facts {
	var out []inventory.Facts
	for _, l := range b.report.lists() {
		for _, e := range *l.Entries {
			if f, ok := b.Facts[e.Short]; ok {
				out = append(out, f)
			}
		}
	}
	return out
}

// prepared fills what every entry has.
func (b *builder) prepared(e Entry, it *inventory.Item) Entry {
	b.listed[e.Short] = true
	e.Place, e.Why, e.AlsoIn, e.Role = b.Place, []string{}, []Place{}, "single"
	e.Owner = b.Inventory.OwnerOf(e.Short)
	if it != nil && it.Role != "" {
		e.Role = it.Role
	}
	if e.Title == "" {
		if j := b.Look.job(e.Short); j != nil {
			e.Title = j.Title()
		}
	}
	e.Story = b.story(e.Short, it)
	return e
}

func (b *builder) add(e Entry, it *inventory.Item) {
	e = b.prepared(e, it)
	r := b.report
	s, ok := b.State.Sessions[e.Short]
	if !ok {
		s = &journal.Session{Short: e.Short}
	}
	rev, reviewed := b.Review(e.Short)
	if reviewed {
		e.Verdict, e.Review = rev.Verdict, &rev
		b.unrecorded(e, &rev)
	}
	if s.Check != nil && len(s.Check.Pending) > 0 {
		typed := e
		typed.Why = []string{}
		for _, t := range s.Check.Pending {
			typed.Why = append(typed.Why, "typed and never answered: "+or(t, "(its text was not recorded)"))
		}
		typed.Next = "answer it in its thread"
		r.Typed = append(r.Typed, typed)
	}
	clean := reviewed && len(rev.Defects) == 0
	wrapped := wrap.Status{State: wrap.NotSent}
	if reviewed || s.Wrap != nil {
		wrapped = b.Look.wrapNow(e.Short, s)
	}
	if wrapped.State == wrap.Done || wrapped.State == wrap.Held {
		if f, ok := b.Facts[e.Short]; ok {
			b.wraps = append(b.wraps, wrapOf{e, inventory.Repository(b.World, f.Folder), f.Tail.Reply})
		}
	}
	if wrapped.State == wrap.Done && !reviewed {
		e.Why = append(e.Why, "it wrapped ("+wrapped.ClosingLine+"), and no review of it was read: its calls were not checked")
	}
	switch busy := b.Look.busy(e.Short); {
	case wrapped.State == wrap.Done && clean && rev.Answered && rev.Unjudged() == 0 && busy == "":
		b.archive(e, rev, wrapped)
	case wrapped.State == wrap.Done && clean:
		if busy != "" {
			e.Why = append(e.Why, "it wrapped, and something goes on or waits in it: "+busy)
		}
		if !rev.Answered {
			e.Why = append(e.Why, "it wrapped, and its review was not read to an end: what it did was not checked")
		}
		e.Why = append(e.Why, unclear(rev)...)
		e.Next = "recovery read " + e.Short
		r.Unclear = append(r.Unclear, e)
	case wrapped.State == wrap.Held:
		e.Why = append(append(e.Why, "it wrapped and is held: "+wrapped.ClosingLine), unclear(rev)...)
		e.Next = "read its thread"
		r.Held = append(r.Held, e)
	case wrapped.State == wrap.Running:
		e.Why = append(e.Why, "its wrap is not over: "+wrapped.Reason)
		e.Next = "recovery wrap-wait " + e.Short
		r.Unclear = append(r.Unclear, e)
	case s.LastSent() == nil && !reviewed && b.Look.live(e.Short):
		e.Why, e.Next = append(e.Why, "it runs now"), "message it in its thread"
		r.Live = append(r.Live, e)
	case s.LastSent() == nil && !reviewed:
		why, next := notWoken(s, e)
		e.Why, e.Next = append(e.Why, why...), next
		if b.gone(e.Short) {
			e.Why, e.Next = append(e.Why, jobGone), nextGone
		}
		r.NotWoken = append(r.NotWoken, e)
	case !reviewed || !rev.Answered:
		e.Why = append(e.Why, "its review is not answered yet")
		if rev.Waiting != "" {
			e.Why = append(e.Why, "it waits: "+rev.Waiting)
		}
		if rev.Error != "" {
			e.Why = append(e.Why, "its turn ended in an error: "+rev.Error)
		}
		e.Next = "recovery read --wait 10m " + e.Short
		r.Unclear = append(r.Unclear, b.unanswered(e))
	case rev.Unclear != "" || rev.Verdict == nil || !clean || rev.Unjudged() > 0 && rev.Verdict.Verdict == review.VerdictDone:
		e.Why = append(e.Why, unclear(rev)...)
		e.Next = "recovery read " + e.Short
		r.Unclear = append(r.Unclear, e)
	case rev.UserAfter && wrapped.State == wrap.NotSent:
		e.Why = append(e.Why, "somebody wrote in it after its review: the review may be out of date")
		e.Next = "recovery last-reply " + e.Short
		r.Unclear = append(r.Unclear, e)
	default:
		e.Why = append(e.Why, unclear(rev)...)
		if wrapped.State == wrap.NotAWrap {
			e.Why = append(e.Why, "it was asked for its wrap, and that is no real one: "+wrapped.Reason)
		}
		b.byVerdict(e, rev)
	}
}

// What is to be said of a session whose job was deleted.
const (
	jobGone  = "it has no job in this account any more: nothing more can be read of it"
	nextGone = "look at its thread, and make the inventory anew: recovery inventory"
)

func (b *builder) gone(short string) bool {
	return b.Look != nil && b.Look.Jobs != nil && b.Look.job(short) == nil
}

// unanswered says what a session without an answer waits for, where that is not the answer itself.
func (b *builder) unanswered(e Entry) Entry {
	if b.gone(e.Short) {
		e.Why, e.Next = append(e.Why, jobGone), nextGone
		return e
	}
	switch st := b.Look.standing(b.State, Standing{Short: e.Short}); st.Step {
	case StepIntended, StepSaved, StepUncertain, StepDefect:
		for _, why := range []string{st.Owed, st.WaitsFor} {
			if why != "" {
				e.Why = append(e.Why, "open: "+why)
			}
		}
		e.Next = or(st.Next, e.Next)
	}
	return e
}

// unrecorded lists the defects of a review that nobody has read yet.
func (b *builder) unrecorded(e Entry, rev *review.Review) {
	if b.Unrecorded == nil {
		return
	}
	at := b.Now
	if rev.LastAt != nil {
		at = *rev.LastAt
	}
	for _, d := range b.Unrecorded(e.Short, rev) {
		b.report.Defects = append(b.report.Defects, Defect{b.Place, journal.OpenDefect{DefectData: d, Session: e.Short, At: at}})
	}
}

// archive lists a real wrap with each piece of its evidence.
func (b *builder) archive(e Entry, rev review.Review, wrapped wrap.Status) {
	seen := "real wrap seen"
	if wrapped.WrappedAt != nil {
		seen += " at " + stamp(*wrapped.WrappedAt)
	}
	e.Why = append(e.Why, seen+": "+or(wrapped.ClosingLine, "its closing line"), readOnly(rev))
	if j := b.Look.job(e.Short); j != nil {
		e.Why = append(e.Why, "nothing is queued, and no background task is open")
		if j.SelfWake || j.Routine {
			e.Why = append(e.Why, "it wakes by itself (a routine or a timer of its own): that ends when it is archived")
		}
	}
	if f, ok := b.Facts[e.Short]; ok && f.Tail.Why != "" {
		e.Why = append(e.Why, fmt.Sprintf("its last turn is %s: %s", f.Tail.Turn, f.Tail.Why))
	}
	if e = b.folder(e); e.Folder != "" {
		e.Why = append(e.Why, "its folder: "+e.Folder)
	}
	e.Next = "archive it: your click"
	b.report.ArchiveNow = append(b.report.ArchiveNow, e)
}

func (b *builder) folder(e Entry) Entry {
	if b.Folder == nil || e.Cwd == "" {
		return e
	}
	said, known := b.folders[e.Cwd]
	if !known {
		said = b.Input.Folder(e.Cwd)
		b.folders[e.Cwd] = said
	}
	e.Folder = said
	return e
}

func (b *builder) byVerdict(e Entry, rev review.Review) {
	r := b.report
	switch rev.Verdict.Verdict {
	case review.VerdictDone:
		e = b.folder(e)
		e.Why = append(e.Why, "its review says DONE; a real wrap is still owed")
		e.Next = "pin it, send the WRAP message (recovery message wrap " + e.Short + "), then: recovery wrap-wait " + e.Short
		r.Finished = append(r.Finished, e)
	case review.VerdictOwner:
		e.Next = "read its plan, then type your go in its thread; to have it prepared for a bare go first: recovery message prep " + e.Short
		if rev.Plan {
			e.Why = append(e.Why, "its final plan is posted")
			e.Next = "read its final plan, then type your go in its thread"
		}
		r.Owners = append(r.Owners, e)
	case review.VerdictDuplicate:
		e.Next = "when its owner has what it lacks: pin it, send the WRAP message (recovery message review-wrap " + e.Short + "), then: recovery wrap-wait " + e.Short
		r.Duplicates = append(r.Duplicates, e)
	default:
		e.Next = "read its thread"
		r.Held = append(r.Held, e)
	}
}

// notWoken says why a session was not woken, and what to do.
func notWoken(s *journal.Session, e Entry) (why []string, next string) {
	if s.Refused != nil {
		return []string{"not woken: " + s.Refused.Reason}, or(s.Refused.Next, "recovery queue-check "+e.Short)
	}
	if s.Check == nil {
		return []string{"not woken: not checked yet"}, "recovery queue-check " + e.Short
	}
	why = []string{fmt.Sprintf("not woken: queue check %s (%s)", s.Check.Verdict, strings.Join(s.Check.Codes, ", "))}
	switch s.Check.Verdict {
	case "pass", "confirmed":
		return why, "recovery resume " + e.Short
	case "check":
		return why, "read its thread; when nothing was typed in it after its last turn: recovery queue-check --confirm " + e.Short
	}
	return why, "recovery queue-check " + e.Short
}

// readOnly says what a clean review did.
func readOnly(rev review.Review) string {
	denied := 0
	for _, t := range rev.Tools {
		if t.Class != audit.Read && t.Result == review.Denied {
			denied++
		}
	}
	switch {
	case len(rev.Tools) == 0:
		return "no tool call in its review"
	case denied > 0:
		return fmt.Sprintf("%s in its review, of which %d that would write or cannot be judged were denied, and the rest only read", calls(len(rev.Tools)), denied)
	}
	return calls(len(rev.Tools)) + " in its review, all only read"
}

func calls(n int) string {
	if n == 1 {
		return "1 tool call"
	}
	return fmt.Sprintf("%d tool calls", n)
}

func unclear(rev review.Review) []string {
	var why []string
	if rev.Unclear != "" {
		why = append(why, "verdict unclear: "+rev.Unclear)
	}
	for _, d := range rev.Defects {
		why = append(why, "defect "+d.Code+": "+d.Text)
	}
	if n := rev.Unjudged(); n > 0 {
		why = append(why, fmt.Sprintf("%s cannot be judged: look at them with `recovery read`", calls(n)))
	}
	return why
}

func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }
