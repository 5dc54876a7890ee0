package audit

import (
	"fmt"
	"strings"
)

type flagClass int

const (
	flagRead flagClass = iota
	flagUnknown
	flagOut // its value names a place to write to: standard output and the null device are fine
	flagWrite
)

type valueKind int

const (
	noValue valueKind = iota
	needsValue
	mayHaveValue // only joined to the option
)

// flag is one option of a command.
type flag struct {
	name    string // with its dashes
	class   flagClass
	value   valueKind
	only    map[string]bool // values that read
	guessed bool            // found by a beginning of its name
	other   flagClass       // class of the values that are not in only
}

// flagTable holds the options of a command, and those of the commands above that count here too.
type flagTable struct {
	byName  map[string]*flag
	numeric bool // `-5`
	plus    bool // `+5`, `+%F`
	parent  *flagTable
}

func newFlagTable() *flagTable { return &flagTable{byName: map[string]*flag{}} }

// add reads a list of flags: `-x`, `--long`, with `=` when a value has to follow, with `?` when a value may be joined;
// `-#` stands for a number, `+` for operands that begin with a plus, `@name` for a set of the same file.
func (t *flagTable) add(list string, class flagClass, sets map[string]string, depth int) error {
	for _, w := range strings.Fields(list) {
		switch {
		case strings.HasPrefix(w, "@"):
			set, ok := sets[w[1:]]
			if !ok || depth > 5 {
				return fmt.Errorf("no set is named %s", w)
			}
			if err := t.add(set, class, sets, depth+1); err != nil {
				return err
			}
			continue
		case w == "-#":
			t.numeric = true
			continue
		case w == "+":
			t.plus = true
			continue
		}
		f := &flag{name: w, class: class}
		switch {
		case strings.HasSuffix(w, "="):
			f.name, f.value = w[:len(w)-1], needsValue
		case w == "-?":
		case strings.HasSuffix(w, "?"):
			f.name, f.value = w[:len(w)-1], mayHaveValue
		}
		if !strings.HasPrefix(f.name, "-") || len(f.name) < 2 {
			return fmt.Errorf("%q is not a flag", w)
		}
		// A flag that is listed twice keeps the worse class, so that a shared set cannot soften a writer.
		if old := t.byName[f.name]; old != nil && old.class > f.class {
			continue
		}
		t.byName[f.name] = f
	}
	return nil
}

func (t *flagTable) only(name string, values []string) error {
	f := t.byName[name]
	if f == nil {
		f = &flag{name: name, class: flagRead, value: needsValue}
		t.byName[name] = f
	}
	f.only, f.other = map[string]bool{}, flagWrite
	for _, v := range values {
		if v == "else-unknown" {
			f.other = flagUnknown
			continue
		}
		f.only[v] = true
	}
	return nil
}

func (t *flagTable) get(name string) *flag {
	for ; t != nil; t = t.parent {
		if f := t.byName[name]; f != nil {
			return f
		}
	}
	return nil
}

func (t *flagTable) number() bool {
	for ; t != nil; t = t.parent {
		if t.numeric {
			return true
		}
	}
	return false
}

// long finds a long option by its name or a beginning of it. A beginning is never a read: the command may have an
// option of just that name which is not listed. One writer among those that it may stand for is enough to call it a
// writer.
func (t *flagTable) long(name string, exact bool) *flag {
	if f := t.get(name); f != nil || exact {
		return f
	}
	var found *flag
	for at := t; at != nil; at = at.parent {
		for n, f := range at.byName {
			if !strings.HasPrefix(n, name) || !strings.HasPrefix(n, "--") {
				continue
			}
			if found == nil {
				found = &flag{name: n, class: flagUnknown, value: f.value, guessed: true}
			} else {
				found.name = name
			}
			if f.class == flagWrite {
				return &flag{name: n, class: flagWrite, value: f.value}
			}
			if f.value != found.value {
				found.value = noValue
			}
		}
	}
	return found
}
