package report

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"recovery/internal/audit"
	"recovery/internal/claude"
	"recovery/internal/text"
	"recovery/review"
)

// badge is a short word with a colour; the word alone says all of it.
type badge struct{ Class, Text string }

// ref points at the card of another session.
type ref struct{ ID, Title, Short string }

// card is one session on the page. ID is its anchor, To that of its full card when this one is only a mention.
type card struct {
	ID, To, List               string
	Title, Short, Href, Thread string
	Cwd, Folder, Place, Runs   string
	Also                       []string
	Badges                     []badge
	Owner                      *ref
	OwnerShort                 string
	Twice                      []ref
	Verdict                    *verdictView
	Why                        [][]piece
	MoreWhy                    int
	Nexts                      []nextView
	Points                     []pointView
	Message                    *messageView
	Story                      *storyView
	Review                     *reviewView
	Expires                    *instant
}

// pointView is one thing to know of a session.
type pointView struct {
	Badge badge
	Text  []piece
	At    *instant
}

type verdictView struct {
	Name, Item, Go, Recommend, Money, Person string
	Open                                     []string
	MoreOpen                                 int
	Twice                                    []ref
}

type messageView struct {
	Kind, Text, Before string
	Left               string
}

type reviewView struct {
	ID, Short, State                 string
	Verdict                          *verdictView
	Unclear, Waiting, Error          string
	UserAfter                        bool
	Acted                            string
	BadLines                         int
	ReplyAt                          *instant
	Reply, Left, Size, All, Audit    string
	Tools                            []toolView
	ToolCount, MoreTools, Unreadable int
	Defects                          []pointView
}

type toolView struct {
	Name, Class, Result, Summary, Reason, Agent string
	Changed                                     []string
	MoreChanged                                 int
	Network                                     bool
}

const (
	maxOpen    = 100
	maxWhy     = 200
	maxTools   = 200
	maxChanged = 50
)

// pageBuilder makes the view of a report.
type pageBuilder struct {
	r          Report
	ids        ids
	cards      map[string]ref    // by place and short
	lists      map[string]string // the list of each, likewise
	replyLimit int
}

func (b *pageBuilder) key(p Place, short string) string { return p.key(short) }

func (b *pageBuilder) place(p Place) string {
	if len(b.r.Places) < 2 {
		return ""
	}
	return text.Clip(p.Name(), maxTitle)
}

// head fills what every mention of a session has.
func (b *pageBuilder) head(p Place, short, title, cwd string, link *string) card {
	c := card{Title: cmp.Or(text.Clip(title, maxTitle), "(no title)"), Short: text.Clip(short, 60),
		Cwd: text.Clip(cwd, maxLine), Place: b.place(p), List: b.lists[b.key(p, short)]}
	c.Href, c.Thread = thread(link)
	if to, ok := b.cards[b.key(p, short)]; ok {
		c.To = to.ID
	}
	return c
}

// full is the whole card of a session in a list.
func (b *pageBuilder) full(e Entry, list, id string) card {
	c := b.mention(e)
	c.ID, c.To, c.List = id, "", list
	c.Story = storyOf(id+"-story", e.Story, b.r.AsOf)
	c.Review = b.review(e, id)
	if e.Message != nil {
		m := &messageView{Kind: strings.TrimSpace(strings.ToUpper(text.Clip(e.Message.Kind, 60)) + " message"),
			Before: text.Clip(e.Message.Before, maxLine)}
		var left int
		if m.Text, left = cut(e.Message.Text, maxMessage); left > 0 {
			m.Left = size(left)
		}
		c.Message = m
	}
	return c
}

// mention is a card without the session's story and review.
func (b *pageBuilder) mention(e Entry) card {
	c := b.head(e.Place, e.Short, e.Title, e.Cwd, e.Link)
	c.Folder = text.Clip(e.Folder, maxLine)
	for _, p := range e.AlsoIn {
		c.Also = append(c.Also, text.Clip(p.Name(), maxTitle))
	}
	why := e.Why
	if len(why) > maxWhy {
		c.MoreWhy, why = len(why)-maxWhy, why[:maxWhy]
	}
	c.Why, c.Nexts = sentences(why), nextOf(e.Next, e.Step)
	c.Runs = text.Clip(e.state(), 60)
	if e.ExpiresAt != nil {
		c.Expires = instantOf(*e.ExpiresAt, b.r.AsOf)
	}
	if e.Review != nil {
		if n := len(e.Review.Defects); n > 0 {
			c.Badges = append(c.Badges, badge{"defect", text.Plural(n, "defect")})
		}
		if e.Review.Unclear != "" {
			c.Badges = append(c.Badges, badge{"unclear", "Unclear"})
		}
	}
	if v := e.Verdict; v != nil {
		c.Verdict = b.verdict(v, e.Place)
		c.Badges = append(c.Badges, verdictBadge(v.Verdict))
		if v.MoneyAtRisk != "" {
			c.Badges = append(c.Badges, badge{"money", "Money at risk"})
		}
		if v.PersonWaiting != "" {
			c.Badges = append(c.Badges, badge{"person", "A person waits"})
		}
		if len(v.ActsTwiceWith) > 0 {
			c.Badges = append(c.Badges, badge{"twice", "Would act twice"})
		}
	}
	if e.Owner != "" && e.Owner != e.Short {
		if to, ok := b.cards[b.key(e.Place, e.Owner)]; ok {
			c.Owner = &to
		} else {
			c.OwnerShort = text.Clip(e.Owner, 60)
		}
	}
	return c
}

