package report

import (
	"sort"

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
