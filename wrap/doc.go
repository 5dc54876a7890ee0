// Package wrap tells a real session wrap from a typed line, and waits for one. It reads transcripts only.
package wrap
