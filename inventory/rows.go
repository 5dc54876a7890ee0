package inventory

// Rows are sessions as the grouping sees them; repo is a world's Repositories.
func Rows(facts []Facts, repo func(folder string) string) []Row {
	out := make([]Row, 0, len(facts))
	for _, f := range facts {
		r := f.row(repo(f.Folder))
		r.Lead, r.ContinuedIn = append([]string{}, r.Lead...), append([]string{}, r.ContinuedIn...)
		out = append(out, r)
	}
	return out
}
