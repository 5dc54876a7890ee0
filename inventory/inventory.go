package inventory

import (
	"fmt"
	"slices"
	"sort"
	"strings"
	"time"

	"recovery/internal/account"
	"recovery/internal/claude"
	"recovery/internal/remote"
	"recovery/internal/text"
	"recovery/internal/transcript"

	"github.com/sourcegraph/conc/pool"
)

// Inventory is the list of offline sessions, as it is saved and printed. Times are UTC.
type Inventory struct {
	Account   Read       `json:"account"`
	Items     []Item     `json:"items"`
	Unmatched []NoJob    `json:"unmatched"`
	Complete  bool       `json:"complete"`
	AsOf      time.Time  `json:"as_of"`
	Found     int        `json:"found"`
	LeftOut   []LeftOut  `json:"left_out"`
	Warnings  []string   `json:"warnings"`
	NextPage  *NextPage  `json:"next_page"`
	Pages     bool       `json:"pages"`
	Groups    []Group    `json:"groups"`
	TakenAt   time.Time  `json:"taken_at"`
	Refused   []Refusals `json:"refused"`
}

// Read is the account that was read: the user whose folder it is, which the caller fills in, and the folder.
type Read struct {
	User string `json:"user"`
	Dir  string `json:"dir"`
}

// NextPage is what to page on from when the saved pages are not the last ones.
type NextPage struct {
	Param string `json:"param"`
	ID    string `json:"id"`
}

// LeftOut counts what was found and is not listed.
type LeftOut struct {
	Reason string `json:"reason"`
	Count  int    `json:"count"`
	// Shorts are the jobs among them, where the list says which.
	Shorts []string `json:"shorts,omitempty"`
}

// Refusals are jobs that a page shows archived or connected.
type Refusals struct {
	Short  string    `json:"short"`
	Reason Exclusion `json:"reason"`
}

// Exclusion is why a page excludes a session from the list, or from being woken.
type Exclusion string

// The exclusions. A connection of any other word is no exclusion: what it means is not known.
const (
	PageArchived  Exclusion = "archived"
	PageConnected Exclusion = "connected"
)

// Transcript names a session's transcript and its size.
type Transcript struct {
	Path  string `json:"path"`
	Bytes int64  `json:"bytes"`
}

// Remote is what the page says of a session.
type Remote struct {
	ID          string     `json:"id"`
	Title       string     `json:"title"`
	UpdatedAt   *time.Time `json:"updated_at"`
	Status      string     `json:"status"`
	Connection  string     `json:"connection_status"`
	TimeField   string     `json:"time_field"`
	TimeProblem string     `json:"time_problem,omitempty"`
	AsOf        time.Time  `json:"as_of"`
}

// Item is one offline session.
type Item struct {
	SessionName
	Cwd          string            `json:"cwd"`
	Live         account.LiveState `json:"live"`
	LiveEvidence []string          `json:"live_evidence"`
	Ended        Ended             `json:"ended"`
	Turn         string            `json:"turn"`
	TurnEvidence string            `json:"turn_evidence"`
	// Stop is the stop reason of the last reply when the turn is complete: end_turn, stop_sequence, refusal or max_tokens.
	Stop         string      `json:"stop"`
	LastEntryAt  *time.Time  `json:"last_entry_at"`
	ExpiresAt    *time.Time  `json:"expires_at"`
	Transcript   *Transcript `json:"transcript"`
	Pinned       bool        `json:"pinned"`
	SavedOptions []string    `json:"saved_options"`
	Hazards      []string    `json:"hazards"`
	Group        string      `json:"group"`
	Role         string      `json:"role"`
	Remote       *Remote     `json:"remote"`
	// Threads are the bodies of all its threads that are known, the newest last; SharedWith are the other jobs of one of
	// them.
	Threads    []string `json:"threads"`
	SharedWith []string `json:"shared_with"`
	Warnings   []string `json:"warnings"`
}

