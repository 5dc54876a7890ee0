package queuecheck

import (
	"testing"
	"time"

	"recovery/internal/account"
	"recovery/internal/journal"
	"recovery/internal/transcript"
	"recovery/inventory"
	"recovery/wrap"
)

// A page that was saved before the job was archived says nothing against it.
func TestArchivedByItsStateOrByThePage(t *testing.T) {
	for name, c := range map[string]struct {
		change  func(*Input)
		verdict Verdict
	}{
		"state.json, and no page": {func(in *Input) { in.Facts.Job.Archived, in.Remote = true, nil }, Blocked},
		"state.json, and a page from before it": {func(in *Input) {
			in.Facts.Job.Archived, in.Facts.Job.UpdatedAt = true, in.Remote.AsOf.Add(time.Minute)
		}, Blocked},
		"state.json of an unknown time": {func(in *Input) { in.Facts.Job.Archived = true }, Blocked},
		"state.json, and a page of an unknown time": {func(in *Input) {
			in.Facts.Job.Archived, in.Facts.Job.UpdatedAt, in.Remote.AsOf = true, last, time.Time{}
		}, Blocked},
		"a newer page says that it is not": {func(in *Input) { in.Facts.Job.Archived, in.Facts.Job.UpdatedAt = true, last },
			Pass},
		"the newest page": {func(in *Input) { in.Excluded = inventory.PageArchived }, Blocked},
	} {
		t.Run(name, func(t *testing.T) {
			in := healthy(t)
			c.change(&in)
			got := Of(in)
			if c.verdict == Pass {
				want(t, got, Pass)
				return
			}
			want(t, got, Blocked, "archived")
		})
	}
}

// What is finished or archived is woken only where the user names it with --again, whatever is to be sent and
// whatever they confirmed.
func TestFinishedStaysFinished(t *testing.T) {
	ends := map[string]func(*Input){
		"finished": func(in *Input) { in.Wrap = wrap.Status{State: wrap.Done} },
		"archived": func(in *Input) { in.Excluded = inventory.PageArchived },
	}
	for code, end := range ends {
		for _, prompt := range []Prompt{Review, Prep, Nudge} {
			for _, said := range []struct{ again, named bool }{{false, false}, {false, true}, {true, false}, {true, true}} {
				in := healthy(t)
				end(&in)
				in.Prompt, in.Again, in.Named = prompt, said.again, said.named
				in.Journal = &journal.Session{Short: testShort, ConfirmAt: now,
					Confirm: &journal.ConfirmData{User: "u", Fingerprint: print1, Reasons: []string{code}}}
				if said.again && said.named {
					want(t, Of(in), Pass)
					// It lifts these alone: what is live stays as it is.
					in.Facts.Live.State = account.Live
					want(t, Of(in), Blocked, "live")
					continue
				}
				want(t, Of(in), Blocked, code)
			}
		}
	}
}

// TestFinishedIsNotToBeArchivedWhileAMessageWaits: the way out of a wrap says so too, whoever saw the message.
func TestFinishedIsNotToBeArchivedWhileAMessageWaits(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*Input)
		says   string
	}{
		"nothing waits": {func(*Input) {}, "finished: archive it; it has its real wrap"},
		"queuedPrompt": {func(in *Input) { in.Facts.Job.Queued, in.Facts.Job.QueuedPrompt = true, "yes" },
			"finished, look first: a message waits in it; it has its real wrap"},
		"its queue": {func(in *Input) { in.Facts.Job.InFlightQueue = 2 },
			"finished, look first: a message waits in it; it has its real wrap"},
		"the transcript": {func(in *Input) { in.Evidence.Ledger.Pending = []transcript.Pending{{Text: "and B", Left: true}} },
			"finished, look first: a message waits in it; it has its real wrap"},
	} {
		t.Run(name, func(t *testing.T) {
			in := healthy(t)
			in.Wrap = wrap.Status{State: wrap.Done}
			c.change(&in)
			got := Of(in)
			if got.Verdict != Blocked || got.Reasons[0].Code != "finished" || got.Reasons[0].Text != c.says {
				t.Errorf("%s: %+v", got.Verdict, got.Reasons)
			}
		})
	}
}
