package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"

	"recovery/internal/account"
	"recovery/internal/audit"
	"recovery/internal/text"
	"recovery/internal/transcript"
	"recovery/review"

	"github.com/urfave/cli/v2"
)

func rulesFlag() cli.Flag {
	return &cli.StringSliceFlag{Name: "rules", Usage: "a YAML `FILE` of more rules, which only make commands unknown " +
		"or write; may be given several times"}
}

func (x *command) auditCommand() *cli.Command {
	return &cli.Command{
		Name:      "audit",
		Usage:     "judge every tool call of a transcript: read, write or unknown, and why",
		UsageText: "recovery audit [--rules FILE]... SHORT|FILE",
		Description: `The whole transcript of a session, or any transcript file, its subagents' files included. Writes come first, then what
cannot be judged, grouped by command, then a count of the reads. docs/audit.md says what is judged how, and what cannot
be seen.

EXAMPLE:
   recovery audit 1a2b3c4d
   recovery audit --json transcript.jsonl

EXIT STATUS:
   0 every call only read; 1 the transcript cannot be read; 2 wrong usage; 3 a call cannot be judged; 5 a call wrote`,
		Flags:  []cli.Flag{rulesFlag()},
		Action: x.audit,
	}
}

// loadRules are the built-in rules and those of the user's files.
func loadRules(c *cli.Context) (*audit.Rules, error) {
	var extra [][]byte
	for _, name := range c.StringSlice("rules") {
		data, err := os.ReadFile(name)
		if err != nil {
			return nil, failf("", "reading the rules: %w", err)
		}
		if _, err := audit.Load(data); err != nil {
			return nil, failf("", "the rules in %s: %w; nothing was done: correct the file", name, err)
		}
		extra = append(extra, data)
	}
	if len(extra) == 0 {
		return audit.Default(), nil
	}
	rules, err := audit.Load(extra...)
	if err != nil {
		return nil, failf("", "the rules: %w", err)
	}
	return rules, nil
}

// auditItem is the one row of audit's JSON.
type auditItem struct {
	Short     *string         `json:"short"`
	SessionID *string         `json:"session_id"`
	Link      *string         `json:"link"`
	Path      string          `json:"path"`
	Tools     []review.Tool   `json:"tools"`
	Defects   []review.Defect `json:"defects"`
	BadLines  int             `json:"bad_lines"`
}

func (x *command) audit(c *cli.Context) error {
	if c.Args().Len() != 1 {
		return usagef("audit wants one session or one transcript file")
	}
	rules, err := loadRules(c)
	if err != nil {
		return err
	}
	item, err := x.auditTarget(c, c.Args().First())
	if err != nil {
		return err
	}
	rev, err := review.Audit(account.Door{}, rules, item.Path)
	if err != nil {
		return &commandError{outcome: failed, err: err}
	}
	item.Tools, item.Defects, item.BadLines = rev.Tools, rev.Defects, rev.BadLines
	if x.json {
		if err := x.printJSON(map[string]any{"items": []auditItem{item}}); err != nil {
			return err
		}
	} else {
		x.out("%s", item.Path)
		x.showTools(rev.Tools, "")
		x.next("recovery report")
	}
	switch {
	case len(rev.Defects) > 0:
		return ended(defectSeen)
	case rev.Unjudged() > 0:
		return ended(needsUser)
	}
	return nil
}

// auditTarget is a file that exists, or a session of the account.
func (x *command) auditTarget(c *cli.Context, arg string) (auditItem, error) {
	var item auditItem
	if info, err := os.Stat(arg); err == nil && !info.IsDir() {
		item.Path, err = filepath.Abs(arg)
		return item, err
	} else if strings.ContainsRune(arg, filepath.Separator) || strings.HasSuffix(arg, ".jsonl") {
		if err == nil {
			err = errors.New("is a folder")
		} else if errors.Is(err, fs.ErrNotExist) {
			err = errors.New("there is no such file")
		}
		return item, failf("", "auditing %s: %w", arg, err)
	}
	p, err := x.place(c)
	if err != nil {
		return item, err
	}
	w, err := x.seeKnown(p)
	if err != nil {
		return item, err
	}
	jobs, err := findJobs(w, []string{arg})
	if err != nil {
		return item, err
	}
	j := jobs[0]
	loc := transcript.Locate(p.account, j)
	if loc.Path == "" {
		return item, failf("recovery inventory", "session %s: %s", j.Short, loc.Problem)
	}
	item.Short, item.SessionID, item.Path = &j.Short, &j.SessionID, loc.Path
	if link := w.Link(j); link != "" {
		item.Link = &link
	}
	return item, nil
}

// showTools prints the writes first, then the unknowns grouped by what was called, then what was denied, then a count
// of the reads.
func (x *command) showTools(tools []review.Tool, indent string) {
	groups := map[string][]review.Tool{}
	var order []string
	reads, network := 0, 0
	for _, t := range tools {
		switch {
		case t.Result == review.Denied:
		case t.Class == audit.Write:
			x.out("%sWRITE   %-7s %s: %s (%s)", indent, t.Result, who(t), text.Clip(t.Summary, 200), text.Clip(t.Reason, 160))
			for _, f := range t.ChangedFiles {
				x.out("%s        changed %s", indent, text.Line(f))
			}
		case t.Class == audit.Unknown:
			key := who(t) + ": " + text.Clip(t.Reason, 160)
			if groups[key] == nil {
				order = append(order, key)
			}
			groups[key] = append(groups[key], t)
		default:
			reads++
			if t.Network {
				network++
			}
		}
	}
	sort.SliceStable(order, func(i, j int) bool { return len(groups[order[i]]) > len(groups[order[j]]) })
	for _, key := range order {
		x.out("%sUNKNOWN %s %s", indent, times(len(groups[key])), key)
		for i, t := range groups[key] {
			if i == shownUnknowns {
				x.out("%s        ... and %d more, with --json", indent, len(groups[key])-i)
				break
			}
			x.out("%s        %-7s %s", indent, t.Result, text.Clip(t.Summary, 200))
		}
	}
	for _, t := range tools {
		if t.Result == review.Denied {
			x.out("%sdenied  %-7s %s: %s", indent, t.Class, who(t), text.Clip(t.Summary, 200))
		}
	}
	if len(tools) > 0 {
		x.out("%s%s: %d only read (%d of them over the network)", indent, text.Plural(len(tools), "tool call"), reads,
			network)
	}
}

// shownUnknowns is how many calls of one kind are printed before a count.
const shownUnknowns = 5

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

func who(t review.Tool) string {
	if t.Agent != "" {
		return fmt.Sprintf("%s in %s", t.Name, text.Line(t.Agent))
	}
	return text.Line(t.Name)
}
