// Package sources is what the readers of other systems' unfinished work have in common: the row that each makes, the
// machine that they look at, and the list of them. A source reads; it starts, writes and creates nothing.
package sources

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"recovery/internal/text"
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

// Row is one piece of unfinished work. Its lists are never nil once NewRow made it; texts come from foreign files and
// are escaped where they are shown.
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

// NewRow is what every row has.
func NewRow(source, id, store string) Row {
	return Row{Source: source, ID: id, Store: store, Details: []Detail{}, Warnings: []string{}, Commands: []Command{}}
}

// Add adds a detail; a text that is empty says nothing and is left out.
func (r *Row) Add(name, text string) {
	if text != "" {
		r.Details = append(r.Details, Detail{name, text})
	}
}

// Warn adds a warning.
func (r *Row) Warn(format string, args ...any) {
	r.Warnings = append(r.Warnings, fmt.Sprintf(format, args...))
}

// Look adds a command that only looks, and Act one that does more.
func (r *Row) Look(command, effect string) {
	r.Commands = append(r.Commands, Command{command, effect, false})
}

// Act adds a command that does more than look.
func (r *Row) Act(command, effect string) {
	r.Commands = append(r.Commands, Command{command, effect, true})
}

// Detail is the text of the first detail of that name.
func (r Row) Detail(name string) string {
	for _, d := range r.Details {
		if d.Name == name {
			return d.Text
		}
	}
	return ""
}

// reopen is the client's command that opens a conversation again.
const reopen = "claude --resume "

// Reopen is the line that opens a Claude conversation in its folder again; ok is false for a folder that nobody can
// type.
func Reopen(cwd, session string) (line string, ok bool) {
	return "cd -- " + text.ShellWord(cwd) + " && " + reopen + session, text.Typable(cwd)
}

// Reopens says that a command opens the conversation behind the row again.
func (r Row) Reopens(c Command) bool {
	return r.ClaudeSessionID != "" && strings.Contains(strings.ToLower(c.Command),
		reopen+strings.ToLower(r.ClaudeSessionID))
}

// Problem is a store that exists and cannot be read as a whole.
type Problem struct {
	Source, Store, Cause string
	Next                 string // what to do about it
}

// LookAtFolder is what to do about a folder that cannot be listed.
const LookAtFolder = "look at the folder and its permissions, then run this again"

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

// NewFound is what a source begins with.
func NewFound() Found {
	return Found{Rows: []Row{}, Problems: []Problem{}, Looked: []string{}, Missing: []string{}, LeftOut: map[string]int{}}
}

// NotThere notes a place where nothing is.
func (f *Found) NotThere(place string) {
	f.Looked, f.Missing = append(f.Looked, place), append(f.Missing, place)
}

// Fail notes a store that cannot be read.
func (f *Found) Fail(source, store, cause, next string) {
	f.Problems = append(f.Problems, Problem{source, store, cause, next})
}

// Sort puts the newest activity first.
func (f *Found) Sort() {
	slices.SortStableFunc(f.Rows, func(a, b Row) int {
		return cmp.Or(b.UpdatedAt.Compare(a.UpdatedAt), strings.Compare(a.Store, b.Store))
	})
}

// Counted lists counts in the order of their names: "3 completed, 1 failed".
func Counted(counts map[string]int) string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		out = append(out, fmt.Sprintf("%d %s", counts[name], name))
	}
	return strings.Join(out, ", ")
}

// Shown is how many rows of one source are listed unless all are wanted: what can be read, and what cannot, each for
// itself, so that neither hides the other. It counts for each source, so that a busy one does not hide the others.
const Shown = 20

// Limit counts the rows of one source.
type Limit struct{ readable, unreadable int }

// Beyond takes one more row; not empty, it is the reason why the row is not listed.
func (l *Limit) Beyond(unreadable bool) string {
	if unreadable {
		if l.unreadable++; l.unreadable > Shown {
			return fmt.Sprintf("unreadable, beyond the first %d", Shown)
		}
	} else if l.readable++; l.readable > Shown {
		return fmt.Sprintf("older than the newest %d", Shown)
	}
	return ""
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

// Abs makes a path absolute against the current folder.
func (m Machine) Abs(path string) string {
	if filepath.IsAbs(path) || m.Cwd == "" {
		return filepath.Clean(path)
	}
	return filepath.Join(m.Cwd, path)
}

// Source is one other system.
type Source struct {
	Name string
	Find func(Machine) Found
	// Box is the re-attach box of one row, for a system whose users are used to their own; nil for the common one. Its
	// last line is the one-line state and next step.
	Box func(Row) string
}
