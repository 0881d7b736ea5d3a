package history

// A parser's state between lines, and the delivery of samples.

import (
	"fmt"
	"math"
	"time"

	"github.com/peregrine-sim/peregrine/watchdog/event"
)

// State is the state of a parser between lines. With it and the tail.Position behind the last line, another process can
// continue.
type State struct {
	Seq     int64    `json:"seq"`               // of the last event
	Columns []string `json:"columns,omitempty"` // present names
	Header  string   `json:"head,omitempty"`    // the last line that may be a header
	Fresh   bool     `json:"fresh,omitempty"`   // no line of numbers was below it so far
	Log10   bool     `json:"log10,omitempty"`   // residuals of the present columns are logarithms
	Small   int      `json:"small,omitempty"`   // rows that speak against logarithms
	Words   []int    `json:"words,omitempty"`   // present columns that have words instead of numbers
	Bad     int64    `json:"bad,omitempty"`     // number of lines that could not be read
	Section string   `json:"section,omitempty"` // of the incomplete iteration, such as a region of the mesh
	Heading string   `json:"heading,omitempty"` // text that the next line continues
	Of      int      `json:"of,omitempty"`      // index of the heading's pattern
	Pending *record  `json:"pending,omitempty"` // incomplete iteration
}

// Parser turns the lines of a file into events, or into samples.
type Parser struct {
	spec    *FileSpec
	file    string
	now     func() time.Time
	state   State // without Pending
	matches []*matcher
	byKey   map[keyed][]*name // names of the groups
	leads   []int             // by matcher: the byte with which a line must begin; -1: any
	begins  bool              // some pattern begins iterations
	names   []*name           // of state.Columns

	known    []string         // names of values, by index
	ids      map[string]int   // their indices
	resolved map[string]*name // by name in the file
	tooMany  bool

	pending   Sample // incomplete iteration
	isPending bool
	rest      bool   // it holds what follows an iteration that was handed over
	finished  Sample // the iteration before, which its receiver may still hold
	single    Sample // of a single line

	splitter
	spans []int  // of a match
	word  []byte // key of a match, after its section

	take   func(*Sample) // where samples go; nil: events are made
	quotes bool          // samples have their lines
	out    []event.Event
}

// Names are the names of the numbers of samples, by their index. The list grows while lines are read.
func (p *Parser) Names() []string { return p.known }

// Quote lets the samples that Read hands over have the lines they were read from, as events have them.
func (p *Parser) Quote() { p.quotes = true }

// quoted reports whether samples have their lines.
func (p *Parser) quoted() bool { return p.quotes || p.take == nil }

// Message returns an event about the file itself.
func (p *Parser) Message(text string) event.Event {
	p.take, p.out = nil, p.out[:0]
	p.message(text, "")
	return p.out[0]
}

func (p *Parser) message(text, line string) {
	p.emit(&Sample{Kind: event.Message, Text: p.file + ": " + text, Line: []byte(line)})
}

// unreadable counts a line that could not be read, and reports the first, the tenth, the
// hundredth ... of them.
func (p *Parser) unreadable(text []byte, reason func() string) {
	p.state.Bad++
	if n := math.Log10(float64(p.state.Bad)); n != math.Trunc(n) {
		return
	}
	p.message(fmt.Sprintf("line not understood: %s (%d so far)", reason(), p.state.Bad), clip(string(text)))
}

// emit completes a sample and delivers it, as an event if take is nil.
func (p *Parser) emit(s *Sample) {
	p.state.Seq++
	s.Seq = p.state.Seq
	if s.Kind == "" {
		s.Kind = event.Iteration
		if len(s.Numbers) == 0 && len(s.Arrays) > 0 {
			s.Kind = event.Profile
		}
	}
	if p.take != nil {
		p.take(s)
		return
	}
	p.out = append(p.out, p.Event(s))
}

// Event returns the event that a sample of this parser is.
func (p *Parser) Event(s *Sample) event.Event {
	r := p.record(s)
	return event.Event{
		Study: p.spec.Study, Run: p.spec.Run, Seq: s.Seq, Time: p.now(),
		Source: event.File, Kind: s.Kind, Name: r.Name,
		Values: r.Values, Arrays: r.Arrays, NonFinite: r.NonFinite,
		Text: r.Text, File: p.file, Line: r.Line,
	}
}
