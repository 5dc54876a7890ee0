// Package report makes the two lists that a recovery is for: sessions to archive now, and owners that each wait for
// one go, with everything that the user has to know before either.
package report
