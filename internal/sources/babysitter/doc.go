// Package babysitter lists unfinished runs of Babysitter (the a5c.ai SDK, 0.0.x and 6.x). A run is a folder; what
// happened to it is its journal, one event a file. The state is worked out by replaying that journal with the rule of
// the program's own run:status, never from its cache, which lags one event behind. Nothing is written, and nothing
// but regular files is opened.
package babysitter
