// Package queuecheck gives each session a verdict (pass, check, blocked, confirmed) on whether a message may wait to be
// delivered when it is woken, with the evidence. It decides; it reads nothing but what it is given.
package queuecheck
