package bmf

import (
	"fmt"
	"strings"

	"github.com/peregrine-sim/peregrine/config/document"
)

// token is a word or a sign of a program: a name, a number, or one of ( ) [ ] , = ;.
type token struct {
	text string // empty: the end
	pos  document.Pos
}

// scanner splits a text into tokens.
type scanner struct {
	text string
	at   int
	line int // of at
	from int // begin of the line
}

func newScanner(text string) scanner { return scanner{text: text, line: 1} }

// next returns the next token. Comments are -- and # to the end of the line, and (* *).
func (s *scanner) next() token {
	s.blank()
	t := token{pos: document.Pos{Line: s.line, Column: s.at - s.from + 1}}
	begin := s.at
	if begin == len(s.text) {
		return t
	}
	for s.at < len(s.text) && !strings.ContainsRune(" \t\r\n()[],=;#", rune(s.text[s.at])) {
		s.at++
	}
	if s.at == begin {
		s.at++
	}
	t.text = s.text[begin:s.at]
	return t
}

func (s *scanner) blank() {
	for s.at < len(s.text) {
		rest := s.text[s.at:]
		switch {
		case rest[0] == '\n':
			s.at++
			s.line, s.from = s.line+1, s.at
		case rest[0] == ' ' || rest[0] == '\t' || rest[0] == '\r':
			s.at++
		case rest[0] == '#' || strings.HasPrefix(rest, "--"):
			if end := strings.IndexByte(rest, '\n'); end >= 0 {
				s.at += end
			} else {
				s.at = len(s.text)
			}
		case strings.HasPrefix(rest, "(*"):
			end := strings.Index(rest, "*)")
			if end < 0 {
				s.at = len(s.text)
				return
			}
			comment := rest[:end+2]
			if last := strings.LastIndexByte(comment, '\n'); last >= 0 {
				s.line, s.from = s.line+strings.Count(comment, "\n"), s.at+last+1
			}
			s.at += len(comment)
		default:
			return
		}
	}
}

// mostProblems is the number of problems that are told.
const mostProblems = 50

// mostDepth is the deepest nesting of a program or a value.
const mostDepth = 10_000

// source is the text of a program or a value, with its problems.
type source struct {
	name string
	scanner
	token    token // next
	ahead    token // the one behind it
	problems []*document.Problem
	depth    int
	ended    bool // by its depth: no further problem is true
}

func newSource(name, text string) *source {
	s := &source{name: name, scanner: newScanner(text)}
	s.token = s.next()
	s.ahead = s.next()
	return s
}

// take returns the next token and advances.
func (s *source) take() token {
	t := s.token
	s.token = s.ahead
	s.ahead = s.next()
	return t
}

// skip passes a sign, if it is next.
func (s *source) skip(sign string) bool {
	if s.token.text != sign {
		return false
	}
	s.take()
	return true
}

// fail records a problem at a token.
func (s *source) fail(t token, format string, values ...any) {
	if len(s.problems) < mostProblems && !s.ended {
		s.problems = append(s.problems, problemAt(s.name, s.text, t.pos, t.text, fmt.Sprintf(format, values...)))
	}
}

func problemAt(name, text string, pos document.Pos, word, message string) *document.Problem {
	line := text
	for range pos.Line - 1 {
		_, line, _ = strings.Cut(line, "\n")
	}
	line, _, _ = strings.Cut(line, "\n")
	return &document.Problem{File: name, Pos: pos, Text: word, Message: message, Source: line}
}

func (s *source) errors() error {
	if len(s.problems) == 0 {
		return nil
	}
	return &document.Errors{Problems: s.problems}
}

// deeper enters a bracket or a function; false: the text is nested too deep, which is told once.
func (s *source) deeper() bool {
	if s.depth++; s.depth == mostDepth {
		s.fail(s.token, "nested deeper than %d", mostDepth)
		s.ended = true
		s.token, s.ahead, s.at = token{pos: s.token.pos}, token{pos: s.token.pos}, len(s.text)
	}
	return s.depth < mostDepth
}
