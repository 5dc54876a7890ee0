package message

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"recovery/internal/account"
	"recovery/inventory"
	"recovery/prompts"
)

// Prep is the text that asks one session for its final plan, by a wake; promptID is a UUID. Words of reviews that may
// not be sent are left out and told.
func (p *Plan) Prep(short, promptID string, casualty bool) (string, []Omitted, error) {
	s := p.sections[short]
	if s == nil {
		return "", nil, fmt.Errorf("session %s has no section in the plan: its review does not say OWNER", short)
	}
	return p.prep(prompts.Message{Sections: []prompts.Section{*s}, All: p.in.Data.All, PromptID: promptID,
		Casualty: casualty})
}

// prep renders the text and takes out, word by word, what only reads as an approval together with what stands beside
// it.
func (p *Plan) prep(m prompts.Message) (string, []Omitted, error) {
	var omitted []Omitted
	for _, s := range m.Sections {
		if !s.Wrong {
			omitted = append(omitted, p.omitted[s.Short]...)
		}
	}
	for {
		text, err := prompts.RenderPrep(m)
		var approval *prompts.ApprovalError
		if err == nil || !errors.As(err, &approval) {
			return text, omitted, err
		}
		gone, ok := drop(&m, approval)
		if !ok {
			return "", omitted, err
		}
		omitted = append(omitted, gone...)
	}
}

// drop takes the words of a line out of a message; it says whether it found them. The user's data is never dropped.
func drop(m *prompts.Message, bad *prompts.ApprovalError) (gone []Omitted, found bool) {
	sections := make([]prompts.Section, len(m.Sections))
	for i, s := range m.Sections {
		take := func(list []string, label, whose string) []string {
			kept := []string{}
			for _, words := range list {
				if "> "+label+strings.TrimSpace(words) != bad.Text {
					kept = append(kept, words)
					continue
				}
				gone, found = append(gone, Omitted{Short: whose, Text: words, Reason: bad.Why, Own: whose == s.Short,
					Doubt: bad.Doubt()}), true
				s.Omitted++
			}
			return kept
		}
		shares := func(list []prompts.Share, own bool) (out []prompts.Share) {
			for _, x := range list {
				whose := x.Short
				if own {
					whose = s.Short
				}
				if open := take(x.Open, "Open item: ", whose); len(open) > 0 {
					out = append(out, prompts.Share{Short: x.Short, Open: open})
				}
			}
			return out
		}
		s.Item = take(s.Item, "Item: ", s.Short)
		s.Open = take(s.Open, "Open item: ", s.Short)
		s.Also = shares(s.Also, false)
		s.Left = shares(s.Left, true)
		sections[i] = s
	}
	m.Sections = sections
	return gone, found
}

// texts makes the one text for all sessions of each name, for those that are to get one.
func (p *Plan) texts(kind Kind, items []Item) error {
	done := map[string]bool{}
	for i := range items {
		name := p.name(items[i].Short)
		if !items[i].sendable() || done[name] {
			continue
		}
		done[name] = true
		m := prompts.Message{All: p.in.Data.All}
		var meant []*Item
		for k := range items {
			if p.name(items[k].Short) == name && items[k].sendable() {
				meant = append(meant, &items[k])
				m.Sections = append(m.Sections, p.section(kind, &items[k]))
			}
		}
		for _, short := range p.namesakes(name) {
			if !slices.ContainsFunc(m.Sections, func(s prompts.Section) bool { return s.Short == short }) {
				m.Sections = append(m.Sections, prompts.Section{Short: short, Wrong: true})
			}
		}
		text, omitted, err := p.render(kind, m)
		if err != nil {
			return fmt.Errorf("the text for the sessions named like %s is not made: %w", items[i].Short, err)
		}
		for _, it := range meant {
			for _, s := range m.Sections {
				if s.Short != it.Short {
					it.SameName = append(it.SameName, s.Short)
				}
			}
			it.Omitted = append(it.Omitted, omitted...)
			it.Text = text
		}
	}
	return nil
}

func (p *Plan) section(kind Kind, it *Item) prompts.Section {
	switch kind {
	case Prep:
		return *p.sections[it.Short]
	case Nudge:
		of := prompts.ReviewMarker
		if p.Of(it.Short).Last.Plan {
			of = prompts.PrepMarker
		}
		return prompts.Section{Short: it.Short, Known: p.known(it.Short), Of: of}
	}
	return prompts.Section{Short: it.Short, Known: p.known(it.Short), ReviewOnly: kind == ReviewWrap,
		Data: p.in.Data.For[it.Short]}
}

func (p *Plan) render(kind Kind, m prompts.Message) (string, []Omitted, error) {
	switch kind {
	case Prep:
		return p.prep(m)
	case Nudge:
		m.All = nil
		text, err := prompts.RenderNudges(m)
		return text, nil, err
	}
	text, err := prompts.RenderWraps(m)
	return text, nil, err
}

// name is what sessions are addressed by. A session without one is alone.
func (p *Plan) name(short string) string {
	if j := p.in.World.Jobs.ByShort[short]; j != nil {
		if name := strings.ToLower(strings.Join(strings.Fields(j.Title()), " ")); name != "" {
			return name
		}
	}
	return "session " + short
}

// maxNamesakes bounds the sections for sessions that only share a name. A session without a section is told by the
// text that it is not meant; those that run are the ones that a message can reach, so they come first.
const maxNamesakes = 12

// closed says that a session is archived, by its job or by the saved pages: no message is addressed to it.
func (p *Plan) closed(j *account.Job) bool {
	return j.Archived || p.in.Inventory != nil && p.in.Inventory.Excluded(j.Short) == inventory.PageArchived
}

// namesakes are the sessions of one name that are not archived, those that may run first, then the newest.
func (p *Plan) namesakes(name string) []string {
	type namesake struct {
		short   string
		offline bool
		made    time.Time
	}
	var all []namesake
	for _, j := range p.in.World.Jobs.List {
		if p.name(j.Short) == name && !p.closed(j) {
			all = append(all, namesake{j.Short, p.in.World.Liveness(j).State == account.Offline, j.CreatedAt})
		}
	}
	slices.SortFunc(all, func(a, b namesake) int {
		switch {
		case a.offline != b.offline && b.offline:
			return -1
		case a.offline != b.offline:
			return 1
		case !a.made.Equal(b.made):
			return b.made.Compare(a.made)
		}
		return strings.Compare(a.short, b.short)
	})
	var out []string
	for _, n := range all {
		if !n.offline || len(out) < maxNamesakes {
			out = append(out, n.short)
		}
	}
	return out
}

// known are the other ids by which a session may know itself.
func (p *Plan) known(short string) []string {
	if j := p.in.World.Jobs.ByShort[short]; j != nil {
		return j.OtherIDs()
	}
	return nil
}
