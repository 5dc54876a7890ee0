// Package remote reads what an operator saved of the remote side: pages of claude.ai sessions and pages of one
// session's events. The content is simple and the wrapping is not: the same page arrives as raw tool text, as content
// blocks, in an envelope, in a code fence, several to a file. Whatever cannot be read as a page is an error that says
// what the file looks like and what to do next; it is never taken for a page without rows.
package remote
