// Package recovery is the root of the program of the same name: it holds the tests of the layout. The program is
// cmd/recovery; docs/architecture.md follows one command through the folders.
package recovery
