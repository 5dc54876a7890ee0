// Package audit judges tool calls: does a call only read, does it write, or can that not be told. A shell command is
// judged by its syntax tree, read as bash and as zsh, word by word against tables of what is known about each
// command; a tool by its name and input. The worst part decides, and whatever is not known to read is never called a
// read: an unknown costs the reader one line of a report, a write that passes for a read costs the report its
// meaning. The tables are the YAML files under rules.
package audit
