// Package transcript reads a session's transcript: entries from its end or from an offset, who spoke, replies, tool
// calls and the queue of typed messages. Memory is bounded whatever the length of a line or a file.
package transcript