// NoJob is a remote session without a local job, and what the user can do with it.
type NoJob struct {
	ID        string     `json:"id"`
	Title     string     `json:"title"`
	Kind      string     `json:"kind"`
	UpdatedAt *time.Time `json:"updated_at"`
	Link      string     `json:"link"`
	WhatToDo  string     `json:"what_to_do"`
}

// whatToDo is the advice for a session without a job, by kind.
var whatToDo = map[string]string{
	"server": "fix the account's sign-in first, then open the thread and send one message: the server starts its " +
		"worker again. " +
		"If its last turn was cut, send the failed message again. Never resume or re-attach it while its environment lives.",
	"desktop": "open it in the desktop app and look at it by hand",
	"ide":     "open it in the editor it was made in and look at it by hand",
	"cloud":   "it runs in the cloud and has no job on this machine by design: open its thread",
	"unknown": "open its thread and look at it by hand; what it is cannot be told from the page",
	// A bridge without a job here is no kind of its own in the closed list: the job may be another account's.
	"bridge": "no job of this account names its thread: a session of an interactive terminal, or of another account or " +
		"machine: look for it there and go on by hand, or open its thread. " +
		"Never resume or re-attach it from here while its environment lives.",
}

// workers bounds how many transcripts are read at once: they are read from disk, not computed.
const workers = 8

// Build makes the inventory. pages is nil when no page was given: then every job without a live process is listed.
func Build(w *World, pages *remote.Sessions) Inventory {
	inv := Inventory{Account: Read{Dir: w.Account.Dir}, Complete: true, AsOf: w.Now, TakenAt: w.Now, Pages: pages != nil,
		Warnings: append([]string{}, w.Warnings...),
		Items:    []Item{}, Unmatched: []NoJob{}, LeftOut: []LeftOut{}, Groups: []Group{}, Refused: []Refusals{}}
	left := map[string]int{}
	chosen := w.Jobs.List
	rows := map[string]*remote.Session{}
	if pages == nil {
		inv.Found = len(w.Jobs.List) + w.Jobs.Leftovers
		left["no state.json"] = w.Jobs.Leftovers
	} else {
		chosen = inv.join(w, pages, rows, left)
	}
	var listed, live []Facts
	var quiet []string // jobs on no page whose work is over
	for _, f := range w.All(chosen) {
		row := rows[f.Job.Short]
		switch {
		// Only where no page says that a session is disconnected is its process the one witness.
		case f.Live.State == account.Live && (row == nil || row.Connection != "disconnected"):
			left["live"]++
			live = append(live, f)
		case row == nil && f.Job.Archived:
			left["archived"]++
			inv.Refused = append(inv.Refused, Refusals{f.Job.Short, PageArchived})
		case pages != nil && row == nil && f.settled():
			left[onNoPage]++
			quiet = append(quiet, f.Job.Short)
		default:
			listed = append(listed, f)
		}
	}
	for _, f := range listed {
		inv.Items = append(inv.Items, w.item(f, rows[f.Job.Short]))
	}
	inv.group(w, listed, append(live, w.alsoLive(listed, live)...))
	sort.SliceStable(inv.Items, func(i, j int) bool { return before(inv.Items[i], inv.Items[j]) })
	for _, reason := range sortedKeys(left) {
		if left[reason] > 0 {
			out := LeftOut{Reason: reason, Count: left[reason]}
			if reason == onNoPage {
				out.Shorts = quiet
			}
			inv.LeftOut = append(inv.LeftOut, out)
		}
	}
	return inv
}

// onNoPage is why a job whose work is over is left out when pages are given: they are listed without pages.
const onNoPage = "job in no page"

// settled says that nothing of a session is cut, waits or cannot be told: where no page speaks of it, it need not be
// a row.
func (f *Facts) settled() bool {
	return f.Live.State == account.Offline && f.Job.Problem == "" && f.Problem == "" &&
		f.Tail.Turn == transcript.Complete && !f.Job.Queued
}

