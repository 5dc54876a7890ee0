package main

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"recovery/inflight"
	"recovery/internal/account"
	"recovery/internal/sources"
	"recovery/internal/text"
	"recovery/inventory"
	"recovery/message"
	"recovery/report"

	"github.com/urfave/cli/v2"
)

func (x *command) reportCommand() *cli.Command {
	return &cli.Command{
		Name:      "report",
		Usage:     "print the two lists and what the user must decide",
		UsageText: "recovery report [--format md|json|html] [-o FILE] [--merge FILE]... [--rules FILE]...",
		Description: `Made from the inventory, the journal and the reviews: first what matters most (defects, money at risk, a person never
answered, what would act twice), then what to archive now, the owners that each wait for one go, and everything else with
what to do about it. Each session stands in one list, with its link and folder.

md is for a chat. json is the whole, for --merge and for programs. html is one page that loads nothing: it wants -o FILE.
With --merge the accounts' own JSON reports are made one, and this account is not read: make one for each account first.
-o writes a file for you alone (mode 0600); "-o -" is standard output.

EXAMPLE:
   recovery report --format html -o report.html
   recovery report --merge claude-1.json --merge claude-2.json

EXIT STATUS:
   0 printed; 1 there is no inventory, or it failed; 2 wrong usage; 3 a report to merge cannot be read, the others were
   merged; 5 a defect is open`,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "format", Usage: "`md`, json or html", Value: "md"},
			&cli.StringFlag{Name: "o", Usage: "the `FILE` to write; - is standard output"},
			&cli.StringSliceFlag{Name: "merge", Usage: "a JSON report of an account, `FILE`; may be given several times"},
			rulesFlag(),
		},
		Action: x.report,
	}
}

func (x *command) report(c *cli.Context) error {
	format, err := x.reportFormat(c)
	if err != nil {
		return err
	}
	files := c.StringSlice("merge")
	if len(files) > 0 {
		files = append(files, c.Args().Slice()...)
	} else if c.Args().Len() > 0 {
		return usagef("report takes no arguments; files to merge go behind --merge")
	}
	var rep report.Report
	unread := 0
	if len(files) > 0 {
		rep, unread, err = x.merged(files)
	} else {
		rep, err = x.ownReport(c)
	}
	if err != nil {
		return err
	}
	if err := x.writeReport(c, rep, format); err != nil {
		return err
	}
	switch {
	case len(rep.Defects) > 0:
		return ended(defectSeen)
	case unread > 0:
		return ended(needsUser)
	}
	return nil
}

func (x *command) reportFormat(c *cli.Context) (string, error) {
	format := c.String("format")
	switch {
	case format != "md" && format != "json" && format != "html":
		return "", usagef("--format wants md, json or html, not %q", format)
	case x.json && c.IsSet("format") && format != "json":
		return "", usagef("--json and --format %s are two formats; give one", format)
	case x.json:
		format = "json"
	}
	if format == "html" && c.String("o") == "" {
		return "", usagef("a page is written to a file: add -o report.html (or -o - for standard output)")
	}
	return format, nil
}

// ownReport is that of this account.
func (x *command) ownReport(c *cli.Context) (report.Report, error) {
	var none report.Report
	p, err := x.place(c)
	if err != nil {
		return none, err
	}
	inv, err := loadInventory(p)
	if err != nil {
		return none, err
	}
	r, err := x.look(c, p)
	if err != nil {
		return none, err
	}
	facts := r.told()
	elsewhere, warnings := x.elsewhere(p, r.world)
	return report.Build(report.Input{
		Place: x.reportPlace(p), Inventory: inv, State: r.state, Standing: r.book.Of, Unrecorded: r.book.FreshDefects,
		World: r.world,
		Facts: facts, Folder: x.gitState, Now: x.now().UTC(), Elsewhere: elsewhere, Warnings: warnings,
		Messages: messagesOf(func() *message.Plan {
			return message.Build(message.Input{World: r.world, Rules: r.rules, State: r.state, Inventory: inv,
				Standing: r.book.Of},
				slices.Sorted(maps.Keys(facts))...)
		}),
	}), nil
}

// messagesOf gives the texts that there are: an offline session, or one whose words cannot be relied on, has none.
// The plan reads every review, so it is made when the first text is wanted.
func messagesOf(build func() *message.Plan) func(string, []string) map[string]report.Message {
	plan := sync.OnceValue(build)
	return func(kind string, shorts []string) map[string]report.Message {
		items, err := plan().Make(message.Kind(kind), shorts, "")
		if err != nil {
			return nil // `recovery message` says why
		}
		out := map[string]report.Message{}
		for _, it := range items {
			if it.Text != "" {
				out[it.Short] = report.Message{Kind: kind, Text: it.Text, Before: strings.Join(it.Notes, "; ")}
			}
		}
		return out
	}
}

