package entry

// Dictionaries of OpenFOAM (OpenFOAM User Guide, section 4.2, "Basic input/output file format"): keyword and value up
// to a semicolon, keyword and a dictionary in braces, comments as in C++, directives such as #include, macros such as
// $name, code in #{ #}.

import "strings"

// scanner reads a text from a place on.
type scanner struct {
	text string
	at   int
	all  []named
}

// dictionary returns the entries of a text, entries of nested dictionaries as outer.inner.
func dictionary(text string) []named {
	s := &scanner{text: text}
	for s.at < len(s.text) { // a surplus brace does not end the text
		s.entries("", 0)
		s.at++
	}
	return s.all
}

// mostDeep is the greatest depth of nested dictionaries: a program's file must not overflow the stack.
const mostDeep = 100

// entries reads the entries of a dictionary up to its closing brace.
func (s *scanner) entries(outer string, deep int) {
	for s.skip(); s.at < len(s.text) && s.text[s.at] != '}'; s.skip() {
		switch s.text[s.at] {
		case '#':
			s.directive()
			continue
		case ';':
			s.at++
			continue
		case '{', '(', '[', ')', ']': // no keyword: a list
			s.value()
			continue
		}
		name := outer + s.keyword()
		s.skip()
		if s.at < len(s.text) && s.text[s.at] == '{' && deep < mostDeep {
			s.at++
			s.entries(name+".", deep+1)
			s.at++
			continue
		}
		// only such a value can be replaced
		if v := s.value(); v.End > v.Begin && strings.IndexByte(blank, s.text[v.Begin-1]) >= 0 {
			s.all = append(s.all, named{name, v})
		}
	}
}

// skip skips spaces and comments.
func (s *scanner) skip() {
	for s.at < len(s.text) {
		switch rest := s.text[s.at:]; {
		case strings.IndexByte(blank, rest[0]) >= 0:
			s.at++
		case strings.HasPrefix(rest, "//"):
			s.to("\n", 2)
		case strings.HasPrefix(rest, "/*"):
			s.to("*/", 2)
		default:
			return
		}
	}
}

// to continues after the next mark, which is at least skip bytes away, or at the end of the text.
func (s *scanner) to(mark string, skip int) {
	s.at += skip
	if s.at >= len(s.text) {
		s.at = len(s.text)
	} else if i := strings.Index(s.text[s.at:], mark); i >= 0 {
		s.at += i + len(mark)
	} else {
		s.at = len(s.text)
	}
}

// directive skips a directive, which ends with its line.
func (s *scanner) directive() {
	if strings.HasPrefix(s.text[s.at:], "#{") {
		s.to("#}", 2)
		return
	}
	s.to("\n", 1)
}

// quoted skips a text in quotes.
func (s *scanner) quoted() {
	for s.at++; s.at < len(s.text); s.at++ {
		switch s.text[s.at] {
		case '\\':
			s.at++
		case '"':
			s.at++
			return
		}
	}
	s.at = len(s.text)
}

// keyword reads a keyword: a word with matching brackets, such as div(phi,U), or a text in quotes, without the quotes.
func (s *scanner) keyword() string {
	begin := s.at
	if s.text[s.at] == '"' {
		s.quoted()
		return strings.Trim(s.text[begin:s.at], `"`)
	}
	for deep := 0; s.at < len(s.text); s.at++ {
		switch c := s.text[s.at]; {
		case c == '(':
			deep++
		case c == ')':
			deep--
		case strings.IndexByte(";{}\"", c) >= 0, deep <= 0 && strings.IndexByte(blank, c) >= 0:
			return s.text[begin:s.at]
		}
	}
	return s.text[begin:]
}

// value reads up to the semicolon that ends an entry, or up to the brace that ends its dictionary.
func (s *scanner) value() Span {
	begin := s.at
	for deep := 0; s.at < len(s.text); {
		switch rest := s.text[s.at:]; {
		case rest[0] == '"':
			s.quoted()
			continue
		case strings.HasPrefix(rest, "#{"):
			s.to("#}", 2)
			continue
		case strings.HasPrefix(rest, "//"), strings.HasPrefix(rest, "/*"):
			s.skip()
			continue
		case strings.IndexByte("({[", rest[0]) >= 0:
			deep++
		case rest[0] == '}' && deep <= 0:
			return trimmed(s.text, Span{begin, s.at})
		case strings.IndexByte(")}]", rest[0]) >= 0:
			deep--
		case rest[0] == ';' && deep <= 0:
			s.at++
			return trimmed(s.text, Span{begin, s.at - 1})
		}
		s.at++
	}
	return trimmed(s.text, Span{begin, s.at})
}