// alsoLive are the running sessions that no page brought up: a page of disconnected sessions does not name them.
func (w *World) alsoLive(known ...[]Facts) []Facts {
	seen := map[string]bool{}
	for _, list := range known {
		for _, f := range list {
			seen[f.Job.Short] = true
		}
	}
	var jobs []*account.Job
	for _, j := range w.Jobs.List {
		if !seen[j.Short] && !j.Archived && w.Liveness(j).State == account.Live {
			jobs = append(jobs, j)
		}
	}
	return w.All(jobs)
}

// All reads the facts of several jobs at once, in their order.
func (w *World) All(jobs []*account.Job) []Facts {
	out := make([]Facts, len(jobs))
	p := pool.New().WithMaxGoroutines(workers)
	for i, j := range jobs {
		p.Go(func() { out[i] = w.Facts(j) })
	}
	p.Wait()
	return out
}

// join finds the jobs of each remote row by its thread, and gives those that are to be listed: the rows' own, and the
// jobs on no page. Every row of one of a job's threads joins it; the newest of them speaks for it.
func (inv *Inventory) join(w *World, pages *remote.Sessions, rows map[string]*remote.Session,
	left map[string]int) []*account.Job {
	inv.Complete, inv.AsOf = pages.Complete, pages.AsOf.UTC()
	if !pages.Complete {
		inv.NextPage = &NextPage{Param: pages.NextParam, ID: pages.NextID}
	}
	inv.Warnings = append(append(inv.Warnings, pages.Warnings...), pages.Notes...)
	left["row that cannot be read"] = pages.Skipped
	inv.Found = pages.Skipped
	of := w.jobsOf(pages)
	notTold := 0
	var order []*account.Job
	for i := range pages.Rows {
		row := &pages.Rows[i]
		if row.TimeProblem != "" && excluded(row) != PageArchived {
			inv.Warnings = append(inv.Warnings, fmt.Sprintf("%s: %s", row.ID, row.TimeProblem))
		}
		own := of[row.Body]
		if len(own) > 1 {
			inv.Warnings = append(inv.Warnings, fmt.Sprintf("%s belongs to %d jobs; each is looked at", row.ID, len(own)))
		}
		for _, j := range own {
			switch known := rows[j.Short]; {
			case known == nil:
				order = append(order, j)
				rows[j.Short] = row
			case w.speaks(j, row, known):
				rows[j.Short] = row
			}
		}
		if len(own) > 0 {
			continue
		}
		inv.Found++
		switch reason := excluded(row); {
		case reason != "":
			left[string(reason)]++
			continue
		case row.Connection != "disconnected":
			notTold++
		}
		inv.Unmatched = append(inv.Unmatched, noJob(row))
	}
	jobs, more := inv.choose(w, rows, order, left)
	if notTold += more; notTold > 0 {
		inv.Warnings = append(inv.Warnings, fmt.Sprintf(
			"%d sessions of the pages have no connection_status that is known: those with a job here are judged by their "+
				"process, of the others it cannot be told whether they are offline", notTold))
	}
	for _, j := range w.Jobs.List {
		if rows[j.Short] == nil {
			jobs = append(jobs, j)
			inv.Found++
		}
	}
	return jobs
}

// choose leaves out the jobs that the newest row of their threads excludes.
func (inv *Inventory) choose(w *World, rows map[string]*remote.Session, order []*account.Job,
	left map[string]int) (jobs []*account.Job, notTold int) {
	for _, j := range order {
		row := rows[j.Short]
		reason := excluded(row)
		inv.Found++
		switch {
		case reason == PageArchived, reason == PageConnected && w.Liveness(j).State == account.Live:
			left[string(reason)]++
			inv.Refused = append(inv.Refused, Refusals{j.Short, reason})
			continue
		case reason == PageConnected:
			// The page is wrong, or as old as its file: no process of it lives here.
			inv.Refused = append(inv.Refused, Refusals{j.Short, reason})
		case row.Connection != "disconnected":
			notTold++
		}
		jobs = append(jobs, j)
	}
	return jobs, notTold
}