// elsewhere is the unfinished work of other systems; that of the account's own jobs stands in the report's lists
// already. A store that cannot be read is a warning of the report.
func (x *command) elsewhere(p *place, w *inventory.World) (rows []report.Elsewhere, warnings []string) {
	a := inflight.Account{World: w, Dir: p.account.Dir}
	var others []sources.Source
	for _, s := range inflight.Sources(a) {
		if s.Name != inflight.Claude {
			others = append(others, s)
		}
	}
	l := inflight.Find(sources.Machine{Home: x.home(), Cwd: x.cwd, Getenv: x.env, Now: x.now().UTC(),
		Process: processOf(x.processes()), Folders: a.Folders()}, a, others)
	for _, row := range l.Rows {
		rows = append(rows, report.Elsewhere{Source: row.Source, ID: row.ID, Title: row.Title, State: row.State,
			Verdict: row.Verdict, WaitsFor: row.WaitsFor, Cwd: row.Cwd, Next: row.Next()})
	}
	for _, problem := range l.Problems {
		warnings = append(warnings, fmt.Sprintf("%s: %s cannot be read: %s", problem.Source, problem.Store, problem.Cause))
	}
	return rows, warnings
}

// reportPlace names the account: the user it belongs to, with its folder where that is not the usual one.
func (x *command) reportPlace(p *place) report.Place {
	name := p.owner.name
	if !x.usualFolder(p) {
		name = strings.TrimSpace(name + " " + p.account.Dir)
	}
	return report.Place{Account: name, Host: x.host}
}

// usualFolder says whether the account's .claude folder is that of its user, so that nobody has to name it.
func (x *command) usualFolder(p *place) bool {
	usual, err := realPath(filepath.Join(p.owner.home, ".claude"))
	return p.owner.home != "" && err == nil && usual == p.account.Dir
}

// told are the facts of the sessions that a report lists: those of the inventory, those that were woken, and those
// that run. All of them are looked at, several at once.
func (r *record) told() map[string]inventory.Facts {
	shorts := report.Listed(r.inventory, r.state)
	for _, j := range r.world.Jobs.List {
		if !j.Archived && !slices.Contains(shorts, j.Short) && r.world.Liveness(j).State == account.Live {
			shorts = append(shorts, j.Short)
		}
	}
	r.book.Prepare(shorts)
	out := map[string]inventory.Facts{}
	for _, short := range shorts {
		if f := r.book.Facts(short); f != nil {
			out[short] = *f
		}
	}
	return out
}

// maxReport is the most that a report to merge may hold, in bytes.
const maxReport = 256 << 20

// merged makes one report of several files. One that cannot be read is told and does not hold the others up.
func (x *command) merged(files []string) (report.Report, int, error) {
	var reports []report.Report
	var unread []string
	var last error
	for _, name := range files {
		r, err := readReport(name)
		if err != nil {
			x.say("warning: %s: %v", name, err)
			unread, last = append(unread, name), err
			continue
		}
		reports = append(reports, r)
	}
	if len(reports) == 0 {
		return report.Report{}, len(unread), failf("recovery report --format json -o FILE, for each account",
			"merging: none of the %d files is a report that can be read: %w", len(files), last)
	}
	out := report.Merge(reports, x.now().UTC())
	if len(unread) > 0 {
		out.Complete = false
		out.Warnings = append(out.Warnings, text.Line("some reports could not be read and are not in here: "+
			strings.Join(unread, ", ")))
	}
	return out, len(unread), nil
}

func readReport(name string) (report.Report, error) {
	f, err := account.Door{}.Open(name)
	if err != nil {
		return report.Report{}, err
	}
	defer func() { _ = f.Close() }()
	data, err := io.ReadAll(io.LimitReader(f, maxReport+1))
	if err != nil {
		return report.Report{}, err
	}
	if len(data) > maxReport {
		return report.Report{}, errors.New("it is larger than a report can be")
	}
	return report.Parse(data)
}

func (x *command) writeReport(c *cli.Context, rep report.Report, format string) error {
	var data []byte
	var err error
	switch format {
	case "json":
		data, err = encodeJSON(rep)
	case "html":
		if data, err = rep.HTML(); err != nil {
			err = failf("", "making the page: %w", err)
		}
	default:
		data = []byte(escaped(strings.TrimRight(rep.Markdown(), "\n")) + "\n")
	}
	if err != nil {
		return err
	}
	out := c.String("o")
	if out == "" || out == "-" {
		if err := x.print(data); err != nil {
			return err
		}
		if format == "md" {
			x.next("%s", text.Line(rep.Next.String()))
		}
		return nil
	}
	path, err := x.outputPath(out, c.String("work"))
	if err != nil {
		return err
	}
	if err := saveOutput(path, data); err != nil {
		return err
	}
	if x.json {
		return x.printJSON(rep)
	}
	x.out("%s", path)
	x.next(map[string]string{"html": "open it in a browser", "json": "recovery report --merge " + path,
		"md": "paste it where it is read"}[format])
	return nil
}
