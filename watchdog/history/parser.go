package history

import (
	"bytes"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/peregrine-sim/peregrine/watchdog/event"
	"github.com/peregrine-sim/peregrine/watchdog/tail"
)

// NewParser returns a parser for a file of a description that passed Check; for any other it panics. The events have
// the path file, and their time from now.
func NewParser(spec *FileSpec, file string, from State, now func() time.Time) *Parser {
	p := &Parser{spec: spec, file: file, now: now, state: from, ids: map[string]int{}, resolved: map[string]*name{}}
	p.state.Pending = nil
	p.ids["iteration"], p.ids["time"] = iterationName, timeName
	p.known = []string{"iteration", "time"}
	if from.Pending != nil {
		p.restore(from.Pending)
	}
	if p.state.Columns == nil {
		p.state.Columns = spec.Columns
	}
	p.resolve()
	groups := 1
	p.matches, p.leads = make([]*matcher, 0, len(spec.Patterns)), make([]int, 0, len(spec.Patterns))
	for _, pattern := range spec.Patterns {
		m := newMatcher(pattern)
		p.begins = p.begins || m.begins
		groups = max(groups, len(m.names))
		p.matches, p.leads = append(p.matches, m), append(p.leads, m.lead())
	}
	p.spans = make([]int, 2*groups)
	if p.state.Of < 0 || p.state.Of >= len(p.matches) { // of another description
		p.state.Heading, p.state.Of = "", 0
	}
	return p
}

// State returns a copy of the parser's state.
func (p *Parser) State() State {
	s := p.state
	if p.isPending {
		s.Pending = p.record(&p.pending)
		s.Pending.Rest = p.rest
	}
	return s
}

// Parse returns the events that a line completes, usually one or none. The slice is valid until the next call.
func (p *Parser) Parse(l tail.Line) []event.Event {
	p.take, p.out = nil, p.out[:0]
	p.line(l)
	return p.out
}

// Read passes the samples that a line completes to take. It is faster than Parse by far: a line with the same names as
// before causes no allocation.
func (p *Parser) Read(l tail.Line, take func(*Sample)) {
	p.take = take
	p.line(l)
}

// Flush returns the incomplete iteration, if any. Call it at the end of the file.
func (p *Parser) Flush() []event.Event {
	p.take, p.out = nil, p.out[:0]
	p.flush()
	return p.out
}

// ReadRest hands over the incomplete iteration, if any. Call it at the end of the file.
func (p *Parser) ReadRest(take func(*Sample)) {
	p.take = take
	p.flush()
}

func (p *Parser) line(l tail.Line) {
	switch l.Note {
	case tail.Plain:
		p.parse(l.Text)
	case tail.TooLong, tail.Unfinished:
		p.message(l.Note.String()+", not used", clip(string(l.Text)))
	case tail.Rewritten, tail.Rotated:
		p.flush()
		p.state.Columns, p.state.Words = p.spec.Columns, nil
		p.state.Header, p.state.Fresh, p.state.Log10, p.state.Heading = "", false, false, ""
		p.resolve()
		p.message(l.Note.String()+", read from its start", "")
	default:
		p.message(l.Note.String(), "")
	}
}

func (p *Parser) parse(text []byte) {
	if blank := len(text) == 0 || text[0] <= ' ' || text[0] >= utf8.RuneSelf; blank && len(bytes.TrimSpace(text)) == 0 {
		return
	}
	if p.state.Heading != "" && bytes.ContainsFunc(text, unicode.IsLetter) {
		p.continueText(text)
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

func (p *Parser) flush() {
	if !p.isPending {
		return
	}
	p.isPending = false
	if p.rest {
		p.rest = false
		if !p.pending.moreThanPlace() {
			return
		}
	}
	p.pending, p.finished = p.finished, p.pending
	p.emit(&p.finished)
}

// handOver emits the iteration as far as it is read. The lines until the next one are a sample of their own, of the
// same place.
func (p *Parser) handOver() {
	at, numbered := p.pending.Value(iterationName)
	time, timed := p.pending.Value(timeName)
	p.flush()
	p.pending.clear(event.Iteration)
	if numbered {
		p.pending.put(iterationName, at)
	}
	if timed {
		p.pending.put(timeName, time)
	}
	p.isPending, p.rest = true, true
}
