package batchqueue

import "strings"

// Quote quotes a word so that a POSIX shell takes it unchanged.
func Quote(word string) string { return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'" }
