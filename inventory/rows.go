package inventory

// Rows are what grouping over several accounts needs of each session.
func Rows(w *World, facts []Facts) []Row {
	repos := w.repositories()
	out := make([]Row, 0, len(facts))
	for _, f := range facts {
		r := f.row(repos(f.Folder))
		r.Lead, r.ContinuedIn = append([]string{}, r.Lead...), append([]string{}, r.ContinuedIn...)
		out = append(out, r)
	}
	return out
}

// Repository is the main checkout of the repository that a folder belongs to, else the folder itself; empty for no folder.
func Repository(w *World, folder string) string { return w.repositories()(folder) }
