package standing

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"recovery/internal/text"
)

// Next is what the user does about one session, or about a whole command.
type Next struct {
	// After is a time before which it is not to be done; zero for now.
	After time.Time
	// Do is a person's act in words; empty when the command is all.
	Do string
	// Run are the arguments of recovery; nil when there is no command.
	Run []string
	// Link is the thread in which the person acts; empty when there is none.
	Link string
}

// nextJSON is the next as JSON has it beside its prose: times and links are null where there are none.
type nextJSON struct {
	After *time.Time `json:"after"`
	Do    string     `json:"do"`
	Run   []string   `json:"run"`
	Link  *string    `json:"link"`
}

// MarshalJSON writes the next for a program.
func (n Next) MarshalJSON() ([]byte, error) {
	out := nextJSON{Do: n.Do, Run: append([]string{}, n.Run...)}
	if !n.After.IsZero() {
		after := n.After.UTC()
		out.After = &after
	}
	if n.Link != "" {
		out.Link = &n.Link
	}
	return json.Marshal(out)
}

// UnmarshalJSON reads what MarshalJSON writes.
func (n *Next) UnmarshalJSON(data []byte) error {
	var in nextJSON
	if err := json.Unmarshal(data, &in); err != nil {
		return err
	}
	*n = Next{Do: in.Do, Run: in.Run}
	if in.After != nil {
		n.After = *in.After
	}
	if in.Link != nil {
		n.Link = *in.Link
	}
	return nil
}

// Run is a next that is a command of recovery and nothing else.
func Run(args ...string) Next { return Next{Run: args} }

// Do is a next that is a person's act and nothing else.
func Do(format string, args ...any) Next { return Next{Do: fmt.Sprintf(format, args...)} }

// At puts the act into a thread.
func (n Next) At(link string) Next {
	n.Link = link
	return n
}

// Then puts a command behind the act.
func (n Next) Then(args ...string) Next {
	n.Run = args
	return n
}

// IsZero says that there is nothing to do.
func (n Next) IsZero() bool {
	return n.After.IsZero() && n.Do == "" && len(n.Run) == 0 && n.Link == ""
}

// Shell is how a command line of recovery is typed in some shell: the variables in front of it, and the flags that
// every command needs there. The zero value is the shell of the account's own user.
type Shell struct {
	Env   []string
	Flags []string
}

// Command is the command line of some arguments of recovery; empty for none.
func (sh Shell) Command(args ...string) string {
	if len(args) == 0 {
		return ""
	}
	var words []string
	for _, v := range sh.Env {
		name, value, _ := strings.Cut(v, "=")
		words = append(words, name+"="+text.ShellWord(value))
	}
	words = append(words, "recovery")
	for _, w := range append(append([]string{}, sh.Flags...), args...) {
		words = append(words, text.ShellWord(w))
	}
	return strings.Join(words, " ")
}

// Command is the command line, as a shell takes it; empty when there is none.
func (n Next) Command() string { return Shell{}.Command(n.Run...) }

// String is the next in prose, as JSON keeps it: the act, its thread, then the command.
func (n Next) String() string { return n.In(Shell{}) }

// In is the next in prose for a reader in another shell.
func (n Next) In(sh Shell) string {
	var parts []string
	if !n.After.IsZero() {
		parts = append(parts, "not before "+n.After.UTC().Format(time.RFC3339))
	}
	switch {
	case n.Do != "" && n.Link != "":
		parts = append(parts, n.Do+" ("+n.Link+")")
	case n.Do != "":
		parts = append(parts, n.Do)
	case n.Link != "":
		parts = append(parts, "open "+n.Link)
	}
	said := strings.Join(parts, ": ")
	command := sh.Command(n.Run...)
	switch {
	case said == "":
		return command
	case command == "":
		return said
	case n.Do == "" && n.Link == "":
		return said + ": " + command
	}
	return said + ", then: " + command
}
