package main

import "strings"

func splitLines(s string) []string { return strings.Split(strings.TrimRight(s, "\n"), "\n") }
