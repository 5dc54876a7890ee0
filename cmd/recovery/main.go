// Command recovery turns a backlog of offline Claude Code background sessions into two lists: sessions ready to
// archive, and owner sessions that each wait for one typed go.
package main

import (
	"os"

	"recovery/fixtures"
)

func main() {
	// The demo's sessions are processes of this program.
	if fixtures.WorkerMain() {
		return
	}
	os.Exit(run(system(), os.Args[1:]))
}