// jobsOf gives the jobs of each row's thread: by their state files, then by what their transcripts name.
func (w *World) jobsOf(pages *remote.Sessions) map[string][]*account.Job {
	out := map[string][]*account.Job{}
	for _, j := range w.Jobs.List {
		if j.BridgeBody != "" {
			out[j.BridgeBody] = append(out[j.BridgeBody], j)
		}
	}
	var unknown []string
	times := map[string]time.Time{}
	for i := range pages.Rows {
		body := pages.Rows[i].Body
		times[body] = pages.Rows[i].UpdatedAt
		if len(out[body]) == 0 {
			unknown = append(unknown, body)
		}
	}
	for body, jobs := range w.findThreads(unknown) {
		out[body] = jobs
	}
	// The newest thread is the one that its transcript names last. Where that does not name all, it is the one that the
	// page says was used last; where the page does not speak of that of the state file, the state file decides: the
	// session had it after the others.
	for short, bodies := range w.found {
		own := w.Jobs.ByShort[short].BridgeBody
		slices.SortStableFunc(bodies, func(a, b string) int { return times[a].Compare(times[b]) })
		if own != "" && !slices.Contains(bodies, own) {
			at := len(bodies)
			if used := times[own]; !used.IsZero() {
				at = sort.Search(len(bodies), func(i int) bool { return times[bodies[i]].After(used) })
			}
			bodies = slices.Insert(bodies, at, own)
		}
		named := w.named[short]
		if !slices.ContainsFunc(bodies, func(b string) bool { return !slices.Contains(named, b) }) {
			slices.SortFunc(bodies, func(a, b string) int { return slices.Index(named, a) - slices.Index(named, b) })
		}
		w.found[short] = bodies
	}
	return out
}

// speaks says that a row speaks for a session rather than the row of another one of its threads. Where one of them is
// archived, the newest thread counts: an archive moves the time of a row, so that is told by the transcript's order.
// Without it, an archived thread says nothing while another is there.
func (w *World) speaks(j *account.Job, row, than *remote.Session) bool {
	if a, b := excluded(row) == PageArchived, excluded(than) == PageArchived; a != b {
		if newer, known := w.newerThread(j, row.Body, than.Body); known {
			return newer
		}
		return b
	}
	return row.UpdatedAt.After(than.UpdatedAt)
}

// excluded says why a page excludes a row; empty when it is a disconnected session, or may be one.
func excluded(row *remote.Session) Exclusion {
	switch {
	case row.Archived || row.Status == string(PageArchived):
		return PageArchived
	case row.Connection == string(PageConnected):
		return PageConnected
	}
	return ""
}

func noJob(row *remote.Session) NoJob {
	kind := string(row.Kind)
	advice, ok := whatToDo[kind]
	if !ok {
		kind, advice = "unknown", whatToDo["unknown"]
	}
	if row.Kind == remote.KindBridge {
		kind = "unknown"
	}
	if row.Connection != "disconnected" {
		advice = "first see whether it is offline at all, which the page does not tell; then: " + advice
	}
	return NoJob{ID: row.ID, Title: row.Title, Kind: kind, UpdatedAt: timeOrNil(row.UpdatedAt),
		Link: claude.Link(row.Body), WhatToDo: advice}
}

