package main

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"recovery/internal/account"
	"recovery/internal/text"
	"recovery/inventory"
	"recovery/message"
	"recovery/prompts"
	"recovery/standing"

	"github.com/urfave/cli/v2"
)

func (x *command) messageCommand() *cli.Command {
	return &cli.Command{
		Name:      "message",
		Usage:     "print the exact text to send to sessions after their review; sends nothing",
		UsageText: "recovery message prep|wrap|review-wrap|nudge [--data FILE] SHORT...",
		Description: `prep asks an owner for its final plan, which ends with "Reply go to run this plan.": the merged plan of all reviews, split so that
no two sessions do the same. wrap asks a finished session for a real wrap, review-wrap one that was woken only for its review; both
go to live, pinned sessions. nudge asks for the reply to a prompt that has none. Sessions of one name get one text, with a section
for each. Nothing is sent: that is the user's, and how to is printed with the text.

--data FILE is YAML or JSON, {short: text} for one session each and the key all for every session that is named:
   1a2b3c4d: The supplier wrote on 3 May that the parcel is lost.
   all: Office hours end at 18:00.
Any other key, a key that stands twice, a value that is no text, or a text that reads as an approval is an error with its line.

EXAMPLE:
   recovery message prep 1a2b3c4d 5e6f7a8b --data data.yaml
   recovery message wrap 1a2b3c4d

EXIT STATUS:
   0 every text is printed; 1 failed, or an error in the data file; 2 wrong usage; 3 a session gets no text, is to be pinned first,
   or some words are left out`,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "data", Usage: "a YAML or JSON `FILE` {short: text, all: text}: data for the sessions"},
			rulesFlag(),
		},
		Action: x.message,
	}
}

// messageItem is one row of message's JSON.
type messageItem struct {
	inventory.SessionName
	Live     string            `json:"live"`
	Pinned   bool              `json:"pinned"`
	State    message.State     `json:"state"`
	Place    standing.Place    `json:"place"`
	Text     string            `json:"text"`
	SameName []string          `json:"same_name"`
	Notes    []string          `json:"notes"`
	Omitted  []message.Omitted `json:"omitted"`
	Next     string            `json:"next"`
	Step     standing.Next     `json:"next_step"`
}

func (x *command) message(c *cli.Context) error {
	args := c.Args().Slice()
	if len(args) == 0 || !slices.Contains(message.Kinds, message.Kind(args[0])) {
		return usagef("message wants one of prep, wrap, review-wrap and nudge first, then the sessions")
	}
	kind := message.Kind(args[0])
	if len(args) == 1 {
		return usagef("message %s wants the sessions that it is for", kind)
	}
	if kind == message.Nudge && c.String("data") != "" {
		return usagef("a nudge carries no data; `recovery message prep` does")
	}
	p, err := x.place(c)
	if err != nil {
		return err
	}
	r, err := x.look(c, p)
	if err != nil {
		return err
	}
	w := r.world
	jobs, err := findJobs(w, args[1:])
	if err != nil {
		return err
	}
	in := message.Input{World: w, State: r.state, Rules: r.rules, Inventory: r.inventory, Standing: r.book.Of}
	if in.Data, err = x.data(c, w); err != nil {
		return err
	}
	var shorts []string
	for _, j := range jobs {
		shorts = append(shorts, j.Short)
	}
	for short := range in.Data.For {
		if !slices.Contains(shorts, short) {
			x.say("the data of %s is not used: the session is not named here", short)
		}
	}
	made, err := message.Build(in, shorts...).Make(kind, shorts, c.String("data"))
	if err != nil {
		return failf("", "%w", err)
	}
	items, status := []messageItem{}, allDone
	for i, it := range made {
		items = append(items, messageItem{SessionName: w.Name(jobs[i]), Live: string(it.Live), Pinned: it.Pinned,
			State: it.State, Place: it.Place, Text: it.Text,
			SameName: append([]string{}, it.SameName...), Notes: append([]string{}, it.Notes...),
			Omitted: append([]message.Omitted{}, it.Omitted...), Next: it.Next.String(), Step: it.Next})
		if it.NeedsUser() {
			status = needsUser
		}
	}
	mark := ""
	if kind == message.Wrap || kind == message.ReviewWrap {
		mark = prompts.WrapMark
	}
	if x.json {
		err = x.printJSON(map[string]any{"kind": kind, "mark": mark, "how_to_send": howToSend(p.account, p.owner.name),
			"items": items})
	} else {
		x.showMessages(p, kind, items)
	}
	if err != nil {
		return err
	}
	return ended(status)
}

// data reads the file of --data; no data without the flag.
func (x *command) data(c *cli.Context, w *inventory.World) (message.Data, error) {
	name := c.String("data")
	if name == "" {
		return message.Data{}, nil
	}
	file, err := os.ReadFile(name)
	if err != nil {
		return message.Data{}, failf("", "reading the data file: %w", err)
	}
	d, err := message.ParseData(name, file, w.Jobs)
	if err != nil {
		return d, failf("", "%w", err)
	}
	return d, nil
}

// dataArgs is how --data is typed again; nil without the flag.
func dataArgs(c *cli.Context) []string {
	if name := c.String("data"); name != "" {
		return []string{"--data", name}
	}
	return nil
}

