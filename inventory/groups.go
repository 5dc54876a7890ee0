package inventory

import (
	"errors"
	"fmt"
	"regexp"
	"sort"
	"strings"

	"recovery/internal/account"
)

// Group is a proposal: sessions that seem to be the same work, with its owner and the reason.
type Group struct {
	Name    string   `json:"name"`
	Members []string `json:"members"`
	Owner   string   `json:"owner"`
	Reason  string   `json:"reason"`
	Why     string   `json:"why_owner"`
}

var (
	ticketID = regexp.MustCompile(`\b([A-Z][A-Z0-9]{1,9})-(\d{1,7}(?:-\d{1,7})?)\b`)
	spokenID = regexp.MustCompile(`(?i)\b(pull request|pr|merge request|mr|issue|ticket|alert|incident|invoice|order|case)\s*(?:no\.?|nr\.?)?\s*[#:]?\s*(\d{2,10})\b`)
	linkID   = regexp.MustCompile(`https?://[^\s<>()"']+?/(pull|pulls|merge_requests|issues|browse)/([A-Za-z0-9-]+)`)
	// notTickets are well-known names and periods that look like a ticket's id: many sessions name them and are not one work.
	notTickets = map[string]bool{"UTF": true, "SHA": true, "ISO": true, "RFC": true, "GPT": true, "HTTP": true, "TLS": true, "AES": true, "MD": true, "EC": true, "IPV": true, "PEP": true, "COVID": true, "UTC": true, "GMT": true,
		"Q1": true, "Q2": true, "Q3": true, "Q4": true, "H1": true, "H2": true, "FY": true, "X86": true, "ARM": true, "WIN": true, "BASE": true, "CP": true}
	spokenName = map[string]string{"pull request": "pr", "pull": "pr", "pulls": "pr", "merge request": "mr", "merge_requests": "mr", "issues": "issue", "browse": ""}
)

// itemIDs are the ids of tickets, alerts, invoices and pull requests that a title names, normalised.
func itemIDs(title string) []string {
	seen := map[string]bool{}
	for _, m := range ticketID.FindAllStringSubmatch(title, -1) {
		if !notTickets[m[1]] {
			seen[m[1]+"-"+m[2]] = true
		}
	}
	for _, m := range append(spokenID.FindAllStringSubmatch(title, -1), linkID.FindAllStringSubmatch(title, -1)...) {
		kind := strings.ToLower(m[1])
		if name, ok := spokenName[kind]; ok {
			kind = name
		}
		seen[strings.TrimSpace(kind+" "+strings.ToUpper(m[2]))] = true
	}
	out := make([]string, 0, len(seen))
	for id := range seen {
		out = append(out, id)
	}
	sort.Strings(out)
	return out
}

// templateShare is the share of all sessions above which an id is a template's and tells nothing.
const templateShare = 0.5

// group joins sessions that are copies of one conversation or name the same item in their title.
func (inv *Inventory) group(listed []Facts) {
	parent := make([]int, len(listed))
	for i := range parent {
		parent[i] = i
	}
	var find func(int) int
	find = func(i int) int {
		if parent[i] != i {
			parent[i] = find(parent[i])
		}
		return parent[i]
	}
	reasons := map[int][]string{}
	join := func(i, j int, reason string) {
		a, b := find(i), find(j)
		if a != b {
			reasons[a] = append(reasons[a], reasons[b]...)
			parent[b] = a
		}
		if !contains(reasons[a], reason) {
			reasons[a] = append(reasons[a], reason)
		}
	}
	joinCopies(listed, join)
	joinItems(listed, join)
	members := map[int][]int{}
	for i := range listed {
		members[find(i)] = append(members[find(i)], i)
	}
	for i := range listed {
		if find(i) != i || len(members[i]) < 2 {
			continue
		}
		g := Group{Name: fmt.Sprintf("g%d", len(inv.Groups)+1), Reason: strings.Join(reasons[i], "; ")}
		owner, why := chooseOwner(listed, members[i])
		g.Owner, g.Why = listed[owner].Job.Short, why
		for _, m := range members[i] {
			short := listed[m].Job.Short
			g.Members = append(g.Members, short)
			if it := inv.Find(short); it != nil {
				it.Group, it.Role = g.Name, "duplicate"
				if m == owner {
					it.Role = "owner"
				}
			}
		}
		sort.Strings(g.Members)
		inv.Groups = append(inv.Groups, g)
	}
}

