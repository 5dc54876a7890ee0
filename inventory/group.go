package inventory

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"recovery/internal/account"
	"recovery/internal/claude"
)

// Group is a proposal: sessions that seem to be the same work, with its owner and the reason.
type Group struct {
	Name    string   `json:"name"`
	Members []string `json:"members"`
	Owner   string   `json:"owner"`
	Reason  string   `json:"reason"`
	Why     string   `json:"why_owner"`
}

// Row is one session as the grouping sees it. Account and Host are empty for the account that recovery runs in;
// reports of several accounts fill them in. Times are UTC; a zero time is not known.
type Row struct {
	Host    string `json:"host"`
	Account string `json:"account"`
	Short   string `json:"short"`
	// SessionID and ResumeSessionID are local UUIDs, BridgeBody is the id of the thread without its prefix.
	SessionID       string `json:"session_id"`
	ResumeSessionID string `json:"resume_session_id"`
	BridgeBody      string `json:"bridge_body"`
	// Threads are the bodies of its other threads: each lost link began a new one.
	Threads []string `json:"threads,omitempty"`
	Title   string   `json:"title"`
	// First is the first message of a person, Reply the latest reply.
	First string `json:"first"`
	Reply string `json:"reply"`
	// Repo is the main checkout of the repository that the session works in, else its folder; empty when it has none.
	Repo string `json:"repo"`
	// Lead are the uuids at the beginning of the transcript, FirstLead how many go up to First.
	Lead      []string `json:"lead"`
	FirstLead int      `json:"first_lead"`
	// ContinuedIn, ForkSession and ForkParent are session ids that the transcript and the job name.
	ContinuedIn []string  `json:"continued_in"`
	ForkSession string    `json:"fork_session"`
	ForkParent  string    `json:"fork_parent"`
	CreatedAt   time.Time `json:"created_at"`
	LastActive  time.Time `json:"last_active"`
	Live        bool      `json:"live"`
}

// Key names a row among those of several accounts: its short alone in one's own account, else account@host/short.
func (r *Row) Key() string {
	if r.Host == "" && r.Account == "" {
		return r.Short
	}
	return r.Account + "@" + r.Host + "/" + r.Short
}

// GroupRows groups the sessions of one or several accounts by three rules: copies of one conversation, the same item,
// and nearly the same first prompt in the same repository. Members and owners are the rows' keys. Notes say which
// sessions were left alone because it is not clear where they belong. The order of rows does not matter.
func GroupRows(rows []Row) (groups []Group, notes []string) {
	g := newGraph(rows)
	g.build()
	return g.groups(), g.notes
}

// newGraph sorts the rows, so that nothing depends on the order in which they came; a row that is given twice counts
// once.
func newGraph(rows []Row) *graph {
	sorted := slices.Clone(rows)
	slices.SortStableFunc(sorted, func(a, b Row) int {
		return cmp.Or(strings.Compare(a.Key(), b.Key()), b.LastActive.Compare(a.LastActive), strings.Compare(a.SessionID,
			b.SessionID),
			strings.Compare(a.Title+"\x00"+a.First+"\x00"+a.Reply, b.Title+"\x00"+b.First+"\x00"+b.Reply))
	})
	sorted = slices.CompactFunc(sorted, func(a, b Row) bool { return a.Key() == b.Key() })
	for i := range sorted {
		r := &sorted[i]
		r.Title, r.First, r.Reply = fold(r.Title), fold(r.First), fold(r.Reply)
	}
	return &graph{rows: sorted}
}

func (g *graph) build() {
	g.readItems()
	g.joinCopies()
	g.joinItems()
	g.joinTexts()
	g.resolve()
	slices.Sort(g.notes)
	if n := len(g.notes) - maxNotes; n > 0 {
		g.notes = append(g.notes[:maxNotes:maxNotes], fmt.Sprintf("%d more sessions or ids were left alone for reasons "+
			"like these", n))
	}
}

// maxNotes is how many notes are given one by one.
const maxNotes = 30

// groups turns what is connected into proposals.
func (g *graph) groups() []Group {
	out := []Group{}
	for _, members := range g.components() {
		owner, why := g.owner(members)
		group := Group{Name: fmt.Sprintf("g%d", len(out)+1), Owner: g.rows[owner].Key(), Why: why, Reason: g.reason(members)}
		for _, m := range members {
			group.Members = append(group.Members, g.rows[m].Key())
		}
		slices.Sort(group.Members)
		out = append(out, group)
	}
	return out
}

// group proposes groups among the listed sessions and those that run, and gives each item its role. A group of
// running sessions alone is none of this list's business.
func (inv *Inventory) group(w *World, listed, live []Facts) {
	offline := map[string]bool{}
	for _, f := range listed {
		offline[f.Job.Short] = true
	}
	all, notes := GroupRows(Rows(slices.Concat(listed, live), w.Repositories()))
	var groups []Group
	for _, g := range all {
		if slices.ContainsFunc(g.Members, func(short string) bool { return offline[short] }) {
			g.Name = fmt.Sprintf("g%d", len(groups)+1)
			groups = append(groups, g)
		}
	}
	inv.setGroups(groups)
	inv.Warnings = append(inv.Warnings, notes...)
}

// setGroups makes these the inventory's groups, and sets the group and role of every item.
func (inv *Inventory) setGroups(groups []Group) {
	inv.Groups = append([]Group{}, groups...)
	for i := range inv.Items {
		inv.Items[i].Group, inv.Items[i].Role = "", "single"
	}
	at := make(map[string]*Item, len(inv.Items))
	for i := range inv.Items {
		at[inv.Items[i].Short] = &inv.Items[i]
	}
	for _, g := range inv.Groups {
		for _, m := range g.Members {
			it := at[m]
			if it == nil {
				continue
			}
			it.Group, it.Role = g.Name, "duplicate"
			if m == g.Owner {
				it.Role = "owner"
			}
		}
	}
}

func (f *Facts) row(repo string) Row {
	j := f.Job
	r := Row{Short: j.Short, SessionID: j.SessionID, ResumeSessionID: j.ResumeSessionID, BridgeBody: j.BridgeBody,
		Threads: f.Threads, Title: j.Title(),
		First: f.Head.First, Reply: f.Tail.Reply, Repo: repo, Lead: f.Head.Lead, FirstLead: f.Head.FirstLead,
		ForkSession: j.ForkSession, ForkParent: j.ForkParent, CreatedAt: j.CreatedAt, LastActive: f.Tail.LastEntry,
		Live: f.Live.State == account.Live}
	for _, id := range []string{f.Location.ContinuedIn, f.Tail.ContinuedIn} {
		if claude.IsUUID(id) && !slices.Contains(r.ContinuedIn, id) {
			r.ContinuedIn = append(r.ContinuedIn, id)
		}
	}
	if r.First == "" {
		r.First = j.Intent
	}
	if r.CreatedAt.IsZero() {
		r.CreatedAt = f.Head.FirstAt
	}
	return r
}
