package inventory

import (
	"regexp"
	"slices"
	"strings"

	"recovery/internal/text"
	"recovery/prompts"
)

// OwnerOf gives the session that owns the work of a duplicate; empty when the session is an owner itself or stands
// alone.
func (inv *Inventory) OwnerOf(short string) string {
	for _, g := range inv.Groups {
		if g.Owner != short && slices.Contains(g.Members, short) {
			return g.Owner
		}
	}
	return ""
}

// DuplicatesOf gives the duplicates of an owner, in the order of their group; none when it owns no group.
func (inv *Inventory) DuplicatesOf(owner string) []string {
	var out []string
	for _, g := range inv.Groups {
		if g.Owner != owner {
			continue
		}
		for _, m := range g.Members {
			if m != owner {
				out = append(out, m)
			}
		}
	}
	return out
}

// WakeOrder orders sessions that are to be woken: duplicates first, then sessions that stand alone, then owners. Each
// keeps its place among its like. A short that the inventory does not know stands alone.
func (inv *Inventory) WakeOrder(shorts []string) []string {
	duplicate, owner := map[string]bool{}, map[string]bool{}
	for _, g := range inv.Groups {
		owner[g.Owner] = true
		for _, m := range g.Members {
			duplicate[m] = m != g.Owner
		}
	}
	rank := func(s string) int {
		switch {
		case duplicate[s]:
			return 0
		case owner[s]:
			return 2
		}
		return 1
	}
	out := slices.Clone(shorts)
	slices.SortStableFunc(out, func(a, b string) int { return rank(a) - rank(b) })
	return out
}

const (
	// maxOpen is how many open items of an owner a duplicate is told, openBytes how long one is at most.
	maxOpen   = 20
	openBytes = 300
)

var (
	openHeading = regexp.MustCompile(`(?i)^(?:#+\s*|\*\*\s*|__\s*)?(?:still |what is |what's |remaining |offene?s? ` +
		`)?(?:open(?: items| points| questions)?|left|left to do|to ?do|todos?|remaining|next ` +
		`steps?|pending|outstanding|not done(?: yet)?` +
		`|offen|offene punkte|noch zu tun|nächste schritte|pendientes?|por hacer|próximos pasos|à faire|reste à ` +
		`faire|pendências|待办|未完成|剩余|下一步|残り|осталось)\s*(?:\*\*|__)?\s*[:：]?\s*(?:\*\*|__)?$`)
	anyHeading = regexp.MustCompile(`^(?:#+\s|\*\*[^*]+\*\*\s*[:：]?\s*$|[A-Z][\w ]{1,40}[:：]\s*$)`)
	listItem   = regexp.MustCompile(`^\s*(?:[-*+•]|\d{1,2}[.)])\s+(.*)$`)
	checkbox   = regexp.MustCompile(`^\[([ xX])\]\s*(.*)$`)
)

// OwnerOpen reads the open items from an owner's latest reply: what stands in a list under a heading like "Open" or
// "Next steps", and boxes that are not ticked. Items that a prompt may not hold, because they read as an approval or
// imitate recovery's own marks, are left out, and dropped counts them. A review's verdict block says more: use its
// open list where there is one.
func OwnerOpen(reply string) (items []string, dropped int) {
	open := false
	var fences text.Fences
	for _, line := range strings.Split(text.CutBytes(reply, 256<<10, ""), "\n") {
		plain := strings.TrimSpace(line)
		if at, _ := fences.Next(plain); at != text.Outside {
			continue
		}
		m := listItem.FindStringSubmatch(line)
		switch {
		case openHeading.MatchString(plain):
			open = true
			continue
		case m == nil:
			open = open && !anyHeading.MatchString(plain)
			continue
		}
		item := strings.TrimSpace(m[1])
		box := checkbox.FindStringSubmatch(item)
		if box != nil {
			item = box[2]
		}
		if item == "" || box != nil && box[1] != " " || box == nil && !open || slices.Contains(items,
			text.CutBytes(item, openBytes, "")) {
			continue
		}
		item = text.CutBytes(item, openBytes, "")
		if len(items) == maxOpen || !sendable(item) {
			dropped++
			continue
		}
		items = append(items, item)
	}
	return items, dropped
}

// sendable asks the prompt itself: what is checked is the text that would be sent.
func sendable(item string) bool {
	_, err := prompts.RenderReview(prompts.Review{Short: "00000000", PromptID: "00000000-0000-4000-8000-000000000000",
		DuplicateOf: "00000001", OwnerOpen: []string{item}})
	return err == nil
}
