package main

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"recovery/internal/text"

	"github.com/jedib0t/go-pretty/v6/table"
	pretty "github.com/jedib0t/go-pretty/v6/text"
)

func escaped(s string) string { return text.Escape(s) }

// rows is a table: a terminal gets headers and clipped cells, a pipe gets plain rows with tabs between the cells.
type rows struct {
	header []string
	lines  [][]string
}

func (r *rows) add(cells ...string) { r.lines = append(r.lines, cells) }

// table prints rows and gives the number of lines that they took.
func (x *command) table(r *rows) int {
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
		return len(r.lines)
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
			row = append(row, text.Clip(cell, 240))
		}
		t.AppendRow(row)
	}
	t.SetColumnConfigs(r.fit(x.width))
	drawn := t.Render()
	_, _ = fmt.Fprintln(x.stdout, drawn)
	return strings.Count(drawn, "\n") + 1
}

// leastColumn is how narrow a column may become before a table runs over the edge.
const leastColumn = 10

// fit wraps the widest columns until a table fits the terminal: nothing is cut off, least of all what to type next.
func (r *rows) fit(width int) []table.ColumnConfig {
	widths := make([]int, len(r.header))
	total := 0
	for i := range widths {
		widths[i] = len(r.header[i])
		for _, line := range r.lines {
			widths[i] = max(widths[i], utf8.RuneCountInString(text.Clip(line[i], 240)))
		}
		total += widths[i] + 2
	}
	for width > 0 && total > width {
		widest := 0
		for i := range widths {
			if widths[i] > widths[widest] {
				widest = i
			}
		}
		if widths[widest] <= leastColumn {
			break
		}
		widths[widest]--
		total--
	}
	configs := make([]table.ColumnConfig, len(widths))
	for i, w := range widths {
		configs[i] = table.ColumnConfig{Number: i + 1, WidthMax: w, WidthMaxEnforcer: pretty.WrapSoft}
	}
	return configs
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
	return text.Age(d, 2*time.Hour) + ago
}
