package history

// The regular expressions of a file's format, tried from their leading text on.

import (
	"bytes"
	"regexp"
	"slices"
	"sync"

	"github.com/peregrine-sim/peregrine/watchdog/event"
)

// matcher is a compiled Pattern. It does not change.
type matcher struct {
	program *program
	first   []byte         // a line must begin with it
	regexp  *regexp.Regexp // decides where the program does not; nil for a template
	needs   [][]byte       // without a program: every match has at least one of these

	names   []string // of groups, "" for groups without a name
	key     int      // group, or -1
	text    int
	array   int
	section int
	begins  bool
	ends    bool
	next    bool
	kind    event.Kind
	status  string
}

// keyed is a key in a line of a matcher, after its section.
type keyed struct {
	matcher *matcher
	key     string
}

// matchers are those of patterns that were compiled: the files of a format share them. Compiled anew for each of 1,000
// files they were two fifths of the memory of a watch.
var matchers struct {
	sync.Mutex
	of map[Pattern]*matcher
}

// mostMatchers bounds the patterns that are kept; formats have a few hundred.
const mostMatchers = 1000

// newMatcher returns the matcher of a pattern.
func newMatcher(p Pattern) *matcher {
	matchers.Lock()
	defer matchers.Unlock()
	m, known := matchers.of[p]
	if !known {
		m = compile(p)
		if matchers.of == nil || len(matchers.of) == mostMatchers {
			matchers.of = map[Pattern]*matcher{}
		}
		matchers.of[p] = m
	}
	return m
}

func compile(p Pattern) *matcher {
	m := &matcher{begins: p.Begins, ends: p.Ends, next: p.Next, kind: p.kind(), status: p.Status}
	if p.Line != "" {
		t, err := parseTemplate(p.Line)
		if err != nil {
			panic(err) // Check has found it
		}
		m.program, m.names = &t.program, t.names
	} else {
		m.regexp = regexp.MustCompile(p.Regexp)
		m.program, m.names = compiled(p.Regexp), m.regexp.SubexpNames()
	}
	if m.program != nil {
		m.first = m.program.first()
	} else {
		m.needs = required(p.Regexp)
	}
	m.key, m.text, m.array = slices.Index(m.names, "key"), slices.Index(m.names, "text"), slices.Index(m.names, "array")
	m.section = slices.Index(m.names, "section")
	return m
}

// lead returns the byte with which a line must begin; -1: any.
func (m *matcher) lead() int {
	if len(m.first) == 0 {
		return -1
	}
	return int(m.first[0])
}

// find returns the spans of the groups of a match in a line; nil: no match.
func (m *matcher) find(line []byte, spans []int) []int {
	if m.program == nil {
		if len(m.needs) > 0 && !slices.ContainsFunc(m.needs, func(s []byte) bool { return bytes.Contains(line, s) }) {
			return nil
		}
		return m.regexp.FindSubmatchIndex(line)
	}
	if len(m.first) > 0 && !bytes.HasPrefix(line, m.first) {
		return nil
	}
	found, sure := m.program.find(line, spans)
	switch {
	case !sure && m.regexp != nil:
		return m.regexp.FindSubmatchIndex(line)
	case found:
		return spans
	}
	return nil
}

// group is the text of a group.
func group(line []byte, spans []int, i int) []byte {
	if i < 0 || spans[2*i] < 0 {
		return nil
	}
	return line[spans[2*i]:spans[2*i+1]]
}

// Line finds the texts of a pattern's named groups in lines, for files that are no histories.
type Line struct {
	m     *matcher
	spans []int
}

// NewLine compiles a pattern without [Pattern.Faults]; for any other it panics.
func NewLine(p Pattern) *Line {
	l := &Line{m: newMatcher(p)}
	l.spans = make([]int, 2*len(l.m.names))
	return l
}

// Find calls yield with each named group of a line that has a text, and reports whether the line matches.
func (l *Line) Find(line []byte, yield func(name string, text []byte)) bool {
	spans := l.m.find(line, l.spans)
	if spans == nil {
		return false
	}
	for i, name := range l.m.names {
		if text := group(line, spans, i); name != "" && len(text) > 0 {
			yield(name, text)
		}
	}
	return true
}
