// Package corpus reads files of shell lines with the class that each should get, and counts how well an audit does on them.
// A line is `CLASS<tab>COMMAND<tab>WHY`; ␤ in the command stands for a newline, and `[or-X]` at the start of the third
// column says that class X is right too.
package corpus

import (
	"fmt"
	"os"
	"strings"

	"recovery/internal/audit"
)

// Line is one command with the classes that are right for it, the first one the best.
type Line struct {
	Number  int // in the file, from 1
	Command string
	Classes []audit.Class
	Why     string
}

// Read reads a file of lines. Blank lines and lines that begin with # are skipped; a broken line is an error with its number.
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
		l := Line{Number: i + 1, Command: strings.ReplaceAll(command, "␤", "\n"), Why: why, Classes: []audit.Class{audit.Class(strings.ToLower(class))}}
		for rest := why; ; {
			_, after, found := strings.Cut(rest, "[or-")
			if !found {
				break
			}
			alt, tail, _ := strings.Cut(after, "]")
			l.Classes = append(l.Classes, audit.Class(strings.ToLower(alt)))
			rest = tail
		}
		for _, c := range l.Classes {
			if c != audit.Read && c != audit.Write && c != audit.Unknown {
				return nil, fmt.Errorf("%s:%d: %q is no class", path, i+1, c)
			}
		}
		out = append(out, l)
	}
	return out, nil
}

// Miss is a line that was judged wrongly.
type Miss struct {
	Line Line
	Got  audit.Judgement
}

// Tally counts the lines of each class and those that came out right.
type Tally struct {
	Total, Right map[audit.Class]int
	CalledRead   []Miss // a write or unknown that was called read: the one mistake that counts
	Misses       []Miss
}

// Score judges every line.
func Score(r *audit.Rules, lines []Line) Tally {
	t := Tally{Total: map[audit.Class]int{}, Right: map[audit.Class]int{}}
	for _, l := range lines {
		want := l.Classes[0]
		got := r.Shell(l.Command)
		t.Total[want]++
		right := false
		for _, c := range l.Classes {
			right = right || c == got.Class
		}
		if right {
			t.Right[want]++
			continue
		}
		t.Misses = append(t.Misses, Miss{l, got})
		if got.Class == audit.Read {
			t.CalledRead = append(t.CalledRead, Miss{l, got})
		}
	}
	return t
}

// Rate is the share of a class that came out right, in percent.
func (t Tally) Rate(c audit.Class) float64 {
	if t.Total[c] == 0 {
		return 100
	}
	return 100 * float64(t.Right[c]) / float64(t.Total[c])
}

// String gives the figures, one a line.
func (t Tally) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "write or unknown called read: %d\n", len(t.CalledRead))
	for _, c := range []audit.Class{audit.Read, audit.Write, audit.Unknown} {
		fmt.Fprintf(&b, "%-8s %5d of %5d right (%.1f %%)\n", c, t.Right[c], t.Total[c], t.Rate(c))
	}
	return b.String()
}
