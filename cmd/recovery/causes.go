package main

import (
	"fmt"
	"strings"

	"recovery/internal/text"
)

// causes gathers what is said of sessions, so that what holds for several is printed once, with the sessions that it
// holds for.
type causes struct {
	order  []string
	shorts map[string][]string
}

// add takes what is said of one session. Its own short in the words makes no cause of its own.
func (c *causes) add(short, words string) {
	if words == "" {
		return
	}
	if c.shorts == nil {
		c.shorts = map[string][]string{}
	}
	words = anyShort(short, words)
	if len(c.shorts[words]) == 0 {
		c.order = append(c.order, words)
	}
	c.shorts[words] = append(c.shorts[words], short)
}

// anyShort is what is said of a session as it is said of any.
func anyShort(short, words string) string { return strings.ReplaceAll(words, short, "SHORT") }

// of are the sessions of which the same is said.
func (c *causes) of(short, words string) []string { return c.shorts[anyShort(short, words)] }

// cell is what a table shows of words: a number where several rows have the same, which stand below the table then.
func (c *causes) cell(short, words string) string {
	if words == "" || len(c.of(short, words)) < 2 {
		return dash(words)
	}
	return fmt.Sprintf("(%d)", c.number(anyShort(short, words)))
}

// number counts the causes that several sessions have, from 1.
func (c *causes) number(words string) int {
	n := 0
	for _, w := range c.order {
		if len(c.shorts[w]) > 1 {
			n++
		}
		if w == words {
			break
		}
	}
	return n
}

// legend are the lines below a table for its numbers.
func (c *causes) legend() []string {
	var out []string
	for _, w := range c.order {
		if list := c.shorts[w]; len(list) > 1 {
			out = append(out, fmt.Sprintf("(%d) %s: %s", c.number(w), text.Line(w), strings.Join(list, " ")))
		}
	}
	return out
}
