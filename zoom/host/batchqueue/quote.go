package batchqueue

import "strings"

// Quote writes a word so that a POSIX shell takes it as it is.
func Quote(word string) string { return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'" }
