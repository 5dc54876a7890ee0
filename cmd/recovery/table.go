package main

import (
	"fmt"
	"time"

	"recovery/internal/text"

	"github.com/jedib0t/go-pretty/v6/table"
)

func escaped(s string) string { return text.Escape(s) }

// rows is a table: a terminal gets headers and clipped cells, a pipe gets plain rows with tabs between the cells.
type rows struct {
	header []string
	lines  [][]string
}

func (r *rows) add(cells ...string) { r.lines = append(r.lines, cells) }

func (x *command) table(r *rows) {
	x.printed = true
	if !x.terminal {
		for _, line := range r.lines {
			for i, cell := range line {
				if i > 0 {
					_, _ = fmt.Fprint(x.stdout, "\t")
				}
				_, _ = fmt.Fprint(x.stdout, text.Line(cell))
			}
			_, _ = fmt.Fprintln(x.stdout)
		}
		return
	}
	t := table.NewWriter()
	t.SetStyle(table.StyleLight)
	t.Style().Options = table.OptionsNoBordersAndSeparators
	t.Style().Format.HeaderAlign = 1
	head := table.Row{}
	for _, h := range r.header {
		head = append(head, h)
	}
	t.AppendHeader(head)
	for _, line := range r.lines {
		row := table.Row{}
		for _, cell := range line {
			row = append(row, text.Clip(cell, 60))
		}
		t.AppendRow(row)
	}
	if x.width > 0 {
		t.Style().Size.WidthMax = x.width
	}
	_, _ = fmt.Fprintln(x.stdout, t.Render())
}

// when prints a time: relative on a terminal, RFC 3339 in a pipe.
func (x *command) when(t *time.Time) string {
	if t == nil || t.IsZero() {
		return "-"
	}
	if !x.terminal {
		return t.UTC().Format(time.RFC3339)
	}
	d := x.now().Sub(*t)
	ago := " ago"
	if d < 0 {
		d, ago = -d, " from now"
	}
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%d s%s", int(d.Seconds()), ago)
	case d < 2*time.Hour:
		return fmt.Sprintf("%d min%s", int(d.Minutes()), ago)
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h%s", int(d.Hours()), ago)
	}
	return fmt.Sprintf("%d days%s", int(d.Hours()/24), ago)
}
