// Package inflight puts the unfinished work of all systems on this machine into one list: it asks each source, joins
// their rows with the account's sessions, so that the same work is told once, and counts what it leaves out. It only
// looks.
package inflight
