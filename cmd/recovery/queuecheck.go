package main

import (
	"fmt"
	"strings"
	"time"

	"recovery/internal/account"
	"recovery/internal/audit"
	"recovery/internal/journal"
	"recovery/internal/remote"
	"recovery/internal/text"
	"recovery/inventory"
	"recovery/queuecheck"
	"recovery/standing"

	"github.com/urfave/cli/v2"
)

func (x *command) queueCheckCommand() *cli.Command {
	return &cli.Command{
		Name:      "queue-check",
		Usage:     "say for each session whether a message may wait to be delivered when it is woken",
		UsageText: "recovery queue-check [--events SHORT=FILE]... [--confirm SHORT]... [SHORT...]",
		Description: `A verdict for every listed session, with its evidence: pass, check, blocked or confirmed. A check can be lifted by the
user alone: read the session's thread, make sure that nothing was typed after its last turn, then --confirm it. That
names every reason that it covers and ends when the session changes or after --max-age. A blocked session cannot be
confirmed.

EXAMPLE:
   recovery queue-check --events 1a2b3c4d=events.json
   recovery queue-check --confirm 1a2b3c4d

EXIT STATUS:
   0 all pass or are confirmed; 1 failed, or there is no inventory; 2 wrong usage; 3 a session is check or blocked, or a
   confirmation was refused`,
		Flags: []cli.Flag{
			&cli.StringSliceFlag{Name: "events", Usage: "a saved page of a session's events, `SHORT=FILE`; several for one " +
				"session are joined"},
			&cli.StringSliceFlag{Name: "confirm", Usage: "the user read the thread of `SHORT`: nothing was typed there after " +
				"its last turn"},
			spanFlag("max-age", defaultMaxAge, "how old evidence and a confirmation may be"),
			asUserFlag(),
		},
		Action: x.queueCheck,
	}
}

// checkItem is one row of queue-check's JSON.
type checkItem struct {
	inventory.SessionName
	Cwd string `json:"cwd"`
	queuecheck.Result
	Note string `json:"note,omitempty"`
	// Place is where the session stands, with what is next.
	Place standing.Place `json:"place"`
	Next  string         `json:"next"`
	Step  standing.Next  `json:"next_step"`
	// Refused says that a confirmation was not taken.
	Refused bool `json:"-"`
	// whole is where it stands, with all that is known of it.
	whole standing.Standing
}

func (x *command) queueCheck(c *cli.Context) error {
	p, err := x.place(c)
	if err != nil {
		return err
	}
	inv, err := loadInventory(p)
	if err != nil {
		return err
	}
	w, err := x.seeTwice(p)
	if err != nil {
		return err
	}
	named, err := findJobs(w, c.Args().Slice())
	if err != nil {
		return err
	}
	confirm, err := findJobs(w, c.StringSlice("confirm"))
	if err != nil {
		return err
	}
	agent := false
	if len(confirm) > 0 {
		if err := x.mine(p); err != nil {
			return err
		}
		if agent, err = x.userOnly(c, "--confirm"); err != nil {
			return err
		}
	}
	if err := x.saveEvents(p, w, c.StringSlice("events")); err != nil {
		return err
	}
	shorts := chosen(inv, named, confirm)
	look := func() (*record, error) {
		events, err := p.journal.Read()
		if err != nil {
			return nil, err
		}
		return x.recordAged(p, w, inv, audit.Default(), events, spanOf(c, "max-age")), nil
	}
	r, err := look()
	if err != nil {
		return err
	}
	r.book.Prepare(shorts)
	toConfirm := map[string]bool{}
	for _, j := range confirm {
		toConfirm[j.Short] = true
	}
	items := []checkItem{}
	for _, short := range shorts {
		item := x.checkItem(r, short)
		if toConfirm[short] {
			if item, err = x.confirm(p, item, agent, func() (checkItem, error) {
				if r, err = look(); err != nil {
					return checkItem{}, err
				}
				return x.checkItem(r, short), nil
			}); err != nil {
				return err
			}
		}
		if err := p.recordCheck(item); err != nil {
			return err
		}
		items = append(items, item)
	}
	if x.json {
		v := map[string]any{"items": items, "left_out": leftOut(inv, shorts), "found": inv.Found}
		if err := x.printJSON(v); err != nil {
			return err
		}
	} else {
		x.showChecks(inv, items, len(named)+len(confirm) > 0)
	}
	for _, it := range items {
		if it.Verdict == queuecheck.Check || it.Verdict == queuecheck.Blocked || it.Refused {
			return ended(needsUser)
		}
	}
	return nil
}

