// Package account reads one account's .claude folder: its background jobs, pins, registered processes, the
// supervisor's log, settings and trust. It reads named keys only, writes nothing, and turns each file it cannot read
// into one warning.
package account
