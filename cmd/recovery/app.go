package main

import (
	"bytes"
	"context"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"
)

// run is the program: it gives the exit status. Errors are told on standard error, and with --json as one object on
// standard output when nothing else was printed there.
func run(s *sys, args []string) int {
	ctx, done := s.interrupt()
	defer done()
	return runIn(s, ctx, args)
}

// runIn runs one command until ctx ends.
func runIn(s *sys, ctx context.Context, args []string) (status int) {
	x := &command{sys: s, ctx: ctx, typed: args}
	// A fault of the program itself is told like any other error. What was under way is settled by the next run.
	defer func() {
		if fault := recover(); fault != nil {
			status = x.status(failf("recovery inventory", "internal error: %v; nothing more was done, and what was under way "+
				"is settled by the next run", fault))
		}
	}()
	app := x.app()
	args = helpArgs(args)
	// An error in the flags is an object too: --json is seen before the library reads any.
	x.json = wantsJSON(args)
	var help bytes.Buffer
	if x.json {
		app.Writer = &help
	}
	sorted, err := sortArgs(app, args)
	if err == nil {
		err = app.RunContext(ctx, append([]string{"recovery"}, sorted...))
	}
	if help.Len() > 0 && err == nil && !x.printed {
		err = x.printJSON(map[string]string{"help": help.String()})
	}
	return x.status(err)
}

// helpArgs makes `recovery`, `recovery help` and `recovery help COMMAND` the flags that they stand for.
func helpArgs(args []string) []string {
	switch {
	case len(args) == 0:
		return []string{"--help"}
	case args[0] == "help":
		return append(append([]string{}, args[1:]...), "--help")
	}
	return args
}

// wantsJSON says whether --json stands in front of "--"; the last one counts, as it does for the library.
func wantsJSON(args []string) bool {
	wants := false
	for _, a := range args {
		if a == "--" {
			break
		}
		name, value, joined := strings.Cut(strings.TrimLeft(a, "-"), "=")
		if !strings.HasPrefix(a, "-") || name != "json" {
			continue
		}
		if wants = true; joined {
			wants, _ = strconv.ParseBool(value)
		}
	}
	return wants
}

// command is one run of a command.
type command struct {
	*sys
	ctx     context.Context
	json    bool
	printed bool
	// typed are the arguments as they were typed.
	typed []string
	// asOwner is the line that runs this command as the user whose account it reads; empty when what it finds can be kept.
	asOwner string
}

func (x *command) app() *cli.App {
	app := &cli.App{
		Name: "recovery",
		Usage: "turn a backlog of offline Claude Code sessions into sessions to archive and sessions " +
			"that wait for one go",
		UsageText:                 "recovery [--work DIR] [--json] [--client PATH] COMMAND [flags] [arguments]",
		HideVersion:               true,
		HideHelp:                  true, // the built-in flag and command are shared by all apps of a process; helpFlag is not
		Writer:                    x.stdout,
		ErrWriter:                 x.stderr,
		CustomAppHelpTemplate:     appHelp,
		DisableSliceFlagSeparator: true, // a comma is a part of a file name
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "work", Usage: "the `DIR` for the journal, the lock and the inventory",
				DefaultText: "session-recovery in the .claude folder"},
			&cli.BoolFlag{Name: "json", Usage: "print one JSON object"},
			&cli.StringFlag{Name: "client", Usage: "the `PATH` of the Claude Code client", Value: "claude"},
			helpFlag(),
		},
		Commands: []*cli.Command{
			x.inventoryCommand(), x.queueCheckCommand(), x.resumeCommand(), x.readCommand(), x.lastReplyCommand(),
			x.auditCommand(),
			x.wrapWaitCommand(), x.messageCommand(), x.trustCommand(), x.ackCommand(), x.reportCommand(),
			x.whyCommand(), x.pinsCommand(), x.statusCommand(), x.eventsCommand(), x.handoffCommand(), x.inflightCommand(),
			x.demoCommand(), x.simulatedClientCommand(),
			x.simulatedWorkerCommand(),
		},
		ExitErrHandler: func(*cli.Context, error) {},
		OnUsageError:   func(_ *cli.Context, err error, _ bool) error { return usagef("%v", err) },
	}
	for _, c := range app.Commands {
		c.OnUsageError = app.OnUsageError
		c.CustomHelpTemplate = commandHelp
		c.HideHelp = true
		c.Flags = append(c.Flags, helpFlag())
		c.Before = func(c *cli.Context) error { x.json = c.Bool("json"); return nil }
	}
	return app
}

func helpFlag() cli.Flag {
	return &cli.BoolFlag{Name: "help", Aliases: []string{"h"}, Usage: "show help", DisableDefaultText: true}
}

const appHelp = `{{.Name}} - {{.Usage}}

USAGE:
   {{.UsageText}}

COMMANDS:{{range .VisibleCommands}}
   {{printf "%-16s" .Name}}{{.Usage}}{{end}}

GLOBAL FLAGS (before or after the command):{{range .VisibleFlags}}
   {{.}}{{end}}

EXIT STATUS:
   0 done; 1 failed; 2 wrong usage, nothing was done; 3 done, and something needs you; 4 time was up and something is
   unanswered; 5 a safety defect; 130 interrupted

EXAMPLE:
   recovery inventory && recovery queue-check
   ` + "`recovery COMMAND --help`" + ` tells more of one command; ` + "`recovery demo`" + ` shows all of it on an invented account
`

const commandHelp = `{{.HelpName}} - {{.Usage}}

USAGE:
   {{.UsageText}}

{{.Description}}
{{if .VisibleFlags}}
FLAGS:{{range .VisibleFlags}}
   {{.}}{{end}}
{{end}}`
