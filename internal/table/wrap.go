package table

// Long texts on a terminal: broken between words, with what follows indented.

import (
	"strings"
	"unicode/utf8"
)

// Width is the number of columns that a line of text takes at most, where words allow it.
const Width = 100

// Wrap breaks a text between words into lines of at most Width columns. The first line begins with first, each further
// one with next; lines of the text itself are kept.
func Wrap(first, next, text string) string {
	var b strings.Builder
	lead := first
	for _, line := range strings.Split(strings.TrimRight(text, "\n"), "\n") {
		at := lead
		empty := true
		for _, word := range strings.Fields(line) {
			if !empty && utf8.RuneCountInString(at)+1+utf8.RuneCountInString(word) > Width {
				b.WriteString(at + "\n")
				at, empty = next, true
			}
			if !empty {
				at += " "
			}
			at, empty = at+word, false
		}
		b.WriteString(strings.TrimRight(at, " ") + "\n")
		lead = next
	}
	return b.String()
}