func verdictBadge(name string) badge {
	class := map[string]string{review.VerdictDone: "archive_now", review.VerdictOwner: "owners",
		review.VerdictDuplicate: "duplicates", review.VerdictHeld: "held"}[name]
	return badge{cmp.Or(class, "unclear"), "Verdict " + cmp.Or(text.Clip(name, 40), "empty")}
}

func (b *pageBuilder) verdict(v *review.Verdict, p Place) *verdictView {
	out := &verdictView{Name: text.Clip(v.Verdict, 60), Item: text.Clip(v.Item, maxLine),
		Go: text.Clip(nothingIsNone(v.Go), maxLine), Recommend: text.Clip(v.Recommend, maxLine),
		Money: text.Clip(v.MoneyAtRisk, maxLine), Person: text.Clip(v.PersonWaiting, maxLine)}
	out.Open, out.MoreOpen = lines(v.Open, maxOpen)
	for _, s := range v.ActsTwiceWith {
		short := s
		if claude.IsUUID(s) {
			short = s[:8]
		}
		to, ok := b.cards[b.key(p, short)]
		if !ok {
			to = ref{Short: text.Clip(s, 60)}
		}
		if len(out.Twice) < maxOpen {
			out.Twice = append(out.Twice, to)
		}
	}
	return out
}

func (b *pageBuilder) review(e Entry, id string) *reviewView {
	r := e.Review
	if r == nil {
		return nil
	}
	v := &reviewView{ID: id + "-review", Short: text.Clip(e.Short, 60), Unclear: text.Clip(r.Unclear, maxLine),
		Waiting: text.Clip(r.Waiting, maxLine), Error: text.Clip(r.Error, maxLine),
		UserAfter: r.UserAfter, Acted: r.Acted(), BadLines: r.BadLines, ToolCount: len(r.Tools)}
	if r.ReplyAt != nil {
		v.ReplyAt = instantOf(*r.ReplyAt, b.r.AsOf)
	}
	if r.Verdict != nil {
		v.Verdict = b.verdict(r.Verdict, e.Place)
	}
	v.State = reviewState(r)
	var left int
	if v.Reply, left = cut(r.Reply, b.replyLimit); left > 0 {
		v.Left, v.Size = size(left), size(len(r.Reply))
	}
	if hexID.MatchString(e.Short) {
		v.All, v.Audit = "recovery last-reply "+e.Short, "recovery audit "+e.Short
	}
	for i, t := range r.Tools {
		// What may have changed something is shown however many calls there are.
		if len(v.Tools) >= maxTools && (t.Class == audit.Read || len(v.Tools) >= 5*maxTools) {
			v.MoreTools++
			continue
		}
		v.Tools = append(v.Tools, toolOf(r.Tools[i]))
	}
	for _, d := range r.Defects {
		v.Defects = append(v.Defects, pointView{Badge: badge{"defect", "Defect: " + text.Clip(d.Code, 60)},
			Text: pieces(d.Text)})
	}
	return v
}

func reviewState(r *review.Review) string {
	var parts []string
	switch {
	case r.Unclear != "":
		parts = append(parts, "unclear")
	case r.Verdict != nil:
		parts = append(parts, "says "+cmp.Or(text.Clip(r.Verdict.Verdict, 40), "nothing"))
	case !r.Answered:
		parts = append(parts, "not answered yet")
	}
	counts := map[audit.Class]int{}
	for _, t := range r.Tools {
		counts[classOf(t.Class)]++
	}
	if len(r.Tools) == 0 {
		parts = append(parts, "no tool calls")
	} else {
		var by []string
		for _, c := range []audit.Class{audit.Write, audit.Unknown, audit.Read} {
			if counts[c] > 0 {
				by = append(by, fmt.Sprintf("%d %s", counts[c], c))
			}
		}
		parts = append(parts, text.Plural(len(r.Tools), "tool call")+" ("+strings.Join(by, ", ")+")")
	}
	if n := len(r.Defects); n > 0 {
		parts = append(parts, text.Plural(n, "defect"))
	}
	return strings.Join(parts, " · ")
}

// classOf takes a class that is none of the three for one that cannot be judged.
func classOf(c audit.Class) audit.Class {
	if c == audit.Read || c == audit.Write {
		return c
	}
	return audit.Unknown
}

func toolOf(t review.Tool) toolView {
	v := toolView{Name: cmp.Or(text.Clip(t.Name, 200), "(no name)"), Class: string(classOf(t.Class)),
		Result: cmp.Or(text.Clip(t.Result, 60), "not known"), Summary: text.Clip(t.Summary, maxLine),
		Reason: text.Clip(t.Reason, maxLine),
		Agent:  text.Clip(t.Agent, 200), Network: t.Network}
	v.Changed, v.MoreChanged = lines(t.ChangedFiles, maxChanged)
	return v
}

func timeOf(t *time.Time, asOf time.Time) *instant {
	if t == nil {
		return nil
	}
	return instantOf(*t, asOf)
}
