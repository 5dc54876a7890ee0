package text

import "strings"

// FenceLine says how a line of a Markdown text stands to the code fences around it.
type FenceLine int

const (
	Outside FenceLine = iota // a line of the text itself
	Opening                  // the fence that begins a block
	Inside                   // a line of a block
	Closing                  // the fence that ends it
)

// Fences follows the code fences of a Markdown text, line by line, as CommonMark has them: three or more backticks or
// tildes; one of backticks has no backtick behind it; a block is ended by a fence of its own kind, at least as long,
// with nothing behind it, and what is never ended goes to the end of the text. The zero value stands before the first
// line.
type Fences struct {
	open string
}

// Next takes the next line without what may stand in front of a fence, which is the caller's question: blanks of any
// width, at most three of them (FenceMargin), quote marks. info is what stands behind an opening fence, trimmed.
func (f *Fences) Next(line string) (at FenceLine, info string) {
	mark := fenceMark(line)
	info = strings.TrimSpace(line[len(mark):])
	switch {
	case f.open != "" && info == "" && strings.HasPrefix(mark, f.open):
		f.open = ""
		return Closing, ""
	case f.open != "":
		return Inside, ""
	case mark != "" && (mark[0] == '~' || !strings.Contains(info, "`")):
		f.open = mark
		return Opening, info
	}
	return Outside, ""
}

// Open says whether the lines so far end inside a block.
func (f *Fences) Open() bool { return f.open != "" }

// FenceMargin is a line without the blanks that CommonMark allows in front of a fence; empty when there are more than
// three of them, which make the line one of code.
func FenceMargin(line string) string {
	s := strings.TrimLeft(line, " ")
	if len(line)-len(s) > 3 {
		return ""
	}
	return s
}

// fenceMark is the run of three or more marks that a line begins with; empty when it begins with none.
func fenceMark(line string) string {
	for _, mark := range []string{"`", "~"} {
		if n := len(line) - len(strings.TrimLeft(line, mark)); n >= 3 {
			return line[:n]
		}
	}
	return ""
}
