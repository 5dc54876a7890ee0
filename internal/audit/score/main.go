// Command score prints how well the audit does on a file of shell lines with their classes (see package corpus): how
// many writes or unknowns it calls read, and how many of each class it gets right. It ends with status 1 when the
// first is not zero.
package main

import (
	"flag"
	"fmt"
	"os"
	"strings"

	"recovery/internal/audit"
	"recovery/internal/audit/corpus"
)

func main() {
	quiet := flag.Bool("q", false, "figures only")
	flag.Parse()
	if flag.NArg() != 1 {
		fmt.Fprintln(os.Stderr, "usage: score [-q] FILE")
		os.Exit(2)
	}
	lines, err := corpus.Read(flag.Arg(0))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	rules := audit.Default()
	t := corpus.Score(lines, func(command string) (string, string) {
		j := rules.Shell(command)
		return string(j.Class), j.Reason
	})
	if !*quiet {
		for _, m := range t.Misses {
			fmt.Printf("%d\twant %s\tgot %s\t%s\t(%s)\n", m.Line.Number, m.Line.Classes[0], m.Got,
				strings.ReplaceAll(m.Line.Command, "\n", "␤"), m.Reason)
		}
	}
	fmt.Print(t)
	if len(t.CalledRead) > 0 {
		os.Exit(1)
	}
}
