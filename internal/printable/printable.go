// Package printable makes texts of files, solvers and users safe to print:
// control characters, which may command a terminal or break a line or a table,
// become visible.
package printable

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Text makes control characters visible, as \x1b, except line breaks and
// tabulators; bytes that are no UTF-8 as well.
func Text(s string) string {
	return visible(s, func(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' })
}

// Cell makes all control characters visible: s fits into one cell of a table or one line.
func Cell(s string) string { return visible(s, unicode.IsControl) }

// Line joins the words of a text by single blanks and cuts it to at most so many characters.
func Line(s string, most int) string {
	s = Cell(strings.Join(strings.Fields(s), " "))
	if r := []rune(s); len(r) > most {
		return string(r[:most-3]) + "..."
	}
	return s
}

func visible(text string, hidden func(rune) bool) string {
	if !strings.ContainsFunc(text, hidden) && utf8.ValidString(text) {
		return text
	}
	var b strings.Builder
	for i, r := range text {
		switch _, size := utf8.DecodeRuneInString(text[i:]); {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, text[i])
		case hidden(r):
			fmt.Fprintf(&b, `\x%02x`, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}
