package main

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"recovery/internal/claude"
	"recovery/internal/journal"
	"recovery/internal/text"
	"recovery/report"
	"recovery/standing"

	"github.com/urfave/cli/v2"
)

func (x *command) handoffCommand() *cli.Command {
	return &cli.Command{
		Name:      "handoff",
		Usage:     "write a Markdown file for whoever goes on",
		UsageText: "recovery handoff [--for NAME] [--why TEXT] [-o FILE]",
		Description: `From whom, for whom, why, since when, where the record is, what to read, what is done, open and held, what not to do again,
and the next command. Without -o it is saved in the work folder and its path is printed; "-o -" prints it.

EXAMPLE:
   recovery handoff --for ben --why "end of my shift"

EXIT STATUS:
   0 written; 1 the journal cannot be read or the file not written; 2 wrong usage`,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "for", Usage: "who goes on, `NAME`"},
			&cli.StringFlag{Name: "why", Usage: "why it is handed over, `TEXT`"},
			&cli.StringFlag{Name: "o", Usage: "the `FILE` to write; - is standard output"},
		},
		Action: x.handoff,
	}
}

func (x *command) handoff(c *cli.Context) error {
	if c.Args().Len() > 0 {
		return usagef("handoff takes no arguments")
	}
	p, err := x.place(c)
	if err != nil {
		return err
	}
	s, err := x.statusNow(c, p)
	if err != nil {
		return err
	}
	from := x.user
	if x.inSession() {
		from += " (typed by an agent)"
	}
	h := report.Handoff{From: from, For: c.String("for"), Why: c.String("why"), Now: x.now(), Account: p.account.Dir,
		Work: p.work, Journal: p.journal.Path(), Status: s}
	if err := x.describe(p, &h); err != nil {
		return err
	}
	if h.For == "" || h.Why == "" {
		x.say("warning: a hand-over says for whom and why: --for NAME --why TEXT")
	}
	md := h.Markdown()
	out := c.String("o")
	if out == "-" && !x.json {
		x.out("%s", strings.TrimRight(md, "\n"))
		return nil
	}
	if out == "" || out == "-" {
		if out, err = p.folder.SaveHandoff([]byte(text.Escape(md)), x.now()); err != nil {
			return err
		}
	} else {
		if out, err = x.outputPath(out, p.work); err != nil {
			return err
		}
		if err := saveOutput(out, []byte(text.Escape(md))); err != nil {
			return err
		}
	}
	if x.json {
		return x.printJSON(map[string]any{"path": out, "markdown": md, "status": s})
	}
	x.out("%s", out)
	x.next("send them that file; it begins with what to read")
	return nil
}

// describe fills what a hand-over says of the account and its record.
func (x *command) describe(p *place, h *report.Handoff) error {
	if x.user != "" {
		h.Enter = "sudo -iu " + text.ShellWord(p.owner.name)
	}
	h.Shell = x.shellOf(p)
	events, err := p.journal.Read()
	if err != nil {
		return err
	}
	if n := len(events); n > 0 {
		e := events[n-1]
		h.Last = strings.TrimSpace(fmt.Sprintf("number %d, %s, %s %s", e.Seq, e.At.UTC().Format(time.RFC3339), e.Type,
			e.Session))
	}
	if holder, held := p.folder.HeldBy(); held {
		h.Warnings = append(h.Warnings, fmt.Sprintf("a run is under way now: %s", holder.Name()))
	}
	h.Files = x.keyFiles(p, h)
	return nil
}

// shellOf is how a command is typed in a fresh shell of the account's user, so that it acts on this account and this
// record.
func (x *command) shellOf(p *place) standing.Shell {
	var sh standing.Shell
	if !x.usualFolder(p) {
		sh.Env = append(sh.Env, claude.EnvConfigDir+"="+p.account.Dir)
	}
	if p.work != p.usualWork().Dir() {
		sh.Flags = append(sh.Flags, "--work", p.work)
	}
	return sh
}

// keyFiles are the files of the work folder that are there, with what they hold, and what no session's row tells.
func (x *command) keyFiles(p *place, h *report.Handoff) []string {
	var out []string
	inventoried := ""
	if inv, err := maybeInventory(p); err == nil && inv != nil {
		what := fmt.Sprintf("the inventory of %s, %d listed of %d found", inv.AsOf.UTC().Format(time.RFC3339), len(inv.Items),
			inv.Found)
		if !inv.Complete {
			what += ", and the pages were not complete"
		}
		inventoried = what
		if n := len(inv.Unmatched); n > 0 {
			h.Warnings = append(h.Warnings, fmt.Sprintf("%d sessions of the pages have no job here and stand only in the "+
				"inventory and the report", n))
		}
		expiring := 0
		for i := range inv.Items {
			if inv.Items[i].ExpiresSoon() {
				expiring++
			}
		}
		if expiring > 0 {
			h.Warnings = append(h.Warnings, fmt.Sprintf("%d transcripts are deleted within a week: the inventory lists them "+
				"first", expiring))
		}
	}
	for _, part := range p.folder.Parts() {
		if part.Name == journal.InventoryFile {
			part.What = cmp.Or(inventoried, part.What)
		}
		out = append(out, part.Path+": "+part.What)
	}
	return out
}
