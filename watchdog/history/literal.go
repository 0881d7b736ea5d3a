package history

// To look for a text is some hundred times as fast as to look for an expression.

import (
	"bytes"
	"regexp"
	"regexp/syntax"
	"slices"
	"unicode/utf8"
)

// Literals are texts of which each match of an expression has at least one; none: nothing is known.
type Literals []string

// LiteralsOf returns the rarest literals of an expression.
func LiteralsOf(e *regexp.Regexp) Literals {
	tree, err := syntax.Parse(e.String(), syntax.Perl)
	if err != nil {
		return nil
	}
	return literalsOf(tree.Simplify())
}

func literalsOf(t *syntax.Regexp) (best Literals) {
	switch t.Op {
	case syntax.OpLiteral:
		// the replacement character also matches bytes that are no UTF-8
		if t.Flags&syntax.FoldCase == 0 && !slices.Contains(t.Rune, utf8.RuneError) {
			best = Literals{string(t.Rune)}
		}
	case syntax.OpConcat, syntax.OpCapture, syntax.OpPlus:
		for _, sub := range t.Sub {
			if l := literalsOf(sub); l.rarity() > best.rarity() {
				best = l
			}
		}
	case syntax.OpAlternate:
		for _, sub := range t.Sub {
			l := literalsOf(sub)
			if l == nil {
				return nil
			}
			best = append(best, l...)
		}
	}
	return best
}

// rarity is the greater, the longer and the fewer the literals are: RSD is rarer than one of Iteration and iter.
func (l Literals) rarity() float64 {
	if len(l) == 0 {
		return 0
	}
	return float64(len(slices.MinFunc(l, func(a, b string) int { return len(a) - len(b) }))) / float64(len(l))
}

// MayMatch reports whether a text has one of the literals.
func (l Literals) MayMatch(text []byte) bool {
	return l == nil || slices.ContainsFunc(l, func(s string) bool { return bytes.Contains(text, []byte(s)) })
}
