package inventory

// ItemIDs are the tickets, alerts, changes, invoices and the like that a text is about, as keys: two texts that share one are
// about one thing. repo is the repository in which the numbers of pull requests and issues count; without it those are left out.
// Ids in a spelling that a word and a number can look like are left out too.
func ItemIDs(text, repo string) []string {
	row := Row{Repo: repo}
	var out []string
	for _, id := range named(text, false) {
		if id.weak || id.scope == repoScope && repo == "" {
			continue
		}
		out = append(out, id.keys(&row)...)
	}
	return out
}
