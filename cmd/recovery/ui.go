package main

// This file speaks to the person; nothing else in the program writes to standard output or standard error.
//
// The rules of the terminal: what was asked for goes to standard output, and everything else (progress, warnings,
// errors) to standard error. The last line of a result is `next: ` and what to type. With --json there is one object on
// standard output and nothing beside it. A terminal gets headers, cells that wrap to its width and relative times; a
// pipe gets plain rows with tabs and times in RFC 3339. Text of other people has its control characters made visible.

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf8"

	"recovery/internal/text"

	"github.com/jedib0t/go-pretty/v6/table"
	pretty "github.com/jedib0t/go-pretty/v6/text"
)

// status reports an error and gives the exit status that goes with it.
func (x *command) status(err error) int {
	status := exitStatus(err, x.ctx.Err() != nil)
	if err == nil || silent(err) {
		return status
	}
	next := ""
	if e, ok := errors.AsType[*commandError](err); ok {
		next = e.next
	}
	x.say("recovery: %v", err)
	if next != "" {
		x.say("next: %s", next)
	}
	if x.json && !x.printed {
		_ = x.printJSON(map[string]any{"error": map[string]any{"message": err.Error(), "next": next, "exit_status": status}})
	}
	return status
}

// say prints a line of progress, a warning or an error: everything that is not the result.
func (x *command) say(format string, args ...any) {
	_, _ = fmt.Fprintln(x.stderr, escaped(fmt.Sprintf(format, args...)))
}

// printJSON prints the one object of --json.
func (x *command) printJSON(v any) error {
	data, err := encodeJSON(v)
	if err != nil {
		return err
	}
	return x.print(data)
}

// encodeJSON is a value as JSON for a person too: indented, without HTML's escapes, control characters made visible.
func encodeJSON(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return []byte(text.EscapeJSON(b.String())), nil
}

// print puts a finished result on standard output as it is.
func (x *command) print(data []byte) error {
	x.printed = true
	_, err := x.stdout.Write(data)
	return err
}

// out prints a line of the result; other people's text in it has its control characters made visible.
func (x *command) out(format string, args ...any) {
	x.printed = true
	_, _ = io.WriteString(x.stdout, escaped(fmt.Sprintf(format, args...))+"\n")
}

// next prints what to type next: the last line of every command. In another user's account that is the same command,
// typed by its owner: nothing that it found was kept.
func (x *command) next(format string, args ...any) {
	if x.asOwner != "" {
		format, args = "%s", []any{x.asOwner}
	}
	if !x.json {
		x.out("next: "+format, args...)
	}
}

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

// erase takes the lines that were drawn last off the terminal, so that a table is drawn in their place.
func (x *command) erase(lines int) {
	if lines > 0 {
		_, _ = fmt.Fprintf(x.stdout, "\x1b[%dA\x1b[J", lines)
	}
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

func splitLines(s string) []string { return strings.Split(strings.TrimRight(s, "\n"), "\n") }
