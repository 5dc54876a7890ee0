// Command recovery turns a backlog of offline Claude Code background sessions into two lists: sessions ready to
// archive, and owner sessions that each wait for one typed go.
package main

import "os"

func main() { os.Exit(run(system(), os.Args[1:])) }
