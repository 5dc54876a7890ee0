// Package text makes other people's words safe to show: titles, prompts, replies and file names are data, and nothing
// in them may move a cursor, change a colour or turn the reading direction of a terminal.
package text
