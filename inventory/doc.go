// Package inventory lists an account's offline sessions: remote rows joined to their local job, whether each lives,
// why it went offline, how its last turn ended, and which sessions are duplicates of one another.
package inventory
