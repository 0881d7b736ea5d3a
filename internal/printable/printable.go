// Package printable makes texts of files, solvers and users safe to show. Characters that command a terminal, break a
// line or a table, turn the direction of the text, or cannot be seen, become visible, as \x1b or \u202e. In JSON these
// stand for the same characters.
package printable

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Text makes these characters visible, except line breaks and tabulators; bytes that are no UTF-8 as well.
func Text(s string) string {
	return visible(s, func(r rune) bool { return hides(r) && r != '\n' && r != '\t' })
}

// Cell makes all of them visible: s fits into one cell of a table or one line.
func Cell(s string) string { return visible(s, hides) }

// hides reports whether a character is to become visible: of control and format, separators of lines and paragraphs,
// and the two that HTML cannot hold. The joiners of letters are part of the spelling of some languages.
func hides(r rune) bool {
	switch {
	case r < unicode.MaxASCII, unicode.IsControl(r):
		return unicode.IsControl(r)
	case r == '\u200c' || r == '\u200d':
		return false
	}
	return r == '\ufffe' || r == '\uffff' || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp)
}

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
		case hidden(r) && r < unicode.MaxASCII:
			fmt.Fprintf(&b, `\x%02x`, r)
		case hidden(r):
			for _, half := range utf16.Encode([]rune{r}) {
				fmt.Fprintf(&b, `\u%04x`, half)
			}
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}
