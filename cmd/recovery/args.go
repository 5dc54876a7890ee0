package main

import (
	"strings"

	"github.com/urfave/cli/v2"
)

// sortArgs puts the arguments into the one order that cli/v2 understands: global flags, command, its flags, "--", the
// rest. Users may type flags anywhere; what still starts with a dash is an error and never an argument.
func sortArgs(app *cli.App, args []string) ([]string, error) {
	var globals, flags, rest []string
	var cmd *cli.Command
	for i := 0; i < len(args); i++ {
		arg := args[i]
		if arg == "--" {
			rest = append(rest, args[i+1:]...)
			break
		}
		if !strings.HasPrefix(arg, "-") || arg == "-" {
			if cmd == nil {
				if cmd = app.Command(arg); cmd == nil {
					return nil, usagef("no command %q; `recovery help` lists them", arg)
				}
				continue
			}
			rest = append(rest, arg)
			continue
		}
		name, _, joined := strings.Cut(strings.TrimLeft(arg, "-"), "=")
		into := &flags
		f := findFlag(cmd, name)
		if f == nil {
			f, into = findIn(app.Flags, name), &globals
		}
		if f == nil && cmd == nil { // the command may stand behind its own flags
			f, into = findFlag(commandIn(app, args[i+1:]), name), &flags
		}
		if f == nil {
			where := "recovery"
			if cmd != nil {
				where = "recovery " + cmd.Name
			}
			return nil, usagef("%s has no flag %q; `%s --help` lists them; a name that begins with a dash goes behind --", where,
				arg, where)
		}
		*into = append(*into, arg)
		if takesValue(f) && !joined {
			if i+1 >= len(args) {
				return nil, usagef("flag %s wants a value", arg)
			}
			i++
			*into = append(*into, args[i])
		}
	}
	out := globals
	if cmd != nil {
		out = append(append(out, cmd.Name), flags...)
		if len(rest) > 0 {
			out = append(append(out, "--"), rest...)
		}
	} else if len(rest) > 0 {
		return nil, usagef("no command; `recovery help` lists them")
	}
	return out, nil
}

func commandIn(app *cli.App, args []string) *cli.Command {
	for _, a := range args {
		if c := app.Command(a); c != nil {
			return c
		}
	}
	return nil
}

func findFlag(cmd *cli.Command, name string) cli.Flag {
	if cmd == nil {
		return nil
	}
	return findIn(cmd.Flags, name)
}

func findIn(flags []cli.Flag, name string) cli.Flag {
	for _, f := range flags {
		for _, n := range f.Names() {
			if n == name {
				return f
			}
		}
	}
	return nil
}

func takesValue(f cli.Flag) bool {
	d, ok := f.(cli.DocGenerationFlag)
	return ok && d.TakesValue()
}
