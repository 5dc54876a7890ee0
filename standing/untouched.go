package standing

import (
	"cmp"
	"fmt"
	"strings"

	"recovery/internal/account"
	"recovery/internal/text"
	"recovery/queuecheck"
)

// untouched decides for a session to which nothing went out.
func (j *judge) untouched() bool {
	if j.out.Live == account.Live {
		j.why("it runs now")
		return j.at(Live, ForReason("live", j.subject))
	}
	c := j.in.Check
	// What stands against a wake now is told from the queue check; an earlier run's words only where that has none.
	if j.out.Refused != "" && (c == nil || passes(c)) {
		j.why("not woken: %s", j.out.Refused)
	}
	if c == nil {
		j.owed("a queue check")
		if j.out.Refused == "" {
			j.why("not woken: not checked yet")
		}
		return j.at(Listed, Run("queue-check", j.in.Short))
	}
	if failed := j.failedStart(); failed != "" {
		j.why("not woken: its start failed and nothing was sent: %s", failed)
		if passes(c) {
			j.owed("its wake: its start failed and nothing was sent: %s", text.Clip(failed, 300))
			return j.at(NotSent, j.byWake("resume"))
		}
	}
	return j.byCheck(c)
}

// failedStart is why its last start failed, in the client's own words; empty when none did.
func (j *judge) failedStart() string {
	wakes := j.in.Journal.Wakes
	if len(wakes) == 0 {
		return ""
	}
	r := wakes[len(wakes)-1].Result
	if r == nil {
		return ""
	}
	return cmp.Or(r.Reason, r.Output, "the client gave no reason")
}

func (j *judge) byCheck(c *queuecheck.Result) bool {
	next := ForResult(*c, j.subject)
	if c.Verdict == queuecheck.Check || c.Verdict == queuecheck.Blocked {
		j.why("not woken: queue check %s (%s)", c.Verdict, codesOf(c))
		for _, r := range c.Reasons {
			j.out.Why = append(j.out.Why, r.Text)
		}
	}
	switch c.Verdict {
	case queuecheck.Pass:
		j.why("not woken yet: queue check pass (%s)", codesOf(c))
		j.owed("its wake")
		return j.at(Pass, next)
	case queuecheck.Confirmed:
		j.why("not woken yet: queue check confirmed (%s)", codesOf(c))
		j.owed("its wake")
		return j.at(Confirmed, next)
	case queuecheck.Check:
		j.waits("you to read its thread and confirm it")
		return j.at(Check, next)
	}
	j.waits("you: it is blocked: %s", firstText(c))
	return j.at(Blocked, next)
}

func firstText(c *queuecheck.Result) string {
	if len(c.Reasons) == 0 {
		return "no reason is known"
	}
	return c.Reasons[0].Text
}

func codesOf(c *queuecheck.Result) string {
	codes := make([]string, len(c.Reasons))
	for i, r := range c.Reasons {
		codes[i] = fmt.Sprint(r.Code)
	}
	return strings.Join(codes, ", ")
}
