package history

import (
	"fmt"
	"math"
	"regexp"
	"strings"
	"time"

	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/watchdog/tail"
)

// State is what a parser keeps between lines. With it and the tail.Position behind the last
// line, another process can continue.
type State struct {
	Seq     int64    `json:"seq"`               // of the last event
	Columns []string `json:"columns,omitempty"` // present names
	Header  []string `json:"header,omitempty"`  // header without a line of numbers so far
	Words   []int    `json:"words,omitempty"`   // present columns that have words instead of numbers
	Bad     int64    `json:"bad,omitempty"`     // number of lines that could not be read
	Pending *record  `json:"pending,omitempty"` // incomplete iteration
}

// Parser turns the lines of one file into events.
type Parser struct {
	spec    *FileSpec
	file    string
	now     func() time.Time
	state   State
	names   []name // of state.Columns
	matches []matcher
	fields  []string
	groups  []int // by field: how many are in the brackets that it opens; else 1
	out     []event.Event
}

// NewParser returns a parser for a file of a description that passed Check; it panics on
// another. The events have the path file, and their time from now.
func NewParser(spec *FileSpec, file string, from State, now func() time.Time) *Parser {
	p := &Parser{spec: spec, file: file, now: now, state: from}
	p.state.Pending = from.Pending.clone()
	if p.state.Columns == nil {
		p.state.Columns = spec.Columns
	}
	p.resolve()
	for _, pattern := range spec.Patterns {
		p.matches = append(p.matches, newMatcher(pattern))
	}
	return p
}

// State returns a copy of the parser's state.
func (p *Parser) State() State {
	s := p.state
	s.Pending = s.Pending.clone()
	return s
}

// Parse returns the events that a line completes, usually one or none. The
// slice is valid until the next call.
func (p *Parser) Parse(l tail.Line) []event.Event {
	p.out = p.out[:0]
	switch l.Note {
	case tail.Plain:
		p.parse(string(l.Text))
	case tail.TooLong, tail.Unfinished:
		p.message(l.Note.String()+", not used", clip(string(l.Text)))
	case tail.Rewritten, tail.Rotated:
		p.flush()
		p.state.Columns, p.state.Header, p.state.Words = p.spec.Columns, nil, nil
		p.resolve()
		p.message(l.Note.String()+", read from its start", "")
	default:
		p.message(l.Note.String(), "")
	}
	return p.out
}

func (p *Parser) parse(text string) {
	if strings.TrimSpace(text) == "" {
		return
	}
	switch p.spec.Format {
	case Columns:
		if !p.match(text) {
			p.columns(text)
		}
	case JSON:
		p.json(text)
	case Regexp:
		p.match(text)
	}
}

// Flush returns the incomplete iteration, if any. Call it at the end of the file.
func (p *Parser) Flush() []event.Event {
	p.out = p.out[:0]
	p.flush()
	return p.out
}

func (p *Parser) flush() {
	if p.state.Pending != nil {
		p.emit(p.state.Pending)
		p.state.Pending = nil
	}
}

// Message returns an event about the file itself.
func (p *Parser) Message(text string) event.Event {
	p.out = p.out[:0]
	p.message(text, "")
	return p.out[0]
}

func (p *Parser) message(text, line string) {
	p.emit(&record{Kind: event.Message, Text: p.file + ": " + text, Line: line})
}

// unreadable counts a line that could not be read, and reports the first, the tenth, the
// hundredth ... of them.
func (p *Parser) unreadable(text, reason string) {
	p.state.Bad++
	if n := math.Log10(float64(p.state.Bad)); n != math.Trunc(n) {
		return
	}
	p.message(fmt.Sprintf("line not understood: %s (%d so far)", reason, p.state.Bad), clip(text))
}

func (p *Parser) emit(r *record) {
	p.state.Seq++
	kind := r.Kind
	if kind == "" {
		kind = event.Iteration
		if len(r.Values) == 0 && len(r.Arrays) > 0 {
			kind = event.Profile
		}
	}
	p.out = append(p.out, event.Event{
		Study: p.spec.Study, Run: p.spec.Run, Seq: p.state.Seq, Time: p.now(),
		Source: event.File, Kind: kind, Name: r.Name,
		Values: r.Values, Arrays: r.Arrays, NonFinite: r.NonFinite,
		Text: r.Text, File: p.file, Line: r.Line,
	})
}

// maxQuote is the largest part of a line in an event, bytes.
const maxQuote = 1000

// clip returns a line that can be shown and sent: of limited length, valid UTF-8, without
// control characters.
func clip(s string) string {
	if len(s) > maxQuote {
		s = s[:maxQuote] + "..."
	}
	for i := 0; i < len(s); i++ {
		if s[i] >= ' ' && s[i] < 0x7f || s[i] == '\t' {
			continue
		}
		return strings.Map(func(r rune) rune {
			if r < ' ' && r != '\t' && r != '\n' || r == 0x7f {
				return '\uFFFD'
			}
			return r
		}, strings.ToValidUTF8(s, "\uFFFD"))
	}
	return s
}

// matcher is a compiled Pattern.
type matcher struct {
	re     *regexp.Regexp
	begins bool
	kind   event.Kind
	status string
	key    int // group, or -1
	text   int
	array  int
}

func newMatcher(p Pattern) matcher {
	re := regexp.MustCompile(p.Regexp)
	return matcher{re: re, begins: p.Begins, kind: p.kind(), status: p.Status, key: re.SubexpIndex("key"), text: re.SubexpIndex("text"), array: re.SubexpIndex("array")}
}
