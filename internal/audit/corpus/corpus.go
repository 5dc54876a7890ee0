// Package corpus reads files of shell lines with the class that each should get, and counts how well an audit does on
// them. A line is `CLASS<tab>COMMAND<tab>WHY`; ␤ in the command stands for a newline, and `[or-X]` at the start of
// the third column says that class X is right too.
package corpus

import (
	"fmt"
	"os"
	"strings"
)

// Line is one command with the classes that are right for it, the first one the best.
type Line struct {
	Number  int // in the file, from 1
	Command string
	Classes []string // read, write or unknown
	Why     string
}

// Read reads a file of lines. Blank lines and lines that begin with # are skipped; a broken line is an error with its
// number.
func Read(path string) ([]Line, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("reading the corpus: %w", err)
	}
	var out []Line
	for i, raw := range strings.Split(string(data), "\n") {
		if raw == "" || strings.HasPrefix(raw, "#") {
			continue
		}
		class, rest, ok := strings.Cut(raw, "\t")
		command, why, _ := strings.Cut(rest, "\t")
		if !ok {
			return nil, fmt.Errorf("%s:%d: no tab in the line", path, i+1)
		}
		l := Line{Number: i + 1, Command: strings.ReplaceAll(command, "␤", "\n"), Why: why,
			Classes: []string{strings.ToLower(class)}}
		for rest := why; ; {
			_, after, found := strings.Cut(rest, "[or-")
			if !found {
				break
			}
			alt, tail, _ := strings.Cut(after, "]")
			l.Classes = append(l.Classes, strings.ToLower(alt))
			rest = tail
		}
		for _, c := range l.Classes {
			if c != "read" && c != "write" && c != "unknown" {
				return nil, fmt.Errorf("%s:%d: %q is no class", path, i+1, c)
			}
		}
		out = append(out, l)
	}
	return out, nil
}

// Miss is a line that was judged wrongly.
type Miss struct {
	Line        Line
	Got, Reason string
}

// Tally counts the lines of each class and those that came out right.
type Tally struct {
	Total, Right map[string]int
	CalledRead   []Miss // a write or unknown that was called read: the one mistake that counts
	Misses       []Miss
}

// Score judges every line; judge gives the class of a command and the reason.
func Score(lines []Line, judge func(command string) (class, reason string)) Tally {
	t := Tally{Total: map[string]int{}, Right: map[string]int{}}
	for _, l := range lines {
		want := l.Classes[0]
		got, reason := judge(l.Command)
		t.Total[want]++
		right := false
		for _, c := range l.Classes {
			right = right || c == got
		}
		if right {
			t.Right[want]++
			continue
		}
		t.Misses = append(t.Misses, Miss{l, got, reason})
		if got == "read" {
			t.CalledRead = append(t.CalledRead, Miss{l, got, reason})
		}
	}
	return t
}

// Rate is the share of a class that came out right, in percent.
func (t Tally) Rate(c string) float64 {
	if t.Total[c] == 0 {
		return 100
	}
	return 100 * float64(t.Right[c]) / float64(t.Total[c])
}

// String gives the figures, one a line.
func (t Tally) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "write or unknown called read: %d\n", len(t.CalledRead))
	for _, c := range []string{"read", "write", "unknown"} {
		fmt.Fprintf(&b, "%-8s %5d of %5d right (%.1f %%)\n", c, t.Right[c], t.Total[c], t.Rate(c))
	}
	return b.String()
}
