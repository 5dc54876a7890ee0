package inventory

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"recovery/internal/journal"
	"recovery/internal/text"

	"gopkg.in/yaml.v3"
)

const groupsHead = `# Groups of sessions that seem to be the same work, as recovery proposes them. This file is yours: what stands under "groups"
# is what counts, and recovery does not change it again.
#
# - Reviews begin with a group's duplicates; its owner comes last and carries the open items.
# - Another owner: change "owner" to another member. Not the same work: take the session out of "members", or remove the group.
# - A session under "single" is in no group and is proposed no more.
# - New sessions are written below, under "proposed", where they do not count: move what is right into "groups".
`

const proposedHead = `# Proposed since, and not in force. This part is written anew by each inventory: move what is right into "groups" above.
`

// WriteProposal gives the groups file: a new one when existing is nil, else the user's own with the proposals under
// it that it does not hold. The bytes are those of the existing file when there is nothing new to say. Give it the
// inventory as Build made it, before ApplyGroups.
func WriteProposal(inv *Inventory, existing *GroupFile) []byte {
	titles := map[string]string{}
	for _, it := range inv.Items {
		titles[it.Short] = it.Title
	}
	var b bytes.Buffer
	if existing == nil {
		b.WriteString(groupsHead)
		if len(inv.Groups) == 0 {
			b.WriteString("\ngroups: []\n")
			return b.Bytes()
		}
		b.WriteString("\ngroups:\n")
		for _, g := range inv.Groups {
			writeGroup(&b, g, titles)
		}
		return b.Bytes()
	}
	b.Write(existing.kept)
	fresh := existing.fresh(inv.Groups)
	if len(fresh) == 0 {
		return b.Bytes()
	}
	if n := len(existing.kept); n > 0 && existing.kept[n-1] != '\n' {
		b.WriteByte('\n')
	}
	b.WriteString(proposedHead)
	part := bytes.NewBufferString("proposed:\n")
	for _, g := range fresh {
		writeGroup(part, g, titles)
	}
	if whole := append(bytes.Clone(b.Bytes()), part.Bytes()...); readable(whole) {
		return whole
	}
	// A key cannot follow a file in braces or one with an end mark: there the proposals are comments.
	for line := range bytes.Lines(part.Bytes()) {
		b.WriteString("# ")
		b.Write(line)
	}
	return b.Bytes()
}

// readable says that a file is one YAML map with proposals.
func readable(data []byte) bool {
	root, err := text.YAML(data)
	if err != nil || root == nil || root.Kind != yaml.MappingNode {
		return false
	}
	top := root.Content
	return len(top) >= 2 && top[len(top)-2].Value == "proposed" && top[len(top)-1].Kind == yaml.SequenceNode
}

// Fresh are the proposals that the file does not hold: groups of sessions that are new to it, each without the
// sessions that the user keeps single. One that reaches into the user's groups names all of its sessions.
func (f *GroupFile) Fresh(proposals []Group) []Group { return f.fresh(proposals) }

func (f *GroupFile) fresh(proposals []Group) []Group {
	in, taken := map[string]string{}, map[string]bool{}
	for _, g := range f.Groups {
		taken[g.Name] = true
		for _, m := range g.Members {
			in[m] = g.Name
		}
	}
	var out []Group
	for _, g := range proposals {
		members := slices.DeleteFunc(slices.Clone(g.Members), func(m string) bool { return slices.Contains(f.Single, m) })
		strangers, theirs := 0, map[string]bool{}
		for _, m := range members {
			if in[m] == "" {
				strangers++
			} else {
				theirs[in[m]] = true
			}
		}
		// Sessions that the user sorted into groups, all of them, are settled, however they were sorted.
		if len(members) < 2 || strangers == 0 {
			continue
		}
		n := Group{Members: members, Owner: g.Owner, Reason: g.Reason, Why: g.Why}
		if !slices.Contains(members, n.Owner) {
			n.Owner, n.Why = members[0], "the first of those that are left"
		}
		if len(theirs) > 0 {
			n.Reason = fmt.Sprintf("seems to belong to your %s: %s", strings.Join(ordered(theirs), " and "), n.Reason)
		}
		for i := 1; n.Name == "" || taken[n.Name]; i++ {
			n.Name = fmt.Sprintf("n%d", i)
		}
		taken[n.Name] = true
		out = append(out, n)
	}
	return out
}

func writeGroup(b *bytes.Buffer, g Group, titles map[string]string) {
	titled := func(short string) string {
		if t := text.Clip(titles[short], 70); t != "" {
			return "  # " + t
		}
		return ""
	}
	fmt.Fprintf(b, "  - name: %s\n", quoted(g.Name))
	fmt.Fprintf(b, "    # why together: %s\n", text.Line(g.Reason))
	fmt.Fprintf(b, "    # why this owner: %s\n", text.Line(g.Why))
	fmt.Fprintf(b, "    owner: %s\n    members:\n", quoted(g.Owner))
	for _, m := range g.Members {
		fmt.Fprintf(b, "      - %s%s\n", quoted(m), titled(m))
	}
}

// quoted is a word as YAML reads it back: eight digits alone would be a number.
func quoted(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text.Line(s)) + `"`
}

// ApplyGroups puts the user's groups into force: the inventory's groups are then the file's, each item has its group
// and role, and what the file does not settle is a proposal that does not count. A nil file leaves the inventory as
// it is. Reasons that the file does not give are those of the proposal with the same members.
func (inv *Inventory) ApplyGroups(f *GroupFile) {
	if f == nil {
		return
	}
	proposals := inv.Groups
	var groups []Group
	for _, g := range f.Groups {
		g.Members = slices.Sorted(slices.Values(g.Members))
		var like *Group
		for i := range proposals {
			if slices.Equal(proposals[i].Members, g.Members) {
				like = &proposals[i]
			}
		}
		if g.Reason == "" {
			if g.Reason = "grouped in " + journal.GroupsFile; like != nil {
				g.Reason = like.Reason
			}
		}
		if g.Why == "" {
			if g.Why = "named in " + journal.GroupsFile; like != nil && like.Owner == g.Owner {
				g.Why = like.Why
			}
		}
		groups = append(groups, g)
	}
	inv.setGroups(groups)
	for _, g := range f.fresh(proposals) {
		inv.Warnings = append(inv.Warnings, fmt.Sprintf("%s may be the same work and stand in no group of %s: %s. Move "+
			"them into its groups, or under single",
			strings.Join(g.Members, ", "), journal.GroupsFile, g.Reason))
	}
}
