package message

import (
	"errors"
	"path/filepath"
	"slices"
	"sort"
	"strings"

	"recovery/internal/account"
	"recovery/internal/audit"
	"recovery/internal/journal"
	"recovery/inventory"
	"recovery/prompts"
	"recovery/review"
	"recovery/standing"
)

// Input is what the messages are made of.
type Input struct {
	World *inventory.World
	Rules *audit.Rules
	State *journal.State
	// Inventory gives the groups and what a page says; nil when there is none.
	Inventory *inventory.Inventory
	Data      Data
	// Standing says where a session stands; nil makes it of the rest, without a queue check.
	Standing func(short string) standing.Standing
}

// Omitted are words of a review that stand in no text, since they may not be sent.
type Omitted struct {
	Short  string `json:"short"`
	Text   string `json:"text"`
	Reason string `json:"reason"`
	// Own says that the session itself wrote them, so that its review has them; Doubt that the check cannot tell them
	// from an approval.
	Own   bool `json:"-"`
	Doubt bool `json:"-"`
}

// Plan is the work of all owners, split.
type Plan struct {
	in       Input
	repo     func(folder string) string // the repository of a folder
	reviewed map[string]*Reviewed
	sections map[string]*prompts.Section
	omitted  map[string][]Omitted
	tasks    []*task
	// shared are, for each session, those that have an item of its own now.
	shared map[string][]string
}

// Build reads the reviews of all sessions that were woken, and of the named ones, and splits the open items of the
// owners. Each item goes to one session, whatever is named: a message that is made later splits in the same way.
func Build(in Input, named ...string) *Plan {
	if in.Standing == nil {
		source := standing.Source{World: in.World, Inventory: in.Inventory, State: in.State, Rules: in.Rules}
		in.Standing = standing.NewBook(source).Of
	}
	p := &Plan{in: in, repo: in.World.Repositories(), reviewed: map[string]*Reviewed{},
		sections: map[string]*prompts.Section{}, omitted: map[string][]Omitted{}, shared: map[string][]string{}}
	for short, s := range in.State.Sessions {
		if s.LastSent() != nil || s.Review != nil {
			p.read(short)
		}
	}
	for _, short := range named {
		p.read(short)
		if in.Inventory == nil {
			continue
		}
		// A group's sessions may have been reviewed in a recovery whose record is gone.
		p.read(in.Inventory.OwnerOf(short))
		for _, d := range in.Inventory.DuplicatesOf(short) {
			p.read(d)
		}
	}
	owners := p.owners()
	for _, r := range owners {
		p.own(r)
	}
	for _, r := range p.duplicates() {
		p.lend(r)
	}
	return p
}

// Of gives a session's review; nil when the session is not in this account.
func (p *Plan) Of(short string) *Reviewed {
	p.read(short)
	return p.reviewed[short]
}

func (p *Plan) read(short string) {
	job := p.in.World.Jobs.ByShort[short]
	if job == nil || p.reviewed[short] != nil {
		return
	}
	r := &Reviewed{Job: job}
	p.reviewed[short] = r
	s, ok := p.in.State.Sessions[short]
	if !ok {
		s = &journal.Session{Short: short}
	}
	var none *review.NotWokenError
	if r.Last, r.Err = review.Of(p.in.World, p.in.Rules, s); errors.As(r.Err, &none) {
		r.Err = nil
		return
	}
	r.Woken, r.Review = true, r.Last
	if r.Err == nil && r.Last.Plan {
		r.Review, r.Err = review.Before(p.in.World, p.in.Rules, s)
	}
}

// owners are the sessions whose work the plan holds, those that own a group first, then the newest: none of that
// changes while a recovery goes on, so a split stays what it was.
func (p *Plan) owners() []*Reviewed {
	var out []*Reviewed
	for short, r := range p.reviewed {
		if r.Verdict() == review.VerdictOwner && !p.over(short) {
			out = append(out, r)
		}
	}
	rank := func(r *Reviewed) int {
		if p.in.Inventory != nil && len(p.in.Inventory.DuplicatesOf(r.Job.Short)) > 0 {
			return 0
		}
		return 1
	}
	sort.Slice(out, func(i, j int) bool {
		a, b := out[i], out[j]
		switch {
		case rank(a) != rank(b):
			return rank(a) < rank(b)
		case !a.Job.CreatedAt.Equal(b.Job.CreatedAt):
			return a.Job.CreatedAt.After(b.Job.CreatedAt)
		}
		return a.Job.Short < b.Job.Short
	})
	return out
}

func (p *Plan) duplicates() []*Reviewed {
	var out []*Reviewed
	for _, r := range p.reviewed {
		if r.Verdict() == review.VerdictDuplicate {
			out = append(out, r)
		}
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Job.Short < out[j].Job.Short })
	return out
}

// over says that nothing is asked of a session any more: it wrapped, or is archived.
func (p *Plan) over(short string) bool {
	switch p.in.Standing(short).Place {
	case standing.Archived, standing.ArchiveNow, standing.LookFirst:
		return true
	}
	return false
}

