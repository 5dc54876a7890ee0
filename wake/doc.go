// Package wake wakes offline sessions with a review prompt, in batches: every guard is worked out anew right before
// the one client call, what is intended is on disk before it, and the transcript proves what became of it. No pass,
// no wake; no prompt twice. It is the only package that runs the client.
package wake
