package main

import (
	"errors"

	"recovery/report"
	"recovery/review"

	"github.com/urfave/cli/v2"
)

func (x *command) reportCommand() *cli.Command {
	return &cli.Command{
		Name:      "report",
		Usage:     "print the two lists and what the user must decide",
		UsageText: "recovery report [--format md|json] [--rules FILE]...",
		Description: `Made from the inventory, the journal and the reviews: what to archive now, the owners that each wait for one go, and
everything else with what to do about it. Each session stands in one list, with its link.

EXAMPLE:
   recovery report > report.md

EXIT STATUS:
   0 printed; 1 there is no inventory, or it failed; 2 wrong usage; 5 a defect is open`,
		Flags:  []cli.Flag{&cli.StringFlag{Name: "format", Usage: "`md` or json", Value: "md"}, rulesFlag()},
		Action: x.report,
	}
}

func (x *command) report(c *cli.Context) error {
	format := c.String("format")
	if format != "md" && format != "json" {
		return usagef("--format wants md or json, not %q", format)
	}
	if x.json {
		format = "json"
	}
	p, err := x.place(c)
	if err != nil {
		return err
	}
	inv, err := loadInventory(p)
	if err != nil {
		return err
	}
	w, err := x.see(p)
	if err != nil {
		return err
	}
	state, err := p.state()
	if err != nil {
		return err
	}
	rules, err := loadRules(c)
	if err != nil {
		return err
	}
	rep := report.Build(report.Input{Inventory: inv, State: state, Look: p.look(w), Now: x.now().UTC(), Review: func(short string) (review.Review, bool) {
		rev, err := review.Of(w, rules, state.Session(short))
		var none *review.NotWokenError
		if errors.As(err, &none) || w.Jobs.ByShort[short] == nil {
			return review.Review{}, false
		}
		if err != nil {
			return review.Review{Unclear: err.Error()}, true
		}
		return rev, true
	}})
	if format == "json" {
		if err := x.printJSON(rep); err != nil {
			return err
		}
	} else {
		x.out("%s", rep.Markdown())
		x.next("recovery status")
	}
	if len(rep.Defects) > 0 {
		return quiet(exitDefect)
	}
	return nil
}
