// Package claude names what the Claude Code client writes and reads in words: the texts that it prints, the errors that
// end a turn, its limits, the markers in a transcript, the lines of its log, its ids, links, versions and environment
// names. A new version of the client is met here and in fixtures; every text has a real sample in the tests. The texts
// were seen on the clients 2.1.257 to 2.1.332.
package claude
