package inventory

// ItemIDs are the tickets, alerts, changes, invoices and the like that a text is about, as keys: two texts that share
// one are about one thing. weak are those in a spelling that a word and a number can look like, which match a plain
// one and never each other. repo is the repository in which the numbers of pull requests and issues count; without it
// those are left out.
func ItemIDs(text, repo string) (ids, weak []string) {
	row := Row{Repo: repo}
	for _, id := range named(text, false) {
		switch {
		case id.scope == repoScope && repo == "":
		case id.weak:
			weak = append(weak, id.keys(&row)...)
		default:
			ids = append(ids, id.keys(&row)...)
		}
	}
	return ids, weak
}
