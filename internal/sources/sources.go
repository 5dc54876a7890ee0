// Package sources is what the readers of other systems' unfinished work have in common: the row that each makes, the
// machine that they look at, and the list of them. A source reads; it starts, writes and creates nothing.
package sources

import (
	"time"
)

// Verdict says what continuing a piece of work would mean.
type Verdict string

// The verdicts, a closed list.
const (
	Live       Verdict = "live"       // its owner runs right now: leave it alone
	Safe       Verdict = "safe"       // the command that continues it does no more than continue it
	Person     Verdict = "person"     // it waits for a person's answer or decision
	Time       Verdict = "time"       // it waits for a time that has not come
	Unsafe     Verdict = "unsafe"     // the obvious command would end it, or repeat what it did
	Done       Verdict = "done"       // it is finished; nothing continues it
	Unreadable Verdict = "unreadable" // something is there that cannot be read
)

// Command is something that a person may type, with what it would do.
type Command struct {
	Command string `json:"command"`
	Effect  string `json:"effect"`
	// Acts says that it does more than look.
	Acts bool `json:"-"`
}

// Detail is one more thing that a source knows of a piece of work, in the order in which it is shown.
type Detail struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

// Row is one piece of unfinished work. Lists are never nil once New* or Finish made them; texts come from foreign
// files and are escaped where they are shown.
type Row struct {
	Source string // the source's name
	ID     string // in the source's own words; for an unreadable row the file or folder's name
	Title  string
	State  string // in the source's own words
	// Verdict says whether continuing is safe, Reason why, in words.
	Verdict Verdict
	Reason  string
	// WaitsFor is what it waits for in words (the open question, "sleep until ...", task kinds); empty when nothing.
	WaitsFor string
	// UpdatedAt is the newest activity; zero when nothing tells it.
	UpdatedAt time.Time
	Cwd       string // the folder of the work; empty when it is not recorded
	// ClaudeSessionID is the Claude Code session behind it, empty when there is none or it is not recorded.
	ClaudeSessionID string
	// Store is the file or folder that the row was read from.
	Store    string
	Details  []Detail
	Warnings []string // what was odd about it, each a sentence
	Commands []Command
	// FormatInferred says that the format was worked out from a description and never seen.
	FormatInferred bool
}

// Problem is a store that exists and cannot be read as a whole.
type Problem struct {
	Source, Store, Cause string
	Next                 string // what to do about it
}

// Found is what a source found.
type Found struct {
	Rows []Row
	// Problems are the stores that exist and cannot be read; those that can are in Rows all the same.
	Problems []Problem
	// Looked names each place that was looked at, and Missing those where nothing is.
	Looked, Missing []string
	// None says, when no unfinished work was found, why: finished, failed, cancelled or never created, with counts.
	None string
	// LeftOut counts what was not listed, by reason.
	LeftOut map[string]int
}

// Process is what the machine knows of one process id.
type Process struct {
	// Running is true as well when the process belongs to somebody else.
	Running bool
	// Started is when it began, zero when that cannot be known; precise to a clock tick.
	Started time.Time
}

// Machine is what a source may look at. It gives no way to write.
type Machine struct {
	Home   string
	Cwd    string
	Getenv func(string) string
	Now    time.Time
	// Process looks a process id up.
	Process func(pid int) Process
	// Roots are the folders that the user named; they come on top of the places that a source knows.
	Roots []string
	// Folders are the project folders that the account's jobs work in.
	Folders []string
	// All lists finished work too and lifts the limit on the rows.
	All bool
}

// Source is one other system.
type Source struct {
	Name string
	Find func(Machine) Found
	// Box is the re-attach box of one row, for a system whose users are used to their own; nil for the common one. Its
	// last line is the one-line state and next step.
	Box func(Row) string
}
