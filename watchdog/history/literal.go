package history

// To look for a text is some hundred times as fast as to look for an expression.

import (
	"regexp"
	"regexp/syntax"
	"unicode/utf8"
)

// Literal returns the longest text that each match of an expression has; nil: none is known.
func Literal(e *regexp.Regexp) []byte {
	tree, err := syntax.Parse(e.String(), syntax.Perl)
	if err != nil {
		return nil
	}
	var longest []byte
	var visit func(t *syntax.Regexp)
	visit = func(t *syntax.Regexp) {
		switch t.Op {
		case syntax.OpLiteral:
			text := []byte(string(t.Rune))
			for _, r := range t.Rune {
				if r == utf8.RuneError { // also matches bytes that are no UTF-8
					return
				}
			}
			if t.Flags&syntax.FoldCase == 0 && len(text) > len(longest) {
				longest = text
			}
		case syntax.OpConcat, syntax.OpCapture, syntax.OpPlus:
			for _, sub := range t.Sub {
				visit(sub)
			}
		}
	}
	visit(tree.Simplify())
	return longest
}