// leftOut tells the denominator: what is in the inventory and was not asked for, beside what the inventory left out
// itself.
func leftOut(inv *inventory.Inventory, shorts []string) []inventory.LeftOut {
	asked := map[string]bool{}
	for _, s := range shorts {
		asked[s] = true
	}
	n := 0
	for _, it := range inv.Items {
		if !asked[it.Short] {
			n++
		}
	}
	out := append([]inventory.LeftOut{}, inv.LeftOut...)
	if n > 0 {
		out = append(out, inventory.LeftOut{Reason: "not asked for", Count: n})
	}
	if len(inv.Unmatched) > 0 {
		out = append(out, inventory.LeftOut{Reason: "without a job", Count: len(inv.Unmatched)})
	}
	return out
}

// jobGone is the verdict on a session without a job.
var jobGone = queuecheck.Result{Verdict: queuecheck.Blocked, Pending: []string{}, Blocked: []string{"job-gone"},
	Reasons: []queuecheck.Reason{{Code: "job-gone", Text: "its job is gone; run `recovery inventory` again"}}}

func (x *command) checkItem(r *record, short string) checkItem {
	st := r.book.Of(short)
	item := checkItem{SessionName: inventory.SessionName{Short: short}, Result: jobGone, Place: st.Place,
		Next: st.Next.String(), Step: st.Next, whole: st}
	if row := r.inventory.Find(short); row != nil {
		item.SessionName, item.Cwd = row.SessionName, row.Cwd
	}
	if f := r.book.Facts(short); f != nil && st.Check != nil {
		item.Result = *st.Check
		item.SessionName, item.Cwd = f.Name(), f.Job.Cwd
	}
	return item
}

// confirm records the user's word on a session that is to be checked, and gives the verdict after it.
func (x *command) confirm(p *place, item checkItem, agent bool, look func() (checkItem, error)) (checkItem, error) {
	again := item.NeedsAgain() && len(item.Open) > 0
	switch {
	case item.Verdict == queuecheck.Pass:
		item.Note = "nothing to confirm: it passes"
		return item, nil
	case item.Verdict == queuecheck.Confirmed, again && item.Lifted:
		item.Note = "it is confirmed already" + lifts(item.Result)
		return item, nil
	case item.Verdict == queuecheck.Blocked && !again:
		item.Note = "not confirmed: a blocked session cannot be; " + item.Next
		item.Refused = true
		return item, nil
	}
	codes := item.Open
	data := journal.ConfirmData{User: x.user, Agent: agent, Fingerprint: item.Fingerprint, Reasons: codes}
	if err := p.journal.Append(journal.Confirmed, item.Short, data); err != nil {
		return item, err
	}
	after, err := look()
	if err != nil {
		return item, err
	}
	if after.Verdict != queuecheck.Confirmed && !(after.NeedsAgain() && after.Lifted) {
		after.Note, after.Refused = "not confirmed: the session changed meanwhile", true
		return after, nil
	}
	after.Note = "confirmed: it covers " + strings.Join(codes, ", ") + lifts(after.Result)
	return after, nil
}

// lifts says what a confirmation is good for where more than a look is needed; empty for a plain wake.
func lifts(r queuecheck.Result) string {
	switch {
	case r.OnlyReviewed():
		return ", for a prep or --again"
	case r.Verdict == queuecheck.Blocked:
		return ", for --again"
	}
	return ""
}

func (p *place) recordCheck(item checkItem) error {
	data := journal.CheckData{Verdict: string(item.Verdict)}
	for _, r := range item.Reasons {
		data.Codes = append(data.Codes, r.Code)
	}
	for _, t := range item.Pending {
		data.Pending = append(data.Pending, text.Clip(t, 300))
	}
	return p.journal.AppendIf(journal.Checked, item.Short, data,
		func(events []journal.Event) bool { return journal.Same(events, journal.Checked, item.Short, data) })
}

// chosen are the sessions that were named, else every listed one.
func chosen(inv *inventory.Inventory, groups ...[]*account.Job) []string {
	var out []string
	seen := map[string]bool{}
	for _, jobs := range groups {
		for _, j := range jobs {
			if !seen[j.Short] {
				seen[j.Short] = true
				out = append(out, j.Short)
			}
		}
	}
	if len(out) > 0 {
		return out
	}
	for _, it := range inv.Items {
		out = append(out, it.Short)
	}
	return out
}

// saveEvents reads the pages of each session and keeps what they say for the wake, which works the verdict out anew.
func (x *command) saveEvents(p *place, w *inventory.World, specs []string) error {
	files := map[string][]string{}
	var order []string
	for _, spec := range specs {
		typed, file, ok := strings.Cut(spec, "=")
		if !ok || file == "" {
			return usagef("--events wants SHORT=FILE, not %q", spec)
		}
		jobs, err := findJobs(w, []string{typed})
		if err != nil {
			return err
		}
		short := jobs[0].Short
		if files[short] == nil {
			order = append(order, short)
		}
		files[short] = append(files[short], file)
	}
	for _, short := range order {
		read, err := readPages(files[short])
		if err != nil {
			return err
		}
		events, err := remote.ReadEvents(read...)
		if err != nil {
			return failf(fmt.Sprintf("save the events again, then: recovery queue-check --events %s=FILE", short), "%w", err)
		}
		for _, warn := range append(append([]string{}, events.Warnings...), events.Notes...) {
			x.say("warning: events of %s: %s", short, warn)
		}
		if err := p.folder.SaveEvents(short, events); err != nil {
			return err
		}
	}
	return nil
}

