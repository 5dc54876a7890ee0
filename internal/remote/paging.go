package remote

import "time"

// stop is where one page ends in the list that it is a page of.
type stop struct {
	more  bool
	empty bool
	far   time.Time // time of the row furthest along the list; zero when no row has one
	next  string    // what to page on from
	order int
	saved time.Time
}

// reach says whether the pages reach the end of the list, and otherwise from which page to go on. The next page is
// not named by the one before it, so a missing page in the middle cannot be seen; what can be told is this: a page
// that says "no more" ends the list, and a page with rows further along than that one that says "more" contradicts it
// (two different lists): then the list is not complete. further(a, b) says that a is further along than b.
func reach(stops []stop, further func(a, b time.Time) bool) (end bool, from stop, contradiction bool) {
	var more, last *stop
	emptyEnd, untimedEnd := false, false
	for i := range stops {
		s := &stops[i]
		switch {
		case s.more:
			if more == nil || laterStop(*s, *more, further) {
				more = s
			}
		case s.empty:
			emptyEnd = true
		case s.far.IsZero():
			untimedEnd = true
		case last == nil || further(s.far, last.far):
			last = s
		}
	}
	switch {
	case more == nil:
		return true, stop{}, false
	case emptyEnd, untimedEnd:
		return true, stop{}, false
	case last == nil:
		return false, *more, false
	}
	for i := range stops {
		if s := stops[i]; s.more && !s.far.IsZero() && further(s.far, last.far) {
			return false, *more, true
		}
	}
	return true, stop{}, false
}

// laterStop says that a lies further along than b. A page without rows or times has no place of its own: it was saved
// while paging, so the later one is the further one, if it has something to go on from.
func laterStop(a, b stop, further func(a, b time.Time) bool) bool {
	if !a.far.IsZero() && !b.far.IsZero() && !a.far.Equal(b.far) {
		return further(a.far, b.far)
	}
	if (a.next == "") != (b.next == "") {
		return a.next != ""
	}
	if !a.saved.Equal(b.saved) {
		return a.saved.After(b.saved)
	}
	return a.order > b.order
}
