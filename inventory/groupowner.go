package inventory

import (
	"regexp"
	"strings"
)

// takesOver are the words with which a first prompt says that its session carries other work on.
var takesOver = regexp.MustCompile(`(?i)\b(take(s|n)? over|taking over|takeover|continue[sd]? (the )?work ` +
	`of|carr(y|ies) on|hand-?over|picks? up (from|where)` +
	`|übernimm|übernehme|knüpfe an|führe .{0,40}\bfort|reprends?|prends? le relais|retoma|toma el ` +
	`relevo|assuma|prosegui)\b|接手|接着做|继续处理|接管|引き継|продолжи работу|возьми на себя`)

// owner proposes the session that owns the work: one that runs, since it goes on by itself; among several the newest
// one whose first prompt names another one of the group or says that it takes over, else the one that was active
// last.
func (g *graph) owner(members []int) (owner int, why string) {
	var live []int
	for _, m := range members {
		if g.rows[m].Live {
			live = append(live, m)
		}
	}
	switch {
	case len(live) == 1:
		return live[0], "it runs right now"
	case len(live) > 1:
		owner, why = g.ownerOf(live)
		return owner, "of those that run right now, " + why
	}
	return g.ownerOf(members)
}

func (g *graph) ownerOf(members []int) (owner int, why string) {
	newer := func(a, b int) bool {
		if x, y := g.rows[a].CreatedAt, g.rows[b].CreatedAt; !x.Equal(y) {
			return x.After(y)
		}
		return g.rows[a].LastActive.After(g.rows[b].LastActive)
	}
	owner = -1
	for _, m := range members {
		if (g.namesAnother(members, m) || takesOver.MatchString(g.rows[m].First)) && (owner < 0 || newer(m, owner)) {
			owner = m
		}
	}
	if owner >= 0 {
		return owner, "the newest one made to carry the work on: its first prompt says so"
	}
	owner = members[0]
	for _, m := range members[1:] {
		x, y := g.rows[m].LastActive, g.rows[owner].LastActive
		if x.After(y) || x.Equal(y) && g.rows[m].CreatedAt.After(g.rows[owner].CreatedAt) {
			owner = m
		}
	}
	return owner, "the one that was active last"
}

func (g *graph) namesAnother(members []int, m int) bool {
	for _, o := range members {
		if o == m {
			continue
		}
		r := &g.rows[o]
		for _, id := range []string{r.Short, r.SessionID, r.BridgeBody} {
			if id != "" && strings.Contains(g.rows[m].First, id) {
				return true
			}
		}
	}
	return false
}