// showChecks prints the verdicts. named says that not all sessions were asked for.
func (x *command) showChecks(inv *inventory.Inventory, items []checkItem, named bool) {
	t := rows{header: []string{"SHORT", "VERDICT", "GAP", "TITLE", "WHY", "THREAD"}}
	counts := map[queuecheck.Verdict]int{}
	shared := sharedCauses(items)
	for _, it := range items {
		counts[it.Verdict]++
		gap, link := "-", "-"
		if it.GapSeconds != nil {
			gap = fmt.Sprintf("%d s", *it.GapSeconds)
		}
		if it.Link != nil {
			link = *it.Link
		}
		why := make([]string, len(it.Reasons))
		for i, r := range it.Reasons {
			if why[i] = r.Text; len(shared[r]) > 1 {
				why[i] = r.Code
			}
		}
		t.add(it.Short, string(it.Verdict), gap, it.Title, strings.Join(why, "; "), link)
	}
	if x.terminal {
		x.checkCards(items, shared)
	} else {
		x.table(&t)
	}
	told := map[queuecheck.Reason]bool{}
	for _, it := range items {
		for _, r := range it.Reasons {
			if shorts := shared[r]; len(shorts) > 1 && !told[r] {
				told[r] = true
				x.out("%s: %s: %s", r.Code, text.Line(r.Text), strings.Join(shorts, " "))
			}
		}
	}
	for _, it := range items {
		if it.Note != "" {
			x.out("%s: %s", it.Short, it.Note)
		}
	}
	x.out("%d looked at of %d found: %d pass, %d confirmed, %d check, %d blocked", len(items), inv.Found,
		counts[queuecheck.Pass], counts[queuecheck.Confirmed], counts[queuecheck.Check], counts[queuecheck.Blocked])
	x.waysOut(items)
	x.next("%s", text.Line(nextOfChecks(items, named).String()))
}

// sharedCauses gives the sessions of each reason that several have in the same words.
func sharedCauses(items []checkItem) map[queuecheck.Reason][]string {
	out := map[queuecheck.Reason][]string{}
	for _, it := range items {
		for _, r := range it.Reasons {
			out[r] = append(out[r], it.Short)
		}
	}
	return out
}

// waysOut prints what to do about each session that cannot be woken as it is; the same step is printed once.
func (x *command) waysOut(items []checkItem) {
	var ways causes
	for _, it := range items {
		if it.Verdict == queuecheck.Check || it.Verdict == queuecheck.Blocked {
			step := it.Step
			step.Link = ""
			ways.add(it.Short, step.String())
		}
	}
	for _, words := range ways.order {
		if list := ways.shorts[words]; len(list) == 1 {
			x.out("%s: %s", list[0], text.Line(strings.ReplaceAll(words, "SHORT", list[0])))
		} else {
			x.out("each of %s: %s", strings.Join(list, " "), text.Line(words))
		}
	}
}

// mostNamed is how many sessions one next names.
const mostNamed = 5

// nextOfChecks is the one next of the sessions that were looked at. named says that they are not all.
func nextOfChecks(items []checkItem, named bool) standing.Next {
	var pass []string
	var all []standing.Standing
	for _, it := range items {
		all = append(all, it.whole)
		if it.Verdict == queuecheck.Pass || it.Verdict == queuecheck.Confirmed {
			pass = append(pass, it.Short)
		}
	}
	if named && len(pass) > 0 && len(pass) <= mostNamed {
		return standing.Run(append([]string{"resume"}, pass...)...)
	}
	if next := standing.Whole(all, time.Time{}); !next.IsZero() {
		return next
	}
	return standing.Run("status")
}

// checkCards prints a block a session on a terminal: evidence is read in whole, not clipped to a cell.
func (x *command) checkCards(items []checkItem, shared map[queuecheck.Reason][]string) {
	for _, it := range items {
		x.out("%s  %-9s  %s", it.Short, strings.ToUpper(string(it.Verdict)), text.Clip(it.Title, 120))
		for _, r := range it.Reasons {
			if len(shared[r]) > 1 {
				x.out("    %s: see below", r.Code)
				continue
			}
			x.out("    %s: %s", r.Code, text.Line(r.Text))
		}
		if it.Link != nil {
			x.out("    %s", *it.Link)
		}
	}
}
