package standing

import (
	"slices"
	"time"

	"recovery/internal/claude"
)

// batch is how many sessions one next names at most: a batch of wakes.
const batch = 5

// wholeOrder is what comes first when one next is drawn from many sessions: what may do harm, what is open, what can
// go on by itself, what the user looks at, and what is only to be archived.
var wholeOrder = [][]Place{
	{HasDefect}, {Intended}, {Waiting}, {Unanswered, Uncertain}, {Saved}, {Pass, Confirmed, NotSent}, {Wrapping},
	{Died, Error},
	{Listed}, {Check}, {Owner, OwnerPlanned}, {Blocked}, {LookFirst}, {WentOn}, {OutOfDate}, {Unclear}, {Finished},
	{Duplicate},
	{WrapHeld, Held}, {Gone}, {ArchiveNow},
}

// Whole is the one next of a whole recovery: one short command, or one act. deferred is a time before which nothing
// is woken; zero for none. It is zero when nothing is left to do.
func Whole(all []Standing, deferred time.Time) Next {
	for _, places := range wholeOrder {
		var here []Standing
		for _, s := range all {
			if s.Next.IsZero() {
				continue
			}
			if slices.Contains(places, rank(&s)) {
				here = append(here, s)
			}
		}
		if len(here) == 0 {
			continue
		}
		next := together(here)
		if len(next.Run) > 0 && next.Run[0] == "resume" {
			next.After = deferred
		}
		return next
	}
	return Next{}
}

// rank is the place in whose turn a session comes. An error that every session of the account would meet comes before
// the next wake; a limit has a time after which it is over, and holds nobody up.
func rank(s *Standing) Place {
	if s.Place == Error && s.Review != nil {
		switch claude.ErrorKind(s.Review.Error) {
		case claude.KindSignIn, claude.KindBilling:
			return Waiting
		}
	}
	return s.Place
}

// together is one next for sessions of one kind.
func together(here []Standing) Next {
	shorts := make([]string, len(here))
	steps := make(map[string]Next, len(here))
	for i, s := range here {
		shorts[i], steps[s.Short] = s.Short, s.Next
	}
	if n, ok := Shared(here[0].Place, shorts, steps); ok && here[0].Place != HasDefect {
		return n
	}
	n := here[0].Next
	if n.Do != "" {
		n.Do = shorts[0] + ": " + n.Do
	}
	return n
}

// Shared is one short next for several sessions of one place; ok is false when each needs its own.
func Shared(place Place, shorts []string, steps map[string]Next) (n Next, ok bool) {
	switch place {
	case Pass, Confirmed, NotSent:
		for _, short := range shorts {
			if !slices.Equal(steps[short].Run, []string{"resume", short}) || steps[short].Do != "" {
				return Next{}, false
			}
		}
		if len(shorts) > 1 {
			return Run("resume", "--all", "--yes"), true
		}
	case Unanswered, Uncertain:
		return Run("read", "--wait", "10m"), true
	case Listed:
		return Run("queue-check"), true
	case ArchiveNow:
		return Do("archive what `recovery report` lists under \"Archive now\": your click"), true
	}
	first := shorts[0]
	head := headOf(first, steps[first])
	if head == nil {
		return Next{}, false
	}
	named := []string{}
	for _, short := range shorts {
		if other := headOf(short, steps[short]); slices.Equal(other, head) && len(named) < batch {
			named = append(named, short)
		}
	}
	return Next{Run: append(slices.Clone(head), named...)}, true
}

// headOf are the arguments in front of the session's own short, where a command is all that is to be done; nil
// otherwise.
func headOf(short string, n Next) []string {
	last := len(n.Run) - 1
	if last < 1 || n.Do != "" || n.Run[last] != short {
		return nil
	}
	return n.Run[:last]
}
