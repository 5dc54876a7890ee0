package main

import (
	"errors"
	"slices"
	"strings"
	"time"

	"recovery/internal/audit"
	"recovery/internal/journal"
	"recovery/internal/text"
	"recovery/inventory"
	"recovery/review"
	"recovery/standing"
	"recovery/wake"

	"github.com/urfave/cli/v2"
)

func (x *command) readCommand() *cli.Command {
	return &cli.Command{
		Name:      "read",
		Usage:     "print each review: reply, verdict, and every tool call with its class",
		UsageText: "recovery read [--wait DURATION] [--rules FILE]... [SHORT...]",
		Description: `Reads the reply to the last wake prompt of each session and judges every tool call since then: read, write or unknown,
and what came of it. Without SHORT: all sessions that were woken in this recovery. A question that a session waits with,
an error that ended its turn and a session that is offline again are shown at once, and nothing more is waited for there.

EXAMPLE:
   recovery read --wait 570 1a2b3c4d

EXIT STATUS:
   0 all answered, every call only read; 1 failed; 2 wrong usage; 3 a call cannot be judged, or a verdict is unclear;
   4 time was up and a review is unanswered; 5 a review wrote, or a message was delivered with it`,
		Flags:  []cli.Flag{spanFlag("wait", 0, "how long to wait for the replies"), rulesFlag()},
		Action: x.read,
	}
}

// readItem is one row of read's JSON.
type readItem struct {
	inventory.SessionName
	review.Review
	Problem string `json:"problem,omitempty"`
	gone    string // that it is offline again and has not answered
	shown   bool
	// Place is where the session stands now, with what is next.
	Place standing.Place `json:"place"`
	Next  string         `json:"next"`
	Step  standing.Next  `json:"next_step"`
}

func (x *command) read(c *cli.Context) error {
	p, w, named, err := x.named(c)
	if err != nil {
		return err
	}
	var shorts []string
	for _, j := range named {
		shorts = append(shorts, j.Short)
	}
	state, err := p.state()
	if err != nil {
		return err
	}
	if len(shorts) == 0 {
		shorts = wokenIn(state)
	}
	if len(shorts) == 0 {
		return failf("recovery queue-check", "no session was woken in this recovery yet")
	}
	deadline := x.now().Add(spanOf(c, "wait"))
	rules, err := loadRules(c)
	if err != nil {
		return err
	}
	items := make([]readItem, len(shorts))
	for i, short := range shorts {
		items[i] = blankRead(w, state, short)
	}
	if err := x.awaitReviews(p, rules, items, deadline); err != nil {
		return failf("recovery read "+strings.Join(shorts, " "), "%w", err)
	}
	status := allDone
	for i := range items {
		if items[i].Problem != "" {
			status = max(status, needsUser)
			continue
		}
		if err := x.recordRead(p, items[i].Short, &items[i].Review); err != nil {
			return err
		}
		status = max(status, reviewOutcome(&items[i].Review))
	}
	next, err := x.placeRead(c, p, items)
	if err != nil {
		return err
	}
	if x.json {
		if err := x.printJSON(map[string]any{"items": items}); err != nil {
			return err
		}
		return ended(status)
	}
	for i := range items {
		x.showRead(&items[i])
		if items[i].Next != "" && items[i].Problem == "" {
			x.out("%s next: %s", items[i].Short, text.Line(items[i].Next))
		}
	}
	x.next("%s", text.Line(next.String()))
	return ended(status)
}

// awaitReviews waits until each item has its reply, or the deadline; each is shown as it comes.
func (x *command) awaitReviews(p *place, rules *audit.Rules, items []readItem, deadline time.Time) error {
	byShort := map[string]*readItem{}
	var waited []string
	for i := range items {
		byShort[items[i].Short] = &items[i]
		if items[i].Problem == "" {
			waited = append(waited, items[i].Short)
		}
	}
	wait := wake.Wait{
		See: func() (*inventory.World, error) { return x.see(p) }, State: p.state, Rules: rules, Timing: x.timing,
		Clock: wake.Clock{Now: x.now, Sleep: x.sleep}, Settled: func(s wake.Seen) {
			it := byShort[s.Short]
			it.take(s)
			if it.Asks() && it.Problem == "" {
				x.say("%s", wake.Waits(s.Short, &it.Review))
			}
			if !x.json {
				x.showRead(it)
			}
		},
	}
	seen, err := wait.For(x.ctx, waited, deadline)
	if err != nil && x.ctx.Err() == nil {
		return err
	}
	for _, s := range seen {
		byShort[s.Short].take(s)
	}
	return nil
}

// wokenIn are the sessions to which this recovery sent something.
func wokenIn(state *journal.State) []string {
	var out []string
	for short, s := range state.Sessions {
		if s.LastSent() != nil {
			out = append(out, short)
		}
	}
	slices.Sort(out)
	return out
}

// recordRead puts a review on record, and the service's limit when it ended in one.
func (x *command) recordRead(p *place, short string, r *review.Review) error {
	if _, err := review.Record(p.journal, short, r); err != nil {
		return err
	}
	until, err := wake.NoteLimit(p.journal, short, r, x.now())
	if err == nil && !until.IsZero() {
		x.say("the service's limit was met in %s; nothing is started before %s", short, until.UTC().Format(time.RFC3339))
	}
	return err
}

// placeRead fills where each session stands after what was read, and gives the one next of them all.
func (x *command) placeRead(c *cli.Context, p *place, items []readItem) (standing.Next, error) {
	r, err := x.look(c, p)
	if err != nil {
		return standing.Next{}, err
	}
	var all []standing.Standing
	for i := range items {
		st := r.book.Of(items[i].Short)
		items[i].Place, items[i].Next, items[i].Step = st.Place, st.Next.String(), st.Next
		all = append(all, st)
	}
	if next := standing.Whole(all, time.Time{}); len(all) == 1 && !next.IsZero() {
		return next, nil
	}
	return standing.Run("report"), nil
}