// own puts an owner's items into its section: those that nobody has yet, and, apart, those that another owner has.
func (p *Plan) own(r *Reviewed) {
	short := r.Job.Short
	s := &prompts.Section{Short: short, Known: p.known(short), Data: p.in.Data.For[short]}
	p.sections[short] = s
	if item := r.Review.Verdict.Item; item != "" {
		if err := prompts.Words(item, true); err != nil {
			p.omit(short, short, item, err)
		} else {
			s.Item = []string{item}
		}
	}
	for _, words := range lines(r.Review.Verdict.Open) {
		t := p.task(words, r.Job)
		refused := prompts.Words(words, false)
		if refused != nil {
			p.omit(short, short, words, refused)
		}
		sendable := refused == nil
		other := p.holder(t, short)
		if other == nil {
			t.holder = short
			p.tasks = append(p.tasks, t)
			if sendable {
				s.Open = append(s.Open, words)
			}
			continue
		}
		if !slices.Contains(p.shared[short], other.holder) {
			p.shared[short] = append(p.shared[short], other.holder)
		}
		switch {
		case sendable:
			share(&s.Left, other.holder, words)
			if !strings.EqualFold(words, other.text) {
				share(&p.sections[other.holder].Also, short, words)
			}
		default:
			if prompts.Words(other.text, false) == nil {
				share(&s.Left, other.holder, other.text)
			}
			p.omit(other.holder, short, words, refused)
		}
	}
}

// lend gives a duplicate's items to its owner, as far as no owner has them.
func (p *Plan) lend(r *Reviewed) {
	owner := p.ownerOf(r)
	if p.sections[owner] == nil {
		return
	}
	for _, words := range lines(r.Review.Verdict.Open) {
		t := p.task(words, r.Job)
		if p.holder(t, r.Job.Short) != nil {
			continue
		}
		t.holder = owner
		p.tasks = append(p.tasks, t)
		if err := prompts.Words(words, false); err != nil {
			p.omit(owner, r.Job.Short, words, err)
			continue
		}
		share(&p.sections[owner].Also, r.Job.Short, words)
	}
}

// ownerOf is the owner of a duplicate: its group's, else the one that its review names.
func (p *Plan) ownerOf(r *Reviewed) string {
	if p.in.Inventory != nil {
		if owner := p.in.Inventory.OwnerOf(r.Job.Short); p.sections[owner] != nil {
			return owner
		}
	}
	for _, id := range r.Review.Verdict.ActsTwiceWith {
		if short := id[:min(8, len(id))]; p.sections[short] != nil {
			return short
		}
	}
	return ""
}

func (p *Plan) task(words string, job *account.Job) *task {
	repo := p.repo(job.Cwd)
	if repo != "" {
		if _, err := p.in.World.Account.Stat(filepath.Join(repo, ".git")); err != nil {
			repo = "" // a folder: which repository a number counts in is not known
		}
	}
	return taskOf(words, repo, job.Cwd)
}

// holder is the same task in another session; nil when nobody has it.
func (p *Plan) holder(t *task, short string) *task {
	for _, o := range p.tasks {
		if o.holder != short && t.same(o, p.sameWork(short, o.holder)) {
			return o
		}
	}
	return nil
}

// sameWork says that two sessions work on one thing: a group holds both, a review names the other, or their items are
// one.
func (p *Plan) sameWork(a, b string) bool {
	x, y := p.reviewed[a].Review.Verdict, p.reviewed[b].Review.Verdict
	names := func(list []string, short string) bool {
		return slices.ContainsFunc(list, func(id string) bool { return strings.HasPrefix(id, short) })
	}
	if names(x.ActsTwiceWith, b) || names(y.ActsTwiceWith, a) {
		return true
	}
	if p.in.Inventory != nil && (p.in.Inventory.OwnerOf(a) == b || p.in.Inventory.OwnerOf(b) == a) {
		return true
	}
	t, o := p.task(x.Item, p.reviewed[a].Job), p.task(y.Item, p.reviewed[b].Job)
	return len(t.keys) > 0 && len(o.keys) > 0 && t.same(o, false)
}

func (p *Plan) omit(section, whose, words string, err error) {
	o := Omitted{Short: whose, Text: words, Reason: err.Error(), Own: whose == section}
	var approval *prompts.ApprovalError
	if errors.As(err, &approval) {
		o.Reason, o.Doubt = approval.Why, approval.Doubt()
	}
	p.omitted[section] = append(p.omitted[section], o)
	if s := p.sections[section]; s != nil {
		s.Omitted++
	}
}

// share adds words to what a section shares with a session.
func share(list *[]prompts.Share, short, words string) {
	for i := range *list {
		if (*list)[i].Short == short {
			if !slices.Contains((*list)[i].Open, words) {
				(*list)[i].Open = append((*list)[i].Open, words)
			}
			return
		}
	}
	*list = append(*list, prompts.Share{Short: short, Open: []string{words}})
}

// lines are the items as one line each.
func lines(items []string) []string {
	var out []string
	for _, it := range items {
		for _, line := range strings.FieldsFunc(it, func(r rune) bool {
			return r == '\n' || r == '\r' || r == '\u2028' || r == '\u2029' || r == '\v' || r == '\f' || r == '\u0085'
		}) {
			if line = strings.TrimSpace(line); line != "" && !slices.Contains(out, line) {
				out = append(out, line)
			}
		}
	}
	return out
}