func (w *World) item(f Facts, row *remote.Session) Item {
	j := f.Job
	it := Item{
		SessionName: f.Name(), Cwd: j.Cwd, Live: f.Live.State, LiveEvidence: append([]string{}, f.Live.Evidence...),
		Ended: w.ended(f), Turn: string(f.Tail.Turn), TurnEvidence: f.Tail.Why, Stop: f.Tail.Stop,
		LastEntryAt: timeOrNil(f.Tail.LastEntry), ExpiresAt: timeOrNil(w.ExpiresAt(f)),
		Pinned: j.Pinned, SavedOptions: append([]string{}, j.RespawnFlags...), Hazards: []string{}, Role: "single",
		Warnings: []string{},
	}
	if f.Live.State == account.Live {
		it.Ended = Ended{Cause: CauseNone, Line: "it is live"}
	}
	it.Threads, it.SharedWith = append([]string{}, f.Threads...), append([]string{}, f.SharedWith...)
	if f.Location.Path != "" {
		it.Transcript = &Transcript{f.Location.Path, f.Bytes}
	}
	for _, h := range w.Hazards(j) {
		it.Hazards = append(it.Hazards, h.Code)
	}
	if j.Queued {
		it.Hazards = append(it.Hazards, "queued-prompt")
	}
	it.Warnings = append(it.Warnings, w.warnings(f)...)
	if it.ExpiresAt != nil && it.ExpiresAt.Before(w.Now.Add(week)) {
		it.Hazards = append(it.Hazards, ExpiresSoonCode)
	}
	if row != nil {
		it.Remote = &Remote{ID: row.ID, Title: row.Title, UpdatedAt: timeOrNil(row.UpdatedAt), Status: row.Status,
			Connection: row.Connection,
			TimeField:  row.TimeField, TimeProblem: row.TimeProblem, AsOf: row.AsOf.UTC()}
		if it.Title == "" {
			it.Title = row.Title
		}
		switch {
		case row.Connection == string(PageConnected):
			it.Warnings = append(it.Warnings, "the page says that it is connected, and no process of it lives here: save the "+
				"page again")
		case row.Connection != "" && row.Connection != "disconnected" && row.Connection != "unknown" &&
			row.Connection != "unspecified":
			it.Warnings = append(it.Warnings, fmt.Sprintf("the page gives it a connection that is not known, %q: it is "+
				"judged by its process", text.Line(row.Connection)))
		}
	}
	return it
}

// warnings are a row's: one for each file that cannot be relied on.
func (w *World) warnings(f Facts) []string {
	var out []string
	switch {
	case f.Problem != "":
		out = append(out, f.Problem)
	case len(f.Tail.Bad) > 0:
		out = append(out, "transcript: "+strings.Join(f.Tail.Bad, "; "))
	}
	if f.Job.Problem != "" {
		out = append(out, "state.json "+f.Job.Problem)
	}
	if f.Location.Note != "" {
		out = append(out, f.Location.Note)
	}
	for _, path := range f.Elsewhere {
		out = append(out, "its conversation may be in "+path)
	}
	if len(f.SharedWith) > 0 {
		out = append(out, "another job has its thread or its conversation: "+strings.Join(f.SharedWith, ", "))
	}
	switch {
	case f.FolderProblem != "":
		out = append(out, "its folder "+f.Folder+" cannot be used: "+f.FolderProblem)
	case f.FolderGone:
		out = append(out, "its folder is gone: "+f.Folder)
	}
	return out
}

// ExpiresSoonCode marks a session whose transcript the client deletes within a week.
const ExpiresSoonCode = "expires-soon"

const week = 7 * 24 * time.Hour

// ExpiresSoon says that the client deletes the row's transcript within a week.
func (it *Item) ExpiresSoon() bool { return slices.Contains(it.Hazards, ExpiresSoonCode) }

// before is the order of the list: what expires within a week first, the soonest at the top, then the newest first.
func before(a, b Item) bool {
	x, y := a.ExpiresSoon(), b.ExpiresSoon()
	switch {
	case x != y:
		return x
	case x && !a.ExpiresAt.Equal(*b.ExpiresAt):
		return a.ExpiresAt.Before(*b.ExpiresAt)
	}
	return newest(a).After(newest(b))
}

// newest is when a row was last active, for the order of the list.
func newest(it Item) time.Time {
	if it.LastEntryAt != nil {
		return *it.LastEntryAt
	}
	if it.Remote != nil && it.Remote.UpdatedAt != nil {
		return *it.Remote.UpdatedAt
	}
	return time.Time{}
}

func sortedKeys(m map[string]int) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}

// Find gives the item of a short; nil when the inventory does not list it.
func (inv *Inventory) Find(short string) *Item {
	for i := range inv.Items {
		if inv.Items[i].Short == short {
			return &inv.Items[i]
		}
	}
	return nil
}

// Excluded says why the newest page excludes a job: archived or connected; empty when it does not.
func (inv *Inventory) Excluded(short string) Exclusion {
	for _, r := range inv.Refused {
		if r.Short == short {
			return r.Reason
		}
	}
	return ""
}
