package history

// Regular expressions are compiled to programs if the program gives the same matches: if they are a sequence of
// literals and of repeated characters of a class, with groups about them. Others keep Go's machine, after a search for
// a literal that every match has.

import (
	"regexp/syntax"
	"slices"
	"unicode/utf8"
)

// compiled returns a program that matches the same lines as a regular expression; nil if not possible.
func compiled(expression string) *program {
	tree, err := syntax.Parse(expression, syntax.Perl)
	if err != nil {
		return nil
	}
	c := &compiler{}
	if !c.add(tree) || len(c.parts) == 0 || !c.whole() {
		return nil
	}
	p := &program{parts: c.parts, anchored: c.anchored}
	p.link()
	return p
}

type compiler struct {
	parts    []part
	anchored bool
}

// add appends the parts of an expression, and reports whether it could.
func (c *compiler) add(x *syntax.Regexp) bool {
	switch x.Op {
	case syntax.OpEmptyMatch:
		return true
	case syntax.OpBeginText:
		if len(c.parts) > 0 {
			return false
		}
		c.anchored = true
		return true
	case syntax.OpEndText:
		c.parts = append(c.parts, part{kind: finish})
		return true
	case syntax.OpConcat:
		return !slices.ContainsFunc(x.Sub, func(s *syntax.Regexp) bool { return !c.add(s) })
	case syntax.OpCapture:
		c.parts = append(c.parts, part{kind: begin, group: x.Cap})
		ok := c.add(x.Sub[0])
		c.parts = append(c.parts, part{kind: end, group: x.Cap})
		return ok
	case syntax.OpLiteral:
		return c.literal(x)
	case syntax.OpStar:
		return c.repeat(x, 0, -1)
	case syntax.OpPlus:
		return c.repeat(x, 1, -1)
	case syntax.OpQuest:
		return c.repeat(x, 0, 1)
	case syntax.OpRepeat:
		return c.repeat(x, x.Min, x.Max)
	}
	set, ok := classOf(x)
	if ok {
		c.parts = append(c.parts, part{kind: run, class: set, min: 1, max: 1})
	}
	return ok
}

func (c *compiler) literal(x *syntax.Regexp) bool {
	if x.Flags&syntax.FoldCase != 0 || slices.ContainsFunc(x.Rune, func(r rune) bool { return r >= utf8.RuneSelf }) {
		return false
	}
	text := []byte(string(x.Rune))
	if n := len(c.parts); n > 0 && c.parts[n-1].kind == literal {
		c.parts[n-1].text = append(c.parts[n-1].text, text...)
		return true
	}
	c.parts = append(c.parts, part{kind: literal, text: text})
	return true
}

func (c *compiler) repeat(x *syntax.Regexp, low, high int) bool {
	set, ok := classOf(x.Sub[0])
	if !ok {
		return false
	}
	kind := run
	if x.Flags&syntax.NonGreedy != 0 {
		kind = lazy
	}
	c.parts = append(c.parts, part{kind: kind, class: set, min: low, max: high})
	return true
}

// whole reports whether the program cannot split a character of several bytes: a run over such characters ends only
// where an ASCII character or the end of the expression follows, and counts none.
func (c *compiler) whole() bool {
	for i, x := range c.parts {
		if x.class == nil || !x.class[utf8.RuneSelf] {
			continue
		}
		if i == 0 && !c.anchored || x.max >= 0 || x.min > 1 {
			return false
		}
		for _, after := range c.parts[i+1:] {
			if after.class != nil && (after.class[utf8.RuneSelf] || after.min == 0) {
				return false
			}
			if after.kind != begin && after.kind != end {
				break
			}
		}
		lazyAtEnd := x.kind == lazy && !slices.ContainsFunc(c.parts[i+1:],
			func(p part) bool { return p.kind == literal || p.kind == finish })
		begins := !c.anchored && !slices.ContainsFunc(c.parts[:i], func(p part) bool { return p.kind == literal })
		if lazyAtEnd || begins {
			return false
		}
	}
	return true
}

// classOf is the set of bytes of a single character; false if it is none, or has some characters beyond ASCII and not
// others.
func classOf(x *syntax.Regexp) (*class, bool) {
	set := &class{}
	switch x.Op {
	case syntax.OpCharClass:
		if x.Flags&syntax.FoldCase != 0 {
			return nil, false
		}
		for i := 0; i < len(x.Rune); i += 2 {
			low, high := x.Rune[i], x.Rune[i+1]
			if high >= utf8.RuneSelf {
				if low > utf8.RuneSelf || high < utf8.MaxRune {
					return nil, false
				}
				fill(set, utf8.RuneSelf, 255)
			}
			fill(set, int(low), min(int(high), utf8.RuneSelf-1))
		}
	case syntax.OpAnyChar:
		fill(set, 0, 255)
	case syntax.OpAnyCharNotNL:
		fill(set, 0, 255)
		set['\n'] = false
	case syntax.OpLiteral:
		if len(x.Rune) != 1 || x.Rune[0] >= utf8.RuneSelf || x.Flags&syntax.FoldCase != 0 {
			return nil, false
		}
		set[x.Rune[0]] = true
	default:
		return nil, false
	}
	return set, true
}

func fill(set *class, from, to int) {
	for b := from; b <= to; b++ {
		set[b] = true
	}
}

// mostLiterals bounds the literals that are searched before an expression is tried.
const mostLiterals = 8

// required returns literals such that every match of an expression has at least one; none if no such set exists, or it
// is too large.
func required(expression string) (literals [][]byte) {
	tree, err := syntax.Parse(expression, syntax.Perl)
	if err != nil {
		return nil
	}
	for _, s := range needs(tree) {
		literals = append(literals, []byte(s))
	}
	return literals
}

func needs(x *syntax.Regexp) []string {
	switch x.Op {
	case syntax.OpLiteral:
		if x.Flags&syntax.FoldCase == 0 {
			return []string{string(x.Rune)}
		}
	case syntax.OpCapture, syntax.OpPlus:
		return needs(x.Sub[0])
	case syntax.OpRepeat:
		if x.Min > 0 {
			return needs(x.Sub[0])
		}
	case syntax.OpAlternate:
		var all []string
		for _, sub := range x.Sub {
			some := needs(sub)
			if len(some) == 0 || len(all)+len(some) > mostLiterals {
				return nil
			}
			all = append(all, some...)
		}
		return all
	case syntax.OpConcat:
		var best []string
		for _, sub := range x.Sub {
			if some := needs(sub); len(some) > 0 && (best == nil || shortest(some) > shortest(best)) {
				best = some
			}
		}
		return best
	}
	return nil
}

func shortest(list []string) int {
	n := len(list[0])
	for _, s := range list {
		n = min(n, len(s))
	}
	return n
}