func contains(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}

// joinCopies: copied lines keep their uuid, so copies begin with the same one; the client also says it outright.
func joinCopies(listed []Facts, join func(int, int, string)) {
	byLead := map[string]int{}
	byID := map[string]int{}
	for i, f := range listed {
		for _, id := range []string{f.Job.SessionID, f.Job.ResumeSessionID} {
			if id != "" {
				byID[id] = i
			}
		}
	}
	for i, f := range listed {
		if len(f.Head.Lead) > 0 {
			if first, ok := byLead[f.Head.Lead[0]]; ok {
				join(first, i, "copies of one conversation: their transcripts begin with the same lines")
			} else {
				byLead[f.Head.Lead[0]] = i
			}
		}
		for _, id := range []string{f.Location.ContinuedIn, f.Tail.ContinuedIn, f.Job.ForkSession, f.Job.ForkParent} {
			if other, ok := byID[id]; ok && id != "" && other != i {
				join(other, i, "one conversation went on in the other")
			}
		}
	}
}

func joinItems(listed []Facts, join func(int, int, string)) {
	byItem := map[string][]int{}
	for i, f := range listed {
		for _, id := range itemIDs(f.Job.Title()) {
			byItem[id] = append(byItem[id], i)
		}
	}
	ids := make([]string, 0, len(byItem))
	for id := range byItem {
		ids = append(ids, id)
	}
	sort.Strings(ids)
	for _, id := range ids {
		of := byItem[id]
		if len(of) < 2 || len(listed) >= 6 && float64(len(of)) > templateShare*float64(len(listed)) {
			continue
		}
		for _, i := range of[1:] {
			join(of[0], i, "both titles name "+id)
		}
	}
}

var takesOver = regexp.MustCompile(`(?i)\b(take(s|n)? over|taking over|takeover|continue[sd]? (the )?work of|carr(y|ies) on|hand-?over|picks? up (from|where))\b`)

// chooseOwner: the newest session whose first prompt names another one of the group or says that it takes over, else the
// one that was active last.
func chooseOwner(listed []Facts, members []int) (owner int, why string) {
	owner = -1
	for _, m := range members {
		if !namesAnother(listed, members, m) && !takesOver.MatchString(listed[m].Head.First) {
			continue
		}
		if owner < 0 || listed[m].Job.CreatedAt.After(listed[owner].Job.CreatedAt) {
			owner, why = m, "the newest one made to carry the work on: its first prompt says so"
		}
	}
	if owner >= 0 {
		return owner, why
	}
	owner = members[0]
	for _, m := range members {
		if listed[m].Tail.LastEntry.After(listed[owner].Tail.LastEntry) {
			owner = m
		}
	}
	return owner, "the one that was active last"
}

func namesAnother(listed []Facts, members []int, m int) bool {
	for _, o := range members {
		if o == m {
			continue
		}
		j := listed[o].Job
		for _, id := range []string{j.Short, j.SessionID, j.BridgeBody} {
			if id != "" && strings.Contains(listed[m].Head.First, id) {
				return true
			}
		}
	}
	return false
}

// Find is a job by what the user typed: its short, its full id (the session's or the resumed one's), or a unique prefix
// of at least four digits.
func Find(jobs *account.Jobs, typed string) (*account.Job, error) {
	want := strings.ToLower(strings.TrimSpace(typed))
	if want == "" {
		return nil, errors.New("a session's short is empty; `recovery inventory` lists the sessions")
	}
	if j, ok := jobs.ByShort[want]; ok {
		return j, nil
	}
	var found []*account.Job
	for _, j := range jobs.List {
		if j.SessionID == want || j.ResumeSessionID == want {
			return j, nil
		}
		if len(want) >= 4 && (strings.HasPrefix(j.Short, want) || strings.HasPrefix(j.SessionID, want)) {
			found = append(found, j)
		}
	}
	switch {
	case len(found) == 1:
		return found[0], nil
	case len(found) > 1:
		shorts := make([]string, len(found))
		for i, j := range found {
			shorts[i] = j.Short
		}
		return nil, fmt.Errorf("%q fits several sessions: %s; give more digits", typed, strings.Join(shorts, ", "))
	}
	return nil, fmt.Errorf("no session %q in this account's jobs; `recovery inventory` lists them", typed)
}