// howToSend is what whoever sends a text has to know.
func howToSend(a *account.Account, user string) []string {
	as := "the account that owns the sessions"
	if user != "" {
		as += " (" + user + ")"
	}
	return []string{
		fmt.Sprintf("List the live agents again right before you send: claude agents --json, run as %s with its .claude "+
			"folder %s. It can delete the registry files of dead sessions, so it is no routine read. Refs are not on disk "+
			"and change on every wake.", as, a.Dir),
		"Send with the SendMessage tool, the same text, unchanged, to every ref that has the session's name: each text " +
			"has a section for each session of that name, and the others answer WRONG SESSION.",
		"A connection error (connect ECONNREFUSED .../<pid>.sock) means that the session has ended: list again. If it is " +
			"gone, give the data to the session that now owns the work, and keep a copy in a file.",
		"A tool that wants an approval for each call (the Remote send_message, \"MCP tool call requires approval\") is " +
			"not the way: use SendMessage.",
		"Without SendMessage, the user types the text in the thread at the session's link.",
		"The text is no approval, and none is added to it: the user types go in the session's own thread.",
	}
}

func (x *command) showMessages(p *place, kind message.Kind, items []messageItem) {
	texts := 0
	for _, it := range items {
		link := "no thread (a plain session)"
		if it.Link != nil {
			link = *it.Link
		}
		pin := "not pinned"
		if it.Pinned {
			pin = "pinned"
		}
		x.out("%s  %s  %s, %s  %s  %s", it.Short, it.State, it.Live, pin, text.Clip(it.Title, 120), link)
		for _, n := range it.Notes {
			x.out("    %s", text.Line(n))
		}
		x.out("    next: %s", text.Line(it.Next))
	}
	for i, it := range items {
		first := slices.IndexFunc(items, func(o messageItem) bool { return o.Text == it.Text })
		if it.Text == "" || first < i {
			continue // the text of a namesake
		}
		texts++
		var meant, pins []string
		for _, o := range items {
			if o.Text == it.Text {
				meant = append(meant, o.Short)
				if o.State == message.NotPinned {
					pins = append(pins, o.Short)
				}
			}
		}
		x.out("")
		if len(pins) > 0 {
			x.out("PIN FIRST: ask the user to pin %s (Ctrl+T on its row in the interactive `claude agents` view), then send:",
				strings.Join(pins, " "))
		}
		if (kind == message.Wrap || kind == message.ReviewWrap) && len(pins) < len(meant) {
			kept := slices.DeleteFunc(slices.Clone(meant), func(short string) bool { return slices.Contains(pins, short) })
			x.out("pinned already: %s; the pin stays until it has wrapped (Ctrl+T on its row in the interactive `claude "+
				"agents` view would take it off)", strings.Join(kept, " "))
		}
		x.out("===== the text for %s, to be sent as it is =====", strings.Join(meant, " "))
		x.out("%s", it.Text)
		x.out("===== end of the text for %s =====", strings.Join(meant, " "))
	}
	if texts > 0 {
		x.out("")
		x.out("How to send it:")
		for i, line := range howToSend(p.account, p.owner.name) {
			x.out("%d. %s", i+1, text.Line(line))
		}
		if kind == message.Wrap || kind == message.ReviewWrap {
			x.out("The mark that wrap-wait looks for: %q", prompts.WrapMark)
		}
	}
	x.next("%s", text.Line(nextOfMessages(kind, items).String()))
}

// nextOfMessages is the one line that ends the output: what to do with the texts, else with the sessions that get none.
func nextOfMessages(kind message.Kind, items []messageItem) standing.Next {
	if len(items) == 1 {
		return items[0].Step
	}
	var sent, wakes []string
	var wake []string
	for _, it := range items {
		if it.Text != "" {
			sent = append(sent, it.Short)
		}
		if head := wakeForPlan(it); head != nil {
			wake, wakes = head, append(wakes, it.Short)
		}
	}
	wake = append(slices.Clone(wake), wakes...)
	switch {
	case len(sent) == 0 && len(wakes) > 0:
		return standing.Run(wake...)
	case len(sent) == 0:
		first := items[0].Step
		if first.Do != "" {
			first.Do = items[0].Short + ": " + first.Do
		}
		return first
	case kind == message.Prep && len(wakes) > 0:
		return standing.Do("send each text").Then(wake...)
	case kind == message.Prep:
		return standing.Do("send each text, then read the plans: recovery last-reply SHORT; for the other sessions, what " +
			"stands at them")
	case kind == message.Nudge:
		return standing.Do("send each text").Then(append([]string{"read", "--wait", "10m"}, sent...)...)
	}
	return standing.Do("send each text").Then(append([]string{"wrap-wait", "--mark", prompts.WrapMark}, sent...)...)
}

// wakeForPlan are the arguments of a wake for a plan in front of the session's short; nil when that is not all that
// it wants.
func wakeForPlan(it messageItem) []string {
	run := it.Step.Run
	last := len(run) - 1
	if it.Step.Do != "" || last < 3 || run[last] != it.Short || !slices.Equal(run[:3], []string{"resume", "--prompt",
		"prep"}) {
		return nil
	}
	return run[:last]
}
