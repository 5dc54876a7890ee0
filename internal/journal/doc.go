// Package journal keeps what was intended, done and seen in one account's recovery: an append-only file of checksummed
// events, each on disk before the act it announces, and the locks that keep two recoveries apart.
package journal
