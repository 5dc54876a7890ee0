package report

import (
	"sort"

	"recovery/internal/account"
	"recovery/inventory"
)

// builder goes through the sessions of one account.
type builder struct {
	Input
	report *Report
	listed map[string]bool
	// folders are the git states that were looked at: many sessions work in one folder.
	folders map[string]string
	// repo tells the repository of a folder; nil without a world.
	repo func(folder string) string
	// archived counts what was archived since the inventory was made.
	archived int
	wraps    []wrapOf
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
		b.add(Entry{SessionName: inventory.NameOnRecord(short, last.SessionID, last.Link, last.Title), Cwd: last.Cwd}, nil)
	}
}

// live are the sessions that run and stand nowhere else.
func (b *builder) live() {
	if b.World == nil {
		return
	}
	for _, j := range b.World.Jobs.List {
		if b.listed[j.Short] || j.Archived || b.World.Liveness(j).State != account.Live {
			continue
		}
		b.add(Entry{SessionName: b.World.Name(j), Cwd: j.Cwd}, nil)
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
	e.Place, e.Why, e.AlsoIn, e.Role = b.Place, []string{}, []Place{}, "single"
	e.Owner = b.Inventory.OwnerOf(e.Short)
	if it != nil && it.Role != "" {
		e.Role = it.Role
	}
	if e.Title == "" && b.World != nil {
		if j := b.World.Jobs.ByShort[e.Short]; j != nil {
			e.Title = j.Title()
		}
	}
	e.Story = b.story(e.Short, it)
	return e
}