// blankRead is the row of a session before it was looked at. A wake that made a copy has no review of its own.
func blankRead(w *inventory.World, state *journal.State, short string) readItem {
	it := readItem{SessionName: inventory.SessionName{Short: short}, Review: review.Review{Tools: []review.Tool{},
		Defects: []review.Defect{}}}
	if j := w.Jobs.ByShort[short]; j != nil {
		it.SessionName = w.Name(j)
	}
	if last := state.Session(short).LastSent(); last != nil && last.Result != nil && last.Result.Outcome == journal.Copy {
		it.Problem = last.Result.Reason
	}
	return it
}

// take puts what was seen of a session into its row.
func (it *readItem) take(s wake.Seen) {
	it.Problem = ""
	if s.Err != nil {
		it.Problem = s.Err.Error()
	}
	if s.Review != nil {
		it.Review = *s.Review
	}
	it.gone = ""
	if s.End == wake.EndGone {
		it.gone = s.Ending()
	}
}

// showRead prints a row once: when its wait ended, or at the end.
func (x *command) showRead(it *readItem) {
	if it.shown {
		return
	}
	it.shown = true
	x.out("%s  %s", it.Short, text.Clip(it.Title, 120))
	switch {
	case it.Problem != "":
		x.out("    %s", text.Line(it.Problem))
		return
	case it.gone != "":
		x.out("    %s; read its thread", it.gone)
	}
	x.showReview(it.Short, &it.Review, false, "    ")
}

// reviewOutcome is how one review came out.
func reviewOutcome(r *review.Review) outcome {
	switch {
	case r == nil:
		return timeUp
	case len(r.Defects) > 0:
		return defectSeen
	case !r.Answered:
		return timeUp
	case r.Unjudged() > 0, r.Unclear != "", r.BadLines > 0:
		return needsUser
	}
	return allDone
}

// showReview shows a review; above says that its reply stands further up on the same screen.
func (x *command) showReview(short string, r *review.Review, above bool, indent string) {
	switch {
	case r.Answered:
		at := "-"
		if r.ReplyAt != nil {
			at = x.when(r.ReplyAt)
		}
		if above {
			x.out("%sanswered %s, its reply is above", indent, at)
		} else {
			x.out("%sanswered %s:", indent, at)
			x.block(r.Reply, indent+"| ")
		}
		if said := r.Acted(); said != "" {
			x.out("%s%s; its verdict is that of the reply", indent, said)
		}
	case r.Waiting != "":
		x.out("%s%s", indent, wake.Waits(short, r))
	case r.Error != "":
		x.out("%sits turn ended in an error: %s", indent, text.Line(r.Error))
	case r.Died:
		x.out("%s%s was stopped, or died in its review: nothing more comes by itself", indent, short)
	case r.Started:
		x.out("%snot answered yet; do not send again: recovery read --wait 10m %s", indent, short)
	default:
		x.out("%sthe prompt is not in its transcript yet; do not send again: recovery read --wait 10m %s", indent, short)
	}
	of, what := "", "verdict"
	if r.Plan {
		of, what = " of its review", "plan"
		if r.Answered && r.Unclear == "" {
			x.out("%splan: posted, and it waits for the user's go in its thread", indent)
		}
	}
	if v := r.Verdict; v != nil {
		x.out("%sverdict%s: %s  %s", indent, of, v.Verdict, text.Line(v.Item))
	}
	if r.Unclear != "" {
		x.out("%s%s unclear: %s", indent, what, text.Line(r.Unclear))
	}
	x.showTools(r.Tools, indent)
	for _, d := range r.Defects {
		x.out("%sDEFECT %s: %s", indent, d.Code, text.Line(d.Text))
	}
}

// block prints a text of several lines, each behind a mark, so that nothing in it can pass for recovery's own words.
func (x *command) block(s, prefix string) {
	for _, line := range splitLines(s) {
		x.out("%s%s", prefix, line)
	}
}

func (x *command) lastReplyCommand() *cli.Command {
	return &cli.Command{
		Name:      "last-reply",
		Usage:     "print a session's latest reply and nothing else",
		UsageText: "recovery last-reply SHORT",
		Description: `Prints what the model said last, with control characters made visible.

EXAMPLE:
   recovery last-reply 1a2b3c4d

EXIT STATUS:
   0 printed; 1 there is no reply, or the transcript cannot be read; 2 wrong usage`,
		Action: x.lastReply,
	}
}

func (x *command) lastReply(c *cli.Context) error {
	if c.Args().Len() != 1 {
		return usagef("last-reply wants one session")
	}
	_, w, jobs, err := x.named(c)
	if err != nil {
		return err
	}
	f := w.Facts(jobs[0])
	if f.Tail.Reply == "" {
		why := f.Problem
		if why == "" {
			why = "its transcript holds none"
		}
		return failf("recovery inventory", "session %s has no reply: %w", jobs[0].Short, errors.New(why))
	}
	if x.json {
		at := ""
		if !f.Tail.ReplyAt.IsZero() {
			at = f.Tail.ReplyAt.UTC().Format(time.RFC3339Nano)
		}
		item := map[string]any{"short": jobs[0].Short, "session_id": jobs[0].SessionID, "link": nil, "reply": f.Tail.Reply,
			"reply_at": at}
		if link := f.Link(); link != "" {
			item["link"] = link
		}
		return x.printJSON(map[string]any{"items": []any{item}})
	}
	x.out("%s", f.Tail.Reply)
	return nil
}
